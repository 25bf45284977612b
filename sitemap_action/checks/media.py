"""The extensions of images, videos and news (IMG-01…03, VID-01…08, NEWS-01…05)."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import chain

from sitemap_action.checks.base import ERROR, GOOGLE, WARNING, FileCheck, rule
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.extension_faults import MAX_IMAGES, image_faults, news_faults, video_faults
from sitemap_action.sitemap.extensions import ExtensionNode, parse_extension
from sitemap_action.sitemap.protocol import MAX_NEWS, date_fault, is_future, parse_date, site_host
from sitemap_action.web.urls import BadUrl

_IMAGE_RULES = (
    rule(
        "IMG-01",
        {"image-loc": (ERROR, "an image does not have exactly one image:loc with an absolute URL")},
        summary="Every image has one image:loc, an absolute URL.",
        source=f"{GOOGLE}image-sitemaps",
        passes="<image:image><image:loc>https://x.com/p.jpg</image:loc></image:image>",
        fails="<image:image/>",
        tip="Write one <image:loc> with the whole address of the image, or remove the <image:image>.",
    ),
    rule(
        "IMG-02",
        {"image-many": (ERROR, "an entry has more than 1,000 images")},
        summary="An entry has at most 1,000 images.",
        source=f"{GOOGLE}image-sitemaps",
        passes="1,000 <image:image>",
        fails="1,001 <image:image>",
        tip="List the first 1,000 images; the others are found on the page.",
    ),
    rule(
        "IMG-03",
        {"image-deprecated": (WARNING, "an image has elements that Google no longer reads")},
        summary="caption, geo_location, title and license are left out; Google has not read them since August 2022.",
        source=f"{GOOGLE}image-sitemaps; Google Search Central Blog, May 2022",
        passes="image:loc alone",
        fails="<image:title>",
        tip="Remove the element; a title or caption belongs on the page, a licence into its structured data.",
    ),
)
_IMAGE = "<image:image"
_DEPRECATED_IMAGE_PARTS = ("<image:caption", "<image:geo_location", "<image:title", "<image:license")


class ImagesCheck(FileCheck):
    """Extensions are canonical, so a tag can be found by text search."""

    rules = _IMAGE_RULES

    def on_extensions(self, entry: Entry) -> None:
        images = [one for one in entry.extensions if one.startswith(_IMAGE)]
        if len(images) > MAX_IMAGES:
            self.report.add("image-many", entry.loc, entry.line, f"{len(images):,}")
        for number, one in enumerate(images, 1):
            for code, _ in image_faults(one):
                self.report.add(code, entry.loc, entry.line, f"image {number}" if len(images) > 1 else "")
        found = sorted({tag[1:] for one in images for tag in _DEPRECATED_IMAGE_PARTS if tag in one})
        if found:
            self.report.add("image-deprecated", entry.loc, entry.line, ", ".join(found))


_VIDEO_SOURCE = f"{GOOGLE}video-sitemaps"
_VIDEO_RULES = (
    rule(
        "VID-01",
        {
            "video-missing": (ERROR, "a video lacks a required element"),
            "video-url": (ERROR, "an address of a video is not an absolute URL"),
        },
        summary="A video has thumbnail_loc, title, description, and content_loc or player_loc, with absolute URLs.",
        source=_VIDEO_SOURCE,
        passes="a video with player_loc alone",
        fails="a video with neither content_loc nor player_loc; the thumbnail /t.jpg",
        tip="Write the missing element, or the whole URL; a video without a file names its player in player_loc.",
    ),
    rule(
        "VID-02",
        {
            "video-long": (ERROR, "a text of a video is too long, or it has too many tags"),
            "video-repeated": (ERROR, "a video has an element twice"),
        },
        summary="A description has at most 2,048 characters, an uploader 255; at most 32 tags; everything else once.",
        source=_VIDEO_SOURCE,
        passes="32 <video:tag>",
        fails="33 <video:tag>, two <video:title>",
        tip="Shorten the text, keep 32 tags, and write every other element once.",
    ),
    rule(
        "VID-03",
        {"video-same-loc": (ERROR, "a video's file or player is the page itself")},
        summary="content_loc and player_loc are not the page itself.",
        source=_VIDEO_SOURCE,
        passes="/media/1.mp4 on the page /v/1",
        fails="content_loc equal to <loc>",
        tip="Name the media file in content_loc, or the embedded player in player_loc.",
    ),
    rule(
        "VID-04",
        {"video-value": (ERROR, "a value of a video is out of range")},
        summary="duration is 1 to 28800, rating 0 to 5; live, requires_subscription, family_friendly are yes or no.",
        source=_VIDEO_SOURCE,
        passes="<video:duration>28800</video:duration>",
        fails="duration 0 or 28801, live true",
        tip="Write whole seconds up to 28800, a rating with a point, and yes or no.",
    ),
    rule(
        "VID-05",
        {"video-restriction": (ERROR, "a restriction of a video is not well formed")},
        summary="restriction (ISO 3166 countries) and platform (web, mobile, tv) have relationship allow or deny.",
        source=_VIDEO_SOURCE,
        passes='<video:restriction relationship="allow">IE GB</video:restriction>',
        fails="<video:restriction>IE GB</video:restriction>",
        tip='Write relationship="allow" or "deny", and codes such as IE GB, or web mobile tv.',
    ),
    rule(
        "VID-06",
        {
            "video-date": (ERROR, "a date of a video is not in an accepted format"),
            "video-expired": (WARNING, "a video has expired; Google does not show it"),
            "video-future": (WARNING, "the publication date of a video is in the future"),
        },
        summary="publication_date (not to come), expiration_date (not past): a day, or a time with seconds and zone.",
        source=_VIDEO_SOURCE,
        passes="2021-11-05T19:20:30+08:00",
        fails="2021-11; an expiration_date in the past, a publication_date of 2099 (warnings)",
        tip="Write 2026-10-01, or a time with seconds and zone; remove a video that has expired.",
    ),
    rule(
        "VID-07",
        {"video-uploader": (WARNING, "the info page of an uploader is on another site than the page")},
        summary="The info page of an uploader is on the site of the page.",
        source=_VIDEO_SOURCE,
        passes="info on www.example.com like the page",
        fails="info on another domain",
        tip="Name a page of the same site, or leave info out.",
    ),
    rule(
        "VID-08",
        {"video-deprecated": (WARNING, "a video has elements or attributes that Google no longer reads")},
        summary="category, gallery_loc, price, tvshow, and autoplay and allow_embed of player_loc are left out.",
        source=f"{_VIDEO_SOURCE}; Google Search Central Blog, May 2022",
        passes="none of them",
        fails="<video:category>",
        tip="Remove the element or attribute; it is not read any more.",
    ),
)
_DEPRECATED_VIDEO_PARTS = frozenset(("video:category", "video:gallery_loc", "video:price", "video:tvshow"))


class VideosCheck(FileCheck):
    """One finding for each fault of each video."""

    rules = _VIDEO_RULES

    def on_extensions(self, entry: Entry) -> None:
        videos = [parse_extension(one) for one in entry.extensions if one.startswith("<video:video")]
        for number, video in enumerate(videos, 1):
            which = f"video {number}, " if len(videos) > 1 else ""
            for code, detail in chain(video_faults(video, entry.loc), self._warnings(video, entry.loc)):
                self.report.add(code, entry.loc, entry.line, which + detail)

    def _warnings(self, video: ExtensionNode, loc: str) -> Iterator[tuple[str, str]]:
        deprecated = sorted(_DEPRECATED_VIDEO_PARTS.intersection(child.name for child in video.children))
        players = video.all("video:player_loc")
        deprecated += [key for one in players for key, _ in one.attributes if key in {"allow_embed", "autoplay"}]
        if deprecated:
            yield "video-deprecated", ", ".join(deprecated)
        for child in video.children:
            if child.name == "video:uploader" and not _same_site(child.get("info"), loc):
                yield "video-uploader", child.get("info") or ""
            if child.name == "video:expiration_date" and date_fault(child.text) is None:
                found = parse_date(child.text)
                if found and found.instant < self.options.now:
                    yield "video-expired", child.text
            if child.name == "video:publication_date" and is_future(parse_date(child.text), self.options.now):
                yield "video-future", child.text


def _same_site(info: str | None, loc: str) -> bool:
    """Whether one host is the other or a subdomain of it, `www.` ignored; True for a missing or invalid info."""
    if not info:
        return True
    try:
        first, second = (f".{site_host(url)}" for url in (info, loc))
    except BadUrl:
        return True
    return first.endswith(second) or second.endswith(first)


_NEWS_SOURCE = f"{GOOGLE}news-sitemap"
_NEWS_RULES = (
    rule(
        "NEWS-01",
        {
            "news-missing": (ERROR, "an article lacks a required element"),
            "news-repeated": (ERROR, "an entry has more than one news:news"),
        },
        summary="An entry has one news:news, with publication (name, language), publication_date and title.",
        source=_NEWS_SOURCE,
        passes="all five elements",
        fails="a publication without language",
        tip="Write all four, in one news:news for each article.",
    ),
    rule(
        "NEWS-02",
        {"news-many": (ERROR, "the file has more than 1,000 articles")},
        summary="A file has at most 1,000 news:news.",
        source=_NEWS_SOURCE,
        passes="1,000 <news:news>",
        fails="1,001 <news:news>",
        tip="Split the news sitemap, or leave out articles that are older than two days.",
    ),
    rule(
        "NEWS-03",
        {
            "news-old": (WARNING, "an article is older than two days"),
            "news-future": (WARNING, "the publication date of an article is in the future"),
        },
        summary="An article is not older than two days, and not of a day to come.",
        source=_NEWS_SOURCE,
        passes="published 47 hours ago",
        fails="published 49 hours ago, or in 2099",
        tip="Take the article out of the news sitemap; it stays in the sitemap of the site. Or correct the date.",
    ),
    rule(
        "NEWS-04",
        {"news-date": (ERROR, "the publication date of an article is not in an accepted format")},
        summary="publication_date is a day, or a time with its zone; seconds may be left out.",
        source=_NEWS_SOURCE,
        passes="1997-07-16T19:20+01:00",
        fails="1997-07-16T19:20",
        tip="Write 2026-10-01, or 2026-10-01T09:20+02:00 with the zone.",
    ),
    rule(
        "NEWS-05",
        {"news-language": (ERROR, "the language of a publication is not a code that Google supports")},
        summary="language is an ISO 639 code of two or three letters, or zh-cn, or zh-tw.",
        source=_NEWS_SOURCE,
        passes="en",
        fails="en-US",
        tip="Write the language alone, such as en; a region is not part of it.",
    ),
)
_AGE = timedelta(days=2)
_DAY = timedelta(days=1)


class NewsCheck(FileCheck):
    """The first article of an entry is checked; a second one is a finding."""

    rules = _NEWS_RULES

    def on_file_start(self) -> None:
        self._count = 0

    def on_extensions(self, entry: Entry) -> None:
        news = [parse_extension(one) for one in entry.extensions if one.startswith("<news:news")]
        self._count += len(news)
        if len(news) > 1:
            self.report.add("news-repeated", entry.loc, entry.line)
        for one in news[:1]:
            for code, detail in news_faults(one):
                self.report.add(code, entry.loc, entry.line, detail)
            found = parse_date(date := one.first("news:publication_date").text)
            if found and found.day and found.instant + (_AGE if found.timed else _AGE + _DAY) < self.options.now:
                self.report.add("news-old", entry.loc, entry.line, date)
            elif is_future(found, self.options.now):
                self.report.add("news-future", entry.loc, entry.line, date)

    def on_file_end(self) -> None:
        if self._count > MAX_NEWS:
            self.report.add("news-many", detail=f"{self._count:,}")
