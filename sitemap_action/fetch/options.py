"""Options of HTTP requests: headers, caps on bodies, and from the environment proxy and authorities."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from sitemap_action import __version__
from sitemap_action.fetch.base import Headers, Request, RequestKind
from sitemap_action.model.mask import Access, SecretStruct

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
