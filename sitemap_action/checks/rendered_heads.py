"""The head of a page as served, and after its scripts: what differs between them (HTML-72).

Search engines read the head before scripts run, and again after them where they run them at all. Of a shell that
scripts fill, only what its served head states can contradict: its title is a placeholder.
"""

from collections.abc import Iterable

from sitemap_action.checks.base import WARNING, SiteCheck, rule
from sitemap_action.html import canonical, directives
from sitemap_action.model.finding import Needs
from sitemap_action.model.page import Directive, StatedHead
from sitemap_action.model.site import KnownUrl, Verdict

_RULES = (
    rule(
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
        needs=Needs.SITE,
        summary="The head of a page states the same before and after its scripts.",
        source="Google Search Central, "
        "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        passes="one canonical, served, which no script changes",
        fails="noindex is served, and a script removes it: the page is never listed",
        tip="State title, robots, canonical and hreflang in the served HTML; a script that sets one of them on a shell "
        "finds none there.",
    ),
)


class RenderedHeadsCheck(SiteCheck):
    """Of each page that a browser has rendered."""

    rules = _RULES

    def on_url(self, known: KnownUrl, _verdict: Verdict, /) -> None:
        facts = known.page.facts
        if facts is None or facts.rendering is None or facts.rendering.rendered is None or known.page.unlisted:
            return
        served, rendered = facts.rendering.served, facts.rendering.rendered
        shell = bool(facts.rendering.shell)
        self._check_robots(known.page.url, self._robots(served), self._robots(rendered), shell=shell)
        for code, before, after in (
            ("head-canonical", canonical.targets(served.canonicals), canonical.targets(rendered.canonicals)),
            ("head-hreflang", _versions(served), _versions(rendered)),
        ):
            if set(before) != set(after) and (before or not shell):
                self.report.add(code, known.page.url, detail=_difference(before, after))
        if served.title != rendered.title and not shell:
            self.report.add("head-title", known.page.url, detail=_difference((served.title,), (rendered.title,)))

    def _check_robots(
        self, url: str, served: tuple[Directive, ...], rendered: tuple[Directive, ...], *, shell: bool
    ) -> None:
        before, after = (directives.decide(found, self.options.agents).noindex for found in (served, rendered))
        if before != after and not self.options.noindex_counts:
            return
        if before and not after:
            self.report.add("head-noindex-removed", url)
        elif _rules(served) != _rules(rendered) and (served or not shell):
            code = "head-robots" if before == after else "head-noindex-added"
            self.report.add(code, url, detail=_difference(_rules(served), _rules(rendered)))

    def _robots(self, head: StatedHead) -> tuple[Directive, ...]:
        return directives.without(head.directives, self.options.host_directives)


def _rules(found: Iterable[Directive]) -> tuple[str, ...]:
    return tuple(sorted({f"{one.agent}: {_rule(one)}" if one.agent else _rule(one) for one in found}))


def _rule(one: Directive) -> str:
    return f"{one.rule}: {one.value}" if one.value else one.rule


def _versions(head: StatedHead) -> tuple[str, ...]:
    return tuple(sorted({f"{one.hreflang.lower()} {one.url}" for one in head.alternates}))


def _difference(before: Iterable[str], after: Iterable[str]) -> str:
    """What is served, and what is there after the scripts; of lists what only one of them has."""
    first, second = [one for one in before if one], [one for one in after if one]
    gone, new = ([one for one in first if one not in second], [one for one in second if one not in first])
    return f"served {_named(gone or first)}, rendered {_named(new or second)}"


def _named(texts: list[str]) -> str:
    return " and ".join(texts[:2]) + (f" and {len(texts) - 2} more" if len(texts) > 2 else "") or "without"
