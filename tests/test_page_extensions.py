"""`output.extensions` in whole runs: what the pages state is in the sitemap, and what is written is valid."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from servers import serve
from sitemap_action.__main__ import run
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.extensions import parse_extension
from sitemap_action.sitemap.read import read

SITE = "https://www.example.com/"
NAMESPACES = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" '
    'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" '
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
)
MOBILE = '<m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"/>'
Act = Callable[..., tuple[int, dict[str, Any]]]


def page(path: str, head: str = "", body: str = "", site: str = SITE) -> tuple[str, bytes]:
    """(path, document), whose links lead to every other page by way of the start page."""
    words = f"The page {path} has words of its own. " * 20
    text = (
        f"<!doctype html><html><head><title>Page {path}</title>{head}</head><body><h1>{path}</h1><p>{words}</p>{body}"
    )
    return path, text.replace("SITE/", site).encode()


def versions(*codes: str) -> str:
    """The same <link> elements for every page of a cluster."""
    return "".join(f'<link rel="alternate" hreflang="{code}" href="SITE/{code[:2]}/">' for code in codes)


def start(*paths: str) -> tuple[str, bytes]:
    return page("/", body="".join(f'<a href="{path}">to {path}</a>' for path in paths))


def urlset(*entries: tuple[str, str]) -> str:
    rows = "".join(f"<url><loc>{SITE}{path}</loc>{extensions}</url>\n" for path, extensions in entries)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACES}>\n{rows}</urlset>\n'


def entries() -> dict[str, Entry]:
    found = read(Path("sitemap.xml").read_bytes())
    return {event.loc.removeprefix(SITE): event for event in found if isinstance(event, Entry)}


def findings(report: dict[str, Any], rule: str) -> list[tuple[str, str]]:
    rows = ((one["rule"], one) for one in report["findings"])
    return [(one["url"], one["message"]) for rule_id, one in rows if rule_id == rule]


def act(command: str, asked: str, *flags: str) -> tuple[int, dict[str, Any]]:
    options = ("--site-url", SITE, "--sitemap", "sitemap.xml", "--report", "json=report.json")
    code = run([command, *options, "--set", f"output.extensions={asked}", *flags])
    return code, json.loads(Path("report.json").read_text())


def build(pages: dict[str, bytes]) -> tuple[str, ...]:
    """The flags that read the pages from a folder."""
    for path, content in pages.items():
        file = Path("dist") / path.removeprefix("/")
        file = file / "index.html" if path.endswith("/") else file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return ("--path", "dist", "--offline")


def served_flags(address: str) -> tuple[str, ...]:
    return ("--url", address, "--allow-private-hosts", "127.0.0.1", "--set", "sitemaps.use=false")


def written(pages: dict[str, bytes], asked: str, *flags: str) -> dict[str, Entry]:
    """The entries that a folder, a server, and a server with a state have: the same bytes, valid, and stable."""
    committed = Path("sitemap.xml").read_bytes() if Path("sitemap.xml").exists() else b""
    contents = []
    with serve(dict(pages)) as server:
        served = served_flags(server.url)
        for source in (build(pages), served, (*served, "--state", "state"), (*served, "--state", "state")):
            if committed:
                Path("sitemap.xml").write_bytes(committed)
            else:
                Path("sitemap.xml").unlink(missing_ok=True)
            assert act("write", asked, *source, *flags)[0] == 0
            contents.append(Path("sitemap.xml").read_bytes())
            assert act("check", asked, *source, *flags)[1]["result"] == "in-sync"
    assert run(["validate", "sitemap.xml"]) == 0
    assert len(set(contents)) == 1
    return entries()


CLUSTER = ("en", "de", "pt-BR", "x-default")


def cluster() -> dict[str, bytes]:
    head = versions(*CLUSTER[:3]) + '<link rel="alternate" hreflang="x-default" href="SITE/en/">'
    return dict([start("/en/", "/de/", "/pt/"), *(page(f"/{code}/", head) for code in ("en", "de", "pt"))])


def test_hreflang_of_a_multilingual_site(here: Path) -> None:
    found = written(cluster(), "hreflang")
    expected = [("en", f"{SITE}en/"), ("de", f"{SITE}de/"), ("pt-BR", f"{SITE}pt/"), ("x-default", f"{SITE}en/")]
    assert {path: [tuple(one) for one in entry.alternates] for path, entry in found.items()} == {
        "": [],
        "de/": expected,
        "en/": expected,
        "pt/": expected,
    }


def test_hreflang_of_link_headers(here: Path) -> None:
    links = ", ".join(f'<{SITE}{code}/>; rel="alternate"; hreflang="{code}"' for code in ("en", "de"))
    pages = dict([start("/en/", "/de/"), page("/en/"), page("/de/")])
    rows = "".join(f"/{code}/*\n  Link: {links}\n" for code in ("en", "de"))
    source = build({**pages, "/_headers": rows.encode()})
    assert act("write", "hreflang", *source, "--host", "netlify")[0] == 0
    expected = [("en", f"{SITE}en/"), ("de", f"{SITE}de/")]
    assert [tuple(one) for one in entries()["de/"].alternates] == expected
    assert [tuple(one) for one in entries()["en/"].alternates] == expected


def test_hreflang_that_is_not_valid_is_left_out_with_a_row(here: Path) -> None:
    pages = dict([start("/en/", "/de/"), page("/en/", versions("en", "de")), page("/de/", versions("de"))])
    code, report = act("write", "hreflang", *build(pages))
    assert code == 0
    assert entries()["en/"].alternates == ()
    ((message,),) = [found[1:] for found in findings(report, "HL-09") if found[0] == f"{SITE}en/"]
    assert message.endswith(
        f" are left out of the sitemap, where they would not be valid: de: {SITE}de/ does not link back"
    )


def test_hreflang_replaces_what_is_committed_and_nothing_else(here: Path) -> None:
    old = f'<xhtml:link rel="alternate" hreflang="fr" href="{SITE}fr/"/>'
    image = f"<image:image><image:loc>{SITE}p.png</image:loc></image:image>"
    Path("sitemap.xml").write_text(urlset(("", ""), ("de/", ""), ("en/", f"{old}{image}{MOBILE}"), ("pt/", "")))
    found = written(cluster(), "hreflang")["en/"]
    assert [one.hreflang for one in found.alternates] == list(CLUSTER)
    assert (found.images, len(found.extensions)) == ((f"{SITE}p.png",), 6)


def test_a_changed_extension_is_a_changed_row(here: Path) -> None:
    Path("sitemap.xml").write_text(urlset(("", ""), ("de/", ""), ("en/", ""), ("pt/", "")))
    source = build(cluster())
    code, report = act("check", "hreflang", *source, "--fail-on", "changed")
    assert (code, report["result"]) == (1, "drift")
    assert [(row["url"], list(row["fields"])) for row in report["changed"]] == [
        (f"{SITE}{code}/", ["alternates"]) for code in ("de", "en", "pt")
    ]
    assert act("check", "keep", *source, "--fail-on", "changed")[1]["result"] == "in-sync"


def test_entries_of_output_keep_are_not_rewritten(here: Path) -> None:
    Path("sitemap.xml").write_text(urlset(("", ""), ("de/", MOBILE), ("en/", ""), ("pt/", "")))
    assert act("write", "hreflang", *build(cluster()), "--set", "output.keep=[/de/]")[0] == 0
    found = entries()
    assert [len(found[path].extensions) for path in ("de/", "en/", "pt/")] == [1, 3, 3]
    assert [one.hreflang for one in found["en/"].alternates] == ["en", "pt-BR", "x-default"]


def test_a_page_without_an_answer_keeps_what_is_valid_beside_the_others(here: Path) -> None:
    pages = cluster()
    with serve(dict(pages)) as server:
        assert act("write", "hreflang", *served_flags(server.url))[0] == 0
    before = Path("sitemap.xml").read_bytes()
    with serve({**pages, "/de/": (503, {}, b"")}) as server:
        flags = ("--set", "http.retries=0", "--set", "crawl.allow-undetermined=50%")
        act("write", "hreflang", *served_flags(server.url), *flags)
    assert Path("sitemap.xml").read_bytes() == before


IMAGE_BUILD = """
<header><img src=/logo.png></header><nav><img src=/menu.png></nav>
<main><img src=SITE/one.jpg><img src="/two.jpg?a=1&amp;b=2"><img src=/one.jpg><img srcset="/three-400.jpg 400w, /three.jpg 800w">
<article><header><img src=/four.jpg></header></article>
<img src=data:image/gif;base64,R0lGODlhAQABAAAAACw=><img src=/seen?page=1 width=1 height=1><img src=/seen.gif height=0px>
<img src=/spacer.gif><img src=/icons-sprite.svg><img src=http://localhost:3000/dev.png><img src=/private/p.jpg>
<img src=https://cdn.example.net/five.jpg></main><footer><img src=/badge.png></footer>
"""
SHOWN = [
    f"{SITE}one.jpg",
    f"{SITE}two.jpg?a=1&b=2",
    f"{SITE}three-400.jpg",
    f"{SITE}four.jpg",
    "https://cdn.example.net/five.jpg",
]


def gallery() -> dict[str, bytes]:
    robots = b"User-agent: *\nDisallow: /private/\n"
    gallery = page("/g/", '<meta property="og:image" content="SITE/shared.jpg">', IMAGE_BUILD)
    return dict([start("/g/", "/plain/"), gallery, page("/plain/"), ("/robots.txt", robots)])


def test_images_of_a_gallery(here: Path) -> None:
    found = written(gallery(), "[image]")
    assert {path: list(entry.images) for path, entry in found.items()} == {
        "": [],
        "g/": [*SHOWN, f"{SITE}shared.jpg"],
        "plain/": [],
    }


def test_a_list_replaces_the_images_of_an_entry_and_nothing_else(here: Path) -> None:
    old = f"<image:image><image:loc>{SITE}old.png</image:loc></image:image>"
    video = (
        f"<video:video><video:thumbnail_loc>{SITE}t.png</video:thumbnail_loc><video:title>t</video:title>"
        f"<video:description>d</video:description><video:content_loc>{SITE}v.mp4</video:content_loc></video:video>"
    )
    Path("sitemap.xml").write_text(urlset(("", old), ("g/", f"{MOBILE}{old}{video}"), ("plain/", "")))
    found = written(gallery(), "image")
    assert (found[""].images, len(found["g/"].images), len(found["g/"].extensions)) == ((), 6, 8)


def video(**changed: object) -> dict[str, object]:
    return {
        "@context": "https://schema.org",
        "@type": "VideoObject",
        "name": "Two & two",
        "description": "How <b>they</b> meet",
        "thumbnailUrl": ["/t.jpg", "/t2.jpg"],
        "contentUrl": "SITE/v.mp4",
        "embedUrl": "https://player.example.net/1",
        "duration": "PT1H1M5S",
        "uploadDate": "2026-10-01T09:20:00+0200",
        **changed,
    }


def ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value).replace("<", chr(92) + "u003c")}</script>'


def values(entry: Entry, prefix: str) -> list[dict[str, str]]:
    """The elements of each extension with this prefix."""
    nodes = [parse_extension(one) for one in entry.extensions if one.startswith(f"<{prefix}:")]
    return [{child.name.partition(":")[2]: child.text for child in node.children} for node in nodes]


OPEN_GRAPH = (
    '<meta property="og:title" content="Film"><meta property="og:description" content="A film">'
    '<meta property="og:image" content="/film.jpg"><meta property="og:video" content="/film.mp4">'
    '<meta property="og:video:duration" content="42">'
)
EXPECTED = {
    "thumbnail_loc": f"{SITE}t.jpg",
    "title": "Two & two",
    "description": "How <b>they</b> meet",
    "content_loc": f"{SITE}v.mp4",
    "player_loc": "https://player.example.net/1",
    "duration": "3665",
    "publication_date": "2026-10-01T09:20:00+02:00",
}


def test_videos_of_json_ld_and_open_graph(here: Path) -> None:
    several = [video(name="One"), {"@type": "Article", "video": video(name="Two", duration="P99D", uploadDate="soon")}]
    incomplete = [
        video(description=""),
        video(thumbnailUrl=None),
        video(contentUrl="SITE/x/", embedUrl=""),
        video(expires="2020-01-01"),
    ]
    pages = dict(
        [
            start("/v/", "/w/", "/o/", "/x/"),
            page("/v/", ld(video())),
            page("/w/", ld({"@graph": several}), OPEN_GRAPH),
            page("/o/", OPEN_GRAPH),
            page("/x/", ld(incomplete)),
        ]
    )
    found = written(pages, "video")
    assert values(found["v/"], "video") == [EXPECTED]
    assert [one["title"] for one in values(found["w/"], "video")] == ["One", "Two"]
    assert values(found["w/"], "video")[1].keys() == EXPECTED.keys() - {"duration", "publication_date"}
    assert values(found["o/"], "video") == [
        {
            "thumbnail_loc": f"{SITE}film.jpg",
            "title": "Film",
            "description": "A film",
            "content_loc": f"{SITE}film.mp4",
            "duration": "42",
        }
    ]
    assert found["x/"].extensions == ()


PUBLICATION = ("--set", "output.news.name=The Times", "--set", "output.news.language=en")


def ago(**span: float) -> str:
    return (datetime.now(UTC) - timedelta(**span)).isoformat()


def article(published: str, **changed: object) -> str:
    return ld({"@type": "NewsArticle", "headline": "Head & line", "datePublished": published, **changed})


def test_news_of_the_last_two_days(here: Path) -> None:
    new = ago(hours=47)
    meta = f'<meta property="article:published_time" content="{ago(hours=1)}">'
    pages = dict(
        [
            start("/new/", "/day/", "/meta/", "/old/", "/soon/", "/none/", "/undated/"),
            page("/new/", article(new)),
            page("/day/", article(ago(days=1)[:10])),
            page("/meta/", meta),
            page("/old/", article(ago(hours=49))),
            page("/soon/", article(ago(hours=-3))),
            page("/none/", article(new, **{"@type": "WebPage"})),
            page("/undated/", article("yesterday")),
        ]
    )
    found = written(pages, "news", *PUBLICATION)
    news = {path: [parse_extension(one) for one in entry.extensions] for path, entry in found.items()}
    assert {path for path, elements in news.items() if elements} == {"new/", "day/", "meta/"}
    (element,) = news["new/"]
    publication = element.first("news:publication")
    assert (publication.first("news:name").text, publication.first("news:language").text) == ("The Times", "en")
    assert element.first("news:title").text == "Head & line"
    assert element.first("news:publication_date").text == new
    assert news["meta/"][0].first("news:title").text == "Page /meta/"


def test_at_most_1000_articles_the_newest(here: Path) -> None:
    many = [page(f"/{number}/", article(ago(minutes=number))) for number in range(1, 1_011)]
    source = build(dict([start(*(path for path, _ in many)), *many]))
    assert act("write", "news", *source, *PUBLICATION, "--set", "policy.max-added=none")[0] == 0
    found = entries()
    assert {path for path, entry in found.items() if not entry.extensions} == {
        "",
        *(f"{n}/" for n in range(1_001, 1_011)),
    }
    assert run(["validate", "sitemap.xml"]) == 0


def test_news_need_a_publication(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = build(dict([start()]))
    flags = ("--site-url", SITE, "--sitemap", "sitemap.xml", "--set", "output.extensions=news")
    assert run(["check", *source, *flags, "--set", "output.news.name=The Times"]) == 2
    assert (
        "output.extensions lists news, which needs output.news.name and output.news.language" in capsys.readouterr().err
    )


def test_at_most_1000_images_of_a_page(here: Path) -> None:
    many = "".join(f"<img src=/{number}.jpg>" for number in range(1_010))
    assert act("write", "image", *build(dict([start("/g/"), page("/g/", body=many)])))[0] == 0
    assert len(entries()["g/"].images) == 1_000
    assert run(["validate", "sitemap.xml"]) == 0


def test_images_and_language_versions_of_a_preview_are_those_of_the_site(here: Path) -> None:
    pages = {**cluster(), **gallery(), **dict([start("/en/", "/de/", "/pt/", "/g/", "/plain/")])}
    with serve(dict(pages)) as server:
        own = {path: body.replace(SITE.encode(), f"{server.url}".encode()) for path, body in pages.items()}
        server.routes.update(own)
        assert act("write", "[hreflang, image]", *served_flags(server.url))[0] == 0
    found = entries()
    assert [one.url for one in found["de/"].alternates] == [f"{SITE}{code}/" for code in ("en", "de", "pt", "en")]
    assert list(found["g/"].images) == [*SHOWN, f"{SITE}shared.jpg"]
