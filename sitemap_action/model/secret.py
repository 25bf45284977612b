"""Records that hold secrets."""

from typing import Any

from msgspec import Struct


class SecretStruct(Struct, frozen=True):
    """A record whose repr shows no value, so that no log, traceback or failed assertion has its secrets."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []
