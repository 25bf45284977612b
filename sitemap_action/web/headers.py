"""Response headers about a document: Content-Type, Link, others."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from sitemap_action.model.lazy_re import lazy_re

Headers: TypeAlias = Sequence[tuple[str, str]]
"""Names in lower case; a repeated header is repeated here, never joined by a comma (HTML-12)."""

_CHARSET = lazy_re(r""";\s*charset\s*=\s*(?:"([^"]*+)|([^\s;"]*+))""", re.IGNORECASE)
_TYPE = lazy_re(r"\s*[\w!#$%&'*+.^`|~-]+/[\w!#$%&'*+.^`|~-]+\s*(?:;|\Z)", re.ASCII)
_TARGET = lazy_re(r"[\s,]*+<([^>]*+)>")
_PARAMETER = lazy_re(
    r"""\s*+;\s*+([^\s=;,"]*+)\s*+(?:=\s*+(?:"((?:[^"\\]|\\.)*+)"?|([^\s;,"]*+)))?""",
    re.DOTALL,
)
_ESCAPED = lazy_re(r"\\(.)", re.DOTALL)


def header_values(headers: Headers, name: str) -> list[str]:
    return [value for key, value in headers if key == name]


def content_type(headers: Headers) -> tuple[str, str]:
    """Media type in lower case and charset label, each "" if missing; of several the last (Fetch standard).

    Also of several in one header, as a proxy joins them.
    """
    found = header_values(headers, "content-type")
    return _content_type(found[-1]) if found else ("", "")


def header_links(headers: Headers) -> list[tuple[str, Mapping[str, str]]]:
    """(href, parameters) of the links of all Link headers, in order (HTML-33, RFC 8288 §3 and appendix B.2).

    Names of parameters are in lower case, and of equal ones the first counts. A comma inside `<…>` or quotes is no
    separator; an unclosed quote runs to the end.
    """
    found: list[tuple[str, Mapping[str, str]]] = []
    for value in header_values(headers, "link"):
        at = 0
        while at >= 0 and (target := _TARGET.match(value, at)) is not None:
            at = target.end()
            parameters: dict[str, str] = {}
            while (parameter := _PARAMETER.match(value, at)) is not None:
                at = parameter.end()
                quoted, token = parameter[2], parameter[3]
                text = token or "" if quoted is None else _ESCAPED.sub(r"\1", quoted)
                parameters.setdefault(parameter[1].lower(), text)
            found.append((target[1].strip(), parameters))
            at = value.find(",", at)
    return found


@lru_cache(maxsize=64)
def _content_type(value: str) -> tuple[str, str]:
    if "," in value:
        value = next((one for one in reversed(value.split(",")[1:]) if _TYPE.match(one)), value)
    charset = _CHARSET.search(value)
    return value.partition(";")[0].strip().lower(), (charset[1] or charset[2] or "") if charset else ""
