"""Pages and entries as JSON text and back: the record columns of the inventory."""

import json
from typing import Any
from zlib import crc32

from sitemap_action.model.page import (
    Alternate,
    Canonical,
    Directive,
    Facts,
    Page,
    PageArticle,
    PageDate,
    PageKind,
    PageVideo,
    Refresh,
    Rendering,
    StatedHead,
)
from sitemap_action.model.sitemap import Entry

_NESTED = {
    "directives": Directive,
    "canonicals": Canonical,
    "alternates": Alternate,
    "dates": PageDate,
    "videos": PageVideo,
    "articles": PageArticle,
}

# Positions of fields whose types JSON does not restore.
_KIND, _INLINKS, _DEPTH, _FACTS = (Page._fields.index(name) for name in ("kind", "inlinks", "depth", "facts"))
_RECORD_TUPLES = tuple((Facts._fields.index(name), kind) for name, kind in _NESTED.items())
_STRING_TUPLES = tuple(Facts._fields.index(name) for name in ("images", "soft404", "blocked_resources"))
_SPELLINGS = Facts._fields.index("other_spellings")
_REFRESH = Facts._fields.index("refresh")
_RENDERING = Facts._fields.index("rendering")
_HEADS = tuple(Rendering._fields.index(name) for name in ("served", "rendered"))
_HEAD_TUPLES = tuple((StatedHead._fields.index(name), _NESTED[name]) for name in StatedHead._fields if name in _NESTED)
_ALTERNATES, _IMAGES, _EXTENSIONS = (Entry._fields.index(name) for name in ("alternates", "images", "extensions"))

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_decode = json.JSONDecoder().raw_decode
_kinds = {kind.value: kind for kind in PageKind}


def encode(value: Page | Entry) -> str:
    return _encoder.encode(value)


def seal(text: str) -> str:
    """A record with its checksum, which the decoder of JSON does not read."""
    return f"{text}{crc32(text.encode()):08x}"


def sealed(text: str) -> bool:
    return text[-8:] == f"{crc32(text[:-8].encode()):08x}"


def decode_page(text: str, inlinks: int, depth: int = 0) -> Page:
    """`inlinks` is counted in its own column while pages are added; `depth`: of a page whose record has none."""
    row, _ = _decode(text)
    row[_KIND] = _kinds[row[_KIND]]
    row[_INLINKS] = inlinks
    row[_DEPTH] = row[_DEPTH] or depth
    if row[_FACTS] is not None:
        row[_FACTS] = _facts(row[_FACTS])
    return Page(*row)


def decode_entry(text: str) -> Entry:
    row, _ = _decode(text)
    row[_ALTERNATES] = tuple(Alternate(*item) for item in row[_ALTERNATES])
    row[_IMAGES] = tuple(row[_IMAGES])
    row[_EXTENSIONS] = tuple(row[_EXTENSIONS])
    return Entry(*row)


def _facts(row: list[Any]) -> Facts:
    for position, kind in _RECORD_TUPLES:
        row[position] = tuple([kind(*item) for item in row[position]])
    for position in _STRING_TUPLES:
        row[position] = tuple(row[position])
    if row[_SPELLINGS]:
        row[_SPELLINGS] = tuple([tuple(item) for item in row[_SPELLINGS]])
    else:
        row[_SPELLINGS] = ()
    if row[_REFRESH] is not None:
        row[_REFRESH] = Refresh(*row[_REFRESH])
    if row[_RENDERING] is not None:
        row[_RENDERING] = _rendering(row[_RENDERING])
    return Facts(*row)


def _rendering(row: list[Any]) -> Rendering:
    for position in _HEADS:
        if row[position] is not None:
            row[position] = _head(row[position])
    return Rendering(*row)


def _head(row: list[Any]) -> StatedHead:
    for position, kind in _HEAD_TUPLES:
        row[position] = tuple([kind(*item) for item in row[position]])
    return StatedHead(*row)
