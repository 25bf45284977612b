"""What is served beside a build of two pages and a redirect, in rows, and what the rules WIT-01…03 say of it."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from fakes import HOME, at, gone, page, redirect, undetermined
from sitemap_action.model.finding import Place, Severity
from sitemap_action.model.page import Alternate, Canonical, Directive, Facts, Head, Page
from sitemap_action.model.source import Hosting, RedirectRule, ServedSite, SourceResult

E, W, NOTE = Severity.ERROR, Severity.WARNING, Severity.INFO
ROBOTS = f"User-agent: *\nDisallow: /admin/\nSitemap: {HOME}sitemap.xml\n"


NOTHING = Head()


def known(path: str, head: Head = NOTHING, text: str = "abc") -> Page:
    return page(path)._replace(facts=Facts(head=head, fingerprint=text))


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
    return ServedSite(found, urls, frozenset(map(at, listed)), missing, case)


def says(path: str, *rules: str, source: str = "header", agent: str = "") -> Page:
    kept = BUILD[0].facts.head if path == "/a" and BUILD[0].facts is not None else Head()
    return known(path, kept._replace(directives=tuple(Directive(agent, rule, "", source) for rule in rules)))


def with_canonical(url: str) -> Page:
    return known("/a", Head(canonicals=(Canonical(url, url, "link", ""),)))


RULES = Hosting(redirects=(RedirectRule(Place("_redirects", 3), "/way", "/a", 301),))
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
    ("WIT-01", "signals of an edge", served(robots=f"# managed\n{ROBOTS}Content-Signal: ai-train=no\n"), None, ""),
    ("WIT-01", "the robots.txt of a preview", served(robots="User-agent: *\nDisallow: /\n", location=PREVIEW), None, ""),
    ("WIT-02", "as built", served(), None, ""),
    ("WIT-02", "gone", served(gone("/b")), E, "a page of the build is not served: answers 404"),
    ("WIT-02", "no answer", served(undetermined("/b")), E, "a page of the build is not served"),
    ("WIT-02", "no answer to a crawl that was cut short", served(undetermined("/b"), incomplete=("blocked",)), None, ""),
    ("WIT-02", "no page at all", served(gone("/b"), no_pages=True), None, ""),
    ("WIT-02", "redirected", served(redirect("/b", "/b/"), page("/b/")), E, f"301 to {at('/b/')}"),
    ("WIT-02", "redirected to another host", served(redirect("/b", "/b")._replace(target="https://example.net/b")), E, "redirects to example.net"),
    ("WIT-02", "a login", served(redirect("/b", "/b")._replace(target="https://id.example.net/?to=/b")), E, "redirects to id.example.net/ with a query"),
    ("WIT-02", "a redirect lost", served(gone("/old")), E, "a redirect of the build is not served: answers 404"),
    ("WIT-02", "a redirect in two steps", served(redirect("/old", "/older"), redirect("/older", "/a")), None, ""),
    ("WIT-02", "a redirect to another page", served(redirect("/old", "/b")), E, f"to {at('/b')} in place of"),
    ("WIT-02", "a temporary redirect", served(redirect("/old", "/a", 302)), E, "redirects with 302, and the build with 301"),
    ("WIT-02", "a rule", served(redirect("/way", "/a")), None, ""),
    ("WIT-02", "a rule that was not looked at", served(), None, ""),
    ("WIT-02", "a rule lost", served(gone("/way")), E, "answers 404"),
    ("WIT-02", "a rule that is temporary", served(redirect("/way", "/a", 302)), E, "redirects with 302"),
    ("WIT-02", "a header", served(says("/a", "noindex")), E, "X-Robots-Tag: noindex is added, by a header that no rule of the build sets"),
    ("WIT-02", "a header of a preview", served(says("/a", "noindex"), location=PREVIEW), None, ""),
    ("WIT-02", "in the document", served(says("/a", "noindex", source="meta")), E, "is added, in the served document"),
    ("WIT-02", "for one agent", served(says("/a", "nosnippet", agent="googlebot")), E, "X-Robots-Tag: googlebot: nosnippet is added"),
    ("WIT-02", "without effect", served(says("/a", "all", "index")), None, ""),
    ("WIT-02", "another canonical", served(with_canonical(at("/b"))), E, f"{at('/b')} in place of {at('/a')}"),
    ("WIT-02", "a canonical of another host", served(with_canonical("https://www.example.net/a")), E, "at https://www.example.net in place of https://example.com"),
    ("WIT-02", "no canonical", served(known("/a")), E, "the served page has no canonical"),
    ("WIT-02", "a canonical more", served(known("/b", Head(canonicals=(Canonical(at("/a"), at("/a"), "link", ""),)))), E, "the build has none"),
    ("WIT-02", "language versions", served(known("/b", Head(alternates=(Alternate("de", at("/de")),)))), W, "other language versions"),
    ("WIT-02", "200 for what is missing", served(page("/x"), missing=(at("/x"),)), E, "pages that do not exist answer 200"),
    ("WIT-02", "404 for what is missing", served(gone("/x"), missing=(at("/x"),)), None, ""),
    ("WIT-02", "case is ignored", served(page("/B"), other_case=(at("/b"), at("/B"))), W, f"answers as {at('/b')} does"),
    ("WIT-02", "case is not ignored", served(gone("/B"), other_case=(at("/b"), at("/B"))), None, ""),
    ("WIT-03", "as built", served(), None, ""),
    ("WIT-03", "other text", served(known("/b", text="def")), NOTE, "other text, links or JSON-LD"),
    ("WIT-03", "text that nobody asked for", served(known("/b", text="")), None, ""),
]  # fmt: skip
