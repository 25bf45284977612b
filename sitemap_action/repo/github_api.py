"""GitHub's API, REST and GraphQL: the token is sent to that server and to no other, redirects are not followed."""

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

from msgspec import Struct, msgpack

from sitemap_action.errors import UnreachableError
from sitemap_action.model.context import Forge

if TYPE_CHECKING:
    import httpx


JSON = "application/vnd.github+json"
_TIMEOUT = 20  # seconds
_MOST = 67_108_864  # bytes of one answer: more than a sitemap may have (SM-07)
_VERSION = "2022-11-28"
_HINT = "try again"

Transport: TypeAlias = "httpx.BaseTransport"


class ApiAnswer(Struct, frozen=True):
    """A response, whatever its status."""

    status: int
    media_type: str
    body: bytes
    limited: bool = False  # by a rate limit: a retry later is answered
    wait: float = 0  # seconds until then; 0 where the answer does not say

    def message(self) -> str:
        """GitHub's own words about a refusal, its list of errors included; "" for none."""
        found = self.json_or_none()
        if not isinstance(found, dict):
            return ""
        errors = found.get("errors")
        details = [_detail(error) for error in errors] if isinstance(errors, list) else []
        return "; ".join(filter(None, [_text(found.get("message")), *details]))

    def json_or_none(self) -> object:
        """The body as JSON; None when it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


def _detail(error: object) -> str:
    return _text(error.get("message")) or _text(error.get("code")) if isinstance(error, dict) else _text(error)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


class Api(Struct, frozen=True):
    """The API of one repository."""

    forge: Forge
    transport: "Transport | None" = None

    @property
    def name(self) -> str:
        return f"{self.forge.api} ({self.forge.repository})"

    def get(self, path: str, accept: str = JSON) -> ApiAnswer:
        """`path`: below the repository. Raises UnreachableError when no answer came."""
        return self._answer("GET", self._url(path), accept, None)

    def send(self, method: str, path: str, body: Mapping[str, object] | None = None) -> ApiAnswer:
        """A request that changes something below the repository. Raises as `get`: it may have been carried out."""
        return self._answer(method, self._url(path), JSON, body)

    def graphql(self, document: str, variables: Mapping[str, object]) -> ApiAnswer:
        """Raises as `get`."""
        url = (
            self.forge.graphql or f"{self.forge.api.removesuffix('/v3')}/graphql"
        )  # of an Enterprise Server: /api/graphql
        return self._answer("POST", url, JSON, {"query": document, "variables": variables})

    def _url(self, path: str) -> str:
        return f"{self.forge.api}/repos/{quote(self.forge.repository)}/{path}"

    def _answer(self, method: str, url: str, accept: str, body: Mapping[str, object] | None) -> ApiAnswer:
        if self.forge.relay is not None:  # only what reads: the process with the token publishes
            return msgpack.decode(self.forge.relay(url, accept), type=ApiAnswer)
        import httpx  # noqa: PLC0415 - few runs ask GitHub

        try:
            with (
                httpx.Client(timeout=_TIMEOUT, transport=self.transport) as client,
                client.stream(method, url, headers=self._headers(accept), json=body) as response,
            ):
                return ApiAnswer(
                    response.status_code,
                    _media_type(response.headers),
                    _body(response),
                    _is_limited(response),
                    _wait(response),
                )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise UnreachableError(f"{self.name} cannot be reached: {type(error).__name__}", hint=_HINT) from None

    def json(self, answer: ApiAnswer) -> object:
        """The body of a 200. Raises UnreachableError when it is no JSON."""
        if (found := answer.json_or_none()) is None:
            raise UnreachableError(f"{self.name} does not answer with JSON", hint=_HINT)
        return found

    def _headers(self, accept: str) -> dict[str, str]:
        return {"Accept": accept, "Authorization": f"Bearer {self.forge.token}", "X-GitHub-Api-Version": _VERSION}


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_limited(response: "httpx.Response") -> bool:
    """https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api: 429, or a 403 that says so."""
    exhausted = response.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in response.headers
    return response.status_code == 429 or (response.status_code == 403 and exhausted)


def _wait(response: "httpx.Response") -> float:
    """Seconds of Retry-After, or until the limit is reset."""
    after, reset = response.headers.get("retry-after", ""), response.headers.get("x-ratelimit-reset", "")
    if after.isascii() and after.isdigit():
        return float(after[:6])
    if response.headers.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdigit():
        return max(0.0, float(reset[:12]) - time.time())
    return 0.0


def _body(response: "httpx.Response") -> bytes:
    pieces, size = [], 0
    for piece in response.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > _MOST:
            raise UnreachableError(f"{response.url.path}: more than {_MOST:,} bytes", hint=_HINT)
    return b"".join(pieces)
