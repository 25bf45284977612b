"""`read`, and `validate` on URLs, as a user calls them."""

import csv
import gzip
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import Reply, Site, late, redirect, serve, typed
from sitemap_action.__main__ import run
from sitemap_action.sitemap.protocol import USUAL_PATHS
from sitemap_documents import NS, index, urlset

GOOGLE = "http://www.google.com/schemas/sitemap"
A, B, C, D = (f"https://www.example.com/{name}" for name in "abcd")
FULL = f"""<?xml version="1.0" encoding="UTF-8"?>
<urlset {NS} xmlns:image="{GOOGLE}-image/1.1" xmlns:video="{GOOGLE}-video/1.1" xmlns:news="{GOOGLE}-news/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>{B}</loc><lastmod>2026-01-02</lastmod><changefreq>daily</changefreq><priority>0.3</priority>
  <image:image><image:loc>https://cdn.example.net/p.png</image:loc></image:image>
  <image:image><image:loc>{A}</image:loc></image:image>
  <image:image><image:loc>javascript:alert(1)</image:loc></image:image></url>
<url><loc>{A}</loc><lastmod>2026-01-01T23:30:00-02:00</lastmod><priority>0.9</priority>
  <image:image><image:loc>https://cdn.example.net/p.png#x</image:loc></image:image>
  <video:video><video:thumbnail_loc>https://x.com/t.png</video:thumbnail_loc><video:title>A &amp; B</video:title><video:content_loc>https://x.com/v.mp4</video:content_loc></video:video>
  <news:news><news:publication><news:name>The Times</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-01-01</news:publication_date><news:title>News</news:title></news:news>
  <xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/de"/></url>
<url><loc>{C}</loc></url>
<url><loc>{A}#top</loc></url>
<url><loc>https://other.example/</loc><lastmod>soon</lastmod></url>
</urlset>
"""


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("sitemap.xml").write_text(FULL)
    return tmp_path


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({}) as found:
        yield found


OTHER = "https://other.example/"

# arguments, what is listed
SELECTIONS = (
    ([], [B, A, C, OTHER]),
    (["--sort", "order"], [B, A, C, OTHER]),
    (["--sort", "url"], [OTHER, A, B, C]),
    (["--sort", "lastmod"], [A, B, C, OTHER]),  # 01:30 UTC on the second is later than its midnight
    (["--sort", "priority"], [A, B, C, OTHER]),  # none is last
    (["--include", "/{a,b}"], [B, A]),
    (["--include", "/a", "--include", "re:^/c$"], [A, C]),
    (["--exclude", "https://other.example/**"], [B, A, C]),
    (["--priority-min", "0.5"], [A, C, OTHER]),
    (["--require-priority"], [B, A]),
    (["--require-priority", "--priority-min", "0.5"], [A]),
    (["--changefreq", "daily,weekly"], [B]),
    (["--since", "2026-01-02"], [B, A]),
    (["--since", "2026-01-02T01:00:00Z"], [A]),
)


@pytest.mark.parametrize(("arguments", "listed"), SELECTIONS)
def test_filters_and_sorts(arguments: list[str], listed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", "sitemap.xml", *arguments]) == 0
    assert capsys.readouterr().out.splitlines() == listed


def records(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_records_of_every_type_and_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", "sitemap.xml", "--format", "jsonl", "--media"]) == 0
    *found, result = records(capsys.readouterr().out)
    assert [record["type"] for record in found] == [
        "page", "image", "image", "page", "image", "video", "publication", "page", "page"
    ]  # fmt: skip
    assert found[0] == {
        "type": "page",
        "loc": B,
        "lastmod": "2026-01-02",
        "changefreq": "daily",
        "priority": "0.3",
        "sitemap": "sitemap.xml",
        "line": 3,
    }
    assert found[1] == {"type": "image", "loc": "https://cdn.example.net/p.png", "page": B}
    assert found[3]["alternates"] == [{"hreflang": "de", "href": "https://www.example.com/de"}]
    assert found[5] == {
        "type": "video",
        "loc": "https://x.com/v.mp4",
        "thumbnail": "https://x.com/t.png",
        "title": "A & B",
        "page": A,
    }
    assert found[6] == {
        "type": "publication",
        "name": "The Times",
        "language": "en",
        "date": "2026-01-01",
        "title": "News",
        "page": A,
    }
    assert result == {
        "type": "result", "status": "succeeded", "visited": 1, "images": 3, "pages": 4, "publications": 1, "videos": 1,
        "unavailable": 0, "failed": [], "skipped_duplicate": 1, "skipped_media_not_absolute": 1,
    }  # fmt: skip


LEFT_OUT = {
    "an entry without a URL": ("sitemap.xml", f"<urlset {NS}><url/><url><loc>{A}</loc></url></urlset>", "skipped_missing_loc"),
    "an image without a URL": ("sitemap.xml", f'<urlset {NS} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>{A}</loc><image:image/></url></urlset>', "skipped_media_missing_loc"),
    "a line that is no URL": ("sitemap.txt", f"{A}\nsomething else\n", "skipped_text_line"),
    "an item without a link": ("sitemap.xml", f'<rss version="2.0"><channel><item/><item><link>{A}</link></item></channel></rss>', "skipped_feed_link"),
    "a URL that names no page": ("sitemap.txt", f"{A}\nhttps://www.example.com/%zz\n", "skipped_malformed_escape"),
}  # fmt: skip


@pytest.mark.parametrize("why", LEFT_OUT)
def test_whatever_is_left_out_is_counted(why: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, content, counter = LEFT_OUT[why]
    Path(name).write_text(content)
    assert run(["read", name, "--format", "jsonl", "--media"]) == 0
    *found, result = records(capsys.readouterr().out)
    assert [record["loc"] for record in found] == [A]
    assert {key: value for key, value in result.items() if key.startswith("skipped_")} == {counter: 1}


@pytest.mark.attack("injection")
@pytest.mark.parametrize(
    ("text", "cell"),
    [("=1+1", "'=1+1"), ("2026;=1+1", "2026;'=1+1"), ("\uff1d1+1", "'\uff1d1+1"), (" '=1+1", "''=1+1")],
)
def test_csv_holds_no_formula(text: str, cell: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.xml").write_text(urlset(A).replace("</loc>", f"</loc><lastmod>{text}</lastmod>"))
    assert run(["read", "s.xml", "--format", "csv"]) == 0
    (row,) = csv.DictReader(capsys.readouterr().out.splitlines())
    assert (row["loc"], row["lastmod"], row["sitemap"]) == (A, cell, "s.xml")


@pytest.mark.parametrize(
    ("text", "more", "status", "code"),
    [
        (urlset(A), [], "succeeded", 0),
        (urlset(), [], "noresults", 0),
        (urlset(A), ["--exclude", "/**"], "noresults", 0),
        (urlset(A)[:-20], [], "failed", 3),
        ("", [], "failed", 3),
    ],
)
def test_the_result_and_the_exit_code(
    text: str, more: list[str], status: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.xml").write_text(text)
    assert run(["read", "s.xml", "--format", "jsonl", *more]) == code
    assert records(capsys.readouterr().out)[-1]["status"] == status


@pytest.mark.parametrize("form", ["text", "jsonl", "csv"])
def test_output_is_there_only_when_something_came(
    form: str, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["read", "sitemap.xml", "--format", form, "--output", "out"]
    assert run(command) == 0
    assert A in Path("out").read_text()
    assert capsys.readouterr().out == ""
    assert run([*command, "--exclude", "/**"]) == 0
    assert {path.name for path in workspace.iterdir()} == {"sitemap.xml"}


def test_what_came_of_a_failed_reading_is_written(workspace: Path) -> None:
    Path("s.xml").write_text(urlset(A, B)[:-30])
    assert run(["read", "s.xml", "--output", "out"]) == 3
    assert Path("out").read_text() == f"{A}\n"


def test_a_folder_an_index_with_its_children_and_standard_input(capsys: pytest.CaptureFixture[str]) -> None:
    Path("site/maps").mkdir(parents=True)
    Path("site/robots.txt").write_text("Sitemap: https://www.example.com/maps/all.xml\n")
    Path("site/maps/all.xml").write_text(index("https://www.example.com/maps/1.xml"))
    Path("site/maps/1.xml").write_text(urlset(D))
    for source in ("site", "site/maps/all.xml", Path("site/maps/all.xml").absolute().as_uri()):
        assert run(["read", source]) == 0
        assert capsys.readouterr().out == f"{D}\n"
    command = [sys.executable, "-m", "sitemap_action", "read", "-"]
    done = subprocess.run(command, input=urlset(A).encode(), capture_output=True, check=False)
    assert (done.returncode, done.stdout.decode()) == (0, f"{A}\n")


@pytest.mark.attack("paths")
def test_a_local_index_reaches_nothing_but_files_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("secret.xml").write_text(urlset(D))
    Path("site").mkdir()
    Path("site/i.xml").write_text(
        index("https://www.example.com/../secret.xml", "file:../secret.xml", "https://www.example.com/gone.xml")
    )
    assert run(["read", "site/i.xml"]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert (
        "https://www.example.com/gone.xml (listed by site/i.xml, line 1) is unavailable: no such file beside the index"
        in printed.err
    )


USAGE = (
    (["read", "missing.xml"], "cannot read missing.xml: No such file or directory"),
    (["read", "."], ""),  # sitemap.xml is a usual path
    (["read", "empty"], "empty: no sitemap in this folder"),
    (["read", "https://"], "cannot be read"),
    (["read", "https://u:p@example.com/"], "cannot be read"),
    (["read", "sitemap.xml", "--since", "soon"], "--since soon is not a date"),
    (["read", "sitemap.xml", "--changefreq", "often"], "--changefreq often is not a frequency"),
    (["read", "sitemap.xml", "--include", "re:("], "re:("),
    (["read", "sitemap.xml", "--priority-min", "2"], "priority-min"),
    (["read", "sitemap.xml", "--state", "sitemap.xml"], "sitemap.xml is not a state file"),
)


@pytest.mark.parametrize(("arguments", "says"), USAGE)
def test_usage(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    assert run(arguments) == (2 if says else 0)
    assert says in capsys.readouterr().err


def test_a_file_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["read", "sitemap.xml", "--output", "no/such/folder/out"]) == 4
    assert "cannot write no/such/folder/out" in capsys.readouterr().err


def test_a_site_with_a_broken_child(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """The URLs of a child that is unavailable are unknown, not removed."""
    site.routes |= {
        "/robots.txt": typed("text/plain", f"Sitemap: {site.url}i.xml"),
        "/i.xml": typed("application/xml", index(f"{site.url}1.xml", f"{site.url}2.xml")),
        "/1.xml": typed("application/xml", urlset(f"{site.url}a", "https://other.example/b")),
    }
    assert run(["read", site.url, "--same-host", "--format", "jsonl"]) == 3
    printed = capsys.readouterr()
    page, result = records(printed.out)
    assert page["loc"] == f"{site.url}a"
    assert result["failed"] == [
        {"url": f"{site.url}2.xml", "reason": "answered 404", "listed_by": f"{site.url}i.xml", "line": 1}
    ]
    assert (result["visited"], result["skipped_other_host"]) == (3 + len(USUAL_PATHS), 1)
    assert f"sitemap {site.url}2.xml (listed by {site.url}i.xml, line 1) is unavailable: answered 404" in printed.err


def test_validate_reads_urls_as_read_does(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.routes |= {
        "/deep/i.xml": typed(
            "application/xml", index(f"{site.url}deep/1.xml", f"{site.url}2.xml", f"{site.url}deep/3.xml")
        ),
        "/deep/1.xml": typed(
            "application/xml", urlset(f"{site.url}deep/a", f"{site.url}above", "https://other.example/b")
        ),
        "/2.xml": typed("application/xml", urlset(f"{site.url}deep/c")),
    }
    assert run(["validate", f"{site.url}deep/i.xml", "--format", "json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)
    assert [(file["path"].removeprefix(site.url), file["complete"]) for file in result["files"]] == [
        ("deep/i.xml", True),
        ("deep/1.xml", True),
        ("2.xml", True),
        ("deep/3.xml", False),
    ]
    assert {"SM-28", "SM-29", "SM-62"} <= {finding["rule"] for finding in result["findings"]}


def test_SM_63_a_child_that_does_not_answer(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.routes |= {
        "/i.xml": typed("application/xml", index(f"{site.url}1.xml", f"{site.url}2.xml")),
        "/1.xml": typed("application/xml", urlset(f"{site.url}a")),
    }
    assert run(["validate", f"{site.url}i.xml", "--format", "json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)
    (found,) = [row for row in result["findings"] if row["rule"] == "SM-63"]
    assert (found["url"], found["path"], found["line"]) == (f"{site.url}2.xml", f"{site.url}i.xml", 1)
    assert found["message"].endswith("answered 404")
    assert result["not_checked"] == []


def test_SM_63_of_a_file_is_not_checked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("i.xml").write_text(index("https://www.example.com/sitemap.xml"))
    run(["validate", "i.xml", "--format", "json"])
    (result,) = json.loads(capsys.readouterr().out)
    assert [row["rule"] for row in result["not_checked"]].count("SM-63") == 1


DECLARED = [
    # id, Sitemap line, code, what it says
    ("the address where it answers", "sitemap.xml", 0, ""),
    ("a redirect", "old.xml", 1, "it redirects to"),
    ("nothing there", "none.xml", 1, "answered 404"),  # the usual path is read
]


@pytest.mark.parametrize(("line", "code", "says"), [pytest.param(*row[1:], id=row[0]) for row in DECLARED])
def test_RB_32_the_lines_of_robots_txt(
    site: Site, line: str, code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    site.routes |= {
        "/robots.txt": typed("text/plain", f"User-agent: *\nSitemap: {site.url}{line}\n"),
        "/sitemap.xml": typed("application/xml", '<?xml version="1.0" encoding="UTF-8"?>\n' + urlset(f"{site.url}a")),
        "/old.xml": redirect("/sitemap.xml"),
    }
    assert run(["validate", site.url, "--format", "json"]) == code
    (result,) = json.loads(capsys.readouterr().out)
    found = [row for row in result["findings"] if row["rule"] == "RB-32"]
    assert [(row["path"], row["line"]) for row in found] == ([(f"{site.url}robots.txt", 2)] if says else [])
    assert all(says in row["message"] for row in found)


SERVED = [
    # id, the answer of /s.xml, what SM-11 says
    ("XML", typed("application/xml", urlset(A)), ""),
    ("XML with a charset", typed("text/xml; charset=utf-8", urlset(A)), ""),
    ("a kind of XML", typed("application/rss+xml", urlset(A)), ""),
    ("text", typed("text/plain", urlset(A)), ""),
    ("gzip", typed("application/octet-stream", gzip.compress(urlset(A).encode())), ""),
    ("HTML", typed("text/html", urlset(A)), "its media type is text/html"),
    ("JSON", typed("application/json", urlset(A)), "its media type is application/json"),
    ("no gzip", typed("application/octet-stream", urlset(A)), "its media type is application/octet-stream"),
    ("none", typed("", urlset(A)), "it has no media type"),
    ("a redirect", redirect("/t.xml"), "it redirects to"),
]


@pytest.mark.parametrize("way", ["named", "declared", "child"])
@pytest.mark.parametrize(("answer", "says"), [pytest.param(*row[1:], id=row[0]) for row in SERVED])
def test_SM_11_how_a_sitemap_is_served(
    site: Site, answer: Reply, says: str, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    site.routes |= {
        "/robots.txt": typed("text/plain", f"User-agent: *\nSitemap: {site.url}s.xml\n"),
        "/i.xml": typed("application/xml", index(f"{site.url}s.xml")),
        "/s.xml": answer,
        "/t.xml": typed("application/xml", urlset(A)),
    }
    source = {"named": "s.xml", "declared": "", "child": "i.xml"}[way]
    run(["validate", site.url + source, "--format", "json"])
    (result,) = json.loads(capsys.readouterr().out)
    found = [(row["path"], row["line"]) for row in result["findings"] if row["rule"] == "SM-11"]
    place = {
        "named": (f"{site.url}s.xml", 0),
        "declared": (f"{site.url}robots.txt", 2),
        "child": (f"{site.url}i.xml", 1),
    }
    redirected = way == "declared" and says == "it redirects to"  # RB-32
    assert found == ([place[way]] if says and not redirected else [])
    assert says in str(result["findings"])


ROBOTS = [
    # id, robots.txt, (rule, line) of the findings on it
    ("good", "User-agent: *\nSitemap: {}s.xml", []),
    ("R-15: a relative line", "User-agent: *\nSitemap: /s.xml", [("SM-68", 2)]),
    ("several", "User-agent: *\nNoindex: /a\nDisallow: b\nSitemap: {}s.xml", [("RB-17", 3), ("RB-26", 2)]),
    ("a group of its own", "User-agent: *\nDisallow: /a\n\nUser-agent: Bingbot\nDisallow: /b\nSitemap: {}s.xml", [("RB-34", 2)]),
]  # fmt: skip


@pytest.mark.parametrize("name", ["", "robots.txt"])
@pytest.mark.parametrize(("robots", "rows"), [pytest.param(*row[1:], id=row[0]) for row in ROBOTS])
def test_the_robots_txt_of_a_site(
    site: Site, name: str, robots: str, rows: list[tuple[str, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    """What needs the pages of the site is not checked, and the report says which command checks it."""
    site.routes |= {
        "/robots.txt": typed("text/plain", robots.format(site.url)),
        "/s.xml": typed("application/xml", '<?xml version="1.0"?>' + urlset(f"{site.url}a")),
    }
    assert run(["validate", f"{site.url}{name}", "--format", "json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    found = [(row["rule"], row["line"]) for row in result["findings"] if row["path"] == f"{site.url}robots.txt"]
    assert found == rows
    assert [row["rule"] for row in result["not_checked"]] == ["HTML-10", "HTML-24", "HTML-40", "HTML-41", "RB-30"]
    assert {row["hint"] for row in result["not_checked"]} == {
        f"`sitemap-action check {site.url}` requests every listed page"
    }
    assert not {"/a", "/"} & {*site.paths}
    assert run(["validate", f"{site.url}s.xml", "--format", "json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    assert result["not_checked"] == []


USUAL = [
    # id, robots.txt, documents, URLs that are listed, paths that are not requested
    ("beside what it names", "Sitemap: {}a.xml", {"/a.xml": "/a", "/sitemap.xml": "/b"}, ["/a", "/b"], ["/sitemap.txt"]),
    ("several", "Sitemap: {}a.xml", {"/a.xml": "/a", "/sitemap.xml": "/b", "/sitemap_index.xml": "/c"}, ["/a", "/b", "/c"], []),
    ("no other format of one", "Sitemap: {}sitemap.xml", {"/sitemap.xml": "/a", "/sitemap.txt": "/b"}, ["/a"], ["/sitemap.txt"]),
    ("another format where the first is missing", "Sitemap: {}a.xml", {"/a.xml": "/a", "/sitemap.txt": "/b"}, ["/a", "/b"], []),
    ("none, which is no failure", "Sitemap: {}a.xml", {"/a.xml": "/a"}, ["/a"], []),
    ("an error, which is none either", "Sitemap: {}a.xml", {"/a.xml": "/a", "/sitemap.xml": 503}, ["/a"], []),
    ("disallowed", "Sitemap: {}a.xml\nUser-agent: *\nDisallow: /sitemap", {"/a.xml": "/a", "/sitemap.xml": "/b"}, ["/a"], ["/sitemap.xml"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("robots", "documents", "listed", "unasked"), [pytest.param(*row[1:], id=row[0]) for row in USUAL]
)
def test_R_30_usual_paths_beside_those_of_robots_txt(
    site: Site,
    robots: str,
    documents: dict[str, str | int],
    listed: list[str],
    unasked: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    site.routes |= {"/robots.txt": typed("text/plain", robots.format(site.url))}
    for path, document in documents.items():
        text = f"{site.origin}{document}"
        body = text if path.endswith(".txt") else urlset(text)
        site.routes[path] = document if isinstance(document, int) else typed("text/plain", body)
    assert run(["read", site.url]) == 0
    assert capsys.readouterr().out.split() == [f"{site.origin}{path}" for path in listed]
    assert not {*unasked} & {*site.paths}
    assert run(["validate", site.url]) == 0
    assert f"{len(listed)} URL" in capsys.readouterr().out or len(listed) > 1


def test_R_30_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    Path("robots.txt").write_text("Sitemap: https://www.example.com/a.xml")
    Path("a.xml").write_text(urlset(A))
    Path("sitemap.xml").write_text(urlset(B))
    Path("sitemap.txt").write_text(C)
    assert run(["read", "."]) == 0
    assert capsys.readouterr().out.split() == [A, B]


def test_diff_with_what_a_site_serves(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.routes |= {
        "/i.xml": typed("application/xml", index(f"{site.url}1.xml", f"{site.url}2.xml")),
        "/1.xml": typed("application/xml", urlset(A, B)),
        "/2.xml": typed("application/xml", urlset(C)),
    }
    Path("new.xml").write_text(urlset(A, C, D))
    assert run(["diff", f"{site.url}i.xml", "new.xml"]) == 1
    assert capsys.readouterr().out == f"1 added, 1 removed, 0 changed\n- {B}  [line 1]\n+ {D}\n"
    assert run(["diff", f"{site.url}i.xml", f"{site.url}i.xml"]) == 0


def test_diff_with_a_child_that_is_not_there(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """Its URLs are unknown, not removed: nothing is compared."""
    site.routes |= {
        "/i.xml": typed("application/xml", index(f"{site.url}1.xml", f"{site.url}2.xml")),
        "/1.xml": typed("application/xml", urlset(A)),
    }
    assert run(["diff", "sitemap.xml", f"{site.url}i.xml"]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"sitemap {site.url}2.xml (listed by {site.url}i.xml, line 1) is unavailable: answered 404" in printed.err


@pytest.mark.attack("addresses")
def test_diff_keeps_the_address_gate_shut(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """NET-13: a private host is asked when the user names it, and nothing that a sitemap of another one names."""
    other = site.url.replace("127.0.0.1", "localhost")
    site.routes |= {
        "/i.xml": typed("application/xml", index(f"{other}1.xml")),
        "/1.xml": typed("application/xml", urlset(A)),
    }
    Path("new.xml").write_text(urlset(A))
    assert run(["diff", f"{site.url}i.xml", "new.xml"]) == 3
    assert "/1.xml" not in site.paths
    assert "allow-private-hosts" in capsys.readouterr().err
    assert run(["diff", f"{site.url}i.xml", "new.xml", "--allow-private-hosts", "localhost"]) == 0


def test_validate_a_good_site(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    site.routes["/sitemap.xml"] = typed("application/xml", head + urlset(f"{site.url}a"))
    assert run(["validate", site.url]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"^ +(\w+) +([A-Z]+-\d+) ", out, re.MULTILINE) == [("warning", "ENV-06")]  # it is on loopback


def test_SM_30_the_other_host_names_the_sitemap(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """Both hosts are this machine: the other one by name, and allowed by the option that the refusal names."""
    other = site.url.replace("127.0.0.1", "localhost")
    site.routes |= {
        "/s.xml": typed("application/xml", urlset(f"{other}a", f"{other}b")),
        "/robots.txt": typed("text/plain", f"Sitemap: {site.url}s.xml"),
    }
    assert run(["validate", f"{site.url}s.xml", "--allow-private-hosts", "localhost"]) == 0
    assert "SM-28" not in capsys.readouterr().out
    site.routes["/robots.txt"] = 404
    assert run(["validate", f"{site.url}s.xml", "--allow-private-hosts", "localhost"]) == 1
    assert "SM-28" in capsys.readouterr().out


def test_standard_input_has_no_name_that_promises_anything(capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-m", "sitemap_action", "validate", "-"]
    done = subprocess.run(command, input=f"{A}\n".encode(), capture_output=True, check=False)
    assert b"SM-65" not in done.stdout
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_a_reading_that_waits(number: int, code: int, site: Site, workspace: Path) -> None:
    site.routes["*"] = late(30)
    # A job in the background of a shell ignores SIGINT, and what it starts inherits that.
    start = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from sitemap_action.__main__ import main; main()"
    command = [sys.executable, "-c", start, "read", f"{site.url}s.xml", "--output", "out"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        while not site.asked:
            time.sleep(0.01)
        process.send_signal(number)
        said = process.communicate(timeout=20)[1]
    assert process.returncode == code
    assert b"nothing was written after that" in said
    assert {path.name for path in workspace.iterdir()} == {"sitemap.xml"}
