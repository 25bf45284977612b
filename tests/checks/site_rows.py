"""Sites in rows, and the findings of every rule over them: rows that must pass, and rows that must be reported.

A row opens with its rule, and ends in the severity and a part of the message; without a severity there is no finding.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec.structs import replace

from checks.rendered_heads import HEADS
from checks.witness_rows import BUILD, RULES, WITNESS
from checks.witness_rows import ROBOTS as BUILT_ROBOTS
from fakes import (
    HOME,
    NOW,
    FakeSite,
    at,
    canonical,
    gone,
    noindex,
    page,
    redirect,
    refresh,
    site_options,
    twin,
    undetermined,
)
from sitemap_action.checks.all import SitePass
from sitemap_action.checks.severity import Corners
from sitemap_action.config.lists import read_ledger
from sitemap_action.config.schema import ExpectedRemoval, OutputConfig, RuleSetting, SelectConfig
from sitemap_action.decide.acknowledged import Acknowledgements
from sitemap_action.decide.compare import Comparison, join_urls
from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.decide.verdict import Selector
from sitemap_action.model.finding import NO_LEDGER, AcceptedLine, Finding, Place, Severity
from sitemap_action.model.outcome import Acknowledged, Changed, Diff, PolicyChange, Removed, StatedBase
from sitemap_action.model.page import (
    Alternate,
    Canonical,
    Directive,
    Head,
    Page,
    PageDate,
    PageKind,
    Refresh,
    Rendering,
)
from sitemap_action.model.site import Content, KnownUrl, Listed, Reason
from sitemap_action.model.sitemap import BrokenSitemap, Entry, ShippedSitemap
from sitemap_action.model.source import DeadReference, Hosting, RedirectRule, RuleFate, StatedSpelling
from sitemap_action.robots.groups import Profile, parse

E, W, NOTE = Severity.ERROR, Severity.WARNING, Severity.INFO
A = at("/a")
GOOD_ROBOTS = f"User-agent: *\nDisallow: /admin/\nSitemap: {HOME}sitemap.xml\n"


def named(href: str, url: str = "", ignored: str = "") -> Canonical:
    return Canonical(href, url or at(href), "link", ignored)


def check(
    pages: list[Page],
    robots: str = "",
    listed: tuple[str | Entry, ...] = (),
    removals: tuple[ExpectedRemoval, ...] = (),
    policy: tuple[PolicyChange, ...] = (),
    ledger: str = "",
    **options: object,
) -> list[Finding]:
    """`listed`: paths of the committed sitemap, which is the baseline; `options`: those of SiteOptions."""
    rules = parse(robots.encode(), Profile.GOOGLE) if robots else None
    select = SelectConfig()
    site = FakeSite(pages, committed=listed)
    selector = Selector(site, SelectPolicy(HOME, select, OutputConfig(), rules, NOW))
    lines = read_ledger("urls.txt", ledger.encode(), HOME) if ledger else NO_LEDGER
    comparison = Comparison(Acknowledgements(removals, NOW.date()), HOME, same=True, ledger=lines)
    every = SitePass(site_options(HOME, rules, select.agents, policy, **options))
    for row in join_urls(site, same=True):
        verdict = selector.verdict(row.page, row.committed, row.baseline)
        comparison.add(row, verdict)
        every.on_url(row, verdict)
    return list(every.findings(comparison.diff()))


def found(findings: list[Finding], rule: str) -> list[tuple[Severity, str]]:
    return [(finding.severity, finding.message) for finding in findings if finding.rule.id == rule]


def later(path: str, target: str) -> Page:
    """A page with another text than the one that it names as its canonical."""
    return page(path, canonicals=canonical(path, target).facts.head.canonicals, urls=9)


EXPIRY = (Directive("", "unavailable_after", "soon", "meta"),)
TO_HOME = [canonical(f"/{number}", "/") for number in range(5)]
LATER = later("/blog?page=2", "/blog")
PAGES = [
    # rule, id, pages, severity, message; no severity: no finding
    ("ENV-06", "production, another site, what does not count", [page("/a", canonicals=(named(A, A), named("", "http://localhost/", "after <img>"))), canonical("/b", "https://other.example.org/b")], None, ""),
    ("ENV-06", "a canonical of this machine", [page("/a", canonicals=(named("http://localhost:3000/a", "http://localhost:3000/a"),))], E, "a canonical names a private host, a preview or a stage: http://localhost:3000/a"),
    ("ENV-06", "a canonical of a stage", [page("/a", canonicals=(named("https://staging.example.com/a", "https://staging.example.com/a"),))], E, "https://staging.example.com/a"),
    ("ENV-06", "a canonical below another base (HTML-23)", [page("/a", canonicals=(named("/a", "https://staging/a"),))], E, "https://staging/a"),
    ("ENV-06", "a language version of a preview", [page("/a", alternates=(Alternate("de", "https://x.vercel.app/de"),))], E, "a language version of a page is on a private host, a preview or a stage: https://x.vercel.app/de"),
    ("HTML-06", "a date", [page("/a", directives=(EXPIRY[0]._replace(value="2027-01-31"),))], None, ""),
    ("HTML-06", "no date", [page("/a", directives=EXPIRY)], W, "the date of unavailable_after is not valid: soon"),
    ("HTML-21", "in the head", [canonical("/a", "/a")], None, ""),
    ("HTML-21", "after an image", [page("/a", canonicals=(named("/a", ignored="after <img>"),))], E, "the canonical is in a place where search engines ignore it: after <img>"),
    ("HTML-21", "in the body", [page("/a", canonicals=(named("/a", ignored="in <body>"),))], E, "in <body>"),
    ("HTML-21", "another kind of link (HTML-22)", [page("/a", canonicals=(named("/a", ignored="has media"),))], None, ""),
    ("HTML-23", "absolute", [canonical("/a", "/a")], None, ""),
    ("HTML-23", "relative", [page("/a", canonicals=(named("/a"),))], W, "the canonical is relative: /a"),
    ("HTML-23", "relative, of a page that redirects", [page("/a", canonicals=(named("b"),), refresh=Refresh(0, at("/b")))], None, ""),
    ("HTML-23", "relative with an address in its query", [page("/a", canonicals=(named("a?to=https://x.example/", A),))], W, "relative"),
    ("HTML-25", "one", [canonical("/a", "/a")], None, ""),
    ("HTML-25", "two", [canonical("/a", "/a", "/b")], E, f"two canonicals contradict each other: {A} and {HOME}b"),
    ("HTML-25", "one twice", [canonical("/a", "/a", "/a")], W, f"the same canonical is given twice: {A}"),
    ("HTML-25", "the second does not count", [page("/a", canonicals=(named(A, A), named("/b", ignored="after <img>")))], None, ""),
    ("HTML-27", "a page", [canonical("/a", "/a")], None, ""),
    ("HTML-27", "a file", [page("/a", canonicals=(named("file:///a", ignored="file: URL"),))], W, "the canonical is ignored: file: URL: file:///a"),
    ("HTML-27", "a fragment", [page("/a", canonicals=(named("#main", A, "has a fragment"),))], W, "has a fragment: #main"),
    ("HTML-27", "empty", [page("/a", canonicals=(named("", "", "empty href"),))], W, "the canonical is ignored: empty href"),
    ("HTML-28", "https", [canonical("/a", "/b")], None, ""),
    ("HTML-28", "http", [canonical("/a", "http://www.example.com/a")], E, "an https page has an http canonical: http://www.example.com/a"),
    ("HTML-29", "noindex alone", [noindex("/a")], None, ""),
    ("HTML-29", "noindex that names itself", [page("/a", directives=noindex("/a").facts.head.directives, canonicals=canonical("/a", "/a").facts.head.canonicals)], None, ""),
    ("HTML-29", "noindex that names another page", [page("/a", directives=noindex("/a").facts.head.directives, canonicals=canonical("/a", "/b").facts.head.canonicals)], W, f"names another page as its canonical: {HOME}b"),
    ("HTML-29", "V-03 noindex that names another spelling of itself", [page("/a/", directives=noindex("/a").facts.head.directives, canonicals=canonical("/a/", "/a").facts.head.canonicals), redirect("/a", "/a/")], None, ""),
    ("HTML-29", "a redirect stub may do both", [page("/b"), refresh("/a", "/b", directives=noindex("/a").facts.head.directives, canonicals=canonical("/a", "/b").facts.head.canonicals)], None, ""),
    ("HTML-26", "the page itself", [canonical("/a", "/a")], None, ""),
    ("HTML-26", "a page that names itself", [canonical("/a", "/b"), canonical("/b", "/b")], None, ""),
    ("HTML-26", "another site", [canonical("/a", "https://other.example/a")], None, ""),
    ("HTML-26", "a page without an answer", [canonical("/a", "/b"), undetermined("/b")], None, ""),
    ("HTML-26", "a redirect", [canonical("/a", "/b"), redirect("/b", "/c"), page("/c")], E, f"the canonical redirects: {HOME}b"),
    ("HTML-26", "a refresh", [canonical("/a", "/b"), refresh("/b", "/c"), page("/c")], E, f"the canonical redirects: {HOME}b"),
    ("HTML-26", "a redirect into a 404", [canonical("/a", "/b"), redirect("/b", "/c"), gone("/c")], E, f"the canonical redirects: {HOME}b"),
    ("HTML-26", "a 404", [canonical("/a", "/b"), gone("/b")], E, f"the canonical is no page: {HOME}b"),
    ("HTML-26", "noindex", [canonical("/a", "/b"), noindex("/b")], E, f"the canonical is not indexable: {HOME}b"),
    ("HTML-26", "a chain", [canonical("/a", "/b"), canonical("/b", "/c"), page("/c")], E, f"the canonical names another page as its canonical: {HOME}b"),
    ("HTML-26", "V-03 back to the page", [canonical("/a/", "/a"), redirect("/a", "/a/")], W, f"the canonical redirects back to the page, which is listed: {HOME}a"),
    ("HTML-26", "V-03 once for all pages", [one for path in "abcde" for one in (canonical(f"/{path}/", f"/{path}"), redirect(f"/{path}", f"/{path}/"))], W, "the canonical redirects back to the page, which is listed"),
    ("HTML-47", "no redirect", [page("/a")], None, ""),
    ("HTML-47", "a script redirects", [page("/a", script_redirect="/b")], NOTE, "an otherwise empty page redirects with a script: /b"),
    ("HTML-47", "a refresh redirects, and a script beside it", [refresh("/a", "/b", script_redirect="/b")], None, ""),
    ("HTML-31", "four pages name one", [page("/"), *TO_HOME[:4]], None, ""),
    ("HTML-31", "five of thirty", [page(f"/page/{number}") for number in range(25)] + TO_HOME, None, ""),
    ("HTML-31", "five of six", [page("/"), *TO_HOME], E, f"many pages name one other page as their canonical: 5 of 6 pages name {HOME}"),
    ("HTML-40", "a page", [page("/a")], None, ""),
    ("HTML-40", "V-11 no answer", [undetermined("/a")], W, "a page that is linked, and that no sitemap lists, gives no usable answer: timed out"),
    ("HTML-30", "a page that names itself", [page("/blog"), canonical("/blog?page=2", "/blog?page=2")], None, ""),
    ("HTML-30", "no series", [page("/blog"), canonical("/blog?sort=2", "/blog")], None, ""),
    ("HTML-30", "the first page", [page("/blog"), canonical("/blog?page=1", "/blog")], None, ""),
    ("HTML-30", "another page, as one with all of them", [page("/blog/all"), canonical("/blog?page=2", "/blog/all")], None, ""),
    ("HTML-30", "the same page without a filter", [page("/blog?page=2"), canonical("/blog?page=2&sort=up", "/blog?page=2")], None, ""),
    ("HTML-30", "the same document, for the server ignores the parameter", [page("/blog"), canonical("/blog?page=2", "/blog")], None, ""),
    ("HTML-30", "the same file of a build", [page("/blog")._replace(path="blog.html"), LATER._replace(path="blog.html")], None, ""),
    ("HTML-30", "the first page is gone, which is HTML-26", [gone("/blog"), LATER], None, ""),
    ("HTML-30", "a parameter", [page("/blog"), LATER], W, f"a later page of a series names the first one as its canonical: {HOME}blog"),
    ("HTML-30", "a folder", [page("/blog/"), later("/blog/page/2/", "/blog/")], W, f"{HOME}blog/"),
    ("HTML-30", "a file", [page("/blog/page1.html"), later("/blog/page12.html", "/blog/page1.html")], W, f"{HOME}blog/page1.html"),
    ("HTML-44", "https", [redirect("/a", "/b"), page("/b")], None, ""),
    ("HTML-44", "another site", [redirect("/a", "http://other.example/b")], None, ""),
    ("HTML-44", "a site on http", [redirect("http://www.example.com/a", "http://www.example.com/b")], None, ""),
    ("HTML-44", "no URL", [redirect("/a", "http://[::1/b")], None, ""),
    ("HTML-44", "http", [redirect("/a", "http://www.example.com/a/")], W, "an https URL redirects to an http URL of the site: http://www.example.com/a/"),
    ("HTML-44", "http without www", [redirect("/a", "http://example.com/a")], W, "http://example.com/a"),
    ("HTML-44", "a refresh", [page("/a", refresh=Refresh(0, "http://www.example.com/b"))], W, "http://www.example.com/b"),
    ("HTML-45", "one signal", [page("/a", soft404=("few words",))], None, ""),
    ("HTML-45", "V-09 two", [page("/a", soft404=("a title for missing pages", "few words"))], W, "the page answers 200 and looks like an error page: a title for missing pages, few words"),
    ("HTML-45", "empty", [page("/a", title="", size=3)], W, "the page is empty: it has no title, no text and no link"),
    ("HTML-45", "an image with a title", [page("/a", title="A photograph", size=70)], None, ""),
    ("HTML-45", "another file", [page("/a.pdf", title="", kind=PageKind.FILE, size=70)], None, ""),
    ("HTML-45", "links alone", [page("/a", title="", urls=2, size=70)], None, ""),
    ("HTML-45", "a script", [page("/a", title="", shell="a script and nothing else", size=70)], None, ""),
    ("HTML-45", "not listed, so it has its row", [page("/a", directives=noindex("/a").facts.head.directives, soft404=("a title for missing pages", "few words"))], None, ""),
    ("HTML-49", "2 MiB", [page("/a", size=2 * 1024 * 1024)], None, ""),
    ("HTML-49", "more", [page("/a", size=2 * 1024 * 1024 + 1)], W, "the document is larger than search engines read: 2,097,153 bytes"),
    ("HTML-64", "paths", [page("/a")], None, ""),
    ("HTML-64", "fragments", [page("/a", hash_routes=3)], W, "links point to fragments that only a script can follow: 3 links"),
    ("HTML-68", "linked", [page("/a", inlinks=1)], None, ""),
    ("HTML-68", "linked from nowhere", [page("/a", inlinks=0)], NOTE, "no page links to this page"),
    ("HTML-68", "the start page", [page("/", inlinks=0)], None, ""),
    ("HTML-68", "not listed, so it has its row", [noindex("/a")._replace(inlinks=0)], None, ""),
    ("HTML-73", "a page", [page("/a")], None, ""),
    ("HTML-73", "gone, and nothing links to it", [gone("/a")], None, ""),
    ("HTML-73", "gone, and a canonical names it", [gone("/a")._replace(found_on=at("/b"))], None, ""),
    ("HTML-73", "linked", [gone("/a")._replace(inlinks=1, found_on=at("/b"))], W, f"a link leads to nothing: linked on {at('/b')}"),
    ("HTML-73", "linked often", [gone("/a")._replace(inlinks=1200, found_on=at("/b"))], W, f"linked on {at('/b')} and 1,199 more pages"),
    ("HTML-73", "linked twice", [gone("/a", 410)._replace(inlinks=2, found_on=at("/b"))], W, f"linked on {at('/b')} and 1 more page"),
    ("HTML-73", "a redirect to a page", [redirect("/a", "/b")._replace(inlinks=1, found_on=at("/c")), page("/b")], None, ""),
    ("HTML-73", "a redirect to nothing", [redirect("/a", "/b")._replace(inlinks=1, found_on=at("/c")), gone("/b")], W, f"linked on {at('/c')}"),
    ("HTML-73", "redirects to nothing", [redirect("/a", "/b")._replace(inlinks=1, found_on=at("/d")), redirect("/b", "/c"), gone("/c")], W, f"linked on {at('/d')}"),
    ("HTML-73", "redirects without an end", [redirect("/a", "/b")._replace(inlinks=1, found_on=at("/d")), redirect("/b", "/a")], W, f"linked on {at('/d')}"),
    ("HTML-73", "a redirect to a page that is not listed", [redirect("/a", "/b")._replace(inlinks=1, found_on=at("/c")), noindex("/b")], None, ""),
    ("HTML-73", "no answer is no proof (HTML-40)", [undetermined("/a")._replace(inlinks=1, found_on=at("/b"))], None, ""),
    ("HTML-70", "content", [page("/a")], None, ""),
    ("HTML-70", "a shell", [page("/a", shell="a framework root and 1 child of body")], W, "the page looks empty without scripts: a framework root"),
    ("URL-21", "one address", [page("/a")], None, ""),
    ("URL-21", "two, and nothing prefers one", [page("/a", same_document=at("/a.html")), page("/a.html", same_document=A)], W, f"nothing prefers one of them: {at('/a.html')}"),
    ("URL-21", "not listed", [noindex("/a")._replace(same_document=at("/a.html"))], None, ""),
    ("URL-24", "a parameter that is no session", [page("/a?side=1")], None, ""),
    ("URL-24", "in the query", [page("/a?sid=1")], W, "a listed URL has a session id"),
    ("URL-24", "in the path", [page("/a;jsessionid=1A")], W, "a listed URL has a session id"),
    ("URL-25", "other letters", [page("/A"), page("/b")], None, ""),
    ("URL-25", "capitals", [page("/A"), page("/a")], W, f"two listed URLs differ only in the case of letters: {at('/A')}"),
    ("URL-25", "capitals of an escaped letter", [page("/%C3%84"), page("/%C3%A4")], W, "only in the case of letters"),
    ("URL-25", "one of them is not listed", [noindex("/A"), page("/a")], None, ""),
    ("URL-26", "single slashes", [page("/a/b")], None, ""),
    ("URL-26", "in the query", [page("/a?to=https://x.example/")], None, ""),
    ("URL-26", "in the path", [page("/a//b")], W, "the path of a listed URL has an empty segment"),
    ("URL-28", "one spelling", [page("/a", urls=9)], None, ""),
    ("URL-28", "two links", [page("/a", urls=2, other_spellings=(("http://www.example.com", 2),))], None, ""),
    ("URL-28", "less than a tenth", [page("/a", urls=31, other_spellings=(("http://www.example.com", 3),))], None, ""),
    ("URL-28", "a tenth", [page("/a", urls=30, other_spellings=(("http://www.example.com", 3),))], W, "links lead to another spelling of this site: 3 to http://www.example.com/, of 30 links"),
    ("URL-29", "composed", [page("/caf%C3%A9")], None, ""),
    ("URL-29", "both", [page("/caf%C3%A9"), page("/cafe%CC%81")], W, "two listed URLs differ only in Unicode composition"),
]  # fmt: skip

ROBOTS = [
    ("RB-17", "with a slash", GOOD_ROBOTS, None, ""),
    ("RB-17", "without", "User-agent: *\nDisallow: private\n", W, "the rule matches nothing"),
    ("RB-18", "512,000 bytes", "User-agent: *\n#" + "x" * 511_000 + "\n", None, ""),
    ("RB-18", "more", "User-agent: *\n#" + "x" * 512_000 + "\nDisallow: /\n", W, "robots.txt is larger than crawlers read"),
    ("RB-25", "none", GOOD_ROBOTS, None, ""),
    ("RB-25", "Crawl-delay", "User-agent: *\nCrawl-delay: 10\n", NOTE, "Crawl-delay is not a standard field"),
    ("RB-26", "none", GOOD_ROBOTS, None, ""),
    ("RB-26", "Noindex", "User-agent: *\nNoindex: /x\n", W, "Noindex is not supported"),
    ("RB-27", "text", GOOD_ROBOTS, None, ""),
    ("RB-27", "HTML", "<!doctype html><title>App</title>\n", W, "robots.txt holds HTML"),
    ("RB-28", "right", GOOD_ROBOTS, None, ""),
    ("RB-28", "misspelt", "User-agent: *\nDissalow: /x\n", W, "the field name is misspelt"),
    ("RB-28", "without a colon", "User-agent: *\nDisallow /x\n", W, "the line has no colon"),
    ("RB-34", "repeated", "User-agent: *\nDisallow: /admin/\n\nUser-agent: Googlebot\nDisallow: /admin/\n", None, ""),
    ("RB-34", "a group that allows everything", "User-agent: *\nDisallow: /admin/\n\nUser-agent: GPTBot\nAllow: /\n", None, ""),
    ("RB-34", "another crawler's group", "User-agent: *\nDisallow: /admin/\n\nUser-agent: GPTBot\nDisallow: /x/\n", W, "GPTBot does not follow Disallow: /admin/"),
    ("RB-34", "shadowed, and named by the config in other letters", "User-agent: *\nDisallow: /admin/\n\nUser-agent: googleBOT\nDisallow: /x/\n", W, "Googlebot does not follow"),
    ("RB-34", "shadowed", "User-agent: *\nDisallow: /admin/\n\nUser-agent: Googlebot\nDisallow: /x/\n", W, "a crawler with its own group does not follow a rule of the * group: Googlebot does not follow"),
    ("SM-68", "absolute", GOOD_ROBOTS, None, ""),
    ("SM-68", "relative", "Sitemap: /sitemap.xml\n", W, "the Sitemap line is not an absolute URL"),
]  # fmt: skip


def to_home(count: int, target: str = "/", status: int = 302) -> list[Page]:
    return [
        page("/"),
        page("/new"),
        page("/new-and-old"),
        *(redirect(f"/old/{number}", target, status) for number in range(count)),
    ]


STUB = page("/a", fingerprint="f", words=3, title="Error")
BOTH = [page("/a.html")._replace(path="a.html"), page("/a/")._replace(path="a/index.html")]
PLAIN = [page(f"/{name}.html")._replace(path=f"{name}.html") for name in "abc"]
KNOWN, DOUBLED = {"hosting": Hosting()}, {"hosting": Hosting(doubled=("a.html",))}


def stated(counts: Mapping[str, Mapping[str, int]], file: str = "x.html") -> dict[str, Hosting]:
    return {"hosting": Hosting(stated=(StatedSpelling(file, counts),))}


def rules(fate: RuleFate, detail: str = "", needed: str = "/old") -> dict[str, Any]:
    """The options of a build whose host has one redirect rule; `needed`: the path that it is for."""
    rule = RedirectRule(Place("_redirects", 7), "/old", "/a", 301, fate, detail)
    return {"hosting": Hosting(redirects=(rule,), needed={at(needed): rule})}


GIVEN = [
    # rule, id, options, pages, severity, message
    ("ENV-03", "no policy of a host", {}, [page("/a")], None, ""),
    ("ENV-03", "V-10 noindex everywhere", {"host_policy": "X-Robots-Tag: noindex on every one of 3 pages"}, [page("/a")], W, "directives on every page of the preview are treated as policy of its host: X-Robots-Tag: noindex on every one of 3 pages"),
    ("ENV-07", "the build ships what was judged", {}, [page("/a")], None, ""),
    ("ENV-07", "the build ships none", {"shipped": ShippedSitemap("dist/s.xml")}, [page("/a")], W, "the build ships no sitemap at this address"),
    ("ENV-07", "the build ships another", {"shipped": ShippedSitemap("dist/s.xml", present=True, lacking=(at("/a"), at("/b")), only_here=(at("/c"),))}, [page("/a")], E, f"the build ships another sitemap than the one that is judged: 2 URLs missing there, as {at('/a')}; 1 URL only there, as {at('/c')}"),
    ("ENV-07", "the build ships one that cannot be read", {"shipped": ShippedSitemap("dist/s.xml", present=True, unread="it breaks off")}, [page("/a")], E, "the build ships a sitemap that cannot be read: it breaks off"),
    ("ENV-08", "no preview that search engines may index", {}, [page("/a")], None, ""),
    ("ENV-08", "a public preview without noindex", {"exposed": "https://pr-7--x.netlify.app/"}, [page("/a")], W, "search engines may index this preview"),
    ("HOST-01", "a host is named, or nothing is stated", KNOWN, PLAIN, None, ""),
    ("HOST-01", "the addresses of a plain server", stated({"links": {"/x.html": 9, "/x": 1}}), PLAIN, None, ""),
    ("HOST-01", "other ones", stated({"links": {"/x": 9, "/x.html": 1}, "canonicals": {"/x": 1}}), PLAIN, NOTE, "certain hosts: x.html is /x in 9 links, 1 canonical; /x.html in 1 link; source.host: azure-swa, cloudflare-pages, cloudflare-workers, netlify for /x; firebase, generic, nginx, s3-website, vercel for /x.html; github-pages, netlify-plain, nginx-clean, render for the one that most have"),
    ("HOST-01", "no agreement", stated({"links": {"/x": 8, "/x.html": 1}}), PLAIN, W, "the site does not agree on its addresses: x.html is /x in 8 links; /x.html in 1 link"),
    ("HOST-01", "most links of each kind are plain", stated({"links": {"/x": 1, "/x.html": 2}, "canonicals": {"/x.html": 1}}), PLAIN, None, ""),
    ("HOST-01", "of one kind only", stated({"links": {"/x": 3}, "canonicals": {"/x.html": 9}}), PLAIN, W, "does not agree"),
    ("HOST-01", "one or two of a kind do not count for themselves", stated({"links": {"/x": 2}, "canonicals": {"/x.html": 4}}), PLAIN, None, ""),
    ("HOST-01", "links to folders may lack the slash", stated({"links": {"/x": 3}, "canonicals": {"/x/": 4}}, "x/index.html"), PLAIN, None, ""),
    ("HOST-01", "two of them prove nothing", stated({"links": {"/x": 2}}, "x/index.html"), PLAIN, None, ""),
    ("HOST-01", "three do", stated({"links": {"/x": 3}}, "x/index.html"), PLAIN, NOTE, "x/index.html is /x in 3 links"),
    ("HOST-01", "an index by its name", stated({"links": {"/x/index.html": 3}}, "x/index.html"), PLAIN, None, ""),
    ("HOST-01", "and in the sitemap", stated({"entries of sitemaps": {"/x/index.html": 3}}, "x/index.html"), PLAIN, None, ""),
    ("HOST-03", "one of them", KNOWN, BOTH, None, ""),
    ("HOST-03", "a stub for the folder", DOUBLED, [refresh("/a.html", "/a/")._replace(path="a.html"), BOTH[1]], None, ""),
    ("HOST-03", "both", DOUBLED, BOTH, W, "a file and a folder of the same name are both pages: a.html and a/index.html"),
    ("HOST-03", "one hides the other", {"hosting": Hosting(doubled=("a.html",), hidden=frozenset({"a.html"}))}, [page("/a")._replace(path="a.html")], W, "a.html and a/index.html"),
    ("HOST-09", "a host with a 404", KNOWN, [page("/a")], None, ""),
    ("HOST-09", "a host without one for some paths", {"hosting": Hosting(partial=(("/app/*", "_redirects line 1"),))}, [page("/a")], NOTE, "the host answers some paths that do not exist with 200: /app/*, by _redirects line 1"),
    ("HOST-09", "a host without", {"hosting": Hosting(fallback="_redirects line 1")}, [page("/a")], W, "the host answers every path that does not exist with 200: _redirects line 1"),
    ("RT-01", "a rule that is served", rules(RuleFate.SERVED), [page("/a")], None, ""),
    ("RT-01", "code may answer", rules(RuleFate.UNKNOWN, "code may answer /api/x"), [page("/a")], None, ""),
    ("RT-01", "a dead end", rules(RuleFate.DEAD_END, "leads to /gone, which answers 404"), [page("/a")], W, "a redirect rule leads to nothing: /old leads to /gone, which answers 404"),
    ("RT-02", "a chain", rules(RuleFate.CHAIN, "takes 2 redirects to /a"), [page("/a")], None, ""),
    ("RT-02", "a loop", rules(RuleFate.LOOP, "comes back, by /b"), [page("/a")], W, "a redirect rule leads back to itself: /old comes back, by /b"),
    ("RT-03", "a dead end", rules(RuleFate.DEAD_END, "leads to /gone"), [page("/a")], None, ""),
    ("RT-03", "a chain", rules(RuleFate.CHAIN, "takes 2 redirects to /a"), [page("/a")], NOTE, "a redirect rule needs more than one redirect to arrive: /old takes 2 redirects to /a"),
    ("RT-04", "a rule that is served", rules(RuleFate.SERVED), [page("/a")], None, ""),
    ("RT-04", "never served", rules(RuleFate.UNSERVED, "a.html is served in its place"), [page("/a")], W, "the host never serves a redirect rule: a.html is served in its place"),
    ("RT-04", "never served, and a lost page needs another", {**rules(RuleFate.UNSERVED, "x", "/b"), "listed": ("/old",)}, [page("/a"), gone("/old")], W, "the host never serves a redirect rule: x"),
    ("RT-04", "needed", {**rules(RuleFate.UNSERVED, "the host takes 100"), "listed": ("/old",)}, [page("/a"), gone("/old")], E, "the host never serves a redirect rule that a published URL needs: the host takes 100"),
    ("HTML-46", "404", {}, [page("/a")], None, ""),
    ("SM-69", "no workflow does", {}, [page("/a")], None, ""),
    ("SM-69", "a workflow does", {"pings": ((Place(".github/workflows/a.yml", 7), "bing"),)}, [page("/a")], NOTE, "is pinged at an address that is gone: bing"),
    ("HTML-46", "V-07 a fallback", {"fallback": at("/x")}, [page("/a")], W, "a URL that does not exist answers 200"),
    ("HTML-71", "another text", {"repeated": frozenset({"g Error"})}, [STUB], None, ""),
    ("HTML-71", "V-21 one of many", {"repeated": frozenset({"f Error"})}, [STUB], W, "pages answer 200 with one error page or one short text: Error"),
    *HEADS,
]  # fmt: skip


MOVED = redirect("/a", "/b")
RULED = [
    # rule, id, pages, listed paths, severity, message
    ("HOST-10", "not a listed URL", [MOVED._replace(evidence="_redirects line 1"), page("/b")], ("/b",), None, ""),
    ("HOST-10", "the server's own redirect", [MOVED, page("/b")], ("/a",), None, ""),
    ("HOST-10", "a page with a header", [page("/a", evidence="_headers line 1")], ("/a",), None, ""),
    ("HOST-10", "a redirect source", [MOVED._replace(evidence="_redirects line 1"), page("/b")], ("/a",), E, f"a listed URL is not served, by a rule of the host: redirects to {at('/b')} (_redirects line 1)"),
    ("HOST-10", "gone by a rule", [gone("/a")._replace(evidence="_redirects line 2")], ("/a",), E, "(_redirects line 2)"),
]  # fmt: skip


SOLD = ExpectedRemoval(url="/sold", reason="sold", until=NOW.date())
EXPIRED = replace(SOLD, until=NOW.date().replace(year=2020))
REMOVALS = [
    ("DIFF-09", "two to the home page", to_home(2), (), None, ""),
    ("DIFF-09", "three to their successor", to_home(3, "/new-and-old"), (), None, ""),
    ("DIFF-09", "two to any page", to_home(2, "/new"), (), None, ""),
    ("DIFF-09", "three to a page that has nothing to do with them", to_home(3, "/new"), (), E, f"no word in common with any of them: 3 pages, such as {at('/old/0')}"),
    ("DIFF-10", "one hop", to_home(1, "/new"), (), None, ""),
    ("DIFF-10", "five hops", [page("/hop4"), redirect("/a", "/hop0"), *(redirect(f"/hop{n}", f"/hop{n + 1}") for n in range(4))], (), W, f"5 hops to {at('/hop4')}"),
    ("DIFF-10", "six hops (HTML-43)", [page("/hop5"), redirect("/a", "/hop0"), *(redirect(f"/hop{n}", f"/hop{n + 1}") for n in range(5))], (), E, f"in more hops than search engines follow at once: 6 hops to {at('/hop5')}"),
    ("DIFF-10", "two hops", [page("/b"), redirect("/a", "/a2"), redirect("/a2", "/b")], (), W, f"in several hops: 2 hops to {at('/b')}"),
    ("DIFF-09", "three to the home page: their class is moved-home (V-22)", to_home(3, status=301), (), None, ""),
    ("DIFF-09", "three to the home page, temporarily", to_home(3), (), E, "removed pages redirect temporarily to the home page, which replaces none of them: 3 pages"),
    ("DIFF-42", "announced and gone", [gone("/sold")], (SOLD,), None, ""),
    ("DIFF-42", "announced and still there", [page("/sold")], (SOLD,), W, "no removal matches the announcement: /sold"),
    ("DIFF-42", "announced until last year", [gone("/sold")], (EXPIRED,), W, "the announcement of a removal has expired: /sold"),
]  # fmt: skip


TWO_PAGES = [page("/a"), page("/b")]
FLIPS = [
    # rule, id, pages, paths of the baseline, severity, message
    ("DIFF-11", "as before", TWO_PAGES, ("/a", "/b"), None, ""),
    ("DIFF-11", "one page is no group", [*TWO_PAGES, redirect("/a.html", "/a")], ("/a.html", "/b"), None, ""),
    ("DIFF-11", "all redirected", [*TWO_PAGES, redirect("/a.html", "/a"), redirect("/b.html", "/b")], ("/a.html", "/b.html"), NOTE, "every old URL reaches the new one: .html dropped: all 2 URLs, as in"),
    ("DIFF-11", "half of them", [*TWO_PAGES, redirect("/a.html", "/a"), gone("/b.html")], ("/a.html", "/b.html", "/c"), W, f"1 of 2 (50%) reaches the new URL; these do not: {at('/b.html')} (gone)"),
]  # fmt: skip


REDIRECT_REQUIRED = [
    # rule, id, pages, fail-on, writing, severity, message
    ("POL-02", "nothing removed", [page("/a")], (), False, None, ""),
    ("POL-02", "redirected to a listed page", [redirect("/a", "/b"), page("/b")], (), False, None, ""),
    ("POL-02", "410", [gone("/a", 410)], (), False, None, ""),
    ("POL-02", "still alive", [noindex("/a")], (), False, None, ""),
    ("POL-02", "announced", [gone("/sold")], (), False, None, ""),
    ("POL-02", "the row fails already", [gone("/a")], ("lost",), False, None, ""),
    ("POL-02", "the row of its class does", [gone("/a")], ("gone",), False, None, ""),
    ("POL-02", "404", [gone("/a")], (), False, E, "does not answer 410: gone, answers 404"),
    ("POL-02", "for a while only", [redirect("/a", "/b", 302), page("/b")], (), False, E, "moved-temporary, redirects temporarily to"),
    ("POL-02", "to another site", [redirect("/a", "https://other.example/")], (), False, E, "moved-offsite, redirects to https://other.example/"),
    ("POL-02", "to a page that is gone", [redirect("/a", "/b"), gone("/b")], (), False, E, f"redirect-broken, redirects to {at('/b')}, which is gone: answers 404"),
    ("POL-02", "404, and written", [gone("/a")], ("invalid",), True, W, "does not answer 410: gone"),
]  # fmt: skip


BLOG = [page("/blog/1"), page("/blog/2"), page("/a")]
ANY_AGENT = "User-agent: *\n"
CHANGES = [
    # rule, id, robots.txt of the baseline, of the change, severity, message
    ("RB-35", "the same", ANY_AGENT, ANY_AGENT, None, ""),
    ("RB-35", "a comment", ANY_AGENT, f"# hello\n{ANY_AGENT}", None, ""),
    ("RB-35", "a rule that matches no listed page", ANY_AGENT, f"{ANY_AGENT}Disallow: /c\n", None, ""),
    ("RB-35", "the same verdicts by another rule", f"{ANY_AGENT}Disallow: /b\n", f"{ANY_AGENT}Disallow: /blog/\n", None, ""),
    ("RB-35", "/b hits /blog/", ANY_AGENT, f"{ANY_AGENT}Disallow: /b\n", E, f"Disallow: /b blocks Googlebot and Bingbot from 2 pages, such as {at('/blog/1')}"),
    ("RB-35", "for one crawler", "", "User-agent: Bingbot\nDisallow: /a\n", E, f"Disallow: /a blocks Bingbot from {at('/a')}"),
    ("RB-35", "no longer blocked", f"{ANY_AGENT}Disallow: /a\n", ANY_AGENT, NOTE, f"Disallow: /a, line 2 before, blocked Googlebot and Bingbot from {at('/a')}"),
    ("RB-35", "the file is gone", f"{ANY_AGENT}Disallow: /a\n", "", NOTE, "line 2 before"),
]  # fmt: skip


POLICY: list[tuple[str, tuple[PolicyChange, ...], Severity | None, str]] = [
    ("POL-01", (), None, ""),
    ("POL-01", (PolicyChange("policy.max-removed", "20%", "none"),), W, "it is judged by: policy.max-removed"),
]


MOVES = [page("/a"), redirect("/b", "/a"), redirect("/c", "/b"), redirect("/t", "/a", 302), redirect("/x", "/d"), gone("/d"), gone("/e", 410)]  # fmt: skip
LEDGERS = [
    # rule, lines of the ledger, writing, severity, message
    ("LED-01", "/a /b /c /e", False, None, ""),
    ("LED-01", "/d%20gone%202026-11-24%20x", False, None, ""),
    ("LED-01", "/d", False, E, "an address that was published is dead: gone, answers 404"),
    ("LED-01", "/x", False, E, f"is dead: redirect-broken, redirects to {at('/d')}, which is gone"),
    ("LED-01", "/t", False, E, "is dead: moved-temporary, redirects temporarily"),
    ("LED-01", "/d", True, W, "an address that was published is dead"),
    ("LED-02", "/b", False, None, ""),
    ("LED-02", "/c", False, NOTE, f"several redirects: 2 hops to {at('/a')}"),
    ("LED-03", "/a /a", False, None, ""),
    ("LED-03", "a", False, E, "a line of the ledger is wrong: it is no root-relative address such as /old/: a"),
    ("LED-03", "a", True, W, "a line of the ledger is wrong"),
    ("LED-04", "/d%20gone%202026-11-24%20x", False, None, ""),
    ("LED-04", "/a%20gone%202026-11-24%20x", False, W, "an address that is declared gone is a listed page again"),
]  # fmt: skip


OUTLIVED: list[tuple[str, tuple[AcceptedLine, ...], Severity | None, str]] = [
    ("POL-04", (), None, ""),
    (
        "POL-04",
        (AcceptedLine("gone", at("/old"), NOW.date(), "old", 3),),
        NOTE,
        "an accepted row no longer occurs: gone",
    ),
    (
        "POL-04",
        (AcceptedLine("SM-69", ".", NOW.date(), "of a rule that was checked", 3),),
        NOTE,
        "no longer occurs: SM-69",
    ),
    ("POL-04", (AcceptedLine("DIFF-31", ".", NOW.date(), "of a rule that was not", 3),), None, ""),
]


SETTINGS: list[tuple[str, str, Severity | None, str]] = [
    ("POL-03", "2026-11-20", None, ""),
    ("POL-03", "2026-11-19", W, "has passed, and the rule holds again: checks.SM-29, until 2026-11-19"),
]


MISSING = BrokenSitemap(at("/2.xml"), at("/i.xml"), 4, "answered 404")
MOVED = BrokenSitemap(at("/s.xml"), at("/robots.txt"), 2, f"it redirects to {at('/t.xml')}", declared=True)
DISALLOWED = BrokenSitemap(
    at("/s.xml"), at("/robots.txt"), 2, f"{at('/robots.txt')}:2 disallows it", declared=True, disallowed=True
)
OTHERWISE = BrokenSitemap(at("/s.xml"), at("/robots.txt"), 2, "its media type is text/html", served=True)
BROKEN: list[tuple[str, tuple[BrokenSitemap, ...], Severity | None, str]] = [
    ("SM-11", (), None, ""),
    ("SM-11", (MISSING, MOVED), None, ""),
    ("SM-11", (OTHERWISE,), W, "is not served as one at its own address: its media type is text/html"),
    ("SM-63", (OTHERWISE,), None, ""),
    ("SM-63", (), None, ""),
    ("SM-63", (MISSING, MOVED), E, "does not serve a sitemap: answered 404"),
    ("RB-31", (MISSING, MOVED), None, ""),
    ("RB-31", (DISALLOWED,), E, f"disallows a sitemap of the site: {at('/robots.txt')}:2 disallows it"),
    ("RB-32", (MISSING, DISALLOWED), None, ""),
    ("RB-32", (MOVED, MISSING), E, f"does not serve a sitemap: it redirects to {at('/t.xml')}"),
]


ADDRESSES = [
    # rule, id, robots.txt, site-url, whether it is given as a flag or an input, severity, message
    ("ENV-06", "public", "Sitemap: https://www.example.com/s.xml\n", HOME, False, None, ""),
    ("ENV-06", "a line of robots.txt", "Sitemap: http://127.0.0.1:8000/s.xml\n", HOME, False, E, "a Sitemap line of robots.txt names a private host"),
    ("ENV-06", "of the config or a sitemap", "", "http://localhost:8000/", False, E, "site-url is an IP address, or on no public network"),
    ("ENV-06", "for a trial", "", "http://localhost:8000/", True, W, "for a trial here"),
    ("ENV-06", "a name for networks at home", "", "https://nas.local/", True, W, "for a trial"),
]  # fmt: skip


DE, EN = Alternate("de", at("/de/")), Alternate("en", at("/en/"))
BOTH_VERSIONS = page("/en/", alternates=(DE, EN))
TWO_TEXTS = (DE, Alternate("en", at("/en")))
VERSIONS = [
    # rule, id, pages, committed entries, severity, message
    ("HL-08", "pages that name each other", [BOTH_VERSIONS, page("/de/", alternates=(DE, EN))], (), None, ""),
    ("HL-08", "of another site", [page("/en/", alternates=(EN, Alternate("de", "https://example.de/")))], (), None, ""),
    ("HL-08", "not fetched", [BOTH_VERSIONS], (), None, ""),
    ("HL-08", "without an answer", [BOTH_VERSIONS, undetermined("/de/")], (), None, ""),
    ("HL-08", "an x-default that leads visitors to their language", [page("/en/", alternates=(EN, Alternate("x-default", HOME))), redirect("/", "/en/", 302)], (), None, ""),
    ("HL-08", "another spelling of the same file", [BOTH_VERSIONS, twin("/de/", "/de/index.html"), page("/de/index.html")], (), None, ""),
    ("HL-08", "of a page that is not listed", [page("/en/", alternates=(EN, DE), directives=noindex("/a").facts.head.directives), gone("/de/")], (), None, ""),
    ("HL-08", "a redirect", [BOTH_VERSIONS, redirect("/de/", "/de"), page("/de")], (), E, f"a language version redirects: de is {HOME}de/ (moved: redirects to {HOME}de)"),
    ("HL-08", "a language that is the default too", [page("/en/", alternates=(Alternate("x-default", at("/de/")), DE)), redirect("/de/", "/de"), page("/de")], (), E, "de is"),
    ("HL-08", "an x-default that is gone", [page("/en/", alternates=(EN, Alternate("x-default", HOME))), gone("/")._replace(found_on=at("/en/"))], (), E, f"x-default is {HOME} (gone: answers 404)"),
    ("HL-08", "gone, and two pages name it", [BOTH_VERSIONS, page("/fr/", alternates=(DE,)), gone("/de/")._replace(found_on=at("/en/"))], (), E, f"a language version is no page: de is {HOME}de/ (gone: answers 404); 2 pages name it"),
    ("HL-08", "noindex", [BOTH_VERSIONS, noindex("/de/")], (), E, "a language version is not indexable: de is"),
    ("HL-08", "blocked", [page("/en/", alternates=(Alternate("de", at("/admin/")),)), page("/admin/")], (), E, "blocks Googlebot"),
    ("HL-08", "a page that names another canonical", [BOTH_VERSIONS, canonical("/de/", "/en/")], (), E, f"(deindexed: names {HOME}en/ as its canonical)"),
    ("HL-08", "in the sitemap alone", [page("/en/"), gone("/de/")], (Entry(at("/en/"), alternates=(DE, EN)), Entry(at("/de/"))), E, "a language version is no page"),
    ("HL-09", "the page alone", [BOTH_VERSIONS], ("/en/",), None, ""),
    ("HL-09", "the sitemap alone", [page("/en/")], (Entry(at("/en/"), alternates=(DE, EN)),), None, ""),
    ("HL-09", "the same in all three", [page("/en/", alternates=(EN, DE, DE, EN), header_alternates=2)], (Entry(at("/en/"), alternates=(Alternate("DE", "https://WWW.example.com/de/"), EN)),), None, ""),
    ("HL-09", "an x-default in one of them", [page("/en/", alternates=(EN, DE, Alternate("x-default", HOME)))], (Entry(at("/en/"), alternates=(DE, EN)),), None, ""),
    ("HL-09", "page and sitemap", [page("/en/", alternates=TWO_TEXTS)], (Entry(at("/en/"), alternates=(DE, EN)),), W, f"contradict each other: en is {HOME}en on the page and {HOME}en/ in the sitemap"),
    ("HL-09", "page and Link header", [page("/en/", alternates=(EN, *TWO_TEXTS), header_alternates=1)], (), W, f"en is {HOME}en/ in the Link header and {HOME}en on the page"),
    ("HL-09", "a version in one of them", [page("/en/", alternates=(EN,))], (Entry(at("/en/"), alternates=(DE, EN)),), W, "lacks what another has: de is in the sitemap, not on the page"),
]  # fmt: skip


def dated(lastmod: str, path: str = "/a") -> Entry:
    return Entry(at(path), lastmod)


def states(value: str, source: str = "dateModified", path: str = "/a", **more: object) -> Page:
    return page(path, dates=(PageDate(source, value),), **more)


OLD, NEW, MARCH = "2023-05-01", "2026-11-01", "2026-03-01"
SEEN = Content("f", MARCH, "2026-11-10")
SAME, OTHER = page("/a", fingerprint="f"), page("/a", fingerprint="g")
STAMPED = [states("2026-11-19", path=f"/{number}") for number in range(3)]
DATES = [
    # rule, id, page, lastmod of the baseline, lastmod, what the state has, severity, message
    ("DIFF-30", "the same", page("/a"), MARCH, MARCH, None, None, ""),
    ("DIFF-30", "forward", page("/a"), OLD, MARCH, None, None, ""),
    ("DIFF-30", "the same day without its time", page("/a"), "2026-03-01T10:00:00Z", MARCH, None, None, ""),
    ("DIFF-30", "the same instant in another zone", page("/a"), "2026-03-01T01:00:00Z", "2026-02-28T23:00:00-02:00", None, None, ""),
    ("DIFF-30", "a new entry", page("/a"), "", OLD, None, None, ""),
    ("DIFF-30", "reverted: the page states that date", states(OLD), MARCH, OLD, None, None, ""),
    ("DIFF-30", "reverted: the state has another text", OTHER, MARCH, OLD, SEEN, None, ""),
    ("DIFF-30", "no date", page("/a"), "soon", OLD, None, None, ""),
    ("DIFF-30", "backwards", page("/a"), MARCH, OLD, None, W, f"lastmod is older than before: {MARCH}, now {OLD}"),
    ("DIFF-30", "by an hour", page("/a"), "2026-03-01T10:00:00Z", "2026-03-01T09:00:00Z", None, W, "older than before"),
    ("DIFF-30", "backwards with the same text", SAME, MARCH, OLD, SEEN, W, "older than before"),
    ("DIFF-31", "nothing new", SAME, "", MARCH, SEEN, None, ""),
    ("DIFF-31", "a new text and date", OTHER, "", NEW, SEEN, None, ""),
    ("DIFF-31", "the first date", SAME, "", NEW, Content("f", "", "2026-11-10"), None, ""),
    ("DIFF-31", "a page whose content is not known", page("/a"), "", NEW, SEEN, None, ""),
    ("DIFF-31", "a date alone", SAME, "", NEW, SEEN, W, f"the content of the page is the same: {MARCH}, now {NEW}"),
    ("DIFF-32", "nothing new", SAME, "", MARCH, SEEN, None, ""),
    ("DIFF-32", "a new text and date", OTHER, "", NEW, SEEN, None, ""),
    ("DIFF-32", "a second edit of one day", OTHER, "", "2026-11-10", Content("f", "2026-11-10", "2026-11-10"), None, ""),
    ("DIFF-32", "a text alone", OTHER, "", MARCH, SEEN, W, f"lastmod is older than that: {MARCH}; it changed after 2026-11-10"),
    ("DIFF-33", "no date of its own", page("/a"), "", MARCH, None, None, ""),
    ("DIFF-33", "the same day", states("2026-03-01T23:00:00+02:00"), "", MARCH, None, None, ""),
    ("DIFF-33", "the day after", states("2026-03-02"), "", MARCH, None, None, ""),
    ("DIFF-33", "no dates", states("last week"), "", MARCH, None, None, ""),
    ("DIFF-33", "a date of something on the page", states(NEW, "time"), "", MARCH, None, None, ""),
    ("DIFF-33", "a header alone, which may be that of a deployment", states("Thu, 19 Nov 2026 10:00:00 GMT", "last-modified"), "", MARCH, None, None, ""),
    ("DIFF-33", "the header has the newer date", page("/a", dates=(PageDate("dateModified", OLD), PageDate("last-modified", "Sun, 01 Mar 2026 10:00:00 GMT"))), "", MARCH, None, None, ""),
    ("DIFF-33", "older than dateModified", states("2026-09-30"), "", MARCH, None, W, f"lastmod is older than the page's own date: {MARCH}, and the page states 2026-09-30"),
    ("DIFF-33", "older than article:modified_time", states("2026-09-30 10:00:00", "article:modified_time"), "", MARCH, None, W, "older than the page's own date"),
    ("DIFF-33", "newer than all", page("/a", dates=(PageDate("dateModified", OLD), PageDate("time", "2020-01-01"))), "", MARCH, None, W, f"lastmod is newer than every date of the page: {MARCH}, and the page states {OLD}"),
]  # fmt: skip


HIDDEN = noindex("/admin/a")
DISALLOWS_NOINDEX = [
    # rule, id, pages, options, severity, message
    ("RB-33", "noindex alone", [noindex("/a")], {}, None, ""),
    ("RB-33", "Disallow alone", [page("/admin/a")], {}, None, ""),
    ("RB-33", "the noindex of a preview host", [HIDDEN], {"host_directives": frozenset(HIDDEN.facts.head.directives)}, None, ""),
    ("RB-33", "select.noindex: ignore", [HIDDEN], {"noindex_counts": False}, None, ""),
    ("RB-33", "for a crawler that is not judged", [page("/admin/a", directives=(Directive("duckbot", "noindex", "", "meta"),))], {}, None, ""),
    ("RB-33", "both", [HIDDEN], {}, W, 'never see it: <meta name="robots" content="noindex">; robots.txt line 2 blocks Googlebot: Disallow: /admin/'),
    ("RB-36", "nothing that is needed", [page("/a")], {}, None, ""),
    ("RB-36", "a script", [page("/a", blocked_resources=(at("/admin/a.js"),)), page("/b", blocked_resources=(at("/admin/a.js"),))], {}, W, f"line 2 blocks Googlebot from {at('/admin/a.js')}: Disallow: /admin/; 2 listed pages need it"),
    ("RB-36", "of a page that is not listed", [page("/admin/a", blocked_resources=(at("/admin/a.js"),))], {}, None, ""),
    ("RB-33", "a header", [page("/admin/a", directives=(Directive("bingbot", "none", "", "header"),))], {}, W, "X-Robots-Tag: bingbot: none"),
]  # fmt: skip


def with_images(*urls: str) -> tuple[Entry]:
    return (Entry(A, images=urls),)


CDN, OWN_IMAGE = "https://cdn.example.org/admin/p.jpg", at("/admin/p.jpg")
FOR_IMAGES = "User-agent: Googlebot-Image\nDisallow: /a\n"
IMAGES = [
    # rule, id, robots.txt, images of the entry, severity, message
    ("IMG-04", "no robots.txt", "", (OWN_IMAGE,), None, ""),
    ("IMG-04", "allowed", GOOD_ROBOTS, (at("/p.jpg"),), None, ""),
    ("IMG-04", "on another host", GOOD_ROBOTS, (CDN,), None, ""),
    ("IMG-04", "no URL", GOOD_ROBOTS, ("/admin/p.jpg",), None, ""),
    ("IMG-04", "blocked", GOOD_ROBOTS, (CDN, OWN_IMAGE), W, f"blocks an image that the sitemap names: line 2 blocks Googlebot from {OWN_IMAGE}: Disallow: /admin/"),
    ("IMG-04", "for the crawler of images", FOR_IMAGES, (OWN_IMAGE,), W, "line 2 blocks Googlebot-Image from"),
]  # fmt: skip


def versions(*codes: str) -> str:
    return " ".join(f'<xhtml:link href="{at("/a")}" hreflang="{code}" rel="alternate"/>' for code in codes)


LOST_VERSIONS = [
    # rule, id, alternates before, after, severity, message
    ("DIFF-14", "the same", versions("en", "de"), versions("de", "en"), None, ""),
    ("DIFF-14", "other spellings", versions("en_US", "DE"), versions("en-US", "de"), None, ""),
    ("DIFF-14", "one more", versions("en"), versions("de", "en"), None, ""),
    ("DIFF-14", "two fewer", versions("en", "fr", "de"), versions("en"), W, "some of its language versions: de, fr"),
    ("DIFF-14", "none any more", versions("en"), "", W, "no longer names some of its language versions: en"),
]  # fmt: skip


VERSIONS_OF_DOCS = SelectConfig(current_version="/stable/", old_versions=("/v*/",), draft_versions=("/dev/",))
TO_STABLE = canonical("/v1/a", "/stable/a")
OLD_VERSIONS = [
    # rule, id, pages, severity, message
    ("VER-01", "the current one", [page("/stable/a"), page("/vision")], None, ""),
    ("VER-01", "an old one", [page("/v1/a/b")], E, "the sitemap lists a page of an old or draft version: it is in /v*/"),
    ("VER-01", "its start page", [page("/v1/")], E, "it is in /v*/"),
    ("VER-01", "a draft", [page("/dev/a")], E, "it is in /dev/"),
    ("VER-02", "a canonical to the current page", [page("/stable/a"), TO_STABLE], None, ""),
    ("VER-02", "another spelling of the current page", [page("/stable/"), twin("/stable/index.html", "/stable/"), canonical("/v1/", "/stable/index.html")], None, ""),
    ("VER-02", "noindex", [page("/stable/a"), noindex("/v1/a")], None, ""),
    ("VER-02", "no page in the current version", [page("/stable/b"), page("/v1/a")], None, ""),
    ("VER-02", "a draft", [page("/stable/a"), page("/dev/a")], None, ""),
    ("VER-02", "a redirect", [page("/stable/a"), redirect("/v1/a", "/stable/a")], None, ""),
    ("VER-02", "another canonical", [page("/stable/a"), page("/stable/b"), canonical("/v1/a", "/stable/b")], W, at("/stable/a")),
    ("VER-02", "nothing", [page("/stable/a"), page("/v1/a")], W, f"a page of an old version is indexable beside the current page: {at('/stable/a')}"),
]  # fmt: skip


LLMS, GONE_MD = "site/llms.txt", at("/gone.md")
AGENT_FILES = [
    # rule, id, what leads nowhere, severity, message
    ("AGT-01", "nothing", (), None, ""),
    ("AGT-01", "a link", (DeadReference(GONE_MD, LLMS, 3, "answers 404"),), W, "a link of llms.txt leads to nothing: answers 404"),
    ("AGT-02", "nothing", (), None, ""),
    ("AGT-02", "a twin", (DeadReference(GONE_MD, A, 0, "answers 404", twin=True),), W, f"a page names a Markdown twin that is not there: {GONE_MD} answers 404"),
]  # fmt: skip


def run_pass(
    *known: KnownUrl, diff: Diff | None = None, site_url: str = HOME, robots: str = "", **options: object
) -> tuple[list[Finding], list[str]]:
    """Findings, and rules that are not checked, of listed pages and a difference as they are given."""
    rules = parse(robots.encode(), Profile.GOOGLE) if robots else None
    site_pass = SitePass(site_options(site_url, rules, (), **options))
    for one in known:
        site_pass.on_url(one, Listed(one.page, one.committed))
    findings = list(site_pass.findings(diff or Diff()))
    return findings, [one.rule for one in site_pass.not_checked()]


def removed_during_grace(path: str) -> list[Finding]:
    row = Removed(at(path), Reason.GONE, "answers 404", grace="2026-12-01")
    return run_pass(diff=Diff(removed=(row,)), redirect_required=True)[0]


def known(one: Page, lastmod: str, before: str = "", seen: Content | None = None) -> KnownUrl:
    return KnownUrl(one, dated(lastmod), dated(before) if before else None, seen)


def _removals(row: Any) -> list[Finding]:
    listed = tuple(one.url for one in row[2] if one.url != at("/a2") and "/hop" not in one.url)
    return check(row[2], GOOD_ROBOTS, listed, row[3])


def _redirect_required(row: Any) -> list[Finding]:
    options = {"fail_on": frozenset(row[3]), "writing": row[4]}
    assert found(check(row[2], "", (row[2][0].url,), (SOLD,), **options), row[0]) == []
    return check(row[2], "", (row[2][0].url,), (SOLD,), redirect_required=True, **options)


def _robots_change(row: Any) -> list[Finding]:
    listed = tuple(one.url for one in BLOG)
    assert found(check(BLOG, row[3], listed), row[0]) == []
    return check(BLOG, row[3], listed, base_robots=parse(row[2].encode(), Profile.GOOGLE))


def _settings(row: Any) -> list[Finding]:
    setting = RuleSetting(severity=Severity.OFF, paths=("/old/**",), until=date.fromisoformat(row[1]))
    return check(ONE, corners=Corners({"SM-29": setting}, NOW.date()))


def _outlived(row: Any) -> list[Finding]:
    dates = known(page("/a"), MARCH)  # which DIFF-31 could not compare
    return run_pass(dates, diff=Diff(acknowledged=Acknowledged(outlived=row[1])))[0]


def _lost_versions(row: Any) -> list[Finding]:
    change = Changed(A, (("lastmod", "", "2026-01-01"), ("alternates", row[2], row[3])))
    return run_pass(diff=Diff(changed=(change,)))[0]


def _dates(row: Any) -> list[Finding]:
    one, before, now, seen = row[2:6]
    findings, not_checked = run_pass(known(one, now, before, seen), remembers=True)
    assert not_checked == []
    return findings


STATED: list[tuple[str, StatedBase, Severity | None, str]] = [
    ("URL-35", StatedBase(), None, ""),
    ("URL-35", StatedBase("https://x.io/", 9, 9, (("canonicals", 9),)), E, "another base than site-url: 9 canonicals"),
]


ANOTHER_HEAD = page(
    "/a",
    rendering=Rendering(
        Head("A page"),
        Head("Another", noindex("/").facts.head.directives, (named(A),), (Alternate("de", at("/de")),)),
    ),
)
ONE = [page("/a")]


def _witness(row: Any) -> list[Finding]:
    seen = {"hosting": RULES, "witness": row[2], "found_robots": BUILT_ROBOTS.encode()}
    return check(BUILD, BUILT_ROBOTS, ("/a", "/b"), **seen)


TABLES: tuple[tuple[Sequence[Any], Callable[[Any], list[Finding]]], ...] = (
    (WITNESS, _witness),
    (PAGES, lambda row: check(row[2], GOOD_ROBOTS)),
    (ROBOTS, lambda row: check(ONE, row[2])),
    (REMOVALS, _removals),
    (FLIPS, lambda row: check(row[2], GOOD_ROBOTS, row[3])),
    (REDIRECT_REQUIRED, _redirect_required),
    (CHANGES, _robots_change),
    (POLICY, lambda row: check(ONE, policy=row[1])),
    (STATED, lambda row: check(ONE, stated=row[1])),
    (SETTINGS, _settings),
    (OUTLIVED, _outlived),
    (LEDGERS, lambda row: check(MOVES, ledger=row[1].replace(" ", "\n").replace("%20", " "), writing=row[2])),
    (BROKEN, lambda row: check(ONE, GOOD_ROBOTS, index=True, broken=row[1])),
    (GIVEN, lambda row: check(row[3], **row[2])),
    (RULED, lambda row: check(row[2], listed=row[3])),
    (ADDRESSES, lambda row: run_pass(site_url=row[3], robots=row[2], site_url_given=row[4])[0]),
    (OLD_VERSIONS, lambda row: check(row[2], GOOD_ROBOTS, select=VERSIONS_OF_DOCS)),
    (AGENT_FILES, lambda row: check(ONE, GOOD_ROBOTS, dead_references=row[2])),
    (LOST_VERSIONS, _lost_versions),
    (VERSIONS, lambda row: check(row[2], GOOD_ROBOTS, row[3])),
    (DATES, _dates),
    (IMAGES, lambda row: check(ONE, row[2], with_images(*row[3]))),
    (DISALLOWS_NOINDEX, lambda row: check(row[2], GOOD_ROBOTS, **row[3])),
)
"""Each table with how a row runs."""
