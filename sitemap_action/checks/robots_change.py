"""Listed pages that a changed robots.txt blocks, or no longer blocks (RB-35)."""

from collections import defaultdict

from msgspec import Struct

from sitemap_action.checks.base import ERROR, INFO, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.page import PageKind
from sitemap_action.model.site import KnownUrl, Listed, Verdict
from sitemap_action.model.wording import option
from sitemap_action.robots.groups import Profile, parse

_PATH = "robots.txt"
_RULES = (
    rule(
        "RB-35",
        {
            "now-kept-out": (ERROR, "robots.txt blocks pages that the baseline's robots.txt allows"),
            "now-let-in": (INFO, "robots.txt allows pages that the baseline's robots.txt blocks"),
        },
        needs=Needs.BASELINE,
        summary="A change of robots.txt blocks no listed page.",
        source="a decision of this tool: verdicts are compared, not texts",
        passes="a comment is edited",
        fails="a new line Disallow: /b, which blocks /blog/ too",
        tip="A rule matches every path that begins with it: end it with / or $, or allow what it should not match.",
    ),
)


class _Change(Struct, frozen=True):
    """A rule that blocks pages in one version of robots.txt; its pages are one finding."""

    code: str
    line: int  # of the new robots.txt, or of the old one where pages are no longer blocked
    rule: str
    agents: tuple[str, ...]


class RobotsChangeCheck(SiteCheck):
    """Compares verdicts over URLs of both sitemaps, so a changed comment is no change."""

    rules = _RULES

    def on_start(self) -> None:
        self._base = self.options.base_robots
        self._head = self.options.robots or parse(b"", Profile.GOOGLE)
        self._pages: dict[_Change, list[str]] = defaultdict(list)
        if self._base is None and self.options.robots is not None:
            named = option("baseline", "git:REF")
            hint = f"compare with a commit whose repository has robots.txt: {named}, or a pull request"
            self.report.add_not_checked("RB-35", "the baseline's robots.txt", hint)

    def on_url(self, known: KnownUrl, verdict: Verdict) -> None:
        if self._base is None or known.page.kind is PageKind.FOREIGN:
            return
        if known.baseline is None and not isinstance(verdict, Listed):
            return
        changed: dict[tuple[str, int, str], list[str]] = defaultdict(list)
        for agent in self.options.agents:
            before, after = (robots.verdict(agent, known.page.url) for robots in (self._base, self._head))
            if before.allowed != after.allowed:
                code, blocking = ("now-let-in", before) if after.allowed else ("now-kept-out", after)
                changed[code, blocking.line, blocking.rule].append(agent)
        for (code, line, text), agents in changed.items():
            self._pages[_Change(code, line, text, tuple(agents))].append(known.page.url)

    def on_end(self, _diff: Diff, /) -> None:
        for change, urls in self._pages.items():
            listed = f"{len(urls):,} pages, such as {urls[0]}" if len(urls) > 1 else urls[0]
            agents = " and ".join(change.agents)
            if change.code == "now-kept-out":
                detail = f"{change.rule} blocks {agents} from {listed}"
                self.report.add(change.code, urls[0], line=change.line, detail=detail, path=_PATH)
            else:
                detail = f"{change.rule}, line {change.line} before, blocked {agents} from {listed}"
                self.report.add(change.code, urls[0], detail=detail, path=_PATH)
