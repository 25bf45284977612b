"""An answer as a visit: the page as it is on the site, its links and targets, wherever it is served."""

import pytest

from crawls import HOME, PREVIEW, at, document, make_reader
from sitemap_action.fetch.base import Answer, Failure, Response, Skip
from sitemap_action.model.page import Facts, Head, Page, PageKind
from sitemap_action.store.codec import Visit
from sitemap_action.store.frontier import QueuedUrl
from sitemap_action.walk.reader import FetchedUrl, Reader
from sitemap_action.web.patterns import Query
from sitemap_action.web.spellings import SiteMapping

HTML = ("content-type", "text/html")
MOUNTED = f"{PREVIEW}m/"  # where the preview serves what lives at HOME


def response(
    body: str = "", status: int = 200, *headers: tuple[str, str], url: str = HOME, target: str = ""
) -> Response:
    return Response(url, status, (HTML, *headers), body.encode(), target=target)


def visit(answer: Answer, reader: Reader | None = None, path: str = "/", previous: Visit | None = None) -> Visit:
    queued = QueuedUrl(7, at(path), at("/from"), False)
    (found,) = (reader or make_reader()).visits(3, [FetchedUrl(queued, answer, previous)])
    return found


ANSWERS = [
    # id, answer, kind, status, reason
    ("a page", response("<title>A"), PageKind.PAGE, 200, ""),
    ("HTML-48 another file", Response(HOME, 200, (("content-type", "application/pdf"),), body_skipped=True), PageKind.FILE, 200, ""),
    ("HTML-40 404", response("no", 404), PageKind.GONE, 404, ""),
    ("HTML-40 410", response("no", 410), PageKind.GONE, 410, ""),
    ("HTML-40 204", response("", 204), PageKind.GONE, 204, ""),
    ("HTML-40 401", response("no", 401), PageKind.UNDETERMINED, 401, "answered 401"),
    ("HTML-40 429", response("no", 429), PageKind.UNDETERMINED, 429, "answered 429"),
    ("HTML-40 503", response("no", 503), PageKind.UNDETERMINED, 503, "answered 503"),
    ("NET-07 no answer", Skip(HOME, "timed out", failure=Failure.TIMEOUT), PageKind.UNDETERMINED, 0, "timed out"),
    ("ENV-05 a bot challenge with 200", response("<title>Just a moment", 200, ("cf-mitigated", "challenge")), PageKind.UNDETERMINED, 200, "answers 200 with a bot challenge of Cloudflare"),
    ("ENV-05 a bot challenge with 403", response("", 403, ("x-vercel-mitigated", "challenge")), PageKind.UNDETERMINED, 403, "answers 403 with a bot challenge of Vercel"),
    ("a redirect to nowhere", response("", 301), PageKind.UNDETERMINED, 301, "answered 301 without a Location that can be followed"),
    ("an unexpected 304", response("", 304), PageKind.UNDETERMINED, 304, "answered 304"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "kind", "status", "reason"), [pytest.param(*row[1:], id=row[0]) for row in ANSWERS])
def test_answers(answer: Answer, kind: PageKind, status: int, reason: str) -> None:
    found = visit(answer)
    assert (found.page.kind, found.page.status, found.page.reason) == (kind, status, reason)
    assert (found.id, found.page.url, found.page.depth, found.page.found_on) == (7, HOME, 3, at("/from"))
    assert (found.links, found.targets) == ((), ())


LINKS = [
    # id, reader, document, links, targets
    ("URL-28 URLs of the site only", make_reader(), document("/a", "https://o.net/", "b#x", "mailto:a@b.c"), ["/a", "/b"], []),
    ("each once, and not to itself", make_reader(), document("/a", "/", "/a", "#top", "/a#x"), ["/a"], []),
    ("HTML-65 nofollow", make_reader(), '<a rel=nofollow href="/a"><a href="/b">', ["/b"], []),
    ("crawl.follow-nofollow", make_reader(nofollow=True), '<a rel=nofollow href="/a"><a href="/b">', ["/a", "/b"], []),
    ("HTML-66 canonical and hreflang are no links", make_reader(), document(head='<link rel=canonical href="/c"><link rel=alternate hreflang=de href="/de">'), [], ["/c", "/de"]),
    ("HTML-66 next and prev", make_reader(), document(head='<link rel=next href="/2"><link rel=prev href="/0">'), [], ["/2", "/0"]),
    ("HTML-41 a refresh", make_reader(), document(head='<meta http-equiv=refresh content="0;url=/n">'), [], ["/n"]),
    ("URL-24 select.drop-params", make_reader(query=Query(None, ("utm_*",))), document("/a?utm_source=x", "/a?b=1&utm_medium=y", "/?utm_source=x"), ["/a", "/a?b=1"], []),
    ("URL-23 select.query: drop", make_reader(query=Query(())), document("/a?b=1", "/a"), ["/a"], []),
    ("URL-23 select.query: allow", make_reader(query=Query(("page",))), document("/a?page=2&s=1"), ["/a?page=2"], []),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "text", "links", "targets"), [pytest.param(*row[1:], id=row[0]) for row in LINKS])
def test_links(reader: Reader, text: str, links: list[str], targets: list[str]) -> None:
    found = visit(response(text), reader)
    assert list(found.links) == [at(link) for link in links]
    assert [target for target in found.targets if target not in found.links] == [at(target) for target in targets]


ON_PREVIEW = make_reader(SiteMapping(HOME, MOUNTED))
REDIRECTS = [
    # id, reader, Location, target on the site, what is queued
    ("on the site", make_reader(), at("/b"), at("/b"), [at("/b")]),
    ("NET-12 off the site is recorded, and not followed", make_reader(), "https://o.net/", "https://o.net/", []),
    ("ENV-02 on the preview", ON_PREVIEW, f"{MOUNTED}b", at("/b"), [at("/b")]),
    ("ENV-02 to production", ON_PREVIEW, at("/b"), at("/b"), [at("/b")]),
    ("outside what the preview serves", ON_PREVIEW, f"{PREVIEW}login", f"{PREVIEW}login", []),
    ("in normal form", make_reader(), at("/%7eb"), at("/~b"), [at("/~b")]),
    ("no URL", make_reader(), "http://a b/", "http://a b/", []),
    ("HTML-43 to itself", make_reader(), at("/a"), at("/a"), []),
    ("URL-24 with a dropped parameter", make_reader(query=Query(None, ("utm_*",))), at("/b?utm_source=x"), at("/b"), [at("/b")]),
    ("URL-24 to itself without it", make_reader(query=Query(None, ("utm_*",))), at("/a?utm_source=x"), at("/a?utm_source=x"), []),
    ("crawl.www: same", make_reader(SiteMapping(HOME, HOME, www=True)), "https://example.com/b", at("/b"), [at("/b")]),
    ("crawl.www: strict", make_reader(), "https://example.com/b", "https://example.com/b", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "location", "target", "queued"), [pytest.param(*row[1:], id=row[0]) for row in REDIRECTS]
)
def test_a_redirect_is_an_edge(reader: Reader, location: str, target: str, queued: list[str]) -> None:
    found = visit(response("", 301, target=location), reader, "/a")
    assert (found.page.kind, found.page.target, found.page.permanent) == (PageKind.REDIRECT, target, True)
    assert (list(found.targets), found.links) == (queued, ())


WWW = make_reader(SiteMapping(HOME, MOUNTED, www=True))


@pytest.mark.parametrize("reader", [ON_PREVIEW, WWW], ids=["a mount path", "and crawl.www: same"])
def test_ENV_02_a_document_of_a_preview_is_one_of_the_site(reader: Reader) -> None:
    """Links and everything else, to either place; what only the preview's host serves is elsewhere."""
    head = (
        f'<link rel="canonical" href="{HOME}a"><link rel="alternate" hreflang="de" href="{MOUNTED}de">'
        '<meta http-equiv="refresh" content="5; url=/m/r">'
    )
    text = document("b", "/m/c", f"{HOME}d", f"{MOUNTED}e?f=1", "/outside", head=head)
    found = visit(response(text, url=f"{MOUNTED}a"), reader, "/a")
    assert found.links == (at("/b"), at("/c"), at("/d"), at("/e?f=1"))
    assert found.targets == (at("/de"), at("/r"))
    facts = found.page.facts
    assert facts is not None
    assert found.page.url == at("/a")
    assert facts.base == at("/a")
    assert [one.url for one in facts.head.canonicals] == [at("/a")]
    assert [one.url for one in facts.head.alternates] == [at("/de")]
    assert facts.refresh is not None
    assert facts.refresh.url == at("/r")


def test_crawl_www_same_makes_one_site_of_two() -> None:
    found = visit(
        response(document("https://example.com/a", "https://www.example.com/a")),
        make_reader(SiteMapping(HOME, HOME, www=True)),
    )
    assert found.links == (at("/a"),)


def test_NET_15_validators_are_stored() -> None:
    found = visit(response("<title>A", 200, ("etag", '"1"'), ("last-modified", "Mon, 01 Jun 2026 00:00:00 GMT")))
    assert (found.etag, found.modified) == ('"1"', "Mon, 01 Jun 2026 00:00:00 GMT")


def test_NET_15_304_reuses_the_page_and_its_links() -> None:
    """Depth and referrer are of this run: the site around the page may have changed."""
    page = Page(
        HOME, PageKind.PAGE, 200, facts=Facts(head=Head("A")), depth=9, found_on=at("/old"), twin=at("/index.html")
    )
    previous = Visit(0, page=page, links=(at("/a"),), targets=(at("/c"),), etag='"1"', modified="")
    found = visit(response("", 304), previous=previous)
    assert found.page == page._replace(depth=3, found_on=at("/from"), twin="")
    assert (found.links, found.targets, found.etag) == ((at("/a"),), (at("/c"),), '"1"')


def test_a_changed_page_is_read() -> None:
    previous = Visit(0, page=Page(HOME, PageKind.PAGE, 200), links=(at("/a"),), targets=(), etag='"1"', modified="")
    assert visit(response(document("/b"), 200, ("etag", '"2"')), previous=previous).links == (at("/b"),)
