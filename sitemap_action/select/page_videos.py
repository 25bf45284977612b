"""Videos of entries as the pages state them (`output.extensions`): those that are complete and valid (VID-01…06)."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from sitemap_action.model.mask import Mask
from sitemap_action.model.page import PageVideo
from sitemap_action.select.stated_dates import sitemap_date
from sitemap_action.sitemap.dates import parse_date
from sitemap_action.sitemap.extensions import ExtensionNode
from sitemap_action.sitemap.repaired import canonical, repaired_extensions
from sitemap_action.web.site_mapping import leaks


class PageVideos:
    """Decides over the videos of one page at a time."""

    def __init__(self, now: datetime, mask: Mask) -> None:
        self._now = now
        self._mask = mask

    def of(self, page: str, videos: Iterable[PageVideo]) -> tuple[str, ...]:
        """Elements. A value that is not valid is left out, and its video with it where the value is required."""
        found = repaired_extensions(tuple(map(_element, filter(self._is_public, videos))), page)
        return tuple(dict.fromkeys(one for one in found if not self._mask.hides(one)))

    def _is_public(self, video: PageVideo) -> bool:
        """VID-06: one that has expired is not shown."""
        urls = (video.thumbnail, video.content, video.player)
        expires = parse_date(sitemap_date(video.expires))
        return not any(url and leaks(url, "") for url in urls) and (expires is None or expires.instant >= self._now)


def _element(video: PageVideo) -> str:
    return canonical(ExtensionNode("video:video", children=tuple(_children(video))), "video")


def _children(video: PageVideo) -> Iterator[ExtensionNode]:
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
