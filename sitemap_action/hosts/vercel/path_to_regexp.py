"""The patterns of vercel.json, `/blog/:slug`, `/:path*`, `/(.*)`, as expressions that take linear time."""

import re

import re2

from sitemap_action.hosts.routes import MAX_PATTERN, PathPattern, encoded, usable

_NAME = re.compile(r":(\w+)")
_IN_DESTINATION = re.compile(r":([A-Za-z_]\w*)")
_OPENS = re.compile(r"(?::\w+)?\(\Z")  # the group that a look-ahead stands in
_LOOK_AHEAD = re.compile(r"\(\?!((?:[^()\\]|\\.|\((?:\?:)?(?:[^()\\]|\\.)*\))*)\)")  # one level of groups inside
_PREFIXES = "/."


def pattern_of(source: str) -> PathPattern | None:
    """None for what cannot be read: look-behind, back-references, groups that do not end."""
    if len(source) > MAX_PATTERN or not source.startswith("/"):
        return None
    if not set(source) & set(":({*+?\\"):
        return PathPattern(literal=encoded(source))
    looks = _LOOK_AHEAD.findall(source)
    if not looks:
        expression = _expression(source)
        return usable(expression) if expression else None
    if len(looks) > 1:
        return None
    return _without_look_ahead(source, looks[0])


def unknown_names(destination: str, pattern: PathPattern) -> list[str]:
    """Placeholders of a destination that stand for nothing: the host refuses such a rule."""
    names = re2.compile(pattern.expression).groupindex if pattern.expression else {}
    return [found[0] for found in _IN_DESTINATION.finditer(destination) if found[1] not in names]


def _without_look_ahead(source: str, refused: str) -> PathPattern | None:
    """`/((?!api).*)`: what `/(.*)` matches, but for what begins with `/api`."""
    at = source.index("(?!")
    head = _OPENS.sub("", source[:at])
    expression = _expression(_LOOK_AHEAD.sub("", source))
    before = _expression(head) if head else ""
    if not expression or before is None:
        return None
    ends = refused.endswith("$")
    excluded = usable(f"{before}(?:{refused.removesuffix('$')}){'' if ends else '(?s:.*)'}")
    found = usable(expression)
    return found._replace(excluded=excluded.expression) if found and excluded else None


def _expression(source: str) -> str | None:
    """Groups, names and modifiers as path-to-regexp reads them; None for a modifier of nothing, or an open group."""
    out: list[str] = []
    position, literal = 0, ""
    while position < len(source):
        character = source[position]
        name = _NAME.match(source, position)
        if character == "\\" and position + 1 < len(source):
            literal, position = literal + source[position + 1], position + 2
        elif name or character in "({":
            start = name.end() if name else position
            end = _group_end(source, start)
            if end is None:
                return None
            prefix = literal[-1:] if literal[-1:] and literal[-1] in _PREFIXES and character != "{" else ""
            modifier = source[end] if end < len(source) and source[end] in "*+?" else ""
            out += [_escaped(literal.removesuffix(prefix)), _group(source[start:end], name, prefix, modifier)]
            position, literal = end + bool(modifier), ""
        elif character in "*+?":
            return None
        else:
            literal, position = literal + character, position + 1
    return "".join([*out, _escaped(literal)])


def _group(text: str, name: re.Match[str] | None, prefix: str, modifier: str) -> str:
    """`text`: with its parentheses, "" for the default."""
    before = _escaped(prefix)
    if text.startswith("{"):
        return f"(?:{_escaped(text[1:-1])}){modifier}"
    inner = text[1:-1].removeprefix("?:") if text else "[^/]+?"
    opening = f"(?P<{name[1]}>" if name and not name[1][0].isdigit() else "("
    if modifier in {"", "?"}:
        group = f"{before}{opening}{inner})"
    else:
        group = f"{before}{opening}(?:{inner})(?:{before}(?:{inner}))*)"
    return f"(?:{group})?" if modifier in {"?", "*"} else group


def _group_end(source: str, start: int) -> int | None:
    """Behind the group that begins here; the place itself where none does; None for one that does not end."""
    if start >= len(source) or source[start] not in "({":
        return start
    closing, depth, position = {"(": ")", "{": "}"}[source[start]], 0, start
    while position < len(source):
        depth += (source[position] == source[start]) - (source[position] == closing)
        if not depth:
            return position + 1
        position += 2 if source[position] == "\\" else 1
    return None


def _escaped(text: str) -> str:
    return str(re2.escape(encoded(text))) if text else ""
