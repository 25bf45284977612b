"""The generators that `init` knows: a row for each in `GENERATORS`, and which of them builds the site of a repository.

What the columns cannot say is a function of a few lines, `adapt`, which completes the site that its row describes.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.setup.packages import (
    BuildCommands,
    NodePackages,
    hugo_binary,
    jekyll_build,
    node_packages,
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
}
_METADATA_BASE = re.compile(r"""\bmetadataBase\s*:\s*new\s+URL\(\s*(["'`])([^"'`\\$\n]*)\1\s*\)""")
_TEMPLATE = re.compile(r"sitemap(?:\.xml)?\.(?:njk|liquid|hbs|ejs|webc|11ty\.[cm]?[jt]s)")
_THEMES = ("furo", "sphinx_rtd_theme", "pydata_sphinx_theme", "sphinx_book_theme")  # packages of the same name
_SPHINX_SITEMAP = re.compile(r"""^[^#\n]*["']sphinx_sitemap["']""", re.MULTILINE)
_IS_SPHINX = re.compile(r"^(?:extensions|html_theme|project|master_doc|html_baseurl)[ \t]*[:=]", re.MULTILINE)
_HTML_FOLDERS = (".", "public", "site", "www", "html", "htdocs", "web", "src", "docs", "dist", "_site")


def _config_names(*names: str) -> Iterator[str]:
    """Each name, `mkdocs.{yaml}` with each suffix of that kind."""
    for name in names:
        stem, brace, kind = name.partition("{")
        yield from (f"{stem}{suffix}" for suffix in _SUFFIXES[kind[:-1]]) if brace else (name,)


def _docusaurus(match: Match, site: GeneratedSite) -> GeneratedSite:
    off = any(key.endswith("sitemap") and value == "false" for key, value in match.values.values.items())
    return replace(site, sitemap=None) if off else site


def _vitepress_config(project: Project, packages: NodePackages) -> SourceFile | None:
    """The config in the folder that the script names, else in a usual one, unless that is a project of its own."""
    script = packages.script_command(r"\bvitepress\s+build\b")
    named = re.search(r"\bvitepress\s+build\s+([\w./-]+)", script)
    for place in (safe_path(named[1]) if named else "", "docs", ".", "doc", "src", "website"):
        own = place != "." and project.has(f"{place}/package.json") and not packages.dependency("vitepress")
        names = _config_names(f"{place}/.vitepress/config.{{js}}", f"{place}/.vitepress/config/index.{{js}}")
        if place and not own and (file := project.first(*names)):
            return file
    return None


def _vitepress(match: Match, site: GeneratedSite) -> GeneratedSite:
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


def _astro(match: Match, site: GeneratedSite) -> GeneratedSite:
    """Starlight has the sitemap's integration too, and uses it where the address of the site is known."""
    starlight = match.packages.dependency("@astrojs/starlight")
    if site.sitemap is None and starlight and (match.values.get("site") or match.values.is_computed("site")):
        site = replace(site, sitemap=Fact("sitemap-index.xml", f"@astrojs/starlight, {starlight}"))
    mode = match.values.get("output")
    if mode and mode.value == "server":
        site = replace(site, refusal=f"{mode.where}: output is server, so no build holds the pages")
    return site


def _nextjs(match: Match, site: GeneratedSite) -> GeneratedSite:
    """next-sitemap is a second command; a script `postbuild` runs it where a script builds."""
    project, packages = match.project, match.packages
    exports = (
        match.values.text("output") == "export"
        or match.values.is_computed("output")
        or packages.any_script("next export")
    )
    if packages.dependency("next-sitemap") and not packages.any_script("next-sitemap"):
        site = replace(site, build=site.build.then(packages.execute("next-sitemap")))
    file = project.first(*_config_names("next-sitemap.config.{js}"))
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


def _nuxt(match: Match, site: GeneratedSite) -> GeneratedSite:
    """The site that `nuxt generate` makes, whatever the script `build` does: that may make a server."""
    packages = match.packages
    generates = packages.script_command(r"\bnuxi?t?\s+generate\b")
    if not re.search(r"\bnuxi?t?\s+generate\b", generates):
        command = packages.execute("nuxt generate")
        site = replace(site, build=BuildCommands((*packages.install, command), packages.where))
    known = site.addresses or match.values.is_computed("site.url")
    return site if known else replace(site, sitemap=None)


def _gatsby(match: Match, site: GeneratedSite) -> GeneratedSite:
    build = match.packages.script_command(r"\bgatsby\s+build\b")
    if "--prefix-paths" in build:
        return site
    return replace(site, addresses=join_address(match.values.get("siteMetadata.siteUrl"), None))


def _sveltekit(match: Match, site: GeneratedSite) -> GeneratedSite:
    route = match.project.first(*_config_names("src/routes/sitemap.xml/+server.{js}"))
    static = match.packages.dependency("@sveltejs/adapter-static")
    return replace(
        site,
        sitemap=Fact("sitemap.xml", route.path) if route else None,
        refusal="" if static else f"{site.where}: @sveltejs/adapter-static is not used, so no build holds the pages",
    )


def _eleventy(match: Match, site: GeneratedSite) -> GeneratedSite:
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


def _hexo(match: Match, site: GeneratedSite) -> GeneratedSite:
    """Hexo wants the path of the site in its address too."""
    address, base = match.values.get("url"), match.values.get("root")
    if address and base and urlsplit(address.value).path.strip("/") == base.value.strip("/"):
        return replace(site, addresses=(address,))
    return site


def _hugo(match: Match, site: GeneratedSite) -> GeneratedSite | None:
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


def _jekyll(match: Match, site: GeneratedSite) -> GeneratedSite | None:
    if match.project.has("_toc.yml") or match.packages.dependency("hexo"):
        return None
    items = match.values.items
    plug_in = "jekyll-sitemap" in (*items.get("plugins", ()), *items.get("gems", ()))
    return replace(
        site,
        build=jekyll_build(match.project),
        sitemap=Fact("sitemap.xml", f"jekyll-sitemap, {site.where}") if plug_in else None,
    )


def _mkdocs(match: Match, site: GeneratedSite) -> GeneratedSite:
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
    )


def _jupyter_book(match: Match, site: GeneratedSite) -> GeneratedSite | None:
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


def _sphinx_config(project: Project, _packages: NodePackages) -> SourceFile | None:
    files = (project.first(f"{place}/conf.py") for place in ("docs", "docs/source", "doc", "doc/source", "source", "."))
    return next((file for file in files if file is not None and _IS_SPHINX.search(file.text)), None)


def _sphinx(match: Match, site: GeneratedSite) -> GeneratedSite:
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


def _vite(match: Match, site: GeneratedSite) -> GeneratedSite | None:
    """An application of one HTML file, which scripts fill; frameworks that use Vite are recognised before it."""
    root = match.values.get("root")
    if not match.project.has(f"{root.value if root else '.'}/index.html"):
        return None
    if root and not match.values.get("build.outDir"):
        return replace(site, output=match.project.output(None, f"{root.value}/dist"))
    return site


def _start_page(project: Project, _packages: NodePackages) -> SourceFile | None:
    """A start page that git tracks."""
    places = (f"{folder}/index.html" for folder in _HTML_FOLDERS if project.has(f"{folder}/index.html"))
    path = next((path for path in places if project.tracked(project.join(path))), "")
    return SourceFile(project.join(path), "") if path else None


def _plain_html(match: Match, site: GeneratedSite) -> GeneratedSite:
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


# fmt: off
GENERATORS: Mapping[str, Generator] = {  # of several in one folder the first counts
    "docusaurus": Generator(
        name="Docusaurus", configs=("docusaurus.config.{js}",), command="docusaurus build", output="build",
        output_key=("--out-dir",), url=("url",), base="baseUrl", computed=("url", "baseUrl"),
        plugins=("@docusaurus/plugin-sitemap", "@docusaurus/preset-classic"),
        advice="add @docusaurus/plugin-sitemap to the config", copied="static", adapt=_docusaurus,
    ),
    "vitepress": Generator(
        name="VitePress", configs=_vitepress_config, command="vitepress build", output="dist",
        output_key=("--outDir",), computed=("sitemap.hostname", "base"), advice="set sitemap.hostname in {}",
        adapt=_vitepress,
    ),
    "astro": Generator(
        name="Astro", configs=("astro.config.{js}",), command="astro build", output="dist",
        output_key=("--outDir", "outDir"), url=("site",), base="base",
        computed=("site", "base"), plugins=("@astrojs/sitemap",), sitemap="sitemap-index.xml",
        advice="run `npx astro add sitemap`, and set site", copied="public", adapt=_astro,
    ),
    "nextjs": Generator(
        name="Next.js export", configs=("next.config.{js}",), package="next", needs="package",
        command="next build", output="out", output_key=("distDir",),
        computed=("output", "basePath", "distDir"), plugins=("next-sitemap",), advice="add app/sitemap.ts",
        copied="public", adapt=_nextjs,
    ),
    "nuxt": Generator(
        name="Nuxt", configs=("nuxt.config.{js}",), command="nuxt generate", runs=r"\bnuxi?t?\s+generate\b",
        output=".output/public", url=("site.url", "sitemap.siteUrl", "sitemap.hostname"), base="app.baseURL",
        computed=("site.url", "app.baseURL"), plugins=("@nuxtjs/sitemap", "@nuxtjs/seo"),
        advice="add the module @nuxtjs/sitemap, and set site.url", copied="public", adapt=_nuxt,
    ),
    "gatsby": Generator(
        name="Gatsby", configs=("gatsby-config.{js}",), command="gatsby build", output="public",
        url=("siteMetadata.siteUrl",), base="pathPrefix", computed=("siteMetadata.siteUrl",),
        plugins=("gatsby-plugin-sitemap",), sitemap="sitemap-index.xml",
        advice="add gatsby-plugin-sitemap to the config", copied="static", adapt=_gatsby,
    ),
    "sveltekit": Generator(
        name="SvelteKit static", configs=("svelte.config.{js}",), package="@sveltejs/kit", needs="package",
        command="vite build", output="build", output_key=("kit.adapter.pages", "kit.pages"),
        url=("kit.prerender.origin",), base="kit.paths.base",
        computed=("kit.prerender.origin", "kit.paths.base"),
        advice="add the route src/routes/sitemap.xml, and prerender it", copied="static", adapt=_sveltekit,
    ),
    "eleventy": Generator(
        name="Eleventy", configs=(".eleventy.js", "eleventy.config.{js}"), package="@11ty/eleventy",
        needs="either", command="eleventy", output="_site", output_key=("--output", "dir.output"),
        computed=("dir.output",), plugins=("@quasibit/eleventy-plugin-sitemap",),
        advice="add a template that writes sitemap.xml", adapt=_eleventy,
    ),
    "hexo": Generator(
        name="Hexo", configs=("_config.{yaml}",), package="hexo", needs="both", command="hexo generate",
        runs=r"\bhexo\s+g(?:enerate)?\b", output="public", output_key=("public_dir",), url=("url",),
        base="root", plugins=("hexo-generator-sitemap",), advice="add hexo-generator-sitemap", copied="source",
        adapt=_hexo,
    ),
    "hugo": Generator(
        name="Hugo", output="public", advice="take sitemap out of disableKinds in {}", copied="static", adapt=_hugo,
        configs=("hugo.{hugo}", "config.{hugo}", "config/_default/hugo.{hugo}", "config/_default/config.{hugo}"),
    ),
    "mkdocs": Generator(
        name="MkDocs", configs=("mkdocs.{yaml}",), output="site", output_key=("site_dir",),
        computed=("site_url",), advice="set site_url in {}", adapt=_mkdocs,
    ),
    "jupyter-book": Generator(
        name="Jupyter Book", configs=("_config.yml",), output="_build/html", url=("html.baseurl",),
        advice="add sphinx_sitemap to sphinx.extra_extensions in {}, and set html.baseurl",
        adapt=_jupyter_book,
    ),
    "jekyll": Generator(
        name="Jekyll", configs=("_config.{yaml}",), output="_site", output_key=("destination",), url=("url",),
        base="baseurl", advice="add jekyll-sitemap to plugins in {}", copied="", adapt=_jekyll,
    ),
    "sphinx": Generator(
        name="Sphinx", configs=_sphinx_config, output="_build/html", url=("html_baseurl",),
        computed=("html_baseurl",), advice="add sphinx_sitemap to extensions in {}, and set html_baseurl",
        adapt=_sphinx,
    ),
    "vite": Generator(
        name="Vite", configs=("vite.config.{js}",), package="vite", needs="package", command="vite build",
        output="dist", output_key=("build.outDir",), computed=("root", "build.outDir"), copied="public",
        adapt=_vite,
    ),
    "html": Generator(name=PLAIN, configs=_start_page, output=".", adapt=_plain_html),
}
# fmt: on


class Recognised(NamedTuple):
    """`others`: sites that are there too and do not count; `packages`: of the folder of the site."""

    site: GeneratedSite | None
    project: Project
    packages: NodePackages
    others: tuple[GeneratedSite, ...] = ()


def recognise(project: Project, wanted: str = "") -> Recognised:
    """The site in this folder, else in the first of its folders that has one. `wanted`: the name of a generator."""
    here = _recognise_here(project, wanted)
    if here.site is not None and here.site.generator != PLAIN:
        return here
    places = (_recognise_here(project.inside(place), wanted) for place in _site_folders(project))
    found = [one for one in places if one.site and one.site.generator != PLAIN]  # a lone page may be anything's
    if here.site is None and found:
        here, found = found[0], found[1:]
    return here._replace(others=(*here.others, *(one.site for one in found if one.site)))


def _recognise_here(project: Project, wanted: str) -> Recognised:
    packages = node_packages(project)
    rows = [GENERATORS[wanted]] if wanted else GENERATORS.values()
    found = [site for row in rows if (site := _match_row(row, project, packages)) is not None]
    generated = [site for site in found if site.generator != PLAIN] or found
    usable = [site for site in generated if not site.refusal] or generated
    first = next(iter(usable), None)
    return Recognised(first, project, packages, tuple(site for site in generated if site is not first))


def _site_folders(project: Project) -> list[str]:
    """The usual ones first, then all others, and the members of a workspace."""
    names = project.names(project.folder)
    groups = ("apps", "packages", "sites")
    inner = [f"{group}/{name}" for group in groups for name in sorted(project.names(project.join(group)))]
    usual = [name for name in ("website", "site", "docs", "www", "web", "frontend") if name in names]
    shown = [name for name in sorted(names) if not name.startswith(".")]
    rest = [name for name in (*shown, *inner) if safe_path(name) and name not in usual and name != "node_modules"]
    return [*usual, *rest][:100]


def _match_row(row: Generator, project: Project, packages: NodePackages) -> GeneratedSite | None:
    if row.command and not packages.values.file.path:
        return None
    configs = row.configs
    file = project.first(*_config_names(*configs)) if isinstance(configs, tuple) else configs(project, packages)
    needed = packages.dependency(row.package) if row.package else ""
    there = {"config": file, "package": needed, "either": file or needed, "both": file and needed}
    if not there[row.needs]:
        return None
    values = project.values(file)
    where = file.path if file else needed
    build, flag = BuildCommands((), ""), None
    if row.command:
        runs = row.runs or rf"\b{row.command.replace(' ', chr(92) + 's+')}\b"
        option = next((key for key in row.output_key if key.startswith("--")), "")
        build, flag = packages.build(runs, row.command), packages.script_option(runs, option)
    plugin = next((name for name in row.plugins if packages.dependency(name)), "")
    site = GeneratedSite(
        generator=row.name,
        where=where,
        output=project.output(flag or values.get(*row.output_key), row.output),
        build=build,
        addresses=join_address(values.get(*row.url), values.get(row.base)),
        computed=values.describe_computed(row.computed),
        sitemap=Fact(row.sitemap, f"{plugin}, {packages.dependency(plugin)}") if plugin else None,
        advice=row.advice.format(where),
        copied=None if row.copied is None else project.join(row.copied),
    )
    return row.adapt(Match(project, packages, values), site) if row.adapt else site
