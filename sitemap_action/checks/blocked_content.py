"""What robots.txt keeps search engines from although the site wants it read: noindex, images (RB-33, IMG-04)."""

from sitemap_action.checks.base import WARNING, SiteCheck, rule
from sitemap_action.html import directives
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.site import Absent, DeindexedBy, KnownUrl, Listed, Verdict
from sitemap_action.model.sitemap import Entry
from sitemap_action.robots.image_agents import image_agents

_RULES = (
    rule(
        "IMG-04",
        {"image-blocked": (WARNING, "robots.txt blocks an image that the sitemap names")},
        needs=Needs.SITE,
        summary="robots.txt blocks no image that the sitemap names; that of another host is not known here.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
        passes="<image:loc>https://www.x.com/img/p.jpg</image:loc>, and no rule for /img/",
        fails="the same, and Disallow: /img/",
        tip="Allow the images in robots.txt, or leave them out of the sitemap: search engines may not fetch them.",
    ),
    rule(
        "RB-36",
        {"resource-blocked": (WARNING, "robots.txt blocks a file that search engines need to render listed pages")},
        needs=Needs.SITE,
        summary="robots.txt blocks no script or style sheet of a listed page; that of another host is not known here.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        passes="<script src=/_next/app.js>, and no rule for /_next/",
        fails="the same, and Disallow: /_next/",
        tip="Allow scripts and style sheets in robots.txt: search engines render pages with them, and see without them "
        "less than visitors do.",
    ),
    rule(
        "RB-33",
        {"noindex-unseen": (WARNING, "robots.txt disallows a page that has noindex, so search engines never see it")},
        needs=Needs.SITE,
        summary="A page that robots.txt disallows has no noindex.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/block-indexing",
        passes="noindex alone, or Disallow alone",
        fails="Disallow: /internal/, and noindex on /internal/a",
        tip="Search engines that may not fetch the page never see its noindex, and may index its URL: allow it, "
        "or keep the Disallow alone.",
    ),
)


class BlockedContentCheck(SiteCheck):
    rules = _RULES

    def on_start(self) -> None:
        options = self.options
        self._origin = options.site_url[: options.site_url.index("/", 8) + 1]
        self._image_agents = () if options.robots is None else image_agents(options.robots, options.agents)
        self._resources: dict[str, tuple[str, int]] = {}  # blocked one → the first page that needs it, how many do

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        if isinstance(verdict, Absent) and verdict.by is DeindexedBy.ROBOTS and known.page.facts is not None:
            self._check_noindex(known, verdict)
        elif isinstance(verdict, Listed):
            if known.committed is not None and known.committed.images:
                self._check_images(known.page.url, known.committed)
            if known.page.facts is not None:
                for resource in known.page.facts.blocked_resources:
                    page, count = self._resources.get(resource, (known.page.url, 0))
                    self._resources[resource] = (page, count + 1)

    def on_end(self, _diff: Diff, /) -> None:
        for resource, (page, count) in sorted(self._resources.items()):
            pages = f"{count:,} listed pages need it" if count > 1 else "a listed page needs it"
            self.report.add("resource-blocked", page, detail=f"{self._blocking(resource)}; {pages}")

    def _blocking(self, url: str) -> str:
        """The line of robots.txt that blocks a URL for one of the agents."""
        robots = self.options.robots
        found = None if robots is None else robots.block(self.options.agents, url)
        return url if found is None else found.words(url)

    def _check_images(self, url: str, entry: Entry) -> None:
        robots = self.options.robots
        if robots is None:
            return
        for image in entry.images:
            if not image.startswith(self._origin):
                continue
            if found := robots.block(self._image_agents, image):
                self.report.add("image-blocked", url, entry.line, found.words(image))

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
                    "noindex-unseen", known.page.url, cause=f"{directives.source_text(unseen.by)}; {verdict.detail}"
                )
                return
