"""News of entries as the pages state them: the newest articles of the last two days (NEWS-01…05)."""

from datetime import datetime, timedelta
from heapq import heappush, heappushpop, nlargest

from sitemap_action.config.entry_extensions import NewsConfig
from sitemap_action.model.mask import Mask
from sitemap_action.model.page import PageArticle
from sitemap_action.model.site import Listed
from sitemap_action.select.stated_dates import sitemap_date
from sitemap_action.sitemap.dates import parse_date
from sitemap_action.sitemap.extensions import ExtensionNode, parse_extension
from sitemap_action.sitemap.repaired import canonical, repaired_extensions

START = "<news:"
_MAX = 1_000  # of one file (NEWS-02), whichever file that is
_AGE = timedelta(days=2)
_DAY = timedelta(days=1)


class PageNews:
    """Articles are added, then completed, then asked for."""

    def __init__(self, publication: NewsConfig, now: datetime, mask: Mask) -> None:
        self._publication = publication
        self._now = now
        self._mask = mask
        self._newest: list[tuple[datetime, str]] = []  # a heap
        self._left = _MAX
        self._listed: frozenset[str] = frozenset()

    def add(self, verdict: Listed, *, fixed: bool) -> None:
        """`fixed`: the entry is not rewritten."""
        if fixed:
            self._left -= any(one.startswith(START) for one in verdict.entry.extensions)
            return
        found = parse_date(_date(verdict))
        if found is None or not found.day or not self._is_new(found.instant, timed=found.timed):
            return
        put = heappush if len(self._newest) < _MAX else heappushpop
        put(self._newest, (found.instant, verdict.page.url))

    def complete(self) -> None:
        """After the last page."""
        self._listed = frozenset(url for _, url in nlargest(max(self._left, 0), self._newest))

    def of(self, verdict: Listed) -> tuple[str, ...]:
        """The element of an entry, or none."""
        url = verdict.page.url
        if url not in self._listed:
            return ()
        article = _article(verdict)
        if article is None:
            found = tuple(one for one in verdict.entry.extensions if one.startswith(START))
        else:
            found = (self._element(article),)
        return tuple(one for one in repaired_extensions(found, url) if not self._mask.hides(one))

    def _is_new(self, instant: datetime, *, timed: bool) -> bool:
        return instant <= self._now <= instant + (_AGE if timed else _AGE + _DAY)

    def _element(self, article: PageArticle) -> str:
        publication = (
            ExtensionNode("news:name", text=self._publication.name),
            ExtensionNode("news:language", text=self._publication.language),
        )
        children = (
            ExtensionNode("news:publication", children=publication),
            ExtensionNode("news:publication_date", text=sitemap_date(article.published)),
            ExtensionNode("news:title", text=article.title),
        )
        return canonical(ExtensionNode("news:news", children=children), "news")


def _article(verdict: Listed) -> PageArticle | None:
    """Of the page; None where it gave no answer, or states none."""
    facts = verdict.page.facts
    return None if verdict.unverified or facts is None else next(iter(facts.articles), None)


def _date(verdict: Listed) -> str:
    """When the article was published; of a page without an answer, as its entry has it."""
    if article := _article(verdict):
        return sitemap_date(article.published)
    if not verdict.unverified and verdict.page.facts is not None:
        return ""
    news = (parse_extension(one) for one in verdict.entry.extensions if one.startswith(START))
    return next((one.first("news:publication_date").text for one in news), "")
