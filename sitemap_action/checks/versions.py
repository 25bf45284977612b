"""Versions of a documentation: which of them search engines are to find (VER-01, VER-02)."""

from sitemap_action.checks.base import CRAWLING, ERROR, WARNING, SiteCheck, site_rule
from sitemap_action.html import directives
from sitemap_action.html.directives import canonical_targets
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import KnownUrl, Listed, Verdict
from sitemap_action.web.patterns import Versions

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
        asked = self.options.config.versions
        self._versions = Versions(self.options.site_url, asked.current, asked.old, asked.drafts)
        self._pages: set[int] = set()  # hashes of the URLs of pages, where an old version is known
        self._waiting: list[tuple[str, str]] = []  # pages of old versions, each with where the current one has it

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        page = known.page
        if not self.options.config.versions.is_set:
            return
        folder = self._versions.find_folder(page.url)
        if folder and (known.committed is not None or isinstance(verdict, Listed)):
            self.report.add("version-listed", page.url, cause=f"it is in {folder}")
        if page.kind is not PageKind.PAGE or page.facts is None or page.unlisted or page.twin:
            return
        if not folder:
            self._pages.add(hash(page.url))
        elif current := self._versions.find_current(page.url):
            head = page.facts.head
            own = directives.without_host(head.directives, self.options.host.directives)
            noindex = directives.decide(own, self.options.agents).noindex
            if not noindex and page.facts.refresh is None and current not in canonical_targets(head.canonicals):
                self._waiting.append((page.url, current))

    def on_end(self, _diff: Diff, /) -> None:
        for url, current in self._waiting:
            if hash(current) in self._pages:
                self.report.add("version-competes", url, detail=current)
