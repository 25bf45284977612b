"""Pages that scripts make are judged whole or not at all: a slow answer, a timer, a stream, a login, a state of a view."""

import asyncio
import json
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from browser import program
from servers import Answering, Asked, One, Reply, Route, serve
from sitemap_action.__main__ import run
from sitemap_documents import urlset

SITE = "https://www.example.com/"
TEXT = "word " * 70
ROOT = "<div id=root></div><script type=module src=/app.js></script>"
FILL = "document.querySelector('#root').innerHTML ="


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", program())
    monkeypatch.setattr("sitemap_action.browser.requests.STREAM", 1)  # seconds
    monkeypatch.setattr("sitemap_action.browser.page.STREAM", 1)
    return tmp_path


def page(body: str) -> str:
    return f"<!doctype html><title>Page</title><body>{body}"


def script(text: str, delay: float = 0.0) -> Reply:
    return Reply(text, type="text/javascript", delay=delay)


def check(url: str, *options: str) -> dict[str, Any]:
    command = ["check", url, "--site-url", SITE, "--set", "http.backoff=0.01", "--set", "http.retries=0", *options]
    run([*command, "--quiet", "--report", "json=report.json"])
    report: dict[str, Any] = json.loads(Path("report.json").read_text())
    return report


def paths(rows: list[dict[str, Any]]) -> list[str]:
    return [row["url"].removeprefix(SITE) for row in rows]


class Case(NamedTuple):
    """A part of a site: the page that the start page links to, what is served, and what is known of it."""

    start: str
    routes: dict[str, Route]
    listed: list[str]
    skipped: Mapping[str, str] = MappingProxyType({})


LATE_NOINDEX = """
    const robots = document.createElement("meta"); robots.name = "robots"; robots.content = "noindex";
    setTimeout(() => document.head.append(robots), 800);
"""
LOGIN = "is shown in the place of https://www.example.com/{}, which requires a login"
ASKS = "requires a login: redirects to https://www.example.com/login, which returns to it"
MERGED = "a browser shows the same as at https://www.example.com/guide"


async def silence(writer: asyncio.StreamWriter) -> None:
    """A stream that has sent nothing yet."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
    await writer.drain()
    await asyncio.sleep(30)


async def events(writer: asyncio.StreamWriter) -> None:
    """A stream with one event, and no end."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: /streamed\n\n")
    await writer.drain()
    await asyncio.sleep(30)


def to_login(asked: Asked) -> Reply:
    return Reply(status=302, headers={"location": f"/login?next={asked.path}"})


def root(name: str) -> str:
    """A page that a script of its own fills."""
    return page(f"<div id=root></div><script type=module src=/{name}.js></script>")


CASES = {
    "G-01: a timer of two and a half seconds": Case(
        "timer",
        {
            "/timer": root("timer"),
            "/timer.js": script(
                f"{FILL} '<a href=/timer/1>t</a>'; setTimeout(() => {{ {FILL} '<a href=/timer/2>t</a>'; }}, 2500)"
            ),
            "/timer/1": page(TEXT),
            "/timer/2": page(f"{TEXT}2"),
        },
        ["timer", "timer/2"],
    ),
    "G-01: the first event of a stream": Case(
        "event",
        {
            "/event": root("event"),
            "/event.js": script(
                f"new EventSource('/events').onmessage = (event) => {{ {FILL} `<a href=${{event.data}}>s</a>`; }}"
            ),
            "/events": events,
            "/streamed": page(f"{TEXT}streamed"),
        },
        ["event", "streamed"],
    ),
    "G-01: a stream that is silent": Case(
        "silent",
        {
            "/silent": root("silent"),
            "/silent.js": script(f"{FILL} '<a href=/silent/a>silent</a>'; new EventSource('/silence')"),
            "/silence": silence,
            "/silent/a": page(f"{TEXT}silent"),
        },
        ["silent", "silent/a"],
    ),
    "G-01: a request without an end, after loading has ended": Case(
        "waits",
        {
            "/waits": root("waits"),
            "/waits.js": script(f"{FILL} '<a href=/waits/a>waits</a>'; setTimeout(() => fetch('/wait'), 1000)"),
            "/wait": Reply(delay=30),
            "/waits/a": page(f"{TEXT}waits"),
        },
        ["waits", "waits/a"],
    ),
    "G-01: a poll with an address of its own each time, and where a script goes later": Case(
        "polls",
        {
            "/polls": root("polls"),
            "/polls.js": script(
                f"{FILL} '<a href=/polls/a>polls</a>'; setInterval(() => fetch('/tick?' + Math.random()), 100);"
                "setTimeout(() => { location.href = '/polls/a'; }, 2500)"
            ),
            "/tick*": Answering(lambda _: Reply("5")),
            "/polls/a": page(f"{TEXT}polls"),
        },
        ["polls", "polls/a"],
    ),
    "G-02: a shell of less than 200 characters": Case(
        "short",
        {
            "/short": "<div id=app></div><script src=/short.js defer></script>",
            "/short.js": script("document.querySelector('#app').innerHTML = '<a href=/short/a>short</a>'"),
            "/short/a": page(f"{TEXT}short"),
        },
        ["short", "short/a"],
    ),
    "G-04: a query for the state of a view, and a page that is pushed later": Case(
        "state",
        {
            "/state": root("state"),
            "/state.js": script(
                f"{FILL} '<a href=/state/a>state</a>'; history.replaceState(null, '', '/state?page=1');"
                "setTimeout(() => history.pushState(null, '', '/other'), 1500)"
            ),
            "/state/a": page(f"{TEXT}state"),
        },
        ["state", "state/a"],
    ),
    "G-05: a login in the place of two pages, by the server": Case(
        "two",
        {
            "/two": page(f"{TEXT}<a href=/two/one>1</a><a href=/two/two>2</a>"),
            "/two/one": Answering(to_login),
            "/two/two": Answering(to_login),
            "/login*": Answering(lambda _: page(f"Who are you? {TEXT}")),
        },
        ["two"],
        {
            "two/one": ASKS,
            "two/two": ASKS,
            "login?next=/two/one": LOGIN.format("two/one"),
            "login?next=/two/two": LOGIN.format("two/two"),
        },
    ),
    "G-05: a login in the place of a page, by a script": Case(
        "private",
        {"/private": root("private"), "/private.js": script("location.replace('/login?next=' + location.pathname)")},
        [],
        {"private": ASKS, "login?next=/private": LOGIN.format("private")},
    ),
    "G-06: a logo and a heading in an element of another name": Case(
        "shop",
        {
            "/shop": page("<div id=shop><img src=/l.png alt=Logo><h1>Shop</h1></div><script type=module src=/shop.js></script>"),
            "/shop.js": script("document.querySelector('#shop').innerHTML = '<a href=/shop/a>shop</a>'"),
            "/shop/a": page(f"{TEXT}shop"),
        },
        ["shop", "shop/a"],
    ),
    "G-08: headings of a page that are addresses with a query": Case(
        "guide",
        {
            "/guide*": Answering(lambda _: root("guide")),
            "/guide.js": script(f"{FILL} '<a href=/guide?id=one>1</a> <a href=/guide?id=two>2</a> {TEXT}'"),
        },
        ["guide"],
        {"guide?id=one": MERGED, "guide?id=two": MERGED},
    ),
    "G-09: noindex after 0.8 seconds": Case(
        "late",
        {"/late": root("late"), "/late.js": script(f"{FILL} '<a href=/>home</a>'; {LATE_NOINDEX}")},
        [],
        {"late": 'has <meta name="robots" content="noindex">'},
    ),
}  # fmt: skip


def test_a_page_is_judged_as_a_visitor_sees_it() -> None:
    """All are pages of one site, whose start page has its links from data of three seconds, and then of one more (G-01)."""
    routes: dict[str, Route] = {}
    for case in CASES.values():
        routes |= case.routes
    prefixes = {
        path[:-1]: route.answer for path, route in routes.items() if isinstance(route, Answering) and path[-1] == "*"
    }

    def answer(asked: Asked) -> One:
        found = (route for prefix, route in prefixes.items() if asked.path.partition("?")[0] == prefix)
        return next(found, lambda _: 404)(asked)

    routes |= {
        "/": page(ROOT),
        "/app.js": script(
            f"{FILL} '<a href=/early>e</a>'; const get = (url) => fetch(url).then((answer) => answer.text());"
            f"get('/1').then((url) => get(url)).then((html) => {{ {FILL} html; }});"
        ),
        "/1": Reply("/2", delay=3),
        "/2": Reply("".join(f"<a href=/{case.start}>{case.start}</a> " for case in CASES.values()), delay=1),
        "/early": page(f"{TEXT}early"),
        "*": Answering(answer),
    }
    with serve(routes) as site:
        report = check(site.url)
    assert report["complete"], report["incomplete"]
    assert paths(report["added"]) == sorted(["", *(path for case in CASES.values() for path in case.listed)])
    skipped = {path: why for case in CASES.values() for path, why in case.skipped.items()}
    assert {row["url"].removeprefix(SITE): row["detail"] for row in report["skipped"]} == skipped


UNFINISHED = {
    "without an end": (Reply(delay=30), "after 2 seconds (render.timeout) {}data has no answer"),
    "cut off": (lambda writer: writer.drain(), "{}data is not answered: "),
}


@pytest.mark.parametrize("how", UNFINISHED)
def test_G_01_a_page_without_its_data_is_undetermined(how: str) -> None:
    """Named with the request, whether new or committed; it is neither listed nor missing, and the run proves nothing."""
    data, why = UNFINISHED[how]
    routes: dict[str, Route] = {
        "/": page(f"{TEXT}<a href=/half>h</a><a href=/kept>k</a>"),
        "/half": page(ROOT),
        "/kept": page(ROOT),
        "/app.js": script(f"{FILL} '<a href=/a>a</a>'; fetch('/data').then(() => {{ {FILL} 'all' }})"),
        "/data": data,
    }
    Path("sitemap.xml").write_text(urlset(SITE, f"{SITE}kept"))
    with serve(routes) as site:
        report = check(site.url, "--sitemap", "sitemap.xml", "--set", "render.timeout=2")
    assert (report["result"], report["stale"]["missing"], report["stale"]["extra"]) == ("inconclusive", [], [])
    assert paths(report["undetermined"]) == ["half", "kept"]
    for reason in ("; ".join(report["incomplete"]), *(row["reason"] for row in report["undetermined"])):
        assert "not finished in the browser" in reason
        assert why.format(site.url) in reason


@pytest.mark.parametrize("kind", ["script", "script of a folder", "refresh", "302"])
def test_G_07_a_chain_ends_after_ten_hops_in_one_row(kind: str, workspace: Path) -> None:
    """Of redirects of any kind; where it ends is no address without an answer."""
    onward = (f"/loop?{number}" for number in count())
    answers: dict[str, Callable[[], One]] = {
        "script": lambda: page(ROOT),
        "refresh": lambda: page(f'<meta http-equiv=refresh content="0;url={next(onward)}">'),
        "302": lambda: Reply(status=302, headers={"Location": next(onward)}),
    }
    leave = "if (location.pathname === '/loop') location.replace('/loop?' + Math.random());"
    home = f"<a href=/loop>l</a>{TEXT}"
    if kind == "script of a folder":
        (workspace / "dist").mkdir()
        fill = f"{leave} else {FILL} '{home}' + location.pathname"
        for name, text in (("index.html", page(ROOT)), ("app.js", fill), ("_redirects", "/* /index.html 200\n")):
            (workspace / "dist" / name).write_text(text)
        report = check("dist", "--set", "crawl.max-pages=40")
        assert report["complete"]
        assert report["rendering"]["pages"] == 14  # the start page, a random path, /loop and eleven hops
    else:
        answer = Answering(lambda asked: answers[kind]() if asked.path.startswith("/loop") else 404)
        with serve({"/": page(home), "*": answer, "/app.js": script(leave)}) as site:
            report = check(site.url)
            assert sum(path.startswith("/loop") for path in site.paths) == 12
    assert [(paths([row]), row["reason"]) for row in report["skipped"]] == [(["loop"], "redirect-broken")]
    assert report["skipped"][0]["detail"].startswith("redirects more than 10 times")
    assert report["undetermined"] == []
    assert paths(report["added"]) == [""]


CODE, DEEP = "<script src=/app.js></script>", "<script type=module src=/app.js></script>"
FILLER = f"<!-- {'x' * 400} -->"
ADD = "document.body.insertAdjacentHTML('beforeend', '<a href=/a>a</a>');"
FEW = "one two three four five six seven eight nine ten eleven"
# document, script, whether a browser is there, the key that HTML-70 names, the option with it
KEYS: dict[str, tuple[str, str, bool, str, str]] = {
    "a root": (f"{FILLER}<div id=root>{FEW}</div>{CODE}", "", False, "(render.detect.roots)", "render.detect.roots=['#mine']"),
    "scripts": (f"{FILLER * 9}<p>{FEW}{CODE * 11}", "", False, "(render.detect.script-count)", "render.detect.script-count=11"),
    "HTML for each script": (f"<div id=root>{FEW}</div><p>a<p>b<p>c<p>d{FILLER}{CODE}", "", False, "(render.detect.content-per-script)", "render.detect.content-per-script=100"),
    "a notice": (f"{FILLER}<p>Loading docks{CODE}", "", False, "(render.detect.loading)", "render.detect.loading=[spinner]"),
    "few words": (f"{FILLER}<div id=x></div><p>{FEW}{DEEP}", "", False, "(render.detect.words)", "render.detect.words=10"),
    "little HTML": (f"<p>Hi{CODE}", ADD, True, "(render.when: always renders it)", "render.when=always"),
    "nothing": (f"{FILLER}{CODE}", ADD, False, "(render.when: never keeps it as served)", ""),
    "never": (f"{FILLER}<div id=root></div>{CODE}", ADD, True, "render.when is never", "render.when=auto"),
    "late text": (f"{FILLER}<div id=root></div>{CODE}", f"setTimeout(() => {{ {ADD} }}, 15000)", True, "within render.wait-for-timeout", "render.wait-for-timeout=20"),
    "a late notice": (f"{FILLER}<p>Loading{CODE}", f"setTimeout(() => {{ {ADD} }}, 15000)", True, "after render.wait-for-timeout it still shows only 'loading'", "render.wait-for-timeout=20"),
}  # fmt: skip


def test_G_06_each_clause_names_the_key_that_changes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Why a page is a shell, or looks like one and is not rendered: done as it says, HTML-70 is another or none."""
    with_browser = program()
    for name, (document, body, browser, key, option) in KEYS.items():
        monkeypatch.setenv("SITEMAP_ACTION_BROWSER", with_browser if browser else "none")
        never = ["--set", "render.when=never"] if name == "never" else []
        with serve({"/": page(document), "/a": page(TEXT), "/app.js": script(body), "*": 404}) as site:
            before = check(site.url, *never)
            if name == "nothing":
                monkeypatch.setenv("SITEMAP_ACTION_BROWSER", with_browser)
            after = check(site.url, *(["--set", option] if option else []))
        told = [[row["message"] for row in one["findings"] if row["rule"] == "HTML-70"] for one in (before, after)]
        assert len(told[0]) == 1, name
        assert key in told[0][0], name
        assert told[1] == [], name
        assert paths(after["added"]) == (["", "a"] if body else [""]), name


def test_few_words_beside_an_empty_element_are_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", "none")
    few = page(f"{FILLER}<div id=x></div><p>{FEW}{DEEP}")
    with serve({"/": page(f"<a href=/few>f</a>{TEXT}"), "/few": few, "*": 404}) as site:
        report = check(site.url)
    assert (report["complete"], paths(report["added"])) == (True, ["", "few"])
    assert [row["url"] for row in report["findings"] if row["rule"] == "HTML-70"] == [f"{SITE}few"]


@pytest.mark.parametrize(("many", "result"), [(1, "in-sync"), (2, "inconclusive")])
def test_a_few_shells_are_named_and_many_prove_nothing(many: int, result: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 31 pages is less than 5 %."""
    monkeypatch.setenv("SITEMAP_ACTION_BROWSER", "none")
    names = [f"p{number:02}" for number in range(30)]
    links = "".join(f"<a href=/{name}>{name}</a>" for name in names)
    shells = {f"/{name}": page(f"{FILLER}<div id=root></div>{CODE}") for name in names[:many]}
    with serve(
        {**{f"/{name}": page(f"{name} {TEXT}") for name in names}, **shells, "/": page(links), "*": 404}
    ) as site:
        Path("sitemap.xml").write_text(urlset(*(f"{SITE}{name}" for name in ("", *names))))
        report = check(site.url, "--sitemap", "sitemap.xml", "--set", "crawl.requests-per-second=1000")
    assert report["result"] == result
    found = [row["url"] for row in report["findings"] if row["rule"] == "HTML-70"]
    assert found == [f"{SITE}{name}" for name in names[:many]]


def test_G_06_of_answers_for_any_address_the_key_is_named() -> None:
    """HTML-46: a document with many words is no shell, and its application is seen where every page is rendered."""
    views = "const known = {'/': 'Home', '/a': 'Page A'}[location.pathname];"
    fill = f"{views} document.querySelector('#x').innerHTML = known ? `<h1>${{known}}</h1><a href=/a>a</a>` : '<h1>404</h1>';"
    routes: dict[str, Route] = {
        "*": Answering(lambda asked: page(f"<p>{TEXT}<div id=x></div>{CODE}")),
        "/app.js": script(fill),
        "/robots.txt": 404,
    }
    with serve(routes) as site:
        before, after = check(site.url), check(site.url, "--set", "render.when=always")
    assert "(HTML-46); render.when: always sees what scripts make of it" in before["incomplete"][0]
    assert (paths(before["added"]), before["complete"]) == ([], False)
    assert (paths(after["added"]), after["complete"]) == (["", "a"], True)
    with serve({"/": page(TEXT), "*": page(f"<p>Hi{CODE}"), "/app.js": script(""), "/robots.txt": 404}) as site:
        report = check(site.url)
    (told,) = [row["message"] for row in report["findings"] if row["rule"] == "HTML-46"]
    assert "under 200 characters of HTML (render.when: always renders it)" in told


def test_G_03_a_password_field_in_a_script_is_none() -> None:
    routes: dict[str, Route] = {"*": page(f"{TEXT}<script>const field = '<input type=password>'</script>")}
    with serve(routes) as site:
        report = check(site.url)
    assert "password" not in json.dumps(report)
