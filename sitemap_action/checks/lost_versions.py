"""Language versions that a listed page no longer names (DIFF-14)."""

import re

from sitemap_action.checks.base import WARNING, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff

_HREFLANG = re.compile(r'hreflang="([^"]*)"')
_RULES = (
    rule(
        "DIFF-14",
        {"versions-lost": WARNING},
        needs=Needs.BASELINE,
        summary="A page that stays listed keeps its language versions.",
        source="Google Search Central, "
        "https://developers.google.com/search/docs/specialty/international/localized-versions",
        passes="/a names en and de, before and after",
        fails="/a named en and de, and now names en alone",
        tip="Where the version is still there, restore its link: without it search engines do not connect the two.",
    ),
)


class LostVersionsCheck(SiteCheck):
    rules = _RULES
    messages = {"versions-lost": "a listed page no longer names some of its language versions"}  # noqa: RUF012 - as in base

    def on_end(self, diff: Diff, /) -> None:
        for row in diff.changed:
            for name, old, new in row.fields:
                if name == "alternates" and (lost := sorted({*_HREFLANG.findall(old)} - {*_HREFLANG.findall(new)})):
                    self.report.add("versions-lost", row.url, detail=", ".join(lost))
