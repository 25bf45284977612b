"""Extensions of entries as the pages state them (`output.extensions`), in the place of those that are committed.

Images are content that search engines may fetch; videos are those that are complete and valid (VID-01…06); news are
the newest articles of the last two days (NEWS-01…05). Language versions are sets that are valid, and no other: a link
counts when its target is listed and links back (HL-03), and a set when every version of it has the same one (HL-04),
so all pages are read before the first set is known.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from heapq import heappush, heappushpop, nlargest

from msgspec import Struct

from sitemap_action.config.schema import Extension, OutputConfig
from sitemap_action.decide.entries import sitemap_date
from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.mask import Mask
from sitemap_action.model.page import Alternate, Facts, PageArticle, PageVideo
from sitemap_action.model.site import KnownUrl, Listed, Verdict
from sitemap_action.model.sitemap import Entry
from sitemap_action.robots.groups import image_agents
from sitemap_action.sitemap.extension_faults import MAX_IMAGES, normal_hreflang, valid_extensions, video_value_faults
from sitemap_action.sitemap.extensions import LINK, ExtensionNode, format_extension, parse_extension, replace_versions
from sitemap_action.sitemap.protocol import MAX_NEWS, parse_date
from sitemap_action.web.spellings import leaks
from sitemap_action.web.urls import normal_form, origin

_NAMED_FAULTS = 3  # faults of one page that its row names


class _Statement(Struct, frozen=True):
    """What one or more pages name; pages of a cluster share it in memory."""

    versions: Mapping[str, str]  # code → URL
    urls: frozenset[str]
    faults: tuple[str, ...] = ()


_NOTHING = _Statement({}, frozenset())


class PageVersions:
    """Statements are added, then completed, then asked for."""

    def __init__(self) -> None:
        self._stated: dict[str, _Statement] = {}
        self._fixed: set[str] = set()  # pages whose entry is not rewritten
        self._shared: dict[tuple[Alternate, ...], _Statement] = {}
        self._named_by: dict[str, set[str]] = {}  # URL that does not name itself → codes by which others name it
        self._sets: dict[str, Mapping[str, str]] = {}

    def add(self, url: str, alternates: tuple[Alternate, ...], *, fixed: bool = False) -> None:
        """What a listed page names; `fixed`: in an entry that is not rewritten."""
        if not alternates:
            return
        statement = self._shared.get(alternates)
        if statement is None:
            statement = self._shared[alternates] = _read_statement(alternates)
        self._stated[url] = statement
        if fixed:
            self._fixed.add(url)

    def complete(self) -> None:
        """After the last page."""
        lacking = {url for url, one in self._stated.items() if url not in self._fixed and url not in one.urls}
        for url, statement in self._stated.items():
            for code, other in statement.versions.items():
                if other != url and other in lacking:  # it does not name itself
                    self._named_by.setdefault(other, set()).add(code)
        equal: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        for url in self._stated:
            versions = self._mutual(url)
            self._sets[url] = equal.setdefault(tuple(sorted(versions.items())), versions)

    def find_versions(self, url: str) -> tuple[Mapping[str, str], str]:
        """(code → URL of the set of a page, why that is not all it names)."""
        statement = self._stated.get(url)
        if statement is None:
            return {}, ""
        found = self._sets[url]
        faults = [*statement.faults, *self._one_way(url, statement)]
        others = sorted({other for other in found.values() if other != url})
        if not found or url not in found.values():
            faults += ["the page does not name itself"] if found else []
            return {}, _describe_faults(faults)
        if different := next((other for other in others if self._sets[other] is not found), None):
            return {}, _describe_faults([*faults, f"{different} does not name the same versions"])
        return (found if others else {}), _describe_faults(faults)

    def _mutual(self, url: str) -> Mapping[str, str]:
        """The versions of a page that link back, and the page itself."""
        statement = self._stated[url]
        if url in self._fixed:
            return statement.versions
        found = {code: other for code, other in statement.versions.items() if self._links_back(url, other)}
        if url not in statement.urls:
            codes = self._named_by.get(url, set()) - statement.versions.keys()
            found |= dict.fromkeys(sorted(codes), url)
        return found

    def _links_back(self, url: str, other: str) -> bool:
        return other == url or url in self._stated.get(other, _NOTHING).urls

    def _one_way(self, url: str, statement: _Statement) -> Iterable[str]:
        for code, other in statement.versions.items():
            if not self._links_back(url, other):
                what = "does not link back" if other in self._stated else "is not listed, or names no version"
                yield f"{code}: {other} {what}"


def _read_statement(alternates: Iterable[Alternate]) -> _Statement:
    """A code that two URLs have is in no set (HL-06), nor is one that search engines do not know (HL-05)."""
    versions: dict[str, str] = {}
    spelled: dict[str, str] = {}  # code in lower case → as it is written
    faults: dict[str, None] = {}
    twice: set[str] = set()
    for one in alternates:
        code, url = normal_hreflang(one.hreflang), normal_form(one.url)
        if not code or not url:
            faults[f"{one.hreflang.strip()} is no code of a language" if not code else f"{code}: no URL"] = None
            continue
        code = spelled.setdefault(code.lower(), code)
        if versions.setdefault(code, url) != url:
            faults[f"{code} is {versions[code]} and {url}"] = None
            twice.add(code)
    for code in twice:
        del versions[code]
    return _Statement(versions, frozenset(versions.values()), tuple(faults))


def _describe_faults(faults: list[str]) -> str:
    more = len(faults) - _NAMED_FAULTS
    return "; ".join([*faults[:_NAMED_FAULTS], f"and {more} more"] if more > 0 else faults)


_NO_CONTENT = lazy_re(
    r"(?:blank|clear|empty|pixel|placeholder|spacer|transparent|1x1|(?:[^/]*[-_.])?sprites?)(?:\.[a-z]+)?",
    re.IGNORECASE,
)
"""File names of images that show nothing, or many things at once."""


class PageImages:
    """Decides over the images of one page at a time."""

    def __init__(self, policy: SelectPolicy, mask: Mask) -> None:
        self._mask = mask
        self._robots = policy.robots
        self._agents = () if policy.robots is None else image_agents(policy.robots, policy.select.agents)
        self._origin = f"{origin(policy.site_url)}/"

    def find_images(self, page: str, images: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(URLs, elements) of at most 1,000 images, each once (IMG-02). `images`: in normal form."""
        found = tuple(url for url, _ in zip(self._choose_images(page, images), range(MAX_IMAGES), strict=False))
        return found, tuple(map(_image_element, found))

    def _choose_images(self, page: str, images: Iterable[str]) -> Iterator[str]:
        for url in dict.fromkeys(images):
            name = url.partition("?")[0].rpartition("/")[2]
            if url == page or _NO_CONTENT.fullmatch(name) or leaks(url, page) or self._mask.hides(url):
                continue
            if not self._is_blocked(url):
                yield url

    def _is_blocked(self, url: str) -> bool:
        """IMG-04, as far as one robots.txt says."""
        if self._robots is None or not url.startswith(self._origin):
            return False
        return self._robots.block(self._agents, url) is not None


def _image_element(url: str) -> str:
    return format_extension(ExtensionNode("image:image", children=(ExtensionNode("image:loc", text=url),)))


def find_videos(page: str, videos: Iterable[PageVideo], now: datetime, mask: Mask) -> tuple[str, ...]:
    """Elements. A value that is not valid is left out, and its video with it where the value is required."""
    elements = tuple(_video_element(one, page) for one in videos if _is_public(one, now))
    found = valid_extensions(elements, page)
    return tuple(dict.fromkeys(one for one in found if not mask.hides(one)))


def _is_public(video: PageVideo, now: datetime) -> bool:
    """VID-06: one that has expired is not shown."""
    urls = (video.thumbnail, video.content, video.player)
    expires = parse_date(sitemap_date(video.expires))
    return not any(url and leaks(url, "") for url in urls) and (expires is None or expires.instant >= now)


def _video_element(video: PageVideo, page: str) -> str:
    children = (one for one in _video_children(video) if not any(video_value_faults(one, page)))
    return format_extension(ExtensionNode("video:video", children=tuple(children)))


def _video_children(video: PageVideo) -> Iterator[ExtensionNode]:
    for name, value in (
        ("thumbnail_loc", video.thumbnail),
        ("title", video.title),
        ("description", video.description),
        ("content_loc", video.content),
        ("player_loc", video.player),
        ("duration", video.duration),
        ("expiration_date", sitemap_date(video.expires)),
        ("publication_date", sitemap_date(video.published)),
    ):
        if value:
            yield ExtensionNode(f"video:{name}", text=value)


_NEWS = "<news:"
_NEWS_AGE = timedelta(days=2)
_DAY = timedelta(days=1)


class PageNews:
    """Articles are added, then completed, then asked for."""

    def __init__(self, publication: OutputConfig, now: datetime, mask: Mask) -> None:
        self._publication = publication
        self._now = now
        self._mask = mask
        self._newest: list[tuple[datetime, str]] = []  # a heap
        self._left = MAX_NEWS
        self._listed: frozenset[str] = frozenset()

    def add(self, verdict: Listed, *, fixed: bool) -> None:
        """`fixed`: the entry is not rewritten."""
        if fixed:
            self._left -= any(one.startswith(_NEWS) for one in verdict.entry.extensions)
            return
        found = parse_date(_publication_date(verdict))
        if found is None or not found.day or not self._is_new(found.instant, timed=found.timed):
            return
        put = heappush if len(self._newest) < MAX_NEWS else heappushpop
        put(self._newest, (found.instant, verdict.page.url))

    def complete(self) -> None:
        """After the last page."""
        self._listed = frozenset(url for _, url in nlargest(max(self._left, 0), self._newest))

    def find_news(self, verdict: Listed) -> tuple[str, ...]:
        """The element of an entry, or none."""
        url = verdict.page.url
        if url not in self._listed:
            return ()
        article = _stated_article(verdict)
        if article is None:
            found = tuple(one for one in verdict.entry.extensions if one.startswith(_NEWS))
        else:
            found = (self._element(article),)
        return tuple(one for one in valid_extensions(found, url) if not self._mask.hides(one))

    def _is_new(self, instant: datetime, *, timed: bool) -> bool:
        return instant <= self._now <= instant + (_NEWS_AGE if timed else _NEWS_AGE + _DAY)

    def _element(self, article: PageArticle) -> str:
        publication = (
            ExtensionNode("news:name", text=self._publication.news_name),
            ExtensionNode("news:language", text=self._publication.news_language),
        )
        children = (
            ExtensionNode("news:publication", children=publication),
            ExtensionNode("news:publication_date", text=sitemap_date(article.published)),
            ExtensionNode("news:title", text=article.title),
        )
        return format_extension(ExtensionNode("news:news", children=children))


def _stated_article(verdict: Listed) -> PageArticle | None:
    """The article of a page; None where it gave no answer, or states none."""
    facts = verdict.page.facts
    return None if verdict.unverified or facts is None else next(iter(facts.media.articles), None)


def _publication_date(verdict: Listed) -> str:
    """When the article was published; of a page without an answer, as its entry has it."""
    if article := _stated_article(verdict):
        return sitemap_date(article.published)
    if not verdict.unverified and verdict.page.facts is not None:
        return ""
    news = (parse_extension(one) for one in verdict.entry.extensions if one.startswith(_NEWS))
    return next((one.first("news:publication_date").text for one in news), "")


class PageExtensions:
    """Is added every verdict once, before the first is asked for.

    An entry without an answer of its page keeps what it has, as far as that is valid beside the other entries; one of
    `output.keep` is not rewritten.
    """

    def __init__(self, policy: SelectPolicy, mask: Mask, verdicts: Iterable[Verdict]) -> None:
        self._asked = frozenset(policy.output.extensions)
        self._versions = PageVersions()
        self._images = PageImages(policy, mask)
        self._now, self._mask = policy.now, mask
        self._news = PageNews(policy.output, policy.now, mask)
        for verdict in verdicts:
            if isinstance(verdict, Listed):
                self._add(verdict)
        self._versions.complete()
        self._news.complete()

    def apply(self, verdict: Verdict) -> Verdict:
        """The verdict, with the extensions of its page."""
        if not isinstance(verdict, Listed) or _is_kept(verdict):
            return verdict
        entry, left_out = verdict.entry, ""
        if Extension.HREFLANG in self._asked:
            versions, left_out = self._versions.find_versions(verdict.page.url)
            alternates, elements = replace_versions(entry.extensions, versions)
            entry = entry._replace(alternates=alternates, extensions=elements)
        if not verdict.unverified and (facts := verdict.page.facts) is not None:
            entry = self._with_media(entry, verdict.page.url, facts)
        if Extension.NEWS in self._asked:
            news = self._news.find_news(verdict)
            entry = entry._replace(extensions=_replace(entry.extensions, _NEWS, news, LINK, "<image:", "<video:"))
        return verdict._replace(entry=entry, left_out=left_out)

    def _with_media(self, entry: Entry, url: str, facts: Facts) -> Entry:
        if Extension.IMAGE in self._asked:
            images, elements = self._images.find_images(url, facts.media.images)
            entry = entry._replace(images=images, extensions=_replace(entry.extensions, "<image:", elements, LINK))
        if Extension.VIDEO in self._asked:
            videos = find_videos(url, facts.media.videos, self._now, self._mask)
            entry = entry._replace(extensions=_replace(entry.extensions, "<video:", videos, LINK, "<image:"))
        return entry

    def _add(self, verdict: Listed) -> None:
        if Extension.HREFLANG in self._asked:
            self._versions.add(verdict.page.url, _find_alternates(verdict), fixed=_is_kept(verdict))
        if Extension.NEWS in self._asked:
            self._news.add(verdict, fixed=_is_kept(verdict))


def _is_kept(verdict: Listed) -> bool:
    """Whether an entry is kept as it is, by `output.keep`."""
    return bool(verdict.keep_reason) and not verdict.unverified


def _replace(elements: tuple[str, ...], start: str, new: tuple[str, ...], *after: str) -> tuple[str, ...]:
    """The elements with new ones for those that have such a start; behind those that start with one of `after`."""
    others = [one for one in elements if not one.startswith(start)]
    before = [one for one in others if one.startswith(after)]
    return (*before, *new, *(one for one in others if not one.startswith(after)))


def _find_alternates(verdict: Listed) -> tuple[Alternate, ...]:
    if verdict.keep_reason or verdict.page.facts is None:
        return verdict.entry.alternates
    return verdict.page.facts.head.alternates


def with_extensions(
    policy: SelectPolicy, mask: Mask, decided: Callable[[], Iterator[tuple[KnownUrl, Verdict]]]
) -> Iterator[tuple[KnownUrl, Verdict]]:
    """`decided` yields every known URL with its verdict, and is called twice where an extension depends on all."""
    if not policy.output.extensions:
        return decided()

    extensions = PageExtensions(policy, mask, (verdict for _, verdict in decided()))
    return ((row, extensions.apply(verdict)) for row, verdict in decided())
