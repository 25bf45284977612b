"""The registry of generators: which one builds the site of a repository."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from sitemap_action.setup.application_sites import gatsby, nextjs, nuxt, sveltekit, vite
from sitemap_action.setup.generated_site import GeneratedSite
from sitemap_action.setup.hugo_jekyll import hugo, jekyll
from sitemap_action.setup.javascript_sites import astro, docusaurus, eleventy, hexo, vitepress
from sitemap_action.setup.node_packages import NodePackages, node_packages
from sitemap_action.setup.plain_html import PLAIN, plain_html
from sitemap_action.setup.project import Project, safe_path
from sitemap_action.setup.python_sites import jupyter_book, mkdocs, sphinx

Recognise: TypeAlias = Callable[[Project, NodePackages | None], GeneratedSite | None]

GENERATORS: Mapping[str, Recognise] = {  # of several the first counts
    "docusaurus": docusaurus,
    "vitepress": vitepress,
    "astro": astro,
    "nextjs": nextjs,
    "nuxt": nuxt,
    "gatsby": gatsby,
    "sveltekit": sveltekit,
    "eleventy": eleventy,
    "hexo": hexo,
    "hugo": hugo,
    "mkdocs": mkdocs,
    "jupyter-book": jupyter_book,
    "jekyll": jekyll,
    "sphinx": sphinx,
    "vite": vite,
    "html": plain_html,
}
_USUAL = ("website", "site", "docs", "www", "web", "frontend")
_MAX_FOLDERS = 100


class Recognised(NamedTuple):
    """`others`: sites that are there too and do not count; `packages`: of the folder of the site."""

    site: GeneratedSite | None
    project: Project
    packages: NodePackages | None
    others: tuple[GeneratedSite, ...] = ()


def recognise(project: Project, wanted: str = "") -> Recognised:
    """The site in this folder, else in the first of its folders that has one. `wanted`: the name of a generator."""
    here = _in(project, wanted)
    if here.site is not None and here.site.generator != PLAIN:
        return here
    places = (_in(project.inside(place), wanted) for place in _folders(project))
    found = [one for one in places if one.site and one.site.generator != PLAIN]  # a lone page may be anything's
    if here.site is None and found:
        here, found = found[0], found[1:]
    return here._replace(others=(*here.others, *(one.site for one in found if one.site)))


def _in(project: Project, wanted: str) -> Recognised:
    packages = node_packages(project)
    names = [wanted] if wanted else list(GENERATORS)
    found = [site for name in names if (site := GENERATORS[name](project, packages)) is not None]
    generated = [site for site in found if site.generator != PLAIN] or found
    usable = [site for site in generated if not site.refusal] or generated
    if not usable:
        return Recognised(None, project, packages)
    others = tuple(site for site in generated if site is not usable[0])
    return Recognised(usable[0], project, packages, others)


def _folders(project: Project) -> list[str]:
    """The usual ones first, then all others, and the members of a workspace."""
    names = project.names(project.folder)
    shown = sorted(name for name in names if safe_path(name) and not name.startswith("."))
    groups = ("apps", "packages", "sites")
    inner = [f"{group}/{name}" for group in groups for name in sorted(project.names(project.at(group)))]
    usual = [name for name in _USUAL if name in names]
    rest = [name for name in (*shown, *inner) if safe_path(name) and name not in usual and name != "node_modules"]
    return [*usual, *rest][:_MAX_FOLDERS]
