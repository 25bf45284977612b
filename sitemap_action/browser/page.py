"""One page of the browser, in which documents are rendered one after the other.

Theory of operation. Every request of the page stops in the browser (`Fetch.requestPaused`) until it is answered here:
that for the document with what the crawl has fetched already, others as `BrowserRequest.verdict` decides. A second
request for a document is a script that goes to another page: it is not answered, and its address is the result. The
document is there at its load event, once it is parsed, or when for half a second at most two requests were open; then
one of the selectors is waited for: those of the user until `render.wait-for-timeout`, and the default ones only while
the page may still change, for a view need not have a link. It is read by a script of its own world, where the page can
change nothing, as HTML.

The browser itself has no network. Scripts and data come from `fetcher`, with its guard, throttle and address gate, or
from a build; only GET, a bounded number of requests for a page and of bytes. Style sheets are empty, for a page may
wait for them, and nothing that is only looked at is loaded: images, fonts, media, frames.
"""

import asyncio
import base64
import json
import time
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NamedTuple

from msgspec import Struct, field

from sitemap_action.browser.process import BrowserConnection, BrowserGoneError, CommandError, PageCrashedError
from sitemap_action.browser.scripts import BEFORE, LOOK, READ, name_expression, text_expression
from sitemap_action.config.schema import DEFAULT_WAIT_FOR, RenderConfig, WaitUntil
from sitemap_action.fetch.base import Answer, Fetcher, Headers, RenderedPage, Request, RequestKind, Response, Skip
from sitemap_action.html.shell import NOTICE_WORDS
from sitemap_action.web import urls
from sitemap_action.web.headers import content_type
from sitemap_action.web.media import HTML_TYPES
from sitemap_action.web.printable import printable

MAX_REQUESTS = 300  # of one page
MAX_BYTES = 64 << 20  # of one page
_KEPT = 64 << 20  # bytes of answers that pages share
_LOADED = frozenset({"Script", "XHR", "Fetch", "Preflight", "Manifest", "Other"})
_USED = frozenset({"Script", "XHR", "Fetch"})
_PASSED = ("content-type", "location", "content-security-policy")


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


def response_headers(answer: Response) -> list[dict[str, str]]:
    """The headers that decide how the browser reads the body; no cookie, and nothing that makes it ask for more."""
    found = [
        {"name": name, "value": value}
        for name, value in answer.headers
        if name in _PASSED or name.startswith("access-control-")
    ]
    if answer.target and not any(row["name"] == "location" for row in found):
        found.append({"name": "location", "value": answer.target})
    return found


class DocumentVisit(Struct):
    """Filled by the events of the page."""

    url: str
    response: Response
    parsed: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)  # it was left, or it crashed
    document_sent: bool = False
    loaded: bool = False
    redirect: str = ""
    open: int = 0  # requests under way
    busy_at: float = 0.0  # clock time of the last moment with too many of them
    used_at: float = 0.0  # clock time of the last moment at which a request began or ended
    count: int = 0
    size: int = 0
    refused: str = ""  # the first request that was not answered, as text
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def is_quiet_for(self, seconds: float) -> bool:
        """Whether it is loaded, and no request is or was under way in so many seconds."""
        return self.loaded and not self.open and time.monotonic() - self.used_at >= seconds

    def refuse(self, url: str, why: str) -> None:
        self.refused = self.refused or f"{url[:200]}: {why}"


_IDLE = 0.5  # seconds with at most _OPEN requests under way
_OPEN = 2
_POLL = 0.05  # seconds between two looks at the page
_STILL = 1.5  # seconds without a change, after which a page that has a text and no link is taken to be there
_CLEANING = 5  # seconds
_WORLD = "sitemap-action"
_REFUSED = "BlockedByClient"


class BrowserPage:
    """Renders one document at a time."""

    def __init__(self, connection: BrowserConnection, resources: Resources, options: RenderConfig, most: int) -> None:
        self._connection, self._resources, self._options, self._most = connection, resources, options, most
        self._look = _look(options)
        self._session = self._frame = self._context = ""
        self._visit: DocumentVisit | None = None
        self.documents = 0  # that it has rendered
        self.crashed = False  # its process has ended, also while there was nothing to render

    async def open(self) -> None:
        send = self._connection.send
        created = await send("Target.createBrowserContext", {"disposeOnDetach": True})
        self._context = created["browserContextId"]
        await send("Browser.setDownloadBehavior", {"behavior": "deny", "browserContextId": self._context})
        target = await send("Target.createTarget", {"url": "about:blank", "browserContextId": self._context})
        attached = await send("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
        self._session = attached["sessionId"]
        self._connection.listen(self._session, self._on_event)
        tree = await self._send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        for method, parameters in (
            ("Page.enable", {}),
            ("Inspector.enable", {}),
            ("Runtime.enable", {}),
            ("Network.enable", {}),
            ("Network.setCacheDisabled", {"cacheDisabled": True}),
            ("Network.setBypassServiceWorker", {"bypass": True}),
            ("Page.addScriptToEvaluateOnNewDocument", {"source": BEFORE}),
            ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}),
        ):
            await self._send(method, parameters)

    async def close(self) -> None:
        """Whatever the page does: its script may run for ever."""
        self._connection.listen(self._session, None)
        try:
            self._post("Runtime.terminateExecution")
            self._connection.post("Target.disposeBrowserContext", {"browserContextId": self._context})
        except BrowserGoneError:
            return

    async def render(self, response: Response) -> RenderedPage:
        """Raises PageCrashedError, BrowserGoneError, TimeoutError, CommandError: the page is then to be closed."""
        began = time.monotonic()
        visit = self._visit = DocumentVisit(response.url, response, busy_at=began)
        try:
            async with asyncio.timeout(self._options.timeout):
                found = await self._render(visit)
        finally:
            self._visit = None
            for task in visit.tasks:
                task.cancel()
        async with asyncio.timeout(_CLEANING):
            await self._clean(response.url)
        self.documents += 1
        return found._replace(milliseconds=int((time.monotonic() - began) * 1000))

    async def _render(self, visit: DocumentVisit) -> RenderedPage:
        await self._send("Page.navigate", {"url": visit.url})
        await self._wait_for(visit, visit.parsed)
        if not visit.over.is_set() and self._options.wait_until is not WaitUntil.DOM_CONTENT_LOADED:
            await self._until_loaded(visit)
        if not visit.over.is_set() and self._options.wait_for:
            await self._until_matched(visit)
        self._raise_if_crashed()
        if visit.redirect:
            return RenderedPage(redirect=visit.redirect)
        return await self._read(visit)

    def _raise_if_crashed(self) -> None:
        if self.crashed:
            raise BrowserGoneError if self._connection.gone.done() else PageCrashedError

    async def _read(self, visit: DocumentVisit) -> RenderedPage:
        address, html = await self._evaluate(READ, {"most": self._most})
        if (left := _address(address)) and left != visit.url:
            return RenderedPage(redirect=left)
        if html is None:
            return RenderedPage(failure=f"its document grows beyond {self._most >> 20} MiB")
        return RenderedPage(html=f"<!doctype html>{html}".encode(errors="replace"), refused=visit.refused)

    async def _wait_for(self, visit: DocumentVisit, event: asyncio.Event) -> None:
        waits = [asyncio.ensure_future(one.wait()) for one in (event, visit.over)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    async def _until_loaded(self, visit: DocumentVisit) -> None:
        idle = 0.0 if self._options.wait_until is WaitUntil.LOAD else _IDLE
        while not visit.over.is_set():
            now = time.monotonic()
            if visit.open > _OPEN:
                visit.busy_at = now
            left = visit.busy_at + idle - now
            if visit.loaded and left <= 0:
                return
            await asyncio.sleep(max(_POLL if not visit.loaded else min(left, _POLL), 0.005))

    async def _until_matched(self, visit: DocumentVisit) -> None:
        end = time.monotonic() + self._options.wait_for_timeout
        asked = self._look | {"start": visit.url}
        while time.monotonic() < end and not visit.over.is_set():
            still = _STILL if self._options.wait_for == DEFAULT_WAIT_FOR and visit.is_quiet_for(_STILL) else 0
            try:
                found = await self._evaluate(LOOK, asked | {"still": still * 1000})
            except CommandError:
                found = ""  # the document went away while it was looked at
                await asyncio.sleep(_POLL)
            if found:
                return

    async def _evaluate(self, script: str, asked: dict[str, Any]) -> Any:
        """Evaluate a script in a world of its own, where the page cannot replace what it calls. Raises CommandError."""
        world = await self._send("Page.createIsolatedWorld", {"frameId": self._frame, "worldName": _WORLD})
        parameters = {
            "expression": f"({script})({json.dumps(asked)})",
            "contextId": world["executionContextId"],
            "returnByValue": True,
            "awaitPromise": True,
        }
        answer = await self._send("Runtime.evaluate", parameters)
        if "exceptionDetails" in answer:
            raise CommandError(_exception(answer))
        return answer["result"].get("value")

    async def _clean(self, url: str) -> None:
        await self._send("Page.navigate", {"url": "about:blank"})
        await self._send("Storage.clearDataForOrigin", {"origin": urls.origin(url), "storageTypes": "all"})

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        visit = self._visit
        if method in {"Inspector.targetCrashed", "Inspector.detached"}:
            self.crashed = True
            self._connection.end_waiting(self._session)
            if visit is not None:
                visit.over.set()
        elif method == "Fetch.requestPaused":
            self._on_request(visit, BrowserRequest.from_event(params))
        elif method == "Page.javascriptDialogOpening":
            self._post("Page.handleJavaScriptDialog", {"accept": False})
        elif visit is None:
            return
        elif method == "Page.domContentEventFired" and visit.document_sent:
            visit.parsed.set()
        elif method == "Page.loadEventFired" and visit.document_sent:
            visit.loaded, visit.busy_at = True, max(visit.busy_at, time.monotonic())
        elif method == "Runtime.exceptionThrown":
            visit.refuse("a script", _exception(params))

    def _on_request(self, visit: DocumentVisit | None, request: BrowserRequest) -> None:
        if visit is None:
            self._fail(request)
            return
        match request.verdict(self._frame, document_sent=visit.document_sent):
            case Verdict.DOCUMENT:
                visit.document_sent = True
                self._fulfil(request, visit.response)
            case Verdict.LEAVES:
                self._fail(request, "Aborted")
                if (left := _address(request.url)) and left != visit.url:
                    visit.redirect = left
                    visit.over.set()
            case Verdict.EMPTY:
                self._fulfil(request, Response(request.url, 200, (("content-type", "text/css"),)))
            case Verdict.LOAD:
                task = asyncio.ensure_future(self._load(visit, request))
                visit.tasks.add(task)
                task.add_done_callback(visit.tasks.discard)
            case Verdict.REFUSE:
                # A navigation that is blocked would show an error page in the place of the document.
                self._fail(request, "Aborted" if request.type == "Document" else _REFUSED)
                if request.method != "GET":
                    visit.refuse(request.url, f"{request.method[:20]} is not sent")

    async def _load(self, visit: DocumentVisit, request: BrowserRequest) -> None:
        visit.count += 1
        if visit.count > MAX_REQUESTS:
            visit.refuse(request.url, f"more than {MAX_REQUESTS} requests of one page")
            self._fail(request)
            return
        visit.open += 1
        visit.used_at = time.monotonic()
        visit.busy_at = visit.used_at if visit.open > _OPEN else visit.busy_at
        try:
            answer = await self._resources.load(request.url, request.headers.get("Origin", ""))
        finally:
            visit.used_at = time.monotonic()
            visit.busy_at = visit.used_at if visit.open > _OPEN else visit.busy_at
            visit.open -= 1
        visit.size += len(answer.body) if isinstance(answer, Response) else 0
        if isinstance(answer, Skip) or visit.size > MAX_BYTES:
            why = answer.reason if isinstance(answer, Skip) else f"more than {MAX_BYTES >> 20} MiB for one page"
            visit.refuse(request.url, why)
            self._fail(request)
        else:
            if why := unusable(request.type, answer):
                visit.refuse(request.url, why)
            self._fulfil(request, answer)

    def _fulfil(self, request: BrowserRequest, answer: Response) -> None:
        parameters = {
            "requestId": request.id,
            "responseCode": answer.status,
            "responseHeaders": response_headers(answer),
            "body": base64.b64encode(answer.body).decode(),
        }
        self._post("Fetch.fulfillRequest", parameters)

    def _fail(self, request: BrowserRequest, reason: str = _REFUSED) -> None:
        self._post("Fetch.failRequest", {"requestId": request.id, "errorReason": reason})

    async def _send(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        self._raise_if_crashed()
        return await self._connection.send(method, parameters, self._session)

    def _post(self, method: str, parameters: dict[str, Any] | None = None) -> None:
        try:
            self._connection.post(method, parameters, self._session)
        except BrowserGoneError:
            return


def _look(options: RenderConfig) -> dict[str, Any]:
    """What a look at a page is told, which is the same for all of them."""
    detect = options.detect
    notices = {
        "text": text_expression(detect.loading),
        "names": name_expression(detect.loading),
        "words": NOTICE_WORDS,
        "roots": detect.roots,
    }
    return {"selectors": options.wait_for, "pause": _POLL * 1000, "notices": notices}


def _exception(params: dict[str, Any]) -> str:
    found = params.get("exceptionDetails", {})
    text = str(found.get("exception", {}).get("description", "") or found.get("text", ""))
    return printable(text.partition("\n")[0][:200])


def _address(text: object) -> str:
    """An address in normal form; "" for what is no address of a page."""
    try:
        return urls.normalize(str(text))
    except urls.BadUrl:
        return ""
