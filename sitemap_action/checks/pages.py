"""Pages that search engines read in another way than a browser shows them (HTML-06…72); links to no page (HTML-73).

The head of a page as served, and after its scripts: what differs between them (HTML-72). Pages of old versions of a
documentation: which of them search engines are to find (VER-01, VER-02).

Search engines read the head before scripts run, and again after them where they run them at all. Of a shell that
scripts fill, only what its served head states can contradict: its title is a placeholder.
"""

from collections.abc import Iterable

from sitemap_action.checks.base import CRAWLING, ERROR, INFO, WARNING, SiteCheck, site_rule
from sitemap_action.config.schema import RenderWhen
from sitemap_action.html import directives
from sitemap_action.html.directives import canonical_targets
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import Directive, Facts, Head, PageKind
from sitemap_action.model.site import Absent, KnownUrl, Listed, Reason, SpellingState, Verdict
from sitemap_action.web.urls import BadUrl, same_site

_CUTOFF = 2 * 1024 * 1024  # bytes of a document that Googlebot reads (HTML-49)

_RULES = (
    site_rule(
        "HTML-06",
        {"expiry-unreadable": (WARNING, "the date of unavailable_after is not valid")},
        summary="The date of unavailable_after is valid.",
        source=f"{CRAWLING}robots-meta-tag",
        passes="unavailable_after: 2027-01-31",
        fails="unavailable_after: soon",
        tip="Write a date such as 2026-10-01: an invalid one has no effect.",
    ),
    site_rule(
        "HTML-40",
        {"no-answer": (WARNING, "a page that is linked, and that no sitemap lists, gives no usable answer")},
        summary="Every page that is linked gives a usable answer.",
        source="HTTP status codes, https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
        passes="a linked page answers 200, or redirects to one that does",
        fails="a linked page that no sitemap lists answers 401, 403 or 500",
        tip="Correct the page or the links to it, or leave it out with select.exclude.",
    ),
    site_rule(
        "HTML-44",
        {"insecure-hop": (WARNING, "an https URL redirects to an http URL of the site")},
        summary="No https URL of the site redirects to an http URL of the site.",
        source=f"{CRAWLING}consolidate-duplicate-urls",
        passes="https://x.com/a to https://x.com/a/",
        fails="https://x.com/a to http://x.com/a/, which redirects to https://x.com/a/",
        tip="Write the target with https, or as a path alone. Behind a proxy, the application has to know that the "
        "visitor came by https (X-Forwarded-Proto).",
    ),
    site_rule(
        "HTML-47",
        {"script-redirect": (INFO, "an otherwise empty page redirects with a script")},
        summary="A redirect is one of the server, not of a script.",
        source=f"{CRAWLING}301-redirects",
        passes="301 to /b",
        fails="<script>location.href = '/b'</script> on an empty page",
        tip="Redirect on the server: the script is not run here, and not at once by search engines.",
    ),
    site_rule(
        "HTML-49",
        {"page-too-large": (WARNING, "the document is larger than search engines read")},
        summary="A document has at most 2 MiB.",
        source="Googlebot, https://developers.google.com/search/docs/crawling-indexing/googlebot",
        passes="400 KB",
        fails="3 MB with links at the end",
        tip="Move data and inline scripts into files of their own: search engines do not read past the first 2 MiB.",
    ),
    site_rule(
        "HTML-64",
        {"hash-routes": (WARNING, "links point to fragments that only a script can follow")},
        summary="Links point to URLs, not to fragments that a script turns into pages.",
        source=f"{CRAWLING}url-structure",
        passes='href="/products"',
        fails='href="#/products"',
        tip="Use real paths (the History API): search engines see all of these as one page.",
    ),
    site_rule(
        "HTML-68",
        {"orphan": (INFO, "no page links to this page")},
        summary="Every listed page is linked from another page.",
        source=f"{CRAWLING}links-crawlable",
        passes="linked from the home page",
        fails="listed, and no page links to it",
        tip="Link to it from a page of its section or from a menu, or take it out of the sitemap.",
    ),
    site_rule(
        "HTML-70",
        {"shell": (WARNING, "the page looks empty without scripts")},
        summary="A page has its content without running scripts.",
        source=f"{CRAWLING}javascript/javascript-seo-basics",
        passes="server-rendered or prerendered HTML",
        fails='<div id="root"></div> and nothing else',
        tip="Prerender the page: links and text that only a script creates are not read. Where it is complete "
        "as it is served, change render.detect (roots, words).",
    ),
)


class PagesCheck(SiteCheck):
    rules = _RULES

    def on_start(self) -> None:
        self._homes = {self.options.site_url}  # and where it redirects to, as far as that sorts behind it

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        page = known.page
        if page.url in self._homes:
            refresh = page.facts.refresh if page.facts is not None else None
            self._homes.add(refresh.url if refresh is not None else page.target)
        if page.kind is PageKind.REDIRECT and not (isinstance(verdict, Absent) and verdict.reason is Reason.EXCLUDED):
            self._check_redirect(page.url, page.target)
        if isinstance(verdict, Absent) and verdict.reason is Reason.UNDETERMINED:
            if known.committed is None and known.baseline is None and page.url != self.options.site_url:
                self.report.add("no-answer", page.url, cause=verdict.detail)
            return
        if page.facts is None or page.unlisted:
            return
        self._check_document(page.url, page.facts)
        if not page.inlinks and not page.twin and page.url not in self._homes:
            self._check_orphan(page.url, verdict)

    def _check_redirect(self, url: str, target: str) -> None:
        if url.startswith("https:") and target.startswith("http:") and _is_same_site(f"https{target[4:]}", url):
            self.report.add("insecure-hop", url, detail=target)

    def _check_orphan(self, url: str, verdict: Verdict) -> None:
        """Links are counted for one spelling of a page, whichever is listed."""
        if isinstance(verdict, Absent):
            if verdict.respelled:
                self.report.add("orphan", verdict.redirect_to)
        elif verdict.spelling is not SpellingState.LISTED:
            self.report.add("orphan", url)

    def _check_document(self, url: str, facts: Facts) -> None:
        for directive in directives.unparsable_dates(facts.head.directives):
            self.report.add("expiry-unreadable", url, cause=directive.value)
        if facts.refresh is not None:
            self._check_redirect(url, facts.refresh.url)  # a redirect for search engines, with or without a script
        elif facts.script_redirect:
            self.report.add("script-redirect", url, detail=facts.script_redirect)
        if facts.size > _CUTOFF:
            self.report.add("page-too-large", url, detail=f"{facts.size:,} bytes")
        if facts.links.hash_routes:
            self.report.add("hash-routes", url, detail=f"{facts.links.hash_routes} links")
        if facts.shell:
            unseen = facts.rendering.failure if facts.rendering is not None else ""
            never = "; render.when is never" if self.options.config.render.when is RenderWhen.NEVER else ""
            clause = f"{facts.shell.sentence}{never}"
            self.report.add("shell", url, cause=f"{clause}; a browser shows no page: {unseen}" if unseen else clause)


def _is_same_site(url: str, site: str) -> bool:
    try:
        return same_site(url, site, "same")
    except BadUrl:
        return False


class DeadLinksCheck(SiteCheck):
    """A page of a compared sitemap that is gone has a row in the diff, which names who links to it."""

    rules = (
        site_rule(
            "HTML-73",
            {"dead-link": (WARNING, "a link leads to nothing")},
            summary="Every link between pages of the site leads to something that is there.",
            source="HTTP status codes, https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
            passes="a linked page answers 200, or redirects to one that does",
            fails="/about links to /team, which answers 404",
            tip="Correct the link, restore the page, or redirect its URL; name in select.exclude "
            "what another deployment serves.",
        ),
    )

    def on_end(self, diff: Diff, /) -> None:
        for row in diff.skipped:
            if row.links is not None:
                self.report.add("dead-link", row.url, row.links.line, str(row.links), path=row.links.path)


_HEAD_RULES = (
    site_rule(
        "HTML-72",
        {
            "head-noindex-removed": (
                WARNING,
                "the page is served with noindex, which holds, although a script removes it",
            ),
            "head-noindex-added": (WARNING, "a script adds noindex to a page that is served without it"),
            "head-robots": (WARNING, "a script changes the robots directives of the page"),
            "head-canonical": (WARNING, "a script changes the canonical of the page"),
            "head-hreflang": (WARNING, "a script changes the language versions of the page"),
            "head-title": (WARNING, "a script changes the title of the page"),
        },
        summary="The head of a page states the same before and after its scripts.",
        source="Google Search Central, "
        "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        passes="one canonical, served, which no script changes",
        fails="noindex is served, and a script removes it: the page is never listed",
        tip="State title, robots, canonical and hreflang in the served HTML: search engines may read a page before "
        "its scripts have run.",
    ),
)


class RenderedHeadsCheck(SiteCheck):
    """Compares the heads of each page that a browser has rendered."""

    rules = _HEAD_RULES

    def on_url(self, known: KnownUrl, _verdict: Verdict, /) -> None:
        facts = known.page.facts
        if facts is None or facts.rendering is None or facts.rendering.rendered is None or known.page.unlisted:
            return
        served, rendered = facts.rendering.served, facts.rendering.rendered
        shell = bool(facts.rendering.shell)
        self._check_robots(known.page.url, self._robots(served), self._robots(rendered), shell=shell)
        for code, before, after in (
            ("head-canonical", canonical_targets(served.canonicals), canonical_targets(rendered.canonicals)),
            ("head-hreflang", served.versions, rendered.versions),
        ):
            if set(before) != set(after) and (before or not shell):
                self.report.add(code, known.page.url, detail=_difference(before, after))
        if served.title != rendered.title and not shell:
            self.report.add("head-title", known.page.url, detail=_difference((served.title,), (rendered.title,)))

    def _check_robots(
        self, url: str, served: tuple[Directive, ...], rendered: tuple[Directive, ...], *, shell: bool
    ) -> None:
        before, after = (bool(directives.find_noindex(found, self.options.agents)) for found in (served, rendered))
        if before != after and not self.options.noindex_counts:
            return
        if before and not after:
            self.report.add("head-noindex-removed", url)
            return
        stated, changed = (sorted(directives.effects(found)) for found in (served, rendered))
        if stated != changed and (served or not shell):
            code = "head-robots" if before == after else "head-noindex-added"
            self.report.add(code, url, detail=_difference(stated, changed))

    def _robots(self, head: Head) -> tuple[Directive, ...]:
        return directives.without_host(head.directives, self.options.host.directives)


def _difference(before: Iterable[str], after: Iterable[str]) -> str:
    """What is served, and what is there after the scripts; of lists what only one of them has."""
    first, second = [one for one in before if one], [one for one in after if one]
    gone, new = ([one for one in first if one not in second], [one for one in second if one not in first])
    return f"served {_name_first(gone or first)}, rendered {_name_first(new or second)}"


def _name_first(texts: list[str]) -> str:
    return " and ".join(texts[:2]) + (f" and {len(texts) - 2} more" if len(texts) > 2 else "") or "without"


_CONSOLIDATE = f"{CRAWLING}consolidate-duplicate-urls"


class VersionsCheck(SiteCheck):
    rules = (
        site_rule(
            "VER-01",
            {"version-listed": (ERROR, "the sitemap lists a page of an old or draft version")},
            summary="No page of a version that `versions` of the config names as old or as a draft is listed.",
            source=_CONSOLIDATE,
            passes="/stable/install/ is listed, and /v1/install/ is not",
            fails="/v1/install/ is listed, and versions.old has /v*/",
            tip="Take it out of the sitemap, as `sitemap-action write` does, or correct `versions`.",
        ),
        site_rule(
            "VER-02",
            {"version-competes": (WARNING, "a page of an old version is indexable beside the current page")},
            summary="A page of an old version is noindex, or names the current page as canonical where that exists.",
            source=_CONSOLIDATE,
            passes="/v1/install/ names /stable/install/ as its canonical",
            fails="/v1/install/ has neither noindex nor a canonical to /stable/install/, which exists",
            tip="Let the theme name the page of the current version as the canonical, or set noindex on old versions.",
        ),
    )

    def on_start(self) -> None:
        self._versions = self.options.config.select.versions(self.options.site_url)
        self._pages: set[int] = set()  # hashes of the URLs of pages, where an old version is known
        self._twins: dict[int, int] = {}  # hashes: another spelling of a page → the page
        # Pages of old versions, each with where the current one has it, and what it names as its canonical.
        self._waiting: list[tuple[str, str, tuple[str, ...]]] = []

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        page = known.page
        if self._versions is None:
            return
        folder = self._versions.find_folder(page.url)
        if folder and (known.committed is not None or isinstance(verdict, Listed)):
            self.report.add("version-listed", page.url, cause=f"it is in {folder}")
        if page.twin:
            self._twins[hash(page.url)] = hash(page.twin)
        if page.kind is not PageKind.PAGE or page.facts is None or page.unlisted or page.twin:
            return
        if not folder:
            self._pages.add(hash(page.url))
        elif current := self._versions.find_current(page.url):
            head = page.facts.head
            own = directives.without_host(head.directives, self.options.host.directives)
            noindex = directives.find_noindex(own, self.options.agents)
            canonicals = tuple(canonical_targets(head.canonicals))
            if not noindex and page.facts.refresh is None and current not in canonicals:
                self._waiting.append((page.url, current, canonicals))

    def on_end(self, _diff: Diff, /) -> None:
        for url, current, canonicals in self._waiting:
            named = any(self._twins.get(hash(one)) == hash(current) for one in canonicals)
            if hash(current) in self._pages and not named:
                self.report.add("version-competes", url, detail=current)
