"""GitHub's REST API, as far as a shallow clone needs it: a file at a commit, and where a branch began.

https://docs.github.com/en/rest/repos/contents, https://docs.github.com/en/rest/commits/commits
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import httpx

from sitemap_action.errors import BaselineError
from sitemap_action.model.context import Forge

_TIMEOUT = 20  # seconds
_MOST = 67_108_864  # bytes of one file: more than a sitemap may have (SM-07)
_VERSION = "2022-11-28"
_RAW, _JSON = "application/vnd.github.raw+json", "application/vnd.github+json"
_HINT = (
    "check out with fetch-depth: 0, give the token `contents: read`, or set baseline to git:REF, a path or committed"
)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    media_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class GitHub:
    """One repository, as a Remote."""

    forge: Forge
    transport: httpx.BaseTransport | None = None

    def has(self, commit: str) -> bool:
        """False too where nobody may look: of a private repository the answer is 404 without a word."""
        try:
            return self._get(f"git/commits/{commit}", _JSON).status == 200
        except BaselineError:
            return False

    def merge_base(self, base: str, head: str) -> str | None:
        answer = self._get(f"compare/{quote(base, safe='')}...{quote(head, safe='')}?per_page=1", _JSON)
        if answer.status == 404:
            return None
        match self._json(answer):
            case {"merge_base_commit": {"sha": str(found)}}:
                return found
            case _:
                raise BaselineError(f"{self._name}: the answer names no merge base", hint=_HINT)

    def blob(self, commit: str, path: str) -> bytes | None:
        """The commit is known to be there: 404 means that the file is not."""
        answer = self._get(f"contents/{quote(path)}?ref={commit}", _RAW)
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise BaselineError(f"{self._name}: {path} at {commit[:12]}: answers {answer.status}", hint=_HINT)
        if answer.media_type == "application/json":
            raise BaselineError(f"{path} is a folder at {commit[:12]}", hint="name a file: --sitemap, or sitemap")
        return answer.body

    @property
    def _name(self) -> str:
        return f"{self.forge.api} ({self.forge.repository})"

    def _json(self, answer: _Answer) -> object:
        if answer.status != 200:
            raise BaselineError(f"{self._name} answers {answer.status}", hint=_HINT)
        try:
            return httpx.Response(200, content=answer.body).json()
        except (ValueError, RecursionError):
            raise BaselineError(f"{self._name} answers no JSON", hint=_HINT) from None

    def _get(self, path: str, accept: str) -> _Answer:
        url = f"{self.forge.api}/repos/{quote(self.forge.repository)}/{path}"
        try:
            with (
                httpx.Client(timeout=_TIMEOUT, transport=self.transport) as client,
                client.stream("GET", url, headers=self._headers(accept)) as response,
            ):
                return _Answer(response.status_code, _media_type(response.headers), _body(response))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise BaselineError(f"{self._name} cannot be asked: {type(error).__name__}", hint=_HINT) from None

    def _headers(self, accept: str) -> dict[str, str]:
        return {"Accept": accept, "Authorization": f"Bearer {self.forge.token}", "X-GitHub-Api-Version": _VERSION}


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _body(response: httpx.Response) -> bytes:
    pieces, size = [], 0
    for piece in response.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > _MOST:
            raise BaselineError(f"{response.url.path}: more than {_MOST:,} bytes", hint=_HINT)
    return b"".join(pieces)
