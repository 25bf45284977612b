"""What a fetcher is told once for all its requests, and the caps that follow from it."""

import re
from dataclasses import dataclass, field

from sitemap_action import __version__
from sitemap_action.config.crawling import HttpEngine
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Want

TOKEN = "sitemap-action"  # noqa: S105 - the product token of RFC 9309 (NET-01)
AGENT = f"sitemap-action/{__version__} (+https://pypi.org/project/sitemap-action/)"  # NET-01
MAX_ROBOTS = 512_000  # RB-18: what lies behind is not read
CONNECT = 10.0  # seconds until there is a connection
SILENCE = 10  # seconds without a byte
MAX_HEADERS = 64 * 1024  # bytes of one answer (NET-11)
_HEADER = re.compile(r"([!#$%&'*+.^_`|~\w-]+):[ \t]*([\x20-\x7e\t\x80-\U0010ffff]*)", re.ASCII)

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Everything that config and inputs say about requests."""

    seed: str  # origin that the user typed; may lie on a private address, and alone receives `headers` (NET-12, NET-13)
    user_agent: str = AGENT
    accept_language: str = ""
    concurrency: int = 8
    rate: float | None = None  # requests a second on one host; None: no limit
    timeout: float = 20  # seconds, one request from first to last byte
    max_body: int = 15 * 1024 * 1024  # bytes of a page, on the wire and inflated
    max_sitemap: int = 50 * 1024 * 1024  # bytes of a sitemap document on the wire
    max_inflated: int = 200 * 1024 * 1024  # the same, inflated
    retries: int = 2
    backoff: float = 0.5  # seconds before the first retry, twice that before the next
    retry_after_max: float = 60  # seconds
    tls_verify: bool = True
    allow_private_hosts: tuple[str, ...] = ()  # host names, addresses, networks
    headers: Headers = field(default=(), repr=False)  # secrets
    wanted: frozenset[str] = frozenset()  # media types of pages that are read; empty: all
    engine: HttpEngine = HttpEngine.AUTO


@dataclass(frozen=True, slots=True)
class Cap:
    """Bytes of one body; where `cut` is set the rest is left, else a longer body is no answer."""

    wire: int
    inflated: int
    cut: bool = False


def caps(options: HttpOptions) -> dict[Want, Cap]:
    page = Cap(options.max_body, options.max_body)
    robots = Cap(options.max_body, MAX_ROBOTS, cut=True)
    return dict.fromkeys(Want, page) | {
        Want.ROBOTS: robots,
        Want.SITEMAP: Cap(options.max_sitemap, options.max_inflated),
    }


def secret_headers(lines: str) -> Headers:
    """The `headers` input: one `Name: value` a line. Raises UsageError, which never shows a value."""
    found = []
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip():
            continue
        if (match := _HEADER.fullmatch(line.strip())) is None:
            raise UsageError(f"headers, line {number}: not `Name: value`", hint="write one header a line")
        found.append((match[1], match[2]))
    return tuple(found)
