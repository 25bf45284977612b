"""Redirects in JSON and JavaScript: the lists of Vercel, Firebase and Azure, and those of Docusaurus and Astro."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar
from urllib.parse import quote, unquote

from sitemap_action.hosts.literals import (
    Literal,
    ScriptReader,
    indent_of,
    indent_step,
    insert_items,
    object_text,
    pair_row,
    quote_text,
    unquote_text,
)
from sitemap_action.hosts.redirect_edits import (
    CannotEditError,
    Redirect,
    RedirectPlace,
    Row,
    Spelled,
    line_end,
)
from sitemap_action.hosts.routes import decode_path, normalize_path
from sitemap_action.hosts.ruled_host import without_slash
from sitemap_action.model.lazy_re import lazy_re


class ObjectRules:
    """A list of objects in a JSON file of a host, the first that matches decides."""

    path: ClassVar[tuple[str, ...]]  # keys of the list
    sources: ClassVar[tuple[str, ...]]
    target: ClassVar[str]
    special: ClassVar[re.Pattern[str]]  # what stands for more than itself in a source
    status: ClassVar[tuple[tuple[str, str], ...]]  # fields of a permanent redirect
    below: ClassVar[tuple[str, str] | None] = None  # what stands for the rest of a path in source and target
    limit: ClassVar[tuple[int, str]] = (100_000, "")
    refuses: ClassVar[tuple[str, str]] = ("", "")  # a key beside which the host takes none, and why
    special_target: ClassVar[re.Pattern[str]] = lazy_re(r":[A-Za-z]")  # what stands for a part of the source

    def read(self, text: str, /) -> Sequence[Row]:
        found = self._find(_read_json(text)) if _has_text(text) else None
        if found is None:
            return ()
        if found.items is None or any(one.pairs is None for one in found.items):
            raise CannotEditError(f"{'.'.join(self.path)} is not a list of objects")
        return [self._row(text, item) for item in found.items]

    def _find(self, root: Literal) -> Literal | None:
        key, why = self.refuses
        if key and root.find(key):
            raise CannotEditError(why)
        found: Literal | None = root
        for name in self.path:
            found = found.find(name) if found else None
            if found and name != self.path[-1] and found.items is not None:
                raise CannotEditError("it is for several sites")
        return found

    def _row(self, text: str, item: Literal) -> Row:
        source, target = item.text_of(*self.sources) or "", item.find(self.target)
        line = text.count("\n", 0, item.start) + 1
        pattern = item.find(*self.sources) is None or self.special.search(self.unescape(source)[1]) is not None
        if target is None or target.text is None:
            return Row(source, "", line, pattern=pattern)
        return Row(source, target.text, line, target.start, target.end, pattern)

    def unescape(self, source: str) -> tuple[str, str]:
        """The path that a source is, and what is left of its syntax."""
        return source, source

    def escape(self, path: str) -> str:
        """A path as a source, which then matches nothing else."""
        return path

    def spell(self, redirect: Redirect, /) -> Spelled | str:
        source, target = self.escape(redirect.source), redirect.target
        if self.special.search(self.unescape(source)[1]):
            return f"{redirect.source} has a character that stands for any path in this file"
        if self.special_target.search(target.partition("://")[2] or target):
            return f"{target} has a character that stands for a part of the source in this file"
        if not redirect.below:
            return Spelled(source, target)
        if self.below is None:
            return "this file has no redirect of a folder to another one"
        return Spelled(source + self.below[0], target + self.below[1])

    def key(self, source: str, /) -> str:
        path = self.unescape(source)[0]
        return normalize_path(path) if path.startswith("/") else path

    def token(self, target: str, _old: str, /) -> str:
        return json.dumps(target, ensure_ascii=False)

    def insert(self, text: str, rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        if len(rows) + len(new) > self.limit[0]:
            raise CannotEditError(self.limit[1])
        root = _read_json(text) if _has_text(text) else Literal(0, 0, pairs=())
        found = self._find(root)
        at = next((at for at, row in enumerate(rows) if row.pattern), len(rows))
        like = next((one for one in reversed((found.items or ()) if found else ()) if one.find(self.target)), None)
        items = [object_text(text, like, self._fields(one), '"') for one in new]
        if found is not None:
            return insert_items(text, found, items, at)
        return self._insert_list(text, root, items)

    def _fields(self, one: Spelled) -> list[tuple[str, str]]:
        first = [
            (self.sources[0], json.dumps(one.source, ensure_ascii=False)),
            (self.target, json.dumps(one.target, ensure_ascii=False)),
        ]
        return [*first, *self.status]

    def _insert_list(self, text: str, root: Literal, items: Sequence[str]) -> list[tuple[int, str]]:
        if not _has_text(text):
            rows = ",\n".join(f"    {one}" for one in items)
            return [(len(text), f'{{\n  "{self.path[0]}": [\n{rows}\n  ]\n}}\n')]
        parent = root
        for at, name in enumerate(self.path[:-1]):
            inner = parent.find(name)
            if inner is None:
                return [*_insert_key(text, parent, self.path[at:], items)]
            parent = inner
        return [*_insert_key(text, parent, self.path[-1:], items)]


def _insert_key(text: str, parent: Literal, names: Sequence[str], items: Sequence[str]) -> list[tuple[int, str]]:
    """A new list with these items, below new keys of a mapping."""
    if parent.pairs is None:
        raise CannotEditError(f"the parent of {names[0]} is not an object")
    end, step = line_end(text), indent_step(text)
    base = indent_of(text, parent.pairs[0][0].start) if parent.pairs else indent_of(text, parent.start) + step
    opening = "".join(f'"{name}": {{{end}{base}{step * (at + 1)}' for at, name in enumerate(names[:-1]))
    inner = base + step * len(names)
    rows = f",{end}".join(f"{inner}{one}" for one in items)
    closing = "".join(f"{end}{base}{step * at}}}" for at in reversed(range(len(names) - 1)))
    entry = f'{opening}"{names[-1]}": [{end}{rows}{end}{base}{step * (len(names) - 1)}]{closing}'
    return insert_items(text, parent, [entry], len(parent.pairs))


def _has_text(text: str) -> bool:
    return bool(text.strip("\ufeff \t\r\n"))


def _read_json(text: str) -> Literal:
    reader = ScriptReader(text)
    root, after = reader.value(0)
    if root.pairs is None or after != len(reader.tokens):
        raise CannotEditError("it is not a JSON object that can be read here")
    return root


class VercelRules(ObjectRules):
    """`redirects` of vercel.json, whose sources are patterns of path-to-regexp."""

    path = ("redirects",)
    sources = ("source",)
    target = "destination"
    special = lazy_re(r"[(){}:*+?]")
    status = (("permanent", "true"),)
    below = (":path*", ":path*")
    limit = (2_048, "the host takes 2,048 redirects")
    special_target = lazy_re(r"[(){}*+]|:[A-Za-z]|\$\d")
    refuses = ("routes", "it has routes, beside which the host takes no redirects")

    def unescape(self, source: str) -> tuple[str, str]:
        return re.sub(r"\\(.)", r"\1", source), re.sub(r"\\.", "", source)

    def escape(self, path: str) -> str:
        return re.sub(r"([(){}:*+?\\])", r"\\\1", path)


class FirebaseRules(ObjectRules):
    """`hosting.redirects` of firebase.json, whose sources are globs."""

    path = ("hosting", "redirects")
    sources = ("source", "glob")
    target = "destination"
    special = lazy_re(r"[*?@+!{}\[\]():]")
    status = (("type", "301"),)
    below = (":rest*", ":rest")

    def escape(self, path: str) -> str:
        """Decodes escapes, but for what has a meaning in URLs, as the host does before it compares."""
        return _ESCAPES.sub(_decode_escapes, path)

    def spell(self, redirect: Redirect, /) -> Spelled | str:
        source, target = (self.escape(path) for path in (redirect.source, redirect.target))
        if not (source + target).isprintable() or quote(target, safe=_URI) != redirect.target:
            return "it has an escape that the host writes in another way"
        return super().spell(redirect._replace(target=target))


_URI = "!#$&'()*+,/:;=?@-._~"  # what encodeURI leaves as it is
_RESERVED = lazy_re("[#$&+,/:;=?@]")
_ESCAPES = lazy_re("(?:%[0-9A-Fa-f]{2})+")


def _decode_escapes(found: re.Match[str]) -> str:
    try:
        text = unquote(found[0], errors="strict")
    except UnicodeDecodeError:
        return f"{found[0]}\0"
    return _RESERVED.sub(lambda one: f"%{ord(one[0]):02X}", text)


class AzureRules(ObjectRules):
    """`routes` of staticwebapp.config.json."""

    path = ("routes",)
    sources = ("route",)
    target = "redirect"
    special = lazy_re(r"[*{}]")
    status = (("statusCode", "301"),)


# --- generators ---


class ScriptMap:
    """Redirects in a config in JavaScript: a literal in the exported object."""

    def __init__(self, place: RedirectPlace) -> None:
        self.base = place.base

    def _source(self, path: str) -> str:
        """The path below the base as names of files; "" for one that is read otherwise, or that no page is made at."""
        name = decode_path(path, self.base)
        below = path.removeprefix(self.base.rstrip("/"))
        usual = name is not None and quote(name, safe=_URI) == below and not below.endswith((".html", "/index"))
        return name if name and usual and "%" not in name else ""

    def key(self, source: str, /) -> str:
        return without_slash(normalize_path(source)) if source.startswith("/") else source

    def token(self, target: str, old: str, /) -> str:
        return quote_text(target, old)


class DocusaurusRedirects(ScriptMap):
    """The list `redirects` of @docusaurus/plugin-client-redirects."""

    _NAMES = frozenset({"@docusaurus/plugin-client-redirects", "client-redirects"})

    def read(self, text: str, /) -> Sequence[Row]:
        found = self._find(text)[1].find("redirects")
        if found is None:
            return ()
        if found.items is None or found.computed:
            raise CannotEditError("its redirects are computed")
        return [row for item in found.items for row in self._rows(text, item)]

    def _rows(self, text: str, item: Literal) -> Iterator[Row]:
        sources, target = item.find("from"), item.find("to")
        if sources is None or target is None or target.text is None:
            raise CannotEditError("its redirects are computed")
        for source in (sources,) if sources.items is None else sources.items:
            yield pair_row(text, source, target)

    def _find(self, text: str) -> tuple[ScriptReader, Literal]:
        """The options of the plug-in. Raises CannotEditError."""
        reader = ScriptReader(text)
        places = [
            at
            for at, token in enumerate(reader.tokens)
            if token.kind == "text" and unquote_text(token.text) in self._NAMES
        ]
        for at in places:
            behind = at + 2 if reader.tokens[at + 1].text == ")" else at + 1  # of require.resolve
            if [one.text for one in reader.tokens[behind : behind + 2]] == [",", "{"]:
                return reader, reader.value(behind + 1)[0]
        raise CannotEditError("the options of @docusaurus/plugin-client-redirects are not written as an object in it")

    def spell(self, redirect: Redirect, /) -> Spelled | str:
        source = self._source(redirect.source)
        if redirect.below:
            return "the plug-in has no redirect of a folder"
        if not source or not redirect.target.startswith(self.base):
            return f"the plug-in makes pages below {self.base} for redirects, and this path is of none"
        return Spelled(source, redirect.target.removeprefix(self.base.rstrip("/")))

    def insert(self, text: str, rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        _, options = self._find(text)
        found = options.find("redirects")
        like = found.items[-1] if found and found.items else None
        quote = text[rows[-1].start] if rows else "'"
        names = '"' if like and like.pairs and text[like.pairs[0][0].start] == '"' else ""
        items = [
            object_text(text, like, [("from", quote_text(a, quote)), ("to", quote_text(b, quote))], names)
            for a, b in new
        ]
        if found is not None:
            return insert_items(text, found, items, len(found.items or ()))
        return insert_items(text, options, [f"redirects: [{', '.join(items)}]"], 0)


class AstroRedirects(ScriptMap):
    """The map `redirects` of Astro's config."""

    def read(self, text: str, /) -> Sequence[Row]:
        found = self._find(text).find("redirects")
        if found is None:
            return ()
        if found.pairs is None or found.computed:
            raise CannotEditError("its redirects are computed")
        return [self._row(text, key, value) for key, value in found.pairs]

    def _row(self, text: str, key: Literal, value: Literal) -> Row:
        target = value if value.text is not None else value.find("destination")
        if target is None or target.text is None:
            raise CannotEditError("its redirects are computed")
        return pair_row(text, key, target)._replace(pattern="[" in (key.text or ""))

    def _find(self, text: str) -> Literal:
        """The exported object. Raises CannotEditError."""
        reader = ScriptReader(text)
        words = [token.text for token in reader.tokens]
        for start in (["export", "default", "{"], ["export", "default", "defineConfig", "(", "{"]):
            for at in range(len(words) - len(start)):
                if words[at : at + len(start)] == start:
                    return reader.value(at + len(start) - 1)[0]
        raise CannotEditError("the config that it exports is not written as an object in it")

    def spell(self, redirect: Redirect, /) -> Spelled | str:
        source = self._source(redirect.source)
        if redirect.below:
            return "a redirect of a folder needs a page that makes its paths"
        if not source or set(source) & set("[]"):
            return f"Astro makes pages below {self.base} for redirects, and this path is of none"
        return Spelled(without_slash(source), redirect.target)

    def insert(self, text: str, rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        config = self._find(text)
        found = config.find("redirects")
        quote = text[rows[-1].start] if rows else "'"
        items = [f"{quote_text(source, quote)}: {quote_text(target, quote)}" for source, target in new]
        if found is not None and found.pairs is not None:
            return insert_items(text, found, items, len(found.pairs))
        end, step = line_end(text), indent_step(text)
        base = indent_of(text, config.pairs[0][0].start) if config.pairs else indent_of(text, config.start) + step
        lines = "".join(f"{base}{step}{one},{end}" for one in items)
        return insert_items(text, config, [f"redirects: {{{end}{lines}{base}}}"], len(config.pairs or ()))
