"""Pages and entries as text and back: what the inventory keeps that SQL never looks into."""

import json
from typing import Any

from sitemap_action.model.page import Alternate, Canonical, Directive, Facts, Kind, Page, PageDate, Refresh
from sitemap_action.model.sitemap import Entry

_NESTED = {"directives": Directive, "canonicals": Canonical, "alternates": Alternate, "dates": PageDate}


def _plain(value: Any) -> list[Any]:
    """A dataclass as the list of its fields, in order; json calls this for whatever it does not know."""
    return [getattr(value, name) for name in value.__slots__]


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False, default=_plain)


def encode(value: Page | Entry) -> str:
    return _encoder.encode(value)


def decode_page(text: str, inlinks: int) -> Page:
    """`inlinks` is counted beside the record, while pages keep arriving."""
    values = dict(zip(Page.__slots__, json.loads(text), strict=True))
    values["kind"] = Kind(values["kind"])
    values["inlinks"] = inlinks
    if values["facts"] is not None:
        values["facts"] = _facts(values["facts"])
    return Page(**values)


def decode_entry(text: str) -> Entry:
    values = dict(zip(Entry.__slots__, json.loads(text), strict=True))
    values["alternates"] = tuple(Alternate(*row) for row in values["alternates"])
    for name in ("images", "extensions"):
        values[name] = tuple(values[name])
    return Entry(**values)


def _facts(row: list[Any]) -> Facts:
    values = dict(zip(Facts.__slots__, row, strict=True))
    for name, kind in _NESTED.items():
        values[name] = tuple(kind(*item) for item in values[name])
    for name in ("images", "soft404"):
        values[name] = tuple(values[name])
    if values["refresh"] is not None:
        values["refresh"] = Refresh(*values["refresh"])
    return Facts(**values)
