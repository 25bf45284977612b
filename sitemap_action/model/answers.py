"""What `explain` answers about one URL of the site, and about the address or file of a sitemap."""

from typing import NamedTuple

from msgspec import Struct

from sitemap_action.model.finding import Place
from sitemap_action.model.page import DocumentSummary, Facts, Page, PageKind, RobotsLine
from sitemap_action.model.site import Absent, Listed, Verdict
from sitemap_action.model.sitemap import DocumentKind


class AnsweredHop(NamedTuple):
    """One redirect on the way of the URL."""

    url: str
    status: int
    to: str


class PageRendering(NamedTuple):
    """What a browser made of the page."""

    shell: str  # the clause that classifies the served document as client-rendered; "" for any other (HTML-70)
    rendered: bool
    browser: str = ""  # its name and version, where it rendered the page now
    reason: str = ""  # why it was not rendered
    documents: tuple[DocumentSummary, ...] = ()  # as served, and as rendered; none of a page that has one alone
    screenshot: str = ""  # path of the file; "" without one


class SeenAround(Struct, frozen=True):
    """What the files or answers themselves show, beside the inventory."""

    file: str = ""  # of the page, as the user would name it
    directive_line: int = 0  # of the first noindex in the document
    canonical_line: int = 0
    referrer: str = ""  # the first page that links to it
    place: Place = Place("")  # of that link
    headers: tuple[tuple[str, str], ...] = ()  # of the last answer, those that matter
    robots: str = "robots.txt"  # the file or address whose lines are cited
    no_robots: str = ""  # why there are none, as a sentence
    links_known: bool = True  # whether the pages that could link to it were read
    blocker: str = ""  # what gives access, where a login or a firewall answers
    not_read: tuple[str, ...] = ()  # what the answer does not know, as sentences
    rendering: PageRendering | None = None  # of a page that scripts build, or that was rendered
    other_base: str = ""  # that the site states another base than site-url, as a sentence (URL-35)


class UrlAnswer(Struct, frozen=True):
    """Why a URL is, or is not, in the sitemap."""

    verdict: Verdict
    outside: str = ""  # of a URL that is not below site-url, as text
    place: str = ""  # file and line of what decides: in a document, or in the config
    found_on: str = ""  # the first page that links to it, else its file
    links: int | None = 0  # pages that link to it; None where they were not read
    seen: SeenAround = SeenAround()
    hops: tuple[AnsweredHop, ...] = ()
    last: Page = Page("", PageKind.UNDETERMINED)  # where the hops end
    robots: tuple[RobotsLine, ...] = ()
    config: str = ""  # the option that decides, with its file and line
    committed: Place | None = None  # its entry; line 0 where only an index is known to have it, in one of its files
    baseline: Place | None = None
    judged: str = ""  # path of the judged sitemap; "" where there is none
    compared: str = ""  # name of the baseline; "" where it is the judged sitemap, or there is none
    near: tuple[str, ...] = ()
    redirected_from: tuple[str, ...] = ()  # pages that redirect to it

    @property
    def page(self) -> Page:
        return self.verdict.page

    @property
    def facts(self) -> Facts:
        return self.page.facts or Facts()

    @property
    def absent(self) -> Absent | None:
        """Why it is not listed; None where it is."""
        return self.verdict if isinstance(self.verdict, Absent) else None

    @property
    def detail(self) -> str:
        return self.verdict.keep_reason if isinstance(self.verdict, Listed) else self.verdict.detail

    @property
    def host(self) -> str:
        """The rule of the static host that decides the answer."""
        return self.page.evidence or self.page.unlisted


class SitemapContent(Struct, frozen=True):
    """What the bytes of one document are."""

    kind: DocumentKind
    entries: int = 0  # of an index, its sitemaps
    encoding: str = ""
    compressed: bool = False  # with gzip, whatever the headers say
    bytes: int = 0  # of the document as it is stored or sent, without a Content-Encoding
    inflated: int = 0  # without compression
    damage: str = ""  # why it could not be read to its end, with the line
    errors: int = 0
    warnings: int = 0
    first: str = ""  # the first error, else the first warning, with its rule and line


class SitemapAnswer(Struct, frozen=True):
    """Why a sitemap can, or cannot, be fetched and read."""

    address: str  # URL or path
    hops: tuple[AnsweredHop, ...] = ()
    status: int = 0  # of the last answer; 0 without one, and for a file
    failure: str = ""  # why there is no answer, or none that counts
    remedy: str = ""
    media_type: str = ""
    coding: str = ""  # Content-Encoding
    transferred: int = 0  # Content-Length of a coded body
    content: SitemapContent | None = None  # None where there is no document
    robots_name: str = ""
    robots: tuple[RobotsLine, ...] = ()
    no_robots: str = ""  # why there are no rules
    named: tuple[Place, ...] = ()  # lines of a robots.txt or an index
    not_read: tuple[str, ...] = ()

    @property
    def first_disallowed(self) -> RobotsLine | None:
        return next((one for one in self.robots if not one.allowed), None)
