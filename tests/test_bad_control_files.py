"""Broken, huge, circular and hostile control files of hosts, and those of two hosts at once, end to end through `check`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sitemap_action.__main__ import run
from sitemap_action.hosts.all import UNKNOWN

SITE = "https://www.example.com/"
PAGES = ("index.html", "about.html", "guide/index.html", "404.html")
LISTED = ("", "about", "guide/")


def sitemap(*paths: str) -> str:
    rows = "".join(f"  <url><loc>{SITE}{path}</loc></url>\n" for path in paths)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build of three pages, which link to each other without `.html`, and their sitemap."""
    for name in PAGES:
        page = tmp_path / "dist" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        words = f"The page {name} has words of its own. " * 20
        page.write_text(
            f'<!doctype html><title>{name}</title><p>{words}</p><a href="/about">a</a> <a href="/guide/">g</a>'
        )
    (tmp_path / "sitemap.xml").write_text(sitemap(*LISTED))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*arguments: str, command: str = "check") -> tuple[int, dict[str, Any]]:
    flags = ["--path", "dist", "--site-url", SITE, "--baseline", "committed", "--report", "json=report.json"]
    Path("report.json").unlink(missing_ok=True)
    code = run([command, *flags, *arguments])
    report = Path("report.json")
    return code, json.loads(report.read_text()) if report.exists() else {}


BROKEN: tuple[tuple[str, str, bytes, str], ...] = (
    ("no JSON", "vercel.json", b'{\n"cleanUrls": true,\n}', "vercel.json:3:1: this is not JSON"),
    ("empty", "vercel.json", b"", "vercel.json:1:1: this is not JSON"),
    ("cut off", "vercel.json", b'{"redirects": [{"source": "/a"', "vercel.json:1:31: this is not JSON"),
    ("another type", "vercel.json", b'{"redirects": {"source": "/a"}}', "vercel.json line 1: redirects is not a list of objects"),
    ("deep", "vercel.json", b'{"a":' * 100_000, "vercel.json: this is not JSON that a host reads: it nests too deep"),
    ("bytes", "vercel.json", b"\xff\xfe{}", "vercel.json is not UTF-8"),
    ("large", "vercel.json", b" " * (4 << 20) + b"{}", "vercel.json is larger than 4 MiB"),
    ("Firebase", "firebase.json", b'{"hosting": 1}', "firebase.json line 1: hosting is not an object"),
    ("Azure", "staticwebapp.config.json", b'{"trailingSlash": 1}', "trailingSlash is not a text"),
    ("Netlify", "netlify.toml", b"[[redirects]\n", "netlify.toml: this is not TOML"),
    ("Wrangler", "wrangler.toml", b"[assets]\nhtml_handling = 'x'\n", "html_handling is not one of auto-trailing-slash"),
    ("Wrangler, JSON", "wrangler.jsonc", b'{\n"assets": {}, /*', "wrangler.jsonc:2:17: this is not JSON"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "content", "sentence"), [pytest.param(*row[1:], id=row[0]) for row in BROKEN])
def test_a_broken_file_is_one_sentence_with_its_place_and_a_way_out(
    name: str, content: bytes, sentence: str, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / name).write_bytes(content)
    for command in ("check", "write"):
        assert check(command=command)[0] == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert sentence in printed.err
        assert "source.host" in printed.err
        assert len(printed.err.splitlines()) <= 3
    assert (workspace / "sitemap.xml").read_text() == sitemap(*LISTED)
    assert check("--host", "nginx-clean")[0] == 0


def folder(file: Path) -> None:
    file.mkdir()


def outside(file: Path) -> None:
    target = file.parent.parent / "outside.json"
    target.write_text('{"cleanUrls": true, "redirects": [{"source": "/about", "destination": "/stolen"}]}')
    file.symlink_to(target)


def nowhere(file: Path) -> None:
    file.symlink_to(file.parent / "none.json")


def device(file: Path) -> None:
    file.symlink_to("/dev/zero")


LINK = "vercel.json is not read: it goes through a symbolic link"


@pytest.mark.parametrize(("make", "note"), [(folder, ""), (outside, LINK), (nowhere, LINK), (device, LINK)])
def test_what_is_no_file_of_the_workspace_configures_nothing(
    make: Callable[[Path], None], note: str, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(workspace / "vercel.json")
    code, report = check()
    assert (code, report["stale"]["extra"]) == (0, [])  # as links and sitemap have it
    assert report["notes"] == [UNKNOWN, *([note] if note else [])]
    assert "stolen" not in str(capsys.readouterr())


def rows(report: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Class and detail of each removed URL, by its path."""
    return {row["url"].removeprefix(SITE): (row["class"], row["detail"]) for row in report["removed"]}


def test_20_000_rules_decide_each_with_its_line(workspace: Path) -> None:
    rules = [f"/old/{number} /guide/\n/more/{number}/* /about 302\n" for number in range(10_000)]
    (workspace / "dist/_redirects").write_text("".join(rules))
    (workspace / "sitemap.xml").write_text(sitemap(*LISTED, "old/9999", "more/9999/x", "old/10000"))
    code, report = check()
    assert code == 1
    assert rows(report) == {
        "old/9999": ("moved", f"redirects to {SITE}guide/ (_redirects line 19999)"),
        "more/9999/x": ("moved-temporary", f"redirects temporarily to {SITE}about (_redirects line 20000)"),
        "old/10000": ("gone", "no file for this URL (404)"),
    }
    assert report["notes"] == [
        "the build is addressed as on netlify, by _redirects of the build; source.host names another host"
    ]


def test_the_rules_that_a_host_does_not_take_are_said(workspace: Path) -> None:
    """HOST-06."""
    rules = "".join(f"/old/{number} /guide/ 301\n" for number in range(20_000))
    (workspace / "dist/_redirects").write_text(rules)
    (workspace / "sitemap.xml").write_text(sitemap(*LISTED, "old/1999", "old/2000"))
    code, report = check("--host", "cloudflare-pages")
    assert code == 1
    assert rows(report) == {
        "old/1999": ("moved", f"redirects to {SITE}guide/ (_redirects line 2000)"),
        "old/2000": ("gone", "no file for this URL (404)"),
    }
    (finding,) = [row for row in report["findings"] if row["rule"] == "RT-04"]
    assert (finding["path"], finding["line"]) == ("dist/_redirects", 2001)
    assert finding["message"] == "the host never serves a redirect rule that a published URL needs"
    assert (finding["count"], finding["examples"]) == (18_000, [f"{SITE}old/2000"])
    assert report["notes"] == []


_BACK = f"redirects in a loop, back to {SITE}a (_redirects line 1)"
_ON = f"redirects more than 10 times, on to {SITE}"
LOOPS: tuple[tuple[str, str, str, str], ...] = (
    ("two", "netlify", "/a /b\n/b /a", _BACK),
    ("three", "netlify", "/a /b\n/b /c\n/c /a", _BACK),
    ("one", "cloudflare-pages", "/a /a", _BACK),
    ("without end", "cloudflare-pages", "/a/* /a/x/:splat\n/a /a/x", f"{_ON}a{'/x' * 11} (_redirects line 2)"),
    ("long", "netlify", "".join(f"/a{'x' * n} /a{'x' * (n + 1)}\n" for n in range(50)), f"{_ON}a{'x' * 11} (_redirects line 1)"),
    ("over every page", "netlify", "/* /x/:splat 301!", f"{_ON}{'x/' * 11}a (_redirects line 1)"),
)  # fmt: skip


@pytest.mark.parametrize(("host", "rules", "detail"), [pytest.param(*row[1:], id=row[0]) for row in LOOPS])
def test_a_redirect_loop_ends(host: str, rules: str, detail: str, workspace: Path) -> None:
    (workspace / "dist/_redirects").write_text(rules)
    (workspace / "sitemap.xml").write_text(sitemap(*LISTED, "a"))
    code, report = check("--host", host)
    assert (code, rows(report)["a"]) == (1, ("redirect-broken", detail))


HOSTILE = (
    ("terminal", b"/a\x1b[2J\x1b]0;x\x07 /b\x1b[31m\n/about /\x1b[31m 301!\n"),
    ("bytes", b"\xff\xfe /b\n/\xff /\xfe 301!\n\x00 \x00\n"),
    ("a byte order mark", b"\xef\xbb\xbf/about /guide/ 301!\n"),
    ("Windows", b"/about /guide/ 301!\r\n/a /b\r\n"),
    ("workflow commands", b"/about /::error::x%0A::set-output 301!\n::error::x /b\n"),
    ("markdown", b"/about /<img/src=x>|`x`[y](z) 301!\n"),
    ("long", b"/" + b"a" * 5_000_000 + b" /b\n"),
    ("stars", b"/" + b"*" * 1_000 + b" /b\n" + b"/*" * 900 + b" /b\n"),
    ("names", b"/" + b"/".join(b":a%d" % n for n in range(300)) + b" /b\n"),
    ("an address", b"/about javascript:alert(1) 301!\n/about //evil.example/ 301!\n"),
    ("above the root", b"/about /../../etc/passwd 200!\n/../about /guide/ 301!\n"),
)  # fmt: skip


@pytest.mark.parametrize("host", ["netlify", "cloudflare-pages"])
@pytest.mark.parametrize("content", [pytest.param(row[1], id=row[0]) for row in HOSTILE])
def test_hostile_rules_end_in_a_verdict_and_print_nothing_raw(
    host: str, content: bytes, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "dist/_redirects").write_bytes(content)
    code, report = check("--host", host, "--report", "markdown=report.md")
    assert code in {0, 1}
    assert report["complete"]
    printed = capsys.readouterr()
    shown = printed.out + printed.err + Path("report.md").read_text() + Path("report.json").read_text()
    assert not {"\x1b", "\x07", "\x00"} & set(shown)
    assert not any(line.startswith("::") for line in shown.splitlines())
    assert "root:" not in shown


def test_HOST_01_of_two_hosts_one_wins_and_the_report_says_how_to_name_the_other(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace / "vercel.json").write_text('{"redirects": [{"source": "/about", "destination": "/guide/"}]}')
    (workspace / "netlify.toml").write_text("")
    (workspace / "dist/CNAME").write_text("www.example.com")
    code, report = check()
    assert (code, report["result"]) == (0, "in-sync")
    note = (
        "the build is addressed as on netlify, by netlify.toml; vercel.json would mean vercel, and does not count; "
        "CNAME of the build would mean github-pages, and does not count; source.host names another host"
    )
    assert report["notes"] == [note]
    assert note in " ".join(capsys.readouterr().out.split())

    code, report = check("--host", "vercel")
    assert (code, report["notes"], rows(report)["about"][0]) == (1, [], "moved")
    assert check("--host", "github-pages")[0] == 0
