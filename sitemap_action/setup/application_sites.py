"""Next.js, Nuxt, Gatsby, SvelteKit and Vite: applications that can be exported as files."""

import re

from sitemap_action.setup.generated_site import BuildCommands, GeneratedSite, OwnSitemap, join_address, said_computed
from sitemap_action.setup.javascript import javascript_values
from sitemap_action.setup.javascript_sites import SUFFIXES, config_file
from sitemap_action.setup.node_packages import NodePackages
from sitemap_action.setup.project import Project, Stated
from sitemap_action.setup.stated_values import StatedValues

_BASE = re.compile(r"""\bmetadataBase\s*:\s*new\s+URL\(\s*(["'`])([^"'`\\$\n]*)\1\s*\)""")
_ROUTES = tuple(f"{folder}app/sitemap.{end}" for folder in ("", "src/") for end in ("ts", "js", "tsx", "jsx"))
_LAYOUTS = tuple(f"{folder}app/layout.{end}" for folder in ("", "src/") for end in ("tsx", "jsx", "js", "ts"))


def nextjs(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    needed = packages.dependency("next") if packages else ""
    if packages is None or not needed:
        return None
    file = config_file(project, "next.config")
    values = javascript_values(file) if file else StatedValues()
    computed = values.is_computed("output")
    exports = (
        values.values.get("output") == "export"
        or computed
        or (packages.script(r"\bnext\s+export\b") and _exports(packages))
    )
    where = file.path if file else needed
    base = values.get("basePath")
    return GeneratedSite(
        generator="Next.js export",
        where=where,
        output=project.output(values.get("distDir"), "out"),
        build=_next_build(packages),
        addresses=tuple(one for found in _next_addresses(project) for one in join_address(found, base)),
        computed=said_computed(values, ("output", "basePath", "distDir")),
        sitemap=_next_sitemap(project, packages),
        advice="add app/sitemap.ts",
        copied=project.at("public"),
        refusal="" if exports else f'{where}: output: "export" is not set, so no build holds the pages',
    )


def _exports(packages: NodePackages) -> bool:
    """As before Next.js 13.3."""
    return any("next export" in text for key, text in packages.values.values.items() if key.startswith("scripts."))


def _next_addresses(project: Project) -> list[Stated]:
    found = []
    if file := config_file(project, "next-sitemap.config"):
        stated = javascript_values(file).get("siteUrl")
        found += [stated] if stated else []
    if file := project.first(*_LAYOUTS):
        match = _BASE.search(file.text)
        found += [Stated(match[2], file.line(match.start()))] if match else []
    return found


def _next_build(packages: NodePackages) -> BuildCommands:
    """next-sitemap is a second command; a script `postbuild` runs it where a script builds."""
    build = packages.build(r"\bnext\s+build\b", "next build")
    if not packages.dependency("next-sitemap") or any(
        "next-sitemap" in text for key, text in packages.values.values.items() if key.startswith("scripts.")
    ):
        return build
    return BuildCommands((*build.lines, packages.execute("next-sitemap")), build.where)


def _next_sitemap(project: Project, packages: NodePackages) -> OwnSitemap | None:
    if file := project.first(*_ROUTES):
        return OwnSitemap("sitemap.xml", file.path)
    writes = packages.dependency("next-sitemap")
    return OwnSitemap("sitemap.xml", f"next-sitemap, {writes}") if writes else None


def nuxt(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    """As `nuxt generate` makes it, whatever its script `build` does: that may make a server."""
    file = config_file(project, "nuxt.config")
    if file is None or packages is None:
        return None
    values = javascript_values(file)
    generates = r"\bnuxi?t?\s+generate\b"
    script = packages.script(generates)
    known = script is not None and re.search(generates, packages.command(script.value))
    command = BuildCommands((*packages.install, packages.execute("nuxt generate")), packages.where)
    address = values.get("site.url", "sitemap.siteUrl", "sitemap.hostname")
    writes = packages.dependency("@nuxtjs/sitemap", "@nuxtjs/seo")
    told = address or values.is_computed("site.url")
    return GeneratedSite(
        generator="Nuxt",
        where=file.path,
        output=project.output(None, ".output/public"),
        build=packages.build(generates, "nuxt generate") if known else command,
        addresses=join_address(address, values.get("app.baseURL")),
        computed=said_computed(values, ("site.url", "app.baseURL")),
        sitemap=OwnSitemap("sitemap.xml", f"@nuxtjs/sitemap, {writes}") if writes and told else None,
        advice="add the module @nuxtjs/sitemap, and set site.url",
        copied=project.at("public"),
    )


def gatsby(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    file = config_file(project, "gatsby-config")
    if file is None or packages is None:
        return None
    values = javascript_values(file)
    build = packages.script(r"\bgatsby\s+build\b")
    prefixed = build is not None and "--prefix-paths" in packages.command(build.value)
    writes = packages.dependency("gatsby-plugin-sitemap")
    return GeneratedSite(
        generator="Gatsby",
        where=file.path,
        output=project.output(None, "public"),
        build=packages.build(r"\bgatsby\s+build\b", "gatsby build"),
        addresses=join_address(values.get("siteMetadata.siteUrl"), values.get("pathPrefix") if prefixed else None),
        computed=said_computed(values, ("siteMetadata.siteUrl",)),
        sitemap=OwnSitemap("sitemap-index.xml", f"gatsby-plugin-sitemap, {writes}") if writes else None,
        advice="add gatsby-plugin-sitemap to the config",
        copied=project.at("static"),
    )


def sveltekit(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    needed = packages.dependency("@sveltejs/kit") if packages else ""
    if packages is None or not needed:
        return None
    file = config_file(project, "svelte.config")
    values = javascript_values(file) if file else StatedValues()
    where = file.path if file else needed
    static = packages.dependency("@sveltejs/adapter-static")
    route = project.first(*(f"src/routes/sitemap.xml/+server.{suffix}" for suffix in SUFFIXES))
    return GeneratedSite(
        generator="SvelteKit static",
        where=where,
        output=project.output(values.get("kit.adapter.pages", "kit.pages"), "build"),
        build=packages.build(r"\bvite\s+build\b", "vite build"),
        addresses=join_address(values.get("kit.prerender.origin"), values.get("kit.paths.base")),
        computed=said_computed(values, ("kit.prerender.origin", "kit.paths.base")),
        sitemap=OwnSitemap("sitemap.xml", route.path) if route else None,
        advice="add the route src/routes/sitemap.xml, and prerender it",
        copied=project.at("static"),
        refusal="" if static else f"{where}: @sveltejs/adapter-static is not used, so no build holds the pages",
    )


def vite(project: Project, packages: NodePackages | None) -> GeneratedSite | None:
    """An application of one HTML file, which scripts fill; frameworks that use Vite are recognised before it."""
    needed = packages.dependency("vite") if packages else ""
    if packages is None or not needed:
        return None
    file = config_file(project, "vite.config")
    values = javascript_values(file) if file else StatedValues()
    root = values.get("root")
    if not project.has(f"{root.value if root else '.'}/index.html"):
        return None
    built = f"{root.value}/dist" if root and not values.get("build.outDir") else "dist"
    return GeneratedSite(
        generator="Vite",
        where=file.path if file else needed,
        output=project.output(values.get("build.outDir"), built),
        build=packages.build(r"\bvite\s+build\b", "vite build"),
        computed=said_computed(values, ("root", "build.outDir")),
        copied=project.at("public"),
    )
