"""GitHub's API, REST and GraphQL: requests, what its refusals mean, and when to try again.

The token is sent to that server and to no other, redirects are not followed. The refusals of its git server are read
here, too: both say the same in their own words.
https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
"""

import json
import random
import re
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import quote

from msgspec import Struct, msgpack

from sitemap_action.errors import BaselineError, PublishError, UnreachableError
from sitemap_action.model.context import Forge
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.runner.event import text_at
from sitemap_action.web.printable import printable

if TYPE_CHECKING:
    import ssl

    import httpx

JSON = "application/vnd.github+json"
_TIMEOUT = 20  # seconds
_MOST = 67_108_864  # bytes of one answer: more than a sitemap may have (SM-07)
_VERSION = "2022-11-28"

Transport: TypeAlias = "httpx.BaseTransport"
SLEEP = time.sleep


def wait(seconds: float) -> None:
    SLEEP(seconds)


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
        rows = errors if isinstance(errors, list) else []
        details = (text_at(one, "message") or text_at(one, "code") or text_at(one) for one in rows)
        return "; ".join(filter(None, [text_at(found, "message"), *details]))

    def json_or_none(self) -> object:
        """The body as JSON; None when it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


class Api(Struct, frozen=True):
    """The API of one repository."""

    forge: Forge
    transport: "Transport | None" = None
    pause: "Pause" = wait

    @property
    def name(self) -> str:
        return f"{self.forge.api} ({self.forge.repository})"

    @property
    def place(self) -> dict[str, object]:
        """The repository as GraphQL asks for it."""
        owner, _, name = self.forge.repository.partition("/")
        return {"owner": owner, "name": name}

    def get(self, path: str, accept: str = JSON) -> ApiAnswer:
        """`path`: below the repository. A read is repeated. Raises UnreachableError when no answer came in the end."""
        return self._read(lambda: self._answer("GET", self._url(path), accept, None))

    def send(self, method: str, path: str, body: Mapping[str, object] | None = None) -> ApiAnswer:
        """A request that changes something below the repository, once.

        Raises TransientError when no answer came: it may have been carried out, which only another look can tell.
        """
        return self._answer(method, self._url(path), JSON, body)

    def query(self, document: str, variables: Mapping[str, object]) -> ApiAnswer:
        """GraphQL that reads: repeated, as `get` is."""
        body = {"query": document, "variables": variables}
        return self._read(lambda: self._answer("POST", self._graphql_url(), JSON, body))

    def _read(self, ask: Callable[[], ApiAnswer]) -> ApiAnswer:
        """Ask again while the server asks for patience, as `reconcile` does after a step that changes something."""
        if self.forge.relay is not None:  # the process that asks GitHub repeats it
            return ask()

        def attempt() -> ApiAnswer:
            answer = ask()
            if (seconds := patience(answer)) is not None:
                raise TransientError(f"{self.name}: {_name_trouble(answer)}", wait=seconds)
            return answer

        try:
            return reconcile(attempt, pause=self.pause)
        except TransientError as error:
            raise UnreachableError(str(error), hint=error.hint) from None

    def mutate(self, document: str, variables: Mapping[str, object]) -> ApiAnswer:
        """GraphQL that changes something, once. Raises as `send`."""
        return self._answer("POST", self._graphql_url(), JSON, {"query": document, "variables": variables})

    def _graphql_url(self) -> str:
        """That of an Enterprise Server is /api/graphql."""
        return self.forge.graphql or f"{self.forge.api.removesuffix('/v3')}/graphql"

    def _url(self, path: str) -> str:
        return f"{self.forge.api}/repos/{quote(self.forge.repository)}/{path}"

    def _answer(self, method: str, url: str, accept: str, body: Mapping[str, object] | None) -> ApiAnswer:
        if self.forge.relay is not None:  # only what reads: the process with the token publishes
            return msgpack.decode(self.forge.relay(url, accept), type=ApiAnswer)
        import httpx  # noqa: PLC0415 - few runs ask GitHub

        bearer = f"Bearer {self.forge.token}"
        headers = {"Accept": accept, "Authorization": bearer, "X-GitHub-Api-Version": _VERSION}
        try:
            with (
                httpx.Client(timeout=_TIMEOUT, transport=self.transport, verify=_authorities()) as client,
                client.stream(method, url, headers=headers, json=body) as response,
            ):
                return ApiAnswer(
                    response.status_code,
                    response.headers.get("content-type", "").partition(";")[0].strip().lower(),
                    _body(response),
                    _is_limited(response),
                    _wait(response),
                )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise TransientError(f"{self.name} cannot be reached: {type(error).__name__}") from None

    def json(self, answer: ApiAnswer) -> object:
        """The body of a 200. Raises UnreachableError when it is no JSON."""
        if (found := answer.json_or_none()) is None:
            raise UnreachableError(f"{self.name} does not answer with JSON", hint="try again")
        return found


@cache
def _authorities() -> "ssl.SSLContext":
    """Read once: a client reads the whole list otherwise, for each request."""
    import httpx  # noqa: PLC0415 - few runs ask GitHub

    return httpx.create_ssl_context()


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
            raise TransientError(f"{response.url.path}: more than {_MOST:,} bytes")
    return b"".join(pieces)


_LONGEST_WORDS = 300  # characters of a server's own words
_MINUTE = 60.0  # seconds, of a secondary limit that names no time
_WRITE = (
    "give the job `permissions:` `contents: write`, for pull requests and comments `pull-requests: write` too; on a "
    "fork's pull request the token can only read"
)
_ACTIONS = (
    "allow it in the settings of the repository and of its organization, where the stricter one holds: Actions, "
    "General, Workflow permissions, `Allow GitHub Actions to create and approve pull requests`; or give the token of a "
    "GitHub App"
)
_BY_STATUS = {
    401: "give the action a token that is accepted: this one has expired, was revoked, or is of another server",
    403: _WRITE,
    404: "correct the branch; a token that may not see the repository gets the same answer",
}
_REDIRECT = "the address of the repository has changed: no redirect is followed with a token"


def remedy(status: int) -> str:
    """What to do about a status; "" where that alone does not say."""
    return _REDIRECT if 300 <= status < 400 else _BY_STATUS.get(status, "")


_AGAIN = "run the job again: what is already done is not done twice"

# The texts of GitHub and git by which a refusal is known, where neither a status nor a documented field tells it.
# Protection: https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository
# Limits: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api (a 403 without a header)
# git: `git help push` (--porcelain), http.c and remote-curl.c of git 2.31 to 2.50
_TEXTS = {
    "secondary rate limit|is at .{0,200} but expected": _AGAIN,
    "not permitted to create or approve pull requests": _ACTIONS,
    "GH006|protected branch": (
        "use mode pull-request, or give the token of a GitHub App that the protection of the branch lets push"
    ),
    "GH013|repository rule violations|ruleset|changes must be made through a pull request": (
        "use mode pull-request, or give the token of a GitHub App that the ruleset lets bypass it"
    ),
    "resource not accessible|must have push access|not authorized|write access|permission": _WRITE,
    "archived|read-only": "the repository takes no changes",
    "hook declined": "a rule of the server refuses the push: follow it, or use mode pull-request",
    "could not read (?:username|password)|authentication failed": _BY_STATUS[401],
    "repository(?: '[^']{0,300}')? not found": _BY_STATUS[404],
    "certificate": "give the certificate authority of the server: GIT_SSL_CAINFO or SSL_CERT_FILE",
}
Pause = Callable[[float], None]
TRIES = 6
_LONGEST_PAUSE = 60.0  # seconds of one pause: a rate limit that takes longer is left to the next run
FIRST = 1.0  # seconds of the first pause, about
_GIT_STATUS = lazy_re(r"(?:returned error:|HTTP) ([1-5][0-9][0-9])\b")
_GIT_ADDRESS = lazy_re(r"'[a-z]+://[^']*'")
_GIT_REJECTED = lazy_re(r"^!\t[^\t]*\t\[(?:remote )?rejected\] \((.*)\)$", re.MULTILINE)


class TransientError(PublishError):
    """No answer, or one that asks for patience: the request may be made again, and may have been carried out."""

    def __init__(self, message: str, *, wait: float = 0, hint: str = _AGAIN) -> None:
        super().__init__(message, hint=hint)
        self.wait = wait


def patience(answer: ApiAnswer) -> float | None:
    """Seconds that an answer asks for, 0 where it does not say; None where it needs none."""
    if answer.status >= 500 or answer.limited:
        return answer.wait
    if answer.status == 403 and _find_remedy(answer.message()) is _AGAIN:  # a secondary limit
        return answer.wait or _MINUTE
    match answer.json_or_none() if answer.status == 200 and answer.body[:10].find(b"errors") >= 0 else None:
        case {"errors": [{"type": "RATE_LIMITED"}, *_]}:
            return answer.wait
    return None


def _name_trouble(answer: ApiAnswer) -> str:
    said = answer.message()
    why = "an outage" if answer.status >= 500 else "a rate limit"
    return f"answers {answer.status}, {why}{f': {_shorten(said)}' if said else ''}"


def require_done(api: Api, answer: ApiAnswer, what: str) -> None:
    """Raises TransientError, or PublishError with the remedy, unless the request was carried out."""
    if 200 <= answer.status < 300:
        return
    said = answer.message()
    if (seconds := patience(answer)) is not None:
        raise TransientError(f"{api.name}: {what}: {_name_trouble(answer)}", wait=seconds)
    raise _refusal(f"{api.name}: {what}: answers {answer.status}", said, remedy(answer.status))


def require_data(api: Api, answer: ApiAnswer, what: str) -> Mapping[str, object]:
    """The data of a GraphQL answer, which states errors in a 200. Raises as `require_done`.

    https://docs.github.com/en/graphql/overview/rate-limits-and-node-limits-for-the-graphql-api
    """
    require_done(api, answer, what)
    match answer.json_or_none():
        case {"errors": [{"message": str(said), **details}, *_]}:
            remedy = _find_remedy(said)
            unknown = not details.get("type") and not remedy  # such as a query that took too long
            if unknown or remedy is _AGAIN or details.get("type") in ("STALE_DATA", "RATE_LIMITED"):
                raise TransientError(f"{api.name}: {what}: {said}", wait=answer.wait)
            raise _refusal(f"{api.name}: {what} is refused", said)
        case {"data": dict(data)}:
            return data
        case _:
            raise TransientError(f"{api.name}: {what}: the answer cannot be read")


def text_of(api: Api, what: str, found: object, *keys: str) -> str:
    """The text of an answer below these keys. Raises TransientError where it has none."""
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(found, str):
        raise TransientError(f"{api.name}: {what}: the answer cannot be read")
    return found


def git_failure(what: str, status: int, output: str, errors: str) -> PublishError:
    """What a git command that was to reach a server comes to; where nothing tells a refusal, it is tried again."""
    if status < 0:
        return TransientError(f"{what}: no answer in time")
    lines = (line.removeprefix("remote:").strip() for line in errors.splitlines() if line.startswith("remote:"))
    said = " ".join(filter(None, lines))
    rejected, answered = _GIT_REJECTED.search(output), _GIT_STATUS.search(errors)
    if answered and not rejected:
        code = int(answered[1])
        limited = code == 403 and (not said or _find_remedy(said) is _AGAIN)  # a refusal says which permission lacks
        if code >= 500 or code in (408, 429) or limited:
            return TransientError(f"{what}: answers {code}", hint=remedy(code) or _AGAIN)
        return _refusal(f"{what}: answers {code}", said, remedy(code))
    said = "; ".join(filter(None, (said, rejected[1] if rejected else "")))
    said = said or (errors.strip().splitlines() or ["no answer"])[-1].strip()
    if _find_remedy(_GIT_ADDRESS.sub("''", said)) in ("", _AGAIN):  # a repository may be called "ruleset"
        return TransientError(f"{what}: {_shorten(said)}")
    return _refusal(f"{what}: {'rejected' if rejected else 'failed'}", said)


def _find_remedy(message: str) -> str:
    """What the server's own words ask for; "" for words that are not known."""
    found = (remedy for words, remedy in _TEXTS.items() if re.search(words, message, re.IGNORECASE))
    return next(found, "")


def _refusal(what: str, message: str, remedy: str = "") -> PublishError:
    said = f": {_shorten(message)}" if message else ""
    return PublishError(
        f"{what}{said}",
        hint=_find_remedy(message) or remedy or "follow that answer; what is already done is not done twice",
    )


def _shorten(message: str) -> str:
    return printable(" ".join(message.split()))[:_LONGEST_WORDS].rstrip(".")


_T = TypeVar("_T")


def reconcile(attempt: Callable[[], _T], *, tries: int = TRIES, pause: Pause = wait) -> _T:
    """What `attempt` returns, made again while the server asks for patience; raises PublishError.

    An attempt looks at what is there before it changes anything, so that what an unanswered step did is found.
    """
    for number in range(tries):
        try:
            return attempt()
        except TransientError as error:
            if number == tries - 1 or error.wait > _LONGEST_PAUSE:
                raise
            pause(error.wait or backoff(number))
        except (BaselineError, UnreachableError) as error:  # of what is read, which was repeated already
            raise PublishError(str(error), hint=error.hint) from None
    raise AssertionError


def backoff(number: int) -> float:
    """Seconds before the next try: doubling, with jitter, so that two runs do not meet again."""
    return random.uniform(0.5, 1.0) * FIRST * float(min(2**number, 8))  # noqa: S311 - no secret
