"""What a real Chromium makes of documents, and what they can not do: one browser for all of them."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from browser import program
from sitemap_action.browser.pool import Browser, open_browser
from sitemap_action.browser.process import find_browser, memory_of_session, start_browser
from sitemap_action.browser.requests import Resources
from sitemap_action.config.schema import RenderConfig, RenderWhen, WaitUntil
from sitemap_action.errors import UsageError
from sitemap_action.fetch.base import Answer, Failure, RenderedPage, Request, Response, Skip
from sitemap_action.model.source import RenderUse
from webs import Web

HOME = "https://www.example.com/"
QUICK = RenderConfig(wait_for=(), timeout=30.0)
MOST = 200_000  # characters of a document
JSON = (("content-type", "application/json"),)
CRASHED = "it crashed in the browser, or needed too much memory"
SCRIPT = (("content-type", "text/javascript"),)


def scripted(script: str, body: str = "") -> str:
    return f"<!doctype html><title>x</title><body>{body}<script>{script}</script>"


DOCUMENTS = {
    "/data": scripted("fetch('/links').then(r => r.json()).then(l => document.body.append(...l))"),
    "/later": scripted("setTimeout(() => document.body.append('late'), 200)"),
    "/module": "<body><script type=module src=/app.js></script>",
    "/sheet": scripted("", "<link rel=stylesheet href=/a.css onload='document.body.append(`styled`)'>"),
    "/location": scripted("location.href = '/to?a=1'"),
    "/history": scripted("history.replaceState({}, '', '/en/')"),
    "/fragment": scripted("location.hash = 'top'; document.body.append('here')"),
    "/reload": scripted("document.body.append('again'); setTimeout(() => location.reload(), 50)"),
    "/dialog": scripted("alert(1); confirm(2); prompt(3); document.body.append('after')"),
    "/print": scripted("window.print(); window.open('/other'); document.body.append('printed')"),
    "/download": scripted("const a = document.createElement('a'); a.href = 'data:text/plain,x'; a.download = 'x'; a.click(); document.body.append('clicked')"),
    "/post": scripted("fetch('/links', {method: 'POST'}).catch(() => document.body.append('refused'))"),
    "/pictures": scripted("document.body.append('seen')", "<img src=/a.png><video src=/a.mp4></video><iframe src=/frame></iframe>"),
    "/shadow": scripted("const root = document.querySelector('x-a').attachShadow({mode: 'open'}); root.innerHTML = '<h1>T</h1><slot name=s></slot><x-b></x-b><p><slot></slot></p><i><slot name=t>none</slot></i>'; root.querySelector('x-b').attachShadow({mode: 'open'}).innerHTML = '<a href=/b>b</a>'", "<x-a>plain<a slot=s href=/a>a</a></x-a>"),
    "/declared": scripted("", "<x-a><template shadowrootmode=open><a href=/d>d</a></template>unseen</x-a>"),
    "/named": scripted("document.body.append('there')", "<img name=documentElement><img name=querySelectorAll>"),
    "/error": scripted("throw new Error('no such thing')"),
    "/polls": scripted("document.body.append('polls'); setInterval(() => fetch('/links'), 100)"),
    "/grows": scripted("setInterval(() => document.body.append('x'.repeat(100000)), 50)"),
    "/kept": scripted("document.body.append(localStorage.a || 'new'); localStorage.a = 'old'; document.cookie = 'a=1'"),
    "/kept/2": scripted("document.body.append(document.cookie + (localStorage.a || 'new')); localStorage.a = 'old'"),
    "/many": scripted("for (let i = 0; i < 305; i++) fetch('/n/' + i)"),
}  # fmt: skip


@pytest.fixture(scope="module")
def rendered() -> tuple[dict[str, RenderedPage], Web]:
    web = Web(
        {
            "/links": Response("", 200, JSON, b'["one","two"]'),
            "/app.js": Response("", 200, SCRIPT, b"document.body.append('module')"),
            **{f"/n/{number}": Response("", 200, JSON, b"{}") for number in range(305)},
        }
    )

    async def render() -> dict[str, RenderedPage]:
        async with open_browser(QUICK, Resources(web), MOST, {"SITEMAP_ACTION_BROWSER": program()}) as browser:
            assert browser is not None
            found = await asyncio.gather(*(browser.render(served(path)) for path in DOCUMENTS))
            return dict(zip(DOCUMENTS, found, strict=True))

    return asyncio.run(render()), web


def served(path: str) -> Response:
    return Response(HOME + path[1:], 200, (("content-type", "text/html"),), DOCUMENTS[path].encode())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/data", "onetwo"),
        ("/later", "late"),
        ("/module", "module"),
        ("/sheet", "styled"),  # an empty style sheet, which a page may wait for
        ("/fragment", "here"),
        ("/reload", "again"),
        ("/dialog", "after"),
        ("/print", "printed"),
        ("/download", "clicked"),
        ("/post", "refused"),
        ("/pictures", "seen"),
        ("/polls", "polls"),
        (
            "/shadow",
            '<x-a><h1>T</h1><a slot="s" href="/a">a</a><x-b><a href="/b">b</a></x-b><p>plain</p><i>none</i></x-a>',
        ),
        ("/declared", '<x-a><a href="/d">d</a></x-a>'),  # what no slot shows is no content
        ("/named", "there"),
    ],
)
def test_what_scripts_make_is_read(rendered: tuple[dict[str, RenderedPage], Web], path: str, text: str) -> None:
    page = rendered[0][path]
    assert (page.failure, page.redirect) == ("", "")
    assert text in page.html.decode().replace(DOCUMENTS[path].partition("<script>")[2], "")


@pytest.mark.parametrize(("path", "to"), [("/location", "to?a=1"), ("/history", "en/")])
def test_a_script_that_goes_to_another_page(rendered: tuple[dict[str, RenderedPage], Web], path: str, to: str) -> None:
    assert rendered[0][path].redirect == HOME + to
    assert HOME + "to?a=1" not in [request.url for request in rendered[1].requests]


@pytest.mark.attack("cost")
def test_a_document_that_grows_has_a_reason(rendered: tuple[dict[str, RenderedPage], Web]) -> None:
    assert "its document grows beyond" in rendered[0]["/grows"].failure


@pytest.mark.attack("cost")
def test_a_script_without_end_has_a_reason() -> None:
    """The next document has another page, and the browser goes on."""
    hangs = Response(HOME, 200, (("content-type", "text/html"),), scripted("while (true) {}").encode())

    async def render() -> tuple[RenderedPage, RenderedPage]:
        options = RenderConfig(wait_for=(), timeout=0.5)
        async with open_browser(options, Resources(Web({})), MOST, {"SITEMAP_ACTION_BROWSER": program()}) as browser:
            assert browser is not None
            late = await browser.render(hangs)
            browser._options = QUICK
            return late, await browser.render(served("/dialog"))

    late, after = asyncio.run(render())
    assert late.failure == "it takes the browser more than 0.5 seconds (render.timeout)"
    assert after.failure == ""


class Killing:
    """Answers with text, and ends the processes of all pages so often before, some seconds after it was asked."""

    def __init__(self, times: int, after: float) -> None:
        self.times, self.after, self.asked = times, after, 0
        self.browser: Browser | None = None

    async def fetch(self, request: Request) -> Answer:
        self.asked += 1
        if self.asked <= self.times:
            assert self.browser is not None
            await asyncio.sleep(self.after)
            kill(self.browser, only="--type=renderer")
        return Response(request.url, 200, (("content-type", "text/plain"),), b"whole")


@pytest.mark.attack("cost")
@pytest.mark.parametrize(
    ("times", "failure", "then"),
    [(1, "", ""), (2, CRASHED, ""), (2, CRASHED, "setTimeout(() => { while (true) {} }, 100)")],
    ids=["once", "twice", "while it hangs"],
)
def test_a_page_whose_process_is_killed_has_one_more_try(times: int, failure: str, then: str) -> None:
    """One that hangs had no answer for what it was asked."""
    script = "fetch(`/x?${Math.random()}`).then(r => r.text()).then(t => document.body.append(t));"
    document = Response(HOME, 200, (("content-type", "text/html"),), scripted(script + then).encode())

    async def render() -> tuple[RenderedPage, RenderedPage]:
        fetcher = Killing(times, 0.5 if then else 0.0)
        async with open_browser(QUICK, Resources(fetcher), MOST, {"SITEMAP_ACTION_BROWSER": program()}) as browser:
            assert browser is not None
            fetcher.browser = browser
            return await browser.render(document), await browser.render(served("/dialog"))

    found, after = asyncio.run(render())
    assert (found.failure, b"</script>whole" in found.html) == (failure, not failure)
    assert (after.failure, b"after" in after.html) == ("", True)


def test_only_scripts_and_data_are_loaded(rendered: tuple[dict[str, RenderedPage], Web]) -> None:
    asked = {path.partition("?")[0].rstrip("0123456789") for path in rendered[1].asked}
    assert asked == {"/links", "/app.js", "/n/"}


def test_the_first_thing_that_went_wrong_is_named(rendered: tuple[dict[str, RenderedPage], Web]) -> None:
    assert "Error: no such thing" in rendered[0]["/error"].refused
    assert rendered[0]["/post"].refused == f"{HOME}links: POST is not sent"
    assert "more than 300 requests of one page" in rendered[0]["/many"].refused


def test_a_page_finds_nothing_that_another_one_left(rendered: tuple[dict[str, RenderedPage], Web]) -> None:
    for path in ("/kept", "/kept/2"):
        assert b"</script>new" in rendered[0][path].html


@pytest.mark.parametrize("first", [97, 300])
def test_a_browser_starts_whatever_numbers_its_pipes_have(first: int) -> None:
    """A process with many open files gives them any number."""

    async def render() -> RenderedPage:
        async with open_browser(QUICK, Resources(Web({})), MOST, {"SITEMAP_ACTION_BROWSER": program()}) as browser:
            assert browser is not None
            held = [os.open(os.devnull, os.O_RDONLY)]
            while held[-1] < first - 1:
                held.append(os.open(os.devnull, os.O_RDONLY))
            try:
                return await browser.render(served("/dialog"))
            finally:
                for one in held:
                    os.close(one)

    assert asyncio.run(render()).failure == ""


@pytest.mark.attack("cost")
def test_a_browser_that_is_killed_is_started_again_a_few_times() -> None:
    async def render() -> list[RenderedPage]:
        async with open_browser(QUICK, Resources(Web({})), MOST, {"SITEMAP_ACTION_BROWSER": program()}) as browser:
            assert browser is not None
            found = [await browser.render(served("/dialog"))]
            for _ in range(4):
                kill(browser)
                found.append(await browser.render(served("/dialog")))
            return found

    first, *others, last = asyncio.run(render())
    assert [one.failure for one in (first, *others)] == [""] * 4
    assert last.failure == "the browser cannot be started: it ended 4 times"


def kill(browser: Browser, only: str = "") -> None:
    """Its processes, or those with this argument."""
    assert browser._running is not None
    for pid, _ in list(memory_of_session(browser._running.process.process.pid)):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended with another one
            if only in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGKILL)


def processes(browser: Browser) -> tuple[set[int], str]:
    """Their users, and all arguments and variables."""
    assert browser._running is not None
    users, arguments = set(), ""
    for pid, _ in memory_of_session(browser._running.process.process.pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # the process of a page ends with it
            users.add(Path(f"/proc/{pid}").stat().st_uid)
            arguments += Path(f"/proc/{pid}/cmdline").read_text() + Path(f"/proc/{pid}/environ").read_text()
    return users, arguments


def test_nothing_of_a_browser_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tmp_path.chmod(0o755)
    process = start_browser(program(), sandbox=False)
    assert list(tmp_path.iterdir()) == [process.profile]
    process.kill()
    for end in (process.write_to, process.read_from, process.errors_from):
        os.close(end)
    left = [pid for pid, size in memory_of_session(process.process.pid) if size]  # what has ended waits for init
    assert (left, list(tmp_path.iterdir())) == ([], [])


@pytest.mark.attack("addresses")
def test_a_browser_has_no_rights_and_no_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "hush-hush")

    async def look() -> tuple[set[int], str]:
        async with open_browser(QUICK, Resources(Web({})), MOST, {"SITEMAP_ACTION_BROWSER": program()}) as browser:
            assert browser is not None
            await browser.render(served("/dialog"))
            return processes(browser)

    users, arguments = asyncio.run(look())
    assert 0 not in users
    assert "--remote-debugging-port" not in arguments
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in arguments
    assert "hush-hush" not in arguments
    for off in ("disable-remote-fonts", "webrtc-ip-handling-policy=disable_non_proxied_udp", "imagesEnabled=false"):
        assert off in arguments


STARTS = """#!/bin/sh
echo "$@" >> {log}
case "$*" in *--no-sandbox*) exec {browser} "$@";; esac
[ "$(wc -l < {log})" -le {times} ] && exit 1
exec {browser} "$@"
"""


@pytest.mark.parametrize(("times", "flags"), [(1, [False, False]), (2, [False, False, True])], ids=["once", "twice"])
def test_a_browser_that_ends_while_it_starts_keeps_its_sandbox(times: int, flags: list[bool]) -> None:
    """Whatever killed it, it is tried once more; where that is the kernel that lets it have none, the run goes on without."""

    async def render(script: Path) -> tuple[RenderedPage, RenderUse]:
        async with open_browser(QUICK, Resources(Web({})), MOST, {"SITEMAP_ACTION_BROWSER": str(script)}) as browser:
            assert browser is not None
            seen = await browser.render(served("/dialog"))
            return seen, RenderUse(1, 0, 0.0, browser.version, not browser.sandbox_failure, browser.sandbox_failure)

    with TemporaryDirectory() as folder:  # the browser has another user, who reads it
        script, log = Path(folder) / "browser", Path(folder) / "log"
        log.touch()
        log.chmod(0o666)
        Path(folder).chmod(0o755)
        script.write_text(STARTS.format(log=log, browser=program(), times=times))
        script.chmod(0o755)
        seen, use = asyncio.run(render(script))
        assert ["--no-sandbox" in line for line in log.read_text().splitlines()] == flags
    assert seen.failure == ""
    notes = ("the browser ran without its sandbox: started with it, it ended while it started (exit status 1)",)
    assert use.notes[1:] == (notes if times == 2 else ())


def test_on_windows_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    assert find_browser({"SITEMAP_ACTION_BROWSER": sys.executable}) == ""


def test_which_program_is_the_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_browser({}) == ""
    for name in ("google-chrome", "chromium", "chromium-headless-shell"):
        (tmp_path / name).touch(mode=0o755)
        assert find_browser({}) == str(tmp_path / name)
    (tmp_path / "mine").touch(mode=0o755)
    assert find_browser({"SITEMAP_ACTION_BROWSER": "mine"}) == str(tmp_path / "mine")


def test_without_a_browser() -> None:
    async def opened(when: RenderWhen) -> Browser | None:
        options = RenderConfig(when=when)
        async with open_browser(options, Resources(Web({})), MOST, {"SITEMAP_ACTION_BROWSER": "none"}) as browser:
            return browser

    assert find_browser({"SITEMAP_ACTION_BROWSER": "none"}) == ""
    assert asyncio.run(opened(RenderWhen.AUTO)) is None
    assert asyncio.run(opened(RenderWhen.NEVER)) is None
    with pytest.raises(UsageError, match="no browser is installed"):
        asyncio.run(opened(RenderWhen.ALWAYS))


NO_BROWSERS = {
    "exit 0": "it ended while it started (exit status 0)",
    "echo 'Error: no display' >&2; echo more >&2; exit 3": "it ended while it started (exit status 3): Error: no display",
    "echo '[7:7:1122/101500.123456:ERROR:a.cc(1)] No usable sandbox!' >&2; exit 1": "it ended while it started (exit status 1): No usable sandbox!",
    "echo 'unknown option --remote-debugging-pipe' >&2; exec sleep 600": "it gave no answer within 0.5 seconds: unknown option --remote-debugging-pipe",
    "yes >&2": "it gave no answer within 0.5 seconds: y",
    "printf 'welcome' >&4; exec sleep 600": "it gave no answer within 0.5 seconds",
    "printf 'welcome\\0' >&4; exec sleep 600": "its answer is no message of the DevTools protocol",
}  # fmt: skip


@pytest.mark.parametrize("when", [RenderWhen.AUTO, RenderWhen.ALWAYS])
def test_a_program_that_is_no_browser(monkeypatch: pytest.MonkeyPatch, when: RenderWhen) -> None:
    """What it said first is the reason: of each page, or of a run that is to render every page."""
    monkeypatch.setattr("sitemap_action.browser.pool._PATIENCE", 0.5)

    async def render(program: Path) -> str:
        options = RenderConfig(when=when)
        try:
            environment = {"SITEMAP_ACTION_BROWSER": str(program)}
            async with open_browser(options, Resources(Web({})), MOST, environment) as browser:
                assert browser is not None
                first, second = await asyncio.gather(*(browser.render(served("/later")) for _ in range(2)))
                assert first == second
                return first.failure
        except UsageError as error:
            return f"raised: {error}"

    with TemporaryDirectory() as folder:  # the browser has another user, who reads it
        Path(folder).chmod(0o755)
        programs = {Path(folder): "it is a folder", Path(folder) / "none": "there is no such program"}
        for number, (script, why) in enumerate(NO_BROWSERS.items()):
            file = Path(folder) / f"browser{number}"
            file.write_text(f"#!/bin/sh\n{script}\n")
            file.chmod(0o755)
            programs[file] = why
        (Path(folder) / "file").write_text("")
        programs[Path(folder) / "file"] = "it is not executable"
        found = {program: asyncio.run(render(program)) for program in programs}
    before = "raised: render.when is always, and " if when is RenderWhen.ALWAYS else ""
    assert found == {
        program: f"{before}SITEMAP_ACTION_BROWSER names {program}, which cannot be used: {why}"
        for program, why in programs.items()
    }


@pytest.mark.parametrize("until", [WaitUntil.LOAD, WaitUntil.DOM_CONTENT_LOADED])
def test_an_earlier_end_sees_less(until: WaitUntil) -> None:
    class Slow:
        async def fetch(self, request: Request) -> Answer:
            await asyncio.sleep(0.4)
            return Skip(request.url, "late", failure=Failure.TIMEOUT)

    async def render() -> RenderedPage:
        options = RenderConfig(wait_for=(), wait_until=until)
        async with open_browser(options, Resources(Slow()), MOST, {"SITEMAP_ACTION_BROWSER": program()}) as browser:
            assert browser is not None
            return await browser.render(served("/data"))

    seen = asyncio.run(render())
    assert b"</script>one" not in seen.html
    assert seen.failure == ""
