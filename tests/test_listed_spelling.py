"""Which spelling of a page is listed, and what a report says about it (URL-21): a table over pages, and real builds."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from fakes import HOME, NOW, FakeSite, at, canonical, gone, noindex, page, redirect, refresh, twin, undetermined
from servers import Reply, Route, serve
from sitemap_action.__main__ import run
from sitemap_action.config.schema import HtmlExtension, OutputConfig, SelectConfig, TrailingSlash
from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.decide.spelling import listed_urls
from sitemap_action.decide.verdict import Selector
from sitemap_action.model.page import Page
from sitemap_action.model.site import Absent, Listed, Reason, SpellingState
from sitemap_action.robots.groups import Profile, parse

ADD, REMOVE, KEEP = TrailingSlash.ADD, TrailingSlash.REMOVE, TrailingSlash.KEEP
S = SpellingState

SLASH = [
    # id, option, committed, pages, listed paths with their state
    ("served alike", ADD, [], [page("/a"), twin("/a/", "/a")], {"/a/": None}),
    ("served as asked", ADD, [], [page("/a/"), redirect("/a", "/a/")], {"/a/": None}),
    ("the host redirects it", ADD, [], [page("/a"), redirect("/a/", "/a")], {"/a/": S.REDIRECTS}),
    ("temporarily", ADD, [], [page("/a"), redirect("/a/", "/a", 302)], {"/a/": S.REDIRECTS}),
    ("in two hops", REMOVE, [], [page("/a/"), redirect("/a", "/b"), redirect("/b", "/a/")], {"/a": S.REDIRECTS}),
    ("by a refresh", REMOVE, [], [page("/a/"), refresh("/a", "/a/")], {"/a": S.REDIRECTS}),
    ("it redirects elsewhere", ADD, [], [page("/a"), redirect("/a/", "/"), page("/")], {"/": None, "/a": S.MISSING}),
    ("it is not there", ADD, [], [page("/a"), gone("/a/")], {"/a": S.MISSING}),
    ("it gives no answer", ADD, [], [page("/a"), undetermined("/a/")], {"/a": None}),
    ("it was not asked for", ADD, [], [page("/a")], {"/a": None}),
    ("another page", ADD, [], [page("/a", digest="1"), page("/a/", digest="2")], {"/a": S.MISSING, "/a/": None}),
    ("the same bytes", ADD, [], [page("/a", digest="1"), page("/a/", digest="1")], {"/a/": None}),
    ("the same text", ADD, [], [page("/a", fingerprint="1", title="A"), page("/a/", fingerprint="1", title="A")], {"/a/": None}),
    ("another title", ADD, [], [page("/a", fingerprint="1", title="A"), page("/a/", fingerprint="1")], {"/a": S.MISSING, "/a/": None}),
    ("the preferred spelling is the other", REMOVE, [], [page("/a/"), page("/a", twin=at("/a/"))], {"/a": None}),
    ("the start page", REMOVE, [], [page("/")], {"/": None}),
    ("a file", ADD, [], [page("/a.html")], {"/a.html": None}),
    ("the canonical as asked", ADD, [], [canonical("/a", "/a/"), twin("/a/", "/a")], {"/a/": None}),
    ("the canonical as asked, which redirects", ADD, [], [canonical("/a", "/a/"), redirect("/a/", "/a")], {"/a/": S.REDIRECTS}),
    ("another canonical", ADD, [], [canonical("/a", "/a"), twin("/a/", "/a")], {"/a/": S.NOT_CANONICAL}),
    ("another canonical, by a spelling", REMOVE, [], [canonical("/a", "/a/"), twin("/a/", "/a")], {"/a": S.NOT_CANONICAL}),
    ("a canonical elsewhere", ADD, [], [canonical("/a", "/b"), twin("/a/", "/a"), page("/b")], {"/b": None}),
    ("noindex", ADD, [], [noindex("/a"), twin("/a/", "/a")], {}),
    ("the spelling is a page that names this one", ADD, [], [page("/a", digest="1"), canonical("/a/", "/a")._replace(facts=canonical("/a/", "/a").facts._replace(digest="1"))], {"/a": None}),
    ("kept", KEEP, ["/a"], [page("/a/"), redirect("/a", "/a/")], {"/a": S.REDIRECTS}),
    ("kept, served alike", KEEP, ["/a/"], [page("/a"), twin("/a/", "/a")], {"/a/": None}),
    ("kept, both are listed", KEEP, ["/a", "/a/"], [page("/a/"), redirect("/a", "/a/")], {"/a/": None}),
    ("kept, and gone", KEEP, ["/a/"], [page("/a"), gone("/a/")], {"/a": None}),
    ("kept, a new page", KEEP, ["/a"], [page("/a/"), redirect("/a", "/a/"), page("/b/"), redirect("/b", "/b/")], {"/a": S.REDIRECTS, "/b/": None}),
    ("kept, not the canonical", KEEP, ["/a"], [canonical("/a", "/a/"), twin("/a/", "/a")], {"/a": S.NOT_CANONICAL}),
]  # fmt: skip
HTML = [
    ("served alike", HtmlExtension.DROP, [page("/a.html"), twin("/a", "/a.html")], {"/a": None}),
    ("not there", HtmlExtension.DROP, [page("/a.html"), gone("/a")], {"/a.html": S.MISSING}),
    ("redirected", HtmlExtension.DROP, [page("/a.html"), redirect("/a", "/a.html")], {"/a": S.REDIRECTS}),
    ("a tie is settled", HtmlExtension.DROP, [page("/a.html", digest="1", same_document=at("/a")), page("/a", digest="1", same_document=at("/a.html"))], {"/a": S.LISTED}),
    ("an index", HtmlExtension.DROP, [page("/a/index.html")], {"/a/index.html": None}),
    ("kept in a build", HtmlExtension.KEEP, [page("/a")._replace(path="a.html"), twin("/a.html", "/a")], {"/a.html": None}),
    ("kept, redirected", HtmlExtension.KEEP, [page("/a")._replace(path="a.html"), redirect("/a.html", "/a")], {"/a.html": S.REDIRECTS}),
    ("kept, of an index", HtmlExtension.KEEP, [page("/a/")._replace(path="a/index.html")], {"/a/": None}),
    ("kept, and known to a crawl", HtmlExtension.KEEP, [page("/a", digest="1"), page("/a.html", digest="1")], {"/a.html": None}),
    ("kept, and not known", HtmlExtension.KEEP, [page("/a")], {"/a": None}),
    ("kept, and gone for a crawl", HtmlExtension.KEEP, [page("/a"), gone("/a.html")], {"/a": None}),
    ("kept, and moved to a folder for a crawl", HtmlExtension.KEEP, [page("/a/"), redirect("/a.html", "/a/")], {"/a/": None}),
]  # fmt: skip


def states(site: FakeSite, policy: SelectPolicy) -> dict[str, SpellingState | None]:
    selector = Selector(site, policy)
    verdicts = {found.url: selector.verdict(found, None) for found in site.pages()}
    return {url: verdict.spelling for url, verdict in verdicts.items() if isinstance(verdict, Listed)}


def policy(output: OutputConfig | None = None, **select: object) -> SelectPolicy:
    return SelectPolicy(HOME, SelectConfig(**select), output or OutputConfig(), None, NOW)


@pytest.mark.parametrize(
    ("option", "committed", "pages", "listed"), [pytest.param(*row[1:], id=row[0]) for row in SLASH]
)
def test_URL_21_trailing_slash(
    option: TrailingSlash, committed: list[str], pages: list[Page], listed: dict[str, SpellingState | None]
) -> None:
    site = FakeSite(pages, committed=committed)
    keep = listed_urls(site) if option is KEEP else frozenset()
    found = states(site, replace(policy(trailing_slash=option), listed=keep))
    assert found == {at(path): state for path, state in listed.items()}


@pytest.mark.parametrize(("option", "pages", "listed"), [pytest.param(*row[1:], id=row[0]) for row in HTML])
def test_URL_21_html_extension(
    option: HtmlExtension, pages: list[Page], listed: dict[str, SpellingState | None]
) -> None:
    found = states(FakeSite(pages), policy(html_extension=option))
    assert found == {at(path): state for path, state in listed.items()}


PAIR = [page("/a"), twin("/a/", "/a")]
REFUSED = [
    ("select.exclude", policy(trailing_slash=ADD, exclude=("/a/",))),
    ("robots.txt", replace(policy(trailing_slash=ADD), robots=parse(b"User-agent: *\nDisallow: /a/", Profile.GOOGLE))),
]


@pytest.mark.parametrize("policy", [pytest.param(one, id=name) for name, one in REFUSED])
def test_URL_21_what_may_not_be_listed_is_not_asked_for(policy: SelectPolicy) -> None:
    assert states(FakeSite(PAIR), policy) == {at("/a"): None}


@pytest.mark.parametrize("pages", [PAIR, [page("/a"), redirect("/a/", "/a")]], ids=["twin", "redirect"])
def test_URL_21_the_other_spelling_is_the_same_page(pages: list[Page]) -> None:
    """A class that is not lost, with the URL that is listed: never removed and added (DIFF-11)."""
    found = Selector(FakeSite(pages), policy(trailing_slash=ADD)).verdict(pages[0], None)
    assert isinstance(found, Absent)
    assert (found.reason, found.redirect_to, found.respelled) == (Reason.MERGED, at("/a/"), True)


def test_URL_21_an_old_page_moved_to_the_listed_spelling() -> None:
    old = redirect("/old", "/a")
    found = Selector(FakeSite([*PAIR, old]), policy(trailing_slash=ADD)).verdict(old, None)
    assert isinstance(found, Absent)
    assert (found.reason, found.redirect_to) == (Reason.MOVED, at("/a/"))


PATHS = ("/guide", "/api/", "/v1.2", "/a?page=2", "/sheet.pdf")
LINKS = "".join(f'<a href="{path}">x</a>' for path in PATHS)


def html(title: str) -> str:
    return f"<title>{title}</title>{LINKS}<p>{title} text</p>"


def listed(*options: str) -> list[str]:
    """Paths in the sitemap that a write makes."""
    run(["write", "--site-url", HOME, "--sitemap", "sitemap.xml", "--quiet", *options])
    return [path for _, _, path in (line.partition(f"<loc>{HOME[:-1]}") for line in _lines()) if path]


def _lines() -> list[str]:
    return [line.partition("</loc>")[0] for line in Path("sitemap.xml").read_text().splitlines()]


SERVED = [
    ("verify", ["/", "/a?page=2", "/api/", "/guide", "/v1.2"]),
    ("add", ["/", "/a/?page=2", "/api/", "/guide/", "/v1.2/"]),
    ("remove", ["/", "/a?page=2", "/api", "/guide", "/v1.2"]),
]


@pytest.mark.parametrize(("option", "paths"), SERVED)
def test_URL_21_a_served_site_that_answers_both(
    option: str, paths: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The spelling that is asked for is requested, so that nothing is listed unseen; no page is an orphan for it."""
    monkeypatch.chdir(tmp_path)
    routes: dict[str, Route] = {"/": html("home"), "/sheet.pdf": Reply("%PDF", type="application/pdf")}
    for path in PATHS[:-1]:
        bare, question, query = path.partition("?")
        for spelled in (bare.rstrip("/"), bare.rstrip("/") + "/"):
            routes[spelled + question + query] = html(path)
    with serve(routes) as site:
        found = listed("--url", site.url, "--set", f"select.trailing-slash={option}", "--report", "json=r.json")
    assert found == paths
    report = json.loads(Path("r.json").read_text())
    assert [one["rule"] for one in report["findings"] if one["rule"] in {"URL-21", "HTML-68"}] == []
    requested = {one.partition("?")[0] for one in site.paths}
    assert ("/v1.2/" in requested, "/api" in requested) == (option == "add", option == "remove")


HOSTS = [
    # host, option, the paths of about.html and guide/index.html, and what is reported
    ("netlify", "trailing-slash=add", ["/about/", "/guide/"], "the host redirects it"),
    ("netlify", "trailing-slash=remove", ["/about", "/guide"], "the host redirects it"),
    ("netlify", "html-extension=keep", ["/about.html", "/guide/"], ""),
    ("netlify-plain", "trailing-slash=add", ["/about.html", "/guide/"], ""),
    ("netlify-plain", "trailing-slash=remove", ["/about.html", "/guide"], ""),
    ("netlify-plain", "html-extension=drop", ["/about", "/guide/"], ""),
    ("github-pages", "trailing-slash=add", ["/about.html", "/guide/"], ""),
    ("github-pages", "html-extension=drop", ["/about", "/guide/"], ""),
    ("cloudflare-pages", "html-extension=keep", ["/about.html", "/guide/"], "the host redirects it"),
    ("generic", "html-extension=drop", ["/about.html", "/guide/"], "keeps its own"),
    ("generic", "trailing-slash=remove", ["/about.html", "/guide"], "the host redirects it"),
    ("s3-website", "html-extension=keep", ["/about.html", "/guide/"], ""),
]


@pytest.mark.parametrize(("host", "option", "paths", "said"), HOSTS, ids=[f"{row[0]} {row[1]}" for row in HOSTS])
def test_URL_21_a_folder_on_its_host(
    host: str, option: str, paths: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HOST-02: what is asked for is listed where the host serves or redirects it, with a finding for the second."""
    monkeypatch.chdir(tmp_path)
    for name in ("index.html", "about.html", "guide/index.html", "404.html"):
        file = tmp_path / "site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'<title>{name}</title><p>{name}</p><a href="/about.html">a</a><a href="/guide/">g</a>')
    options = ("--path", "site", "--set", f"source.host={host}", "--set", f"select.{option}")
    assert listed(*options, "--report", "json=r.json") == ["/", *paths]
    found = json.loads(Path("r.json").read_text())["findings"]
    assert [one["rule"] for one in found if one["severity"] != "info"] == (["URL-21"] if said else [])
    assert said in "".join(one["message"] for one in found)
    skipped = json.loads(Path("r.json").read_text())["skipped"]
    assert {row["reason"] for row in skipped} == {"excluded"}  # the error page


ALIKE = ["github-pages", "render", "netlify-plain", "nginx-clean"]
REFUSALS = [
    ("robots.txt", "User-agent: *\nDisallow: /*.html$\n", ()),
    ("select.exclude", "", ("--set", "select.exclude=/**.html")),
]


@pytest.mark.parametrize("host", ALIKE)
@pytest.mark.parametrize(("robots", "options"), [pytest.param(*row[1:], id=row[0]) for row in REFUSALS])
@pytest.mark.parametrize("listed_too", [False, True], ids=["new", "in the sitemap"])
def test_V_34_rules_are_asked_for_the_spelling_that_is_listed(
    host: str, robots: str, options: Sequence[str], listed_too: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a crawl has it: the page is linked and self-canonical as /b, and the rule is about /b.html."""
    monkeypatch.chdir(tmp_path)
    Path("site").mkdir()
    links = '<a href="/a">a</a><a href="/b">b</a>'
    for name in ("index", "a", "b"):
        head = f'<title>{name}</title><link rel="canonical" href="{HOME}{"" if name == "index" else name}">'
        Path("site", f"{name}.html").write_text(f"{head}{links}<p>{f'words about {name} ' * 40}")
    Path("site/robots.txt").write_text(robots)
    # Most entries have the other spelling, which is then the address of a file.
    paths = ["", "a.html", "c.html", *(["b"] if listed_too else [])]
    locs = "".join(f"<url><loc>{HOME}{path}</loc></url>" for path in paths)
    Path("old.xml").write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')
    flags = ["--path", "site", "--host", host, "--baseline", "old.xml", "--set", "policy.max-removed=none", *options]
    assert listed(*flags) == ["/", "/a", "/b"]
