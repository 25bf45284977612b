"""The robots.txt of a host over HTTP: the one document that follows redirects where it is asked for (RB-19…21)."""

import httpx

from sitemap_action import __version__
from sitemap_action.errors import UnreachableError, UsageError
from sitemap_action.web.robots import Reading, reading
from sitemap_action.web.urls import BadUrl, origin

MAX_BYTES = 512_000  # RB-18: what lies behind is not read
_TIMEOUT = 20  # seconds, one request
_MAX_REDIRECTS = 5
_AGENT = f"sitemap-action/{__version__}"


def fetch(url: str, *, transport: httpx.BaseTransport | None = None) -> bytes:
    """The rules of the URL's host; b"" where there are none (RB-20).

    Raises UnreachableError where nobody knows (RB-21).
    """
    address = _address(url)
    try:
        with (
            httpx.Client(
                transport=transport,
                timeout=_TIMEOUT,
                follow_redirects=True,
                max_redirects=_MAX_REDIRECTS,
                headers={"user-agent": _AGENT},
            ) as client,
            client.stream("GET", address) as response,
        ):
            status, body = response.status_code, _read(response)
    except httpx.TooManyRedirects:
        return b""  # RB-19: the sixth redirect counts as 404
    except httpx.HTTPError as error:
        raise _unreachable(address, f"{type(error).__name__}: {error}") from None
    match reading(status):
        case Reading.PARSE:
            return body
        case Reading.ALLOW:
            return b""
        case Reading.UNREACHABLE:
            raise _unreachable(address, f"answers {status}")


def _address(url: str) -> str:
    """One file for a scheme, host and port, whatever page of it is named (RB-01)."""
    try:
        return f"{origin(url)}/robots.txt"
    except BadUrl as error:
        raise UsageError(f"this is no URL to ask: {error}") from None


def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > MAX_BYTES:
            break
    return bytes(body)


def _unreachable(url: str, why: str) -> UnreachableError:
    hint = "a robots.txt that cannot be read forbids everything until it can; try again, or name a file"
    return UnreachableError(f"{url}: {why}", hint=hint)
