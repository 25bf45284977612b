"""The library: what `read` streams, what `Loader` hands out, and what a state keeps; of real answers on loopback."""

import asyncio
import inspect
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from servers import Site, late, serve, typed
from sitemap_action import sitemaps
from sitemap_action.sitemaps import Entry, Limits, Loader, SitemapState, read
from webs import NS, index, urlset

MEDIA = f"""<urlset xmlns="{NS}" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
 xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>https://www.example.com/a</loc><lastmod>2026-11-20T10:00:00+02:00</lastmod><changefreq>daily</changefreq>
<priority>0.8</priority><xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/de"/>
<image:image><image:loc>https://www.example.com/i.png</image:loc><image:title>I</image:title><image:caption>C</image:caption></image:image>
<video:video><video:thumbnail_loc>https://www.example.com/t.png</video:thumbnail_loc><video:title>T</video:title>
<video:description>D</video:description><video:content_loc>https://www.example.com/v.mp4</video:content_loc>
<video:duration>60</video:duration><video:publication_date>2026-11-01</video:publication_date></video:video>
<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>
<news:publication_date>2026-11-19</news:publication_date><news:title>Headline</news:title></news:news></url>
<url><loc>https://www.example.com/b</loc><lastmod>soon</lastmod><changefreq>often</changefreq><priority>2</priority></url>
<url><loc>HTTPS://www.Example.com/%7Ec</loc></url><url><loc>//www.example.com/ä b</loc></url>
</urlset>"""


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({}) as found:
        url = found.url
        found.routes |= {
            "/robots.txt": typed("text/plain", f"User-agent: *\nAllow: /\nSitemap: {url}i.xml\n"),
            "/i.xml": typed("application/xml", index(f"{url}1.xml", f"{url}2.xml", f"{url}dead.xml")),
            "/1.xml": typed("application/xml", urlset(f"{url}a", f"{url}b", "https://other.example/x")),
            "/2.xml": typed("application/xml", urlset(f"{url}b#part", f"{url}c")),
        }
        yield found


def paths(entries: Iterator[Entry] | list[Entry], site: Site) -> list[str]:
    return [entry.loc.removeprefix(site.origin) for entry in entries]


def drain(loader: Loader, site: Site) -> list[str]:
    """What it hands out, each acknowledged."""
    found = []
    while (url := loader.fetch_next()) is not None:
        found.append(url.removeprefix(site.origin))
        assert loader.acknowledge(url)
    return found


def test_an_entry_is_typed() -> None:
    first, second, third, last = read(MEDIA)
    assert (first.loc, first.lastmod) == ("https://www.example.com/a", datetime(2026, 11, 20, 8, tzinfo=UTC))
    assert (first.changefreq, first.priority) == ("daily", 0.8)
    assert [(one.hreflang, one.url) for one in first.alternates] == [("de", "https://www.example.com/de")]
    assert first.images == (sitemaps.Image("https://www.example.com/i.png", "I", "C"),)
    (video,) = first.videos
    assert (video.loc, video.duration, video.title) == ("https://www.example.com/v.mp4", 60, "T")
    assert (video.thumbnail, video.description) == ("https://www.example.com/t.png", "D")
    assert video.publication_date == datetime(2026, 11, 1, tzinfo=UTC)
    (article,) = first.news
    assert (article.name, article.language, article.title) == ("N", "en", "Headline")
    assert (article.date, article.publication_date) == ("2026-11-19", datetime(2026, 11, 19, tzinfo=UTC))
    assert first.origin.sitemap.startswith("text:")
    assert first.origin.line == 4
    assert (second.lastmod, second.changefreq, second.priority, second.images) == (None, None, None, ())
    assert (second.written.lastmod, second.written.priority) == ("soon", "2")
    assert (third.loc, third.priority) == ("HTTPS://www.Example.com/%7Ec", None), "as written, where that is a URL"
    assert last.loc == "https://www.example.com/%C3%A4%20b"


def test_every_kind_of_source_is_read(site: Site, tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(urlset("/f"))
    (tmp_path / "robots.txt").write_text(f"Sitemap: {site.url}2.xml\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/sitemap.txt").write_text("https://www.example.com/g\n")
    for source, expected in (
        (site.url, ["/a", "/b", "https://other.example/x", "/c"]),
        (f"{site.url}robots.txt", ["/a", "/b", "https://other.example/x", "/c"]),
        (f"{site.url}1.xml", ["/a", "/b", "https://other.example/x"]),
        (tmp_path / "sitemap.xml", ["https://www.example.com/f"]),
        (str(tmp_path / "sitemap.xml"), ["https://www.example.com/f"]),
        (tmp_path / "robots.txt", ["/b", "/c"]),
        (tmp_path / "folder", ["https://www.example.com/g"]),
        (urlset("/t"), ["https://www.example.com/t"]),
        (urlset("/t").encode(), ["https://www.example.com/t"]),
        (
            "https://www.example.com/1\nhttps://www.example.com/2",
            ["https://www.example.com/1", "https://www.example.com/2"],
        ),
        (f"User-agent: *\nSitemap: {site.url}1.xml", ["/a", "/b", "https://other.example/x"]),
    ):
        assert paths([*read(source)], site) == expected, source


def test_what_is_unavailable_is_a_value(site: Site) -> None:
    reading = read(site.url)
    assert len([*reading]) == 4
    (one,) = reading.unavailable
    assert (one.url, one.reason, one.line) == (f"{site.url}dead.xml", "answered 404", 1)
    assert not reading.complete
    cut = typed("application/xml", urlset(f"{site.url}d", f"{site.url}e")[:-30])
    site.routes["/dead.xml"] = cut
    assert paths([*reading], site)[-1] == "/d"
    assert [(one.entries, one.listed_by) for one in reading.unavailable] == [(1, f"{site.url}i.xml")]
    site.routes["/dead.xml"] = typed("application/xml", urlset(f"{site.url}d"))
    assert paths([*reading], site)[-1] == "/d"
    assert reading.complete


def test_both_loops_read_alike(site: Site) -> None:
    async def collect() -> list[Entry]:
        return [entry async for entry in sitemaps.aread(site.url, include=["/*"], exclude=["re:^/b"], same_host=True)]

    reading = read(site.url, include=["/*"], exclude=["re:^/b"], same_host=True)
    assert paths([*reading], site) == paths(asyncio.run(collect()), site) == ["/a", "/c"]


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("https://", sitemaps.UsageError),
        ("no/such/file.xml", sitemaps.UsageError),
        ("no/such/robots.txt", sitemaps.UsageError),
    ],
)
def test_what_cannot_be_used_raises(source: str, error: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(error):
        read(source)
    with pytest.raises(sitemaps.BadPattern):
        read(urlset("/t"), include=["re:("])
    (tmp_path / "other.txt").write_text("of another program")
    with pytest.raises(sitemaps.UsageError):
        Loader(urlset("/t"), tmp_path / "other.txt")


def test_what_is_raised_names_a_remedy_and_a_loader_is_of_one_thread(tmp_path: Path) -> None:
    assert issubclass(sitemaps.BadPattern, ValueError)
    assert not issubclass(sitemaps.BadPattern, sitemaps.SitemapActionError)
    raised: list[sitemaps.SitemapActionError] = []
    with Loader(urlset("/a"), tmp_path / "state") as loader, ThreadPoolExecutor(1) as other:
        with pytest.raises(sitemaps.PublishError) as used:
            Loader(urlset("/a"), tmp_path / "state")
        assert other.submit(loader.fetch_next).exception()
        assert loader.fetch_next() == "https://www.example.com/a"
        raised.append(used.value)
    for first, second in ((asyncio_next, Loader.fetch_next), (Loader.fetch_next, asyncio_next)):
        with Loader(urlset("/a")) as loader:
            assert first(loader) == "https://www.example.com/a"
            with pytest.raises(sitemaps.UsageError) as mixed:
                second(loader)
            raised.append(mixed.value)
    assert all(one.hint for one in raised)


def asyncio_next(loader: Loader) -> str | None:
    return asyncio.run(loader.afetch_next())


def test_what_a_site_forbids_is_not_requested_and_headers_reach_the_first_source_alone(site: Site) -> None:
    site.routes["/robots.txt"] = typed("text/plain", f"User-agent: *\nDisallow: /2.xml\nSitemap: {site.url}i.xml")
    reading = read(site.url)
    assert paths([*reading], site) == ["/a", "/b", "https://other.example/x"]
    assert f"{site.url}2.xml" in {one.url for one in reading.unavailable}
    assert "/2.xml" not in site.paths
    http = sitemaps.Http(user_agent="mine", headers=(("X-Key", "secret"),))
    with serve({}) as other:
        other.routes["/s.xml"] = typed("application/xml", urlset(f"{other.url}s"))
        with Loader([f"{site.url}2.xml", f"{other.url}s.xml"], http=http) as loader:
            assert drain(loader, site)[:2] == ["/b", "/c"]
            assert loader.unavailable == ()
        for asked, key in ((site.asked[-1], "secret"), (other.asked[-1], "")):
            assert (asked.header("user-agent"), asked.header("x-key")) == ("mine", key)


def test_a_loader_that_is_closed_ends_its_requests(site: Site) -> None:
    site.routes["/s.xml"] = late(30)

    async def wait() -> None:
        async with Loader(f"{site.url}s.xml") as loader:
            task = asyncio.ensure_future(loader.afetch_next())
            for _ in range(1000):
                await asyncio.sleep(0 if site.asked else 0.01)
            assert [one.state for one in loader.documents] == [SitemapState.REQUESTED]
            task.cancel()

    before = time.monotonic()
    asyncio.run(wait())
    assert time.monotonic() - before < 15


def test_a_loader_counts(site: Site) -> None:
    with Loader(site.url, same_host=True) as loader:
        assert (loader.total, loader.is_empty, loader.is_finished) == (0, False, False)
        first = loader.fetch_next()
        assert first == f"{site.url}a"
        assert (loader.total, loader.handled, loader.in_progress) == (2, 0, 1)
        assert not loader.acknowledge(f"{site.url}b"), "it was not handed out"
        assert loader.acknowledge(first)
        assert not loader.acknowledge(first), "once"
        assert drain(loader, site) == ["/b", "/c"]
        assert (loader.total, loader.handled, loader.in_progress) == (3, 3, 0)
        assert loader.is_finished
        assert [one.url for one in loader.unavailable] == [f"{site.url}dead.xml"]
        assert [one.state for one in loader.documents][-1] is SitemapState.FAILED


def test_an_empty_loader_is_finished_once_all_is_acknowledged() -> None:
    with Loader(urlset("/t")) as loader:
        url = loader.fetch_next()
        assert loader.fetch_next() is None
        assert (loader.is_empty, loader.is_finished) == (True, False)
        assert loader.acknowledge(f"{url}#in-another-spelling")
        assert loader.is_finished


def test_several_sources_are_one(site: Site, tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(urlset(f"{site.url}a", f"{site.url}file"))
    with Loader(
        [tmp_path / "sitemap.xml", site.url, urlset(f"{site.url}text")], exclude=["https://other.example/**"]
    ) as loader:
        assert drain(loader, site) == ["/a", "/file", "/text", "/b", "/c"]
        assert loader.is_finished


def test_what_was_not_acknowledged_comes_again_in_order(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with Loader(site.url, state, same_host=True) as loader:
        urls = [loader.fetch_next() for _ in range(3)]
        assert loader.acknowledge(str(urls[1]))
    site.asked.clear()
    with Loader(site.url, state, same_host=True) as loader:
        assert (loader.total, loader.handled, loader.in_progress) == (3, 1, 0)
        assert [one.url.removeprefix(site.origin) for one in loader.documents] == [
            "/i.xml",
            "/1.xml",
            "/2.xml",
            "/dead.xml",
        ]
        assert drain(loader, site) == ["/a", "/c"]
        assert loader.is_finished
        assert {"/i.xml", "/1.xml", "/2.xml"}.isdisjoint(site.paths), "what was read is not asked for again"
        assert "/dead.xml" in site.paths, "what failed is"


def test_a_finished_state_stays_so_until_restart(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "state"
    for expected in (["/a", "/b", "/c"], []):
        with Loader(site.url, state, same_host=True) as loader:
            assert drain(loader, site) == expected
            assert loader.is_finished
    with Loader(site.url, state, same_host=True) as loader:
        loader.restart()
        assert drain(loader, site) == ["/a", "/b", "/c"]
    site.routes["/i.xml"] = typed("application/xml", index(f"{site.url}1.xml"))
    with Loader(site.url, state, same_host=True) as loader:
        loader.restart()
        assert loader.fetch_next() == f"{site.url}a"
        states = {one.url.removeprefix(site.origin): one.state for one in loader.documents}
        assert (states["/1.xml"], states["/2.xml"]) == (SitemapState.READ, SitemapState.STALE)


@pytest.mark.parametrize(
    "change",
    [
        {"exclude": ["/b"]},
        {"same_host": True},
        {"limits": Limits(max_depth=1)},
        {"sources": [urlset("/more")]},
        {"version": "0.0.0"},
    ],
)
def test_another_choice_begins_anew(
    site: Site, tmp_path: Path, change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loader(site.url, tmp_path / "state") as loader:
        drain(loader, site)
    if version := change.get("version"):
        monkeypatch.setattr("sitemap_action.walk.sitemap_loading.__version__", version)
    options = {name: value for name, value in change.items() if name not in {"version", "sources"}}
    with Loader([site.url, *change.get("sources", [])], tmp_path / "state", **options) as loader:
        assert loader.handled == 0
        assert "/a" in drain(loader, site)
        assert any("other sitemaps or options" in note for note in loader.notes)


def test_a_site_that_cannot_be_reached_keeps_its_state(site: Site, tmp_path: Path) -> None:
    with Loader(site.url, tmp_path / "state", same_host=True) as loader:
        assert loader.acknowledge(str(loader.fetch_next()))
    robots = site.routes["/robots.txt"]
    site.routes["/robots.txt"] = 503
    with Loader(site.url, tmp_path / "state", same_host=True, http=sitemaps.Http(retries=0)) as loader:
        found = drain(loader, site)
        assert found[0] == "/b"
        assert any("robots.txt" in one.url for one in loader.unavailable)
    site.routes["/robots.txt"] = robots
    with Loader(site.url, tmp_path / "state", same_host=True) as loader:
        assert sorted([*found, *drain(loader, site)]) == ["/b", "/c"]


def test_limits_end_a_loader_and_say_so(site: Site) -> None:
    with Loader(site.url, limits=Limits(max_documents=2), same_host=True) as loader:
        assert drain(loader, site) == ["/a", "/b"]
        assert {one.url for one in loader.unavailable} == {f"{site.url}2.xml", f"{site.url}dead.xml"}
    with Loader(site.url, limits=Limits(max_depth=0)) as loader:
        assert loader.fetch_next() is None
        assert [(one.state, one.urls) for one in loader.documents] == [
            (SitemapState.READ, 0),
            *[(SitemapState.REFUSED, 0)] * 3,
        ]
        assert all(one.reason for one in loader.documents[1:])


def test_an_asynchronous_consumer_and_one_that_is_cancelled(site: Site) -> None:
    async def consume() -> list[str]:
        found = []
        async with Loader(site.url, same_host=True) as loader:
            for _ in range(3):  # cancelled before a document is in: nothing is lost
                task = asyncio.ensure_future(loader.afetch_next())
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            while (url := await loader.afetch_next()) is not None:
                found.append(url.removeprefix(site.origin))
                assert await loader.aacknowledge(url)
            assert loader.is_finished
            with pytest.raises(sitemaps.UsageError):
                loader.restart()
        return found

    assert asyncio.run(consume()) == ["/a", "/b", "/c"]


def test_the_library_loads_no_command_line_no_config_and_no_reports() -> None:
    code = "import sys; from sitemap_action import sitemaps; print(*sorted({n.split('.')[1] for n in sys.modules if n.startswith('sitemap_action.')}))"
    rooms = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert rooms == [
        "disk",
        "errors",
        "fetch",
        "hosts",  # the names of the files that a folder of a repository has
        "model",
        "robots",
        "sitemap",
        "sitemaps",
        "store",
        "walk",
        "web",
    ]


def test_sentences_name_parameters_and_no_flag_or_key(site: Site, tmp_path: Path) -> None:
    """A script has neither a config nor a command line."""
    with Loader(site.url, limits=Limits(max_documents=2)) as loader:
        drain(loader, site)
        assert [one.reason for one in loader.unavailable] == [
            "not requested: at most 2 sitemaps are (Limits.max_documents)"
        ] * 2
    shallow = read(f"{site.url}i.xml", limits=Limits(max_depth=0))
    assert [*shallow] == []
    assert {one.reason for one in shallow.unavailable} == {"it is more than 0 deep (Limits.max_depth)"}
    site.routes["/private.xml"] = typed("application/xml", index("http://10.0.0.1/s.xml"))
    private = read(f"{site.url}private.xml")
    assert [*private] == []
    (one,) = private.unavailable
    assert "name the host with the parameter Http.allow_private_hosts" in one.reason
    with pytest.raises(sitemaps.UsageError) as caught:
        Loader(site.url, state=tmp_path)
    assert caught.value.hint == "name another file with the parameter state"


PAGE = (Path(__file__).parents[1] / "docs/library.md").read_text()
TYPES = (
    sitemaps.Reading,
    Loader,
    Entry,
    sitemaps.Document,
    Limits,
    sitemaps.Http,
    sitemaps.Unavailable,
    sitemaps.Image,
    sitemaps.Video,
    sitemaps.Article,
    sitemaps.Alternate,
)


def test_the_page_has_the_whole_api() -> None:
    code = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", re.sub(r"(?s)```.*?```", "", PAGE)))))
    names = {*sitemaps.__all__, *(name for one in TYPES for name in _public_names(one))}
    documented_by_type = {"EntryPlace", "SitemapState", "aread", "count", "index", "page"}  # as `origin`, `state`, …
    assert sorted(names - code - documented_by_type) == []
    assert f"`read{_signature(read)}`" in PAGE
    assert f"`Loader{_signature(Loader)}`" in PAGE
    http = sitemaps.Http()
    for name, value in {**asdict(Limits()), "retries": http.retries}.items():
        if name != "max_inflated":
            assert f"`{name}` ({value:,})" in PAGE.replace(" of indexes", ""), name
    assert f"`timeout` ({http.timeout} seconds" in PAGE
    states = [f"`{one}`" for one in SitemapState if one not in {SitemapState.USUAL, SitemapState.ABSENT}]
    assert f"`state` ({', '.join(states)})" in PAGE


def _public_names(one: type) -> set[str]:
    fields = getattr(one, "__struct_fields__", getattr(one, "_fields", ()))
    return {name for name in (*fields, *vars(one)) if not name.startswith("_")}


def _signature(one: object) -> str:
    text = str(inspect.signature(one))  # type: ignore[arg-type]
    text = re.sub(r": [^=,()]*(?:\[[^\]]*\])?[^=,()]*(?= =|,|\))", "", text.partition(" ->")[0])
    return re.sub(r"(\w+)\([^()]*\)", r"\1()", text.replace(" = ", "="))


def test_whatever_is_public_says_what_it_is() -> None:
    unnamed = [
        f"{one.__name__}.{name}"
        for one in TYPES
        for name, value in vars(one).items()
        if not name.startswith("_") and (callable(value) or isinstance(value, property)) and not value.__doc__
    ]
    assert unnamed == []
    assert [name for name in sitemaps.__all__ if not getattr(sitemaps, name).__doc__] == []


def test_a_state_is_as_large_as_the_page_says(tmp_path: Path) -> None:
    rows = "".join(
        f"<url><loc>https://www.example.com/section-{n % 97}/some-article-title-{n:012}/</loc>"
        f"<lastmod>2026-01-{n % 28 + 1:02}</lastmod></url>"
        for n in range(20_000)
    )
    with Loader(f'<urlset xmlns="{NS}">{rows}</urlset>', tmp_path / "state") as loader:
        assert loader.fetch_next() is not None
        assert loader.total == 20_000
    assert (tmp_path / "state").stat().st_size / 20_000 < 120
