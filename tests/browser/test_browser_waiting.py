"""How long a page is waited for: one browser renders a table of late and of complete pages, side by side."""

import asyncio

import pytest

from browser import program
from sitemap_action.browser import pool
from sitemap_action.browser.requests import Resources
from sitemap_action.config.schema import RenderConfig
from sitemap_action.fetch.base import Answer, Request, Response

HOME = "https://www.example.com/"
ADDED = '<a href="/late">'  # as HTML is written; in the scripts it has no quotes
LINK = "document.body.insertAdjacentHTML('beforeend', '<a href=/late>late</a>');"


def after(milliseconds: int, body: str, script: str = LINK) -> str:
    """Without any request, so that only what the page shows tells whether more is to come."""
    return f"<!doctype html><body>{body}<script>setTimeout(() => {{ {script} }}, {milliseconds})</script>"


LATE = {
    "data": f"<body><h1>Welcome</h1><script>fetch('/slow').then(() => {{ {LINK} }})</script>",
    "two requests": f"<body>Hi<script>fetch('/1').then(() => fetch('/2')).then(() => {{ {LINK} }})</script>",
    "a timer of two seconds": after(2000, "<h1>Welcome</h1>"),
    "nothing to see": after(4000, "<div id=x></div>"),
    "hidden text": after(4000, "<div hidden>Welcome</div>"),
    "an empty root": after(4000, "<div id=root></div><footer>© Example</footer>"),
    "Loading…": after(4000, "<h1>Welcome</h1><p>Loading…</p>"),
    "Chargement": after(4000, "<p>Chargement des pages</p>"),
    "Wird geladen": after(4000, "<p>Wird geladen</p>"),
    "читается": after(4000, "<p>Идёт загрузка</p>"),
    "読み込み中": after(4000, "<p>ただいま読み込み中です</p>"),
    "another language": after(4000, "<p>Tá sé ag teacht…</p>"),
    "aria-busy": after(4000, "<main aria-busy=true><h1>Welcome</h1></main>"),
    "a progress bar": after(4000, "<h1>Welcome</h1><div role=progressbar></div>"),
    "a status without words": after(4000, "<h1>Welcome</h1><div role=status><svg></svg></div>"),
    "a spinner": after(4000, "<h1>Welcome</h1><div class='ui-Spinner'></div>"),
    "a skeleton": after(4000, "<h1>Welcome</h1><div class=MuiSkeleton-root></div>"),
    "a counter": after(4000, "<h1>0</h1>", LINK).replace("<script>", "<script>setInterval(() => document.querySelector('h1').append('.'), 700);"),
    "a link in a shadow root": after(4000, "<p>Loading…</p><x-a></x-a>", "document.querySelector('x-a').attachShadow({mode: 'open'}).innerHTML = '<a href=/late>late</a>'"),
}  # fmt: skip
THERE = {
    "a view without links": after(12_000, "<h1>Nothing is here</h1>"),
    "a form": after(12_000, "<form><label>Name <input></label><button>Log in</button></form>"),
    "a filled root": after(12_000, "<div id=root><h1>Thank you</h1></div>"),
    "loading among other words": after(12_000, "<p>How loading a ship works, in more words than a notice has.</p>"),
    "a loading shop": after(12_000, "<p>Downloading is over</p>"),
    "an empty status": after(12_000, "<h1>Welcome</h1><div role=status></div>"),
    "a hidden spinner": after(12_000, "<h1>Welcome</h1><div class=spinner hidden></div>"),
    "text in a shadow root": after(12_000, "<x-a><template shadowrootmode=open><p>Welcome</p></template></x-a>"),
    "elements with names of functions": after(12_000, "<p>Welcome</p><form name=querySelectorAll><input name=shadowRoot></form>"),
}  # fmt: skip
OWN = after(3500, "<h1>Welcome</h1>", "document.body.className = 'ready'")


class Slow:
    """Answers after three seconds, or after one."""

    async def fetch(self, request: Request) -> Answer:
        await asyncio.sleep(3 if request.url.endswith("/slow") else 1)
        return Response(request.url, 200, (("content-type", "text/plain"),), b"there")


async def rendered(documents: list[str], options: RenderConfig) -> list[str]:
    environment = {"SITEMAP_ACTION_BROWSER": program()}
    async with pool.open_browser(options, Resources(Slow()), 200_000, environment) as found:
        assert found is not None
        answers = [
            Response(f"{HOME}{at}", 200, (("content-type", "text/html; charset=utf-8"),), text.encode())
            for at, text in enumerate(documents)
        ]
        pages = await asyncio.gather(*map(found.render, answers))
        assert [page.failure for page in pages] == [""] * len(documents)
        return [page.html.decode() for page in pages]


def test_a_page_is_waited_for_until_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The link of a page that is there comes later than anything on it tells; that of any other page is seen."""
    documents = {**LATE, **THERE}
    monkeypatch.setattr(pool, "PAGES", len(documents))
    found = asyncio.run(rendered([*documents.values()], RenderConfig(wait_for_timeout=15.0, timeout=80.0)))
    assert [name for name, html in zip(documents, found, strict=True) if ADDED in html] == [*LATE]


def test_a_selector_of_the_user_is_waited_for() -> None:
    (found,) = asyncio.run(rendered([OWN], RenderConfig(wait_for=(".ready",))))
    assert '<body class="ready">' in found
