"""What a page of the browser requests: what becomes of each request, what is open, and what several pages share."""

import time
from asyncio import Event, Task
from collections import Counter
from collections.abc import Callable, Collection
from enum import Enum, auto
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct, field

from sitemap_action.fetch.base import (
    Answer,
    Failure,
    Fetcher,
    Headers,
    RenderedPage,
    Request,
    RequestKind,
    Response,
    Skip,
)
from sitemap_action.web import urls
from sitemap_action.web.headers import content_type
from sitemap_action.web.media import HTML_TYPES
from sitemap_action.web.printable import printable

MAX_REQUESTS = 300  # of one page
MAX_BYTES = 64 << 20  # of one page
_KEPT = 64 << 20  # bytes of answers that pages share
_LOADED = frozenset({"Script", "XHR", "Fetch", "EventSource", "Preflight", "Manifest", "Other"})
_USED = frozenset({"Script", "XHR", "Fetch"})
_DATA = frozenset({"XHR", "Fetch"})
_NO_ANSWER = frozenset({Failure.DNS, Failure.CONNECT, Failure.TIMEOUT, Failure.BROKEN, Failure.BUSY})
_POLL = 3  # answers
STREAM = 10  # seconds that a request is waited for which may have no end
_OF_DOCUMENT = ("content-type", "location", "content-security-policy")
_KEPT_BACK = frozenset(
    """
    set-cookie content-length content-encoding transfer-encoding connection keep-alive link refresh
    strict-transport-security clear-site-data alt-svc nel report-to reporting-endpoints
    """.split()  # noqa: SIM905 - as text it is easier to read
)


class Verdict(Enum):
    """What becomes of a request."""

    DOCUMENT = auto()  # the page itself
    LEAVES = auto()  # a script goes to another page
    EMPTY = auto()  # an empty style sheet
    LOAD = auto()
    REFUSE = auto()


class BrowserRequest(NamedTuple):
    """A request that the browser waits with."""

    id: str
    url: str
    method: str
    type: str
    frame: str
    headers: dict[str, str]
    redirected: bool

    @property
    def path(self) -> str:
        return self.url.partition("?")[0]

    @classmethod
    def from_event(cls, params: dict[str, Any]) -> "BrowserRequest":
        asked = params["request"]
        return cls(
            id=params["requestId"],
            url=asked["url"],
            method=asked["method"],
            type=params["resourceType"],
            frame=params["frameId"],
            headers=asked["headers"],
            redirected="redirectedRequestId" in params,
        )

    def verdict(self, main_frame: str, *, document_sent: bool) -> Verdict:
        if self.method != "GET":
            return Verdict.REFUSE
        if self.type == "Document":
            if self.frame != main_frame:
                return Verdict.REFUSE
            return Verdict.LEAVES if document_sent else Verdict.DOCUMENT
        if self.type == "Stylesheet":
            return Verdict.EMPTY
        return Verdict.LOAD if self.type in _LOADED else Verdict.REFUSE


class Resources(Struct):
    """Scripts and data of all pages of a run; one that several pages load is requested once."""

    fetcher: Fetcher
    allowed: Callable[[str], bool] = lambda _url: True  # by robots.txt, which a search engine obeys here too (RB-36)
    streams: set[str] = field(default_factory=set)  # URLs without their queries that a page had no answer of
    _answers: dict[tuple[str, Headers], Answer] = field(default_factory=dict)
    _bytes: int = 0

    async def load(self, url: str, origin: str = "") -> Answer:
        """`origin`: of the page, where its script asks another site, which may answer only those that it knows."""
        try:
            url = urls.normalize(url)
        except urls.BadUrl as error:
            return Skip(url, f"not loaded: {error}")
        if not self.allowed(url):
            return Skip(url, "not loaded: robots.txt disallows it")
        headers: Headers = (("Origin", origin),) if origin and not url.startswith(f"{origin}/") else ()
        if (url, headers) in self._answers:
            return self._answers[url, headers]
        answer = await self.fetcher.fetch(Request(url, RequestKind.RESOURCE, headers=headers))
        size = len(answer.body) if isinstance(answer, Response) else 0
        if self._bytes + size <= _KEPT:
            self._bytes += size
            self._answers[url, headers] = answer
        return answer


def unusable(kind: str, answer: Response) -> str:
    """Why scripts can not use an answer that they get, as text; "" where they can. `kind`: `BrowserRequest.type`."""
    if kind not in _USED or answer.target:
        return ""
    if answer.status >= 400:
        return f"answers {answer.status}"
    media_type, _ = content_type(answer.headers)
    return f"answers with {media_type}, which is no script" if kind == "Script" and media_type in HTML_TYPES else ""


def response_headers(answer: Response, kind: str) -> list[dict[str, str]]:
    """Headers that the page sees: of a document those that decide how it is read, of data what its scripts may read.

    There is no cookie, and nothing that makes the browser ask for more. `kind`: `BrowserRequest.type`.
    """
    document = kind == "Document"
    found = [
        {"name": name, "value": value}
        for name, value in answer.headers
        if (name in _OF_DOCUMENT or name.startswith("access-control-") if document else name not in _KEPT_BACK)
    ]
    if answer.target and not any(row["name"] == "location" for row in found):
        found.append({"name": "location", "value": answer.target})
    return found


class PendingRequest(NamedTuple):
    """A request of the page that waits for an answer."""

    request: BrowserRequest
    task: Task[None]
    began: float  # clock time
    late: bool  # loading had ended before


class DocumentVisit(Struct):
    """Filled by the events of the page."""

    response: Response
    parsed: Event = field(default_factory=Event)
    paused: Event = field(default_factory=Event)  # a slice of its time is over
    over: Event = field(default_factory=Event)  # it was left, or it crashed
    document_sent: bool = False
    loaded: bool = False
    redirect: str = ""
    ended: RenderedPage | None = None  # what it was when loading had ended
    open: dict[str, PendingRequest] = field(default_factory=dict)  # by the id of the request
    active: bool = False  # a request began or ended since the last look; polls do not count
    answered: set[str] = field(default_factory=set)  # URLs
    bodies: Counter[tuple[str, int]] = field(default_factory=Counter)  # with the URL without its query
    count: int = 0
    size: int = 0
    refused: str = ""  # the first request that was not answered, as text
    unanswered: str = ""  # the first request for data of its own site without an answer in time, as text

    @property
    def url(self) -> str:
        return self.response.url

    def refuse(self, url: str, why: str) -> None:
        self.refused = self.refused or f"{printable(url[:200])}: {why}"

    def count_answer(self, url: str, body: bytes) -> None:
        self.answered.add(url)
        self.bodies[url.partition("?")[0], hash(body)] += 1

    def is_poll(self, url: str) -> bool:
        """Whether its path was answered three times before with one body; a URL has one for all pages (`Resources`)."""
        path = url.partition("?")[0]
        return any(count >= _POLL for (other, _), count in self.bodies.items() if other == path)

    def note_failure(self, request: BrowserRequest, answer: Skip) -> None:
        """Keeps the first request for data of its own site that has no answer: a visitor sees more (G-01)."""
        counts = request.type in _DATA and answer.failure in _NO_ANSWER and self.is_own(request)
        if counts and self.ended is None and not self.unanswered:
            self.unanswered = f"{printable(request.url[:200])} is not answered: {answer.reason}"

    def is_own(self, request: BrowserRequest) -> bool:
        """Whether it belongs to the site of the page: its host, or one below the same domain."""
        return _site(request.url) == _site(self.url)

    def stream(self, known: Collection[str]) -> PendingRequest | None:
        """A request that ends no time soon: one of another site, or one that began after loading had ended.

        `known`: the URLs of such requests, without their queries.
        """
        before = time.monotonic() - STREAM
        old = (one for one in self.open.values() if one.began < before or one.request.path in known)
        return next((one for one in old if one.late or not self.is_own(one.request)), None)

    def explain_unfinished(self) -> str:
        """The first request for data of its own site that has no answer, as text; "" for none."""
        waits = (one.request.url for one in self.open.values() if not one.late and self.is_own(one.request))
        return self.unanswered or next((f"{printable(url[:200])} has no answer" for url in waits), "")


def _site(url: str) -> str:
    """The domain that hosts of one site share; an address and a name without a dot are sites of their own."""
    host = urlsplit(url).hostname or ""
    return host if host.rpartition(".")[2].isdigit() or ":" in host else ".".join(host.split(".")[-2:])
