"""The generators that `init` knows: a row for each in `GENERATORS`, which of them builds a site, and its address.

What the columns cannot say is a function of `generator_configs.py`, which completes the site that its row describes.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from sitemap_action.config.values import parse_site_url
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.setup import generator_configs as adapt
from sitemap_action.setup.generator_configs import PLAIN, GeneratedSite, Generator, Match, config_names
from sitemap_action.setup.packages import BuildCommands, NodePackages, node_packages
from sitemap_action.setup.project import Fact, Project, join_address, safe_path
from sitemap_action.web.spellings import is_private
from sitemap_action.web.urls import directory_of, is_url

# fmt: off
GENERATORS: Mapping[str, Generator] = {  # of several in one folder the first counts
    "docusaurus": Generator(
        name="Docusaurus", configs=("docusaurus.config.{js}",), command="docusaurus build", output="build",
        output_key=("--out-dir",), url=("url",), base="baseUrl", computed=("url", "baseUrl"),
        plugins=("@docusaurus/plugin-sitemap", "@docusaurus/preset-classic"),
        advice="add @docusaurus/plugin-sitemap to the config", copied="static", adapt=adapt.docusaurus,
    ),
    "vitepress": Generator(
        name="VitePress", configs=adapt.vitepress_config, command="vitepress build", output="dist",
        output_key=("--outDir",), computed=("sitemap.hostname", "base"), advice="set sitemap.hostname in {}",
        adapt=adapt.vitepress,
    ),
    "astro": Generator(
        name="Astro", configs=("astro.config.{js}",), command="astro build", output="dist",
        output_key=("--outDir", "outDir"), url=("site",), base="base",
        computed=("site", "base"), plugins=("@astrojs/sitemap",), sitemap="sitemap-index.xml",
        advice="run `npx astro add sitemap`, and set site", copied="public", adapt=adapt.astro,
    ),
    "nextjs": Generator(
        name="Next.js export", configs=("next.config.{js}",), package="next", needs="package",
        command="next build", output="out", output_key=("distDir",),
        computed=("output", "basePath", "distDir"), plugins=("next-sitemap",), advice="add app/sitemap.ts",
        copied="public", adapt=adapt.nextjs,
    ),
    "nuxt": Generator(
        name="Nuxt", configs=("nuxt.config.{js}",), command="nuxt generate", runs=r"\bnuxi?t?\s+generate\b",
        output=".output/public", url=("site.url", "sitemap.siteUrl", "sitemap.hostname"), base="app.baseURL",
        computed=("site.url", "app.baseURL"), plugins=("@nuxtjs/sitemap", "@nuxtjs/seo"),
        advice="add the module @nuxtjs/sitemap, and set site.url", copied="public", adapt=adapt.nuxt,
    ),
    "gatsby": Generator(
        name="Gatsby", configs=("gatsby-config.{js}",), command="gatsby build", output="public",
        url=("siteMetadata.siteUrl",), base="pathPrefix", computed=("siteMetadata.siteUrl",),
        plugins=("gatsby-plugin-sitemap",), sitemap="sitemap-index.xml",
        advice="add gatsby-plugin-sitemap to the config", copied="static", adapt=adapt.gatsby,
    ),
    "sveltekit": Generator(
        name="SvelteKit static", configs=("svelte.config.{js}",), package="@sveltejs/kit", needs="package",
        command="vite build", output="build", output_key=("kit.adapter.pages", "kit.pages"),
        url=("kit.prerender.origin",), base="kit.paths.base",
        computed=("kit.prerender.origin", "kit.paths.base"),
        advice="add the route src/routes/sitemap.xml, and prerender it", copied="static", adapt=adapt.sveltekit,
    ),
    "rspress": Generator(
        name="Rspress", configs=("rspress.config.{js}",), command="rspress build", output="doc_build",
        output_key=("outDir",), url=("siteOrigin",), base="base", computed=("siteOrigin", "base", "outDir"),
        plugins=("@rspress/plugin-sitemap", "rspress-plugin-sitemap"),
        advice="add @rspress/plugin-sitemap to the config", copied="docs/public", adapt=adapt.rspress,
    ),
    "honkit": Generator(
        name="HonKit", configs=("book.{book}",), package="honkit", needs="package", command="honkit build",
        output="_book", url=("pluginsConfig.sitemap.hostname",), plugins=("gitbook-plugin-sitemap",),
        advice="add gitbook-plugin-sitemap to plugins in {}", copied="", adapt=adapt.honkit,
    ),
    "eleventy": Generator(
        name="Eleventy", configs=(".eleventy.js", "eleventy.config.{js}"), package="@11ty/eleventy",
        needs="either", command="eleventy", output="_site", output_key=("--output", "dir.output"),
        computed=("dir.output",), plugins=("@quasibit/eleventy-plugin-sitemap",),
        advice="add a template that writes sitemap.xml", adapt=adapt.eleventy,
    ),
    "hexo": Generator(
        name="Hexo", configs=("_config.{yaml}",), package="hexo", needs="both", command="hexo generate",
        runs=r"\bhexo\s+g(?:enerate)?\b", output="public", output_key=("public_dir",), url=("url",),
        base="root", plugins=("hexo-generator-sitemap",), advice="add hexo-generator-sitemap", copied="source",
        adapt=adapt.hexo,
    ),
    "hugo": Generator(
        name="Hugo", output="public", advice="take sitemap out of disableKinds in {}", copied="static",
        adapt=adapt.hugo,
        configs=("hugo.{hugo}", "config.{hugo}", "config/_default/hugo.{hugo}", "config/_default/config.{hugo}"),
    ),
    "zensical": Generator(
        name="Zensical", configs=("zensical.toml",), output="site", output_key=("project.site_dir",),
        url=("project.site_url",), advice="set project.site_url in {}", copied="docs", adapt=adapt.zensical,
    ),
    "mkdocs": Generator(
        name="MkDocs", configs=("mkdocs.{yaml}",), output="site", output_key=("site_dir",),
        computed=("site_url",), advice="set site_url in {}", adapt=adapt.mkdocs,
    ),
    "jupyter-book": Generator(
        name="Jupyter Book", configs=("_config.yml",), output="_build/html", url=("html.baseurl",),
        advice="add sphinx_sitemap to sphinx.extra_extensions in {}, and set html.baseurl",
        adapt=adapt.jupyter_book,
    ),
    "jekyll": Generator(
        name="Jekyll", configs=("_config.{yaml}",), output="_site", output_key=("destination",), url=("url",),
        base="baseurl", advice="add jekyll-sitemap to plugins in {}", copied="", adapt=adapt.jekyll,
    ),
    "pelican": Generator(
        name="Pelican", configs=("pelicanconf.py",), output="output", output_key=("OUTPUT_PATH",),
        url=("SITEURL",), computed=("SITEURL", "OUTPUT_PATH"), advice="install the plug-in pelican-sitemap",
        adapt=adapt.pelican,
    ),
    "nikola": Generator(
        name="Nikola", configs=adapt.nikola_config, output="output", output_key=("OUTPUT_FOLDER",),
        url=("SITE_URL",), computed=("SITE_URL", "OUTPUT_FOLDER"), advice="take sitemap out of DISABLED_PLUGINS in {}",
        copied="files", adapt=adapt.nikola,
    ),
    "lektor": Generator(
        name="Lektor", configs=adapt.lektor_config, output="_build", output_key=("project.output_path",),
        url=("project.url",), advice="add a template that writes sitemap.xml", copied="assets", adapt=adapt.lektor,
    ),
    "mdbook": Generator(
        name="mdBook", configs=("book.toml",), output="book", output_key=("build.build-dir",), copied="src",
        adapt=adapt.mdbook,
    ),
    "sphinx": Generator(
        name="Sphinx", configs=adapt.sphinx_config, output="_build/html", url=("html_baseurl",),
        computed=("html_baseurl",), advice="add sphinx_sitemap to extensions in {}, and set html_baseurl",
        adapt=adapt.sphinx,
    ),
    "vite": Generator(
        name="Vite", configs=("vite.config.{js}",), package="vite", needs="package", command="vite build",
        output="dist", output_key=("build.outDir",), computed=("root", "build.outDir"), copied="public",
        adapt=adapt.vite,
    ),
    "html": Generator(name=PLAIN, configs=adapt.start_page, output=".", adapt=adapt.plain_html),
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
    first, *found = recognise_sites(project, wanted)
    return first._replace(others=(*first.others, *(one.site for one in found if one.site)))


def recognise_sites(project: Project, wanted: str = "") -> tuple[Recognised, ...]:
    """The site in this folder, else those of its folders (U-23); what is beside a lone start page may be sites too."""
    here = _recognise_here(project, wanted)
    if here.site is not None and here.site.generator != PLAIN:
        return (here,)
    places = (_recognise_here(project.inside(place), wanted) for place in _site_folders(project))
    found = [one for one in places if one.site and one.site.generator != PLAIN]  # a lone page may be anything's
    return (*([here] if here.site or not found else []), *found)


MARK = "FILL IN"
"""Begins the comment on a line that nobody but the owner of the site can write."""


def unknown_site(found: Recognised, build: str) -> GeneratedSite:
    """The site of a generator that is not known, with one line to fill in (U-25).

    `build`: a folder that a build has left here; "" for none.
    """
    project, script = found.project, found.packages.script(r"^$")
    output = Fact(project.join(build or "dist"), f"{build}/index.html is here" if build else "")
    if script:
        lines = (*found.packages.install, f"{found.packages.manager} run {script.value}")
        where = f"{script.where}, {found.packages.where}"
        marked = output if build else output._replace(where=f"{MARK}: the folder that `{lines[-1]}` writes")
        return GeneratedSite("unknown generator", script.where, marked, BuildCommands(lines, where))
    line = f"exit 1 # {MARK}: the command that builds the site into {output.value}"
    where = output.where or "the folder that the build of the workflow writes"
    return GeneratedSite(
        "unknown generator", "no config of a known one", output._replace(where=where), BuildCommands((line,), MARK)
    )


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
    file = project.first(*config_names(*configs)) if isinstance(configs, tuple) else configs(project, packages)
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


# --- where the site is served, as its files state it, under the same rules as `site-url` ---

PLACEHOLDERS = frozenset(
    {"example.com", "example.org", "example.net", "your-domain.com", "your-docusaurus-site.example.com"}
)
"""Hosts that generators write into a new project's configuration."""
_SOURCE_CODE = lazy_re(r"https?://(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|npmjs\.com)\b")
_DOMAIN = lazy_re(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}", re.IGNORECASE)
_GITHUB = lazy_re(r"(?:https://github\.com/|(?:ssh://)?git@github\.com[:/])([\w-]+)/([\w.-]+?)(?:\.git)?/?", re.ASCII)


def public_address(
    project: Project, site: GeneratedSite, packages: NodePackages, *, remote: str = "", host: str = ""
) -> tuple[Fact, tuple[str, ...]]:
    """The first usable address, or an empty text, and sentences on addresses that do not count.

    `remote`: address of the repository; `host`: the static host, where it is known.
    """
    refused: list[str] = []
    found: Fact | None = None
    for candidate in _address_candidates(project, site, packages, remote, host):
        url, why = _check_address(candidate.value)
        if why:
            refused.append(f"{candidate.where}: {why}")
        elif found is None:
            found = Fact(url, candidate.where)
        elif urlsplit(found.value).hostname != urlsplit(url).hostname:
            refused.append(f"{candidate.where} states {url}, and does not count beside {found.where}")
    return found or Fact("", ""), tuple(refused)


def _address_candidates(
    project: Project, site: GeneratedSite, packages: NodePackages, remote: str, host: str
) -> Iterator[Fact]:
    """The best first."""
    yield from site.addresses
    domain = _find_cname(project, site)
    if domain:
        yield domain
    if (homepage := packages.values.get("homepage")) and not _SOURCE_CODE.match(homepage.value):
        yield homepage
    yield from _find_robots_sitemap(project, site)
    if host == "github-pages" and not domain and (found := _GITHUB.fullmatch(remote)):
        owner, name = found[1].lower(), found[2]
        where = "the address that GitHub Pages gives this repository, by its remote origin"
        yield Fact(f"https://{owner}.github.io/{'' if name.lower() == f'{owner}.github.io' else f'{name}/'}", where)


def _find_cname(project: Project, site: GeneratedSite) -> Fact | None:
    """The domain of GitHub Pages, in the folder of the site or in one that the build gets as it is."""
    for place in (project, project.top(), *([project.top().inside(site.copied)] if site.copied else [])):
        if file := place.first("CNAME"):
            domain = file.text.strip()
            if _DOMAIN.fullmatch(domain):
                return Fact(f"https://{domain}/", file.path)
            project.report(f"{file.path} is not used: it holds no domain name")
    return None


def _find_robots_sitemap(project: Project, site: GeneratedSite) -> Iterator[Fact]:
    """The directory of the sitemap that robots.txt names."""
    place = project.top().inside(site.copied) if site.copied is not None else project
    if file := place.first("robots.txt"):
        lines = parse(file.text.encode(errors="replace"), Profile.GOOGLE).sitemaps
        yield from [Fact(directory_of(url), f"{file.path}:{line}") for line, url in lines if is_url(url)][:1]


def _check_address(text: str) -> tuple[str, str]:
    """(site-url in normal form, ""), or ("", why this text is none)."""
    try:
        url = parse_site_url(text.strip())
    except ValueError as error:
        return "", str(error) or "the address there is no http or https URL of a site"
    host = urlsplit(url).hostname or ""
    if host in PLACEHOLDERS:
        return "", f"{host} is the placeholder of a new project"
    if is_private(url):
        return "", f"{host} is no public host"
    return url, ""
