"""GitHub's REST API: the token is sent to that server and to no other, redirects are not followed."""

from collections.abc import Mapping
from urllib.parse import quote

import httpx
from msgspec import Struct

from sitemap_action.errors import UnreachableError
from sitemap_action.model.context import Forge

JSON = "application/vnd.github+json"
_TIMEOUT = 20  # seconds
_MOST = 67_108_864  # bytes of one answer: more than a sitemap may have (SM-07)
_VERSION = "2022-11-28"
_HINT = "try again"


class ApiAnswer(Struct, frozen=True):
    """A response, whatever its status."""

    status: int
    media_type: str
    body: bytes
    limited: bool = False  # by a rate limit: a retry later is answered


class Api(Struct, frozen=True):
    """The API of one repository."""

    forge: Forge
    transport: httpx.BaseTransport | None = None

    @property
    def name(self) -> str:
        return f"{self.forge.api} ({self.forge.repository})"

    def get(self, path: str, accept: str = JSON) -> ApiAnswer:
        """`path`: below the repository. Raises UnreachableError when no answer came."""
        url = f"{self.forge.api}/repos/{quote(self.forge.repository)}/{path}"
        try:
            with (
                httpx.Client(timeout=_TIMEOUT, transport=self.transport) as client,
                client.stream("GET", url, headers=self._headers(accept)) as response,
            ):
                media_type = _media_type(response.headers)
                return ApiAnswer(response.status_code, media_type, _body(response), _limited(response))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise UnreachableError(f"{self.name} cannot be reached: {type(error).__name__}", hint=_HINT) from None

    def json(self, answer: ApiAnswer) -> object:
        """The body of a 200. Raises UnreachableError when it is no JSON."""
        try:
            return httpx.Response(200, content=answer.body).json()
        except (ValueError, RecursionError):
            raise UnreachableError(f"{self.name} does not answer with JSON", hint=_HINT) from None

    def _headers(self, accept: str) -> dict[str, str]:
        return {"Accept": accept, "Authorization": f"Bearer {self.forge.token}", "X-GitHub-Api-Version": _VERSION}


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _limited(response: httpx.Response) -> bool:
    """https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api: 429, or a 403 that says so."""
    exhausted = response.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in response.headers
    return response.status_code == 429 or (response.status_code == 403 and exhausted)


def _body(response: httpx.Response) -> bytes:
    pieces, size = [], 0
    for piece in response.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > _MOST:
            raise UnreachableError(f"{response.url.path}: more than {_MOST:,} bytes", hint=_HINT)
    return b"".join(pieces)
