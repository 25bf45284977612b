"""One document in the browser, in a page and a browser context of its own.

Theory of operation. Every request of the page stops in the browser (`Fetch.requestPaused`) until it is answered here:
that for the document with what the crawl has fetched already, others as `BrowserRequest.verdict` decides. A second
request for a document is a script that goes to another page: it is not answered, and its address is the result.

Once the document is parsed, the page has a time of its own (`Emulation.setVirtualTimePolicy`), which stands still while
a request of it is open: a slow API changes nothing that is seen, and a timer of seconds costs milliseconds. It is given
in slices, and after each of them a script of another world, where the page can change nothing, looks at it. Loading
has ended after `_QUIET` without a request or a change, with one of the selectors there: later the page's address does
not count. The document is read, as HTML, once that has held for `_STILL` seconds, or when `render.wait-for-timeout` is
over. With a request of the page's own site still open, or without an answer, at `render.timeout` it is half a page:
nothing is said of it (G-01).

The browser itself has no network. Scripts and data come from `fetcher`, with its guard, throttle and address gate, or
from a build; only GET, a bounded number of requests for a page and of bytes. Style sheets are empty, for a page may
wait for them, and nothing that is only looked at is loaded: images, fonts, media, frames. A screenshot is taken once
the document was read, and gives it its style sheets then, so that it changes no verdict.
"""

import asyncio
import base64
import json
import time
from contextlib import suppress
from typing import Any

from sitemap_action.browser.process import BrowserConnection, BrowserGoneError, CommandError, PageCrashedError
from sitemap_action.browser.requests import (
    MAX_BYTES,
    MAX_REQUESTS,
    STREAM,
    BrowserRequest,
    DocumentVisit,
    PendingRequest,
    Resources,
    Verdict,
    response_headers,
    unusable,
)
from sitemap_action.browser.scripts import BEFORE, DRESS, LOOK, READ, SHEETS, name_expression, text_expression
from sitemap_action.config.schema import DEFAULT_WAIT_FOR, RenderConfig, WaitUntil
from sitemap_action.fetch.base import Answer, RenderedPage, Response, Skip
from sitemap_action.html.shell import NOTICE_WORDS
from sitemap_action.model.observer import Screenshots
from sitemap_action.web import urls
from sitemap_action.web.headers import content_type
from sitemap_action.web.media import HTML_TYPES
from sitemap_action.web.printable import printable

_SLICE = 0.25  # seconds of the page's own time between two looks at it
_QUIET = 0.5  # of these without a request or a change, after which loading has ended
_STILL = 3.0  # of these without a request or a change, after which it is finished
_STARVATION = 1000  # tasks that may run before time goes on: a page may ask for "as soon as possible" without end
_WAKE = 0.25  # seconds
_PAUSE = 0.05  # seconds
_WORLD = "sitemap-action"
_SCREENSHOT = 10  # seconds
_SCREEN = {"width": 800, "height": 600, "deviceScaleFactor": 0.8, "mobile": False}  # 640 by 480 pixels of a PNG
_MOST_SHEETS, _MOST_CSS = 20, 1 << 20  # style sheets, and bytes of one
_REFUSED = "BlockedByClient"
_START: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Page.enable", {}),
    ("Inspector.enable", {}),
    ("Runtime.enable", {}),
    ("Network.enable", {}),
    ("Network.setCacheDisabled", {"cacheDisabled": True}),
    ("Network.setBypassServiceWorker", {"bypass": True}),
    ("Page.addScriptToEvaluateOnNewDocument", {"source": BEFORE}),
    ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}),
)


class BrowserPage:
    """Renders one document."""

    def __init__(self, connection: BrowserConnection, resources: Resources, options: RenderConfig, most: int) -> None:
        self._connection, self._resources, self._options, self._most = connection, resources, options, most
        self._look = _look(options)
        self._session = self._frame = self._context = ""
        self._visit: DocumentVisit | None = None
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
        for method, parameters in _START:
            await self._send(method, parameters)

    async def close(self) -> None:
        """Whatever the page does: its script may run for ever."""
        self._connection.listen(self._session, None)
        try:
            self._post("Runtime.terminateExecution")
            self._connection.post("Target.disposeBrowserContext", {"browserContextId": self._context})
        except BrowserGoneError:
            return

    async def render(self, response: Response, screenshots: Screenshots | None = None) -> RenderedPage:
        """Raises PageCrashedError, BrowserGoneError, TimeoutError, CommandError."""
        began = time.monotonic()
        visit = self._visit = DocumentVisit(response)
        try:
            async with asyncio.timeout(self._options.timeout):
                found = await self._render(visit)
        except TimeoutError:
            if not (why := visit.explain_unfinished()):
                raise
            found = RenderedPage(unfinished=f"after {self._options.timeout:g} seconds (render.timeout) {why}")
        finally:
            self._visit = None
            for one in visit.open.values():
                one.task.cancel()
        found = found._replace(milliseconds=int((time.monotonic() - began) * 1000))
        if screenshots is None or not found.html:
            return found
        return found._replace(screenshot=await self._take_screenshot(visit.url, found, screenshots))

    async def _take_screenshot(self, url: str, found: RenderedPage, kept: Screenshots) -> str:
        """The name of its file; "" where none can be made. Nothing that was read depends on it."""
        if not (name := kept.reserve(url, found.html)):
            return ""
        with suppress(TimeoutError, CommandError, PageCrashedError, BrowserGoneError):
            async with asyncio.timeout(_SCREENSHOT):
                sheets = await self._evaluate(SHEETS, {"most": _MOST_SHEETS})
                answers = await asyncio.gather(*map(self._resources.load, sheets))
                texts = {url: _text(one) for url, one in zip(sheets, answers, strict=True)}
                await self._send("Emulation.setDeviceMetricsOverride", _SCREEN)
                await self._evaluate(DRESS, {"sheets": texts})
                shown = await self._send("Page.captureScreenshot", {"format": "png"})
            kept.files[name] = base64.b64decode(shown["data"])
        if not kept.files[name]:
            del kept.files[name]
            return ""
        return name

    async def _render(self, visit: DocumentVisit) -> RenderedPage:
        await self._send("Page.navigate", {"url": visit.url})
        while not visit.parsed.is_set() and not visit.over.is_set():
            await _wait(visit.parsed, visit.over)
        waits = self._options.wait_until is WaitUntil.NETWORK_IDLE
        if not visit.over.is_set():
            await (self._until_finished if waits else self._until_ready)(visit)
        self._raise_if_crashed()
        if visit.redirect:
            return RenderedPage(redirect=visit.redirect)
        found = await self._read(visit)
        if visit.ended is not None and (visit.ended.redirect or found.redirect):
            found = visit.ended  # where a script goes later does not count
        if not found.redirect and waits and (why := visit.unanswered):
            return RenderedPage(unfinished=why)
        return found

    def _raise_if_crashed(self) -> None:
        if self.crashed:
            raise BrowserGoneError if self._connection.gone.done() else PageCrashedError

    async def _read(self, visit: DocumentVisit) -> RenderedPage:
        address, html = await self._evaluate(READ, {"most": self._most})
        if (left := _address(address)) and left.partition("?")[0] != visit.url.partition("?")[0]:
            return RenderedPage(redirect=left)
        if html is None:
            return RenderedPage(failure=f"its document grows beyond {self._most >> 20} MiB")
        return RenderedPage(html=f"<!doctype html>{html}".encode(errors="replace"), refused=visit.refused)

    async def _until_finished(self, visit: DocumentVisit) -> None:
        """Looks at the page after each slice of its time, until nothing changes any more."""
        most = max(self._options.wait_for_timeout if self._options.wait_for else 0.0, _STILL)
        still, passed = 0.0, 0.0
        while passed < most and await self._advance(visit):
            seen = await self._evaluate(LOOK, self._look | {"start": visit.url, "again": bool(passed)})
            if seen["size"] > self._most:
                return
            passed += _SLICE
            still = 0.0 if seen["changed"] or visit.active else still + _SLICE
            visit.active = False
            if still >= _QUIET and visit.ended is None and seen["ready"] and visit.loaded:
                visit.ended = await self._read(visit)
            if still >= _STILL and visit.ended is not None:
                return

    async def _until_ready(self, visit: DocumentVisit) -> None:
        """Looks at a page that is not waited for until it is finished (`render.wait-until`)."""
        end = time.monotonic() + (self._options.wait_for_timeout if self._options.wait_for else 0.0)
        while not visit.over.is_set():
            if visit.loaded or self._options.wait_until is WaitUntil.DOM_CONTENT_LOADED:
                seen = await self._evaluate(LOOK, self._look | {"start": visit.url, "again": True})
                if seen["ready"] or time.monotonic() > end:
                    return
            await asyncio.sleep(_PAUSE)

    async def _advance(self, visit: DocumentVisit) -> bool:
        """Gives the page a slice of its time; False where there is nothing more to see, or it was left."""
        visit.paused.clear()
        policy = {
            "policy": "pauseIfNetworkFetchesPending",
            "budget": _SLICE * 1000,
            "maxVirtualTimeTaskStarvationCount": _STARVATION,
        }
        await self._send("Emulation.setVirtualTimePolicy", policy)
        while not visit.paused.is_set() and not visit.over.is_set():
            await _wait(visit.paused, visit.over)
            if (stream := visit.stream(self._resources.streams)) is not None:
                self._resources.streams.add(stream.request.path)
                if visit.ended is not None:
                    return False
                stream.task.cancel()
                visit.open.pop(stream.request.id, None)
                self._fail(stream.request)
        return not visit.over.is_set()

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
            visit.loaded = True
        elif method == "Emulation.virtualTimeBudgetExpired":
            visit.paused.set()
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
                if visit.ended is None and (left := _address(request.url)) and left != visit.url:
                    visit.redirect = left
                    visit.over.set()
            case Verdict.EMPTY:
                self._fulfil(request, Response(request.url, 200, (("content-type", "text/css"),)))
            case Verdict.LOAD:
                task = asyncio.ensure_future(self._load(visit, request))
                visit.open[request.id] = PendingRequest(request, task, time.monotonic(), visit.ended is not None)
                task.add_done_callback(lambda _: visit.open.pop(request.id, None))
            case Verdict.REFUSE:
                # A navigation that is blocked would show an error page in the place of the document.
                self._fail(request, "Aborted" if request.type == "Document" else _REFUSED)
                if request.method != "GET":
                    visit.refuse(request.url, f"{request.method[:20]} is not sent")

    async def _load(self, visit: DocumentVisit, request: BrowserRequest) -> None:
        poll = visit.is_poll(request.url)
        visit.count += 1
        visit.active |= not poll
        if visit.count > MAX_REQUESTS:
            if request.url not in visit.answered:
                visit.refuse(request.url, f"more than {MAX_REQUESTS} requests of one page")
            self._fail(request)
            return
        answer = await self._answer(visit, request)
        visit.active |= not poll
        visit.size += len(answer.body) if isinstance(answer, Response) else 0
        if isinstance(answer, Skip) or visit.size > MAX_BYTES:
            if isinstance(answer, Skip):
                visit.note_failure(request, answer)
            why = answer.reason if isinstance(answer, Skip) else f"more than {MAX_BYTES >> 20} MiB for one page"
            visit.refuse(request.url, why)
            self._fail(request)
        else:
            visit.count_answer(request.url, answer.body)
            if why := unusable(request.type, answer):
                visit.refuse(request.url, why)
            self._fulfil(request, answer)

    async def _answer(self, visit: DocumentVisit, request: BrowserRequest) -> Answer:
        """Loads what is requested; a stream of events has its beginning, and three times at most."""
        is_stream = request.headers.get("Accept", "") == "text/event-stream"
        if is_stream and visit.is_poll(request.url):
            return Response(request.url, 204)
        load = self._resources.load(request.url, request.headers.get("Origin", ""))
        if not is_stream:
            return await load
        with suppress(TimeoutError):
            async with asyncio.timeout(STREAM):
                return await load
        return Response(request.url, 204)

    def _fulfil(self, request: BrowserRequest, answer: Response) -> None:
        parameters = {
            "requestId": request.id,
            "responseCode": answer.status,
            "responseHeaders": response_headers(answer, request.type),
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


def _text(sheet: Answer) -> str:
    """What a style sheet says; "" for an answer that is none."""
    if not isinstance(sheet, Response) or sheet.status != 200 or content_type(sheet.headers)[0] in HTML_TYPES:
        return ""
    return sheet.body[:_MOST_CSS].decode(errors="replace")


def _look(options: RenderConfig) -> dict[str, Any]:
    """What a look at a page is told, which is the same for all of them."""
    detect = options.detect
    notices = {
        "text": text_expression(detect.loading),
        "names": name_expression(detect.loading),
        "words": NOTICE_WORDS,
        "roots": detect.roots,
    }
    return {"selectors": options.wait_for, "guess": options.wait_for == DEFAULT_WAIT_FOR, "notices": notices}


async def _wait(*events: asyncio.Event) -> None:
    """Until one of them is set, and not for long."""
    waits = [asyncio.ensure_future(one.wait()) for one in events]
    try:
        await asyncio.wait(waits, timeout=_WAKE, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()


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
