"""JSON-LD of a page, read as hostile: sizes, depth and counts are bounded, and what cannot be read states nothing."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec

JsonObject: TypeAlias = Mapping[str, object]

_decode = msgspec.json.Decoder().decode
_PAGE_KEYS = ("@graph", "mainEntity", "mainEntityOfPage")  # whose value describes the page itself
_NO_TEXT = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")  # what no record and no sitemap can hold
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
    stack = [_parsed(block) for block in blocks if word in block and len(block) <= _MAX_SIZE][::-1]
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


def _parsed(text: str) -> object:
    """The faster decoder first; it refuses numbers such as NaN, which this one reads."""
    try:
        return _decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
