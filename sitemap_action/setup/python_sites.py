"""MkDocs, Sphinx and Jupyter Book."""

import re

from sitemap_action.setup.generated_site import (
    GeneratedSite,
    OwnSitemap,
    join_address,
    said_computed,
    stated_values,
)
from sitemap_action.setup.node_packages import NodePackages
from sitemap_action.setup.project import Project, Stated, safe_path
from sitemap_action.setup.python_packages import python_packages
from sitemap_action.setup.stated_values import StatedValues, python_values

_SPHINX = ("docs", "docs/source", "doc", "doc/source", "source", ".")
_THEMES = ("furo", "sphinx_rtd_theme", "pydata_sphinx_theme", "sphinx_book_theme")  # packages of the same name
_SPHINX_SITEMAP = re.compile(r"""^[^#\n]*["']sphinx_sitemap["']""", re.MULTILINE)
_IS_SPHINX = re.compile(r"^(?:extensions|html_theme|project|master_doc|html_baseurl)[ \t]*[:=]", re.MULTILINE)


def mkdocs(project: Project, _packages: NodePackages | None) -> GeneratedSite | None:
    file = project.first("mkdocs.yml", "mkdocs.yaml")
    if file is None:
        return None
    values = stated_values(project, file)
    address = values.get("site_url") or _otherwise(values, "site_url")
    # `mkdocs get-deps` prints the packages that themes and plug-ins of a config come from.
    packages = python_packages(project, "mkdocs", ("mkdocs", '$("$RUNNER_TEMP/venv/bin/mkdocs" get-deps)'))
    writes = address.where if address else values.is_computed("site_url")
    return GeneratedSite(
        generator="MkDocs",
        where=file.path,
        output=project.output(values.get("site_dir"), "site"),
        build=packages.build("mkdocs", "build"),
        addresses=join_address(address, None),
        computed=() if address else said_computed(values, ("site_url",)),
        sitemap=OwnSitemap("sitemap.xml", f"site_url, {writes}") if writes else None,
        advice=f"set site_url in {file.path}",
        copied=project.at(safe_path(values.values.get("docs_dir", "docs")) or "docs"),
    )


def _otherwise(values: StatedValues, key: str) -> Stated | None:
    """The last item of `!ENV [NAME, otherwise]`."""
    items = values.items.get(key, ())
    return Stated(items[-1], values.place(key)) if len(items) > 1 else None


def sphinx(project: Project, _packages: NodePackages | None) -> GeneratedSite | None:
    for place in _SPHINX:
        file = project.first(f"{place}/conf.py")
        if file is not None and _IS_SPHINX.search(file.text):
            break
    else:
        return None
    values = python_values(file)
    extension = _SPHINX_SITEMAP.search(file.text)
    theme = values.values.get("html_theme", "")
    needed = ["sphinx", *(["sphinx-sitemap"] if extension else []), *([theme] if theme in _THEMES else [])]
    packages = python_packages(project, "sphinx", (" ".join(needed).replace("_", "-"),))
    parent, _, last = place.rpartition("/")
    output = f"{parent}/build/html" if last == "source" and parent else f"{place}/_build/html"
    output = safe_path(output) or "_build/html"
    where = f"the extension sphinx_sitemap, {file.line(extension.end())}" if extension else ""
    return GeneratedSite(
        generator="Sphinx",
        where=file.path,
        output=Stated(project.at(output), ""),
        build=packages.build("sphinx-build", f"-b html {place} {output}"),
        addresses=join_address(values.get("html_baseurl"), None),
        computed=said_computed(values, ("html_baseurl",)),
        sitemap=OwnSitemap(_named(values.get("sitemap_filename")), where) if where else None,
        advice=f"add sphinx_sitemap to extensions in {file.path}, and set html_baseurl",
    )


def jupyter_book(project: Project, _packages: NodePackages | None) -> GeneratedSite | None:
    """Of the versions that build with Sphinx; a later one has `myst.yml`."""
    file = project.first("_config.yml") if project.has("_toc.yml") else None
    if file is None:
        return None
    values = stated_values(project, file)
    extension = "sphinx_sitemap" in values.items.get("sphinx.extra_extensions", ())
    packages = python_packages(project, "jupyter-book", ("'jupyter-book<2'" + " sphinx-sitemap" * extension,))
    return GeneratedSite(
        generator="Jupyter Book",
        where=file.path,
        output=project.output(None, "_build/html"),
        build=packages.build("jupyter-book", "build ."),
        addresses=join_address(values.get("html.baseurl"), None),
        sitemap=OwnSitemap("sitemap.xml", f"the extension sphinx_sitemap, {file.path}") if extension else None,
        advice=f"add sphinx_sitemap to sphinx.extra_extensions in {file.path}, and set html.baseurl",
    )


def _named(stated: Stated | None) -> str:
    return (safe_path(stated.value) if stated else "") or "sitemap.xml"
