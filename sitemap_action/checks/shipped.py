"""The file that is deployed is the one that was judged (ENV-07)."""

from sitemap_action.checks.base import DESIGN, ERROR, WARNING, SiteCheck, rule
from sitemap_action.model.finding import Needs
from sitemap_action.model.outcome import Diff

_RULES = (
    rule(
        "ENV-07",
        {
            "shipped-differs": (ERROR, "the build ships another sitemap than the one that is judged"),
            "shipped-unread": (ERROR, "the build ships a sitemap that cannot be read"),
            "shipped-absent": (WARNING, "the build ships no sitemap at this address"),
        },
        needs=Needs.SITE,
        summary="The sitemap that a build ships at `sitemap-url` is the one that is judged.",
        source=DESIGN,
        passes="public/sitemap.xml is committed, and the generator copies it to dist/sitemap.xml",
        fails="sitemap.xml is right, and dist/sitemap.xml of another generator names localhost",
        tip="Keep the sitemap where the generator copies it into the build, as in public or static, and let nothing "
        "else write one; or judge the one of the build: name it in `sitemap`.",
    ),
)


class ShippedCheck(SiteCheck):
    rules = _RULES

    def on_end(self, _diff: Diff) -> None:
        shipped = self.options.shipped
        if shipped is None:
            return
        if not shipped.present:
            self.report.add("shipped-absent", path=shipped.path)
        elif shipped.unread:
            self.report.add("shipped-unread", path=shipped.path, detail=shipped.unread)
        else:
            parts = [
                f"{len(urls):,} {'URL' if len(urls) == 1 else 'URLs'} {what}, as {urls[0]}"
                for urls, what in ((shipped.lacking, "missing there"), (shipped.only_here, "only there"))
                if urls
            ]
            self.report.add("shipped-differs", path=shipped.path, detail="; ".join(parts))
