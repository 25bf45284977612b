"""One row per reason and per way to it: a site, a policy, and the verdict over one URL."""

import pytest
from msgspec.structs import replace

from fakes import (
    HOME,
    NOW,
    FakeSite,
    at,
    canonical,
    foreign,
    gone,
    noindex,
    page,
    redirect,
    refresh,
    twin,
    undetermined,
)
from sitemap_action.config.schema import Lastmod, Noindex, Orphans, OutputConfig, SelectConfig
from sitemap_action.decide.policy import ErrorDocuments, SelectPolicy, error_documents
from sitemap_action.decide.verdict import Selector
from sitemap_action.model.page import Alternate, Canonical, Directive, Head, Page, PageKind, Rendering, Soft404
from sitemap_action.model.site import Absent, Listed, Reason, Verdict
from sitemap_action.model.sitemap import Entry
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.web.patterns import Query, Versions

LISTED = "listed"
FALLBACK = ErrorDocuments(fallbacks=frozenset({"f"}))
RENDERED = error_documents(
    FakeSite([]),
    HOME,
    [page("/x/404", fingerprint="view", words=9, rendering=Rendering(Head(), served_key="shell App"))],
)
NOT_FOUND = ErrorDocuments(not_found=frozenset({"n"}), titles=frozenset({"Not found"}))
R = Reason
CHAIN = [redirect(f"/{number}", f"/{number + 1}") for number in range(1, 12)]  # /1 … /11, which redirects to /12


def policy(robots: str = "", output: OutputConfig | None = None, **select: object) -> SelectPolicy:
    rules = parse(robots.encode(), Profile.GOOGLE) if robots else None
    return SelectPolicy(HOME, SelectConfig(**select), output or OutputConfig(), rules, NOW)


def verdict(pages: list[Page], path: str, policy: SelectPolicy, committed: Entry | None = None) -> Verdict:
    site = FakeSite(pages)
    page_ = site.page(at(path))
    assert page_ is not None
    return Selector(site, policy).verdict(page_, committed)


def reason_and_detail(found: Verdict) -> tuple[str, str]:
    """(class, detail) of a verdict."""
    return (LISTED, found.keep_reason) if isinstance(found, Listed) else (found.reason.value, found.detail)


def directives(*rules: tuple[str, str]) -> tuple[Directive, ...]:
    return tuple(Directive(agent, rule, "", "meta") for agent, rule in rules)


PAGES = [
    # id, pages, path, reason, part of the detail
    ("a page", [page("/a")], "/a", LISTED, ""),
    ("HTML-40 404", [gone("/a")], "/a", R.GONE, "answers 404"),
    ("HTML-40 410", [gone("/a", 410)], "/a", R.GONE, "answers 410"),
    ("HTML-40 204", [gone("/a", 204)], "/a", R.GONE, "answers 204"),
    ("HTML-40 no answer", [undetermined("/a")], "/a", R.UNDETERMINED, "timed out"),
    ("HTML-10 noindex", [noindex("/a")], "/a", R.DEINDEXED, 'has <meta name="robots" content="noindex">'),
    ("HTML-04 googlebot alone", [page("/a", directives=directives(("googlebot", "noindex")))], "/a", R.DEINDEXED, "googlebot"),
    ("HTML-01 a robot that nobody page_ about", [page("/a", directives=directives(("otherbot", "noindex")))], "/a", LISTED, ""),
    ("HTML-04 index cancels nothing", [page("/a", directives=directives(("", "noindex"), ("", "index")))], "/a", R.DEINDEXED, "noindex"),
    ("HTML-06 past date", [page("/a", directives=(Directive("", "unavailable_after", "2020-01-01", "header"),))], "/a", R.DEINDEXED, "unavailable_after: 2020-01-01"),
    ("HTML-06 coming date", [page("/a", directives=(Directive("", "unavailable_after", "2030-01-01", "header"),))], "/a", LISTED, ""),
    ("HTML-24 canonical elsewhere", [canonical("/a", "/b"), page("/b")], "/a", R.DEINDEXED, f"names {HOME}b as its canonical"),
    ("HTML-24 canonical to itself", [canonical("/a", "/a")], "/a", LISTED, ""),
    ("HTML-25 two canonicals", [canonical("/a", "/a", "/b")], "/a", R.DEINDEXED, f"names two canonicals: {HOME}a and {HOME}b"),
    ("HTML-25 the same twice", [canonical("/a", "/a", "/a")], "/a", LISTED, ""),
    ("HTML-27 ignored canonical", [page("/a", canonicals=(Canonical("file:///a", "", "link", "file: URL"),))], "/a", LISTED, ""),
    ("HTML-32 another host", [canonical("/a", "https://other.example/a")], "/a", R.DEINDEXED, "names https://other.example/a"),
    ("V-09 signals alone prove nothing", [page("/a", soft404=(Soft404.TITLE, "few words"))], "/a", LISTED, ""),
    ("HTML-45 one signal", [page("/a", soft404=("few words",))], "/a", LISTED, ""),
    ("HOST-04 error page", [page("/404.html", unlisted="error page of the host")], "/404.html", R.EXCLUDED, "error page"),
    ("HOST-04 a theme's template", [page("/_static/m.html", inlinks=0)._replace(path="_static/m.html")], "/_static/m.html", R.EXCLUDED, "no page links to it"),
    ("HOST-04 a document there that a page links to", [page("/_static/m.html")._replace(path="_static/m.html")], "/_static/m.html", LISTED, ""),
    ("HOST-04 another folder", [page("/not_static/m.html", inlinks=0)._replace(path="not_static/m.html")], "/not_static/m.html", LISTED, ""),
    ("HTML-48 listed file", [Page(at("/a.pdf"), PageKind.FILE, status=200)], "/a.pdf", LISTED, ""),
    ("HTML-48 file of another type", [twin("/a.pdf", "/a.pdf")], "/a.pdf", R.EXCLUDED, "select.types"),
]  # fmt: skip

REDIRECTS = [
    ("DIFF-04 moved", [redirect("/a", "/b"), page("/b")], "/a", R.MOVED, f"redirects to {HOME}b"),
    ("HTML-41 308", [redirect("/a", "/b", 308), page("/b")], "/a", R.MOVED, ""),
    ("HTML-41 refresh at once", [refresh("/a", "/b"), page("/b")], "/a", R.MOVED, ""),
    ("HTML-41 noindex beside a refresh", [refresh("/a", "/b", directives=directives(("", "noindex"))), page("/b")], "/a", R.MOVED, ""),
    ("DIFF-05 302", [redirect("/a", "/b", 302), page("/b")], "/a", R.MOVED_TEMPORARY, f"redirects temporarily to {HOME}b"),
    ("DIFF-05 refresh later", [refresh("/a", "/b", 5), page("/b")], "/a", R.MOVED_TEMPORARY, ""),
    ("DIFF-05 first hop temporary", [redirect("/a", "/b", 307), redirect("/b", "/c"), page("/c")], "/a", R.MOVED_TEMPORARY, f"{HOME}c"),
    ("DIFF-05 last hop temporary", [redirect("/a", "/b"), redirect("/b", "/c", 303), page("/c")], "/a", R.MOVED_TEMPORARY, f"{HOME}c"),
    ("DIFF-04 chain", [redirect("/a", "/b"), refresh("/b", "/c"), page("/c")], "/a", R.MOVED, f"redirects in 2 hops to {HOME}c"),
    ("HTML-43 loop", [redirect("/a", "/b"), redirect("/b", "/a")], "/a", R.REDIRECT_BROKEN, f"redirects in a loop, back to {HOME}a"),
    ("HTML-43 to itself", [redirect("/a", "/a")], "/a", R.REDIRECT_BROKEN, "redirects in a loop"),
    ("HTML-43 into a loop", [redirect("/a", "/b"), redirect("/b", "/c"), redirect("/c", "/b")], "/a", R.REDIRECT_BROKEN, "redirects in a loop"),
    ("HTML-43 ten hops", [*CHAIN[1:], page("/12")], "/2", R.MOVED, f"{HOME}12"),
    ("HTML-43 eleven hops", [*CHAIN, page("/12")], "/1", R.REDIRECT_BROKEN, "redirects more than 10 times, on to"),
    ("DIFF-04 into a 404", [redirect("/a", "/b"), gone("/b")], "/a", R.REDIRECT_BROKEN, f"{HOME}b, which is gone: answers 404"),
    ("DIFF-04 into noindex", [redirect("/a", "/b"), noindex("/b")], "/a", R.REDIRECT_BROKEN, "which is deindexed: has <meta"),
    ("DIFF-04 into a canonical", [redirect("/a", "/b"), canonical("/b", "/c"), page("/c")], "/a", R.REDIRECT_BROKEN, "which is deindexed: names"),
    ("DIFF-04 into a soft 404", [redirect("/a", "/b"), canonical("/b", "/404"), gone("/404")], "/a", R.REDIRECT_BROKEN, "soft-404"),
    ("V-09 a canonical that is the error page", [canonical("/a", "/404.html"), page("/404.html", unlisted="error page of the host")], "/a", R.SOFT_404, f"answers 200, and names the error page {HOME}404.html as its canonical"),
    ("V-09 a canonical that is a page called 404", [canonical("/a", "/404/"), page("/404/")], "/a", R.DEINDEXED, "as its canonical"),
    ("DIFF-03 offsite", [redirect("/a", "https://shop.example/")], "/a", R.MOVED_OFFSITE, "redirects to https://shop.example/"),
    ("DIFF-03 offsite after a hop", [redirect("/a", "/b"), redirect("/b", "https://shop.example/")], "/a", R.MOVED_OFFSITE, "https://shop.example/"),
    ("DIFF-03 offsite, where a sitemap names the target", [redirect("/a", "https://shop.example/"), foreign("https://shop.example/")], "/a", R.MOVED_OFFSITE, ""),
    ("DIFF-03 into nothing that is known", [redirect("/a", "/b")], "/a", R.UNDETERMINED, "was not fetched"),
    ("DIFF-03 into no answer", [redirect("/a", "/b"), undetermined("/b")], "/a", R.UNDETERMINED, "timed out"),
    ("HOST-02 to another spelling of a page", [redirect("/a", "/b/index.html"), twin("/b/index.html", "/b/"), page("/b/")], "/a", R.MOVED, f"redirects to {HOME}b/"),
    ("HTML-42 refresh to itself is a reload", [refresh("/a", "/a")], "/a", LISTED, ""),
    ("HTML-42 refresh to the same file is a reload", [refresh("/a/", "/a/index.html"), twin("/a/index.html", "/a/")], "/a/", LISTED, ""),
    ("HTML-42 a redirect to a page that reloads", [redirect("/old", "/a/"), refresh("/a/", "/a/index.html", 300), twin("/a/index.html", "/a/")], "/old", R.MOVED, f"{HOME}a/"),
    ("HTML-43 loop through a second spelling", [refresh("/a/", "/b/"), refresh("/b/", "/a/index.html"), twin("/a/index.html", "/a/")], "/a/", R.REDIRECT_BROKEN, "redirects in a loop"),
]  # fmt: skip

BACK = [
    # V-03: a canonical whose redirects end at the page itself
    ("HTML-26 the canonical redirects back", [canonical("/a/", "/a"), redirect("/a", "/a/")], "/a/", LISTED, ""),
    ("HTML-26 and the redirect leads to a listed page", [canonical("/a/", "/a"), redirect("/a", "/a/")], "/a", R.MOVED, f"redirects to {HOME}a/"),
    ("HTML-26 in two hops", [canonical("/a/", "/b"), redirect("/b", "/a"), redirect("/a", "/a/")], "/a/", LISTED, ""),
    ("HTML-26 temporarily", [canonical("/a/", "/a"), redirect("/a", "/a/", 302)], "/a/", LISTED, ""),
    ("HTML-26 by a refresh", [canonical("/a/", "/a"), refresh("/a", "/a/")], "/a/", LISTED, ""),
    ("HTML-26 to another spelling of the file", [canonical("/a/", "/a"), redirect("/a", "/a/index.html"), twin("/a/index.html", "/a/")], "/a/", LISTED, ""),
    ("HTML-24 another page's canonical that redirects here", [canonical("/b/", "/a"), canonical("/a/", "/a"), redirect("/a", "/a/")], "/b/", R.DEINDEXED, f"names {HOME}a as its canonical"),
    ("HTML-24 the canonical redirects on", [canonical("/a", "/b"), redirect("/b", "/c"), page("/c")], "/a", R.DEINDEXED, f"names {HOME}b as its canonical"),
    ("HTML-24 the canonical redirects in a loop", [canonical("/a/", "/b"), redirect("/b", "/c"), redirect("/c", "/b")], "/a/", R.DEINDEXED, ""),
    ("HTML-24 two pages name each other", [canonical("/a", "/b"), canonical("/b", "/a")], "/a", R.DEINDEXED, f"names {HOME}b"),
    ("HTML-24 the canonical is gone", [canonical("/a", "/b"), gone("/b")], "/a", R.DEINDEXED, f"names {HOME}b"),
    ("HTML-24 the canonical is another host", [canonical("/a", "https://other.example/a")], "/a", R.DEINDEXED, "other.example"),
    ("HTML-24 the canonical has a query", [canonical("/a", "/a?preview=1"), canonical("/a?preview=1", "/a?preview=1")], "/a", R.DEINDEXED, "names"),
]  # fmt: skip

TWINS = [
    ("HOST-02 the same file", [page("/a/"), twin("/a/index.html", "/a/")], "/a/index.html", R.MERGED, f"the same file is listed as {HOME}a/"),
    ("HOST-02 the file is noindex", [noindex("/a/"), twin("/a/index.html", "/a/")], "/a/index.html", R.DEINDEXED, "has <meta"),
    ("HOST-02 the file moved", [refresh("/a/", "/b"), page("/b"), twin("/a/index.html", "/a/")], "/a/index.html", R.MOVED, f"{HOME}b"),
    ("HTML-24 the file prefers its other spelling", [canonical("/a/", "/a/index.html"), twin("/a/index.html", "/a/")], "/a/index.html", LISTED, ""),
    ("HTML-24 and is not listed under both", [canonical("/a/", "/a/index.html"), twin("/a/index.html", "/a/")], "/a/", R.MERGED, f"the same file names {HOME}a/index.html as its canonical"),
    ("DIFF-04 a redirect follows that choice", [redirect("/old", "/a/"), canonical("/a/", "/a/index.html"), twin("/a/index.html", "/a/")], "/old", R.MOVED, f"redirects to {HOME}a/index.html"),
    ("a spelling of a spelling leads nowhere, and ends", [twin("/a", "/b"), twin("/b", "/c"), refresh("/c", "/a")], "/a", R.EXCLUDED, "select.types"),
    ("and is no place to go", [twin("/a", "/b"), twin("/b", "/c"), refresh("/c", "/a")], "/c", R.REDIRECT_BROKEN, "which is excluded"),
    ("DIFF-11 http, listed as https", [foreign("http://www.example.com/a", "/a"), page("/a")], "http://www.example.com/a", R.MERGED, f"listed as {HOME}a"),
    ("DIFF-11 http, gone", [foreign("http://www.example.com/a", "/a"), gone("/a")], "http://www.example.com/a", R.GONE, f"{HOME}a: answers 404"),
    ("DIFF-11 http, moved", [foreign("http://www.example.com/a", "/a"), redirect("/a", "/b"), page("/b")], "http://www.example.com/a", R.MOVED, f"{HOME}b"),
    ("URL-28 outside site-url", [foreign("https://www.other.example/a")], "https://www.other.example/a", R.EXCLUDED, f"not below {HOME}"),
    ("URL-28 counterpart unknown", [foreign("http://www.example.com/a", "/a")], "http://www.example.com/a", R.EXCLUDED, f"not below {HOME}"),
    ("SM-25 no URL at all", [foreign("about us", reason="not the URL of a page: no host")], "about us", R.EXCLUDED, "not the URL of a page"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("pages", "path", "reason", "detail"),
    [pytest.param(*row[1:], id=row[0]) for row in (*PAGES, *REDIRECTS, *BACK, *TWINS)],
)
def test_verdict(pages: list[Page], path: str, reason: str, detail: str) -> None:
    found = reason_and_detail(verdict(pages, path, policy()))
    assert found[0] == reason
    assert detail in found[1]


POLICIES = [
    # id, policy, pages, path, reason, part of the detail
    ("DIFF-08 exclude", policy(exclude=("/a/**",)), [page("/a/b")], "/a/b", R.EXCLUDED, "select.exclude has /a/**"),
    ("DIFF-08 exclude stands before what the page is", policy(exclude=("/a",)), [gone("/a")], "/a", R.EXCLUDED, "select.exclude"),
    ("exclude is no prefix", policy(exclude=("/exclude",)), [page("/exclude-me.html")], "/exclude-me.html", LISTED, ""),
    ("DIFF-08 include", policy(include=("/blog/**",)), [page("/a")], "/a", R.EXCLUDED, "no pattern of select.include matches"),
    ("include", policy(include=("/blog/**",)), [page("/blog/a")], "/blog/a", LISTED, ""),
    ("ENV-03 noindex ignored", policy(noindex=Noindex.IGNORE), [noindex("/a")], "/a", LISTED, ""),
    ("ENV-03 a directive of the host", replace(policy(), host_directives=frozenset(directives(("", "noindex")))), [noindex("/a")], "/a", LISTED, ""),
    ("ENV-03 and another of this page", replace(policy(), host_directives=frozenset(directives(("", "none")))), [noindex("/a")], "/a", R.DEINDEXED, "noindex"),
    ("HTML-46 what any address gets", replace(policy(), error_documents=FALLBACK), [page("/a", fingerprint="f", words=60)], "/a", R.SOFT_404, "answers 200 with the same document as URLs that do not exist"),
    ("HTML-46 the home page is what an application shows for every address", replace(policy(), error_documents=FALLBACK), [page("/", fingerprint="f", words=60)], "/", LISTED, ""),
    ("HTML-46 another document", replace(policy(), error_documents=FALLBACK), [page("/a", fingerprint="g")], "/a", LISTED, ""),
    ("HTML-46 what the page says of itself is told first", replace(policy(), error_documents=FALLBACK), [page("/a", fingerprint="f", words=60, directives=directives(("", "noindex")))], "/a", R.DEINDEXED, "noindex"),
    ("HTML-46 a redirect into it", replace(policy(), error_documents=FALLBACK), [redirect("/a", "/b"), page("/b", fingerprint="f", words=60)], "/a", R.REDIRECT_BROKEN, "soft-404"),
    ("HTML-46 a missing page of an application that was rendered", replace(policy(), error_documents=RENDERED), [page("/a", fingerprint="view", words=9)], "/a", R.SOFT_404, "answers 200 with the same document as URLs that do not exist"),
    ("HTML-46 a page of it", replace(policy(), error_documents=RENDERED), [page("/a", fingerprint="other", words=9)], "/a", LISTED, ""),
    ("HTML-46 a page of it that was not rendered", replace(policy(), error_documents=RENDERED), [page("/a", fingerprint="shell", title="App", shell="<div id=root>")], "/a", R.UNDETERMINED, "only scripts make a page of it"),
    ("HTML-46 a shell that every URL gets", replace(policy(), error_documents=FALLBACK), [page("/a", fingerprint="f", words=60, shell="<div id=root>")], "/a", R.UNDETERMINED, "only scripts make a page of it"),
    ("V-07 the start page too", replace(policy(), error_documents=replace(FALLBACK, everywhere="x")), [page("/a", fingerprint="f", words=60, directives=directives(("", "noindex")))], "/a", R.UNDETERMINED, "answers with the same document"),
    ("V-07 a prerendered page beside it", replace(policy(), error_documents=replace(FALLBACK, everywhere="x")), [page("/a", fingerprint="g", words=60)], "/a", LISTED, ""),
    ("V-07 without text the title counts", replace(policy(), error_documents=ErrorDocuments(fallbacks=frozenset({"f App"}))), [page("/a", fingerprint="f", title="Photos")], "/a", LISTED, ""),
    ("V-09 the text of the error page", replace(policy(), error_documents=NOT_FOUND), [page("/a", fingerprint="n", words=60)], "/a", R.SOFT_404, "with the text of the site's own 404 page"),
    ("V-09 its title", replace(policy(), error_documents=NOT_FOUND), [page("/a", title="Not found", soft404=(Soft404.TITLE,))], "/a", R.SOFT_404, "with the title of the site's own 404 page"),
    ("V-09 a title that says nothing", replace(policy(), error_documents=NOT_FOUND), [page("/a", title="Not found")], "/a", LISTED, ""),
    ("ENV-01 a page beside the site", replace(policy(), site_url=at("/docs/")), [page("/blog")], "/blog", R.EXCLUDED, f"not below {HOME}docs/"),
    ("ENV-01 the directory without its slash", replace(policy(), site_url=at("/docs/")), [page("/docs")], "/docs", R.EXCLUDED, "not below"),
    ("ENV-01 its home page", replace(policy(), site_url=at("/docs/")), [page("/docs/")], "/docs/", LISTED, ""),
    ("ENV-01 another host, where www. is the same", policy(), [page("https://example.com/a")], "https://example.com/a", R.EXCLUDED, "not below"),
    ("HTML-48 a file that nobody lists", policy(), [Page(at("/a.pdf"), PageKind.FILE, 200, media_type="application/pdf")], "/a.pdf", R.EXCLUDED, "select.types does not have application/pdf"),
    ("HTML-48 PDF by option", policy(types=("html", "pdf")), [Page(at("/a.pdf"), PageKind.FILE, 200, media_type="application/pdf")], "/a.pdf", LISTED, ""),
    ("HTML-48 only PDF", policy(types=("pdf",)), [page("/a", media_type="text/html")], "/a", R.EXCLUDED, "select.types does not have text/html"),
    ("HTML-48 a redirect into a file that nobody lists", policy(), [redirect("/a", "/b.zip"), Page(at("/b.zip"), PageKind.FILE, 200, media_type="application/zip")], "/a", R.REDIRECT_BROKEN, "select.types"),
    ("V-06 a page served as another type", policy(), [Page(at("/a"), PageKind.FILE, 200, media_type="text/plain")], "/a", R.OTHER_TYPE, "answers with text/plain"),
    ("VER-01 a page of an old version", replace(policy(), versions=Versions(HOME, "/stable/", ("/v*/",))), [page("/v1/a")], "/v1/a", R.EXCLUDED, "in /v*/, which versions has"),
    ("VER-01 of the current one", replace(policy(), versions=Versions(HOME, "/v2/", ("/v*/",))), [page("/v2/a")], "/v2/a", LISTED, ""),
    ("exclude wins", policy(include=("/blog/**",), exclude=("/blog/a",)), [page("/blog/a")], "/blog/a", R.EXCLUDED, "select.exclude"),
    ("a pattern and an entry that is no URL", policy(include=("/blog/**",), exclude=("/b",)), [foreign("about us", reason="not the URL of a page: no host")], "about us", R.EXCLUDED, "not the URL of a page"),
    ("URL-23 query kept", policy(), [page("/a?page=2")], "/a?page=2", LISTED, ""),
    ("URL-23 query dropped", policy(query=Query(())), [page("/a?page=2")], "/a?page=2", R.EXCLUDED, "the query ?page=2"),
    ("URL-23 parameter allowed", policy(query=Query(("page",))), [page("/a?page=2")], "/a?page=2", LISTED, ""),
    ("URL-23 one parameter allowed, one not", policy(query=Query(("page",))), [page("/a?page=2&s=1")], "/a?page=2&s=1", R.EXCLUDED, "query"),
    ("URL-24 listed parameter", policy(drop_params=("utm_*",)), [page("/a?utm_source=x")], "/a?utm_source=x", R.EXCLUDED, "query"),
    ("RB-30 blocked for everybody", policy("User-agent: *\nDisallow: /a\n"), [page("/ab")], "/ab", R.DEINDEXED, "robots.txt line 2 blocks Googlebot: Disallow: /a"),
    ("RB-30 blocked for Bing alone", policy("User-agent: bingbot\nDisallow: /a\n"), [page("/a")], "/a", R.DEINDEXED, "blocks Bingbot"),
    ("RB-30 nobody asks for Bing", policy("User-agent: bingbot\nDisallow: /a\n", agents=("Googlebot",)), [page("/a")], "/a", LISTED, ""),
    ("RB-30 allowed by a longer rule", policy("User-agent: *\nDisallow: /a\nAllow: /ab\n"), [page("/ab")], "/ab", LISTED, ""),
    ("RB-30 of another site, whose rules are not known", policy("User-agent: *\nDisallow: /a\n"), [foreign("https://other.example/a")], "https://other.example/a", R.EXCLUDED, "not below"),
    ("RB-30 of another host, which is not the one that was asked", policy("User-agent: *\nDisallow: /a\n"), [page("https://example.com/a")], "https://example.com/a", R.EXCLUDED, "not below"),
    ("RB-30 of what the host does not list", policy("User-agent: *\nDisallow: /404\n"), [page("/404.html", unlisted="error page of the host")], "/404.html", R.EXCLUDED, "error page"),
    ("HTML-14 blocked, so its noindex is unknown", policy("User-agent: *\nDisallow: /a\n"), [noindex("/a")], "/a", R.DEINDEXED, "robots.txt"),
    ("DIFF-03 a redirect into a blocked page", policy("User-agent: *\nDisallow: /b\n"), [redirect("/a", "/b"), page("/b")], "/a", R.REDIRECT_BROKEN, "robots.txt line 2"),
    ("DIFF-03 a redirect into an excluded page", policy(exclude=("/b",)), [redirect("/a", "/b"), page("/b")], "/a", R.REDIRECT_BROKEN, "which is excluded: select.exclude"),
    ("HTML-24 the spelling that the file prefers is excluded", policy(exclude=("/**/index.html",)), [canonical("/a/", "/a/index.html"), twin("/a/index.html", "/a/")], "/a/", R.DEINDEXED, f"names {HOME}a/index.html as its canonical"),
    ("V-03 the canonical redirects back, and search engines may not see it", policy("User-agent: *\nDisallow: /a$\n"), [canonical("/a/", "/a"), redirect("/a", "/a/")], "/a/", R.DEINDEXED, "as its canonical"),
    ("V-01 blocked, and not fetched", policy("User-agent: *\nDisallow: /a\n"), [undetermined("/a")], "/a", R.DEINDEXED, "robots.txt line 2"),
    ("V-01 blocked, and gone", policy("User-agent: *\nDisallow: /a\n"), [gone("/a")], "/a", R.DEINDEXED, "robots.txt line 2"),
    ("V-01 blocked, and redirected", policy("User-agent: *\nDisallow: /a\n"), [redirect("/a", "/b"), page("/b")], "/a", R.DEINDEXED, "robots.txt line 2"),
    ("V-01 allowed, and not fetched", policy("User-agent: sitemap-action\nDisallow: /a\n"), [undetermined("/a")], "/a", R.UNDETERMINED, "timed out"),
    ("V-01 the config is asked first", policy("User-agent: *\nDisallow: /a\n", exclude=("/a",)), [undetermined("/a")], "/a", R.EXCLUDED, "select.exclude"),
    ("HTML-24 or blocked", policy("User-agent: *\nDisallow: /*/index.html\n"), [canonical("/a/", "/a/index.html"), twin("/a/index.html", "/a/")], "/a/", R.DEINDEXED, "as its canonical"),
    ("HTML-24 an orphan is dropped under both", policy(orphans=Orphans.DROP), [canonical("/a/", "/a/index.html")._replace(inlinks=0), twin("/a/index.html", "/a/")], "/a/index.html", R.DROPPED, "no page links to it"),
    ("HTML-68 orphan kept", policy(), [page("/a", inlinks=0)], "/a", LISTED, ""),
    ("DIFF-08 orphan dropped", policy(orphans=Orphans.DROP), [page("/a", inlinks=0)], "/a", R.DROPPED, "no page links to it"),
    ("DIFF-08 linked page stays", policy(orphans=Orphans.DROP), [page("/a", inlinks=1)], "/a", LISTED, ""),
    ("DIFF-08 the start page is no orphan", policy(orphans=Orphans.DROP), [page("/", inlinks=0)], "/", LISTED, ""),
    ("DIFF-08 noindex is told before orphan", policy(orphans=Orphans.DROP), [noindex("/a")._replace(inlinks=0)], "/a", R.DEINDEXED, "has <meta"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "pages", "path", "reason", "detail"), [pytest.param(*row[1:], id=row[0]) for row in POLICIES]
)
def test_policy(rules: SelectPolicy, pages: list[Page], path: str, reason: str, detail: str) -> None:
    found = reason_and_detail(verdict(pages, path, rules))
    assert found[0] == reason
    assert detail in found[1]


def test_every_reason_has_a_row() -> None:
    decided_later = {R.MOVED_HOME}  # by the number of such redirects
    assert {row[-2] for row in (*PAGES, *REDIRECTS, *TWINS, *POLICIES)} == {LISTED, *Reason} - decided_later


OLD = Entry(
    at("/a"),
    "2020-02-02",
    "daily",
    "0.5",
    (Alternate("de", at("/de/a")),),
    (at("/a.png"),),
    ("<image:image/>",),
    line=7,
)


@pytest.mark.parametrize(
    ("output", "lastmod"),
    [
        pytest.param(OutputConfig(), "2020-02-02", id="SM-47 the date that was stated is kept"),
        pytest.param(OutputConfig(lastmod=(Lastmod.OMIT,)), "", id="output.lastmod: omit"),
    ],
)
def test_fields_of_the_committed_entry_are_carried_over(output: OutputConfig, lastmod: str) -> None:
    found = verdict([page("/a")], "/a", policy(output=output), OLD)
    assert isinstance(found, Listed)
    assert found.entry == Entry(
        at("/a"), lastmod, "daily", "0.5", alternates=OLD.alternates, images=OLD.images, extensions=OLD.extensions
    )


def test_a_new_page_has_its_url_alone() -> None:  # SM-47
    found = verdict([page("/a")], "/a", policy())
    assert isinstance(found, Listed)
    assert found.entry == Entry(at("/a"))


KEPT = [
    # id, page, output.keep, kept for, unproven
    ("NET-10 no answer", undetermined("/a"), (), "timed out", True),
    ("a kept page that is gone", gone("/a"), ("/a",), "output.keep has /a", False),
    ("a kept page of another site", foreign(OLD.loc.replace("www", "shop")), ("https://shop.example.com/**",), "output.keep", False),
]  # fmt: skip


@pytest.mark.parametrize(("page_", "keep", "why", "unverified"), [pytest.param(*row[1:], id=row[0]) for row in KEPT])
def test_an_entry_stays_as_it_is(page_: Page, keep: tuple[str, ...], why: str, unverified: bool) -> None:
    entry = OLD._replace(loc=page_.url)
    found = verdict([page_], page_.url, policy(output=OutputConfig(keep=keep)), entry)
    assert isinstance(found, Listed)
    assert found.entry == entry  # with changefreq and priority: not rewritten
    assert found.unverified is unverified
    assert why in found.keep_reason


@pytest.mark.parametrize(
    ("page_", "keep"),
    [
        pytest.param(undetermined("/a"), (), id="DIFF-20 nothing to keep"),
        pytest.param(gone("/a"), ("/a",), id="output.keep speaks of existing entries"),
    ],
)
def test_without_an_entry_output_keep_lists_nothing(page_: Page, keep: tuple[str, ...]) -> None:
    assert isinstance(verdict([page_], "/a", policy(output=OutputConfig(keep=keep))), Absent)


def test_an_entry_that_is_no_url_matches_no_pattern() -> None:
    bad = foreign("about us", reason="not the URL of a page: no host")
    assert (
        reason_and_detail(verdict([bad], "about us", policy(output=OutputConfig(keep=("/**",))), Entry("about us")))[0]
        == R.EXCLUDED
    )


def test_HTML_46_documents_of_probes() -> None:
    """None of a file that is not parsed: every PDF would have it."""
    file = Page(at("/x"), PageKind.FILE, 200, facts=page("/x").facts)
    fallback, own = page("/x", fingerprint="f", words=9), page("/y", fingerprint="n", words=9, title="Not found")
    probes = [gone("/x"), redirect("/x", "/"), file, fallback, own._replace(kind=PageKind.GONE)]
    found = error_documents(FakeSite([]), HOME, probes)
    assert found == ErrorDocuments(frozenset({"f"}), frozenset({"n"}), frozenset({"Not found"}))
