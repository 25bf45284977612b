r"""Patterns over URLs, as users write them to include, exclude or name pages: globs, or `re:` and a regular expression.

========================  =============================================================================================
`/blog/*`                 starts with `/`: the URL's path, whole, counted from the root of the host
`/search?page=*`          has a `?`: path and query; the `?` is that character, never a wildcard
`https://x.com/blog/**`   starts with `http://` or `https://`: the same, together with scheme, host and port
`*`                       any run of characters without `/`
`**`                      any run of characters; `/**/` is also one `/`, and `/blog/**` also `/blog/` but not `/blog`
`{a,b}`                   one of the alternatives, which may be empty, hold other wildcards, and nest
`re:^/\d+/`               searched for in path and query; linear time, so no look-around and no back-reference
========================  =============================================================================================

A pattern matches a whole URL, not a prefix: `/exclude` is that one page, not `/exclude-me.html`. Case and the final
slash count (URL-21, URL-25). Patterns and URLs are compared in normal form: `/ü`, `/%c3%bc` and `/%C3%BC` are one
pattern. A glob without `?` matches a page whatever its query.
"""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal
from urllib.parse import unquote_plus

import re2
from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.web.urls import BadUrl, encode, normalize

_MAX_MEMORY = 32 << 20  # bytes, for all compiled patterns of one set; the library's default is 8 MiB
_ABSOLUTE = lazy_re(r"(https?)://([^/?]*)(.*)", re.IGNORECASE | re.DOTALL)
_PIECE = lazy_re(r"/(?:\*{2,}/)+|\*+|[{},?]|(?:[^*{},?/]|/(?!\*{2,}/))+")
_DOT_SEGMENT = lazy_re(r"/\.\.?(?:[/?]|$)")
_USER = lazy_re(r"//[^/]*@")


_Target = Literal["path_query", "url"]


class BadPattern(ValueError):  # noqa: N818  describes the pattern, not a failure of the program
    """A pattern that cannot be used; `str()` names it and gives the reason."""


class Patterns(Struct, frozen=True, eq=False):
    """Several patterns as one matcher, in the order of the list."""

    patterns: tuple[str, ...]
    _path_query: "_Matcher | None"  # patterns over path and query
    _url: "_Matcher | None"  # patterns with a host

    def match(self, url: str) -> str | None:
        """The first listed pattern that matches the URL, as written; None when none does. Raises BadUrl."""
        if not self.patterns:
            return None
        url = normalize(url)
        found = self._path_query.first(url[url.index("/", 8) :]) if self._path_query else None
        if self._url:
            by_url = self._url.first(url)
            found = by_url if found is None else found if by_url is None else min(found, by_url)
        return None if found is None else self.patterns[found]

    def __reduce__(self) -> tuple[object, ...]:
        return compile_patterns, (self.patterns,)  # compiled patterns cannot be pickled


def compile_patterns(patterns: Sequence[str]) -> Patterns:
    """Raises BadPattern for the first pattern that cannot be used."""
    expressions: dict[_Target, dict[int, str]] = {"path_query": {}, "url": {}}
    for number, pattern in enumerate(patterns):
        try:
            target, expression = _translate(pattern)
        except (BadPattern, BadUrl) as error:
            shown = _USER.sub("//…@", pattern)  # URL-20
            raise BadPattern(f"pattern {shown!r}: {error}") from None
        expressions[target][number] = expression
    return Patterns(tuple(patterns), _matcher(expressions["path_query"]), _matcher(expressions["url"]))


class _Matcher:
    """Expressions that match whole texts, compiled into one automaton."""

    def __init__(self, expressions: dict[int, str]) -> None:
        self._numbers = tuple(expressions)
        self._set = re2.Set.FullMatchSet(linear_options())
        for expression in expressions.values():
            self._set.Add(expression)
        self._set.Compile()  # also builds the automaton: later, a lack of memory would not be reported

    def first(self, text: str) -> int | None:
        found = self._set.Match(text)
        return self._numbers[min(found)] if found else None


def _matcher(expressions: dict[int, str]) -> _Matcher | None:
    if not expressions:
        return None
    try:
        return _Matcher(expressions)
    except re2.error:
        raise BadPattern(f"{len(expressions)} patterns are too large together; use fewer or shorter ones") from None


def linear_options() -> re2.Options:
    """The options of RE2 for patterns that anybody may have written."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    return options


def _translate(pattern: str) -> tuple[_Target, str]:
    """The part of a URL that the pattern is compared with, and the expression that has to match all of it."""
    if pattern.startswith("re:"):
        return "path_query", _expression(pattern[3:])
    if pattern.startswith("/"):
        return "path_query", _glob(pattern)
    if match := _ABSOLUTE.fullmatch(pattern):
        scheme, host, path = match.groups()
        return "url", _host(scheme.lower(), host) + _glob(path if path.startswith("/") else "/" + path)
    suggestion = f"/**/{pattern}" if pattern.startswith("*.") else "/" + pattern.lstrip("./")
    raise BadPattern(f"it starts with none of /, https://, http:// and re:; perhaps you meant {suggestion!r}")


def _expression(text: str) -> str:
    if not text:
        raise BadPattern("there is no regular expression after re:")
    if not text.isascii():
        raise BadPattern("URLs are compared percent-encoded; write %C3%BC for ü")
    wrapped = f"(?s:.*)(?:{text})(?s:.*)"
    try:
        re2.compile(text, linear_options())  # first without the wrapping, which would hide the error in `a)(b`
        re2.compile(wrapped, linear_options())
    except re2.error as error:
        raise BadPattern(f"the regular expression is not valid: {error.args[0].decode()}") from None
    return wrapped


def _host(scheme: str, host: str) -> str:
    if "@" in host:
        raise BadPattern("it has a user name or password")  # URL-20
    if "*" not in host and "{" not in host:
        return _escape(normalize(f"{scheme}://{host}")[:-1])
    if not host.isascii():
        raise BadPattern("a host with wildcards is written in ASCII, xn--exmple-cua.com for exämple.com")
    return _escape(f"{scheme}://") + _wildcards(host.lower())


def _glob(text: str) -> str:
    if "\\" in text:
        raise BadPattern("a URL has no backslash; write / between directories, or use re:")
    if "#" in text:
        raise BadPattern("a URL is compared without its fragment; leave out # and what follows, or write %23")
    if _DOT_SEGMENT.search(text.partition("?")[0]):
        raise BadPattern("a URL has no . or .. as directory; write the path from the root of the host")
    return _wildcards(text) + ("" if "?" in text else r"(?:\?(?s:.*))?")


def _wildcards(text: str) -> str:
    out, depth, in_query = [], 0, False
    for piece in _PIECE.findall(text):
        depth += {"{": 1, "}": -1}.get(piece, 0)
        in_query |= piece == "?"
        if depth < 0:
            raise BadPattern("a } has no { before it")
        out.append(_piece(piece, in_braces=depth > 0, in_query=in_query))
    if depth:
        raise BadPattern("a { has no } after it")
    return "".join(out)


def _piece(piece: str, *, in_braces: bool, in_query: bool) -> str:
    any_run, run = ("(?s:.*)", "[^/]*") if in_query else ("[^?]*", "[^/?]*")
    if piece.startswith("/**"):
        return f"/(?:{any_run}/)?"
    if piece.startswith("*"):
        return run if len(piece) == 1 else any_run
    if piece == "," and not in_braces:
        return ","
    if piece in "{,}":
        return {"{": "(?:", ",": "|", "}": ")"}[piece]
    literal = encode(piece)
    return _escape(literal.replace("'", "%27") if in_query else literal)  # URL-08


def _escape(text: str) -> str:
    return str(re2.escape(text))


class Query(Struct, frozen=True):
    """Which parameters belong to a URL: `allow` None for all of them (`select.query`, `select.drop-params`)."""

    allow: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As `select.query` has it."""
        if self.allow is None:
            return "keep"
        return f"{{allow: [{', '.join(self.allow)}]}}" if self.allow else "drop"

    def clean(self, url: str) -> str:
        """URL-23, URL-24: the URL without parameters that do not make a page of their own."""
        path, question, query = url.partition("?")
        if not question or (self.allow is None and not self.drop):
            return url
        query = filter_query(query, self.allow, self.drop)
        return f"{path}?{query}" if query else path


def filter_query(query: str, allow: Sequence[str] | None, drop: Sequence[str]) -> str:
    """The query with the allowed parameters alone, unchanged and in order; `allow` None allows all, () none.

    Names are compared decoded and case-sensitively; `*` in a pattern matches any run of characters.
    """
    parameters = query.split("&") if query else []
    return "&".join(parameter for parameter in parameters if _is_allowed(parameter, allow, drop))


def _is_allowed(parameter: str, allow: Sequence[str] | None, drop: Sequence[str]) -> bool:
    name = unquote_plus(parameter.partition("=")[0])
    if any(fnmatchcase(name, pattern) for pattern in drop):
        return False
    return allow is None or any(fnmatchcase(name, pattern) for pattern in allow)


# Which page a source file makes: a glob of sources and a glob of pages, whose wildcards carry over in order.

_WILDCARD = lazy_re(r"((?:(?<=/)|^)\*{2,}/|\*+)")
_SOURCE_PIECE = lazy_re(r"(?:(?<=/)|^)\*{2,}/|\*+|[{},]|[^*{},]+")
_SLASHES = lazy_re(r"/{2,}")
_ENDINGS = (".html", ".htm")
_MAX_LENGTH = 4096  # characters of a path


class BadSourceMap(ValueError):  # noqa: N818  describes the pair, not a failure of the program
    """A pair of globs that cannot be used; `str()` gives the reason."""


class SourceRule(Struct, frozen=True):
    """Sources that match `source` make the page that `page` becomes with what the wildcards stand for."""

    source: str  # path from the top of the tree, `docs/**.md`; `{a,b}` is one of the two
    page: str  # path on the site, `/docs/**`
    strip: str = ""  # expression for what a generator takes from the start of each name
    plain: bool = False  # names in lower case, with - for a space


class SourcePages:
    """Several rules, of which the first that matches a source counts."""

    def __init__(self, rules: Iterable[SourceRule]) -> None:
        """Raises BadSourceMap."""
        self._rules = [
            (rule, _literals(rule.source), _compile_source(rule), _WILDCARD.split(rule.page)) for rule in rules
        ]

    def page(self, path: str) -> str:
        """The key of the page that a source makes; "" for one that makes none."""
        if not self._rules or len(path) > _MAX_LENGTH or not path.isprintable():
            return ""
        for rule, literals, source, page in self._rules:
            if all(text in path for text in literals) and (found := source.fullmatch(path)):
                return _fill_page(rule, page, [part or "" for part in found.groups()])
        return ""


def page_key(path: str) -> str:
    """The key of a page, from its URL path; final slash, `.html` and `index` do not matter. It begins with a slash."""
    path = path.rstrip("/")
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    return path.removesuffix("/index") or "/"


def _fill_page(rule: SourceRule, page: Sequence[str], parts: Sequence[str]) -> str:
    if rule.strip:
        parts = [re.sub(rf"(?:(?<=/)|^)(?:{rule.strip})", "", part) for part in parts]
    if rule.plain:
        parts = [part.lower().replace(" ", "-") for part in parts]
    pieces = list(page)
    for number, part in zip(range(1, len(page), 2), parts, strict=False):
        pieces[number] = f"{part}/" if page[number].endswith("/") else part
    try:
        return page_key(encode(_SLASHES.sub("/", "".join(pieces))))
    except BadUrl:
        return ""


def _compile_source(rule: SourceRule) -> Any:
    if not rule.page.startswith("/"):
        raise BadSourceMap(f"the page {rule.page!r} does not begin with /")
    if set(rule.page) & set("?#{}\\"):
        raise BadSourceMap(f"the page {rule.page!r} has more than a path with * and **")
    if rule.source.startswith("/") or "\\" in rule.source or ".." in rule.source.split("/"):
        raise BadSourceMap(f"the source {rule.source!r} is no path from the top of the repository, such as docs/**.md")
    if len(_WILDCARD.findall(rule.page)) > len(_WILDCARD.findall(rule.source)):
        raise BadSourceMap(f"the page {rule.page!r} has more wildcards than the source {rule.source!r}")
    try:
        return re2.compile(_source_expression(rule.source), linear_options())
    except re2.error:
        raise BadSourceMap(f"the source {rule.source!r} is too large") from None


def _literals(source: str) -> list[str]:
    """What every match holds; looking for it costs a hundredth of a match."""
    outside = re.sub(r"\{[^{}]*\}", "*", source)
    return sorted({text for text in _WILDCARD.split(outside)[::2] if text}, key=len, reverse=True)


def _source_expression(source: str) -> str:
    out, depth = [], 0
    for piece in _SOURCE_PIECE.findall(source):
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth not in (0, 1):
            raise BadSourceMap(f"the source {source!r} has braces that do not fit")
        if piece.endswith("*/"):
            out.append("(?:((?s:.)*?)/)?")
        elif piece.startswith("*"):
            out.append("([^/]*?)" if piece == "*" else "((?s:.)*?)")
        elif piece in "{}" or (piece == "," and depth):
            out.append({"{": "(?:", "}": ")", ",": "|"}[piece])
        else:
            out.append(str(re2.escape(piece)))
    if depth:
        raise BadSourceMap(f"the source {source!r} has braces that do not fit")
    return "".join(out)


class Versions:
    """The versions of a documentation on one site, by the folders that `versions` of the config names (VER-01, VER-02).

    `*` in a folder is any run of characters within one segment; everything below belongs to it.
    """

    def __init__(self, site_url: str, current: str = "", old: Sequence[str] = (), drafts: Sequence[str] = ()) -> None:
        """Folders below site-url, with a slash at both ends; `current`: "" for site-url itself."""
        self._site_url, self._current, self._depth = site_url, site_url + current[1:], current.count("/")
        self._folders = {f"{site_url}{one[1:]}**": one for one in (*old, *drafts)}
        self._old = frozenset(old)
        self._patterns = compile_patterns(tuple(self._folders))

    def find_folder(self, url: str) -> str:
        """The folder of an old version or a draft that a page is in, as the config has it; "" for none.

        The folder of the current version and one of another may be in each other, as `/docs/` and `/docs/1.0/`, or
        `/v*/` and `/v3/`: the deeper one counts, and of two at one depth the current one.
        """
        folder = self._folders.get(self._patterns.match(url) or "", "") if self._folders else ""
        is_current = self._current != self._site_url and url.startswith(self._current)
        return "" if is_current and folder.count("/") <= self._depth else folder

    def find_current(self, url: str) -> str:
        """Where the current version has the page that is in an old one; "" for any other page."""
        folder = self.find_folder(url)
        if folder not in self._old:
            return ""
        return self._current + url[len(self._site_url) :].split("/", folder.count("/") - 1)[-1]
