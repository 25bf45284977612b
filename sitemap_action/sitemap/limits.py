"""What the reader takes from one document before it gives up."""

from dataclasses import dataclass

from sitemap_action.sitemap.inflate import MAX_INFLATED


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """All far beyond what the protocol allows, so that every breach of the protocol is still read and counted."""

    inflated: int = MAX_INFLATED  # bytes without compression
    entries: int = 1_000_000
    text: int = 65_536  # characters of one element
    depth: int = 64  # of elements below the root
    attributes: int = 100  # of one element
    faults: int = 1_000  # of a text file before its first URL
