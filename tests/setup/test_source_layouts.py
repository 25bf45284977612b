"""Pages of sources in the usual layouts of generators."""

import pytest

from setup_repositories import package, recognise_files
from sitemap_action.setup.layouts import source_layout
from sitemap_action.web.patterns import SourcePages

MKDOCS = {"mkdocs.yml": "site_name: x\n"}
SPHINX = {"docs/conf.py": "project = 'x'\n"}
DOCUSAURUS = {
    "website/docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {sidebarPath: 'x'}}]]}",
    "website/package.json": package('"build": "docusaurus build"', "@docusaurus/core"),
}
VERSIONED = DOCUSAURUS | {"website/versions.json": '["2.0", "1.0"]'}
CURRENT = VERSIONED | {
    "website/docusaurus.config.js": "export default {presets: [['classic', {docs: {lastVersion: 'current'}}]]}",
}
VITEPRESS = {
    "docs/.vitepress/config.mts": "export default {}",
    "package.json": package('"build": "vitepress build docs"', "vitepress"),
}
HUGO = {"hugo.toml": "baseURL = 'https://www.example.com/'\n"}
JEKYLL = {"_config.yml": "title: x\n", "Gemfile": "gem 'jekyll'\n"}
ELEVENTY = {
    "eleventy.config.js": "module.exports = () => ({dir: {input: 'src'}})",
    "package.json": package('"build": "eleventy"', "@11ty/eleventy"),
}
ASTRO = {"astro.config.mjs": "export default {}", "package.json": package('"build": "astro build"', "astro")}
STARLIGHT = ASTRO | {"package.json": package('"build": "astro build"', "astro", "@astrojs/starlight")}

ROWS: list[tuple[str, dict[str, str], str, str]] = [
    # generator, files beside the source, source, key of its page
    ("MkDocs", MKDOCS, "docs/index.md", "/"),
    ("MkDocs", MKDOCS, "docs/README.md", "/"),
    ("MkDocs", MKDOCS, "docs/guide/install.md", "/guide/install"),
    ("MkDocs", MKDOCS, "README.md", ""),
    ("MkDocs", {"mkdocs.yml": "docs_dir: pages\n"}, "pages/a.md", "/a"),
    ("Sphinx", SPHINX, "docs/guide/index.rst", "/guide"),
    ("Sphinx", SPHINX, "docs/api.md", "/api"),
    ("Jupyter Book", {"book/_config.yml": "title: x\n", "book/_toc.yml": ""}, "book/part/start.ipynb", "/part/start"),
    ("Sphinx", SPHINX, "docs/notes.txt", "/notes"),
    ("Docusaurus", DOCUSAURUS, "website/docs/intro.md", "/docs/intro"),
    ("Docusaurus", DOCUSAURUS, "website/docs/01-basics/02-start.mdx", "/docs/basics/start"),
    ("Docusaurus", DOCUSAURUS, "website/docs/7.0.md", "/docs/7.0"),
    ("Docusaurus", DOCUSAURUS, "website/docs/guide/README.md", "/docs/guide"),
    ("Docusaurus", DOCUSAURUS, "website/blog/2026-05-03-a-new-day.md", "/blog/2026/05/03/a-new-day"),
    ("Docusaurus", DOCUSAURUS, "website/blog/2026-05-03-a-new-day/index.mdx", "/blog/2026/05/03/a-new-day"),
    ("Docusaurus", DOCUSAURUS, "website/src/pages/index.tsx", "/"),
    ("Docusaurus", DOCUSAURUS, "website/i18n/de/docusaurus-plugin-content-docs/current/intro.md", "/de/docs/intro"),
    ("Docusaurus", VERSIONED, "website/docs/intro.md", "/docs/next/intro"),
    ("Docusaurus", VERSIONED, "website/versioned_docs/version-2.0/intro.md", "/docs/intro"),
    ("Docusaurus", VERSIONED, "website/versioned_docs/version-1.0/a/b.md", "/docs/1.0/a/b"),
    ("Docusaurus", VERSIONED, "website/i18n/de/docusaurus-plugin-content-docs/current/intro.md", "/de/docs/next/intro"),
    ("Docusaurus", VERSIONED, "website/i18n/de/docusaurus-plugin-content-docs/version-2.0/intro.md", "/de/docs/intro"),
    ("Docusaurus", DOCUSAURUS | {"website/versions.json": "[1, {}"}, "website/docs/intro.md", "/docs/intro"),
    ("Docusaurus", CURRENT, "website/docs/intro.md", "/docs/intro"),
    ("Docusaurus", CURRENT, "website/versioned_docs/version-2.0/intro.md", "/docs/2.0/intro"),
    ("VitePress", VITEPRESS, "docs/guide/what.md", "/guide/what"),
    ("VitePress", VITEPRESS, "docs/index.md", "/"),
    (
        "VitePress",
        VITEPRESS | {"docs/.vitepress/config.mts": "export default { srcDir: 'src' }"},
        "docs/src/a.md",
        "/a",
    ),
    ("Hugo", HUGO, "content/_index.md", "/"),
    ("Hugo", {"hugo.toml": "contentDir = 'texts'\nbaseURL = 'https://www.example.com/'\n"}, "texts/a.md", "/a"),
    ("Hugo", HUGO, "content/Posts/My First.md", "/posts/my-first"),
    ("Hugo", HUGO, "content/posts/bundle/index.md", "/posts/bundle"),
    ("Jekyll", JEKYLL, "about.md", "/about"),
    ("Jekyll", JEKYLL, "_posts/2026-05-03-a-new-day.md", "/2026/05/03/a-new-day"),
    ("Jekyll", JEKYLL, "imprint.html", "/imprint"),
    ("Eleventy", ELEVENTY, "src/about.njk", "/about"),
    ("Eleventy", ELEVENTY, "src/imprint.html", "/imprint"),
    ("Eleventy", ELEVENTY, "src/posts/2026-05-03-day.md", "/posts/day"),
    ("Astro", ASTRO, "src/pages/blog/index.astro", "/blog"),
    ("Astro", ASTRO, "src/pages/imprint.md", "/imprint"),
    ("Astro", STARLIGHT, "src/content/docs/Guides/Start.md", "/guides/start"),
    ("Astro", ASTRO, "src/content/docs/guide.md", "/docs/guide"),
    ("Astro", ASTRO, "src/content/blog/first.md", "/blog/first"),
    ("plain HTML", {"public/index.html": ""}, "public/a/b.html", "/a/b"),
]


@pytest.mark.parametrize(("generator", "files", "source", "page"), [pytest.param(*row, id=row[2]) for row in ROWS])
def test_sources_make_pages(generator: str, files: dict[str, str], source: str, page: str) -> None:
    found = recognise_files({**files, source: ""})
    assert found.site is not None
    assert found.site.generator == generator
    assert SourcePages(source_layout(found.project, found.site)).page(source) == page


def test_docs_at_the_root_of_a_site() -> None:
    config = "module.exports = {presets: [['classic', {docs: {routeBasePath: '/'}}]]}"
    files = {**DOCUSAURUS, "website/docusaurus.config.js": config}
    found = recognise_files(files, "website")
    assert found.site is not None
    assert SourcePages(source_layout(found.project, found.site)).page("website/docs/intro.md") == "/intro"
