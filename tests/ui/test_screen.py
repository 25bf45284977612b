"""The screen in Chromium: from an address to the report, stopped and resumed, reloaded, without its program, attacked."""

import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from browser import Browser, browser
from hostile import HOSTILE
from screens import RunningScreen, Synthetic, fill, play, screen, text, until
from servers import Answering, Asked, Reply, Site, serve
from sitemap_action.__main__ import run as run_program

pytestmark = pytest.mark.xdist_group("browser")
AXE = Path(__file__).parents[2] / "build/axe"
SITE = "https://www.example.com/"
STATE, READ = text("state"), "Number(document.getElementById('count-read').textContent.replace(',', ''))"
START, STOP = "document.getElementById('start')", "document.getElementById('stop')"


@pytest.fixture(scope="module")
def tab() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningScreen]:
    place = tmp_path_factory.mktemp("screen")
    with screen(place / "root", place / "files") as found:
        yield found


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[RunningScreen]:
    """A screen without runs."""
    with screen(tmp_path / "root", tmp_path / "files") as found:
        yield found


def opened(tab: Browser, running: RunningScreen, *, width: int = 1280, dark: bool = False) -> None:
    tab.open(running.address, width=width, dark=dark)
    until(tab, "document.getElementById('field-source.url') !== null")


def pages(count: int, delay: float = 0.0) -> Callable[[Asked], Reply | int]:
    """/p-1 and so on, each linked from the one with a tenth of its number; one in seven links to a page that is gone."""

    def answer(asked: Asked) -> Reply | int:
        path = asked.path.removeprefix("/p-")
        if asked.path != "/" and not path.isdecimal():
            return 404
        number = int(path) if path.isdecimal() else 0
        links = [f"/p-{one}" for one in range(10 * number + 1, 10 * number + 11) if one < count]
        links += [f"/gone-{number}", f"/{number}.png"] if number % 7 == 3 else []
        body = "".join(f'<a href="{link}">{link}</a>' for link in links)
        return Reply(
            f"<!doctype html><html lang=en><title>Page {number}</title><h1>Page {number}</h1>{body}", delay=delay
        )

    return answer


def start(tab: Browser, site: Site, **more: str) -> None:
    fill(tab, source_url=site.url, site__url=SITE, baseline="committed", **more)
    tab.run(f"{START}.click()")


def test_from_an_address_to_the_report_and_the_files(tab: Browser, alone: RunningScreen, tmp_path: Path) -> None:
    with serve({"*": Answering(pages(30))}) as site:
        opened(tab, alone)
        start(tab, site, crawl_max__depth="9")
        until(tab, f"{STATE}.startsWith('Finished')")
        until(tab, "document.querySelector('iframe') !== null")
        assert tab.run(READ) == 34
        assert tab.run(text("said")).startswith("Finished: drift. there is no sitemap yet; 30 pages would be listed")
        assert "30" in tab.run("document.querySelector('#outcome .tiles').innerText")
        reasons = tab.run(text("unread"))
        assert "status 404" in reasons
        assert "/gone-3" in reasons
        assert "crawl.skip has media" in reasons
        assert "read: https://www.example.com/p-7" in tab.run(text("log"))
        assert tab.complaints == []
        assert all(one.startswith((alone.origin, "data:")) for one in tab.requests), "nothing from elsewhere"
        with alone.client() as client:
            files = {name: client.get(f"runs/1/files/{name}") for name in alone.session.runs[0].files}
            assert set(files) == {"sitemap/sitemap.xml", "sitemap.yml", "report.html", "report.json"}
            assert {one.headers["content-disposition"].partition(";")[0] for one in files.values()} == {"attachment"}
            assert files["sitemap/sitemap.xml"].text.count("<loc>") == 30
            assert files["report.json"].json()["counts"]["urls"] == 30
            view = client.get("runs/1/view")
            assert view.text == files["report.html"].text
            assert view.headers["content-security-policy"].startswith("sandbox allow-scripts")
            assert "allow-same-origin" not in view.headers["content-security-policy"]
        config = tmp_path / "sitemap.yml"
        config.write_bytes(files["sitemap.yml"].content)
        report = tmp_path / "again.json"
        assert run_program(["check", "--config", str(config), "--report", f"json={report}", "--quiet"]) == 1
        assert json.loads(report.read_text())["counts"] == files["report.json"].json()["counts"]


def test_a_run_is_stopped_and_the_next_start_goes_on(tab: Browser, alone: RunningScreen) -> None:
    with serve({"*": Answering(pages(40, delay=0.1))}) as site:
        opened(tab, alone)
        start(tab, site, crawl_concurrency="2")
        until(tab, f"{READ} > 12")
        tab.run(f"{STOP}.click()")
        until(tab, f"{STATE} === 'Stopped'")
        until(tab, "document.querySelector('iframe') !== null")
        assert "Incomplete: not everything was seen" in tab.run(text("outcome"))
        assert not tab.run("document.getElementById('bar').checkVisibility()"), "a part is no full bar"
        before = alone.session.runs[0]
        assert 10 < before.counts["urls"] < 40
        asked = len(site.paths)
        tab.run(f"{START}.click()")
        until(tab, f"{STATE}.startsWith('Finished')")
        until(tab, "document.getElementById('outcome').textContent.includes('came from the run before')")
        resumed = alone.session.runs[1]
        assert resumed.counts["urls"] == 40
        assert resumed.resumed >= before.counts["urls"]
        again = {path for path in site.paths[asked:] if path.startswith("/p-")} & {*site.paths[:asked]}
        assert len(again) <= 4, "what was under way, and no more"
        tab.run("document.querySelector('form.compare button').click()")
        until(tab, "document.getElementById('differences').textContent.startsWith('Run 1 and run 2')")
        assert tab.run("document.querySelectorAll('#differences .is-good').length") == 40 - before.counts["urls"]
        assert tab.complaints == []


def test_a_host_that_fails_is_said_with_what_to_do(tab: Browser, running: RunningScreen) -> None:
    opened(tab, running)
    with serve({}) as site:
        gone = site.url
    fill(tab, source_url=gone, site__url=SITE, baseline="committed", http_retries="0")
    tab.run(f"{START}.click()")
    until(tab, "document.querySelector('#outcome h3') !== null")
    shown = tab.run("document.getElementById('outcome').innerText")
    assert (
        "no connection; check that the server is up"
        in tab.run("document.querySelector('#outcome h3').innerText").splitlines()[0]
    )
    assert "↓ sitemap.xml" not in shown, "nothing was read, and there is no sitemap to take"
    assert tab.run(STATE) == "Finished: inconclusive"
    assert tab.run("document.getElementById('state').className") == "badge is-warn"
    assert not tab.run("document.getElementById('bar').checkVisibility()"), "no bar is full where nothing was read"
    assert tab.run(f"{START}.getAttribute('aria-disabled')") is None
    folder = running.session.root / "built"  # which tells no address: a served site of this machine is the site itself
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html><title>Home</title><h1>Home</h1>")
    tab.run("document.querySelector('[value=\"source.path\"]').click()")
    fill(tab, source_path="built", site__url="", baseline="")
    tab.run(f"{START}.click()")
    until(tab, "document.getElementById('outcome').innerText.includes('site-url is not set')")
    assert "hint: set where the pages will live" in tab.run("document.getElementById('outcome').innerText")
    assert tab.complaints == []


def test_problems_of_the_form_stand_at_their_fields(tab: Browser, running: RunningScreen) -> None:
    opened(tab, running)
    before = len(running.session.runs)
    tab.run("document.querySelector('[value=\"source.url\"]').click()")
    fill(tab, crawl_max__pages="many", source_url="", source_path="", site__url="")
    tab.run(f"{START}.click()")
    until(tab, "document.querySelectorAll('[aria-invalid=true]').length === 2")
    assert tab.run("document.activeElement.id") == "field-source.url"
    assert '"many" is not a whole number' in tab.run(text("field-crawl.max-pages-problem"))
    assert tab.run("document.getElementById('field-crawl.max-pages').closest('details').open")
    tab.run("document.querySelector('[value=\"source.path\"]').click()")
    fill(tab, crawl_max__pages="", source_path="")
    tab.run(f"{START}.click()")
    until(tab, "document.activeElement.id === 'field-source.path'")
    assert "choose a folder" in tab.run(text("field-source.path-problem"))
    assert tab.run("document.querySelectorAll('[aria-invalid=true]').length") == 1
    assert len(running.session.runs) == before
    tab.complaints.clear()  # the answer 422, which Chromium logs


def test_a_folder_is_chosen_by_keyboard(tab: Browser, alone: RunningScreen) -> None:
    build = alone.session.root / "site/dist"
    build.mkdir(parents=True)
    for name in ("index", "about"):
        (build / f"{name}.html").write_text(
            f"<!doctype html><title>{name}</title><h1>{name}</h1><a href=about.html>x</a>"
        )
    opened(tab, alone)
    tab.run("document.querySelector('[name=kind]').focus()")
    tab.key("ArrowRight")
    until(tab, "document.querySelector('#folders option[value=site]') !== null")
    tab.key("Tab", "\t")
    assert tab.run("document.activeElement.id") == "field-source.path"
    tab.type("site/")
    until(tab, "document.querySelector('#folders option[value=\"site/dist\"]') !== null")
    tab.type("dist")
    tab.key("Tab", "\t")
    assert tab.run("document.activeElement.id") == "field-site-url"
    tab.type(SITE)
    tab.key("Enter", "\r")
    until(tab, f"{STATE}.startsWith('Finished')")
    assert alone.session.runs[0].counts["urls"] == 2
    assert tab.complaints == []


def test_the_config_of_the_folder_fills_the_form(tab: Browser, alone: RunningScreen) -> None:
    config = alone.session.root / ".github/sitemap.yml"
    config.parent.mkdir()
    config.write_text("site-url: https://docs.example.com/\nsource: {path: dist}\ncrawl: {max-pages: 77}\n")
    opened(tab, alone)
    value = "document.getElementById('field-{}').value"
    assert tab.run(value.format("site-url")) == "https://docs.example.com/"
    assert tab.run(value.format("crawl.max-pages")) == "77"
    assert tab.run("document.querySelector('[value=\"source.path\"]').checked")
    tab.run("document.getElementById('based').click()")
    assert tab.run(value.format("crawl.max-pages")) == ""
    config.write_text("crawl: {max-page: 1}")
    opened(tab, alone)
    assert "max-page is not a known key" in tab.run(text("config-problem"))


def test_a_reload_and_a_second_tab_show_the_same_run(tab: Browser, alone: RunningScreen) -> None:
    with serve({"*": Answering(pages(400, delay=0.1))}) as site:
        opened(tab, alone)
        start(tab, site, crawl_concurrency="3")
        until(tab, f"{READ} > 12")
        read, first = tab.run(READ), tab.run("document.querySelector('#log li').textContent")
        opened(tab, alone)
        assert tab.run("document.getElementById('field-source.url').value") == site.url, "the form is kept"
        until(tab, f"{STATE} === 'Running' && {READ} >= {read}")
        assert tab.run("document.querySelector('#log li').textContent") == first
        with browser() as second:
            opened(second, alone)
            until(second, f"{STATE} === 'Running' && {READ} >= {read}")
            fill(second, source_url=site.url, site__url=SITE)
            assert second.run(f"{START}.getAttribute('aria-disabled')") == "true"
            with alone.client() as client:
                answer = client.post("start", json={"values": {"source.url": site.url}})
                assert answer.json() == {"problems": {"": "a run is under way; stop it first"}}
            second.run(f"{STOP}.click()")
            until(tab, f"{STATE} === 'Stopped'")
        assert len(alone.session.runs) == 1
        assert tab.complaints == []


def test_ten_thousand_pages_leave_the_page_small(tab: Browser, alone: RunningScreen) -> None:
    """The time is measured by benchmarks/screen.py."""
    opened(tab, alone)
    play(alone, Synthetic(10_000, lambda number: f"{SITE}{number}/", wait=0.05))
    until(tab, f"{STATE} === 'Failed' && {READ} === 10000")
    until(tab, "document.querySelector('#log').lastChild.textContent.includes('9999')")
    assert tab.run("document.querySelectorAll('#log li').length") == 300
    assert tab.run("document.querySelectorAll('*').length") < 6_000
    assert tab.run("document.querySelectorAll('#unread > details').length") <= 61
    assert tab.run(
        "[...document.querySelectorAll('#log li')].some(one => one.textContent.includes('are left out here'))"
    )
    assert tab.complaints == []


def test_a_program_that_is_away_is_said_and_found_again(tab: Browser, alone: RunningScreen) -> None:
    opened(tab, alone)
    until(tab, f"!{START}.hasAttribute('aria-disabled')")
    play(alone, Synthetic(20, lambda number: f"{SITE}first/{number}/"))
    until(tab, "document.querySelectorAll('#log li').length === 20")
    alone.away()
    until(tab, "!document.getElementById('gone').hidden")
    assert "The program does not answer" in tab.run(text("gone"))
    alone.serve()
    until(tab, "document.getElementById('gone').hidden")
    assert tab.run("document.querySelectorAll('#log li').length") == 20, "no line twice"
    play(alone, Synthetic(5, lambda number: f"{SITE}second/{number}/"))
    until(tab, "document.querySelectorAll('#log li').length === 5")
    tab.complaints.clear()  # what Chromium logs of refused connections


@pytest.mark.attack("injection")
def test_no_text_of_a_site_is_executed(tab: Browser, alone: RunningScreen) -> None:
    texts = [*HOSTILE, "javascript:alert(1)", "<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "W" * 5_000, "__proto__"]  # fmt: skip

    class Hostile(Synthetic):
        async def lines(self) -> AsyncIterator[str]:
            for one in texts:
                yield json.dumps({"what": "fetched", "url": one, "status": 200})
                yield json.dumps({"what": "skipped", "url": one, "reason": one})
                line = one.encode(errors="replace").decode()  # as a child's is read
                yield line
                yield '{"what":' + line
            yield json.dumps({"what": "fetched", "url": ["no text"], "status": "x"})

    opened(tab, alone)
    play(alone, Hostile(0, str))
    until(tab, f"{STATE} === 'Failed'")
    alone.session.runs[0].target = "<b onclick=alert(1)>\u202e"
    opened(tab, alone)
    for width in (1280, 390):
        tab.resize(width)
        until(tab, "document.querySelectorAll('#log li').length > 60 && document.querySelector('#outcome h3') !== null")
        tab.run("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert tab.run("document.querySelectorAll('main script, main style, img, object, [onerror], [onclick], [style], #log a, #unread a').length") == 0  # fmt: skip
        assert tab.run("document.documentElement.scrollWidth - innerWidth") == 0
        assert tab.run(text("target")) == "<b onclick=alert(1)>\u202e"
    assert tab.complaints == []


@pytest.mark.attack("injection")
def test_a_site_with_hostile_titles_and_addresses_is_shown_as_text(tab: Browser, alone: RunningScreen) -> None:
    evil = "<img src=x onerror=alert(1)>&lt;script&gt;alert(2)&lt;/script&gt;"
    links = '<a href="/%3Cscript%3Ealert(3)%3C/script%3E">x</a><a href="/&quot;onload=alert(4)">y</a><a href="javascript:alert(5)">z</a>'
    with serve({"*": f"<!doctype html><title>{evil}</title><h1>{evil}</h1>{links}"}) as site:
        opened(tab, alone)
        start(tab, site)
        until(tab, "document.querySelector('iframe') !== null")
        assert tab.run("document.querySelectorAll('img, [onerror], main script').length") == 0
        tab.open(tab.run("document.querySelector('iframe').src"))
        until(tab, "document.querySelector('.verdict') !== null")
        assert tab.run("document.querySelectorAll('img, [onerror], main script').length") == 0
        assert tab.run("(() => { try { return document.cookie; } catch (error) { return error.name; } })()") == "SecurityError"  # fmt: skip
        reach = "fetch('../../form').then(() => 'answered', () => 'refused')"
        assert tab.run(reach) == "refused", "the report reaches nothing of the program"
        tab.complaints.clear()  # what Chromium logs of that


def barriers(tab: Browser) -> list[object]:
    if not (AXE / ".lock").exists():
        pytest.skip("axe-core is not installed: run `make axe`, which needs npm")
    source = (AXE / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    tab.run(source)
    found = tab.run("axe.run({exclude: [['iframe']]}).then(({violations}) => violations.map(one => [one.impact, one.id, one.nodes.slice(0, 3).map(node => node.html + ' ' + node.failureSummary)]))")  # fmt: skip
    assert isinstance(found, list)
    return found


AXES = [(1280, False), (390, True)]  # width; dark or light


@pytest.fixture(scope="module")
def finished(running: RunningScreen) -> RunningScreen:
    """With two runs that have a report."""
    with serve({"*": Answering(pages(12))}) as site, running.client() as client:
        for most in ("5000", "8"):
            values = {"source.url": site.url, "site-url": SITE, "baseline": "committed", "crawl.max-pages": most}
            before = len(running.session.runs)
            assert client.post("start", json={"values": values}).status_code == 200
            end = time.monotonic() + 60
            while running.session.running and time.monotonic() < end:
                time.sleep(0.05)
            assert running.session.runs[before].sitemap
    return running


@pytest.mark.parametrize(("width", "dark"), AXES)
def test_axe_finds_no_barrier(width: int, dark: bool, tab: Browser, finished: RunningScreen) -> None:
    opened(tab, finished, width=width, dark=dark)
    assert barriers(tab) == []
    until(tab, "document.querySelector('form.compare') !== null && document.querySelector('#log li') !== null")
    fill(tab, crawl_max__pages="many", source_url="", source_path="", site__url="")
    tab.run("document.querySelectorAll('details').forEach(one => { one.open = true }); document.querySelector('form.compare button').click()")  # fmt: skip
    tab.run(f"{START}.click()")
    until(
        tab,
        "document.querySelectorAll('[aria-invalid=true]').length === 2 && document.querySelector('#differences p') !== null",
    )
    assert barriers(tab) == []


def test_axe_finds_one_that_is_there(tab: Browser, finished: RunningScreen) -> None:
    opened(tab, finished)
    tab.run(
        "document.querySelector('[for=\"field-site-url\"]').remove(); document.querySelector('.muted').style.color = '#ccc'"
    )
    found = str(barriers(tab))
    assert "label" in found
    assert "color-contrast" in found


def test_it_fits_a_phone_and_the_colours_follow_the_switch(tab: Browser, finished: RunningScreen) -> None:
    opened(tab, finished, width=390)
    until(tab, "document.querySelector('form.compare') !== null")
    tab.run("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert tab.run("document.documentElement.scrollWidth - innerWidth") == 0
    colour = "getComputedStyle(document.body).backgroundColor"
    light = tab.run(colour)
    tab.run("document.querySelector('[value=dark]').click()")
    assert tab.run(colour) != light
    tab.run("document.querySelector('[value=auto]').click()")
    assert tab.run(colour) == light
