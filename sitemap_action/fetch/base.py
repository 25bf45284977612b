"""The port to pages: a fetcher takes a request and returns a response, or the reason why there is none.

The robots.txt of a host is fetched by it here: its rules, or why they are not known (RB-18…21). The options of HTTP
requests: headers, caps on bodies, and from the environment proxy and authorities.
"""

import re
from collections.abc import Coroutine, Mapping
from enum import StrEnum
from typing import NamedTuple, Protocol, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from sitemap_action import __version__
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import Access, SecretStruct
from sitemap_action.model.page import Page
from sitemap_action.model.source import RenderUse
from sitemap_action.model.wording import option, setting
from sitemap_action.robots.groups import RobotsStatus, robots_status
from sitemap_action.web.urls import origin

Headers: TypeAlias = tuple[tuple[str, str], ...]


class RequestKind(StrEnum):
    """What a request is for; sets caps, accepted types and redirect handling."""

    PAGE = "page"
    ROBOTS = "robots"  # follows redirects inline, five hops at most (RB-19)
    SITEMAP = "sitemap"  # the same
    PROBE = "probe"  # a random path: the answer of the host for a missing page (HTML-46)
    WAIT = "wait"  # waits for the marker of a deployment
    RESOURCE = "resource"  # what a page loads while a browser renders it: scripts, data


class Request(SecretStruct, frozen=True):
    """One URL to fetch, in normal form."""

    url: str
    kind: RequestKind = RequestKind.PAGE
    etag: str = ""  # validators of an earlier answer: the server may answer 304
    modified: str = ""
    headers: Headers = ()  # secrets: only the guard adds them (NET-12)


class RenderedPage(NamedTuple):
    """What a browser made of a document, or why it made nothing of it."""

    html: bytes = b""  # the document after its scripts, as UTF-8; b"" where there is none
    redirect: str = ""  # where a script went instead
    failure: str = ""
    refused: str = ""  # the first request of its scripts that was not answered, or the first error of one, as text
    milliseconds: int = 0  # 0 for one that an earlier run rendered
    unfinished: str = ""  # what it still waited for, as text: nothing is known of the page (G-01)
    screenshot: str = ""  # name of its file; "" without one


class Response(NamedTuple):
    """An HTTP answer. A redirect is one too: its `target` has not been fetched."""

    url: str
    status: int
    headers: Headers = ()  # names lower-case, repeated headers kept apart (HTML-12)
    body: bytes = b""
    target: str = ""
    path: str = ""  # the file that answered, relative to the build directory
    body_skipped: bool = False  # the body was not read: its media type is not one that is wanted
    hops: tuple[str, ...] = ()  # redirect targets that were followed inline; the last one answered
    seconds: float = 0.0  # until the first byte of the answer
    evidence: str = ""  # file and line of the host's rule that decided the answer of a build
    rendered: RenderedPage | None = None  # None where no browser was asked


REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SCHEME = lazy_re(r"\s*([a-z][a-z0-9+.-]{0,30}):", re.IGNORECASE)


def describe_status(answer: Response) -> str:
    """What an answer without a document is, as text; a redirect that leads to no address says why (R-44)."""
    if answer.status not in REDIRECTS or answer.target:
        return f"answered {answer.status}"
    location = next((value for name, value in answer.headers if name == "location"), "")
    scheme = _SCHEME.match(location)
    if scheme and scheme[1].lower() not in {"http", "https"}:
        return f"answered {answer.status} to a {scheme[1].lower()}: address, which is not followed"
    return f"answered {answer.status} without a Location that can be followed"


class Failure(StrEnum):
    """Why there is no usable answer."""

    REFUSED = "refused"  # by the guard or the address gate: nothing was sent
    DNS = "dns"
    NO_NAME = "no-name"  # the resolver says that the host name does not exist (NXDOMAIN)
    CONNECT = "connect"
    TLS = "tls"
    NO_TLS = "no-tls"  # what answers there does not speak it, or not as it is asked to
    TIMEOUT = "timeout"
    BROKEN = "broken"  # reset, cut short, not HTTP
    TOO_LARGE = "too-large"
    REDIRECTS = "redirects"  # too many, where they are followed inline
    BUSY = "busy"  # Retry-After is longer than allowed (NET-05)
    FILE = "file"  # a file of the build that cannot be read


class Skip(NamedTuple):
    """No usable answer: undetermined, never gone (HTML-40)."""

    url: str
    reason: str
    path: str = ""  # the file that could not be read, relative to the build directory
    failure: Failure = Failure.FILE


Answer: TypeAlias = Response | Skip
PendingAnswer: TypeAlias = Coroutine[object, object, Answer]
"""What `fetch` returns; a policy that adds nothing to a request returns the inner fetcher's."""


class Fetcher(Protocol):
    """A failed page is a value, never an exception."""

    def fetch(self, request: Request) -> PendingAnswer: ...


class Engine(Fetcher, Protocol):
    """A fetcher that holds connections until it is closed."""

    async def close(self) -> None: ...


_REACHED = "check that the server is up, and that the address is correct"
_REMEDIES = {
    Failure.REFUSED: "",  # its reason says what to do
    **dict.fromkeys((Failure.DNS, Failure.NO_NAME), "correct the address, or wait until its name is known"),
    Failure.CONNECT: _REACHED,
    Failure.NO_TLS: "where the server speaks plain HTTP, write http:// and not https://; else correct its TLS",
    Failure.TIMEOUT: "try again, or raise %s",
    Failure.BROKEN: "try again; if it stays so, see the log of the server",
    Failure.TOO_LARGE: "raise %s",
    Failure.BUSY: "wait as long as the server says, or lower %s",
}
_SETTINGS = {  # the key of the config that a remedy names
    Failure.TIMEOUT: "crawl.timeout",
    Failure.TOO_LARGE: "crawl.max-body",
    Failure.BUSY: "crawl.requests-per-second",
}
HOST_FAILURES = frozenset({Failure.DNS, Failure.NO_NAME, Failure.CONNECT, Failure.TLS, Failure.NO_TLS, Failure.REFUSED})
"""Failures that every request to the host has: no file is to blame."""

BROWSER = (
    "install Chromium (Debian: chromium-headless-shell), set browser: true in the action, "
    "or name the program in SITEMAP_ACTION_BROWSER"
)


def remedy(failure: Failure) -> str:
    """One sentence for a failed request, "" where its reason is enough."""
    if failure is Failure.TLS:
        return f"correct the certificate; for a server of your own, {option('tls-verify', 'false')} accepts any"
    text = _REMEDIES.get(failure, _REACHED)
    if failure not in _SETTINGS:
        return text
    named = setting(_SETTINGS[failure])
    return text % named if named else ""


def why_not_run(page: Page | None, use: RenderUse | None, *, never: bool) -> str:
    """Why the scripts of a page were not run, as text; `never`: the config renders nothing."""
    if never:
        return "which are not run here (render.when is never)"
    if use is None or use.failure:
        why = f" ({use.failure})" if use is not None else ""
        return f"which are not run here{why}: {BROWSER}"
    rendering = page.facts.rendering if page is not None and page.facts is not None else None
    return f"which could not be run ({rendering.failure})" if rendering is not None else "which were not run"


class RobotsAnswer(Struct, frozen=True):
    """The result of a request for a robots.txt."""

    url: str
    status: RobotsStatus
    body: bytes = b""  # the rules, at most 512,000 bytes (RB-18); b"" unless the status is PARSE
    reason: str = ""  # of any other status
    failure: Failure | None = None  # where nothing was answered


async def fetch_robots(fetcher: Fetcher, url: str) -> RobotsAnswer:
    """The robots.txt of the URL's scheme, host and port, by one request (RB-01, RB-22). Raises BadUrl."""
    address = f"{origin(url)}/robots.txt"
    answer = await fetcher.fetch(Request(address, RequestKind.ROBOTS))
    if isinstance(answer, Response):
        status = robots_status(answer.status)
        if status is RobotsStatus.PARSE:
            return RobotsAnswer(address, status, answer.body)
        return RobotsAnswer(address, status, reason=f"answers {answer.status}")
    if answer.failure is Failure.REDIRECTS:  # RB-19: the sixth redirect counts as 404
        return RobotsAnswer(address, RobotsStatus.ALLOW, reason=answer.reason)
    return RobotsAnswer(address, RobotsStatus.UNREACHABLE, reason=answer.reason, failure=answer.failure)


TOKEN = "sitemap-action"  # noqa: S105 - the product token of RFC 9309 (NET-01)
AGENT = f"sitemap-action/{__version__} (+https://pypi.org/project/sitemap-action/)"  # NET-01
MAX_ROBOTS = 512_001  # bytes: one more than those that count, by which a longer one is known (RB-18)
CONNECT_TIMEOUT = 10.0  # seconds until there is a connection
IDLE_TIMEOUT = 10  # seconds without a byte, then the request fails
MAX_HEADERS = 64 * 1024  # bytes of one answer (NET-11)
PRODUCTION_RATE = 10.0  # requests a second (NET-04)
MAX_SITEMAP = 50 * 1024 * 1024  # bytes of a sitemap document on the wire
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"


class HttpOptions(SecretStruct, frozen=True):
    """How one crawl, or one command, sends requests."""

    seed: str  # origin of the start page; alone receives the headers of `access` (NET-12)
    access: Access = Access()
    user_agent: str = AGENT
    accept_language: str = ""
    concurrency: int = 8
    rate: float | None = None  # requests a second on one host; None: no limit
    timeout: float = 20  # seconds, one request from first to last byte
    max_body: int = 15 * 1024 * 1024  # bytes of a page, on the wire and inflated
    max_sitemap: int = MAX_SITEMAP
    max_inflated: int = 200 * 1024 * 1024  # the same, inflated
    retries: int = 2
    backoff: float = 0.5  # seconds before the first retry, twice that before the next
    retry_after_max: float = 60  # seconds
    wanted: frozenset[str] = frozenset()  # media types of pages that are read; empty: all

    @property
    def private_seed(self) -> bool:
        """Whether the address of the seed may be private (NET-13)."""
        return self.access.private_origin in (None, self.seed)


def body_caps(options: HttpOptions) -> dict[RequestKind, tuple[int, int]]:
    """Bytes of one body, on the wire and inflated. A longer robots.txt is truncated, any other body is no answer."""
    return dict.fromkeys(RequestKind, (options.max_body, options.max_body)) | {
        RequestKind.ROBOTS: (options.max_body, MAX_ROBOTS),
        RequestKind.SITEMAP: (options.max_sitemap, options.max_inflated),
    }


def request_headers(request: Request, accept_language: str) -> Headers:
    """Headers of a request, without Host, User-Agent and Accept-Encoding."""
    return (
        ("Accept", _ACCEPT if request.kind in {RequestKind.PAGE, RequestKind.PROBE} else "*/*"),
        *((("Accept-Language", accept_language),) if accept_language else ()),
        *((("If-None-Match", request.etag),) if request.etag else ()),
        *((("If-Modified-Since", request.modified),) if request.modified else ()),
        *request.headers,
    )


class Proxies:
    """The proxy of a URL, from HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY (NET-12).

    Lower-case variables win, as in other programs. HTTP_PROXY counts as well: httpoxy concerns only CGI programs.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        def value(*names: str) -> str:
            return next((found for name in names if (found := environment.get(name, "").strip())), "")

        all_schemes = value("all_proxy", "ALL_PROXY")
        self._by_scheme = {
            "http": value("http_proxy", "HTTP_PROXY") or all_schemes,
            "https": value("https_proxy", "HTTPS_PROXY") or all_schemes,
        }
        names = [name.strip().lower() for name in value("no_proxy", "NO_PROXY").split(",")]
        self._direct = tuple(name.removeprefix("*").removeprefix(".") for name in names if name)
        self._unused = "*" in names or not any(self._by_scheme.values())

    def for_url(self, url: str) -> str:
        """The proxy's URL; "" for none."""
        if self._unused:
            return ""
        parts = urlsplit(url)
        host = parts.hostname or ""
        spellings = (host, f"{host}:{parts.port}")
        if any(name in spellings or host.endswith(f".{name}") for name in self._direct):
            return ""
        return self._by_scheme[parts.scheme]


def trust_store(environment: Mapping[str, str]) -> tuple[str, str]:
    """The certificate authorities that are trusted: those that the environment names, else certifi's (NET-14).

    Paths of a bundle and of a directory, "" for none.
    """
    files = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE")
    file = next((path for name in files if (path := environment.get(name, ""))), "")
    folder = environment.get("SSL_CERT_DIR", "")
    if not file and not folder:
        import certifi  # noqa: PLC0415 - only a run that connects needs it

        file = certifi.where()
    return file, folder
