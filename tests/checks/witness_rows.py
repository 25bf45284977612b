"""What is served beside a build of two pages and a redirect, in rows, and what the rules WIT-01…03 say of it."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from fakes import HOME, at, gone, page, redirect, undetermined
from sitemap_action.model.finding import Place, Severity
from sitemap_action.model.page import Alternate, Canonical, Directive, Facts, Head, Page, PageKind, Refresh
from sitemap_action.model.source import Hosting, RedirectRule, ServedSite, SourceResult

E, W, NOTE = Severity.ERROR, Severity.WARNING, Severity.INFO
ROBOTS = f"User-agent: *\nDisallow: /admin/\nSitemap: {HOME}sitemap.xml\n"


NOTHING = Head()


def known(path: str, head: Head = NOTHING, text: str = "abc", words: int = 100) -> Page:
    return page(path)._replace(facts=Facts(head=head, fingerprint=text, words=words))


BUILD = [
    known("/a", Head(canonicals=(Canonical(at("/a"), at("/a"), "link", ""),))),
    known("/b"),
    redirect("/old", "/a"),
]


def served(*pages: Page, listed: Sequence[str] = ("/a", "/b"), robots: str = ROBOTS, **more: Any) -> ServedSite:
    """The build as it is served, but for these pages; `more`: of what a crawl finds, or of the witness."""
    case, missing = more.pop("other_case", ("", "")), more.pop("missing", ())
    found = replace(SourceResult("url", HOME), robots=robots.encode(), **more)
    urls = {one.url: one for one in (*BUILD, *pages)}
    return ServedSite(found, urls, frozenset(map(at, listed)), missing=missing, other_case=case)


def says(path: str, *rules: str, source: str = "header", agent: str = "") -> Page:
    kept = BUILD[0].facts.head if path == "/a" and BUILD[0].facts is not None else Head()
    return known(path, kept._replace(directives=tuple(Directive(agent, rule, "", source) for rule in rules)))


def with_canonical(url: str, source: str = "link") -> Page:
    return known("/a", Head(canonicals=(Canonical(url, url, source, ""),)))


RULES = Hosting(
    redirects=(
        RedirectRule(Place("_redirects", 3), "/way", "/a", 301),
        RedirectRule(Place("_redirects", 4), "/shut", "/404.html", 410),
    )
)
PREVIEW = "https://preview.example.net/"
WITNESS = [
    # rule, id, what is served, severity, message
    ("WIT-01", "as built", served(), None, ""),
    ("WIT-01", "a URL less", served(listed=("/a",)), E, f"another sitemap is served than the build has: it lacks 1 URL such as {at('/b')}"),
    ("WIT-01", "a URL more", served(listed=("/a", "/b", "/c")), E, f"it lists 1 URL that the build's does not, such as {at('/c')}"),
    ("WIT-01", "none", served(listed=()), E, "no sitemap that lists a page is served"),
    ("WIT-01", "not known", replace(served(), sitemap=None), None, ""),
    ("WIT-01", "all blocked", served(robots="User-agent: *\nDisallow: /\n"), E, f"Disallow: /, line 2 as served, blocks Googlebot and Bingbot from 2 pages, such as {at('/a')}"),
    ("WIT-01", "one blocked for one", served(robots=f"User-agent: GPTBot\nDisallow: /a\n\n{ROBOTS}"), E, f"Disallow: /a, line 2 as served, blocks GPTBot from {at('/a')}"),
    ("WIT-01", "a rule that blocks nothing", served(robots=f"{ROBOTS}Disallow: /other/\n"), NOTE, "with the same effect"),
    ("WIT-01", "no robots.txt", replace(served(), found=replace(served().found, robots=None)), NOTE, "with the same effect: none is served"),
    ("WIT-01", "robots.txt gave no answer", replace(served(), found=replace(served().found, robots=None, incomplete=("answers 500",))), None, ""),
    ("WIT-01", "signals of an edge", served(robots=f"# managed\n{ROBOTS}Content-Signal: ai-train=no\n"), None, ""),
    ("WIT-01", "the robots.txt of a preview", served(robots="User-agent: *\nDisallow: /\n", location=PREVIEW), None, ""),
    ("WIT-02", "as built", served(), None, ""),
    ("WIT-02", "gone", served(gone("/b")), E, "a page of the build is not served: answers 404"),
    ("WIT-02", "no answer", served(undetermined("/b")), E, "a page of the build is not served"),
    ("WIT-02", "no answer to a crawl that was cut short", served(undetermined("/b"), incomplete=("blocked",)), None, ""),
    ("WIT-02", "no page at all", served(gone("/b"), no_pages=True), None, ""),
    ("WIT-02", "redirected", served(redirect("/b", "/b/"), page("/b/")), E, f"redirects to {at('/b/')} (301)"),
    ("WIT-02", "redirected to another host", served(redirect("/b", "/b")._replace(target="https://example.net/b")), E, "redirects to https://example.net/b (301)"),
    ("WIT-02", "a login", served(redirect("/b", "/b")._replace(target="https://id.example.net/?to=/b")), E, "redirects to https://id.example.net/?to=/b (301)"),
    ("WIT-02", "a redirect lost", served(gone("/old")), E, "a redirect of the build is not served: answers 404"),
    ("WIT-02", "a redirect in two steps", served(redirect("/old", "/older"), redirect("/older", "/a")), None, ""),
    ("WIT-02", "a redirect to another page", served(redirect("/old", "/b")), E, f"redirects to {at('/b')}; the build redirects to {at('/a')}"),
    ("WIT-02", "a temporary redirect", served(redirect("/old", "/a", 302)), E, "redirects with 302, and the build with 301"),
    ("WIT-02", "a rule", served(redirect("/way", "/a")), None, ""),
    ("WIT-02", "a rule that was not looked at", served(), None, ""),
    ("WIT-02", "a rule lost", served(gone("/way")), E, "answers 404"),
    ("WIT-02", "a rule that is temporary", served(redirect("/way", "/a", 302)), E, "redirects with 302"),
    ("WIT-02", "a redirect to a login", served(redirect("/old", "/b")._replace(target="https://id.example.net/?to=/old")), E, f"redirects to https://id.example.net/?to=/old; the build redirects to {at('/a')}"),
    ("WIT-02", "redirected by the document", served(page("/b", refresh=Refresh(0, at("/a")))), E, f"is a document that redirects to {at('/a')} (200)"),
    ("WIT-02", "another type", served(page("/b")._replace(kind=PageKind.FILE, media_type="text/plain")), E, "answers with text/plain"),
    ("WIT-02", "an empty document", served(known("/b", words=0)), E, "answers with a document without text"),
    ("WIT-02", "a 410", served(gone("/shut", 410)), None, ""),
    ("WIT-02", "a 410 that was not looked at", served(), None, ""),
    ("WIT-02", "404 in place of a 410", served(gone("/shut")), E, "a rule of the build answers with 410 is served otherwise: answers 404 (_redirects line 4)"),
    ("WIT-02", "a page in place of a 410", served(page("/shut")), E, "answers 200 (_redirects line 4)"),
    ("WIT-02", "a redirect in place of a 410", served(redirect("/shut", "/a")), E, f"redirects to {at('/a')} (_redirects line 4)"),
    ("WIT-02", "no answer in place of a 410", served(undetermined("/shut")), E, "timed out (_redirects line 4)"),
    ("WIT-02", "a header", served(says("/a", "noindex")), E, "X-Robots-Tag: noindex is added, by a header that no rule of the build sets"),
    ("WIT-02", "a header of a preview", served(says("/a", "noindex"), location=PREVIEW), None, ""),
    ("WIT-02", "in the document", served(says("/a", "noindex", source="meta")), E, "is added, in the served document"),
    ("WIT-02", "for one agent", served(says("/a", "nosnippet", agent="googlebot")), E, "X-Robots-Tag: googlebot: nosnippet is added"),
    ("WIT-02", "without effect", served(says("/a", "all", "index")), None, ""),
    ("WIT-02", "another canonical", served(with_canonical(at("/b"))), E, f"{at('/b')} in place of {at('/a')}"),
    ("WIT-02", "a canonical without its slash", served(with_canonical(at("/a/"))), E, f"{at('/a/')} in place of {at('/a')}"),
    ("WIT-02", "a canonical of another host", served(with_canonical("https://www.example.net/a")), E, f"https://www.example.net/a in place of {at('/a')}"),
    ("WIT-02", "a canonical in a header", served(with_canonical("https://cdn.example.net/a", "header")), E, "in place of https://www.example.com/a, by a Link header that no rule of the build sets"),
    ("WIT-02", "no canonical", served(known("/a")), E, f"none in place of {at('/a')}"),
    ("WIT-02", "a canonical more", served(known("/b", Head(canonicals=(Canonical(at("/a"), at("/a"), "link", ""),)))), E, f"{at('/a')}, and the build has none"),
    ("WIT-02", "language versions", served(known("/b", Head(alternates=(Alternate("de", at("/de")),)))), W, "other language versions"),
    ("WIT-02", "200 for what is missing", served(page("/x"), missing=(at("/x"),)), E, "pages that do not exist answer 200"),
    ("WIT-02", "what is missing redirects to a page", served(redirect("/x", "/a"), missing=(at("/x"),)), E, f"pages that do not exist answer 200, and the build has no such rule: redirects to {at('/a')}"),
    ("WIT-02", "what is missing redirects to nothing", served(redirect("/x", "/x/"), gone("/x/"), missing=(at("/x"),)), None, ""),
    ("WIT-02", "404 for what is missing", served(gone("/x"), missing=(at("/x"),)), None, ""),
    ("WIT-02", "case is ignored", served(page("/B"), other_case=(at("/b"), at("/B"))), W, f"answers as {at('/b')} does"),
    ("WIT-02", "case is not ignored", served(gone("/B"), other_case=(at("/b"), at("/B"))), None, ""),
    ("WIT-03", "as built", served(), None, ""),
    ("WIT-03", "other text", served(known("/b", text="def")), NOTE, "other text, links or JSON-LD"),
    ("WIT-03", "text that nobody asked for", served(known("/b", text="")), None, ""),
]  # fmt: skip

URLS = frozenset(f"https://example.com/{number}" for number in range(40))
NEW = frozenset(f"https://example.com/new/{number}" for number in range(9))
OLD = frozenset(f"https://example.com/old/{number}" for number in range(3))
BUILT, BEFORE = URLS | NEW, URLS | OLD


def some(urls: frozenset[str], number: int) -> frozenset[str]:
    return frozenset(sorted(urls)[:number])


KNOWN_SETS = [
    # id, what is served, what is built, known sets, which of them is named and how
    ("as built", BUILT, BUILT, {"main": BEFORE}, ""),
    ("nothing is known", BEFORE, BUILT, {}, ""),
    ("what is known is the build", BEFORE, BUILT, {"main": BUILT}, ""),
    ("the baseline", BEFORE, BUILT, {"main": BEFORE}, "the deployment is stale: its URLs are those of main"),
    ("of two the equal one", BEFORE, BUILT, {"main": URLS, "an earlier run": BEFORE}, "the deployment is stale: its URLs are those of an earlier run"),
    ("nearly the baseline", BEFORE - some(URLS, 1), BUILT, {"main": BEFORE}, "the deployment is stale: 42 of its 42 URLs are those of main, none is of this build alone"),
    ("some URLs of the build", URLS | some(NEW, 4) | OLD, BUILT, {"main": BEFORE}, "the deployment is half done: 43 of its 47 URLs are those of main, 4 are of this build alone"),
    ("31 and 9", some(URLS, 31) | NEW, some(URLS, 31) | NEW | OLD, {"main": some(URLS, 31)}, "the deployment is half done: 31 of its 40 URLs are those of main, 9 are of this build alone"),
    ("one URL of the build", URLS | some(NEW, 1), BUILT, {"main": URLS}, "the deployment is half done: 40 of its 41 URLs are those of main, 1 is of this build alone"),
    ("a build that removes", URLS | some(OLD, 2), URLS, {"main": BEFORE}, "the deployment is half done: 42 of its 42 URLs are those of main, 2 removed since"),
    ("all that is new, and a page lacks", BUILT - some(URLS, 1), BUILT, {"main": URLS}, ""),
    ("another site", frozenset({"https://example.com/x"}), BUILT, {"main": BEFORE}, ""),
    ("half of all pages", some(URLS, 20), BUILT, {"main": BEFORE}, ""),
]  # fmt: skip

TEXTS = [
    # id, texts as served, as built and of an earlier run, a letter a page ("-": not known), what is said
    ("as built", "abcd", "abcd", "abce", ""),
    ("without an earlier run", "xycd", "abcd", "----", "2 of 4 pages with another text"),
    ("that of the earlier run", "wxyd", "abcd", "wxyd", "the deployment is stale: 3 of 4 pages with the text of an earlier run, 1 that of the build"),
    ("some of both", "wbcd", "abcd", "wxyd", "the deployment is half done: 1 of 4 pages with the text of an earlier run, 3 that of the build"),
    ("some of neither", "wxq-", "abcd", "wxyd", "the deployment is stale: 2 of 3 pages with the text of an earlier run, 0 that of the build, 1 neither"),
]  # fmt: skip
