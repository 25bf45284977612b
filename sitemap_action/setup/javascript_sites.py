"""Docusaurus, VitePress, Astro, Eleventy and Hexo: sites of documents that Node.js builds."""

import re
from urllib.parse import urlsplit

from sitemap_action.setup.generated_site import (
    GeneratedSite,
    OwnSitemap,
    join_address,
    option_of,
    said_computed,
    stated_values,
)
from sitemap_action.setup.javascript import javascript_values
from sitemap_action.setup.node_packages import NodePackages
from sitemap_action.setup.project import Project, SourceFile, Stated, safe_path
from sitemap_action.setup.stated_values import StatedValues

SUFFIXES = ("js", "ts", "mjs", "mts", "cjs", "cts")
_TEMPLATE = re.compile(r"sitemap(?:\.xml)?\.(?:njk|liquid|hbs|ejs|webc|11ty\.[cm]?[jt]s)")
_DATA = tuple(f"{name}.{end}" for name in ("metadata", "site", "meta") for end in ("json", "js", "mjs", "cjs", "yml"))


def config_file(project: Project, stem: str) -> SourceFile | None:
    """The config of a generator, whichever kind of JavaScript it is."""
    return project.first(*(f"{stem}.{suffix}" for suffix in SUFFIXES))


def docusaurus(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    file = config_file(project, "docusaurus.config")
    if file is None or packages is None:
        return None
    values = javascript_values(file)
    build = packages.script(r"\bdocusaurus\s+build\b")
    flag = option_of(packages.command(build.value), "--out-dir") if build else ""
    writes = packages.dependency("@docusaurus/plugin-sitemap", "@docusaurus/preset-classic")
    off = any(key.endswith("sitemap") and value == "false" for key, value in values.values.items())
    return GeneratedSite(
        generator="Docusaurus",
        where=file.path,
        output=project.output(Stated(flag, build.where) if flag and build else None, "build"),
        build=packages.build(r"\bdocusaurus\s+build\b", "docusaurus build"),
        addresses=join_address(values.get("url"), values.get("baseUrl")),
        computed=said_computed(values, ("url", "baseUrl")),
        sitemap=OwnSitemap("sitemap.xml", f"its sitemap plugin, {writes}") if writes and not off else None,
        advice="add @docusaurus/plugin-sitemap to the config",
        copied=project.at("static"),
    )


def vitepress(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    build = packages.script(r"\bvitepress\s+build\b") if packages else None
    command = packages.command(build.value) if packages and build else ""
    named = re.search(r"\bvitepress\s+build\s+([\w./-]+)", command)
    places = ([safe_path(named[1])] if named else []) + ["docs", ".", "doc", "src", "website"]
    for place in filter(None, places):
        file = config_file(project, f"{place}/.vitepress/config") or config_file(
            project, f"{place}/.vitepress/config/index"
        )
        own = place != "." and project.has(f"{place}/package.json")
        if own and packages is not None and not packages.dependency("vitepress"):
            continue  # a project of its own, with its packages
        if file is not None and packages is not None:
            return _vitepress(project, packages, file, place, build)
    return None


def _vitepress(
    project: Project, packages: NodePackages, file: SourceFile, root: str, build: Stated | None
) -> GeneratedSite:
    values = javascript_values(file)
    flag = option_of(packages.command(build.value), "--outDir") if build else ""
    if flag and build:
        output = project.output(Stated(flag, build.where), "dist")
    else:
        output = project.inside(root).output(values.get("outDir"), ".vitepress/dist")
    hostname, base = values.get("sitemap.hostname"), values.get("base")
    if hostname and base and hostname.value.rstrip("/").endswith(f"/{base.value.strip('/')}"):
        base = None
    writes = hostname.where if hostname else values.is_computed("sitemap.hostname")
    return GeneratedSite(
        generator="VitePress",
        where=file.path,
        output=output,
        build=packages.build(r"\bvitepress\s+build\b", f"vitepress build{'' if root == '.' else f' {root}'}"),
        addresses=join_address(hostname, base),
        computed=said_computed(values, ("sitemap.hostname", "base")),
        sitemap=OwnSitemap("sitemap.xml", f"sitemap.hostname, {writes}") if writes else None,
        advice=f"set sitemap.hostname in {file.path}",
        copied=project.at(root, "public"),
    )


def astro(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    file = config_file(project, "astro.config")
    if file is None or packages is None:
        return None
    values = javascript_values(file)
    build = packages.script(r"\bastro\s+build\b")
    flag = option_of(packages.command(build.value), "--outDir") if build else ""
    mode = values.get("output")
    refusal = f"{mode.where}: output is server, so no build holds the pages" if mode and mode.value == "server" else ""
    return GeneratedSite(
        generator="Astro",
        where=file.path,
        output=project.output(Stated(flag, build.where) if flag and build else values.get("outDir"), "dist"),
        build=packages.build(r"\bastro\s+build\b", "astro build"),
        addresses=join_address(values.get("site"), values.get("base")),
        computed=said_computed(values, ("site", "base")),
        sitemap=_astro_sitemap(packages, addressed=bool(values.get("site") or values.is_computed("site"))),
        advice="run `npx astro add sitemap`, and set site",
        copied=project.at("public"),
        refusal=refusal,
    )


def _astro_sitemap(packages: NodePackages, *, addressed: bool) -> OwnSitemap | None:
    """Starlight has the integration too, and uses it where the address of the site is known."""
    for name in ("@astrojs/sitemap", *(["@astrojs/starlight"] if addressed else [])):
        if writes := packages.dependency(name):
            return OwnSitemap("sitemap-index.xml", f"{name}, {writes}")
    return None


def eleventy(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    file = project.first(".eleventy.js", *(f"eleventy.config.{suffix}" for suffix in SUFFIXES))
    needed = packages.dependency("@11ty/eleventy") if packages else ""
    if packages is None or not (file or needed):
        return None
    values = javascript_values(file) if file else StatedValues()
    build = packages.script(r"\beleventy\b")
    command = packages.command(build.value) if build else ""
    flags = [option_of(command, *names) for names in (("--output",), ("--input",))]
    stated = Stated(flags[0], build.where) if flags[0] and build else values.get("dir.output")
    source = safe_path(flags[1] or values.values.get("dir.input", ".")) or "."
    return GeneratedSite(
        generator="Eleventy",
        where=file.path if file else needed,
        output=project.output(stated, "_site"),
        build=packages.build(r"\beleventy\b", "eleventy"),
        addresses=_data_address(project, source),
        computed=said_computed(values, () if flags[0] else ("dir.output",)),
        sitemap=_template(project, packages, source),
        advice="add a template that writes sitemap.xml",
    )


def _data_address(project: Project, source: str) -> tuple[Stated, ...]:
    """Of the global data, where most starter projects keep it."""
    file = project.first(*(f"{source}/_data/{name}" for name in _DATA))
    if file is None:
        return ()
    values = javascript_values(file) if file.path.endswith("js") else stated_values(project, file)
    return join_address(values.get("url", "siteUrl", "baseUrl"), None)


def _template(project: Project, packages: NodePackages, source: str) -> OwnSitemap | None:
    places = [source, f"{source}/pages", f"{source}/content"]
    for place in places:
        names = sorted(name for name in project.names(project.at(place)) if _TEMPLATE.fullmatch(name))
        if names:
            return OwnSitemap("sitemap.xml", project.at(place, names[0]))
    plug_in = packages.dependency("@quasibit/eleventy-plugin-sitemap")
    return OwnSitemap("sitemap.xml", plug_in) if plug_in else None


def hexo(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    file = project.first("_config.yml", "_config.yaml")
    if file is None or packages is None or not packages.dependency("hexo"):
        return None
    values = stated_values(project, file)
    address, base = values.get("url"), values.get("root")
    if address and base and urlsplit(address.value).path.strip("/") == base.value.strip("/"):
        base = None  # Hexo wants the path in both
    writes = packages.dependency("hexo-generator-sitemap")
    return GeneratedSite(
        generator="Hexo",
        where=file.path,
        output=project.output(values.get("public_dir"), "public"),
        build=packages.build(r"\bhexo\s+g(?:enerate)?\b", "hexo generate"),
        addresses=join_address(address, base),
        sitemap=OwnSitemap("sitemap.xml", f"hexo-generator-sitemap, {writes}") if writes else None,
        advice="add hexo-generator-sitemap",
        copied=project.at("source"),
    )
