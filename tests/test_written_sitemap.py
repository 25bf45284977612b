"""What `write` writes is valid, whatever the pages are called and the committed file holds (R-02…R-21)."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from servers import serve
from sitemap_action.__main__ import run
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.read import read

SITE = "https://www.example.com/"
NAMESPACES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def page(folder: Path, name: str, *links: str) -> None:
    hrefs = "".join(f'<a href="{link}">{link}</a>' for link in links)
    words = f"The page {name} has words of its own. " * 20
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"<!doctype html><title>{name}</title><h1>{name}</h1><p>{words}</p>{hrefs}")


def urlset(*entries: str, namespaces: str = NAMESPACES) -> str:
    rows = "".join(f"<url>{entry if '<' in entry else f'<loc>{SITE}{entry}</loc>'}</url>\n" for entry in entries)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {namespaces}>\n{rows}</urlset>\n'


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build of two pages in the folder `dist`."""
    page(tmp_path / "dist", "index.html", "/a.html")
    page(tmp_path / "dist", "a.html")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def act(command: str, *flags: str, sitemap: str = "sitemap.xml") -> tuple[int, dict[str, Any]]:
    """The exit code and the report of a run over the folder `dist`."""
    source = () if "--url" in flags else ("--path", "dist", "--offline")
    code = run([command, *source, "--site-url", SITE, "--sitemap", sitemap, "--report", "json=report.json", *flags])
    return code, json.loads(Path("report.json").read_text())


def locs(text: str) -> list[str]:
    return [part.partition("</loc>")[0] for part in text.split("<loc>")[1:]]


def test_R_02_brackets_in_file_names_and_queries_are_written_as_escapes(site: Path) -> None:
    page(site / "dist", "x[y.html")
    code, report = act("write")
    assert (code, report["result"]) == (0, "drift")
    assert f"{SITE}x%5By.html" in locs(Path("sitemap.xml").read_text())
    assert act("check")[1]["result"] == "in-sync"


def test_R_02_of_a_served_site(site: Path) -> None:
    home = b'<!doctype html><title>Home</title><p>Home of the lists.</p><a href="/list?f[]=1">a</a>'
    with serve({"/": home, "/list?f%5B%5D=1": b"<!doctype html><title>List</title><p>One thing.</p>"}) as served:
        flags = ("--url", served.url, "--allow-private-hosts", "127.0.0.1", "--set", "sitemaps.use=false")
        assert act("write", *flags)[0] == 0
        assert f"{SITE}list?f%5B%5D=1" in locs(Path("sitemap.xml").read_text())
        assert act("check", *flags)[1]["result"] == "in-sync"


def test_R_02_a_pattern_and_a_rule_of_robots_txt_mean_both_spellings(site: Path) -> None:
    page(site / "dist", "x[y.html")
    page(site / "dist", "p]q.html")
    (site / "dist" / "robots.txt").write_text("User-agent: *\nDisallow: /p]q.html\n")
    assert act("write", "--set", 'select.exclude=["/x[y.html"]')[0] == 0
    assert locs(Path("sitemap.xml").read_text()) == [SITE, f"{SITE}a.html"]


@pytest.mark.parametrize(
    "option",
    [
        "output.keep=[/**]",
        "select.include=[/**]",
        "select.exclude=[/x/**]",
        "select.query=drop",
        "policy.required=[/**]",
        "policy.sections={/**: {max-removed: 5}}",
        "policy.expected-removals=[{url: /**, reason: old, until: 2099-01-31}]",
    ],
)
@pytest.mark.parametrize("command", ["check", "write"])
def test_R_10_a_malformed_escape_is_a_finding_whatever_patterns_are_configured(
    site: Path, option: str, command: str
) -> None:
    Path("sitemap.xml").write_text(urlset("", "100%zz", "<loc>https://u:p@www.example.com/u</loc>", "a.html"))
    code, report = act(command, "--set", option)
    if command == "write":
        assert (code, report["result"]) == (0, "drift")
        assert locs(Path("sitemap.xml").read_text()) == [SITE, f"{SITE}a.html"]
    else:
        assert (code, report["result"]) == (1, "invalid")
        assert "SM-25" in {finding["rule"] for finding in report["findings"]}


@pytest.mark.parametrize("name", ["sitemap.txt", "sitemap.txt.gz"])
def test_R_18_the_suffix_names_the_format(site: Path, name: str) -> None:
    assert act("write", sitemap=name)[0] == 0
    content = Path(name).read_bytes()
    text = gzip.decompress(content) if name.endswith(".gz") else content
    assert text.decode() == f"{SITE}\n{SITE}a.html\n"
    page(site / "dist", "b.html")
    assert act("check", sitemap=name)[1]["stale"]["missing"] == [f"{SITE}b.html"]
    assert act("write", sitemap=name)[0] == 0
    assert act("check", sitemap=name)[1]["result"] == "in-sync"


def test_R_18_other_formats_lie_beside_it(site: Path) -> None:
    assert act("write", "--set", "output.format=[xml, text, json]", sitemap="sitemap.txt")[0] == 0
    assert Path("sitemap.txt").read_text().startswith(SITE)
    assert locs(Path("sitemap.xml").read_text()) == [SITE, f"{SITE}a.html"]
    assert [row["loc"] for row in json.loads(Path("sitemap.json").read_text())] == [SITE, f"{SITE}a.html"]


@pytest.mark.parametrize("name", ["sitemap.json", "sitemap.json.gz"])
def test_R_18_what_is_no_sitemap_is_not_written(site: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["write", "--path", "dist", "--offline", "--site-url", SITE, "--sitemap", name]) == 2
    assert "in .xml or .txt" in capsys.readouterr().err
    assert not Path(name).exists()


def test_R_18_a_text_sitemap_that_is_full_names_its_index(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--path", "dist", "--offline", "--site-url", SITE, "--sitemap", "sitemap.txt"]
    assert run(["write", *flags, "--set", "output.urls-per-file=1"]) == 2
    assert "name sitemap-index.xml in `sitemap`" in capsys.readouterr().err


def test_R_21_changefreq_and_priority_of_committed_entries_stay(site: Path) -> None:
    kept = f"<loc>{SITE}</loc><changefreq>daily</changefreq><priority>0.8</priority>"
    Path("sitemap.xml").write_text(urlset(kept, "gone.html"))
    code, report = act("write")
    assert (code, report["result"], report["stale"]["missing"]) == (0, "drift", [f"{SITE}a.html"])
    text = Path("sitemap.xml").read_text()
    assert "<changefreq>daily</changefreq>" in text
    assert "<priority>0.8</priority>" in text
    assert act("check")[1]["result"] == "in-sync"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("lastmod", "2099-01-01"),
        ("lastmod", "10/05/2005"),
        ("lastmod", "2005-02-30"),
        ("changefreq", "Sometimes"),
        ("priority", "1.5"),
    ],
)
def test_R_21_R_09_a_field_that_is_not_valid_goes_and_has_a_row(site: Path, field: str, value: str) -> None:
    fields = {"lastmod": "2026-01-02", "changefreq": "weekly", "priority": "0.5", field: value}
    entry = "".join(f"<{name}>{text}</{name}>" for name, text in fields.items())
    Path("sitemap.xml").write_text(urlset(f"<loc>{SITE}</loc>{entry}", "a.html"))
    code, report = act("write")
    assert (code, report["result"]) == (0, "drift")
    assert report["changed"] == [{"url": SITE, "fields": {field: [value, ""]}}]
    text = Path("sitemap.xml").read_text()
    for name, kept in fields.items():
        assert (f"<{name}>{kept}</{name}>" in text) is (name != field)
    assert run(["validate", "sitemap.xml"]) == 0
    assert act("check")[1]["result"] == "in-sync"


FORMATS = [
    pytest.param("output.gzip=true", id="gzip"),
    pytest.param("output.format=[xml, text]", id="two formats"),
    pytest.param("output.format=[xml, text, json]", id="three formats"),
]


@pytest.mark.parametrize("option", FORMATS)
@pytest.mark.parametrize("gzipped", ["false", "true"])
@pytest.mark.parametrize("name", ["sitemap.xml", "sitemap.xml.gz"])
def test_R_03_numbered_files_with_copies_and_other_formats_are_written(
    site: Path, option: str, gzipped: str, name: str
) -> None:
    flags = ("--set", "output.urls-per-file=1", "--set", f"output.gzip={gzipped}", "--set", option)
    code, report = act("write", *flags, sitemap=name)
    assert code == 0
    assert not {"SM-31", "SM-61"} & {finding["rule"] for finding in report["findings"]}
    assert act("write", *flags, sitemap=name)[1]["result"] == "in-sync"
    assert act("check", *flags, sitemap=name)[1]["result"] == "in-sync"


@pytest.mark.parametrize("shards", ["1", "50000"])
def test_R_03_a_missing_copy_is_written_when_all_else_is_in_sync(site: Path, shards: str) -> None:
    flags = (
        "--set",
        f"output.urls-per-file={shards}",
        "--set",
        "output.gzip=true",
        "--set",
        "output.format=[xml, text]",
    )
    assert act("write", *flags)[0] == 0
    written = {path.name: path.read_bytes() for path in site.iterdir() if path.name.startswith("sitemap")}
    assert len(written) == (12 if shards == "1" else 4)
    for name, content in written.items():
        if name in {"sitemap.xml", "sitemap-1.xml", "sitemap-2.xml"}:
            continue
        for damage in (Path.unlink, lambda path: path.write_bytes(b"old")):
            damage(Path(name))
            assert act("check", *flags)[1]["result"] == "in-sync"
            code, report = act("write", *flags)
            assert (code, report["result"]) == (0, "drift")
            assert name in report["causes"][0]
            assert Path(name).read_bytes() == content
    assert act("write", *flags)[1]["result"] == "in-sync"


@pytest.mark.parametrize("count", [80_000, 800_000])
def test_R_11_a_url_of_references_alone_is_one_finding(
    site: Path, count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("sitemap.xml").write_text(urlset(f"<loc>{SITE}?{'&amp;' * count}</loc>", "a.html"))
    assert run(["validate", "sitemap.xml"]) == 1
    assert "SM-22" in capsys.readouterr().out


def hints(text: str) -> list[tuple[str, str, str]]:
    """(path, changefreq, priority) of each entry."""
    entries = (event for event in read(text.encode()) if isinstance(event, Entry))
    return [(entry.loc.removeprefix(SITE), entry.changefreq, entry.priority) for entry in entries]


@pytest.fixture
def chain(site: Path) -> Path:
    """A start page, twelve pages in a row, one that nothing links, and links to other spellings."""
    page(site / "dist", "index.html", "/p01/index.html", "/c%2B%2B/")
    page(site / "dist", "c++/index.html")
    for number in range(1, 13):
        page(site / "dist", f"p{number:02}/index.html", f"/p{number + 1:02}/?from={number}", "/")
    page(site / "dist", "a.html")
    return site


CHAIN = [("", "1.0"), *[(f"p{number:02}/", f"{max(1, 10 - number) / 10:.1f}") for number in range(1, 13)]]


def test_priority_by_clicks_from_the_start_page(chain: Path) -> None:
    (chain / "sitemap.xml").write_text(urlset(f"<loc>{SITE}a.html</loc><priority>0.3</priority>", ""))
    act("write", "--set", "output.priority=depth")
    assert hints(Path("sitemap.xml").read_text()) == [("", "", "1.0"), ("a.html", "", "0.3"), ("c%2B%2B/", "", "0.9"), *[(path, "", number) for path, number in CHAIN[1:]]]  # fmt: skip
    assert act("check", "--set", "output.priority=depth")[1]["result"] == "in-sync"


def test_priority_by_clicks_of_a_served_site(site: Path) -> None:
    def document(*links: str) -> bytes:
        words = "A page with words of its own. " * 20
        return f"<!doctype html><title>{links}</title><p>{words}</p>{''.join(f'<a href={link}>x</a>' for link in links)}".encode()

    with serve({"/": document("/a", "/b"), "/a": document("/c"), "/b": document("/a"), "/c": document("/")}) as served:
        act("write", "--url", served.url, "--set", "output.priority=depth", "--set", "http.retries=0")
    assert hints(Path("sitemap.xml").read_text()) == [("", "", "1.0"), ("a", "", "0.9"), ("b", "", "0.9"), ("c", "", "0.8")]  # fmt: skip


ASKED = (
    # options, changefreq and priority of the start page and of a.html
    pytest.param(["priority=home"], ("yearly", "1.0"), ("daily", "0.5"), id="home"),
    pytest.param(["priority={/a.html: 0.8}"], ("yearly", "0.3"), ("daily", "0.8"), id="a pattern"),
    pytest.param(["priority={/a.html: ''}"], ("yearly", "0.3"), ("daily", ""), id="empty leaves it out"),
    pytest.param(["priority={/: home, /**: depth}"], ("yearly", "1.0"), ("daily", "0.9"), id="the first that matches"),
    pytest.param(["changefreq={/**: weekly}"], ("weekly", "0.3"), ("weekly", "0.1"), id="changefreq"),
    pytest.param(["changefreq={/**: }"], ("", "0.3"), ("", "0.1"), id="no changefreq"),
    pytest.param([], ("yearly", "0.3"), ("daily", "0.1"), id="those that are committed"),
)


@pytest.mark.parametrize(("options", "home", "other"), ASKED)
def test_hints_that_the_config_asks_for(site: Path, options: list[str], home: tuple[str, str], other: tuple[str, str]) -> None:  # fmt: skip
    (site / "sitemap.xml").write_text(
        urlset(
            f"<loc>{SITE}</loc><changefreq>yearly</changefreq><priority>0.3</priority>",
            f"<loc>{SITE}a.html</loc><lastmod>2024-01-02T03:04:05+02:00</lastmod><changefreq>daily</changefreq><priority>0.1</priority>",
            "gone",
        )
    )
    flags = [part for option in [*options, "date-only=true"] for part in ("--set", f"output.{option}")]
    assert act("write", *flags)[0] == 0
    text = Path("sitemap.xml").read_text()
    assert hints(text) == [("", *home), ("a.html", *other)]
    assert "<lastmod>2024-01-02</lastmod>" in text
    assert act("check", *flags)[1]["result"] == "in-sync"


def test_R_17_one_of_two_builds_writes_its_own_files_alone(site: Path) -> None:
    """An index that a site's documentation and its blog share: the files of the blog are not in this build."""
    rows = f"<sitemap><loc>{SITE}docs-map.xml</loc></sitemap><!-- the blog's --><sitemap><loc>{SITE}blog-map.xml</loc><lastmod>2024-02-02</lastmod></sitemap>"
    blog = urlset("blog/")
    (site / "sitemap.xml").write_text(f'<?xml version="1.0"?><!-- two builds --><sitemapindex {NAMESPACES}>{rows}</sitemapindex>')  # fmt: skip
    (site / "docs-map.xml").write_text(urlset("docs/", "docs/gone/").replace("<url>", "<!-- pages --><url>", 1))
    (site / "blog-map.xml").write_text(blog)
    flags = ("--site-url", f"{SITE}docs/", "--set", f"sitemap-url={SITE}sitemap.xml")
    code, report = act("write", *flags)
    assert (code, report["result"], report["counts"]["removed"]) == (0, "drift", 1)
    assert [file["path"] for file in report["files"]] == ["docs-map.xml", "sitemap.xml"]
    assert locs((site / "docs-map.xml").read_text()) == [f"{SITE}docs/", f"{SITE}docs/a.html"]
    assert "<!-- pages -->" in (site / "docs-map.xml").read_text()
    index = (site / "sitemap.xml").read_text()
    assert locs(index) == [f"{SITE}docs-map.xml", f"{SITE}blog-map.xml"]
    assert index.count("<lastmod>") == index.count("2024-02-02") == 1
    assert "<!-- two builds -->" in index
    assert "<!-- the blog's -->" in index
    assert (site / "blog-map.xml").read_text() == blog
    assert act("check", *flags)[1]["result"] == "in-sync"
