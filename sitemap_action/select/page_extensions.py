"""Extensions of entries as the pages state them (`output.extensions`), in the place of those that are committed."""

from collections.abc import Iterable

from sitemap_action.config.entry_extensions import Extension
from sitemap_action.model.mask import Mask
from sitemap_action.model.page import Alternate, Facts
from sitemap_action.model.site import Listed, Verdict
from sitemap_action.model.sitemap import Entry
from sitemap_action.select.criteria import SelectPolicy
from sitemap_action.select.page_images import PageImages
from sitemap_action.select.page_news import START, PageNews
from sitemap_action.select.page_versions import PageVersions
from sitemap_action.select.page_videos import PageVideos
from sitemap_action.sitemap.repaired import LINK
from sitemap_action.sitemap.repaired_versions import with_versions


class PageExtensions:
    """Is added every verdict once, before the first is asked for.

    An entry without an answer of its page keeps what it has, as far as that is valid beside the other entries; one of
    `output.keep` is not rewritten.
    """

    def __init__(self, policy: SelectPolicy, mask: Mask, verdicts: Iterable[Verdict]) -> None:
        self._asked = frozenset(policy.output.extensions)
        self._versions = PageVersions()
        self._images = PageImages(policy, mask)
        self._videos = PageVideos(policy.now, mask)
        self._news = PageNews(policy.output.news, policy.now, mask)
        for verdict in verdicts:
            if isinstance(verdict, Listed):
                self._add(verdict)
        self._versions.complete()
        self._news.complete()

    def applied(self, verdict: Verdict) -> Verdict:
        """The verdict, with the extensions of its page."""
        if not isinstance(verdict, Listed) or _is_kept(verdict):
            return verdict
        entry, left_out = verdict.entry, ""
        if Extension.HREFLANG in self._asked:
            versions, left_out = self._versions.of(verdict.page.url)
            alternates, elements = with_versions(entry.extensions, versions)
            entry = entry._replace(alternates=alternates, extensions=elements)
        if not verdict.unverified and (facts := verdict.page.facts) is not None:
            entry = self._with_media(entry, verdict.page.url, facts)
        if Extension.NEWS in self._asked:
            news = self._news.of(verdict)
            entry = entry._replace(extensions=_replaced(entry.extensions, START, news, LINK, "<image:", "<video:"))
        return verdict._replace(entry=entry, left_out=left_out)

    def _with_media(self, entry: Entry, url: str, facts: Facts) -> Entry:
        if Extension.IMAGE in self._asked:
            images, elements = self._images.of(url, facts.images)
            entry = entry._replace(images=images, extensions=_replaced(entry.extensions, "<image:", elements, LINK))
        if Extension.VIDEO in self._asked:
            videos = self._videos.of(url, facts.videos)
            entry = entry._replace(extensions=_replaced(entry.extensions, "<video:", videos, LINK, "<image:"))
        return entry

    def _add(self, verdict: Listed) -> None:
        if Extension.HREFLANG in self._asked:
            self._versions.add(verdict.page.url, _stated(verdict), fixed=_is_kept(verdict))
        if Extension.NEWS in self._asked:
            self._news.add(verdict, fixed=_is_kept(verdict))


def _is_kept(verdict: Listed) -> bool:
    """By `output.keep`."""
    return bool(verdict.keep_reason) and not verdict.unverified


def _replaced(elements: tuple[str, ...], start: str, new: tuple[str, ...], *after: str) -> tuple[str, ...]:
    """The elements with new ones for those that have such a start; behind those that start with one of `after`."""
    others = [one for one in elements if not one.startswith(start)]
    before = [one for one in others if one.startswith(after)]
    return (*before, *new, *(one for one in others if not one.startswith(after)))


def _stated(verdict: Listed) -> tuple[Alternate, ...]:
    if verdict.keep_reason or verdict.page.facts is None:
        return verdict.entry.alternates
    return verdict.page.facts.alternates
