"""Which source file makes which page, in the usual layout of each generator (DIFF-34)."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeAlias

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.setup.generator_configs import PLAIN, GeneratedSite
from sitemap_action.setup.project import ConfigValues, Project, safe_path, safe_word
from sitemap_action.web.patterns import SourceRule, page_key

_Layout: TypeAlias = Callable[[Project, GeneratedSite, ConfigValues], Iterator[SourceRule]]

_TEXT = "{md,mdx,markdown}"
_NUMBER = r"(?!\d+[-_.]\d)\d+\s*[-_.]+\s*(?=[^-_.\s])"  # 01-intro is /intro; 2026-05-03 and 7.0 stay
_CURRENT, _VERSIONS = "current", 100  # of Docusaurus: what is not released, and how many are at most looked at
_DAY = r"\d{4}-\d\d-\d\d-"


def source_layout(project: Project, site: GeneratedSite) -> tuple[SourceRule, ...]:
    """Pages are those below site-url; empty where the layout of the generator is not known."""
    layout = _LAYOUTS.get(site.generator)
    if layout is None:
        return ()
    top = project.top()
    values = top.values(top.first(site.where.partition(":")[0]))
    if not values.file.path.endswith(("js", "ts")):
        values = values.ignore_case()
    return tuple(layout(project, site, values))


def _tree(folder: str, kinds: str, page: str = "/**", *, strip: str = "", plain: bool = False) -> Iterator[SourceRule]:
    """Rules for a tree of folders: `index` is the page of its folder, or `README` where there is no index."""
    place = f"{folder}/" if folder else ""
    yield SourceRule(f"{place}**/{{README,readme}}.{kinds}", f"{page}/", strip, plain)
    yield SourceRule(f"{place}**.{kinds}", page, strip, plain)


def _mkdocs(project: Project, _site: GeneratedSite, values: ConfigValues) -> Iterator[SourceRule]:
    yield from _tree(project.join(_folder(values, "docs_dir") or "docs"), _TEXT)


def _sphinx(_project: Project, site: GeneratedSite, _values: ConfigValues) -> Iterator[SourceRule]:
    place = site.where.rpartition("/")[0]
    yield SourceRule(f"{place}/**.{{rst,md,txt,ipynb}}" if place else "**.{rst,md,txt,ipynb}", "/**")


def _docusaurus(project: Project, _site: GeneratedSite, values: ConfigValues) -> Iterator[SourceRule]:
    at_root = any(key.endswith("docs.routeBasePath") and text.strip("/") == "" for key, text in values.values.items())
    versions = _docusaurus_versions(project)
    last = next((text for key, text in values.values.items() if key.endswith("lastVersion")), (*versions, _CURRENT)[0])
    for version in (_CURRENT, *versions):
        below = "" if version == last else "/next" if version == _CURRENT else f"/{version}"
        page = f"{'' if at_root else '/docs'}{below}"
        name = version if version == _CURRENT else f"version-{version}"
        own = "docs" if version == _CURRENT else f"versioned_docs/{name}"
        for folder, prefix in ((own, ""), (f"i18n/*/docusaurus-plugin-content-docs/{name}", "/*")):
            yield from _tree(project.join(folder), _TEXT, f"{prefix}{page}/**", strip=_NUMBER)
    for ending in ("", "/index"):
        yield SourceRule(project.join(f"blog/**/*-*-*-*{ending}.{_TEXT}"), "/blog/**/*/*/*/*")
        yield SourceRule(project.join(f"blog/*-*-*-*{ending}.{_TEXT}"), "/blog/*/*/*/*")
    yield from _tree(project.join("src/pages"), "{js,jsx,ts,tsx,md,mdx}")


def _docusaurus_versions(project: Project) -> tuple[str, ...]:
    """The newest first; `docs` is then the version after it."""
    file = project.first("versions.json")
    try:
        found = json.loads(file.text) if file else []
    except (ValueError, RecursionError):
        return ()
    listed = found[:_VERSIONS] if isinstance(found, list) else []
    return tuple(text for text in listed if isinstance(text, str) and safe_word(text))


def _vitepress(_project: Project, site: GeneratedSite, values: ConfigValues) -> Iterator[SourceRule]:
    root = site.where.partition(".vitepress/")[0].rstrip("/")
    inner = _folder(values, "srcDir")
    yield SourceRule("/".join(filter(None, (root, inner, "**.md"))), "/**")


def _hugo(project: Project, _site: GeneratedSite, values: ConfigValues) -> Iterator[SourceRule]:
    content = project.join(_folder(values, "contentdir") or "content")
    kinds = "{md,markdown,html,adoc,org,rst}"
    yield SourceRule(f"{content}/**/_index.{kinds}", "/**/", plain=True)
    yield SourceRule(f"{content}/**.{kinds}", "/**", plain=True)


def _jekyll(project: Project, _site: GeneratedSite, _values: ConfigValues) -> Iterator[SourceRule]:
    kinds = "{md,markdown,html,textile}"
    yield SourceRule(project.join(f"_posts/*-*-*-*.{kinds}"), "/*/*/*/*")
    yield SourceRule(project.join(f"_posts/**/*-*-*-*.{kinds}"), "/**/*/*/*/*")
    yield from _tree(project.folder, kinds)


def _eleventy(project: Project, _site: GeneratedSite, values: ConfigValues) -> Iterator[SourceRule]:
    kinds = "{md,njk,html,liquid,hbs,ejs,webc,11ty.js}"
    yield SourceRule(project.join(_folder(values, "dir.input"), f"**.{kinds}"), "/**", _DAY)


def _astro(project: Project, _site: GeneratedSite, _values: ConfigValues) -> Iterator[SourceRule]:
    yield SourceRule(project.join("src/pages/**.{astro,md,mdx,html}"), "/**")
    packages = project.first("package.json")
    if packages is not None and '"@astrojs/starlight"' in packages.text:
        yield SourceRule(project.join(f"src/content/docs/**.{_TEXT}"), "/**", plain=True)
    yield SourceRule(project.join(f"src/content/**.{_TEXT}"), "/**", plain=True)


def _plain(_project: Project, site: GeneratedSite, _values: ConfigValues) -> Iterator[SourceRule]:
    yield SourceRule(f"{site.copied}/**.{{html,htm}}" if site.copied else "**.{html,htm}", "/**")


def _folder(values: ConfigValues, key: str) -> str:
    found = safe_path(values.values.get(key, ""))
    return "" if found == "." else found


_LAYOUTS: Mapping[str, _Layout] = {
    "MkDocs": _mkdocs,
    "Sphinx": _sphinx,
    "Jupyter Book": _sphinx,
    "Docusaurus": _docusaurus,
    "VitePress": _vitepress,
    "Hugo": _hugo,
    "Jekyll": _jekyll,
    "Eleventy": _eleventy,
    "Astro": _astro,
    PLAIN: _plain,
}


HEAD = 4_096  # bytes of a source that are looked at

_OPENING = lazy_re(rb"\A(?:\xef\xbb\xbf)?\s*(---|\+\+\+|(?=\{))")
# Of each generator, the keys that set the address of a page.
OWN_ADDRESSES = {
    "Docusaurus": "slug|id",
    "Hugo": "url|slug",
    "Jekyll": "permalink|slug",
    "Eleventy": "permalink",
    "Astro": "slug|permalink",
}


@cache
def _address_line(keys: str) -> re.Pattern[bytes]:
    return re.compile(rf"""^([ \t]*)["']?(?:{keys})["']?[ \t]*[:=][ \t]*(.*)$""".encode(), re.MULTILINE)


def has_own_address(head: bytes, generator: str, page: str) -> bool:
    """`head`: the beginning of the source; `page`: the key of the page that the layout gives it."""
    keys, opening = OWN_ADDRESSES.get(generator), _OPENING.match(head)
    if keys is None or opening is None:
        return False
    fence = opening[1]
    block = head[opening.end() :]
    if fence:
        block = block.partition(b"\n" + fence)[0]
    # What is indented belongs to another key, but in JSON.
    stated = (found[2] for found in _address_line(keys).finditer(block) if not (fence and found[1]))
    return any(not _is_same(value.strip().strip(b",").strip(b"\"'").decode(errors="replace"), page) for value in stated)


def _is_same(value: str, page: str) -> bool:
    """A whole path, or the last name of one."""
    key = page_key(f"/{value.strip('/')}")
    return bool(value) and (page == key or page.endswith(key))
