"""Redirects between the sources of pages: maps of MkDocs and Sphinx, and the front matter of Hugo and Jekyll."""

import json
import re
from collections.abc import Iterator, Sequence
from posixpath import normpath

from sitemap_action.errors import UsageError
from sitemap_action.hosts.base import ControlFile
from sitemap_action.hosts.control_files import read_toml
from sitemap_action.hosts.literals import (
    Literal,
    find_yaml,
    find_yaml_item,
    insert_below,
    insert_items,
    insert_yaml,
    pair_row,
    quote_text,
    read_python,
    read_yaml_tree,
    yaml_literal,
    yaml_text,
)
from sitemap_action.hosts.redirect_edits import (
    UNSAFE,
    CannotEditError,
    Redirect,
    RedirectFormat,
    RedirectPlace,
    Row,
    SourceFiles,
    Spelled,
    insert_lines,
)
from sitemap_action.hosts.routes import decode_path, normalize_path
from sitemap_action.hosts.ruled_host import without_slash
from sitemap_action.model.lazy_re import lazy_re


class SourceMap:
    """Redirects between the sources of pages, as they are called below one folder."""

    suffixes: tuple[str, ...] = (".md",)
    indexes: tuple[str, ...] = ("index",)

    def __init__(self, place: RedirectPlace, files: SourceFiles) -> None:
        self.base, self.files = place.base, files
        self.folder = ""  # of the sources, in the repository
        self.config = place.path
        self.in_folders = True  # /page/ is made of page.md, else /page.html

    def spell(self, redirect: Redirect, /) -> Spelled | str:
        if redirect.below:
            return "the map has no redirect of a folder"
        source = self._relative(redirect.source_file) or self._old_source(redirect)
        target = self._relative(redirect.target_file) or self._new_source(redirect.target)
        if not source:
            return f"no source of a page is at {redirect.source}"
        if not target:
            return f"the source of {redirect.target} is not found below {self.folder or 'the top'}"
        return Spelled(source, target)

    def _relative(self, path: str) -> str:
        inside = path.removeprefix(f"{self.folder}/") if self.folder else path
        fits = (inside != path or not self.folder) and inside.endswith(self.suffixes)
        plain = inside.isprintable() and not set(inside) & set("\\\"'`#") and normpath(inside) == inside
        return inside if fits and plain else ""

    def _old_source(self, redirect: Redirect) -> str:
        """A source that makes a page at the old path, whether or not there is one."""
        suffix = next((one for one in self.suffixes if redirect.target_file.endswith(one)), self.suffixes[0])
        return next((f"{stem}{suffix}" for stem in self._stems(redirect.source, new=False)), "")

    def _new_source(self, target: str) -> str:
        if target.startswith(("http:", "https:")):
            return target
        names = (f"{stem}{suffix}" for stem in self._stems(target, new=True) for suffix in self.suffixes)
        for name in names:
            parent, _, last = f"{self.folder}/{name}".lstrip("/").rpartition("/")
            if last in self.files.names(parent):
                return name
        return ""

    def _stems(self, path: str, *, new: bool) -> Iterator[str]:
        """Sources without their suffix whose page is at this path; `new`: it is looked for which of them there is."""
        name = decode_path(path, self.base)
        if name is None:
            return
        name = name.removesuffix("index.html") if name.endswith("/index.html") else name
        bare = name.strip("/")
        if name.endswith("/"):
            if bare and (self.in_folders or new):
                yield bare
            yield from (f"{bare}/{index}".lstrip("/") for index in self.indexes)
        elif not self.in_folders or new:
            yield bare.removesuffix(".html")

    def key(self, source: str, /) -> str:
        """The page that a source makes."""
        if source.startswith(("http:", "https:")) or "#" in source:
            return source
        suffix = next((one for one in self.suffixes if source.endswith(one)), "")
        folder, _, name = source.removesuffix(suffix).rpartition("/")
        folder = f"{folder}/" if folder else ""
        return folder if name in self.indexes else f"{folder}{name}{'/' if self.in_folders else ''}"


class MkDocsRedirects(SourceMap):
    """`redirect_maps` of the plug-in redirects in mkdocs.yml."""

    suffixes = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
    indexes = ("index", "README")

    def read(self, text: str, /) -> Sequence[Row]:
        root = read_yaml_tree(text)
        docs, urls = (find_yaml(root, name) for name in ("docs_dir", "use_directory_urls"))
        parent = self.config.rpartition("/")[0]
        folder = docs[1].value if docs and docs[1].id == "scalar" else "docs"
        self.folder = normpath(f"{parent}/{folder}").lstrip("/")
        self.in_folders = urls is None or urls[1].value != "false"
        found = self._find(text)[1]
        if found is None:
            return ()
        if found.computed:
            raise CannotEditError("its redirects are computed")
        return [pair_row(text, *pair) for pair in found.pairs or ()]

    def _find(self, text: str) -> tuple[Literal, Literal | None, str]:
        """The name of the plug-in, or of its option; the map, None where there is none; what is missing behind it."""
        plugins = find_yaml(read_yaml_tree(text), "plugins")
        entry = find_yaml_item(plugins[1], "redirects") if plugins else None
        if entry is None:
            raise CannotEditError("it does not name the plug-in redirects")
        name, options = entry
        maps = find_yaml(options, "redirect_maps")
        if maps is None:
            if options is not None and (options.id != "scalar" or options.value):
                raise CannotEditError("the plug-in redirects has no redirect_maps")
            return yaml_literal(name), None, "redirect_maps:" if options is not None else ": redirect_maps:"
        found = yaml_literal(maps[1])
        if found.pairs is None and found.text != "":
            raise CannotEditError("redirect_maps is not a mapping")
        return yaml_literal(maps[0]), found if found.pairs is not None else None, ""

    def token(self, target: str, old: str, /) -> str:
        return yaml_text(target, old)

    def insert(self, text: str, _rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        name, found, missing = self._find(text)
        if found is not None and found.pairs is not None:
            like = [text[one.start : one.start + 1] for one in found.pairs[-1]] if found.pairs else ["", ""]
            lines = [f"{yaml_text(one.source, like[0])}: {yaml_text(one.target, like[1])}" for one in new]
            return insert_yaml(text, found, lines)
        lines = [f"{yaml_text(one.source)}: {yaml_text(one.target)}" for one in new]
        if missing:
            lines = ["redirect_maps:", *(f"  {line}" for line in lines)]
        return insert_below(text, name, lines, colon=missing.startswith(":"))


class RediraffeLines(SourceMap):
    """The file that `rediraffe_redirects` in conf.py names: two sources a line."""

    suffixes = (".rst", ".md", ".ipynb", ".txt")
    _LINE = lazy_re(r"\A(?:([\"'])((?:(?!\1).)*+)\1|(\S++))\s++(?:([\"'])((?:(?!\4).)*+)\4|(\S+))\Z")

    def __init__(self, place: RedirectPlace, files: SourceFiles) -> None:
        super().__init__(place, files)
        self.folder, self.in_folders = place.folder, False
        self._known: set[str] = set()

    def read(self, text: str, /) -> Sequence[Row]:
        rows, offset = [], 0
        for number, line in enumerate(text.split("\n"), 1):
            shown = line.strip("\ufeff \t\r")
            if shown and not shown.startswith("#"):
                rows.append(self._row(shown, number, offset + line.index(shown)))
            offset += len(line) + 1
        return self.remember(rows)

    def remember(self, rows: list[Row]) -> list[Row]:
        self._known = {self.key(row.source) for row in rows}
        return rows

    def _row(self, line: str, number: int, offset: int) -> Row:
        found = self._LINE.fullmatch(line)
        if found is None:
            raise CannotEditError(f"line {number} is not one that the extension reads")
        start = found.start(5) - 1 if found[4] else found.start(6)
        return Row(found[2] or found[3] or "", found[5] or found[6] or "", number, offset + start, offset + len(line))

    def _old_source(self, redirect: Redirect) -> str:
        """X/index makes the page /X/ whichever builder the site has; X where a row has that."""
        known = (stem for stem in self._stems(redirect.source, new=True) if stem in self._known)
        return next(known, "") or super()._old_source(redirect)

    def _new_source(self, target: str) -> str:
        return "" if target.startswith(("http:", "https:")) else super()._new_source(target)

    def key(self, source: str, /) -> str:
        return next((source.removesuffix(one) for one in self.suffixes if source.endswith(one)), source)

    def token(self, target: str, old: str, /) -> str:
        mark = old[:1] if old[:1] in ("'", '"') else ""
        return f"{mark}{target}{mark}" if mark or not re.search(r"\s", target) else f'"{target}"'

    def insert(self, text: str, rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        like = text[rows[-1].start] if rows else '"'
        lines = [" ".join(self.token(one, like) for one in pair) for pair in new]
        return [insert_lines(text, len(text), lines)]


class RediraffeMap(RediraffeLines):
    """`rediraffe_redirects` in conf.py, where it is a literal."""

    def read(self, text: str, /) -> Sequence[Row]:
        return self.remember([pair_row(text, *pair) for pair in self._find(text).pairs or ()])

    def _find(self, text: str) -> Literal:
        found = read_python(text, "rediraffe_redirects")
        if found is None or found.pairs is None or found.computed:
            raise CannotEditError("its rediraffe_redirects is computed")
        return found

    def token(self, target: str, old: str, /) -> str:
        return quote_text(target, old)

    def insert(self, text: str, rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        found, like = self._find(text), text[rows[-1].start] if rows else '"'
        items = [f"{quote_text(one.source, like)}: {quote_text(one.target, like)}" for one in new]
        return insert_items(text, found, items, len(found.parts))


# --- front matter ---

_NAMES = {RedirectFormat.HUGO: "aliases", RedirectFormat.JEKYLL: "redirect_from"}
_BLOCK = lazy_re(r"\A(?:\ufeff)?(---|\+\+\+)[ \t]*\r?\n(?:(?!\1[ \t]*\r?$)[^\n]*\n)*+(?=\1[ \t]*\r?$)", re.MULTILINE)
QUOTED = '"'
PAGE = "this page"
_TABLE = lazy_re(r"^[ \t]*\[", re.MULTILINE)
_ENDINGS = (".md", "/index.md", "/_index.md", ".html", "/index.html", ".markdown", ".adoc")


def find_page_source(place: RedirectPlace, redirect: Redirect, files: SourceFiles) -> str:
    """The file that the page at the target of a redirect is made of; "" where it is not found."""
    if redirect.target_file:
        return redirect.target_file
    name = decode_path(redirect.target, place.base)
    if name is None:
        return ""
    stem = f"{place.folder}/{name.strip('/').removesuffix('.html')}".strip("/")
    paths = (f"{stem}{ending}" for ending in _ENDINGS)
    return next((path for path in paths if path.rpartition("/")[2] in files.names(path.rpartition("/")[0])), "")


class PageAliases:
    """The old paths in the front matter of one page; each row leads to that page."""

    def __init__(self, place: RedirectPlace) -> None:
        self._name, self._base = _NAMES[place.format], place.base
        self._rest: object = None

    def read(self, text: str, /) -> Sequence[Row]:
        found = self._find(text)
        if found is None:
            return ()
        items = (found,) if found.items is None else found.items
        return [Row(one.text or "", PAGE, text.count("\n", 0, one.start) + 1) for one in items]

    def _find(self, text: str) -> Literal | None:
        """The list of old paths, or the one path."""
        block = _BLOCK.match(text)
        if block is None:
            raise CannotEditError("it has no front matter in YAML or TOML")
        found = self._find_yaml(block[0]) if block[1] == "---" else self._find_toml(block)
        if found is not None and (found.computed or (found.text is None and found.items is None)):
            raise CannotEditError(f"its {self._name} is not a list of paths")
        return found

    def _find_yaml(self, block: str) -> Literal | None:
        pair = find_yaml(read_yaml_tree(block), self._name)
        if pair is None:
            return None
        found = yaml_literal(pair[1])
        return yaml_literal(pair[0])._replace(text=None, items=()) if found.text == "" else found

    def _find_toml(self, block: re.Match[str]) -> Literal | None:
        """Texts in one pair of brackets, without comments."""
        start = block[0].index("\n") + 1
        try:
            table = read_toml(ControlFile("the front matter", block[0][start:].encode()))
            values = table.texts(self._name)
        except UsageError as error:
            raise CannotEditError(str(error)) from None
        rest = {key: value for key, value in table.items() if key != self._name}
        if self._rest not in (None, rest):
            raise CannotEditError(UNSAFE)
        self._rest = rest
        found = re.compile(rf"^{self._name}[ \t]*=[ \t]*(\[[^\[\]#]*\])", re.MULTILINE).search(block[0])
        if found is None:
            if self._name in table:
                raise CannotEditError(f"its {self._name} is not a list that can be edited safely")
            return None
        texts = list(re.finditer(r""""([^"\\\n]*)"|'([^'\n]*)'""", found[1]))
        items = tuple(
            Literal(found.start(1) + one.start(), found.start(1) + one.end(), one[1] or one[2] or "") for one in texts
        )
        if [one.text for one in items] != values:
            raise CannotEditError(f"its {self._name} is not a list that can be edited safely")
        return Literal(*found.span(1), items=items)

    def spell(self, redirect: Redirect, /) -> Spelled | str:
        path = decode_path(redirect.source, self._base)
        if redirect.below:
            return "a page has no alias for the paths below it"
        if path is None or (self._name == "aliases" and path.endswith(".html/")):  # Hugo makes a file of it
            return f"no page is made at {redirect.source}"
        return Spelled(path, PAGE)

    def key(self, source: str, /) -> str:
        return without_slash(normalize_path(source)) if source.startswith("/") else source

    def token(self, _target: str, old: str, /) -> str:
        return old

    def insert(self, text: str, _rows: Sequence[Row], new: Sequence[Spelled], /) -> list[tuple[int, str]]:
        block, found = _BLOCK.match(text), self._find(text)
        if block is None:
            raise CannotEditError(UNSAFE)
        paths = [one.source for one in new]
        if block[1] == "+++":
            quoted = [json.dumps(path, ensure_ascii=False) for path in paths]
            if found is not None:
                return insert_items(text, found, quoted, len(found.parts))
            table = _TABLE.search(block[0])
            offset = table.start() if table else block.end()
            return [insert_lines(text, offset, [f"{self._name} = [{', '.join(quoted)}]"])]
        return self._insert_yaml(text, block.end(), found, paths)

    def _insert_yaml(self, text: str, end: int, found: Literal | None, paths: Sequence[str]) -> list[tuple[int, str]]:
        if found is None:
            return [insert_lines(text, end, [f"{self._name}:", *(f"  - {yaml_text(path)}" for path in paths)])]
        if found.items is None:
            more = "".join(f", {yaml_text(path, QUOTED)}" for path in paths)
            return [(found.start, "["), (found.end, f"{more}]")]
        if not found.parts and text[found.start] != "[":
            return insert_below(text, found, [f"- {yaml_text(path)}" for path in paths], colon=False)
        like = text[found.parts[-1].start] if found.parts else QUOTED
        return insert_yaml(text, found, [yaml_text(path, like if found.block else QUOTED) for path in paths])
