"""`read`, `validate` and `diff` of sitemaps with defects, as a user calls them: nothing is lost without a count."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import Site, redirect, serve, typed
from sitemap_action.__main__ import run
from sitemap_documents import NS, index, urlset

S = "https://www.example.com/"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({}) as found:
        yield found


def result(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """The last record that `read --format jsonl` printed."""
    last: dict[str, object] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return last


LONG = S + "x" * 9_000
REFUSED = (
    ([f"{S}100%zz"], "skipped_malformed_escape"),
    ([f"{S}100%zz"] * 501, "skipped_malformed_escape"),
    (["mailto:a@example.com"], "skipped_not_absolute"),
    (["https://me:pw@www.example.com/"], "skipped_userinfo"),
    ([LONG], "skipped_too_long"),
    ([S + "x" * 70_000], "skipped_too_long"),
)


@pytest.mark.parametrize("more", [[], ["--sort", "url"], ["--media"], ["--include", "/**"]], ids=str)
@pytest.mark.parametrize(("urls", "counter"), REFUSED, ids=range(len(REFUSED)))
def test_R_01_every_entry_is_refused(
    urls: list[str], counter: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.xml").write_text(urlset(*urls))
    assert run(["read", "s.xml", *more]) == 0
    assert capsys.readouterr().out == ""
    assert run(["read", "s.xml", "--format", "jsonl", *more]) == 0
    found = result(capsys)
    assert (found["status"], found[counter], "skipped_duplicate" in found) == ("noresults", len(urls), False)


def test_R_01_the_sibling_of_a_refused_child_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("index.xml").write_text(index(f"{S}bad.xml", f"{S}good.xml"))
    Path("bad.xml").write_text(urlset(f"{S}100%zz"))
    Path("good.xml").write_text(urlset(f"{S}a"))
    assert run(["read", "index.xml"]) == 0
    out, err = capsys.readouterr()
    assert out == f"{S}a\n"
    assert "skipped: 1 malformed-escape" in err


def test_R_01_entries_of_another_host(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.routes["/s.xml"] = typed("application/xml", urlset("https://other.example/a", "https://other.example/b"))
    assert run(["read", f"{site.url}s.xml", "--same-host", "--format", "jsonl"]) == 0
    found = result(capsys)
    assert (found["status"], found["skipped_other_host"]) == ("noresults", 2)


Rows = list[tuple[str, str, int]]


def validated(capsys: pytest.CaptureFixture[str]) -> tuple[list[tuple[str, int]], Rows]:
    """(path, URLs) of each file, (rule, path, line) of each finding, as `validate --format json` printed them."""
    results = json.loads(capsys.readouterr().out)
    files = [(file["path"], file["urls"]) for one in results for file in one["files"]]
    return files, [(row["rule"], row["path"], row["line"]) for one in results for row in one["findings"]]


def test_R_26_a_child_with_an_address_of_2100_characters(capsys: pytest.CaptureFixture[str]) -> None:
    long = f"{S}{'a' * 2_072}.xml"
    Path("i.xml").write_text(index(long, f"{S}bad.xml"))
    Path("bad.xml").write_text(urlset("/relative"))
    assert run(["validate", "i.xml", "--format", "json"]) == 1
    files, findings = validated(capsys)
    assert files == [("i.xml", 0), ("bad.xml", 1), (long, 0)]
    assert {("SM-22", "i.xml", 1), ("SM-63", "i.xml", 1), ("SM-21", "bad.xml", 1)} <= set(findings)
    for command, code in ((["validate", "i.xml"], 1), (["read", "i.xml"], 3), (["diff", "i.xml", "bad.xml"], 2)):
        assert run(command) == code
        out, err = capsys.readouterr()
        assert "a" * 201 not in out + err
        assert "…" in out + err


@pytest.mark.parametrize("arguments", [["i.xml", "bad.xml"], ["."], ["bad.xml", "i.xml"]], ids=str)
def test_R_12_a_child_that_is_absent_hides_nothing_else(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("sitemap-i.xml").write_text(index(f"{S}absent.xml", f"{S}sitemap-good.xml"))
    Path("sitemap-good.xml").write_text(urlset(f"{S}a"))
    Path("sitemap-bad.xml").write_text(urlset("/relative"))
    names = [f"sitemap-{name}" if name != "." else name for name in arguments]
    assert run(["validate", *names, "--format", "json"]) == 1
    files, findings = validated(capsys)
    assert {"sitemap-i.xml", "sitemap-good.xml", f"{S}absent.xml", "sitemap-bad.xml"} == {path for path, _ in files}
    assert {("SM-63", "sitemap-i.xml", 1), ("SM-21", "sitemap-bad.xml", 1)} <= set(findings)


def test_R_12_of_a_nested_index_the_line_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    Path("d").mkdir()
    Path("d/i.xml").write_text(index(f"{S}n.xml"))
    Path("d/n.xml").write_text(index("https://x.example/1.xml").replace("<sitemap>", "\n\n<sitemap>"))
    assert run(["validate", "d/i.xml", "--format", "json"]) == 1
    assert ("SM-63", "d/n.xml", 3) in validated(capsys)[1]


def test_R_12_served(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.routes["/i.xml"] = typed("application/xml", index(f"{site.url}absent.xml"))
    Path("bad.xml").write_text(urlset("/relative"))
    assert run(["validate", "bad.xml", f"{site.url}i.xml", "--format", "json"]) == 1
    assert {("SM-63", f"{site.url}i.xml", 1), ("SM-21", "bad.xml", 1)} <= set(validated(capsys)[1])
    assert run(["validate", f"{site.url}absent.xml"]) == 3


DAMAGED = [
    # text, rule
    (urlset(f"{S}a")[:-1], "SM-01"),
    (urlset(f"{S}a").replace("</loc>", "&nbsp;</loc>"), "SM-01"),
    ("", "SM-01"),
    (f"<!DOCTYPE urlset>{urlset(S)}", "SM-13"),
    ("<html><body>Not found</body></html>", "SM-05"),
]


@pytest.mark.parametrize(("text", "rule"), DAMAGED, ids=range(len(DAMAGED)))
def test_R_14_a_finding_on_a_damaged_document_is_proof(
    text: str, rule: str, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.xml").write_text(text)
    site.routes["/s.xml"] = typed("application/xml", text)
    for name in ("s.xml", f"{site.url}s.xml"):
        assert run(["validate", name, "--format", "json"]) == 1
        assert rule in {row for row, _, _ in validated(capsys)[1]}


def test_R_13_an_address_with_a_query_is_not_the_file_without_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("i.xml").write_text(index(f"{S}s.xml?p=1", f"{S}s.xml?p=2", f"{S}s.xml?p=3", f"{S}s.xml"))
    Path("s.xml").write_text(urlset(f"{S}a"))
    Path("s.xml?p=2").write_text(urlset(f"{S}b"))
    assert run(["read", "i.xml"]) == 3
    out, err = capsys.readouterr()
    assert out.splitlines() == [f"{S}b", f"{S}a"]
    assert f"{S}s.xml?p=1 (listed by i.xml, line 1) is unavailable: its address has a query" in err
    assert run(["validate", "i.xml", "--format", "json"]) == 3
    files, findings = validated(capsys)
    assert files == [("i.xml", 0), ("s.xml?p=2", 1), ("s.xml", 1), (f"{S}s.xml?p=1", 0), (f"{S}s.xml?p=3", 0)]
    assert "SM-63" not in {rule for rule, _, _ in findings}
    assert run(["diff", "i.xml", "s.xml"]) == 2
    assert "its address has a query" in capsys.readouterr().err


MANY = " ".join(f'a{number}="1"' for number in range(101))
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"


@pytest.mark.parametrize(
    "text",
    [
        urlset(f"{S}a", f"{S}b").replace("<url>", f"<url {MANY}>", 1),
        urlset(f"{S}a", f"{S}b").replace("<loc>", f"<loc {MANY}>", 1),
        urlset(f"{S}a", f"{S}b").replace("<urlset", f"<urlset {MANY}", 1),
        urlset(f"{S}a", f"{S}b").replace(
            "</url>", f'<i:image xmlns:i="{IMAGE}" {MANY}><i:loc>{S}i.png</i:loc></i:image></url>', 1
        ),
        f'<rss version="2.0" {MANY}><item><link>{S}a</link></item><item><link>{S}b</link></item></rss>',
    ],
    ids=["url", "loc", "root", "image", "rss"],
)
def test_R_16_a_hundred_attributes_end_no_reading(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.xml").write_text(text)
    assert run(["read", "s.xml"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{S}a", f"{S}b"]


@pytest.mark.parametrize("space", ["\xa0", "\u200b", "\ufeff \u3000"], ids=ascii)
@pytest.mark.parametrize(
    "text",
    [
        urlset("{}a"),
        "<rss version='2.0'><channel><item><link>{}a</link></item></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='{}a'/></entry></feed>",
        f"{S}0\n{{}}a\n",
    ],
    ids=["urlset", "rss", "atom", "text"],
)
def test_R_16_spaces_round_a_url_are_not_part_of_it(text: str, space: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.txt").write_text(text.replace("{}a", f"{space}{S}a{space}"), encoding="utf-8")
    assert run(["read", "s.txt"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == f"{S}a"
    assert "tolerated: padded-loc 1" in err


def test_R_24_an_image_of_two_pages_belongs_to_both(capsys: pytest.CaptureFixture[str]) -> None:
    image = f'<i:image xmlns:i="{IMAGE}"><i:loc>{S}logo.png</i:loc></i:image>'
    Path("s.xml").write_text(urlset(f"{S}a", f"{S}b").replace("</url>", f"{image * 2}</url>"))
    assert run(["read", "s.xml", "--media", "--format", "jsonl"]) == 0
    *records, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [(one["loc"], one["page"]) for one in records if one["type"] == "image"] == [
        (f"{S}logo.png", f"{S}a"),
        (f"{S}logo.png", f"{S}b"),
    ]
    assert (last["images"], last["skipped_media_duplicate"]) == (2, 2)


@pytest.mark.parametrize(
    ("item", "listed"),
    [
        (f"<guid>{S}a</guid>", [f"{S}a"]),
        (f'<guid isPermaLink="true"> {S}a </guid>', [f"{S}a"]),
        (f'<guid isPermaLink="false">{S}a</guid>', []),
        ('<guid isPermaLink="FALSE">tag:example.com,2026:1</guid>', []),
        (f"<guid>{S}a</guid><link>{S}b</link>", [f"{S}b"]),
        (f"<link>{S}b</link><guid>{S}a</guid>", [f"{S}b"]),
        (f'<guid isPermaLink="false">1</guid><guid>{S}a</guid>', [f"{S}a"]),
    ],
)
def test_R_28_a_guid_is_the_address_of_its_page(
    item: str, listed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("feed.xml").write_text(f'<rss version="2.0"><channel><item>{item}</item></channel></rss>')
    assert run(["read", "feed.xml"]) == 0
    assert capsys.readouterr().out.splitlines() == listed


@pytest.mark.parametrize(
    ("rules", "listed", "code", "files"),
    [
        ("Disallow: /s.xml", [], 3, {"s.xml": False}),
        ("Disallow: /i.xml\nDisallow: /2.xml", ["b"], 3, {"i.xml": False, "1.xml": True}),
        ("Disallow: /2.xml", ["a", "b"], 3, {"i.xml": True, "1.xml": True, "2.xml": False}),
        (
            "Disallow:\nUser-agent: Googlebot\nDisallow: /2.xml",
            ["a", "b", "c"],
            0,
            {"i.xml": True, "1.xml": True, "2.xml": True},
        ),
        ("Disallow: /\nAllow: /*.xml", ["a", "b", "c"], 0, {"i.xml": True, "1.xml": True, "2.xml": True}),
    ],
)
def test_R_06_a_sitemap_that_robots_txt_disallows_is_not_read(
    rules: str,
    listed: list[str],
    code: int,
    files: dict[str, bool],
    site: Site,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ["s.xml"] if "s.xml" in files else ["i.xml", *(["1.xml"] if not files.get("i.xml") else [])]
    lines = "\n".join(f"Sitemap: {site.url}{name}" for name in names)
    site.routes |= {
        "/robots.txt": typed("text/plain", f"{lines}\nUser-agent: *\n{rules}\n"),
        "/s.xml": typed("application/xml", urlset(f"{site.url}a")),
        "/i.xml": typed("application/xml", index(f"{site.url}1.xml", f"{site.url}2.xml")),
        "/1.xml": typed("application/xml", urlset(*(f"{site.url}{name}" for name in listed[:2]))),
        "/2.xml": typed("application/xml", urlset(f"{site.url}c")),
    }
    assert run(["read", site.url]) == code
    assert capsys.readouterr().out.splitlines() == [f"{site.url}{name}" for name in listed]
    blocked = {f"{site.url}{name}" for name in ("s.xml", "i.xml", "2.xml") if f"Disallow: /{name}" in rules}
    assert run(["validate", site.url, "--format", "json"]) == int(bool(blocked))
    (result,) = json.loads(capsys.readouterr().out)
    assert {one["path"].removeprefix(site.url): one["complete"] for one in result["files"]} == files
    found = {row["url"] for row in result["findings"] if row["rule"] == "RB-31"}
    assert found == {url for url in blocked if url.removeprefix(site.url) in files}
    assert not {row["url"] for row in result["findings"] if row["rule"] in {"SM-63", "RB-32"}} & found


@pytest.mark.parametrize("name", ["blocked.xml", "index.xml"])
def test_R_37_a_sitemap_that_is_named_and_disallowed_is_reported(
    name: str, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.routes |= {
        "/robots.txt": typed("text/plain", "User-agent: *\nDisallow: /blocked\n"),
        "/blocked.xml": typed("application/xml", urlset(f"{site.url}a")),
        "/index.xml": typed("application/xml", index(f"{site.url}blocked.xml")),
    }
    assert run(["validate", f"{site.url}{name}", "--format", "json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)
    (found,) = [row for row in result["findings"] if row["rule"] == "RB-31"]
    assert (found["url"], found["path"], found["line"]) == (f"{site.url}blocked.xml", f"{site.url}robots.txt", 2)
    assert run(["read", f"{site.url}{name}"]) == 0  # the user has named it
    site.routes["/robots.txt"] = 503
    capsys.readouterr()
    assert run(["validate", f"{site.url}{name}", "--set", "http.retries=0"]) == 0
    assert "RB-31 is not checked" in capsys.readouterr().err


@pytest.mark.parametrize("lines", ["", "Sitemap: {}s.xml\n"])
def test_R_43_a_site_whose_robots_txt_disallows_its_sitemaps_is_not_read(
    lines: str, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    robots = f"User-agent: *\nDisallow: /\n{lines.format(site.url)}"
    site.routes |= {"/robots.txt": typed("text/plain", robots), "/sitemap.xml": typed("application/xml", urlset())}
    assert run(["read", site.url, "--format", "jsonl"]) == 3
    (result,) = map(json.loads, capsys.readouterr().out.splitlines())
    (failed,) = result["failed"]
    assert (result["status"], result["unavailable"]) == ("failed", 1)
    assert failed["reason"] == f"{site.url}robots.txt:2 disallows it"


@pytest.mark.parametrize(
    ("location", "scheme"), [("file:///etc/passwd", "file"), ("JavaScript:alert(1)", "javascript")]
)
def test_R_44_a_redirect_to_what_is_not_followed_names_its_scheme(
    location: str, scheme: str, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.routes["/sitemap.xml"] = redirect(location, 302)
    assert run(["read", f"{site.url}sitemap.xml"]) == 3
    assert f"answered 302 to a {scheme}: address, which is not followed" in capsys.readouterr().err
    site.routes["/sitemap.xml"] = 500
    before = len(site.paths)
    assert run(["read", f"{site.url}sitemap.xml", "--set", "http.retries=3", "--set", "http.backoff=0.01"]) == 3
    assert len(site.paths) - before == 4


def test_R_22_the_first_urls_of_an_endless_site(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"{number}.xml" for number in range(200)]
    site.routes["/i.xml"] = typed("application/xml", index(*(site.url + name for name in names)))
    for name in names:
        site.routes[f"/{name}"] = typed("application/xml", urlset(site.url, *(f"{site.url}{name}/{n}" for n in "abc")))
    first = [site.url, *(f"{site.url}{name}/{n}" for name in names[:2] for n in "abc")]
    assert run(["read", f"{site.url}i.xml", "--max-urls", "5", "--format", "jsonl"]) == 0
    *pages, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [page["loc"] for page in pages] == first[:5]
    assert (last["status"], last["pages"], last["failed"], last["unavailable"]) == ("succeeded", 5, [], 0)
    assert last["skipped_limit"] > 0
    assert len(site.paths) < 20
    site.asked.clear()
    assert run(["read", f"{site.url}i.xml", "--max-urls", "2", "--include", "/**/c"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{site.url}0.xml/c", f"{site.url}1.xml/c"]
    assert len(site.paths) < 20
    site.asked.clear()
    assert run(["read", f"{site.url}i.xml", "--max-urls", "2", "--sort", "url"]) == 0
    assert capsys.readouterr().out.splitlines() == [site.url, f"{site.url}0.xml/a"]
    assert len(site.paths) == 201


@pytest.mark.parametrize(
    ("limit", "listed", "skipped"), [("1", "a", 2), ("2", "ab", 1), ("3", "abc", 0), ("9", "abc", 0)]
)
def test_R_22_the_first_urls_of_a_file(
    limit: str, listed: str, skipped: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.xml").write_text(urlset(*(f"{S}{name}" for name in "abca")))
    assert run(["read", "s.xml", "--max-urls", limit, "--format", "jsonl"]) == 0
    *pages, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [page["loc"] for page in pages] == [f"{S}{name}" for name in listed]
    assert (last.get("skipped_limit", 0), last["skipped_duplicate"]) == (skipped, 1)
    assert run(["read", "s.xml", "--max-urls", "0"]) == 2


VALUES = (("invalid", "2024-02-30", "Sometimes"), ("1.5", "soon", "Daily"), ("0.1", "2024-02-29", "daily"))


@pytest.mark.parametrize("extra", ["", "<x/>"], ids=["fast path", "parser"])
def test_R_27_a_value_that_is_none_is_counted_and_absent(extra: str, capsys: pytest.CaptureFixture[str]) -> None:
    entries = "".join(
        f"<url><loc>{S}{at}</loc><lastmod>{date}</lastmod><changefreq>{word}</changefreq><priority>{number}</priority>"
        f"{extra}</url>"
        for at, (number, date, word) in enumerate(VALUES)
    )
    Path("s.xml").write_text(f"<urlset {NS}>{entries}<url><loc>{S}3</loc></url></urlset>")
    for arguments, listed in (
        (["--require-priority"], "2"),
        (["--priority-min", "0.4"], "013"),
        (["--changefreq", "daily"], "2"),
        (["--since", "2000-01-01"], "2"),
        (["--sort", "priority"], "2013"),
        (["--sort", "lastmod"], "2013"),
    ):
        assert run(["read", "s.xml", *arguments]) == 0
        out, err = capsys.readouterr()
        assert out.splitlines() == [f"{S}{name}" for name in listed]
        assert "changefreq 2, date 2, priority 2" in err
