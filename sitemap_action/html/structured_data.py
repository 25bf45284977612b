"""What a page states in JSON-LD and metadata: dates (DIFF-32), and images, videos and articles for its entry."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

import msgspec
from turbohtml import Element

from sitemap_action.html.head import MetaTag
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import PageArticle, PageDate, PageVideo
from sitemap_action.web.headers import Headers, header_values

JsonObject: TypeAlias = Mapping[str, object]

_decode = msgspec.json.Decoder().decode
_PAGE_KEYS = ("@graph", "mainEntity", "mainEntityOfPage")  # whose value describes the page itself
_NO_TEXT = lazy_re("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")  # what no record and no sitemap can hold
_MAX_SIZE = 1 << 20  # characters of one block
_MAX_VALUES = 10_000  # of one page


def is_json_ld(script_type: str | None) -> bool:
    """Whether the `type` of a <script> is that of JSON-LD."""
    return script_type is not None and script_type.partition(";")[0].strip().lower() == "application/ld+json"


def page_objects(blocks: Iterable[str], word: str, more_keys: tuple[str, ...] = ()) -> Iterator[JsonObject]:
    """Every object about the page itself, not about the pages that it lists, in order; of blocks that have a word.

    `more_keys`: whose values are about the page too.
    """
    keys = (*_PAGE_KEYS, *more_keys)[::-1]
    stack = [_parse(block) for block in blocks if word in block and len(block) <= _MAX_SIZE][::-1]
    left = _MAX_VALUES
    while stack and left > 0:
        left -= 1
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(value[:left][::-1])
        elif isinstance(value, dict):
            yield value
            stack.extend(value[key] for key in keys if key in value)


def types(value: JsonObject) -> list[str]:
    """The names of an object's types, without the address of their vocabulary."""
    found = value.get("@type")
    names = found[:10] if isinstance(found, list) else [found]
    return [name.rpartition("/")[2] for name in names if isinstance(name, str)]


def plain(text: str) -> str:
    """A text of JSON in one line, without control characters and lone surrogates."""
    return " ".join(_NO_TEXT.sub(" ", text).split())


def _parse(text: str) -> object:
    """The faster decoder first; it refuses numbers such as NaN, which this one reads."""
    try:
        return _decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


MAX_DATES = 32  # a page with more dates is a list of other things
_MAX_LENGTH = 100  # characters
LAST_MODIFIED = "last-modified"
_META_KEYS = {"article:modified_time": "article:modified_time", "datemodified": "dateModified"}


def read_dates(
    metas: Iterable[MetaTag], times: Sequence[Element], json_ld: Sequence[str], headers: Headers
) -> tuple[PageDate, ...]:
    """The dates of a page in order of trust: metadata, JSON-LD, <time>, header; each once."""
    found = [(_META_KEYS[meta.key], meta.content) for meta in metas if meta.key in _META_KEYS]
    for one in page_objects(json_ld, "dateModified") if json_ld else ():
        date = one.get("dateModified")
        if isinstance(date, str) and date.strip():
            found.append(("dateModified", plain(date[:_MAX_LENGTH])))
    if times:
        found += map(_time_date, times[:MAX_DATES])
    dates = [PageDate(source, value[:_MAX_LENGTH]) for source, value in found if value]
    return tuple(dict.fromkeys((*dates, *header_dates(headers))))[:MAX_DATES]


def header_dates(headers: Headers) -> list[PageDate]:
    values = header_values(headers, LAST_MODIFIED)
    return [PageDate(LAST_MODIFIED, value[:_MAX_LENGTH]) for value in values if value]


def _time_date(time: Element) -> tuple[str, str]:
    modified = "dateModified" in (time.attr("itemprop") or "").split()
    value = time.attr("datetime")
    return "dateModified" if modified else "time", (time.text if value is None else value).strip()


_MAX_VIDEOS = 100
_MAX_TITLE = 1_000
_MAX_DESCRIPTION = 2_048  # VID-02
_MAX_VALUE = 100
_MAX_URL = 4_096
_DURATION = lazy_re(r"P(?:(\d{1,3})D)?T?(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,6})(?:\.\d{1,9})?S)?")
_MEDIA_FILE = lazy_re(r"\.(?:mp4|m4v|webm|ogv|mov|mpe?g|avi|mkv|3gp|m3u8)", re.IGNORECASE)
_ARTICLES = ("Article", "BlogPosting", "Report")
_PUBLISHED = "article:published_time"
_VIDEO_KEYS = ("og:video:secure_url", "og:video:url", "og:video")
_IMAGE_KEYS = ("og:image:secure_url", "og:image:url", "og:image")


def read_videos(
    json_ld: Sequence[str], metas: Sequence[MetaTag], resolve: Callable[[list[str]], list[str]]
) -> tuple[PageVideo, ...]:
    """The videos of JSON-LD; where that has none, the first of Open Graph.

    Addresses are resolved, "" for one that is no URL.
    """
    objects = (one for one in page_objects(json_ld, "VideoObject", ("video",)) if "VideoObject" in types(one))
    found = [_object_video(one) for one in islice(objects, _MAX_VIDEOS)] or list(_open_graph_videos(metas))
    return tuple(dict.fromkeys(video._replace(**_resolve_addresses(video, resolve)) for video in found))


def read_articles(json_ld: Sequence[str], metas: Sequence[MetaTag], title: str) -> tuple[PageArticle, ...]:
    """The article that a page is, at most one: the day on which it was published, and its title."""
    properties = _properties(metas)
    headline = published = ""
    for one in page_objects(json_ld, "datePublished"):
        if any(name.endswith(_ARTICLES) for name in types(one)) and (published := _text(one, "datePublished")):
            headline = _text(one, "headline", "name")
            break
    published = properties(_PUBLISHED) or published
    if not published:
        return ()
    text = headline or properties("og:title") or title
    return (PageArticle(_clean(published, _MAX_VALUE), _clean(text, _MAX_TITLE)),)


def _object_video(value: JsonObject) -> PageVideo:
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


def _open_graph_videos(metas: Sequence[MetaTag]) -> Iterator[PageVideo]:
    properties = _properties(metas)
    url, kind = properties(*_VIDEO_KEYS), properties("og:video:type").lower()
    is_file = kind.startswith("video/") or (not kind and _MEDIA_FILE.search(url.partition("?")[0][-6:]) is not None)
    if url and (is_file or not kind or kind.startswith("text/html")):
        yield PageVideo(
            thumbnail=properties(*_IMAGE_KEYS),
            title=_clean(properties("og:title"), _MAX_TITLE),
            description=_clean(properties("og:description"), _MAX_DESCRIPTION),
            content=url if is_file else "",
            player="" if is_file else url,
            duration=_seconds(properties("og:video:duration", "video:duration")),
        )


def _properties(metas: Sequence[MetaTag]) -> Callable[..., str]:
    """A function from the names of properties to the first <meta> that has one of them; "" for none."""
    values = {meta.key: meta.content for meta in reversed(metas)}
    return lambda *keys: next((values[key] for key in keys if values.get(key)), "")


def _resolve_addresses(video: PageVideo, resolve: Callable[[list[str]], list[str]]) -> dict[str, str]:
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
