"""robots.txt: its lines (RB-17…34), its changes (RB-35), what it blocks (RB-33, 36); pings (SM-69); llms.txt (AGT)."""

from collections.abc import Iterable
from functools import partial

from sitemap_action.checks.base import (
    ERROR,
    INFO,
    WARNING,
    FileCheck,
    FileOptions,
    Report,
    SiteCheck,
    baseline_rule,
    cases_by_code,
    rule,
    site_rule,
)
from sitemap_action.checks.severity import Corners
from sitemap_action.html import directives
from sitemap_action.model.finding import Finding, Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import Absent, DeindexedBy, KnownUrl, Listed, Verdict
from sitemap_action.model.sitemap import Entry
from sitemap_action.model.wording import option
from sitemap_action.robots.changed_rules import RobotsComparison
from sitemap_action.robots.groups import Profile, Robots, image_agents, parse
from sitemap_action.web.urls import normal_form

_RFC = "RFC 9309, https://www.rfc-editor.org/rfc/rfc9309"
_GOOGLE = (
    "Google's robots.txt specification, https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt"
)

_LINE_RULES = (
    site_rule(
        "RB-17",
        {"rule-without-slash": (WARNING, "the rule matches nothing")},
        summary="The value of a robots.txt rule starts with / or *.",
        source=_GOOGLE,
        passes="Disallow: /private",
        fails="Disallow: private",
        tip="Start the value with /: any other rule matches nothing.",
    ),
    site_rule(
        "RB-18",
        {"too-large": (WARNING, "robots.txt is larger than crawlers read")},
        summary="A robots.txt has at most 512,000 bytes.",
        source=f"{_RFC}#section-2.5",
        passes="a rule at byte 511,000",
        fails="a rule at byte 513,000",
        tip="Shorten it with wildcards: rules behind this size do not count.",
    ),
    site_rule(
        "RB-25",
        {"crawl-delay": (INFO, "Crawl-delay is not a standard field")},
        summary="Crawl-delay is not part of the standard.",
        source=_GOOGLE,
        passes="none",
        fails="Crawl-delay: 10",
        tip="Remove it, or keep it for Bing alone, which reads it as a window of 1 to 30 seconds; Google ignores it.",
    ),
    site_rule(
        "RB-26",
        {"noindex": (WARNING, "Noindex is not supported")},
        summary="robots.txt has no Noindex.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/block-indexing",
        passes='<meta name="robots" content="noindex">',
        fails="Noindex: /x",
        tip="Put noindex on the page: no search engine supports it in robots.txt.",
    ),
    site_rule(
        "RB-27",
        {"html-body": (WARNING, "robots.txt holds HTML")},
        summary="robots.txt is plain text.",
        source=f"{_RFC}#section-2.3",
        passes="User-agent: *",
        fails="an HTML page",
        tip="Serve a text file at /robots.txt; a host's fallback page often answers in its place.",
    ),
    site_rule(
        "RB-28",
        {
            "missing-colon": (WARNING, "the line has no colon"),
            "misspelt-field": (WARNING, "the field name is misspelt"),
        },
        summary="Field names of robots.txt are spelt right and end in a colon.",
        source="google/robotstxt, https://github.com/google/robotstxt",
        passes="Disallow: /x",
        fails="Dissalow: /x, Disallow /x",
        tip="Write `Field: value` with the usual name: Google tolerates this spelling, and others ignore the line.",
    ),
    site_rule(
        "RB-34",
        {"shadowed": (WARNING, "a crawler with its own group does not follow a rule of the * group")},
        summary="A group for one crawler repeats the rules of the * group that should apply to it too.",
        source=f"{_RFC}#section-2.2.1",
        passes="both groups disallow /admin/",
        fails="* disallows /admin/, and Googlebot has a group without it",
        tip="Repeat the rule in the crawler's own group: it follows only that group.",
    ),
    site_rule(
        "SM-68",
        {"relative-sitemap": (WARNING, "the Sitemap line is not an absolute URL")},
        summary="Sitemap lines in robots.txt are absolute URLs.",
        source="sitemaps.org protocol, https://www.sitemaps.org/protocol.html#submit_robots",
        passes="Sitemap: https://www.example.com/sitemap.xml",
        fails="Sitemap: /sitemap.xml",
        tip="Write the whole address of production: Sitemap: https://www.example.com/sitemap.xml.",
    ),
)
_CASES = cases_by_code(_LINE_RULES)


class RobotsTxtCheck(SiteCheck):
    rules = _LINE_RULES

    def on_end(self, _diff: Diff, /) -> None:
        if self.options.robots is not None:
            _report_lines(self.report, self.options.robots, self.options.agents, "robots.txt")


def robots_txt_findings(robots: Robots, url: str, agents: Iterable[str], corners: Corners) -> tuple[Finding, ...]:
    """Findings on the lines of robots.txt, where the pages of the site are not known."""
    report = Report(_CASES, corners, whole_file=1)
    _report_lines(report, robots, agents, url)
    return report.findings()


def _report_lines(report: Report, robots: Robots, agents: Iterable[str], path: str) -> None:
    for fault in robots.faults:
        if fault.code in _CASES:
            report.add(fault.code, line=fault.line, detail=fault.detail, path=path)
    names = {agent.casefold(): agent for agent in (*robots.restricted_agents(), *agents)}
    for agent in names.values():
        for verdict in robots.find_shadowed(agent):
            report.add("shadowed", line=verdict.line, detail=f"{agent} does not follow {verdict.rule}", path=path)


_PATH = "robots.txt"
_CHANGE_RULES = (
    baseline_rule(
        "RB-35",
        {
            "now-kept-out": (ERROR, "robots.txt blocks pages that the baseline's robots.txt allows"),
            "now-let-in": (INFO, "robots.txt allows pages that the baseline's robots.txt blocks"),
        },
        summary="A change of robots.txt blocks no listed page.",
        source="a decision of this tool: verdicts are compared, not texts",
        passes="a comment is edited",
        fails="a new line Disallow: /b, which blocks /blog/ too",
        tip="A rule matches every path that begins with it: end it with / or $, or allow what it should not match.",
    ),
)


class RobotsChangeCheck(SiteCheck):
    """Compares verdicts over URLs of both sitemaps, so a changed comment is no change."""

    rules = _CHANGE_RULES

    def on_start(self) -> None:
        base, head = self.options.base_robots, self.options.robots
        self._changes: RobotsComparison | None = None
        if base is not None:
            self._changes = RobotsComparison(base, head or parse(b"", Profile.GOOGLE), self.options.agents)
        served = self.options.run.judged == "served" or self.options.found.witness is not None
        alone = served and self.options.run.baseline.alone  # nothing is asked of before
        if base is None and head is not None and not alone:
            named = option("baseline", "git:REF")
            hint = f"compare with a commit whose repository has robots.txt: {named}, or a pull request"
            self.report.add_not_checked("RB-35", "the baseline's robots.txt", hint)

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        if self._changes is None or known.page.kind is PageKind.FOREIGN:
            return
        if known.baseline is not None or isinstance(verdict, Listed):
            self._changes.add(known.page.url)

    def on_end(self, _diff: Diff, /) -> None:
        for one in self._changes.rules() if self._changes is not None else ():
            who = f"{' and '.join(one.agents)} from {one.pages}"
            if one.allowed:
                detail = f"{one.rule}, line {one.line} before, blocked {who}"
                self.report.add("now-let-in", one.urls[0], detail=detail, path=_PATH)
            else:
                self.report.add("now-kept-out", one.urls[0], one.line, f"{one.rule} blocks {who}", path=_PATH)


_BLOCKED_RULES = (
    site_rule(
        "IMG-04",
        {"image-blocked": (WARNING, "robots.txt blocks an image that the sitemap names")},
        summary="robots.txt blocks no image that the sitemap names; that of another host is not known here.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
        passes="<image:loc>https://www.x.com/img/p.jpg</image:loc>, and no rule for /img/",
        fails="the same, and Disallow: /img/",
        tip="Allow the images in robots.txt, or leave them out of the sitemap: search engines may not fetch them.",
    ),
    site_rule(
        "RB-36",
        {"resource-blocked": (WARNING, "robots.txt blocks a file that search engines need to render listed pages")},
        summary="robots.txt blocks no script or style sheet of a listed page; that of another host is not known here.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        passes="<script src=/_next/app.js>, and no rule for /_next/",
        fails="the same, and Disallow: /_next/",
        tip="Allow scripts and style sheets in robots.txt: search engines render pages with them, and see without them "
        "less than visitors do.",
    ),
    site_rule(
        "RB-33",
        {"noindex-unseen": (WARNING, "robots.txt disallows a page that has noindex, so search engines never see it")},
        summary="A page that robots.txt disallows has no noindex.",
        source="Google Search Central, https://developers.google.com/search/docs/crawling-indexing/block-indexing",
        passes="noindex alone, or Disallow alone",
        fails="Disallow: /internal/, and noindex on /internal/a",
        tip="Search engines that may not fetch the page never see its noindex, and may index its URL: allow it, "
        "or keep the Disallow alone.",
    ),
)


class BlockedContentCheck(SiteCheck):
    rules = _BLOCKED_RULES

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
            self.report.add("resource-blocked", page, detail=f"{self._blocking_rule(resource)}; {pages}")

    def _blocking_rule(self, url: str) -> str:
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
        """Reports noindex on a page that an agent may not fetch; directives of a preview host do not count (ENV-03)."""
        robots, facts, options = self.options.robots, known.page.facts, self.options
        if robots is None or facts is None or not facts.head.directives or not options.noindex_counts:
            return
        own = directives.without_host(facts.head.directives, options.host.directives)
        for agent in options.agents:
            unseen = directives.find_noindex(own, (agent,))
            if unseen is not None and not robots.verdict(agent, known.page.url).allowed:
                self.report.add(
                    "noindex-unseen", known.page.url, cause=f"{directives.source_text(unseen)}; {verdict.detail}"
                )
                return


_PING_RULES = (
    site_rule(
        "SM-69",
        {"ping": (INFO, "a search engine is pinged at an address that is gone")},
        summary="No workflow or npm script of the repository pings a search engine about the sitemap.",
        source="Google Search Central blog, June 2023, sitemaps ping endpoint is going away; "
        "Bing Webmaster Blog, May 2022, spring cleaning: removed Bing anonymous sitemap submission",
        passes="a Sitemap line in robots.txt, and IndexNow",
        fails="curl https://www.google.com/ping?sitemap=https://www.example.com/sitemap.xml",
        tip="Remove the request. Name the sitemap in robots.txt; index-now-key submits changed URLs.",
    ),
)


class PingsCheck(SiteCheck):
    rules = _PING_RULES

    def on_end(self, _diff: Diff, /) -> None:
        for place, engine in self.options.pings:
            self.report.add("ping", line=place.line, detail=engine, path=place.path)


# --- llms.txt and Markdown twins, which are for language models (AGT-01, AGT-02) ---

_LLMS = "the llms.txt proposal, https://llmstxt.org/. Google reads neither llms.txt nor Markdown twins"
_MOST_TWINS = 10_000  # Markdown files of a sitemap that are looked at
_TWIN_RULE = partial(
    rule,
    "AGT-02",
    needs=Needs.SITE,
    summary="No Markdown twin is listed beside its page, and one that a page names is there. Google reads none.",
    source=_LLMS,
    passes="/page/ is listed and names /page.md as alternate, which answers 200",
    fails="/page.md is listed beside /page/; a page names /page.md, which answers 404",
    tip="Take twins out of the sitemap, for each is the text of its page once more; make those that pages name.",
)


class ListedTwinsCheck(FileCheck):
    """Markdown twins in a sitemap."""

    rules = (_TWIN_RULE({"twin-listed": (WARNING, "the sitemap lists a Markdown twin beside its page")}),)

    def __init__(self, options: FileOptions, report: Report) -> None:
        super().__init__(options, report)
        self._found: list[tuple[str, int, str]] = []

    def on_entry(self, entry: Entry) -> None:
        if entry.loc.endswith(".md") and len(self._found) < _MOST_TWINS:
            self._found.append((normal_form(entry.loc), entry.line, self.report.path))

    def on_end(self) -> None:
        for url, line, path in self._found:
            page = next((page for page in twin_pages(url) if hash(page) in self.report.listed), "")
            if page:
                self.report.add("twin-listed", url, line, f"its page is {page}", path)


def twin_pages(url: str) -> tuple[str, ...]:
    """The URLs of a page that may have this Markdown twin."""
    stem = url.removesuffix(".md")
    folder, _, name = stem.rpartition("/")
    if name in {"index", "index.html"}:
        return (f"{folder}/", f"{folder}/index.html", folder)
    return (stem,) if stem.endswith(".html") else (f"{stem}/", stem, f"{stem}.html", f"{stem}/index.html")


class AgentFilesCheck(SiteCheck):
    """Coverage of the sitemap is not asked: llms.txt is a choice of pages."""

    rules = (
        site_rule(
            "AGT-01",
            {"agent-link": (WARNING, "a link of llms.txt leads to nothing")},
            summary="A link of llms.txt to this site ends at something that answers 200. Google reads no such file.",
            source=_LLMS,
            passes="llms.txt links to /install.md, which the site serves",
            fails="llms.txt links to /install.md, and /install.md answers 404",
            tip="Correct the link, or make llms.txt again from the pages that there are: language models follow it.",
        ),
        _TWIN_RULE({"twin-missing": (WARNING, "a page names a Markdown twin that is not there")}),
    )

    def on_end(self, _diff: Diff, /) -> None:
        for one in self.options.found.dead_references:
            if one.twin:
                self.report.add("twin-missing", one.named_by, detail=f"{one.url} {one.why}")
            else:
                self.report.add("agent-link", one.url, one.line, cause=one.why, path=one.named_by)
