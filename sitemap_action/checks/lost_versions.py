"""Language versions that a listed page no longer names (DIFF-14)."""

import re
from collections.abc import Iterable

from sitemap_action.checks.base import WARNING, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff
from sitemap_action.model.site import KnownUrl, Listed, Verdict

_HREFLANG = re.compile(r'hreflang="([^"]*)"')
_RULES = (
    rule(
        "DIFF-14",
        {"versions-lost": (WARNING, "a listed page no longer names some of its language versions")},
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

    def on_start(self) -> None:
        self._left_out: dict[str, set[str]] = {}  # versions that the judged sitemap still names, by URL

    def on_url(self, known: KnownUrl, verdict: Verdict, /) -> None:
        """What only a repair would leave out is the matter of the rule that the sitemap breaks (R-09)."""
        if self.options.repair and not self.options.writing and known.committed and isinstance(verdict, Listed):
            left_out = _versions(known.committed.extensions).keys() - _versions(verdict.entry.extensions).keys()
            if left_out:
                self._left_out[known.page.url] = left_out

    def on_end(self, diff: Diff, /) -> None:
        for row in diff.changed:
            for name, old, new in row.fields:
                if name == "alternates":
                    before = _versions([old])
                    lost = before.keys() - _versions([new]).keys() - self._left_out.get(row.url, set())
                    if lost:
                        self.report.add("versions-lost", row.url, detail=", ".join(sorted(before[one] for one in lost)))


def _versions(elements: Iterable[str]) -> dict[str, str]:
    """Codes as they are compared → as they are written."""
    found = (code for one in elements if "hreflang" in one for code in _HREFLANG.findall(one))
    return {code.lower().replace("_", "-"): code for code in found}
