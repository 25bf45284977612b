"""The site as gathered, and the verdict for each of its URLs.

A run may look at a shard (`--shard K/N`): the part of a site that one runner has, by a hash that is always the same.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeAlias
from zlib import crc32

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Directive, Page
from sitemap_action.model.sitemap import Entry

MOST = 256
"""Shards of one run: the jobs that a matrix of GitHub may have."""
_FORM = lazy_re(r"([0-9]{1,3})/([0-9]{1,3})", re.ASCII)
_SPREAD = 0x9E3779B1  # Fibonacci hashing: a checksum of similar texts has similar low bits


class Role(StrEnum):
    """Which sitemap an entry was read from."""

    COMMITTED = "committed"
    BASELINE = "baseline"


class Content(NamedTuple):
    """What a page had when an earlier run with a state found it, or when the sitemap was written (DIFF-31, DIFF-32)."""

    fingerprint: str
    lastmod: str  # of its entry
    seen: str  # day of that run, YYYY-MM-DD; "" where that is not known


class Site(Protocol):
    """Everything the look phase gathered; every method streams or reads by key, so memory stays flat."""

    def pages(self) -> Iterator[Page]:
        """Every known URL, in byte order of the URL."""
        ...

    def page(self, url: str) -> Page | None: ...

    def entries(self, role: Role) -> Iterator[tuple[str, Entry]]:
        """(identity, entry) of one sitemap in byte order of the identity, each identity once (DIFF-01)."""
        ...

    def contents(self) -> Iterator[tuple[str, Content]]:
        """(URL, content) of earlier runs, in byte order of the URL; none without a state."""
        ...


class Reason(StrEnum):
    """Why a known URL is not listed; of a removed URL, its class (DIFF-03)."""

    MOVED = "moved"  # permanent redirect to a listed page
    MOVED_HOME = "moved-home"  # one of three or more that redirect permanently to a start page (DIFF-09)
    MOVED_TEMPORARY = "moved-temporary"
    MOVED_OFFSITE = "moved-offsite"
    REDIRECT_BROKEN = "redirect-broken"
    GONE = "gone"
    DEINDEXED = "deindexed"  # noindex, canonical or robots; the detail names which
    DROPPED = "dropped"  # a live page, removed by `orphans: drop` or an accepted limit
    EXCLUDED = "excluded"  # by include, exclude, types, query, or the host's control files
    OTHER_TYPE = "other-type"  # answers 200, no longer as a type of select.types
    MERGED = "merged"  # listed under its twin's URL
    SOFT_404 = "soft-404"
    UNDETERMINED = "undetermined"


class DeindexedBy(StrEnum):
    """What keeps a page out of the index (DIFF-03)."""

    ROBOTS = "robots"
    META = "meta"
    HEADER = "header"
    CANONICAL = "canonical"


class CanonicalFault(StrEnum):
    """What is wrong with the page that a canonical names (HTML-26)."""

    RETURNS = "returns"  # redirects back to the page that names it, which is listed
    REDIRECTS = "redirects"
    GONE = "gone"  # an error page too
    NOT_INDEXABLE = "not-indexable"  # noindex, robots.txt
    CHAIN = "chain"  # names another canonical
    SERIES = "series"  # the first page of a series, of which the page that names it is a later one (HTML-30)


class SpellingState(StrEnum):
    """What became of the spelling of a page that the config asks for (URL-21)."""

    LISTED = "listed"  # in the place of another URL that answers 200
    REDIRECTS = "redirects"  # it is listed, and the host redirects it to another one
    NOT_CANONICAL = "not-canonical"  # it is listed, and the page names another one as its canonical
    MISSING = "missing"  # it is no URL of the page, which is listed under its own


INTENDED = frozenset({Reason.MOVED, Reason.EXCLUDED, Reason.MERGED})
"""Classes of removal that are not `lost`; a 410 and an acknowledged removal are not lost either."""


class Listed(NamedTuple):
    """The URL belongs in the sitemap, as this entry."""

    page: Page
    entry: Entry
    keep_reason: str = (
        ""  # why an existing entry is unchanged, as text: a pattern of output.keep, or why the page has no verdict
    )
    unverified: bool = False  # no response confirms that it is still listable (NET-10, DIFF-20)
    canonical_fault: CanonicalFault | None = None
    spelling: SpellingState | None = None
    other_spelling: str = ""  # that the host, the canonical or the config would have
    left_out: str = ""  # why the language versions that the page names are not in the entry, or not all, as text


class Absent(Struct, frozen=True):
    """The URL does not belong in the sitemap."""

    page: Page
    reason: Reason
    detail: str = ""
    redirect_to: str = ""
    hops: int = 0  # of the redirect
    by: DeindexedBy | None = None  # only of the reason `deindexed`
    canonical_fault: CanonicalFault | None = None
    respelled: bool = False  # the page is listed, under the spelling that the config asks for
    dead_end: bool = False  # its redirects end at nothing, or never
    option: str = ""  # key of the config that excludes it: "select.exclude"
    noindex: Directive | None = None  # that keeps it out of the index
    cites_host: bool = False  # the detail names the rule of the host

    @property
    def is_dead(self) -> bool:
        """Whether a link to it leads to nothing (HTML-73)."""
        return self.reason is Reason.GONE or self.dead_end


Verdict: TypeAlias = Listed | Absent


class KnownUrl(NamedTuple):
    """One known URL with its entries in the committed sitemap and the baseline."""

    page: Page
    committed: Entry | None
    baseline: Entry | None
    previous: Content | None = None


class ProposalKind(StrEnum):
    """How sure the target of a proposed redirect is."""

    CERTAIN = "certain"  # may be added without a person
    CHOOSE = "choose"  # a person looks at it
    NONE = "none"


class ProposedRedirect(Struct, frozen=True):
    """The redirect that a lost page lacks, as far as it is known (DIFF-06)."""

    url: str
    target: str = ""
    kind: ProposalKind = ProposalKind.NONE
    share: float = 0.0  # of the old page's text that the target has
    why: str = ""  # what it is known by, or why there is none, as text
    others: tuple[tuple[str, float], ...] = ()  # further candidates, with their shares
    file: str = ""  # where it belongs; "" where it is to be pasted
    line: int = 0  # of the first new line there; 0 where it is not known
    text: str = ""  # what is added
    above: int = 0  # the line of the file as it is that the text is inserted above; 0 where that alone does not do

    def describe(self) -> str:
        """Where the page is to be redirected to, and the line that does so; "" where no target is known."""
        if not self.target:
            return ""
        others = "".join(f"; or to {url} ({share:.0%})" for url, share in self.others)
        place = f"{self.file}, line {self.line}" if self.line else self.file
        added = f"; add to {place}: {' '.join(self.text.split())}" if self.text and place else ""
        verb = "redirect it to" if self.kind is ProposalKind.CERTAIN else "it may be redirected to"
        return f"{verb} {self.target}: {self.why}{others}{added}"


def describe_proposals(found: Sequence[ProposedRedirect]) -> str:
    """The first of the proposals for what is shown together, and how many there are; "" for none."""
    count = len({one.url for one in found})
    rest = f" ({count - 1:,} more: `sitemap-action redirects` has all)" if count > 1 else ""
    return f"{found[0].describe()}{rest}" if found else ""


class SiteShard(Struct, frozen=True):
    """One of `of`, counted from 1."""

    number: int
    of: int

    def owns(self, name: str) -> bool:
        """Whether this one looks at a URL, or at a file by its path."""
        return owner(name, self.of) == self.number

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def owner(name: str, of: int) -> int:
    """The number of the shard that a name belongs to."""
    return ((crc32(name.encode(errors="surrogatepass")) * _SPREAD & 0xFFFFFFFF) >> 8) % of + 1


def parse_shard(text: str) -> SiteShard | None:
    """The shard that `K/N` names; None for a text that names none."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    number, of = int(found[1]), int(found[2])
    return SiteShard(number, of) if 1 <= number <= of <= MOST else None
