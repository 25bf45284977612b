"""What a video of a sitemap must have, and the values of its elements (VID-01…06)."""

import re
from collections.abc import Iterator

from sitemap_action.sitemap.extensions import ExtensionNode
from sitemap_action.sitemap.language_codes import REGIONS
from sitemap_action.web.urls import BadUrl, normalize

REQUIRED = ("video:thumbnail_loc", "video:title", "video:description")
MEDIA_URLS = ("video:content_loc", "video:player_loc")
_ADDRESSES = frozenset(("video:thumbnail_loc", *MEDIA_URLS))
_ABSOLUTE = re.compile(r"\s*[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/?#]")
REPEATABLE = frozenset(("video:tag", "video:id", "video:price", "video:content_segment_loc"))
MAX_TAGS = 32
_LENGTHS = {"video:description": 2048, "video:uploader": 255}
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}")


def _duration(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= 28_800


def _rating(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and float(text) <= 5


def _yes_no(text: str) -> bool:
    return text.lower() in {"yes", "no"}


_VALUES = {
    "video:duration": _duration,
    "video:rating": _rating,
    "video:live": _yes_no,
    "video:requires_subscription": _yes_no,
    "video:family_friendly": _yes_no,
}
_LISTS = {"video:restriction": REGIONS, "video:platform": frozenset(("web", "mobile", "tv"))}
DATES = ("video:publication_date", "video:expiration_date")


def missing_elements(video: ExtensionNode) -> list[str]:
    """Required ones, by name (VID-01)."""
    names = {child.name for child in video.children}
    missing = [name for name in REQUIRED if name not in names]
    if names.isdisjoint(MEDIA_URLS):
        missing.append("video:content_loc or video:player_loc")
    return missing


def value_faults(child: ExtensionNode) -> Iterator[tuple[str, str]]:
    """Invalid text or attributes of one element."""
    if child.name in _ADDRESSES and not _ABSOLUTE.match(child.text):
        yield "video-url", f"{child.name}: {child.text}"
    if len(child.text) > _LENGTHS.get(child.name, len(child.text)):
        yield "video-long", f"{child.name} has {len(child.text):,} characters"
    valid = _VALUES.get(child.name)
    if valid and not valid(child.text):
        yield "video-value", f"{child.name}: {child.text}"
    allowed = _LISTS.get(child.name)
    values = child.text.split()
    if allowed and (child.get("relationship") not in {"allow", "deny"} or not values or not allowed.issuperset(values)):
        yield "video-restriction", f"{child.name}: {child.text}"


def same_url(first: str, second: str) -> bool:
    try:
        return normalize(first) == normalize(second)
    except BadUrl:
        return False
