"""What a state keeps of a rendered document, so that the next run need not render it again."""

from msgspec import Struct


class KeptRendering(Struct, frozen=True):
    """The rendered document holds while the served bytes and every answer that its scripts were given are the same."""

    html: bytes = b""
    redirect: str = ""
    refused: str = ""
    resources: tuple[tuple[str, str], ...] = ()  # (URL, digest of the answer)
