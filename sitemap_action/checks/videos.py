"""The video extension (VID-01…08)."""

from collections import Counter
from collections.abc import Iterator

from sitemap_action.checks.base import ERROR, GOOGLE, WARNING, FileCheck, rule
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.dates import date_fault, parse_date
from sitemap_action.sitemap.extensions import ExtensionNode, parse_extension
from sitemap_action.sitemap.video_values import (
    DATES,
    MAX_TAGS,
    MEDIA_URLS,
    REPEATABLE,
    missing_elements,
    same_url,
    value_faults,
)
from sitemap_action.web.urls import BadUrl, origin

_SOURCE = f"{GOOGLE}video-sitemaps"
_RULES = (
    rule(
        "VID-01",
        {
            "video-missing": (ERROR, "a video lacks a required element"),
            "video-url": (ERROR, "an address of a video is not an absolute URL"),
        },
        summary="A video has thumbnail_loc, title, description, and content_loc or player_loc, with absolute URLs.",
        source=_SOURCE,
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
        source=_SOURCE,
        passes="32 <video:tag>",
        fails="33 <video:tag>, two <video:title>",
        tip="Shorten the text, keep 32 tags, and write every other element once.",
    ),
    rule(
        "VID-03",
        {"video-same-loc": (ERROR, "a video's file or player is the page itself")},
        summary="content_loc and player_loc are not the page itself.",
        source=_SOURCE,
        passes="/media/1.mp4 on the page /v/1",
        fails="content_loc equal to <loc>",
        tip="Name the media file in content_loc, or the embedded player in player_loc.",
    ),
    rule(
        "VID-04",
        {"video-value": (ERROR, "a value of a video is out of range")},
        summary="duration is 1 to 28800, rating 0 to 5; live, requires_subscription, family_friendly are yes or no.",
        source=_SOURCE,
        passes="<video:duration>28800</video:duration>",
        fails="duration 0 or 28801, live true",
        tip="Write whole seconds up to 28800, a rating with a point, and yes or no.",
    ),
    rule(
        "VID-05",
        {"video-restriction": (ERROR, "a restriction of a video is not well formed")},
        summary="restriction (ISO 3166 countries) and platform (web, mobile, tv) have relationship allow or deny.",
        source=_SOURCE,
        passes='<video:restriction relationship="allow">IE GB</video:restriction>',
        fails="<video:restriction>IE GB</video:restriction>",
        tip='Write relationship="allow" or "deny", and codes such as IE GB, or web mobile tv.',
    ),
    rule(
        "VID-06",
        {
            "video-date": (ERROR, "a date of a video is not in an accepted format"),
            "video-expired": (WARNING, "a video has expired; Google does not show it"),
        },
        summary="publication_date and expiration_date are a day, or a time with seconds and zone; none has expired.",
        source=_SOURCE,
        passes="2021-11-05T19:20:30+08:00",
        fails="2021-11; an expiration_date in the past (a warning)",
        tip="Write 2026-10-01, or a time with seconds and zone; remove a video that has expired.",
    ),
    rule(
        "VID-07",
        {"video-uploader": (WARNING, "the info page of an uploader is on another site than the page")},
        summary="The info page of an uploader is on the site of the page.",
        source=_SOURCE,
        passes="info on www.example.com like the page",
        fails="info on another domain",
        tip="Name a page of the same site, or leave info out.",
    ),
    rule(
        "VID-08",
        {"video-deprecated": (WARNING, "a video has elements or attributes that Google no longer reads")},
        summary="category, gallery_loc, price, tvshow, and autoplay and allow_embed of player_loc are left out.",
        source=f"{_SOURCE}; Google Search Central Blog, May 2022",
        passes="none of them",
        fails="<video:category>",
        tip="Remove the element or attribute; it is not read any more.",
    ),
)
_DEPRECATED = frozenset(("video:category", "video:gallery_loc", "video:price", "video:tvshow"))


class VideosCheck(FileCheck):
    """One finding for each fault of each video."""

    rules = _RULES

    def on_extensions(self, entry: Entry) -> None:
        videos = [parse_extension(one) for one in entry.extensions if one.startswith("<video:video")]
        for number, video in enumerate(videos, 1):
            which = f"video {number}, " if len(videos) > 1 else ""
            for code, detail in self._video_faults(video, entry.loc):
                self.report.add(code, entry.loc, entry.line, which + detail)

    def _video_faults(self, video: ExtensionNode, loc: str) -> Iterator[tuple[str, str]]:
        yield from _element_faults(video)
        for child in video.children:
            yield from value_faults(child)
            if child.name in MEDIA_URLS and same_url(child.text, loc):
                yield "video-same-loc", child.name
            if child.name == "video:uploader" and not _same_site(child.get("info"), loc):
                yield "video-uploader", child.get("info") or ""
            if child.name in DATES:
                yield from self._date_faults(child)

    def _date_faults(self, child: ExtensionNode) -> Iterator[tuple[str, str]]:
        if date_fault(child.text) is not None:
            yield "video-date", f"{child.name}: {child.text}"
            return
        found = parse_date(child.text)
        if child.name == "video:expiration_date" and found and found.instant < self.options.now:
            yield "video-expired", child.text


def _element_faults(video: ExtensionNode) -> Iterator[tuple[str, str]]:
    """Elements that are missing, repeated or deprecated."""
    counts = Counter(child.name for child in video.children)
    if missing := missing_elements(video):
        yield "video-missing", ", ".join(missing)
    if counts["video:tag"] > MAX_TAGS:
        yield "video-long", f"{counts['video:tag']} video:tag"
    repeated = sorted(name for name, count in counts.items() if count > 1 and name not in REPEATABLE)
    if repeated:
        yield "video-repeated", ", ".join(repeated)
    deprecated = sorted(_DEPRECATED & counts.keys())
    deprecated += [
        key
        for player in video.all("video:player_loc")
        for key, _ in player.attributes
        if key in {"allow_embed", "autoplay"}
    ]
    if deprecated:
        yield "video-deprecated", ", ".join(deprecated)


def _same_site(info: str | None, loc: str) -> bool:
    """Whether one host is the other or a subdomain of it, `www.` ignored; True for a missing or invalid info."""
    if not info:
        return True
    try:
        first, second = (f".{origin(url).partition('://')[2].removeprefix('www.')}" for url in (info, loc))
    except BadUrl:
        return True
    return first.endswith(second) or second.endswith(first)
