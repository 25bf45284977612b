"""Documents that were read wrongly, or judged clean: each by the command line, from a file and from a server (R-32…R-40)."""

import json
from pathlib import Path
from typing import Any

import pytest

from servers import serve, typed
from sitemap_action.__main__ import run
from sitemap_action.sitemap.schema import schema_faults

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
VIDEO = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
S = "https://www.example.com/"


def urlset(body: str, *declarations: str, root: str = NAMESPACE) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {" ".join((root, *declarations))}>\n{body}\n</urlset>\n'


def page(inner: str = "", name: str = "a") -> str:
    return f"<url><loc>{S}{name}</loc>{inner}</url>"


def video(title: str = "T", description: str = "D", more: str = "") -> str:
    inner = f"<video:title>{title}</video:title><video:description>{description}</video:description>"
    where = f"<video:thumbnail_loc>{S}t.jpg</video:thumbnail_loc>"
    return f"<video:video>{where}{inner}<video:content_loc>{S}v.mp4</video:content_loc>{more}</video:video>"


def news(date: str, name: str = "N", title: str = "T") -> str:
    publication = f"<news:publication><news:name>{name}</news:name><news:language>en</news:language></news:publication>"
    day = f"<news:publication_date>{date}</news:publication_date>"
    return f"<news:news>{publication}{day}<news:title>{title}</news:title></news:news>"


Validate = Any


@pytest.fixture
def validate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Validate:
    """Rule → (lines, URLs) of what `validate` finds."""

    def go(content: str | bytes, name: str = "sitemap.xml") -> dict[str, list[tuple[int, str]]]:
        monkeypatch.chdir(tmp_path)
        place = tmp_path / name
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        run(["validate", name, "--format", "json"])
        found: dict[str, list[tuple[int, str]]] = {}
        for finding in json.loads(capsys.readouterr().out)[0]["findings"]:
            row = (finding.get("line", 0), finding.get("url", ""))
            found.setdefault(finding["rule"], []).append(row)
        return found

    return go


PADDED = [
    ("an extension, unused", urlset(page(), 'xmlns:xhtml="http://www.w3.org/1999/xhtml "'), "EXT-01"),
    ("a line break", urlset(page(), 'xmlns:xhtml="http://www.w3.org/1999/xhtml&#10;"'), "EXT-01"),
    ("an extension, used", urlset(page("<image:image/>"), IMAGE.replace("1.1", " 1.1 ")), "EXT-01"),
    ("the protocol", urlset(page(), root=NAMESPACE.replace('0.9"', '0.9 "')), "SM-05"),
    ("the protocol, with a tab", urlset(page(), root=NAMESPACE.replace('0.9"', '&#9;0.9"')), "SM-05"),
    ("another one", urlset(page(), 'xmlns:x="a b"'), ""),
]


@pytest.mark.parametrize(("content", "rule"), [row[1:] for row in PADDED], ids=[row[0] for row in PADDED])
def test_R_32_white_space_in_a_namespace_loses_no_file(
    content: str, rule: str, validate: Validate, capsys: pytest.CaptureFixture[str]
) -> None:
    found = validate(content)
    assert set(found) == ({rule} if rule else set())
    assert run(["read", "sitemap.xml"]) == 0
    assert capsys.readouterr().out == f"{S}a\n"


EMPTY = [
    ("title", video(title="")),
    ("description", video(description="")),
    ("a space", video(title="  ")),
    ("CDATA", video(description="<![CDATA[]]>")),
]


@pytest.mark.parametrize("element", [row[1] for row in EMPTY], ids=[row[0] for row in EMPTY])
def test_R_33_an_empty_required_text_of_a_video_is_missing(element: str, validate: Validate) -> None:
    assert "VID-01" in validate(urlset(page(element), VIDEO))
    assert "VID-01" not in validate(urlset(page(video()), VIDEO))


def test_R_33_an_empty_required_text_of_news_is_missing(validate: Validate) -> None:
    for one in (news("2099-01-01", name=" "), news("2099-01-01", title="\n")):
        assert "NEWS-01" in validate(urlset(page(one), NEWS))


def test_R_34_a_publication_date_in_the_future(validate: Validate) -> None:
    assert [*validate(urlset(page(news("2099-01-01")), NEWS))] == ["NEWS-03"]
    dated = "<video:publication_date>2099-01-01</video:publication_date>"
    assert [*validate(urlset(page(video(more=dated)), VIDEO))] == ["VID-06"]
    expires = "<video:expiration_date>2099-01-01</video:expiration_date>"
    assert validate(urlset(page(video(more=expires)), VIDEO)) == {}


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"{}><title>F</title><id>urn:f</id><updated>2026-01-01T00:00:00Z</updated>
<entry{}><title>E</title><id>urn:e</id><updated>2026-01-01T00:00:00Z</updated><link href="{}"/></entry></feed>
"""


FEEDS = [
    ("the feed's address", "", "", "/a", "{0}/a"),
    ("beside the feed", "", "", "b", "{0}/blog/b"),
    ("base of the feed", ' xml:base="/docs/"', "", "a", "{0}/docs/a"),
    ("base of the entry", ' xml:base="/docs/"', ' xml:base="x/"', "a", "{0}/docs/x/a"),
    ("absolute base", ' xml:base="{0}/y/"', "", "a", "{0}/y/a"),
    ("absolute link", ' xml:base="/docs/"', "", "{0}/a", "{0}/a"),
]


@pytest.mark.parametrize(("feed", "entry", "href", "wanted"), [row[1:] for row in FEEDS], ids=[row[0] for row in FEEDS])
def test_R_35_links_of_an_Atom_feed_are_resolved(
    feed: str, entry: str, href: str, wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve({}) as site:
        origin = site.url.rstrip("/")
        text = ATOM.format(feed.format(origin), entry, href.format(origin))
        site.routes["/blog/feed.xml"] = typed("application/atom+xml", text)
        assert run(["read", f"{origin}/blog/feed.xml"]) == 0
        assert capsys.readouterr().out == f"{wanted.format(origin)}\n"
        run(["validate", f"{origin}/blog/feed.xml", "--format", "json"])
        assert "SM-21" not in {one["rule"] for one in json.loads(capsys.readouterr().out)[0]["findings"]}


def test_R_35_a_feed_on_a_disk_has_its_base_alone(validate: Validate, capsys: pytest.CaptureFixture[str]) -> None:
    assert "SM-21" not in validate(ATOM.format(f' xml:base="{S}"', "", "/a"), "feed.xml")
    assert run(["read", "feed.xml"]) == 0
    assert capsys.readouterr().out == f"{S}a\n"
    assert "SM-21" in validate(ATOM.format("", "", "/a"), "feed.xml")


LATIN = f"<urlset {NAMESPACE}><url><loc>{S}caf\xe9</loc></url></urlset>"
CHARSETS = [
    ("no declaration", "text/xml; charset=iso-8859-1", LATIN.encode("latin-1")),
    ("another declaration", "text/xml; charset=iso-8859-1", b'<?xml version="1.0" encoding="UTF-8"?>' + LATIN.encode("latin-1")),
    ("a declaration without encoding", "application/xml; charset=ISO-8859-1", b'<?xml version="1.0"?>' + LATIN.encode("latin-1")),
    ("the header says UTF-8", "text/xml; charset=utf-8", b'<?xml version="1.0" encoding="iso-8859-1"?>' + LATIN.encode()),
    ("a byte order mark wins", "text/xml; charset=iso-8859-1", b"\xef\xbb\xbf" + LATIN.encode()),
    ("a text", "text/plain; charset=iso-8859-1", f"{S}caf\xe9\n".encode("latin-1")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content"), [row[1:] for row in CHARSETS], ids=[row[0] for row in CHARSETS])
def test_R_36_the_charset_of_the_header_holds(kind: str, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    """Byte order mark, then header, then declaration (RFC 7303)."""
    name = "sitemap.txt" if "plain" in kind else "sitemap.xml"
    with serve({f"/{name}": typed(kind, content)}) as site:
        address = f"{site.url.rstrip('/')}/{name}"
        assert run(["read", address]) == 0
        assert capsys.readouterr().out.startswith(f"{S}caf")
        assert run(["read", address, "--format", "jsonl"]) == 0
        (first, *_) = map(json.loads, capsys.readouterr().out.splitlines())
        assert first["loc"] in {f"{S}caf%C3%A9", f"{S}café"}


def test_R_40_an_index_that_lists_itself(validate: Validate) -> None:
    index = f"<sitemapindex {NAMESPACE}><sitemap><loc>{S}index.xml</loc></sitemap></sitemapindex>"
    assert "SM-61" in validate(index, "index.xml")


def test_R_40_addresses(validate: Validate, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty port is legal; an empty user name is one."""
    body = "<url><loc>https://www.example.com:/a</loc></url>\n<url><loc>https://@www.example.com/b</loc></url>"
    assert validate(urlset(body)) == {"SM-34": [(4, "https://***@www.example.com/b")]}
    assert run(["read", "sitemap.xml"]) == 0
    assert capsys.readouterr().out == "https://www.example.com:/a\n"


def test_R_40_an_image_with_a_space(validate: Validate) -> None:
    spaced = f"<image:image><image:loc>{S}a b.jpg</image:loc></image:image>"
    assert "IMG-01" in validate(urlset(page(spaced), IMAGE))


def test_R_40_stray_text_is_reported_at_its_own_line(validate: Validate) -> None:
    body = f"{page()}\n\nstray\n\n{page(name='b')}\n<url><loc>{S}c</loc>\nmore\n\n</url>"
    assert [line for line, _ in validate(urlset(body))["SM-15"]][:2] == [5, 9]


def test_R_40_addresses_are_judged_without_their_site(validate: Validate) -> None:
    names = ("A", "a", "A", "b//c", "d?sid=1", "caf%C3%A9", "cafe%CC%81")
    found = validate(urlset("\n".join(page(name=name) for name in names)))
    assert found == {
        "SM-31": [(5, f"{S}A")],
        "URL-24": [(7, f"{S}d?sid=1")],
        "URL-25": [(4, f"{S}a")],
        "URL-26": [(6, f"{S}b//c")],
        "URL-29": [(9, f"{S}cafe%CC%81")],
    }


def test_R_40_no_message_has_bytes_as_Python_shows_them() -> None:
    for head in (b'<?xml version="1.0"<urlset/>', b'<?xml encoding="x"?><urlset/>'):
        (fault,) = schema_faults(head, 1000)
        assert fault.fatal
        assert "b'" not in fault.detail
        assert 'b"' not in fault.detail


def test_R_40_a_robots_txt_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in (
        ("utf16.txt", "User-agent: *\nDisallow: /\n".encode("utf-16")),
        ("page.txt", b"<!doctype html>"),
    ):
        (tmp_path / name).write_bytes(content)
        run(["robots", str(tmp_path / name), "--agent", "x", f"{S}a"])
        printed = capsys.readouterr()
        assert "note: " in printed.out + printed.err
