"""`ledger`: the addresses of the sitemap, of its history and of files; green at once, and a second run adds nothing."""

import json
import subprocess
from pathlib import Path

import pytest

from histories import History
from known_faults import GIVEN, files, put, sitemap
from servers import serve
from sitemap_action.__main__ import run

LIST = ".github/urls.txt"
LEDGER = ["ledger", *GIVEN, "--host", "netlify"]
CHECK = ["check", *GIVEN, "--host", "netlify", "--set", f"policy.ledger={LIST}"]
PAGES = ("a", "b", "c")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put(tmp_path, {**files(PAGES, PAGES, frozenset()), "dist/_redirects": "/moved/ /a/ 301\n/rotten/ /gone/ 301\n"})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines() -> dict[str, str]:
    """Address → class that it was declared gone with, "" for a bare line."""
    rows = [line.split(" ", 4) for line in Path(LIST).read_text().splitlines() if not line.startswith("#")]
    return {row[0]: row[3].rstrip(":") if len(row) > 1 else "" for row in rows}


FILES = [
    ("a list", "/moved/\nhttps://www.example.com/old/\n# x\n\n/b/\n", {"/moved/": "", "/old/": "gone"}),
    ("a ledger", "/moved/\n/old/ gone 2020-01-01 long ago\n", {"/moved/": "", "/old/": "gone"}),
    ("a CSV", "\ufeffid,URL,clicks\n1,https://www.example.com/old/,3\n2,/rotten/,4\n", {"/old/": "gone", "/rotten/": "redirect-broken"}),
    ("Search Console", "Top pages,Clicks\nhttps://www.example.com/old/?utm_source=x,3\n", {"/old/": "gone"}),
    ("in another language", "Die häufigsten Seiten,Klicks\nhttps://www.example.com/old/,3\n", {"/old/": "gone"}),
    ("with tabs", "Page\tClicks\nhttps://www.example.com/old/\t3\n", {"/old/": "gone"}),
    ("an access log", '9.9.9.9 - - [1/Jan/2026] "GET /old/?q=1 HTTP/1.1" 200 9 "-" "x"\n9.9.9.9 - - [1/Jan/2026] "GET /wp-login.php HTTP/1.1" 404 9\n9.9.9.9 - - [1/Jan/2026] "GET /x.css HTTP/2" 200 9\n9.9.9.9 - - [x] "POST /form/ HTTP/1.1" 200 9\n', {"/old/": "gone"}),
    ("a sitemap", sitemap(("moved", "old"), frozenset()), {"/moved/": "", "/old/": "gone"}),
    ("other sites, and what is none", "https://other.example/x/\nmailto:a@example.com\n//other.example/\n\0\n/%zz\n", {}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "more"), [row[1:] for row in FILES], ids=[row[0] for row in FILES])
def test_addresses_of_a_file(site: Path, text: str, more: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("old.txt").write_text(text)
    assert run([*LEDGER, "--from", "old.txt", "--dry-run"]) == 0
    assert not Path(LIST).exists()
    assert run([*LEDGER, "--from", "old.txt"]) == 0
    assert lines() == {"/": "", "/a/": "", "/b/": "", "/c/": "", **more}
    gone = sum(map(bool, more.values()))
    assert f"{LIST}: {4 + len(more)} addresses added, {gone} declared gone" in capsys.readouterr().out
    made = Path(LIST).read_bytes()
    rows = made.split(b"\n")[1:-1]
    assert rows == sorted(rows)
    assert run(CHECK) == 0, "green by construction"
    assert run([*LEDGER, "--from", "old.txt"]) == 0
    assert Path(LIST).read_bytes() == made
    assert "nothing to add" in capsys.readouterr().out


def test_the_history_of_the_sitemap_with_its_names(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history = History(site / "repository")
    top = history.top
    other = "<urlset><url>\n<loc>\nhttps://www.example.com/lines/\n</loc></url><url><loc>https://other.example/</loc></url></urlset>"
    history.commit({"static/urls.xml": sitemap(("a", "first", "x&amp;y"), frozenset())})
    history.git("mv", "static/urls.xml", "sitemap.xml")
    history.commit({"sitemap-old.xml": other})
    history.git("switch", "-q", "-c", "side")
    history.commit({"sitemap.xml": sitemap(("a", "side"), frozenset())})
    history.commit({"sitemap.xml": sitemap(("a", "merged"), frozenset())})
    history.git("switch", "-q", "main")
    history.step("merge", "-q", "--no-ff", "-m", "merge", "side")
    (top / "sitemap-old.xml").unlink()
    put(top, {**files(PAGES, PAGES, frozenset()), "dist/_redirects": "/moved/ /a/ 301\n"})
    history.commit()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(top)
        assert run(LEDGER) == 0
        gone = {"/first/", "/x&y/", "/lines/", "/merged/"}
        assert lines() == {"/": "", "/a/": "", "/b/": "", "/c/": "", **dict.fromkeys(gone, "gone")}
        assert run(CHECK) == 0
    assert "shallow" not in capsys.readouterr().err


def test_git_tells_since_when_and_what_broke_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history, out = History(tmp_path / "repository"), tmp_path / "report.json"
    monkeypatch.chdir(history.top)
    rules = "/moved/ /c/ 301\n/rotten/ /a/ 301\n/kept/ /b/ 301\n"
    pages = {**files(PAGES, PAGES, frozenset()), "dist/_redirects": rules}
    history.commit({**pages, LIST: "/a/\n/moved/\n"})
    history.commit({LIST: "/a/\n/c/\n/kept/\n/moved/\n/never/\n/rotten/\n"})
    (history.top / "dist/c/index.html").unlink()
    history.commit({"sitemap.xml": sitemap(("a", "b"), frozenset())})
    history.commit({"dist/_redirects": rules.replace("/rotten/ /a/ 301\n", "").replace("/b/", "/d/"), "dist/x.txt": ""})
    hashes = history.git("log", "--format=%h").split()
    assert run([*CHECK, "--report", f"json={out}"]) == 1
    rows = json.loads(out.read_text())["ledger"]["dead"]
    found = {row["url"].rpartition(".com")[2]: (row["since"], row.get("broken_by", "")) for row in rows}
    assert found == {
        "/c/": ("2020-01-03", f"commit {hashes[1]} of 2020-01-04 took it out of sitemap.xml"),
        "/kept/": ("2020-01-03", f"commit {hashes[0]} of 2020-01-05 changed it in dist/_redirects"),
        "/moved/": ("2020-01-02", f"commit {hashes[1]} of 2020-01-04 took /c out of sitemap.xml"),
        "/never/": ("2020-01-03", ""),
        "/rotten/": ("2020-01-03", f"commit {hashes[0]} of 2020-01-05 took it out of dist/_redirects"),
    }


def test_a_commit_that_gives_an_address_another_rule_took_it_out_of_the_sitemap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history, out = History(tmp_path / "repository"), tmp_path / "report.json"
    monkeypatch.chdir(history.top)
    pages = files(PAGES, PAGES, frozenset())
    history.commit({**pages, "dist/_redirects": "/old/ /c/ 301\n/s/ /a/ 301\n", LIST: "/c/\n"})
    (history.top / "dist/c/index.html").unlink()
    rules = "/s/ /a/ 301\n/c/ /a/ 302\n/x/ /a/ 301\n/old/ /c/ 301\n"
    history.commit({"dist/_redirects": rules, "sitemap.xml": sitemap(("a", "b"), frozenset())})
    assert run([*CHECK, "--report", f"json={out}"]) == 1
    (row,) = json.loads(out.read_text())["ledger"]["dead"]
    commit = history.git("log", "-1", "--format=%h").strip()
    assert row["broken_by"] == f"commit {commit} of 2020-01-03 took it out of sitemap.xml"


def test_a_repository_without_a_commit_has_no_history(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["git", "init", "-q", str(site)], check=True)
    assert run(LEDGER) == 0
    assert "? no address comes from the history" in capsys.readouterr().out


def test_a_served_site(site: Path) -> None:
    built = {name: text for name, text in files(PAGES, PAGES, frozenset()).items() if name.startswith("dist/")}
    routes = {name.removeprefix("dist").removesuffix("index.html"): text for name, text in built.items()}
    Path("old.txt").write_text("/old/\n/hidden/\n/broken/\n")
    with serve(
        {**routes, "/hidden/": built["dist/a/index.html"].replace("<title>a", "<title>b"), "/broken/": 500}
    ) as web:
        given = ["--url", web.url, "--site-url", "https://www.example.com/", "--no-progress"]
        assert run(["ledger", *given, "--sitemap", "sitemap.xml", "--from", "old.txt"]) == 0
        assert lines() == {"/": "", "/a/": "", "/b/": "", "/c/": "", "/old/": "gone"}
        assert run(["check", *given, "--sitemap", "sitemap.xml", "--set", f"policy.ledger={LIST}"]) == 0
    Path("sitemap.xml").unlink()
    Path(LIST).unlink()
    with serve({**routes, "/sitemap.xml": sitemap(("a", "served"), frozenset())}) as web:
        assert run(["ledger", "--url", web.url, "--site-url", "https://www.example.com/", "--no-progress"]) == 0
    assert lines().items() >= {"/a/": "", "/served/": "gone"}.items(), "of the sitemap that is served"


def test_lines_that_are_there_stay_and_are_told_where_they_are_wrong(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(site, {LIST: "/old/\n\n# ours\n/b/ \nx\n"})
    assert run(LEDGER) == 1
    assert Path(LIST).read_text() == "/\n/a/\n/c/\n/old/\n\n# ours\n/b/ \nx\n"
    printed = capsys.readouterr().out
    assert "✗ https://www.example.com/old/ is dead (gone): redirect it, or declare it gone by hand" in printed
    assert f"✗ {LIST}:5: it is no root-relative address" in printed


REFUSED = [
    ("the host is not known", ["--host", "auto"], 3, "name it with --host"),
    ("there is no sitemap", ["--sitemap", "other.xml"], 2, "other.xml does not exist"),
    ("no page", ["--path", "empty"], 3, "nothing was added"),
    ("no such file", ["--from", "none.txt"], 2, "cannot read none.txt"),
    ("a place outside", ["--set", "policy.ledger=../urls.txt"], 2, "policy.ledger"),
]  # fmt: skip


@pytest.mark.parametrize(("flags", "code", "says"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_adds_nothing(
    site: Path, flags: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty").mkdir()
    if "auto" in flags:
        Path("dist/_redirects").unlink()
    assert run([*LEDGER, *flags]) == code
    printed = capsys.readouterr()
    assert says in printed.out + printed.err
    assert not Path(LIST).exists()
