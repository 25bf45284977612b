"""A known URL with the facts of its document, or the reason why there are none."""

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

_PERMANENT = frozenset({301, 308})


class Directive(NamedTuple):
    """One robots directive of a page or its headers (HTML-01…13)."""

    agent: str  # lower case; "" applies to every robot
    rule: str  # lower case: "noindex", "unavailable_after"
    value: str  # text after the rule's colon, "" without one
    source: str  # "meta" or "header"


class RobotsLine(NamedTuple):
    """What robots.txt says to one agent; `line` is 0 where no line decides."""

    agent: str
    allowed: bool
    line: int = 0
    rule: str = ""  # as written

    def words(self, what: str = "") -> str:
        """Of a line that blocks. `what`: the name of the URL, where the text around does not say it."""
        return f"line {self.line} blocks {self.agent}{f' from {what}' if what else ''}: {self.rule}"

    def sentence(self, what: str = "") -> str:
        return f"robots.txt {self.words(what)}"


class Canonical(NamedTuple):
    """One rel=canonical as found (HTML-20…27)."""

    href: str  # as written
    url: str  # resolved against the document base; "" when it does not resolve
    source: str  # "link" or "header"
    ignored: str  # why it does not count, as text: "after <img>", "file: URL"; "" when it counts
    conditional: bool = False  # ignored, for it is for some readers only (HTML-22)


class Refresh(NamedTuple):
    """A meta or header refresh that redirects to another URL (HTML-42)."""

    seconds: int
    url: str


class Alternate(NamedTuple):
    """One language version of a page: hreflang value as written, absolute URL."""

    hreflang: str
    url: str


class PageDate(NamedTuple):
    """One date that a page states about itself."""

    source: str  # "article:modified_time", "dateModified", "time", "last-modified"
    value: str  # as written


class PageVideo(NamedTuple):
    """A video that a page states; "" for what it does not state."""

    thumbnail: str = ""  # URLs in normal form
    title: str = ""
    description: str = ""
    content: str = ""  # URL of the media file
    player: str = ""
    duration: str = ""  # seconds
    published: str = ""  # dates as written
    expires: str = ""


class PageArticle(NamedTuple):
    """The article that a page states to be."""

    published: str  # as written
    title: str


class Head(NamedTuple):
    """What one document, with its headers, says about itself, where a script may change it (HTML-72)."""

    title: str = ""
    directives: tuple[Directive, ...] = ()
    canonicals: tuple[Canonical, ...] = ()
    alternates: tuple[Alternate, ...] = ()
    header_alternates: int = 0  # how many of `alternates`, the first, are of Link headers (HL-09)
    og_url: str = ""  # the address that the page has on social networks; "" without one
    markdown: tuple[str, ...] = ()  # URLs of its Markdown twins (AGT-02)

    @property
    def versions(self) -> tuple[str, ...]:
        """The language versions as text, sorted: to be compared with those of another head."""
        return tuple(sorted({f"{one.hreflang.lower()} {one.url}" for one in self.alternates}))


class PageMedia(NamedTuple):
    """What a page shows beside its text, for the extensions of its entry."""

    images: tuple[str, ...] = ()  # absolute URLs: img[src], first srcset candidate, og:image (HTML-67)
    videos: tuple[PageVideo, ...] = ()
    articles: tuple[PageArticle, ...] = ()  # at most one


class LinkCounts(NamedTuple):
    """The links of a page that a report counts; the links themselves are edges of the crawl."""

    urls: int = 0  # that the document links to, of any site
    hash_routes: int = 0  # that only a script can follow: #/… and #! (HTML-64)
    other_spellings: tuple[tuple[str, int], ...] = ()  # (another spelling of the site's origin, links to it) (URL-28)
    absolute: tuple[str, ...] = ()  # some of the addresses that links write with their host (URL-35)


class ShellKind(StrEnum):
    """Why a document may be one that scripts build (HTML-70). All but the first two are evidence of it."""

    SHORT = "short"  # a hint alone: the document may be complete
    SCANT = "shell-scant"  # few words and an element for a script to fill: it is rendered, and may be complete
    STRUCTURE = "shell-structure"  # an empty root element, or many scripts and few elements
    NOTICE = "shell-notice"  # it shows a loading notice and nothing else
    NOTHING = "shell-nothing"  # no word, link or image


_HINTS = frozenset({ShellKind.SHORT, ShellKind.SCANT})


class Shell(NamedTuple):
    """A document that scripts seem to build, and the clause of HTML-70 that says so, as text."""

    kind: ShellKind
    clause: str
    key: str = ""  # of the config, which changes that (G-06)

    @property
    def sentence(self) -> str:
        """The clause with its key."""
        return f"{self.clause} ({self.key})" if self.key else self.clause


class ShellThresholds(Struct, frozen=True):
    """What makes a document a shell (HTML-70), with the names of `render.detect`."""

    content_length: int = 200  # characters of HTML
    child_nodes: int = 5
    script_count: int = 10
    content_per_script: int = 1000  # characters of HTML
    roots: tuple[str, ...] = ("#root", "#__next", "#app")
    loading: tuple[str, ...] = ("loading", "spinner")
    words: int = 50

    @property
    def after_scripts(self) -> "ShellThresholds":
        """The thresholds for a rendered document: only what is seen of it tells whether something is missing."""
        return replace(self, content_length=0, child_nodes=0, roots=())


DEFAULT_THRESHOLDS = ShellThresholds()


class Soft404(StrEnum):
    """Signals of one document that it is an error page in spite of status 200 (HTML-45), as text."""

    TITLE = "a title for missing pages"
    FEW_WORDS = "few words"
    CANONICAL = "canonical leads home"  # depends on the location of the home page, and so on `source.mount`


class DocumentSummary(NamedTuple):
    """What one document of a page states, to be compared with the other one."""

    title: str
    canonical: str  # the first that counts; "" without one
    robots: tuple[str, ...]  # the effects of its directives
    links: int
    words: int  # of its first KiB of main text

    def values(self) -> tuple[tuple[str, str], ...]:
        """(name, value as text, "" for none)."""
        counts = (("links", f"{self.links:,}"), ("words", f"{self.words:,}"))
        return (("title", self.title), ("canonical", self.canonical), ("robots", ", ".join(self.robots)), *counts)


class Rendering(NamedTuple):
    """What a browser made of a page. The facts of the page are then of both documents, served and rendered."""

    served: Head
    rendered: Head | None = None  # None where a script went to another page, or there is no rendered document
    shell: Shell | None = None  # why the served document is taken for client-rendered; None for any other (HTML-70)
    served_key: str = ""  # of the served document (`html.soft404.document_key`)
    redirect: str = ""  # the URL that a script went to
    failure: str = ""  # why there is no rendered document, as text: the facts are of the served one alone
    milliseconds: int = 0  # that the browser took; 0 for a document of an earlier run
    links: tuple[int, int] = (0, 0)  # that the served and the rendered document have
    words: tuple[int, int] = (0, 0)  # of both (`Facts.words`)
    screenshot: str = ""  # name of the file; "" without one


class Facts(NamedTuple):
    """Everything extracted from one document's bytes, headers and URL (spec section 4).

    Media, dates and fingerprint are empty unless requested (`html.document.OptionalFacts`); a page
    with few words, or with a title of an error page, always has a fingerprint.
    """

    base: str = ""  # document base URL (HTML-61)
    size: int = 0  # bytes of the body, uncompressed
    digest: str = ""  # of the body's bytes
    fingerprint: str = ""  # of main text, links and JSON-LD, volatile parts left out (DIFF-31)
    head: Head = Head()
    refresh: Refresh | None = None
    dates: tuple[PageDate, ...] = ()
    media: PageMedia = PageMedia()
    links: LinkCounts = LinkCounts()
    words: int = 0  # of the first 1,024 bytes of main text: enough to detect an empty page
    soft404: tuple[Soft404, ...] = ()  # signals of this document alone (HTML-45)
    shell: Shell | None = None  # why the page is taken for client-rendered; None for any other (HTML-70)
    script_redirect: str = ""  # a redirect in an inline script of an otherwise empty page, as written (HTML-47)
    blocked_resources: tuple[str, ...] = ()  # scripts and style sheets that robots.txt disallows (RB-36)
    rendering: Rendering | None = None  # None where no browser was asked

    @property
    def needs_scripts(self) -> bool:
        """Whether scripts build the document, by its structure; a page that is merely short is complete (HTML-70)."""
        return self.shell is not None and self.shell.kind not in _HINTS

    @property
    def may_need_scripts(self) -> bool:
        """Whether a browser is asked, where there is one."""
        return self.shell is not None and self.shell.kind is not ShellKind.SHORT


class PageKind(StrEnum):
    """Classes of responses that a sitemap distinguishes."""

    PAGE = "page"  # an HTML document
    FILE = "file"  # another listable type such as PDF
    REDIRECT = "redirect"
    GONE = "gone"  # 404, 410, 204, no file
    UNDETERMINED = "undetermined"  # no usable response (HTML-40, NET-07)
    FOREIGN = "foreign"  # never fetched: listed, but not below site-url (URL-28), or a URL that no sitemap can list


class Page(NamedTuple):
    """One known URL of the site."""

    url: str  # in safe normal form, below site-url
    kind: PageKind
    status: int = 0  # HTTP status; 0 without a response
    target: str = ""  # of a redirect; of a foreign URL, the same path below site-url
    media_type: str = ""
    reason: str = ""  # why there is no document, as text, where the status does not imply it
    path: str = ""  # the file in a build directory, relative to it
    twin: str = ""  # the URL of the same file that is listed instead
    unlisted: str = ""  # why the host does not list this file, as text: "error page" (HOST-04)
    depth: int = 0
    inlinks: int = 0  # links from other pages of the site that may be followed
    transient: bool = False  # there is no usable answer for a reason that may pass: 5xx, a time-out, a reset
    found_on: str = ""  # first referrer; "" for start pages and files of a folder
    same_document: str = ""  # another URL that answers with the same document, where nothing prefers one (URL-21)
    facts: Facts | None = None
    evidence: str = ""  # file and line of the host's rule that decided the answer: "_redirects line 12"

    @property
    def permanent(self) -> bool:
        """Whether a redirect is said to hold for ever (HTML-41)."""
        return self.status in _PERMANENT

    @property
    def destination(self) -> str:
        """The URL that it redirects to, by its answer or by its document; "" for none."""
        if self.kind is PageKind.REDIRECT:
            return self.target
        refresh = None if self.facts is None else self.facts.refresh
        return "" if refresh is None or refresh.url == self.url else refresh.url

    @property
    def needs_scripts(self) -> bool:
        """Whether only scripts make a page of the document (HTML-70)."""
        return self.facts is not None and self.facts.needs_scripts
