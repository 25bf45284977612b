"""What a run may send and reach on the network: set by the caller, never by a file of the repository."""

from collections.abc import Callable

from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.secret import SecretStruct


class Access(SecretStruct, frozen=True):
    """Secrets, and switches that permit something."""

    # Sent to the start page's origin alone (NET-12).
    headers: tuple[tuple[str, str], ...] = ()
    mask: Mask = NO_MASK  # removes every secret of the run from a text
    tls_verify: bool = True
    allow_private_hosts: tuple[str, ...] = ()  # hosts, addresses or CIDR ranges (NET-13)
    # The one origin beside these that may have a private address; None: that of the start page, whatever names it.
    private_origin: str | None = None
    hosts: tuple[str, ...] = ()  # globs over a discovered deployment address; empty: any host
    log: Callable[[str], None] | None = None  # gets a line for each request; None: they are not shown
    offline: bool = False  # no connection at all: a build and local files alone


def split_list(text: str) -> tuple[str, ...]:
    """The items of an input or a flag, separated by commas or line breaks."""
    return tuple(filter(None, map(str.strip, text.replace(",", "\n").splitlines())))
