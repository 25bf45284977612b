"""The file that a site's redirects are written in, found as hosts and generators are, and the redirects added to it.

What an edit makes of a host's file is judged by the profile of the host: a redirect that it would not serve is refused,
and so is one that would put another rule beyond a limit.
"""

import csv
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from html import escape
from io import StringIO
from typing import NamedTuple
from urllib.parse import unquote

from sitemap_action.errors import UsageError
from sitemap_action.hosts.all import HOSTS
from sitemap_action.hosts.base import BuildFiles, ControlFile, ServedBuild
from sitemap_action.hosts.redirect_edits import (
    CannotEditError,
    Format,
    NetlifyTables,
    Redirect,
    RedirectEdits,
    RedirectFormat,
    RedirectLines,
    RedirectPlace,
    Row,
    SourceFiles,
    Spelled,
    apply_edit,
    edit_text,
)
from sitemap_action.hosts.redirect_scripts import (
    AstroRedirects,
    AzureRules,
    DocusaurusRedirects,
    FirebaseRules,
    VercelRules,
)
from sitemap_action.hosts.redirect_sources import (
    PAGE,
    MkDocsRedirects,
    PageAliases,
    RediraffeLines,
    RediraffeMap,
    find_page_source,
)
from sitemap_action.hosts.routes import location
from sitemap_action.model.lazy_re import lazy_re

_F = RedirectFormat
_LINE_HOSTS = ("netlify", "netlify-plain", "cloudflare-pages", "cloudflare-workers")
HOST_FILES = {  # in which host reads it; a new one is made of the last three
    _F.REDIRECTS: ("_redirects", _LINE_HOSTS),
    _F.NETLIFY: ("netlify.toml", ("netlify", "netlify-plain")),
    _F.VERCEL: ("vercel.json", ("vercel",)),
    _F.FIREBASE: ("firebase.json", ("firebase",)),
    _F.AZURE: ("staticwebapp.config.json", ("azure-swa",)),
}
_GENERATOR_NAMES = (
    (lazy_re(r"\Amkdocs[\w.-]*\.ya?ml\Z"), _F.MKDOCS),
    (lazy_re(r"\A(?:conf\.py|[\w.-]*\.txt)\Z"), _F.REDIRAFFE),
    (lazy_re(r"docusaurus\.config\.\w+"), _F.DOCUSAURUS),
    (lazy_re(r"astro\.config\.\w+"), _F.ASTRO),
)
_REDIRAFFE_FILE = lazy_re(r"""^rediraffe_redirects[ \t]*=[ \t]*(["'])([^"'\\\n]+)\1""", re.MULTILINE)
_MAX_FILE = 4 << 20


class SiteSetup(NamedTuple):
    """What is known of a site: its host by a name of `hosts.all`, its generator by the name that people know."""

    host: str = ""
    generator: str = ""
    config: str = ""  # of the generator, in the repository
    copied: str | None = None  # a folder that is copied into the build as it is
    output: str = ""  # the folder of the build, in the repository
    base: str = "/"


def find_redirect_place(files: SourceFiles, setup: SiteSetup, wanted: str = "") -> RedirectPlace:
    """Where redirects of this site are written; `wanted`: a file that the config names.

    A file that has redirects already comes first, then the map of a generator that is set up for them, then what the
    host reads, then what the generator makes of redirects by itself.
    """
    if wanted:
        return _wanted_place(setup, wanted)
    finders = (_find_used_host_file, _find_used_map, _find_host_file)
    found = next((place for find in finders if (place := find(files, setup))), None)
    return found or _find_able_generator(setup) or _without_file(setup)


def _place(setup: SiteSetup, form: RedirectFormat, path: str, why: str, folder: str = "") -> RedirectPlace:
    return RedirectPlace(form, path, why, folder, setup.base, setup.host)


def _wanted_place(setup: SiteSetup, wanted: str) -> RedirectPlace:
    name, why = wanted.rpartition("/")[2], f"output.redirects names {wanted}"
    by_host = next((form for form, (file, _) in HOST_FILES.items() if file == name), None)
    form = by_host or next((form for pattern, form in _GENERATOR_NAMES if pattern.fullmatch(name)), None)
    if form is None:
        return _place(setup, _F.CSV, "", f"{why}, whose name is that of no file that redirects are added to")
    folder = (setup.config if setup.generator == "Sphinx" else wanted).rpartition("/")[0]
    return _place(setup, form, wanted, why, folder)


def _host_file_paths(setup: SiteSetup, name: str) -> Iterator[str]:
    """Where a file of a host may be: in the folder that is copied, in the build, and in the folders above it."""
    folders = [setup.copied] if setup.copied is not None else []
    parts = setup.output.split("/") if setup.output not in ("", ".") else []
    folders += ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
    yield from dict.fromkeys(f"{folder}/{name}".lstrip("/") for folder in folders)


def _find_used_host_file(files: SourceFiles, setup: SiteSetup) -> RedirectPlace | None:
    for form, (name, hosts) in HOST_FILES.items():
        if setup.host and setup.host not in hosts:
            continue
        for path in _host_file_paths(setup, name):
            place = _place(setup, form, path, f"{path} has redirects")
            if read_text(files, path) is not None and (form is _F.REDIRECTS or _read_rows(place, files)):
                return place
    return None


def _read_rows(place: RedirectPlace, files: SourceFiles) -> Sequence[Row] | None:
    """The rows of the file of a place; None where they cannot be read, or no file has them."""
    form = make_format(place, files)
    try:
        return None if form is None else form.read(read_text(files, place.path) or "")
    except CannotEditError:
        return None


def _find_used_map(files: SourceFiles, setup: SiteSetup) -> RedirectPlace | None:
    """A map of the generator that the config is set up for."""
    folder, _, name = setup.config.rpartition("/")
    text = read_text(files, setup.config) or ""
    match setup.generator:
        case "MkDocs":
            return _find_mkdocs(files, setup)
        case "Sphinx" if "rediraffe" in text:
            stated = _REDIRAFFE_FILE.search(text)
            path = f"{folder}/{stated[2]}".lstrip("/") if stated else setup.config
            return _place(setup, _F.REDIRAFFE, path, f"{setup.config} has the extension rediraffe", folder)
        case "Docusaurus" if "client-redirects" in text:
            why = f"{name} has the plug-in client-redirects"
            return _place(setup, _F.DOCUSAURUS, setup.config, why)
        case "Astro" if re.search(r"\bredirects\s*:", text):
            return _place(setup, _F.ASTRO, setup.config, f"{name} has redirects")
        case "Jekyll" if "jekyll-redirect-from" in text:
            return _place(setup, _F.JEKYLL, "", f"{name} has the plug-in jekyll-redirect-from", folder)
        case _:
            return None


def _find_mkdocs(files: SourceFiles, setup: SiteSetup) -> RedirectPlace | None:
    """The config with the plug-in: it may be one that others inherit, or that they are made of."""
    folder = setup.config.rpartition("/")[0]
    others = sorted(name for name in files.names(folder) if _GENERATOR_NAMES[0][0].fullmatch(name))
    for path in dict.fromkeys((setup.config, *(f"{folder}/{name}".lstrip("/") for name in others[:20]))):
        place = _place(setup, _F.MKDOCS, path, f"{path} has the plug-in redirects")
        if _read_rows(place, files) is not None:
            return place
    return None


def _find_host_file(files: SourceFiles, setup: SiteSetup) -> RedirectPlace | None:
    """A file that the host reads, and that is there, or can be made."""
    for form, (name, hosts) in HOST_FILES.items():
        if setup.host not in hosts:
            continue
        paths = list(_host_file_paths(setup, name))
        found = next((path for path in paths if files.read(path) is not None), "")
        made = ""
        if form is _F.REDIRECTS and setup.copied is not None and setup.generator != "Jekyll":  # it copies no such name
            made = paths[0]
        elif form is _F.VERCEL:
            made = name
        elif form is _F.AZURE and setup.copied is not None:
            made = paths[0]
        if path := found or made:
            return _place(setup, form, path, f"{setup.host} reads redirects in {name}")
    return None


def _find_able_generator(setup: SiteSetup) -> RedirectPlace | None:
    folder = setup.config.rpartition("/")[0]
    if setup.generator == "Hugo":
        top = folder.partition("config/")[0].rstrip("/")
        return _place(setup, _F.HUGO, "", "Hugo makes redirects of the aliases of a page", f"{top}/content".lstrip("/"))
    if setup.generator == "Astro" and setup.config:
        return _place(setup, _F.ASTRO, setup.config, "Astro makes pages of its redirects")
    return None


def has_whole_paths(place: RedirectPlace, setup: SiteSetup, files: SourceFiles) -> bool | None:
    """Whether rows of a host's file have the path of a site below one; None where nothing tells.

    The folder of the build may be that path, as `dist/docs` of /docs/. Else rows that are there tell, where they agree:
    a proxy in front of the host may leave the path out.
    """
    if f"/{setup.output}/".endswith(setup.base):
        return True
    rows = _read_rows(place, files) or ()
    paths = [path for row in rows for path in row[:2] if path.startswith("/") and path.strip("/*")]
    whole = {f"{path}/".startswith(setup.base) for path in paths}
    return whole.pop() if len(whole) == 1 else None


def _without_file(setup: SiteSetup) -> RedirectPlace:
    why = "no file that redirects of this site are written in is known; output.redirects names one"
    if setup.generator == "VitePress":
        why = "rewrites of VitePress show a page at another address, and redirect nothing; its host has to"
    if setup.host in ("", "github-pages", "generic") and setup.generator:
        return _place(setup, _F.STUB, "", f"{why}; a page that leads on can be put at each old address")
    return _place(setup, _F.CSV, "", why)


def read_text(files: SourceFiles, path: str) -> str | None:
    """The text of a file; None where there is none, or none in UTF-8."""
    content = files.read(path) if path else None
    try:
        return content.decode() if content is not None and len(content) <= _MAX_FILE else None
    except UnicodeDecodeError:
        return None


def make_format(place: RedirectPlace, files: SourceFiles) -> Format | None:
    """How the file of a place is read and written; None for one that none is written in."""
    by_format: Mapping[RedirectFormat, Callable[[], Format]] = {
        _F.REDIRECTS: lambda: RedirectLines(place.host),
        _F.NETLIFY: NetlifyTables,
        _F.VERCEL: VercelRules,
        _F.FIREBASE: FirebaseRules,
        _F.AZURE: AzureRules,
        _F.MKDOCS: lambda: MkDocsRedirects(place, files),
        _F.REDIRAFFE: lambda: (RediraffeMap if place.path.endswith(".py") else RediraffeLines)(place, files),
        _F.DOCUSAURUS: lambda: DocusaurusRedirects(place),
        _F.ASTRO: lambda: AstroRedirects(place),
        _F.HUGO: lambda: PageAliases(place),
        _F.JEKYLL: lambda: PageAliases(place),
    }
    return by_format[place.format]() if place.format in by_format else None


def add_redirects(place: RedirectPlace, redirects: Sequence[Redirect], files: SourceFiles) -> RedirectEdits:
    """The files that change, and what becomes of each redirect; a second time everything is there already."""
    if place.format in (_F.HUGO, _F.JEKYLL):
        return _add_aliases(place, redirects, files)
    form = make_format(place, files)
    if form is None:
        paste = stub_pages(redirects, place.base) if place.format is _F.STUB else as_csv(redirects)
        return RedirectEdits(refused=tuple((one, place.why) for one in redirects), text=paste)
    text = read_text(files, place.path)
    if text is None and files.read(place.path) is not None:
        return _refuse_all(form, place, redirects, f"{place.path} is not UTF-8, or too long")
    if text is None and place.format not in (_F.REDIRECTS, _F.VERCEL, _F.AZURE, _F.REDIRAFFE):
        return _refuse_all(form, place, redirects, f"{place.path} is not there")
    return _edit_file(form, place, text or "", redirects)


def _edit_file(form: Format, place: RedirectPlace, text: str, redirects: Sequence[Redirect]) -> RedirectEdits:
    asked, refused = list(redirects), list[tuple[Redirect, str]]()
    while True:
        edited, edits = edit_text(form, text, asked)
        unserved = _find_unserved(place, text, edited, edits.added) if edits.added else {}
        if not unserved:
            files = {place.path: edited.encode()} if edits.added else {}
            refusals = (*edits.refused, *refused)
            paste = paste_text(form, place.format, [one for one, _ in refusals])
            return edits._replace(files=files, refused=refusals, text=paste)
        refused += [(one, unserved[one.source]) for one in asked if one.source in unserved]
        asked = [one for one in asked if one.source not in unserved]


def _refuse_all(form: Format, place: RedirectPlace, redirects: Sequence[Redirect], why: str) -> RedirectEdits:
    paste = paste_text(form, place.format, redirects)
    return RedirectEdits(refused=tuple((one, why) for one in redirects), text=paste)


def _add_aliases(place: RedirectPlace, redirects: Sequence[Redirect], files: SourceFiles) -> RedirectEdits:
    """Aliases in the front matter of each page that is redirected to."""
    by_page: dict[str, list[Redirect]] = {}
    total = RedirectEdits(files={})
    for one in redirects:
        by_page.setdefault(find_page_source(place, one, files), []).append(one)
    for path, group in sorted(by_page.items()):
        text = read_text(files, path)
        if text is None:
            why = "the source of {} is not found below " + (place.folder or "the top")
            edits = RedirectEdits(refused=tuple((one, why.format(one.target)) for one in group))
        else:
            edited, edits = edit_text(PageAliases(place), text, group)
            edits = edits._replace(files={path: edited.encode()} if edits.added else {})
        total = RedirectEdits(
            {**total.files, **edits.files},
            (*total.added, *edits.added),
            (*total.present, *edits.present),
            (*total.refused, *edits.refused),
        )
    return total


def _find_unserved(place: RedirectPlace, before: str, after: str, added: Sequence[Redirect]) -> dict[str, str]:
    """Sources that the host would not serve, with the reason; all of them where another rule would suffer."""
    if place.format not in HOST_FILES:
        return {}
    hosts = HOST_FILES[place.format][1]
    name = place.host if place.host in hosts else hosts[0]
    try:
        old = _serve(name, place, before) if before.strip("\ufeff \t\r\n") else None
        new = _serve(name, place, after)
    except UsageError as error:
        return dict.fromkeys((one.source for one in added), str(error))
    was = {(rule.source, rule.unserved) for rule in old.rules} if old else set()
    lost = {rule.source for rule in new.rules if rule.unserved and (rule.source, "") in was}
    if lost := lost - {source for source, unserved in was if unserved}:
        return dict.fromkeys((one.source for one in added), f"the host would not serve {min(lost)} any more")
    return {one.source: why for one in added if (why := _why_unserved(new, one))}


def _why_unserved(served: ServedBuild, redirect: Redirect) -> str:
    """Why a redirect would not be served, as text."""
    more = "sitemap-action/x" if redirect.below else ""
    answer = served.host.answer(redirect.source + more)
    if 300 <= answer.status < 400 and location(answer.location) == location(redirect.target + more):
        return ""
    rules = (rule for rule in served.rules if rule.unserved and rule.source.rstrip("*") == redirect.source)
    return next((rule.unserved for rule in rules), "the host would not serve it")


def _serve(name: str, place: RedirectPlace, text: str) -> ServedBuild:
    files = {HOST_FILES[place.format][0]: text.encode()}

    def find(file: str) -> ControlFile | None:
        return ControlFile(file, files[file]) if file in files else None

    return HOSTS[name](BuildFiles(frozenset(files), files.get, find))


# --- text that a person pastes ---


def paste_text(form: Format, kind: RedirectFormat, redirects: Sequence[Redirect]) -> str:
    """Rows in the words of a format, a line each, for those that it has words for."""
    lines = []
    for one in redirects:
        spelled = form.spell(one)
        source, target = (one.source, one.target) if isinstance(spelled, str) else spelled
        source, target = json.dumps(source), json.dumps(target)
        match kind:
            case _F.DOCUSAURUS:
                lines.append(f"{{ from: {source}, to: {target} }},")
            case _F.ASTRO | _F.MKDOCS:
                lines.append(f"{source}: {target}{',' if kind is _F.ASTRO else ''}")
            case _F.VERCEL:
                lines.append(f'{{ "source": {source}, "destination": {target}, "permanent": true }},')
            case _:
                lines.append(f"{one.source} {one.target}")
    return "".join(f"{line}\n" for line in lines)


def as_csv(redirects: Sequence[Redirect]) -> str:
    """Sources and targets for whatever serves the site."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([("source", "target", "status"), *((one.source, one.target, "301") for one in redirects)])
    return out.getvalue()


def stub_pages(redirects: Sequence[Redirect], base: str) -> str:
    """A page for each old path that leads to the new one, below the name of its file."""
    pages = []
    for one in redirects:
        path, target = unquote(one.source.removeprefix(base).lstrip("/")), escape(one.target)
        name = f"{path}index.html" if path.endswith("/") or not path else path if "." in path else f"{path}.html"
        pages.append(
            f'--- {name} ---\n<!doctype html>\n<meta charset="utf-8">\n<title>This page has moved</title>\n'
            f'<link rel="canonical" href="{target}">\n<meta http-equiv="refresh" content="0; url={target}">\n'
            f'<a href="{target}">This page has moved</a>\n'
        )
    return "".join(pages)


# --- what a process that may have been taken over asks to be written ---

_MADE = frozenset({"_redirects", "redirects.txt", "vercel.json", "staticwebapp.config.json"})  # where there is none
_PAGES = (".md", ".markdown", ".html", ".adoc")  # with front matter
_SOURCES = (*MkDocsRedirects.suffixes, *RediraffeLines.suffixes)
_WORD = lazy_re(r"[^\s\"'`\\$<>\x00-\x1f\x7f]{1,1000}")  # nothing that ends or extends a text of any language
_FOLDER = lazy_re(r"/[^/*:]+/")  # that a wildcard stands below
_REST = lazy_re(r"(?::splat|:path\*|:rest\*?|\*)\Z")  # of the paths below a folder
_NO_FILES = SourceFiles(lambda _: None, lambda _: frozenset())


FOLDER_FORMATS = frozenset({_F.REDIRECTS, _F.NETLIFY, _F.VERCEL, _F.FIREBASE})
"""What has one rule for every path below a folder."""


def may_redirect_folder(place: RedirectPlace, source: str, files: SourceFiles) -> bool:
    """Whether a rule for every path below a folder would take none from a rule that is there."""
    rows = _read_rows(place, files)
    return rows is not None and not any(row.source.startswith(source) for row in rows)


def is_redirect_edit(path: str, before: bytes | None, after: bytes) -> bool:
    """Whether a file differs by new redirects between paths of its site alone, and by rows that led to one of them.

    Whatever else a host or a build executes in the file is as it was: the edit is made again, and compared.
    """
    name = path.rpartition("/")[2]
    if (before is None and name not in _MADE) or max(len(before or b""), len(after)) > _MAX_FILE:
        return False
    try:
        old, new = (before or b"").decode(), after.decode()
    except UnicodeDecodeError:
        return False
    formats = [form for form, (file, _) in HOST_FILES.items() if file == name]
    formats += [form for pattern, form in _GENERATOR_NAMES if pattern.fullmatch(name)]
    formats += [_F.HUGO, _F.JEKYLL] if name.endswith(_PAGES) else []
    places = [RedirectPlace(form, path, "", host=host) for form in formats for host in ("", "cloudflare-pages")]
    found = (form for place in places if (form := make_format(place, _NO_FILES)) is not None)
    return any(_adds_rows(form, old, new, first=not name.endswith(".txt") or name in _MADE) for form in found)


def _adds_rows(form: Format, before: str, after: str, *, first: bool) -> bool:
    """`first`: the file may have no row yet."""
    try:
        old, new = form.read(before), form.read(after)
        count = len(new) - len(old)
        pairs = enumerate(zip(old, new, strict=False))
        at = next((at for at, (one, other) in pairs if one.source != other.source), len(old))
        block, kept = new[at : at + count], [*new[:at], *new[at + count :]]
        if count < 1 or not (old or first) or not all(map(_leads_inside, block)):
            return False
        both = enumerate(zip(old, kept, strict=True))
        changed = {at: now.target for at, (was, now) in both if was.target != now.target}
        find = _find_ends(form, block)
        if not all(target in find(old[at].target) for at, target in changed.items()):
            return False
        rows = [Spelled(row.source, row.target) for row in block]
        return apply_edit(form, before, old, changed, rows) == after
    except CannotEditError:
        return False


def _find_ends(form: Format, new: Sequence[Row]) -> Callable[[str], Collection[str]]:
    """What finds the targets to which new rows lead from the target of an old one."""
    ends = {form.key(row.source): row.target for row in new}
    plain = ((row.source, *(_REST.sub("", one) for one in row[:2])) for row in new if row.pattern)
    folders = [(source, end) for whole, source, end in plain if source != whole]

    def find(target: str) -> Collection[str]:
        below = [end + target.removeprefix(source) for source, end in folders if target.startswith(source)]
        return {ends.get(form.key(target), ""), *below}

    return find


def _leads_inside(row: Row) -> bool:
    """Whether a row is plain, catches no whole site, and leads to a path or a source of a page."""
    source, target = row.source, row.target
    if not _WORD.fullmatch(source) or (row.pattern and not _FOLDER.match(source)):
        return False
    is_path = target.startswith("/") and not target.startswith("//") and _WORD.fullmatch(target) is not None
    is_source = target.endswith(_SOURCES) and ":" not in target and _WORD.fullmatch(target) is not None
    return target == PAGE or is_path or is_source
