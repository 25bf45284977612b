"""Loading sitemaps: what is asked, what comes of it, and what is unavailable rather than gone."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from sitemap_action.fetch.base import Request, Response
from sitemap_action.store.loading_state import LoadingState, SitemapState
from sitemap_action.store.state import open_state
from webs import NOW, Web, at, dead, index, leads, listed, loaded, urlset


@pytest.fixture
def state() -> Iterator[LoadingState]:
    with open_state(None) as found:
        yield found


CHAIN = {f"/{n}.xml": index(f"/{n + 1}.xml") for n in range(40)} | {"/40.xml": urlset("/deep")}
WIDE = {"/i.xml": index(*(f"/{n}.xml" for n in range(300)))}
LONG = "https://www.example.com/" + "&amp;" * 1_000_000

# what it is, routes, seed, options, what is listed, what is asked (None: not of interest), what is unavailable
WEBS = (
    ("one sitemap", {"/s.xml": urlset("/a", "/b")}, {}, ["/a", "/b"], ["/s.xml"], []),
    (
        "an index",
        {"/s.xml": index("/1.xml", "/2.xml"), "/1.xml": urlset("/a"), "/2.xml": urlset("/b")},
        {},
        ["/a", "/b"],
        ["/s.xml", "/1.xml", "/2.xml"],
        [],
    ),
    (
        "each URL once, in order of the documents (SM-31)",
        {"/s.xml": index("/1.xml", "/2.xml"), "/1.xml": urlset("/b", "/a"), "/2.xml": urlset("/a", "/c", "/c")},
        {},
        ["/b", "/a", "/c"],
        None,
        [],
    ),
    # cycles and their kin
    (
        "an index that lists itself",
        {"/s.xml": index("/s.xml", "/1.xml"), "/1.xml": urlset("/a")},
        {},
        ["/a"],
        ["/s.xml", "/1.xml"],
        [],
    ),
    (
        "two indexes that list each other",
        {"/s.xml": index("/t.xml"), "/t.xml": index("/s.xml", "/1.xml"), "/1.xml": urlset("/a")},
        {},
        ["/a"],
        ["/s.xml", "/t.xml", "/1.xml"],
        [],
    ),
    (
        "a cycle through a redirect",
        {
            "/s.xml": index("/again.xml", "/1.xml"),
            "/again.xml": leads("/s.xml", index("/again.xml", "/1.xml")),
            "/1.xml": urlset("/a"),
        },
        {},
        ["/a"],
        ["/s.xml", "/again.xml", "/1.xml"],
        [],
    ),
    (
        "a cycle through spellings",
        {"/s.xml": index("HTTPS://WWW.EXAMPLE.COM:443/./s.xml#x", "/%73.xml", "/1.xml"), "/1.xml": urlset("/a")},
        {},
        ["/a"],
        ["/s.xml", "/1.xml"],
        [],
    ),
    (
        "a diamond is read once",
        {
            "/s.xml": index("/l.xml", "/r.xml"),
            "/l.xml": index("/1.xml"),
            "/r.xml": index("/1.xml"),
            "/1.xml": urlset("/a"),
        },
        {},
        ["/a"],
        ["/s.xml", "/l.xml", "/r.xml", "/1.xml"],
        [],
    ),
    (
        "two redirects to one document",
        {
            "/s.xml": index("/1.xml", "/2.xml"),
            "/1.xml": leads("/x.xml", urlset("/a")),
            "/2.xml": leads("/x.xml", urlset("/a")),
        },
        {},
        ["/a"],
        None,
        [],
    ),
    (
        "a redirect to a child that is listed later",
        {"/s.xml": index("/1.xml", "/2.xml"), "/1.xml": leads("/2.xml", urlset("/a")), "/2.xml": urlset("/a")},
        {},
        ["/a"],
        None,
        [],
    ),
    (
        "an index in an index is read (SM-61)",
        {"/s.xml": index("/t.xml"), "/t.xml": index("/1.xml"), "/1.xml": urlset("/a")},
        {},
        ["/a"],
        None,
        [],
    ),
    # limits
    (
        "a chain of 40 ends at max-depth",
        CHAIN | {"/s.xml": CHAIN["/0.xml"]},
        {},
        [],
        ["/s.xml", "/1.xml", "/2.xml", "/3.xml", "/4.xml", "/5.xml"],
        [("/6.xml", "it is more than 5 deep (sitemaps.max-depth)")],
    ),
    (
        "max-depth 0 is the seed alone",
        {"/s.xml": index("/1.xml"), "/1.xml": urlset("/a")},
        {"max_depth": 0},
        [],
        ["/s.xml"],
        [("/1.xml", "it is more than 0 deep (sitemaps.max-depth)")],
    ),
    (
        "max-documents counts what is asked",
        {"/s.xml": index("/1.xml", "/2.xml", "/3.xml"), "/3.xml": urlset("/a")},
        {"max_documents": 3},
        [],
        ["/s.xml", "/1.xml", "/2.xml"],
        [
            ("/1.xml", "answered 404"),
            ("/2.xml", "answered 404"),
            ("/3.xml", "not requested: at most 3 sitemaps are (sitemaps.max-documents)"),
        ],
    ),
    (
        "enough URLs",
        {
            "/s.xml": index("/1.xml", "/2.xml", "/3.xml", "/4.xml", "/5.xml", "/6.xml"),
            **{f"/{n}.xml": urlset(f"/{n}") for n in range(1, 7)},
        },
        {"max_entries": 1},
        ["/1", "/2", "/3", "/4"],
        None,
        [
            ("/5.xml", "not requested: at most 1 URL is read"),
            ("/6.xml", "not requested: at most 1 URL is read"),
        ],
    ),
    (
        "a bomb: the URLs before the limit",
        {"/s.xml": urlset("/a").replace("</urlset>", " " * 5000 + "</urlset>")},
        {"max_inflated": 1000},
        ["/a"],
        None,
        [("/s.xml", "the content is larger than this tool reads: more than 1,000 bytes")],
    ),
    # what is unavailable
    (
        "a broken child beside a good one",
        {"/s.xml": index("/1.xml", "/2.xml"), "/1.xml": dead(), "/2.xml": urlset("/b")},
        {},
        ["/b"],
        None,
        [("/1.xml", "the connection was reset")],
    ),
    (
        "404 and 503",
        {"/s.xml": index("/1.xml", "/2.xml"), "/2.xml": 503},
        {},
        [],
        None,
        [("/1.xml", "answered 404"), ("/2.xml", "answered 503")],
    ),
    (
        "damaged half way",
        {"/s.xml": urlset("/a", "/b").replace("/b</loc>", "/b</lok>")},
        {},
        ["/a"],
        None,
        [("/s.xml", "line 1: the document is not well-formed XML: mismatched tag")],
    ),
    (
        "an HTML page",
        {"/s.xml": "<!doctype html><p>Not found"},
        {},
        [],
        None,
        [("/s.xml", "line 1: the document is no sitemap, index, feed or list of URLs: an HTML page")],
    ),
    (
        "a type that is left on the wire",
        {"/s.xml": Response("", 200, body_skipped=True)},
        {},
        [],
        None,
        [("/s.xml", "the answer does not have the type of a sitemap")],
    ),
    ("304 that nobody asked for", {"/s.xml": 304}, {}, [], None, [("/s.xml", "answered 304")]),
    (
        "a child that is no URL",
        {"/s.xml": index("mailto:a@example.com", "file:///etc/passwd", "relative.xml")},
        {},
        [],
        ["/s.xml"],
        [
            ("mailto:a@example.com", "not an absolute http or https URL with a host"),
            ("file:///etc/passwd", "not an absolute http or https URL with a host"),
            ("relative.xml", "not an absolute http or https URL with a host"),
        ],
    ),
    # URLs
    (
        "only http and https leave",
        {
            "/s.xml": urlset(
                "/a", "javascript:alert(1)", "file:///etc/passwd", "ftp://x.com/", "data:,x", "a", "https://u:p@x.com/"
            )
        },
        {},
        ["/a"],
        None,
        [],
    ),
    (
        "spelt otherwise is the same (URL-01…08)",
        {"/s.xml": urlset("/%7Ea", "/~a", "HTTPS://WWW.EXAMPLE.COM/~a", "/~a#x")},
        {},
        ["/~a"],
        None,
        [],
    ),
    ("without a scheme", {"/s.xml": urlset("//www.example.com/a")}, {}, ["/a"], None, []),
    (
        "a loc of 5 MB (linear)",
        {"/s.xml": f"<urlset><url><loc>{LONG}</loc></url><url><loc>{at('/b')}</loc></url></urlset>"},
        {},
        ["/b"],
        None,
        [],
    ),
    (
        "billion laughs",
        {"/s.xml": '<!DOCTYPE a [<!ENTITY a "aaaa">]><urlset>&a;</urlset>'},
        {},
        [],
        None,
        [("/s.xml", "line 1: the document has a DOCTYPE; entities are never expanded")],
    ),
    # hosts
    (
        "another host is read",
        {
            "/s.xml": index("https://cdn.example.net/1.xml"),
            "https://cdn.example.net/1.xml": urlset("/a", "https://other.example/b"),
        },
        {},
        ["/a", "https://other.example/b"],
        None,
        [],
    ),
    (
        "same-host: children and URLs (SM-28, SM-62)",
        {
            "/s.xml": index("https://cdn.example.net/1.xml", "/2.xml"),
            "/2.xml": urlset("/a", "https://other.example/b", "https://example.com/c"),
        },
        {"same_host": True},
        ["/a", "https://example.com/c"],
        ["/s.xml", "/2.xml"],
        [],
    ),
    (
        "same-host: a redirect is looked at again",
        {"/s.xml": index("/1.xml"), "/1.xml": leads("https://evil.example/1.xml", urlset("/a"))},
        {"same_host": True},
        [],
        None,
        [("/1.xml", "it redirects to another host, https://evil.example/1.xml")],
    ),
    (
        "same-host: a seed may lead elsewhere",
        {
            "/s.xml": leads("https://new.example/s.xml", index("https://new.example/1.xml")),
            "https://new.example/1.xml": urlset("https://new.example/a"),
        },
        {"same_host": True},
        ["https://new.example/a"],
        None,
        [],
    ),
    (
        "same-host: the site that names the sitemap (SM-30)",
        {"/s.xml": urlset("https://shop.example/a")},
        {"same_host": True, "site": "https://shop.example/"},
        ["https://shop.example/a"],
        None,
        [],
    ),
)


@pytest.mark.parametrize(
    ("routes", "options", "urls", "asked", "unavailable"), [row[1:] for row in WEBS], ids=[row[0] for row in WEBS]
)
def test_what_comes_of(
    routes: dict[str, object],
    options: dict[str, object],
    urls: list[str],
    asked: list[str] | None,
    unavailable: list[tuple[str, str]],
    state: LoadingState,
) -> None:
    web = Web(routes)
    found = loaded(web, state, "/s.xml", **options)
    assert listed(state) == urls
    assert asked is None or web.asked == asked
    assert [(one.url, one.reason) for one in found.unavailable] == [(at(path), why) for path, why in unavailable]
    assert found.complete is not bool(unavailable)


def test_300_dead_children_are_asked_once_each_and_counted(state: LoadingState) -> None:
    web = Web(WIDE)
    found = loaded(web, state, "/i.xml")
    assert len(web.asked) == len(set(web.asked)) == 301
    assert (found.missing, len(found.unavailable)) == (300, 100)
    assert len(found.incomplete) == 101
    assert found.incomplete[-1] == "200 more sitemaps are unavailable"
    assert found.incomplete[0] == (
        "sitemap https://www.example.com/0.xml (listed by https://www.example.com/i.xml, line 1) is unavailable: "
        "answered 404"
    )


def test_what_is_left_out_is_counted_by_reason(state: LoadingState) -> None:
    body = urlset("/a", "javascript:x", "https://u:p@x.com/", "https://x.com/%zz", "/a#x", "//x.com/")
    found = loaded(Web({"/s.xml": body}), state, "/s.xml")
    assert found.skipped == {"malformed-escape": 1, "not-absolute": 1, "userinfo": 1}
    assert found.faults == {"loc-fragment": 1, "loc-schemeless": 1}


@pytest.mark.parametrize("many", [1, 499, 500, 501, 1201])
def test_batches_hold_every_entry_with_its_line_and_date(many: int, state: LoadingState) -> None:
    rows = "".join(
        f"<url><loc>{at(f'/{n}')}</loc>{'<lastmod>2026-01-01</lastmod>' if n % 3 else ''}</url>\n" for n in range(many)
    )
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>'
    # The second is not plain: a comment sends it the long way, entry by entry.
    for text in (body, body.replace("<url>", "<!-- x --><url>", 1)):
        loaded(Web({"/s.xml": text}), state, "/s.xml", max_depth=len(text) % 5)
        found = [(entry.loc, entry.lastmod, entry.line) for _, _, entry in state.entries()]
        assert found == [(at(f"/{n}"), "2026-01-01" if n % 3 else "", n + 2) for n in range(many)]


def test_entries_keep_everything_they_say(state: LoadingState) -> None:
    image = '<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><image:loc>https://x.com/p.png</image:loc></image:image>'
    body = urlset("/a?b='1'").replace("</loc>", f"</loc><changefreq>daily</changefreq><priority>0.8</priority>{image}")
    loaded(Web({"/s.xml": body}), state, "/s.xml")
    ((_, key, entry),) = state.entries()
    assert key == at("/a?b=%271%27")
    assert (entry.loc, entry.changefreq, entry.priority) == (at("/a?b='1'"), "daily", "0.8")
    assert entry.images == ("https://x.com/p.png",)


def test_usual_paths_are_tried_until_one_is_a_sitemap(state: LoadingState) -> None:
    web = Web(
        {
            "/a.xml": 404,
            "/b.xml": "<!doctype html><p>Soft 404",
            "/c.xml": b"",
            "/d.xml": urlset("/x"),
            "/e.xml": urlset("/y"),
        }
    )
    found = loaded(web, state, usual=["/a.xml", "/b.xml", "/c.xml", "/d.xml", "/e.xml"])
    assert web.asked == ["/a.xml", "/b.xml", "/c.xml", "/d.xml"]
    assert (found.complete, found.documents, listed(state)) == (True, 1, ["/x"])


def test_no_usual_path_is_no_failure_and_an_error_is_one(state: LoadingState) -> None:
    assert loaded(Web({}), state, usual=["/a.xml", "/b.xml"]).complete
    found = loaded(Web({"/a.xml": 503, "/b.xml": urlset("/x")}), state, usual=["/a.xml", "/b.xml"])
    assert [one.reason for one in found.unavailable] == ["answered 503"]


def test_R_30_usual_paths_are_tried_beside_seeds(state: LoadingState) -> None:
    web = Web({"/a.xml": urlset("/x"), "/b.xml": 503, "/c.xml": urlset("/y")})
    found = loaded(web, state, "/gone.xml", usual=["/a.xml", "/a.txt", "/b.xml", "/b.txt", "/c.xml"])
    assert [one.url for one in found.unavailable] == [at("/gone.xml")]
    assert web.asked == ["/gone.xml", "/a.xml", "/b.xml", "/c.xml", "/b.txt"]
    assert listed(state) == ["/x", "/y"]


def test_whoever_wants_the_bytes_gets_them_in_order(state: LoadingState) -> None:
    got: list[tuple[str, str, bool]] = []
    packed = Response("", 200, (("content-encoding", "gzip"),), urlset("/b").encode())
    web = Web({"/s.xml": index("/1.xml.gz", "/2.xml"), "/1.xml.gz": packed, "/2.xml": leads("/x.xml", urlset("/c"))})
    loaded(web, state, "/s.xml", observe=lambda url, one: got.append((url, one.address, one.named)))
    assert got == [
        (at("/s.xml"), at("/s.xml"), True),
        (at("/1.xml.gz"), at("/1.xml.gz"), False),
        (at("/2.xml"), at("/x.xml"), True),
    ]


# The behaviours of a resumable loader; a kill is a loading that is dropped where it stands.


class Killed(Exception):  # noqa: N818
    """Stands for kill -9."""


class Dying(Web):
    def __init__(self, routes: dict[str, object], after: int) -> None:
        super().__init__(routes)
        self._left = after

    async def fetch(self, request: Request) -> Response:
        self._left -= 1
        if self._left < 0:
            raise Killed
        return await super().fetch(request)


SITE = {
    "/i.xml": index(*(f"/{n}.xml" for n in range(12))),
    **{f"/{n}.xml": urlset(f"/{n}/a", f"/{n}/b", "/shared") for n in range(12)},
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


@pytest.mark.parametrize("after", range(14))
def test_1_2_after_a_kill_nothing_read_is_asked_again_and_nothing_is_lost(after: int, path: Path) -> None:
    with open_state(None) as state:
        loaded(Web(SITE), state, "/i.xml")
        whole = listed(state)
    with open_state(path) as state:
        if after < 13:
            with pytest.raises(Killed):
                loaded(Dying(SITE, after), state, "/i.xml")
    with open_state(path) as state:
        read = [document.url for document in state.statuses(SitemapState.READ)]
        web = Web(SITE)
        found = loaded(web, state, "/i.xml")
        assert not {request.url for request in web.requests} & set(read)
        assert listed(state) == whole
        assert found.documents == 13
        if after < 13 and after:
            assert found.notes == (f"resumed: {len(read)} sitemaps had been read",)


@pytest.mark.parametrize(
    ("seeds", "options"), [(["/0.xml"], {}), (["/i.xml"], {"max_depth": 3}), (["/i.xml", "/0.xml"], {})]
)
def test_4_other_seeds_or_options_start_afresh_and_say_so(
    seeds: list[str], options: dict[str, object], path: Path
) -> None:
    with open_state(path) as state:
        loaded(Web(SITE), state, "/i.xml")
    with open_state(path) as state:
        web = Web(SITE)
        found = loaded(web, state, *seeds, **options)
        assert found.notes == ("the state is of other sitemaps or options and is not used",)
        assert set(web.asked) >= set(seeds)


def test_4_a_document_that_changed_replaces_what_it_listed_and_is_named(path: Path) -> None:
    broken = urlset("/old", "/kept")[:-30]
    with open_state(path) as state:
        assert not loaded(Web({"/s.xml": broken}), state, "/s.xml").complete
        assert listed(state) == ["/old"]
    with open_state(path) as state:
        found = loaded(Web({"/s.xml": urlset("/new", "/kept")}), state, "/s.xml")
        assert listed(state) == ["/new", "/kept"]
        assert found.notes[1:] == (
            "https://www.example.com/s.xml changed since it was first read; what it listed then is dropped",
        )


@pytest.mark.parametrize("later", [timedelta(), timedelta(days=30)])
def test_5_a_loading_that_ended_is_no_answer_for_the_next(later: timedelta, path: Path) -> None:
    with open_state(path) as state:
        loaded(Web({"/s.xml": urlset("/a")}), state, "/s.xml")
    with open_state(path) as state:
        web = Web({"/s.xml": urlset("/b")})
        found = loaded(web, state, "/s.xml", now=NOW + later)
        assert web.asked == ["/s.xml"]
        assert listed(state) == ["/b"]
        assert found.notes == ("the state is of a run that has ended; unchanged documents are taken from it",)


def test_5_what_a_killed_run_read_yesterday_is_asked_again(path: Path) -> None:
    with open_state(path) as state, pytest.raises(Killed):
        loaded(Dying(SITE, 6), state, "/i.xml")
    with open_state(path) as state:
        web = Web(SITE)
        loaded(web, state, "/i.xml", now=NOW + timedelta(hours=25))
        assert len(web.asked) == 13


def test_5_a_document_that_did_not_change_need_not_be_sent_again(path: Path) -> None:
    """NET-15; an index is always read anew, for its children."""
    headers = (("etag", '"1"'), ("last-modified", "yesterday"))
    child = Response("", 200, headers, urlset("/a", "/b").encode())
    routes = {
        "/i.xml": Response("", 200, headers, index("/1.xml", "/2.xml").encode()),
        "/1.xml": [child, 304],
        "/2.xml": [child, urlset("/c")],
    }
    web = Web(routes)
    for urls in (["/a", "/b"], ["/a", "/b", "/c"]):
        with open_state(path) as state:
            assert loaded(web, state, "/i.xml").complete
            assert listed(state) == urls
    assert [request.etag for request in web.requests] == ["", "", "", "", '"1"', '"1"']


def test_5_what_is_not_listed_any_more_is_forgotten(path: Path) -> None:
    web = Web({"/i.xml": [index("/1.xml", "/2.xml"), index("/2.xml")], "/1.xml": urlset("/a"), "/2.xml": urlset("/b")})
    for urls in (["/a", "/b"], ["/b"]):
        with open_state(path) as state:
            loaded(web, state, "/i.xml")
            assert listed(state) == urls


def test_6_what_failed_is_listed_and_asked_again(path: Path) -> None:
    web = Web({"/i.xml": index("/1.xml", "/2.xml"), "/1.xml": [503, urlset("/a")], "/2.xml": urlset("/b")})
    with open_state(path) as state:
        assert [one.url for one in loaded(web, state, "/i.xml").unavailable] == [at("/1.xml")]
        assert listed(state) == ["/b"]
    with open_state(path) as state:
        assert loaded(web, state, "/i.xml").complete
        assert listed(state) == ["/a", "/b"]
    assert web.asked == ["/i.xml", "/1.xml", "/2.xml", "/1.xml"]


@pytest.mark.attack("paths")
def test_10_11_a_sitemap_of_the_web_reaches_no_file(state: LoadingState, tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text(urlset("/secret"))
    web = Web({"/i.xml": index(secret.as_uri(), "FILE:/etc/passwd"), secret.as_uri(): urlset("/secret")})
    found = loaded(web, state, "/i.xml")
    assert web.asked == ["/i.xml"]
    assert found.missing == 2
    assert listed(state) == []
