"""What the config of each generator says of its site beyond the columns of the table: functions of a few lines.

Each completes the site that its row describes, or finds the file that tells of it.
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.setup.packages import (
    BuildCommands,
    NodePackages,
    hugo_binary,
    jekyll_build,
    mdbook_version,
    option_value,
    python_build,
)
from sitemap_action.setup.project import ConfigValues, Fact, Project, SourceFile, join_address, safe_path

PLAIN = "plain HTML"


class GeneratedSite(Struct, frozen=True):
    """What is known of a site that a generator builds; paths are those of the repository."""

    generator: str
    where: str  # the file that tells
    output: Fact  # the folder of the build; `where` is "" for the generator's default
    build: BuildCommands
    addresses: tuple[Fact, ...] = ()  # of the site, as the generator's config states them
    computed: tuple[str, ...] = ()  # sentences on what only a program knows
    sitemap: Fact | None = None  # the name of one that the generator writes, and what makes it do so
    advice: str = ""  # how the generator would write one
    copied: str | None = None  # folder whose files the build gets as they are; None: not known
    refusal: str = ""  # why there is no folder of files
    overwrites: bool = False  # it writes a sitemap over one that it copies, without a URL where it knows no address
    select: Fact | None = None  # a key of `select` that its sitemap needs where the host is not known, and why


class Match(NamedTuple):
    """A generator's traces in a project."""

    project: Project
    packages: NodePackages
    values: ConfigValues


Adapt: TypeAlias = Callable[[Match, GeneratedSite], GeneratedSite | None]
"""Completes a site; None where it is none of this generator."""


class Generator(Struct, frozen=True, kw_only=True):
    """A row. Keys are those of the config, with dots; folders are those of the project."""

    name: str
    configs: tuple[str, ...] | Callable[[Project, NodePackages], SourceFile | None] = ()  # the first that is there
    package: str = ""  # of package.json
    needs: Literal["config", "package", "either", "both"] = "config"
    command: str = ""  # of the generator, where Node.js runs it
    runs: str = ""  # expression of a script that builds the site; that of `command` by default
    output: str  # folder of the build
    output_key: tuple[str, ...] = ()  # with -- an option of the command, which comes first
    url: tuple[str, ...] = ()
    base: str = ""  # the path of the site below its host
    computed: tuple[str, ...] = ()  # keys that are reported where only a program knows them
    plugins: tuple[str, ...] = ()  # packages that write a sitemap
    sitemap: str = "sitemap.xml"  # which they write
    advice: str = ""  # {} is the config
    copied: str | None = None
    adapt: Adapt | None = None


# --- what the columns cannot say ---

# What stands in braces in the name of a config.
_SUFFIXES = {
    "js": ("js", "ts", "mjs", "mts", "cjs", "cts"),
    "yaml": ("yml", "yaml"),
    "hugo": ("toml", "yaml", "yml", "json"),
    "book": ("json", "js"),
}
_METADATA_BASE = lazy_re(r"""\bmetadataBase\s*:\s*new\s+URL\(\s*(["'`])([^"'`\\$\n]*)\1\s*\)""")
_HONKIT = lazy_re(r"\bhonkit\s+build\b(?:\s+([\w./][\w./-]*))?(?:\s+([\w./][\w./-]*))?")
_TEMPLATE = lazy_re(r"sitemap(?:\.xml)?\.(?:njk|liquid|hbs|ejs|webc|11ty\.[cm]?[jt]s)")
_THEMES = ("furo", "sphinx_rtd_theme", "pydata_sphinx_theme", "sphinx_book_theme")  # packages of the same name
_SPHINX_SITEMAP = lazy_re(r"""^[^#\n]*["']sphinx_sitemap["']""", re.MULTILINE)
_IS_NIKOLA = lazy_re(r"^(?:BLOG_TITLE|NAVIGATION_LINKS|POSTS)[ \t]*=", re.MULTILINE)
_IS_SPHINX = lazy_re(r"^(?:extensions|html_theme|project|master_doc|html_baseurl)[ \t]*[:=]", re.MULTILINE)
_HTML_FOLDERS = (".", "public", "site", "www", "html", "htdocs", "web", "src", "docs", "dist", "_site")


def config_names(*names: str) -> Iterator[str]:
    """Each name, `mkdocs.{yaml}` with each suffix of that kind."""
    for name in names:
        stem, brace, kind = name.partition("{")
        yield from (f"{stem}{suffix}" for suffix in _SUFFIXES[kind[:-1]]) if brace else (name,)


def docusaurus(match: Match, site: GeneratedSite) -> GeneratedSite:
    off = any(key.endswith("sitemap") and value == "false" for key, value in match.values.values.items())
    return replace(site, sitemap=None) if off else site


def vitepress_config(project: Project, packages: NodePackages) -> SourceFile | None:
    """The config in the folder that the script names, else in a usual one, unless that is a project of its own."""
    script = packages.script_command(r"\bvitepress\s+build\b")
    named = re.search(r"\bvitepress\s+build\s+([\w./-]+)", script)
    for place in (safe_path(named[1]) if named else "", "docs", ".", "doc", "src", "website"):
        own = place != "." and project.has(f"{place}/package.json") and not packages.dependency("vitepress")
        names = config_names(f"{place}/.vitepress/config.{{js}}", f"{place}/.vitepress/config/index.{{js}}")
        if place and not own and (file := project.first(*names)):
            return file
    return None


def vitepress(match: Match, site: GeneratedSite) -> GeneratedSite:
    values = match.values
    inner = site.where.removeprefix(f"{match.project.folder}/")
    root = inner.partition(".vitepress/")[0].rstrip("/")
    here = match.project.inside(root)
    flag = match.packages.script_option(r"\bvitepress\s+build\b", "--outDir")
    hostname, base = values.get("sitemap.hostname"), values.get("base")
    if hostname and base and hostname.value.rstrip("/").endswith(f"/{base.value.strip('/')}"):
        base = None
    writes = hostname.where if hostname else values.is_computed("sitemap.hostname")
    return replace(
        site,
        output=site.output if flag else here.output(values.get("outDir"), ".vitepress/dist"),
        build=match.packages.build(r"\bvitepress\s+build\b", f"vitepress build {root}".rstrip()),
        addresses=join_address(hostname, base),
        sitemap=Fact("sitemap.xml", f"sitemap.hostname, {writes}") if writes else None,
        copied=here.join("public"),
    )


def astro(match: Match, site: GeneratedSite) -> GeneratedSite:
    """Starlight has the sitemap's integration too, and uses it where the address of the site is known."""
    starlight = match.packages.dependency("@astrojs/starlight")
    if site.sitemap is None and starlight and (match.values.get("site") or match.values.is_computed("site")):
        site = replace(site, sitemap=Fact("sitemap-index.xml", f"@astrojs/starlight, {starlight}"))
    mode = match.values.get("output")
    if mode and mode.value == "server":
        site = replace(site, refusal=f"{mode.where}: output is server, so no build holds the pages")
    return site


def nextjs(match: Match, site: GeneratedSite) -> GeneratedSite:
    """next-sitemap is a second command; a script `postbuild` runs it where a script builds."""
    project, packages = match.project, match.packages
    exports = (
        match.values.text("output") == "export"
        or match.values.is_computed("output")
        or packages.any_script("next export")
    )
    if packages.dependency("next-sitemap") and not packages.any_script("next-sitemap"):
        site = replace(site, build=site.build.then(packages.execute("next-sitemap")))
    file = project.first(*config_names("next-sitemap.config.{js}"))
    found = [project.values(file).get("siteUrl")] if file else []
    layouts = [f"{folder}app/layout.{end}" for folder in ("", "src/") for end in ("tsx", "jsx", "js", "ts")]
    if (layout := project.first(*layouts)) and (base := _METADATA_BASE.search(layout.text)):
        found.append(Fact(base[2], layout.line(base.start())))
    routes = [f"{folder}app/sitemap.{end}" for folder in ("", "src/") for end in ("ts", "js", "tsx", "jsx")]
    if route := project.first(*routes):
        site = replace(site, sitemap=Fact("sitemap.xml", route.path))
    return replace(
        site,
        addresses=tuple(one for address in found for one in join_address(address, match.values.get("basePath"))),
        refusal="" if exports else f'{site.where}: output: "export" is not set, so no build holds the pages',
    )


def nuxt(match: Match, site: GeneratedSite) -> GeneratedSite:
    """The site that `nuxt generate` makes, whatever the script `build` does: that may make a server."""
    packages = match.packages
    generates = packages.script_command(r"\bnuxi?t?\s+generate\b")
    if not re.search(r"\bnuxi?t?\s+generate\b", generates):
        command = packages.execute("nuxt generate")
        site = replace(site, build=BuildCommands((*packages.install, command), packages.where))
    known = site.addresses or match.values.is_computed("site.url")
    return site if known else replace(site, sitemap=None)


def gatsby(match: Match, site: GeneratedSite) -> GeneratedSite:
    build = match.packages.script_command(r"\bgatsby\s+build\b")
    if "--prefix-paths" in build:
        return site
    return replace(site, addresses=join_address(match.values.get("siteMetadata.siteUrl"), None))


def sveltekit(match: Match, site: GeneratedSite) -> GeneratedSite:
    route = match.project.first(*config_names("src/routes/sitemap.xml/+server.{js}"))
    static = match.packages.dependency("@sveltejs/adapter-static")
    return replace(
        site,
        sitemap=Fact("sitemap.xml", route.path) if route else None,
        refusal="" if static else f"{site.where}: @sveltejs/adapter-static is not used, so no build holds the pages",
    )


def rspress(match: Match, site: GeneratedSite) -> GeneratedSite:
    """The plug-in has the address where the config of version 1 has none; it lists /x where links have x.html, too."""
    values, docs = match.values, safe_path(match.values.values.get("root", "docs")) or "docs"
    stated = values.get("siteUrl", "domain")
    return replace(
        site,
        addresses=site.addresses or join_address(stated, values.get("base")),
        copied=match.project.join(docs, "public"),
        select=site.sitemap and Fact("html-extension: drop", f"as in the sitemap of {site.sitemap.where}"),
    )


def honkit(match: Match, site: GeneratedSite) -> GeneratedSite:
    """The command may name the folders of the book and of the build; every file of the book is copied."""
    named = _HONKIT.search(match.packages.script_command(_HONKIT.pattern)[:2000])
    book, output = (safe_path(name or "") for name in (named[1], named[2])) if named else ("", "")
    stated = match.values.get("root")
    return replace(
        site,
        output=Fact(match.project.join(output or f"{book or '.'}/_book"), ""),
        copied=match.project.join(book, safe_path(stated.value) if stated else ""),
    )


def eleventy(match: Match, site: GeneratedSite) -> GeneratedSite:
    """The address is in the global data, where most starter projects keep it."""
    project = match.project
    command = match.packages.script_command(r"\beleventy\b")
    source = safe_path(option_value(command, "--input") or match.values.text("dir.input") or ".") or "."
    names = [f"{name}.{end}" for name in ("metadata", "site", "meta") for end in ("json", "js", "mjs", "cjs", "yml")]
    data = project.values(project.first(*(f"{source}/_data/{name}" for name in names)))
    for place in (source, f"{source}/pages", f"{source}/content"):
        if templates := sorted(name for name in project.names(project.join(place)) if _TEMPLATE.fullmatch(name)):
            site = replace(site, sitemap=Fact("sitemap.xml", project.join(place, templates[0])))
            break
    computed = () if option_value(command, "--output") else site.computed
    return replace(site, addresses=join_address(data.get("url", "siteUrl", "baseUrl"), None), computed=computed)


def hexo(match: Match, site: GeneratedSite) -> GeneratedSite:
    """Hexo wants the path of the site in its address too."""
    address, base = match.values.get("url"), match.values.get("root")
    if address and base and urlsplit(address.value).path.strip("/") == base.value.strip("/"):
        return replace(site, addresses=(address,))
    return site


def hugo(match: Match, site: GeneratedSite) -> GeneratedSite | None:
    """`config.toml` may be anything's; keys are written in any letter case."""
    lower = match.values.ignore_case()
    folders = sum(map(match.project.has, ("archetypes", "content", "layouts", "themes")))
    named = site.where.rpartition("/")[2].startswith("hugo.")
    if not named and not (lower.get("baseurl") or folders > 1):
        return None
    install, where = hugo_binary(match.project)
    modules = match.packages.install
    off = "sitemap" in {kind.lower() for kind in lower.items.get("disablekinds", ())}
    return replace(
        site,
        output=match.project.output(lower.get("publishdir"), "public"),
        build=BuildCommands((*install, *modules, "hugo"), where),
        addresses=join_address(lower.get("baseurl"), None),
        sitemap=None if off else Fact("sitemap.xml", "Hugo writes one by default"),
    )


def jekyll(match: Match, site: GeneratedSite) -> GeneratedSite | None:
    if match.project.has("_toc.yml") or match.packages.dependency("hexo"):
        return None
    items = match.values.items
    plug_in = "jekyll-sitemap" in (*items.get("plugins", ()), *items.get("gems", ()))
    return replace(
        site,
        build=jekyll_build(match.project),
        sitemap=Fact("sitemap.xml", f"jekyll-sitemap, {site.where}") if plug_in else None,
    )


def mkdocs(match: Match, site: GeneratedSite) -> GeneratedSite:
    """`site_url: !ENV [NAME, otherwise]` has its last item; `mkdocs get-deps` prints the packages of a config."""
    values = match.values
    items = values.items.get("site_url", ())
    otherwise = Fact(items[-1], values.place("site_url")) if len(items) > 1 else None
    address = values.get("site_url") or otherwise
    otherwise_installed = ("mkdocs", '$("$RUNNER_TEMP/venv/bin/mkdocs" get-deps)')
    writes = address.where if address else values.is_computed("site_url")
    return replace(
        site,
        build=python_build(match.project, "mkdocs", "mkdocs build", otherwise_installed),
        addresses=join_address(address, None),
        computed=() if address else site.computed,
        sitemap=Fact("sitemap.xml", f"site_url, {writes}") if writes else None,
        copied=match.project.join(safe_path(values.values.get("docs_dir", "docs")) or "docs"),
        overwrites=True,
    )


def zensical(match: Match, site: GeneratedSite) -> GeneratedSite:
    address = match.values.get("project.site_url")
    return replace(
        site,
        build=python_build(match.project, "zensical", "zensical build", ("zensical",)),
        sitemap=Fact("sitemap.xml", f"site_url, {address.where}") if address else None,
        copied=match.project.join(safe_path(match.values.values.get("project.docs_dir", "docs")) or "docs"),
        overwrites=True,
    )


def pelican(match: Match, site: GeneratedSite) -> GeneratedSite:
    """The address is in the config that a publication uses, which has the other one in it."""
    project, values = match.project, match.values
    published = project.values(project.first("publishconf.py"))
    content = safe_path(values.values.get("PATH", "content")) or "content"
    command = f"pelican {content}{' -s publishconf.py' if published.file.path else ''}"
    setting = next((one.is_computed("SITEMAP") for one in (published, values) if one.is_computed("SITEMAP")), "")
    otherwise = f"'pelican[markdown]'{' pelican-sitemap' if setting else ''}"
    addresses = join_address(published.get("SITEURL"), None) or site.addresses
    return replace(
        site,
        output=project.output(published.get("OUTPUT_PATH") or values.get("OUTPUT_PATH"), "output"),
        build=python_build(project, "pelican", command, (otherwise,)),
        addresses=addresses,
        computed=() if addresses else site.computed,
        sitemap=Fact("sitemap.xml", f"pelican-sitemap, {setting}") if setting else None,
    )


def nikola_config(project: Project, _packages: NodePackages) -> SourceFile | None:
    file = project.first("conf.py")
    return file if file and _IS_NIKOLA.search(file.text) else None


def nikola(match: Match, site: GeneratedSite) -> GeneratedSite:
    """Its robots.txt names an index, which has the feeds of galleries too (U-27)."""
    off = '"sitemap"' in match.values.file.text.partition("DISABLED_PLUGINS")[2].partition("]")[0].replace("'", '"')
    return replace(
        site,
        build=python_build(match.project, "nikola", "nikola build", ("'Nikola[extras]'",)),
        sitemap=None if off else Fact("sitemapindex.xml", "Nikola writes one by default"),
    )


def lektor_config(project: Project, _packages: NodePackages) -> SourceFile | None:
    names = sorted(name for name in project.names(project.folder) if name.endswith(".lektorproject"))
    return project.first(*names)


def lektor(match: Match, site: GeneratedSite) -> GeneratedSite:
    """Lektor builds into a cache of its own by default, so the command names the folder."""
    folder = site.output.value.removeprefix(f"{match.project.folder}/")
    page = "content/sitemap.xml"
    return replace(
        site,
        build=python_build(match.project, "lektor", f"lektor build --output-path {folder}", ("lektor",)),
        sitemap=Fact("sitemap.xml", match.project.join(page)) if match.project.has(page) else None,
    )


def mdbook(match: Match, site: GeneratedSite) -> GeneratedSite:
    """It writes no sitemap, and copies every file of its sources that is no Markdown."""
    values = match.values
    domain = values.get("output.html.cname")
    address = domain and Fact(f"https://{domain.value}/", domain.where)
    version, where = mdbook_version(match.project)
    return replace(
        site,
        build=BuildCommands((f"cargo install --locked mdbook{version}", "mdbook build"), where),
        addresses=join_address(address, values.get("output.html.site-url")),
        copied=match.project.join(safe_path(values.values.get("book.src", "src")) or "src"),
    )


def jupyter_book(match: Match, site: GeneratedSite) -> GeneratedSite | None:
    """A version that builds with Sphinx; a later one has `myst.yml`."""
    if not match.project.has("_toc.yml"):
        return None
    extension = "sphinx_sitemap" in match.values.items.get("sphinx.extra_extensions", ())
    otherwise = "'jupyter-book<2'" + " sphinx-sitemap" * extension
    return replace(
        site,
        build=python_build(match.project, "jupyter-book", "jupyter-book build .", (otherwise,)),
        sitemap=Fact("sitemap.xml", f"the extension sphinx_sitemap, {site.where}") if extension else None,
    )


def sphinx_config(project: Project, _packages: NodePackages) -> SourceFile | None:
    files = (project.first(f"{place}/conf.py") for place in ("docs", "docs/source", "doc", "doc/source", "source", "."))
    return next((file for file in files if file is not None and _IS_SPHINX.search(file.text)), None)


def sphinx(match: Match, site: GeneratedSite) -> GeneratedSite:
    values = match.values
    place = values.file.path.removeprefix(f"{match.project.folder}/").rpartition("/")[0] or "."
    extension, theme = _SPHINX_SITEMAP.search(values.file.text), values.text("html_theme")
    needed = ["sphinx", *(["sphinx-sitemap"] if extension else []), *([theme] if theme in _THEMES else [])]
    parent, _, last = place.rpartition("/")
    output = f"{parent}/build/html" if last == "source" and parent else f"{place}/_build/html"
    output = safe_path(output) or "_build/html"
    command = f"sphinx-build -b html {place} {output}"
    where = f"the extension sphinx_sitemap, {values.file.line(extension.end())}" if extension else ""
    name = safe_path(values.text("sitemap_filename")) or "sitemap.xml"
    return replace(
        site,
        output=Fact(match.project.join(output), ""),
        build=python_build(match.project, "sphinx", command, (" ".join(needed).replace("_", "-"),)),
        sitemap=Fact(name, where) if where else None,
    )


def vite(match: Match, site: GeneratedSite) -> GeneratedSite | None:
    """An application of one HTML file, which scripts fill; frameworks that use Vite are recognised before it."""
    root = match.values.get("root")
    if not match.project.has(f"{root.value if root else '.'}/index.html"):
        return None
    if root and not match.values.get("build.outDir"):
        return replace(site, output=match.project.output(None, f"{root.value}/dist"))
    return site


def start_page(project: Project, _packages: NodePackages) -> SourceFile | None:
    """A start page that git tracks."""
    places = (f"{folder}/index.html" for folder in _HTML_FOLDERS if project.has(f"{folder}/index.html"))
    path = next((path for path in places if project.tracked(project.join(path))), "")
    return SourceFile(project.join(path), "") if path else None


def plain_html(match: Match, site: GeneratedSite) -> GeneratedSite:
    """Files as they are; where scripts build the site, the start page is a source of theirs."""
    folder = site.where.rpartition("/")[0]
    built = match.packages.script(r"^$")
    return replace(
        site,
        output=Fact(folder or ".", site.where),
        build=BuildCommands((), "no generator: the files are served as they are"),
        copied=folder,
        refusal=f"{built.where}: a script builds the site with a tool that is not known here" if built else "",
    )
