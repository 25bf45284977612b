"""A page that a browser may have to see is asked for once it is read: none is left out, and each counts once."""

import asyncio
import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace

from crawls import LIMITS, FakeWeb, Snapshot, crawl, document, new_inventory, snapshot
from sitemap_action.fetch.base import Answer, RenderedPage, Request, Response
from sitemap_action.fetch.page_from_answer import page_of
from sitemap_action.html.extract import needs_rendering
from sitemap_action.model.page import DEFAULT_THRESHOLDS
from sitemap_action.walk.crawl import may_be_shell

HTML = (("content-type", "text/html"),)
REFRESH = "<meta http-equiv=refresh content='0; url=/b'>"
HEADS = ("", REFRESH, f"<noscript>{REFRESH}</noscript>")
BODIES = (
    "",
    "<div id=root></div>",
    "<p>Loading",
    "<p>A few words",
    "<a href=/x>x</a>",
    "<noscript>Enable it</noscript>",
)
SCRIPTS = (
    "",
    "<script src=/a.js></script>",
    "<script>location.replace('/b')</script>",
    "<script>import('/a.js')</script>",
)
PADDING = f"<!doctype html><title>t</title><style>{'a{}' * 100}</style>"
SHELL = f"{PADDING}<div id=root></div><script src=/a.js></script>"


def test_HTML_70_every_document_that_needs_a_browser_is_asked_about() -> None:
    found = {True: 0, False: 0}
    for padding, head, body, *scripts in product(("", PADDING), HEADS, BODIES, SCRIPTS, SCRIPTS):
        markup = f"{padding}{head}<body>{body}{''.join(scripts)}".encode()
        needed = needs_rendering(markup, HTML, "https://x.com/a", DEFAULT_THRESHOLDS)
        page, _ = page_of(Response("https://x.com/a", 200, HTML, markup))
        assert may_be_shell(page) or not needed, markup
        found[needed] += 1
    assert min(found.values()) > 50, found


class Application:
    """Every third page is a shell; what its scripts make of it takes a while, and links to other pages."""

    def __init__(self, pages: int, seed: int) -> None:
        self.asked: list[str] = []
        self._pages, self._random = pages, random.Random(seed)

    @property
    def routes(self) -> Mapping[str, str]:
        numbers = {f"/{number}": self._document(number) if number % 3 else SHELL for number in range(self._pages)}
        return {"/": document("/1", "/2"), **numbers}

    async def seen(self, answer: Answer) -> Answer:
        assert isinstance(answer, Response)
        self.asked.append(answer.url)
        for _ in range(self._random.randrange(20)):
            await asyncio.sleep(0)
        number = int(answer.url.rpartition("/")[2])
        return answer._replace(rendered=RenderedPage(html=self._document(number).encode(), milliseconds=1))

    def _document(self, number: int) -> str:
        links = (f"/{(number * 2 + each) % self._pages}" for each in range(3))
        return document(*links, text=f"<p>{'some words of it ' * 30}{number}")


class Before:
    """Asks the browser about each answer before it is read."""

    def __init__(self, web: FakeWeb, application: Application) -> None:
        self.web, self.application = web, application

    async def fetch(self, request: Request) -> Answer:
        answer = await self.web.fetch(request)
        shell = isinstance(answer, Response) and answer.body == SHELL.encode()
        return await self.application.seen(answer) if shell else answer


@pytest.mark.parametrize(("seed", "pages"), [(0, 1_000), (1, 1_000), (2, 25), (3, 1)])
def test_NET_16_it_is_the_same_whenever_the_browser_is_asked(seed: int, pages: int, tmp_path: Path) -> None:
    """Also where the budget of pages is as small as what waits for the browser."""
    limits = replace(LIMITS, pages=pages)
    found: list[tuple[Snapshot, list[str]]] = []
    for late in (True, False):
        application = Application(60, seed)
        web = FakeWeb(application.routes, seed=seed)
        inventory = new_inventory(tmp_path, f"{late}")
        if late:
            crawl(web, inventory, limits=limits, seen=application.seen)
        else:
            crawl(Before(web, application), inventory, limits=limits)  # type: ignore[arg-type]
        assert len(application.asked) == len(set(application.asked))
        found.append((snapshot(inventory), sorted(application.asked)))
    assert found[0] == found[1]
    assert len(found[0][1]) == {1_000: 20, 25: 8, 1: 0}[pages], found[0][1]
