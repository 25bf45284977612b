"""What robots.txt keeps search engines from reading although the site wants it read: noindex (RB-33)."""

from sitemap_action.checks.base import WARNING, SiteCheck, rule
from sitemap_action.html import directives
from sitemap_action.model.finding import Needs
from sitemap_action.model.site import Absent, DeindexedBy, KnownUrl, Verdict

_RULES = (
    rule(
        "RB-33",
        {"noindex-unseen": WARNING},
        needs=Needs.SITE,
        summary="A page that robots.txt disallows has no noindex.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/block-indexing",
        passes="noindex alone, or Disallow alone",
        fails="Disallow: /internal/, and noindex on /internal/a",
        tip="Search engines that may not fetch the page never see its noindex, and may index its URL: allow it, "
        "or keep the Disallow alone.",
    ),
)
_MESSAGES = {"noindex-unseen": "robots.txt disallows a page that has noindex, so search engines never see it"}


class BlockedContentCheck(SiteCheck):
    rules = _RULES
    messages = _MESSAGES

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        if isinstance(verdict, Absent) and verdict.by is DeindexedBy.ROBOTS and known.page.facts is not None:
            self._check_noindex(known, verdict)

    def _check_noindex(self, known: KnownUrl, verdict: Absent) -> None:
        """For an agent that may not fetch it; directives of a preview host are no noindex of the page (ENV-03)."""
        robots, facts, options = self.options.robots, known.page.facts, self.options
        if robots is None or facts is None or not facts.directives or not options.noindex_counts:
            return
        own = directives.without(facts.directives, options.host_directives)
        for agent in options.agents:
            unseen = directives.decide(own, (agent,))
            if unseen.noindex and unseen.by is not None and not robots.verdict(agent, known.page.url).allowed:
                self.report.add(
                    "noindex-unseen", known.page.url, detail=f"{directives.source_text(unseen.by)}; {verdict.detail}"
                )
                return
