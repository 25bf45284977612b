"""What the loading of sitemaps knows about one document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sitemap_action.model.sitemap import ChildSitemap, DocumentKind


class SitemapState(StrEnum):
    """Where a document stands."""

    USUAL = "usual"  # a usual path, asked when nothing else is known
    PENDING = "pending"
    ASKED = "asked"  # handed out; pending again after a kill
    READ = "read"  # whole, its URLs are stored
    SAME = "same"  # another document turned out to be this one
    ABSENT = "absent"  # a usual path where no sitemap is
    FAILED = "failed"  # no usable answer, or damaged: the URLs before the damage are stored
    REFUSED = "refused"  # never asked
    KNOWN = "known"  # read by a run that ended; asked again only if it is still named


class ResumeState(StrEnum):
    """What the state was found to be."""

    NEW = "new"
    RESUMED = "resumed"
    OTHER = "other"  # of other seeds or options, so nothing of it was kept
    AGAIN = "again"  # of a run that ended, or of yesterday: what has not changed need not be sent again


@dataclass(frozen=True, slots=True)
class SitemapStatus:
    """One document."""

    id: int
    url: str
    depth: int = 0
    state: SitemapState = SitemapState.PENDING
    usual: bool = False  # found by its path alone
    listed_by: str = ""
    line: int = 0  # in the document that lists it
    address: str = ""  # where it answered
    kind: DocumentKind = DocumentKind.UNKNOWN
    entries: int = 0
    reason: str = ""  # why it is not, or not wholly, read
    etag: str = ""
    modified: str = ""
    digest: str = ""  # of its bytes
    faults: Mapping[str, int] = field(default_factory=dict)  # what was read over, by code
    skipped: Mapping[str, int] = field(default_factory=dict)  # URLs that were left out, by reason


@dataclass(frozen=True, slots=True)
class Arrival:
    """What came with the bytes of a document."""

    address: str
    digest: str
    etag: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """What reading a document came to, beside its entries."""

    kind: DocumentKind
    children: Sequence[tuple[str, ChildSitemap]] = ()  # with identity
    refused: Sequence[tuple[str, ChildSitemap, str]] = ()  # with name, and why it is never asked
    damage: str = ""  # why the rest could not be read
    faults: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
