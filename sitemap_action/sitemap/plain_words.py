"""Schema errors in plain words: one sentence for each class of failure, with the value."""

import re
from typing import Any

from sitemap_action.sitemap.faults import truncate
from sitemap_action.sitemap.namespaces import SITEMAP

_ORDER = ("loc", "lastmod", "changefreq", "priority")
_QUOTED = re.compile(r"'([^']*)'")
_FREQUENCIES = "always, hourly, daily, weekly, monthly, yearly, never"
_VALUES = {
    # element of the protocol → what its value must be
    "loc": "a URL of 12 to 2,048 characters, with every % before two hexadecimal digits",
    "lastmod": "a date such as 2024-05-17, or 2024-05-17T09:30:00+02:00",
    "changefreq": f"one of {_FREQUENCIES}, in small letters without white space",
    "priority": "a decimal number from 0.0 to 1.0",
}


def sentence(error: Any) -> str:
    """An error of xmlschema; its own words where no class is known."""
    name, kind = _short(str(error.elem.tag)) if error.elem is not None else "", type(error.validator).__name__
    if kind == "XsdAttributeGroup":
        return _attributes(name, error.reason or "")
    if kind == "XsdGroup":
        return _content(name, error)
    if kind.startswith("XMLSchema"):
        return f"<{name}> is {_namespace(str(error.elem.tag))}, and the schema knows no such root"
    if "child elements" in (error.reason or ""):
        return f"<{name}> holds an element; it may hold text alone"
    if name in _VALUES and str(error.elem.tag).startswith(f"{{{SITEMAP}}}"):
        return _value(name, error.elem.text or "")
    return f"<{name}> {_shown(str(error.obj))}: {truncate(error.reason or 'the schema does not allow it')}"


def line_of(error: Any) -> int:
    """Of the child that is unexpected, else of the element itself."""
    unexpected = getattr(error, "invalid_tag", None)
    children = [child for child in error.elem if child.tag == unexpected] if unexpected else []
    late = [child for child in children if error.elem.index(child) >= error.index]
    return int((*late, *children, error.elem)[0].sourceline or 0)


def _value(name: str, text: str) -> str:
    if not text.strip():
        return f"<{name}> is empty; it must be {_VALUES[name]}"
    if name == "loc" and not 12 <= len(text.strip()) <= 2048:
        return f"<loc> {_shown(text)} has {len(text.strip()):,} characters; it must be {_VALUES[name]}"
    return f"<{name}> is {_shown(text)}; it must be {_VALUES[name]}"


def _content(name: str, error: Any) -> str:
    """Children that are missing, unexpected or out of order, and text between them."""
    unexpected = _short(str(getattr(error, "invalid_tag", None) or ""))
    if not unexpected:
        if "character data" in (error.reason or ""):
            text = " ".join((error.elem.text or "", *(child.tail or "" for child in error.elem))).strip()
            return f"there is text in <{name}>, where only elements are allowed: {_shown(text)}"
        expected = [_short(one.name) for one in getattr(error, "expected", None) or () if one.name]
        return f"<{name}> ends without {_listed(expected) or 'an element that it must have'}"
    if unexpected in {"url": _ORDER, "sitemap": _ORDER[:2]}.get(name, ()):
        before = [_short(str(child.tag)) for child in error.elem if isinstance(child.tag, str)][: error.index]
        if unexpected in before:
            return f"<{name}> has <{unexpected}> twice; each element occurs once"
        order = ", ".join(_ORDER if name == "url" else _ORDER[:2])
        return f"<{unexpected}> is out of order in <{name}>: {order}, then extensions"
    if name in {"urlset", "sitemapindex"} and unexpected in {"url", "sitemap"}:
        return f"<{name}> has a <{unexpected}>; a urlset holds <url> alone, an index <sitemap> alone"
    return f"<{unexpected}> is no element of <{name}>, or stands where none may"


def _attributes(name: str, reason: str) -> str:
    quoted = _QUOTED.search(reason)
    attribute = truncate(quoted[1], 60) if quoted else ""
    if "not allowed" in reason:
        return f"<{name}> may not have the attribute {attribute}"
    return f"<{name}>, attribute {attribute}: {truncate(reason)}"


def _listed(names: list[str]) -> str:
    return " or ".join(f"<{name}>" for name in names[:5])


def _namespace(tag: str) -> str:
    return f"in the namespace {truncate(tag[1:].partition('}')[0], 100)}" if tag.startswith("{") else "in no namespace"


def _short(tag: str) -> str:
    """Without its namespace, and short enough to print."""
    return truncate(tag.rpartition("}")[2], 60)


def _shown(text: str) -> str:
    return f"“{truncate(' '.join(text.split()), 80)}”" if text.strip() else "“”"
