"""Images, videos and the article that a page states, for the extensions of its entry (`output.extensions`)."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from sitemap_action.html.json_ld import JsonObject, page_objects, plain, types
from sitemap_action.html.meta_tags import MetaTag
from sitemap_action.model.page import PageArticle, PageVideo

_MAX_VIDEOS = 100
_MAX_TITLE = 1_000
_MAX_DESCRIPTION = 2_048  # VID-02
_MAX_VALUE = 100
_MAX_URL = 4_096
_DURATION = re.compile(r"P(?:(\d{1,3})D)?T?(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,6})(?:\.\d{1,9})?S)?")
_MEDIA_FILE = re.compile(r"\.(?:mp4|m4v|webm|ogv|mov|mpe?g|avi|mkv|3gp|m3u8)", re.IGNORECASE)
_ARTICLES = ("Article", "BlogPosting", "Report")
_PUBLISHED = "article:published_time"
_VIDEO_KEYS = ("og:video:secure_url", "og:video:url", "og:video")
_IMAGE_KEYS = ("og:image:secure_url", "og:image:url", "og:image")


class _Properties(NamedTuple):
    """The first <meta> of each property."""

    values: dict[str, str]

    def first(self, *keys: str) -> str:
        return next((self.values[key] for key in keys if self.values.get(key)), "")


def stated_videos(
    json_ld: Sequence[str], metas: Sequence[MetaTag], resolve: Callable[[list[str]], list[str]]
) -> tuple[PageVideo, ...]:
    """Of JSON-LD; where that has none, the first of Open Graph. Addresses are resolved, "" for one that is no URL."""
    objects = (one for one in page_objects(json_ld, "VideoObject", ("video",)) if "VideoObject" in types(one))
    found = [_of_object(one) for one in islice(objects, _MAX_VIDEOS)] or list(_of_open_graph(metas))
    return tuple(dict.fromkeys(video._replace(**_resolved(video, resolve)) for video in found))


def stated_articles(json_ld: Sequence[str], metas: Sequence[MetaTag], title: str) -> tuple[PageArticle, ...]:
    """At most one: with the day on which it was published, and its title."""
    properties = _properties(metas)
    headline = published = ""
    for one in page_objects(json_ld, "datePublished"):
        if any(name.endswith(_ARTICLES) for name in types(one)) and (published := _text(one, "datePublished")):
            headline = _text(one, "headline", "name")
            break
    published = properties.first(_PUBLISHED) or published
    if not published:
        return ()
    text = headline or properties.first("og:title") or title
    return (PageArticle(_clean(published, _MAX_VALUE), _clean(text, _MAX_TITLE)),)


def _of_object(value: JsonObject) -> PageVideo:
    return PageVideo(
        thumbnail=_text(value, "thumbnailUrl") or _text(_inner(value, "thumbnail"), "contentUrl", "url"),
        title=_clean(_text(value, "name", "headline"), _MAX_TITLE),
        description=_clean(_text(value, "description"), _MAX_DESCRIPTION),
        content=_text(value, "contentUrl"),
        player=_text(value, "embedUrl"),
        duration=_seconds(_text(value, "duration")),
        published=_clean(_text(value, "uploadDate", "datePublished"), _MAX_VALUE),
        expires=_clean(_text(value, "expires"), _MAX_VALUE),
    )


def _of_open_graph(metas: Sequence[MetaTag]) -> Iterator[PageVideo]:
    properties = _properties(metas)
    url, kind = properties.first(*_VIDEO_KEYS), properties.first("og:video:type").lower()
    is_file = kind.startswith("video/") or (not kind and _MEDIA_FILE.search(url.partition("?")[0][-6:]) is not None)
    if url and (is_file or not kind or kind.startswith("text/html")):
        yield PageVideo(
            thumbnail=properties.first(*_IMAGE_KEYS),
            title=_clean(properties.first("og:title"), _MAX_TITLE),
            description=_clean(properties.first("og:description"), _MAX_DESCRIPTION),
            content=url if is_file else "",
            player="" if is_file else url,
            duration=_seconds(properties.first("og:video:duration", "video:duration")),
        )


def _properties(metas: Sequence[MetaTag]) -> _Properties:
    return _Properties({meta.key: meta.content for meta in reversed(metas)})


def _resolved(video: PageVideo, resolve: Callable[[list[str]], list[str]]) -> dict[str, str]:
    names = ("thumbnail", "content", "player")
    given = [(name, value) for name in names if (value := getattr(video, name))]
    urls = resolve([plain(value) if len(value) <= _MAX_URL else "" for _, value in given])
    return {name: url or "" for (name, value), url in zip(given, urls, strict=True)}


def _text(value: JsonObject, *keys: str) -> str:
    """The first of some values that is a text, or a list that starts with one."""
    for key in keys:
        found = value.get(key)
        if isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, str) and found.strip():
            return found.strip()
    return ""


def _inner(value: JsonObject, key: str) -> JsonObject:
    found = value.get(key)
    if isinstance(found, list) and found:
        found = found[0]
    return found if isinstance(found, dict) else {}


def _clean(text: str, most: int) -> str:
    return plain(text[: 4 * most])[:most].rstrip()


def _seconds(text: str) -> str:
    """A duration of ISO 8601, or a number of seconds; "" for any other."""
    if text.isascii() and text.isdigit():
        return text[:_MAX_VALUE]
    match = _DURATION.fullmatch(text)
    if match is None:
        return ""
    days, hours, minutes, seconds = (int(part or "0") for part in match.groups())
    return str(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
