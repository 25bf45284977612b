"""Headless Chromium as one more fetcher: a few pages of one browser, in which documents are rendered side by side.

Theory of operation. The browser starts with the first document. `render` waits for an idle page, or opens one while
there are fewer than `PAGES`. A page is closed after its document. A document
whose process ended, which another one may have caused, is rendered once more by a new page; where the browser itself
ended, by a new browser. That is started `_STARTS` times at most, then every document has the failure as its reason and
the run goes on; one that has never started is not tried again. Nothing here raises for a document. Where every page is
to be rendered (`render.when: always`), the browser starts before the first one, and a run that has none ends.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from enum import Enum, auto

from msgspec import Struct, field

from sitemap_action.browser.page import BrowserPage
from sitemap_action.browser.process import (
    VARIABLE,
    BrowserConnection,
    BrowserGoneError,
    BrowserProcess,
    CommandError,
    FirstWords,
    PageCrashedError,
    find_browser,
    start_browser,
    unusable,
)
from sitemap_action.browser.requests import Resources
from sitemap_action.config.schema import RenderConfig, RenderWhen
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import BROWSER, Answer, Fetcher, RenderedPage, Request, RequestKind, Response, Skip
from sitemap_action.fetch.page_from_answer import bot_challenge
from sitemap_action.html.extract import needs_rendering
from sitemap_action.model.observer import Screenshots
from sitemap_action.model.source import RenderUse
from sitemap_action.web.headers import content_type
from sitemap_action.web.media import HTML_TYPES
from sitemap_action.web.printable import printable

PAGES = 4  # side by side
_STARTS = 3  # of the browser, after the first
_SANDBOXED_STARTS = 2  # that have to fail before it does without: whatever else ended one is not to cost the sandbox
_PATIENCE = 30  # seconds for a browser to start, and for a page to open
_MEMORY = 2 << 30  # bytes of all processes of the browser
_WATCH = 0.5  # seconds
_GONE = "the browser ended"
_CRASHED = "it crashed in the browser, or needed too much memory"


_MOST_NAME = 300  # characters of the path of a program
_LAST_WORDS = 1  # second in which a browser that was ended closes its stderr


class BrowserNotStartedError(OSError):
    """It ended, or gave no answer; the text says what was seen."""


class BrowserUnusableError(BrowserNotStartedError):
    """Another try is of no use: there is no such program, or it would be waited for as long again."""


class _End(Enum):
    """What ended while a document was rendered, which another document may have caused."""

    BROWSER = auto()
    PAGE = auto()


class _Running(Struct):
    process: BrowserProcess
    connection: BrowserConnection
    errors: asyncio.ReadTransport  # its stderr
    idle: list[BrowserPage] = field(default_factory=list)

    def end(self) -> None:
        self.connection.close()
        self.process.kill()
        self.errors.close()

    async def idle_page(self) -> BrowserPage | None:
        """None where there is none that still has its process."""
        while self.idle:
            page = self.idle.pop()
            if not page.crashed:
                return page
            await page.close()
        return None


class Browser:
    """One for a run."""

    def __init__(
        self, program: str, resources: Resources, options: RenderConfig, most: int, *, named: bool = False
    ) -> None:
        """`most`: characters of a rendered document; `named`: the user has named the program."""
        self._named = named
        self._program, self._resources, self._options, self._most = program, resources, options, most
        self._slots = asyncio.Semaphore(PAGES)
        self._starting = asyncio.Lock()
        self._running: _Running | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._starts = 0
        self.failure = ""  # why it has never started, as text
        self.version = ""
        self.sandbox_failure = ""  # what was seen with its sandbox, as text, where it runs without

    async def start(self) -> None:
        """Before there is anything to render. Raises OSError, CommandError."""
        async with self._slots:
            await self._browser()

    async def render(self, response: Response, screenshots: Screenshots | None = None) -> RenderedPage:
        """Never raises for a document: what went wrong is the reason. `screenshots`: where to leave one of it."""
        async with self._slots:
            found, end = await self._attempt(response, screenshots)
            if end is not None:
                found, _ = await self._attempt(response, screenshots, anew=end is _End.PAGE)
            return found

    async def close(self) -> None:
        if self._watcher is not None:
            self._watcher.cancel()
        self._end()

    async def _attempt(
        self, response: Response, screenshots: Screenshots | None, *, anew: bool = False
    ) -> tuple[RenderedPage, "_End | None"]:
        """The rendered page, and what ended where another try is worth it. `anew`: by a page that is new."""
        try:
            running = await self._browser()
        except (OSError, CommandError) as error:
            return RenderedPage(failure=self.failure or f"the browser cannot be started: {error}"), None
        page = None
        try:
            page = None if anew else await running.idle_page()
            if page is None:
                page = BrowserPage(running.connection, self._resources, self._options, self._most)
                async with asyncio.timeout(_PATIENCE):
                    await page.open()
            found = await page.render(response, screenshots)
        except BrowserGoneError:
            return RenderedPage(failure=_GONE), _End.BROWSER
        except (TimeoutError, PageCrashedError, CommandError) as error:
            crashed = isinstance(error, PageCrashedError)
            return RenderedPage(failure=self._why(error)), _End.PAGE if crashed else None
        finally:
            if page is not None:
                await page.close()
        return found, None

    def _why(self, error: BaseException) -> str:
        if isinstance(error, TimeoutError):
            return f"it takes the browser more than {self._options.timeout:g} seconds (render.timeout)"
        if isinstance(error, PageCrashedError):
            return _CRASHED
        return f"the browser refuses it: {error}"

    async def _browser(self) -> _Running:
        async with self._starting:
            if self._running is not None and self._running.connection.gone.done():
                self._end()
            if self.failure:
                raise BrowserNotStartedError(self.failure)
            if self._running is None:
                if self._starts > _STARTS:
                    raise OSError(f"it ended {self._starts} times")
                self._starts += 1
                self._running = await self._start()
                self._watcher = self._watcher or asyncio.create_task(self._watch())
            return self._running

    async def _start(self) -> _Running:
        """Start it with its sandbox, unless it fails twice with it, as where the kernel lets it have none."""
        try:
            for number in range(_SANDBOXED_STARTS if not self.sandbox_failure else 0):
                try:
                    return await self._start_with(sandbox=True)
                except BrowserUnusableError:
                    raise
                except BrowserNotStartedError as error:
                    self.sandbox_failure = str(error) if number == _SANDBOXED_STARTS - 1 else ""
            return await self._start_with(sandbox=False)
        except (OSError, CommandError) as error:
            if self.version:
                raise
            name = f"{VARIABLE} names {self._program}, which" if self._named else self._program
            self.failure = f"{printable(name[:_MOST_NAME])} cannot be used: {error}"
            raise BrowserNotStartedError(self.failure) from None

    async def _start_with(self, *, sandbox: bool) -> _Running:
        if why := unusable(self._program):
            raise BrowserUnusableError(why)
        process, connection = start_browser(self._program, sandbox=sandbox), BrowserConnection()
        open_errors = os.fdopen(process.errors_from, "rb", 0)
        errors, words = await asyncio.get_running_loop().connect_read_pipe(FirstWords, open_errors)
        running = _Running(process, connection, errors)
        try:
            await connection.open(process.read_from, process.write_to)
            async with asyncio.timeout(_PATIENCE):
                found = await connection.send("Browser.getVersion")
                page = BrowserPage(connection, self._resources, self._options, self._most)
                await page.open()  # a browser without a usable sandbox ends here
                running.idle.append(page)
        except (BrowserGoneError, PageCrashedError, TimeoutError) as error:
            foreign = connection.foreign
            connection.close()
            status = process.kill()
            with suppress(TimeoutError):
                await asyncio.wait_for(words.ended.wait(), _LAST_WORDS)
            raise _not_started(None if foreign else error, status, words.line()) from None
        finally:
            if not running.idle:
                running.end()
        self.version = str(found.get("product", ""))
        return running

    def _end(self) -> None:
        if self._running is not None:
            running, self._running = self._running, None
            running.end()

    async def _watch(self) -> None:
        """A document that grows for ever loses its process; the others go on."""
        while True:
            await asyncio.sleep(_WATCH)
            if self._running is not None:
                self._running.process.kill_renderer_above(_MEMORY)


def _not_started(error: BaseException | None, status: int, words: str) -> BrowserNotStartedError:
    """`error`: None for an answer in another language; `status`: as `Popen.returncode`; `words`: what it said first."""
    said = f": {words}" if words else ""
    if error is None:
        return BrowserUnusableError(f"its answer is no message of the DevTools protocol{said}")
    if isinstance(error, TimeoutError):
        return BrowserUnusableError(f"it gave no answer within {_PATIENCE} seconds{said}")
    if isinstance(error, PageCrashedError):
        return BrowserNotStartedError(f"its first page crashed{said}")
    ended = f"signal {-status}" if status < 0 else f"exit status {status}"
    return BrowserNotStartedError(f"it ended while it started ({ended}){said}")


@asynccontextmanager
async def open_browser(
    options: RenderConfig, resources: Resources, most: int, environment: Mapping[str, str] = os.environ
) -> AsyncIterator[Browser | None]:
    """None where nothing is rendered. Raises UsageError where everything is to be, and no browser can do that."""
    program = "" if options.when is RenderWhen.NEVER else find_browser(environment)
    if not program:
        if options.when is RenderWhen.ALWAYS:
            raise UsageError("render.when is always, and no browser is installed", hint=BROWSER)
        yield None
        return
    browser = Browser(program, resources, options, most, named=bool(environment.get(VARIABLE)))
    try:
        if options.when is RenderWhen.ALWAYS:
            try:
                await browser.start()
            except (OSError, CommandError) as error:
                raise UsageError(f"render.when is always, and {error}", hint=BROWSER) from None
        yield browser
    finally:
        with suppress(asyncio.CancelledError):
            await browser.close()


_RENDERED_KINDS = frozenset({RequestKind.PAGE, RequestKind.PROBE})


class RenderingFetcher(Struct):
    """A policy round a fetcher that adds to the answer for a page what a browser makes of it (HTML-70).

    Without a browser it only counts: the pages stay as they are served. A document is rendered once a run. None is kept
    for a later one: the shell of an application stays the same while its scripts and its data do not, so nothing but
    rendering tells what it has become.
    """

    inner: Fetcher
    browser: Browser | None
    options: RenderConfig
    screenshots: Screenshots | None = None
    _rendered: int = 0
    _failed: int = 0
    _seconds: float = 0.0
    _unfinished: dict[str, str] = field(default_factory=dict)  # URL → what its page waited for

    async def fetch(self, request: Request) -> Answer:
        answer, probe = await self.inner.fetch(request), request.kind is RequestKind.PROBE
        return await self.render(answer, probe=probe) if request.kind in _RENDERED_KINDS else answer

    async def render(self, answer: Answer, *, probe: bool = False) -> Answer:
        """The answer, with what a browser makes of it where it is to be rendered; no screenshot of a random path."""
        if self.browser is None or isinstance(answer, Skip) or not self._needs_browser(answer):
            return answer
        page = await self.browser.render(answer, None if probe else self.screenshots)
        self._count(answer.url, page)
        return answer._replace(rendered=page)

    def use(self) -> RenderUse | None:
        """None where nothing was to be rendered, or nothing could."""
        if self.browser is None:
            return None
        return RenderUse(
            pages=self._rendered,
            failed=self._failed,
            seconds=round(self._seconds, 1),
            browser=self.browser.version,
            sandboxed=not self.browser.sandbox_failure,
            sandbox_failure=self.browser.sandbox_failure,
            failure=self.browser.failure,
            unfinished=tuple(f"{url}: {why}" for url, why in sorted(self._unfinished.items())),
        )

    def _needs_browser(self, answer: Response) -> bool:
        if answer.status != 200 or answer.target or answer.body_skipped or bot_challenge(answer.headers):
            return False
        media_type, _ = content_type(answer.headers)
        if media_type and media_type not in HTML_TYPES:
            return False
        if self.options.when is RenderWhen.ALWAYS:
            return True
        return needs_rendering(answer.body, answer.headers, answer.url, self.options.detect)

    def _count(self, url: str, page: RenderedPage) -> None:
        self._failed += bool(page.failure)
        self._rendered += not (page.failure or page.unfinished)
        if page.unfinished:
            self._unfinished[url] = page.unfinished
        else:
            self._unfinished.pop(url, None)
        self._seconds += page.milliseconds / 1000


@asynccontextmanager
async def open_rendering(  # noqa: PLR0913 - what is rendered, and what of it is kept
    options: RenderConfig,
    inner: Fetcher,
    most: int,
    *,
    allowed: Callable[[str], bool] = lambda _url: True,
    environment: Mapping[str, str] = os.environ,
    screenshots: Screenshots | None = None,
) -> AsyncIterator[RenderingFetcher]:
    """`most`: characters of a rendered document; `allowed`: what robots.txt lets scripts load.

    Raises UsageError where all is to be rendered, and there is no browser.
    """
    async with open_browser(options, Resources(inner, allowed), most, environment) as browser:
        yield RenderingFetcher(inner, browser, options, screenshots)
