"""What a host answers: for the files of a build (HOST-01…10), by its redirect rules (RT-01…04), and for error pages."""

from sitemap_action.checks.base import CRAWLING, DESIGN, ERROR, INFO, WARNING, SiteCheck, site_rule
from sitemap_action.hosts.all import hosts_listing
from sitemap_action.html.soft404 import is_empty, stub_key
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import Absent, KnownUrl, Listed, Verdict
from sitemap_action.model.source import RedirectRule, RuleFate, StatedSpelling

_STATIC = "how static hosts serve files, https://github.com/slorber/trailing-slash-guide"
_RULES = (
    site_rule(
        "HOST-01",
        {
            "host-unknown": (INFO, "the host is not known, and the pages have the addresses of certain hosts"),
            "host-disputed": (WARNING, "the host is not known, and the site does not agree on its addresses"),
        },
        summary="The static host of a build is known where its pages have other addresses than on a plain web server.",
        source=DESIGN,
        passes="source.host: netlify, and canonicals or links such as /about for about.html",
        fails="no host is named or found, and links, canonicals or sitemap have /about for about.html",
        tip="Name the host in source.host: it decides which addresses these pages have, and which ones redirect.",
    ),
    site_rule(
        "HOST-03",
        {"file-and-folder": (WARNING, "a file and a folder of the same name are both pages")},
        summary="A build has either x.html or x/index.html.",
        source=_STATIC,
        passes="blog/index.html alone",
        fails="blog.html and blog/index.html",
        tip="Hosts disagree which of them answers /x: keep one.",
    ),
    site_rule(
        "HOST-09",
        {
            "every-path": (WARNING, "the host answers every path that does not exist with 200"),
            "some-paths": (INFO, "the host answers some paths that do not exist with 200"),
        },
        summary="The host answers 404 for a path that does not exist.",
        source="soft 404, https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
        passes="a 404.html in the build",
        fails="/* /index.html 200",
        tip="Add a 404.html, or limit the rule to the paths of the application: as it is, no removed page looks gone.",
    ),
    site_rule(
        "HOST-10",
        {"rule-decides": (ERROR, "a listed URL is not served, by a rule of the host")},
        summary="No rule of the host redirects or removes a listed URL; one that has no file is a row (gone).",
        source=DESIGN,
        passes="/new listed, and /old /new in _redirects",
        fails="/old listed, and /old /new in _redirects",
        tip="List the URL that answers 200, or remove the rule.",
    ),
)


class HostingCheck(SiteCheck):
    rules = _RULES

    def on_start(self) -> None:
        self._pairs = {path for file in self.options.found.hosting.doubled for path in (file, _folder(file))}
        self._listed: set[str] = set()  # files of these

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        page = known.page
        ruled = page.evidence and not page.reason and page.kind in {PageKind.REDIRECT, PageKind.GONE}
        asked = isinstance(verdict, Listed) and verdict.spelling is not None  # URL-21
        if ruled and known.committed is not None and not asked:
            self.report.add("rule-decides", page.url, cause=verdict.detail if isinstance(verdict, Absent) else "")
        if page.path in self._pairs and isinstance(verdict, Listed):
            self._listed.add(page.path)

    def on_end(self, _diff: Diff, /) -> None:
        hosting = self.options.found.hosting
        for file in hosting.doubled:
            if file in hosting.hidden or self._listed >= {file, _folder(file)}:  # a redirect stub is no page
                self.report.add("file-and-folder", detail=f"{file} and {_folder(file)}", path=file)
        if hosting.fallback:
            self.report.add("every-path", detail=hosting.fallback)
        for paths, evidence in hosting.partial:
            self.report.add("some-paths", detail=f"{paths}, by {evidence}")
        for one in hosting.stated:
            known = {one.plain, one.asked or one.plain}  # on a plain server, or by the config
            if one.agreed not in known and not one.agreed.endswith(".html"):
                self.report.add("host-unknown" if one.agreed else "host-disputed", detail=_describe_stated(one))


def _describe_stated(one: StatedSpelling) -> str:
    """What the site states, and the values of source.host under which the pages are listed so."""
    listing = {form: set(hosts_listing(one.file, form)) for forms in one.counts.values() for form in forms}
    either = set.intersection(*listing.values()) if len(listing) > 1 else set()
    names = [(sorted(hosts - either), f"for {form}") for form, hosts in sorted(listing.items())]
    names.append((sorted(either), "for the one that most have"))
    hosts = "; ".join(f"{', '.join(values)} {what}" for values, what in names if values)
    return f"{one.file} is {one.describe()}; source.host: {hosts}"


def _folder(file: str) -> str:
    return f"{file.removesuffix('.html')}/index.html"


_SIGNALS = 2  # one alone is no sign of an error page (HTML-45)

_ANSWER_RULES = (
    site_rule(
        "ENV-03",
        {"host-noindex": (WARNING, "directives on every page of the preview are treated as policy of its host")},
        summary="Directives that a preview host sends with every page do not count.",
        source=DESIGN,
        passes="noindex on /thanks/ alone counts, on the preview as in production",
        fails="X-Robots-Tag: noindex on every page of a preview",
        tip="Production must not have them. select.noindex: respect lets them count, ignore sets every noindex aside.",
    ),
    site_rule(
        "ENV-08",
        {"preview-indexable": (WARNING, "search engines may index this preview")},
        summary="Search engines cannot index a preview.",
        source=DESIGN,
        passes="X-Robots-Tag: noindex on every answer, or a login",
        fails="https://pr-7--x.netlify.app/ answers everyone, without noindex",
        tip="Let the preview host send X-Robots-Tag: noindex, or put it behind a login.",
    ),
    site_rule(
        "HTML-45",
        {
            "error-signals": (WARNING, "the page answers 200 and looks like an error page"),
            "empty": (WARNING, "the page is empty: it has no title, no text and no link"),
        },
        summary="A page that answers 200 is not empty, and does not look like an error page.",
        source=f"{CRAWLING}http-network-errors",
        passes='a page titled "Peugeot 404 Cabriolet"',
        fails='a page titled "Page not found", with few words',
        tip="If the page does not exist, answer 404; else give it a title and a text of its own.",
    ),
    site_rule(
        "HTML-46",
        {"no-404": (WARNING, "a URL that does not exist answers 200, so a missing page is only found by its document")},
        summary="A URL that does not exist answers 404.",
        source="Bar-Yossef et al., Sic transit gloria telae, WWW 2004",
        passes="a random path answers 404",
        fails="a random path answers 200 with index.html",
        tip="Let the host answer 404 for unknown URLs: add a 404.html, or remove the catch-all rewrite.",
    ),
    site_rule(
        "HTML-71",
        {"one-body": (WARNING, "pages answer 200 with one error page or one short text")},
        summary="Pages with few words do not all have one text.",
        source=DESIGN,
        passes="five stubs with different titles and texts",
        fails="every page of /blog/ answers 200 with the same error message",
        tip="If an application failed, repair it or let it answer 500; else give each page its own text.",
    ),
)


class HostAnswersCheck(SiteCheck):
    rules = _ANSWER_RULES

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        facts = known.page.facts
        if facts is None or not isinstance(verdict, Listed) or verdict.unverified:
            return
        if self.options.found.repeated and stub_key(facts) in self.options.found.repeated:
            self.report.add("one-body", known.page.url, detail=facts.head.title)
        elif len(facts.soft404) >= _SIGNALS:
            self.report.add("error-signals", known.page.url, cause=", ".join(facts.soft404))
        elif known.page.kind is PageKind.PAGE and is_empty(facts):
            self.report.add("empty", known.page.url)

    def on_end(self, _diff: Diff, /) -> None:
        if self.options.host.note:
            self.report.add("host-noindex", detail=self.options.host.note)
        if self.options.host.exposed:
            self.report.add("preview-indexable", self.options.host.exposed)
        if self.options.fallback:
            probes = [page.facts for page in self.options.found.probes if page.url == self.options.fallback]
            shell = next((facts.shell for facts in probes if facts is not None), None)
            self.report.add("no-404", self.options.fallback, detail=shell.sentence if shell is not None else "")


_CODES = {RuleFate.DEAD_END: "dead-end", RuleFate.LOOP: "loop", RuleFate.CHAIN: "chain"}

_REDIRECT_RULES = (
    site_rule(
        "RT-01",
        {"dead-end": (WARNING, "a redirect rule leads to nothing")},
        summary="A redirect rule leads to a URL that the site serves, through ten redirects at most.",
        source=f"{CRAWLING}http-network-errors",
        passes="/old /new/ 301, and the build has new/index.html",
        fails="/old /gone 301, and nothing is served at /gone",
        tip="Point the rule at a page that exists, or remove it, so that the old URL answers 404 at once.",
    ),
    site_rule(
        "RT-02",
        {"loop": (WARNING, "a redirect rule leads back to itself")},
        summary="The redirects of a rule do not come back to it.",
        source=f"{CRAWLING}http-network-errors",
        passes="/a /c, /b /c",
        fails="/a /b, /b /a",
        tip="Remove one of these rules: a browser shows an error, and a search engine drops the URL.",
    ),
    site_rule(
        "RT-03",
        {"chain": (INFO, "a redirect rule needs more than one redirect to arrive")},
        summary="A redirect rule leads to its page in one redirect.",
        source=f"{CRAWLING}site-move-with-url-changes",
        passes="/x /z/, /y /z/",
        fails="/x /y, /y /z/",
        tip="Point the rule at the last URL: every redirect on the way costs time and can break.",
    ),
    site_rule(
        "RT-04",
        {
            "rule-unserved": (WARNING, "the host never serves a redirect rule"),
            "rule-needed": (ERROR, "the host never serves a redirect rule that a published URL needs"),
        },
        summary="Every redirect rule is served: the host takes it, and no file or earlier rule comes before it.",
        source=f"{DESIGN}; limits of Cloudflare, https://developers.cloudflare.com/pages/configuration/redirects/",
        passes="2,000 rules without a placeholder, then 100 with one (Cloudflare)",
        fails="/a/* /b at line 2, and 950 rules below it (Cloudflare)",
        tip="Put rules without a placeholder above all others, and remove what a file or an earlier rule hides.",
    ),
)


class RedirectRulesCheck(SiteCheck):
    rules = _REDIRECT_RULES

    def on_start(self) -> None:
        self._hosting = self.options.found.hosting
        self._needed = self._hosting.needed
        self._needing: dict[str, str] = {}  # why a rule is never served → the first URL that needs such a rule

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        if self._needed and known.baseline is not None and isinstance(verdict, Absent):
            self._need(known.page.url)

    def _need(self, url: str) -> None:
        if url in self._needed:
            self._needing.setdefault(self._needed[url].detail, url)

    def on_end(self, diff: Diff, /) -> None:
        for row in diff.ledger.dead:
            self._need(row.url)
        unserved: dict[str, list[RedirectRule]] = {}
        unknown: list[RedirectRule] = []
        for rule in self._hosting.redirects:
            if code := _CODES.get(rule.fate):
                self.report.add(code, line=rule.place.line, detail=f"{rule.source} {rule.detail}", path=rule.place.path)
            elif rule.fate is RuleFate.UNSERVED:
                unserved.setdefault(rule.detail, []).append(rule)
            elif rule.fate is RuleFate.UNKNOWN:
                unknown.append(rule)
        for why, rules in unserved.items():
            code, first = "rule-needed" if why in self._needing else "rule-unserved", rules[0].place
            url, count = self._needing.get(why, ""), len(rules)
            self.report.add(code, url, first.line, path=first.path, cause=why, count=count)
        if unknown:
            needs = f"what answers on the way of {len(unknown):,} redirect rules"
            hint = f"{unknown[0].place}: {unknown[0].detail}"
            for name in ("RT-01", "RT-02", "RT-03"):
                self.report.add_not_checked(name, needs, hint)
