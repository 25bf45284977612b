"""What is stored of one sitemap document while sitemaps are loaded."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from sitemap_action.model.sitemap import ChildSitemap, DocumentKind


class SitemapState(StrEnum):
    """Progress of one document."""

    USUAL = "usual"  # a conventional path, requested when there is no seed and nothing was found
    PENDING = "pending"
    REQUESTED = "asked"  # the request is under way; pending again after a kill
    READ = "read"  # completely; its URLs are stored
    DUPLICATE = "same"  # a duplicate: another document has the same address
    ABSENT = "absent"  # a conventional path without a sitemap
    FAILED = "failed"  # no usable answer, or damaged: the URLs before the damage are stored
    REFUSED = "refused"  # never requested
    STALE = "known"  # read by a run that ended; requested again only if it is still listed


class ResumeState(StrEnum):
    """How a run uses the stored state."""

    NEW = "new"
    RESUMED = "resumed"
    OTHER = "other"  # of other seeds or options: discarded
    AGAIN = "again"  # of a run that ended or is a day old: a cache for conditional requests


class SitemapStatus(Struct, frozen=True):
    """One document."""

    id: int
    url: str
    depth: int = 0
    state: SitemapState = SitemapState.PENDING
    usual: bool = False  # at a conventional path, and listed by nothing
    listed_by: str = ""
    line: int = 0  # in the document that lists it
    address: str = ""  # after redirects
    kind: DocumentKind = DocumentKind.UNKNOWN
    entries: int = 0
    reason: str = ""  # why it is not, or not completely, read
    etag: str = ""
    modified: str = ""
    digest: str = ""  # of its bytes
    faults: Mapping[str, int] = field(default_factory=dict)  # tolerated faults, by code
    skipped: Mapping[str, int] = field(default_factory=dict)  # URLs that are not used, by reason


class ResponseInfo(Struct, frozen=True):
    """Address, digest and validators of a response."""

    address: str
    digest: str
    etag: str = ""
    modified: str = ""


class ParsedContent(Struct, frozen=True):
    """Result of reading a document, except its entries."""

    kind: DocumentKind
    children: Sequence[tuple[str, ChildSitemap]] = ()  # with identity
    refused: Sequence[tuple[str, ChildSitemap, str]] = ()  # with identity, and why it is never requested
    damage: str = ""  # why the rest could not be read
    faults: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
