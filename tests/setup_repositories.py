"""A small repository for each generator that `init` knows, and a build such as the generator makes of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sitemap_action.setup.generators import Recognised, recognise
from sitemap_action.setup.project import Project

SITE = "https://www.example.net/"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
PAGES = ("guide", "guide/install", "about")


def project(files: dict[str, str], folder: str = "") -> Project:
    """A repository of these files, all of which git tracks; `folder`: of the site's sources."""

    def names(place: str) -> frozenset[str]:
        start = f"{place}/" if place else ""
        return frozenset(path[len(start) :].partition("/")[0] for path in files if path.startswith(start))

    return Project(folder, lambda path: files[path].encode() if path in files else None, names, lambda _path: True)


def recognise_files(files: dict[str, str], folder: str = "") -> Recognised:
    return recognise(project(files, folder))


def urlset(*urls: str) -> str:
    rows = "".join(f"<url><loc>{url}</loc></url>\n" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>\n{rows}</urlset>\n'


def index(*urls: str) -> str:
    rows = "".join(f"<sitemap><loc>{url}</loc></sitemap>\n" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {NAMESPACE}>\n{rows}</sitemapindex>\n'


def folders(name: str) -> str:
    return f"{name}/index.html"


def files(name: str) -> str:
    return f"{name}.html"


def pages(folder: Path, place: Callable[[str], str], base: str = "/") -> None:
    """A start page that links to every page, each in the file that the generator gives it."""
    linked = {place(name).removesuffix("index.html"): name for name in PAGES}
    links = "".join(f'<a href="{base}{path}">{name}</a>' for path, name in linked.items())
    for name, path in (("Home", "index.html"), *((name, place(name)) for name in PAGES)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        text = f"What {name} has to say in words of its own. " * 20
        (folder / path).write_text(f"<!doctype html><title>{name}</title><h1>{name}</h1><p>{text}</p>{links}")


@dataclass(frozen=True)
class Repository:
    """`own`: name of the sitemap that the generator writes; its URLs are those of the pages as they are placed."""

    name: str
    files: dict[str, str]
    output: str
    build: tuple[str, ...]
    site_url: str = SITE
    place: Callable[[str], str] = folders
    own: str = ""
    clean: bool = False  # it lists /x for x.html
    config: dict[str, object] = field(default_factory=dict)  # what else the written config has
    code: int = 0  # of the first check
    result: str = "in-sync"

    def urls(self) -> list[str]:
        last = ".html" if self.clean else "index.html"
        return [self.site_url, *(self.site_url + self.place(name).removesuffix(last) for name in PAGES)]

    def write(self, top: Path) -> None:
        for path, text in self.files.items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(text)

    def make(self, top: Path) -> None:
        """What a build leaves behind."""
        folder = top / self.output
        base = "/" + self.site_url.removeprefix("https://").partition("/")[2]
        pages(folder, self.place, base)
        if self.own in ("sitemap-index.xml", "sitemapindex.xml"):
            (folder / self.own).write_text(index(f"{self.site_url}sitemap-0.xml"))
            (folder / "robots.txt").write_text(f"User-agent: *\nSitemap: {self.site_url}{self.own}\n")
            (folder / "sitemap-0.xml").write_text(urlset(*self.urls()))
        elif self.own:
            (folder / self.own).write_text(urlset(*self.urls()))


def package(scripts: str, *needs: str) -> str:
    listed = ", ".join(f'"{name}": "*"' for name in needs)
    return f'{{\n  "private": true,\n  "scripts": {{{scripts}}},\n  "devDependencies": {{{listed}}}\n}}\n'


BUILD = '"build": "{}"'
REPOSITORIES = (
    Repository(
        name="MkDocs",
        files={
            "mkdocs.yml": f"site_name: A\nsite_url: {SITE}\nmarkdown_extensions:\n  - pymdownx.emoji:\n      emoji_index: !!python/name:material.extensions.emoji.twemoji\n",
            "docs/index.md": "# A\n",
            "requirements.txt": "mkdocs==1.6.1\n",
            ".gitignore": "site/\n",
        },
        output="site",
        build=('python3 -m venv "$RUNNER_TEMP/venv"', '"$RUNNER_TEMP/venv/bin/pip" install -r requirements.txt', '"$RUNNER_TEMP/venv/bin/mkdocs" build'),
        own="sitemap.xml",
    ),
    Repository(
        name="Sphinx",
        files={
            "docs/conf.py": f'project = "A"\nextensions = ["sphinx_sitemap"]\nhtml_baseurl = "{SITE}docs/"\nsitemap_url_scheme = "{{link}}"\n',
            "docs/requirements.txt": "Sphinx\nsphinx-sitemap\n",
            "docs/index.rst": "A\n=\n",
            ".gitignore": "_build/\n",
        },
        output="docs/_build/html",
        build=(
            'python3 -m venv "$RUNNER_TEMP/venv"',
            '"$RUNNER_TEMP/venv/bin/pip" install -r docs/requirements.txt',
            '"$RUNNER_TEMP/venv/bin/sphinx-build" -b html docs docs/_build/html',
        ),
        site_url=f"{SITE}docs/",
        place=files,
        own="sitemap.xml",
    ),
    Repository(
        name="Docusaurus",
        files={
            "docusaurus.config.ts": 'import type {Config} from "@docusaurus/types";\nconst links = {url: "https://other.example.net"};\n'
            f"const config: Config = {{\n  title: 'It\\'s // not a comment',\n  url: '{SITE.rstrip('/')}',\n  baseUrl: '/docs/', // below\n"
            "  themeConfig: {footer: {links: [{url: 'https://x.example.net', href: '#'}]}},\n};\nexport default config;\n",
            "package.json": package(BUILD.format("docusaurus build"), "@docusaurus/core", "@docusaurus/preset-classic"),
            "yarn.lock": "",
            ".gitignore": "build/\n",
        },
        output="build",
        build=("yarn install --frozen-lockfile", "yarn run build"),
        site_url=f"{SITE}docs/",
        own="sitemap.xml",
    ),
    Repository(
        name="VitePress",
        files={
            "docs/.vitepress/config.mts": "import { defineConfig } from 'vitepress'\nconst hostname = '" + SITE + "'\n"
            "export default defineConfig({\n  title: `A`,\n  sitemap: { hostname },\n})\n",
            "docs/index.md": "# A\n",
            "package.json": package('"build": "tsup", "docs:dev": "vitepress dev docs", "docs:build": "vitepress build docs"', "vitepress"),
            "pnpm-lock.yaml": "",
            ".gitignore": "dist/\n",
        },
        output="docs/.vitepress/dist",
        build=("corepack enable", "pnpm install --frozen-lockfile", "pnpm run docs:build"),
        place=files,
        own="sitemap.xml",
    ),
    Repository(
        name="Astro",
        files={
            "astro.config.mjs": "import sitemap from '@astrojs/sitemap';\nexport default defineConfig({\n"
            f"  site: process.env.SITE ?? '{SITE}',\n  integrations: [sitemap()],\n}});\n",
            "package.json": package(BUILD.format("astro check && astro build"), "astro", "@astrojs/sitemap"),
            "package-lock.json": "{}",
            ".gitignore": "dist/\n",
        },
        output="dist",
        build=("npm ci", "npm run build"),
        own="sitemap-index.xml",
    ),
    Repository(
        name="Eleventy",
        files={
            ".eleventy.js": 'module.exports = function (eleventyConfig) {\n  return { dir: { input: "src", output: "_site" } };\n};\n',
            "src/sitemap.njk": "---\npermalink: /sitemap.xml\n---\n",
            "src/_data/metadata.json": f'{{"title": "A", "url": "{SITE}"}}',
            "package.json": package("", "@11ty/eleventy"),
            ".gitignore": "_site/\n",
        },
        output="_site",
        build=("npm install", "npx --no-install eleventy"),
        own="sitemap.xml",
    ),
    Repository(
        name="Hugo",
        files={
            "hugo.toml": f'title = "A"\nbaseurl = "{SITE}" # any letter case\n[params]\nbaseURL = "https://other.example.net/"\n',
            "content/_index.md": "A\n",
            "netlify.toml": '[build.environment]\nHUGO_VERSION = "0.128.0"\n',
            ".gitignore": "public/\n",
        },
        output="public",
        build=(
            'curl --fail --silent --show-error --location --output "$RUNNER_TEMP/hugo.deb" https://github.com/gohugoio/hugo/releases/download/v0.128.0/hugo_extended_0.128.0_linux-amd64.deb',
            'sudo dpkg --install "$RUNNER_TEMP/hugo.deb"',
            "hugo",
        ),
        own="sitemap.xml",
    ),
    Repository(
        name="Jekyll",
        files={
            "_config.yml": f'title: A\nurl: "{SITE.rstrip("/")}"\nbaseurl: /blog\nplugins:\n  - jekyll-feed\n  - jekyll-sitemap\n',
            "Gemfile": 'source "https://rubygems.org"\ngem "jekyll", "~> 4.3"\n',
            "index.md": "---\n---\n",
            ".gitignore": "_site\n",
        },
        output="_site",
        build=('bundle config set --local path "$RUNNER_TEMP/bundle"', "bundle install", "bundle exec jekyll build"),
        site_url=f"{SITE}blog/",
        own="sitemap.xml",
    ),
    Repository(
        name="Next.js export",
        files={
            "next.config.js": "/** @type {import('next').NextConfig} */\nconst nextConfig = {\n  output: 'export',\n  trailingSlash: true,\n};\nmodule.exports = withMdx(nextConfig);\n",
            "app/sitemap.ts": "export const dynamic = 'force-static'\n",
            "app/layout.tsx": f"export const metadata = {{\n  metadataBase: new URL('{SITE}'),\n}}\n",
            "package.json": package(BUILD.format("next build"), "next").replace('"private"', '"packageManager": "pnpm@9.1.0+sha512.abc",\n  "private"'),
            "pnpm-lock.yaml": "",
            "package-lock.json": "{}",
            ".gitignore": "out/\n",
        },
        output="out",
        build=("corepack enable", "pnpm install --frozen-lockfile", "pnpm run build"),
        own="sitemap.xml",
    ),
    Repository(
        name="Gatsby",
        files={
            "gatsby-config.js": f"module.exports = {{\n  siteMetadata: {{ title: `A`, siteUrl: `{SITE}` }},\n  plugins: [`gatsby-plugin-sitemap`],\n}}\n",
            "package.json": package(BUILD.format("gatsby build"), "gatsby", "gatsby-plugin-sitemap"),
            "bun.lock": "",
            ".gitignore": "public\n",
        },
        output="public",
        build=("npm install --global bun", "bun install --frozen-lockfile", "bun run build"),
        own="sitemap-index.xml",
    ),
    Repository(
        name="SvelteKit static",
        files={
            "svelte.config.js": "import adapter from '@sveltejs/adapter-static';\nconst config = {\n  kit: {\n    adapter: adapter({ pages: 'build', fallback: undefined }),\n    paths: { base: '' },\n  },\n};\nexport default config;\n",
            "package.json": package(BUILD.format("vite build"), "@sveltejs/kit", "@sveltejs/adapter-static").replace('"private"', f'"homepage": "{SITE}",\n  "private"'),
            "package-lock.json": "{}",
            "static/favicon.png": "",
            ".gitignore": "build\n",
        },
        output="build",
        build=("npm ci", "npm run build"),
        config={"sitemap": "static/sitemap.xml"},
        code=1,  # there is no sitemap yet: run write
        result="drift",
    ),
    Repository(
        name="Nuxt",
        files={
            "nuxt.config.ts": f"// https://nuxt.com/docs\nexport default defineNuxtConfig({{\n  modules: ['@nuxtjs/sitemap'],\n  site: {{ url: '{SITE.rstrip('/')}' }},\n  app: {{ baseURL: '/shop/' }},\n}})\n",
            "package.json": package('"build": "nuxt build", "generate": "nuxt generate"', "nuxt", "@nuxtjs/sitemap"),
            "pnpm-lock.yaml": "",
            ".nvmrc": "22\n",
            ".gitignore": ".output\n",
        },
        output=".output/public",
        build=("corepack enable", "pnpm install --frozen-lockfile", "pnpm run generate"),
        site_url=f"{SITE}shop/",
        own="sitemap.xml",
    ),
    Repository(
        name="Hexo",
        files={
            "_config.yml": f"title: A\nurl: {SITE}log\nroot: /log/\npublic_dir: public\n",
            "package.json": package('"build": "hexo generate", "server": "hexo server"', "hexo", "hexo-generator-sitemap"),
            "package-lock.json": "{}",
            "source/_posts/a.md": "# A\n",
            ".gitignore": "public/\n",
        },
        output="public",
        build=("npm ci", "npm run build"),
        site_url=f"{SITE}log/",
        own="sitemap.xml",
    ),
    Repository(
        name="Jupyter Book",
        files={
            "book/_config.yml": f"title: A\nhtml:\n  baseurl: {SITE}book/\nsphinx:\n  extra_extensions: [sphinx_sitemap]\n",
            "book/_toc.yml": "format: jb-book\nroot: intro\n",
            "book/requirements.txt": "jupyter-book\nsphinx-sitemap\n",
            ".gitignore": "_build/\n",
        },
        output="book/_build/html",
        build=(
            'python3 -m venv "$RUNNER_TEMP/venv"',
            '"$RUNNER_TEMP/venv/bin/pip" install -r requirements.txt',
            '"$RUNNER_TEMP/venv/bin/jupyter-book" build .',
        ),
        site_url=f"{SITE}book/",
        place=files,
        own="sitemap.xml",
    ),
    Repository(
        name="Vite",
        files={
            "vite.config.ts": "import { defineConfig } from 'vite'\nexport default defineConfig({\n  build: { outDir: 'www' },\n})\n",
            "package.json": package(BUILD.format("tsc -b && vite build"), "vite").replace('"private"', f'"homepage": "{SITE}",\n  "private"'),
            "index.html": '<div id="app"></div><script type="module" src="/src/main.ts"></script>\n',
            "package-lock.json": "{}",
            "public/favicon.svg": "",
            ".gitignore": "www\n",
        },
        output="www",
        build=("npm ci", "npm run build"),
        config={"sitemap": "public/sitemap.xml"},
        code=1,
        result="drift",
    ),
    Repository(
        name="Zensical",
        files={
            "zensical.toml": f'[project]\nsite_name = "A"\nsite_url = "{SITE}"\n',
            "docs/index.md": "# A\n",
            ".gitignore": "site/\n",
        },
        output="site",
        build=('python3 -m venv "$RUNNER_TEMP/venv"', '"$RUNNER_TEMP/venv/bin/pip" install zensical', '"$RUNNER_TEMP/venv/bin/zensical" build'),
        own="sitemap.xml",
    ),
    Repository(
        name="Pelican",
        files={
            "pelicanconf.py": 'SITENAME = "A"\nSITEURL = ""\nPATH = "content"\n',
            "publishconf.py": f'from pelicanconf import *\nSITEURL = "{SITE.rstrip("/")}"\nSITEMAP = {{"format": "xml"}}\n',
            ".gitignore": "output/\n",
        },
        output="output",
        build=(
            'python3 -m venv "$RUNNER_TEMP/venv"',
            "\"$RUNNER_TEMP/venv/bin/pip\" install 'pelican[markdown]' pelican-sitemap",
            '"$RUNNER_TEMP/venv/bin/pelican" content -s publishconf.py',
        ),
        place=files,
        own="sitemap.xml",
    ),
    Repository(
        name="Nikola",
        files={"conf.py": f'BLOG_TITLE = "A"\nSITE_URL = "{SITE}"\n', ".gitignore": "output/\n"},
        output="output",
        build=(
            'python3 -m venv "$RUNNER_TEMP/venv"',
            "\"$RUNNER_TEMP/venv/bin/pip\" install 'Nikola[extras]'",
            '"$RUNNER_TEMP/venv/bin/nikola" build',
        ),
        own="sitemapindex.xml",
    ),
    Repository(
        name="Rspress",
        files={
            "rspress.config.ts": f"import {{ defineConfig }} from '@rspress/core';\nexport default defineConfig({{\n  root: 'docs',\n  siteOrigin: '{SITE.rstrip('/')}',\n  base: '/kit/',\n}});\n",
            "package.json": package(BUILD.format("rspress build"), "@rspress/core", "@rspress/plugin-sitemap"),
            "package-lock.json": "{}",
            ".gitignore": "doc_build/\n",
        },
        output="doc_build",
        build=("npm ci", "npm run build"),
        site_url=f"{SITE}kit/",
        place=files,
        own="sitemap.xml",
        clean=True,
    ),
    Repository(
        name="HonKit",
        files={
            "book.json": f'{{"root": "./manual", "plugins": ["sitemap"], "pluginsConfig": {{"sitemap": {{"hostname": "{SITE}"}}}}}}',
            "package.json": package(BUILD.format("honkit build . public"), "honkit", "gitbook-plugin-sitemap"),
            "manual/README.md": "# A\n",
            ".gitignore": "public/\n",
        },
        output="public",
        build=("npm install", "npm run build"),
        place=files,
        own="sitemap.xml",
    ),
    Repository(
        name="Lektor",
        files={
            "a.lektorproject": f"[project]\nname = A\nurl = {SITE}\n\n[servers.a]\ntarget = ghpages://a/a\n",
            "content/sitemap.xml/contents.lr": "_template: sitemap.xml\n",
            ".gitignore": "_build/\n",
        },
        output="_build",
        build=(
            'python3 -m venv "$RUNNER_TEMP/venv"',
            '"$RUNNER_TEMP/venv/bin/pip" install lektor',
            '"$RUNNER_TEMP/venv/bin/lektor" build --output-path _build',
        ),
        own="sitemap.xml",
    ),
    Repository(
        name="mdBook",
        files={
            "book.toml": '[book]\ntitle = "A"\nsrc = "pages"\n\n[output.html]\ncname = "www.example.net"\nsite-url = "/handbook/"\n',
            "pages/SUMMARY.md": "# A\n",
            "netlify.toml": '[build.environment]\nMDBOOK_VERSION = "0.4.40"\n',
            ".gitignore": "book/\n",
        },
        output="book",
        build=("cargo install --locked mdbook@0.4.40", "mdbook build"),
        site_url=f"{SITE}handbook/",
        place=files,
        config={"sitemap": "pages/sitemap.xml"},
        code=1,
        result="drift",
    ),
    Repository(
        name="plain HTML",
        files={"CNAME": "www.example.net\n", "sitemap.xml": "", "index.html": ""},
        output=".",
        build=(),
        config={"sitemap": "sitemap.xml"},
    ),
)  # fmt: skip
