"""Which generator, which folder, which package manager: from files as a table has them, without a disk."""

import pytest

from setup_repositories import package, project
from sitemap_action.setup.generator_configs import GeneratedSite
from sitemap_action.setup.generators import GENERATORS, Recognised, recognise
from sitemap_action.setup.packages import option_value, own_workflows, tool_steps

ASTRO = {"astro.config.mjs": "export default {}", "package.json": package('"build": "astro build"', "astro")}


def below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{path}": text for path, text in files.items()}


def site(found: Recognised) -> GeneratedSite:
    assert found.site is not None
    return found.site


BUILDS: list[tuple[str, dict[str, str], tuple[str, ...]]] = [
    # id, files beside those of Astro, commands
    ("no lock file", {}, ("npm install", "npm run build")),
    ("npm", {"package-lock.json": ""}, ("npm ci", "npm run build")),
    ("npm, frozen", {"npm-shrinkwrap.json": ""}, ("npm ci", "npm run build")),
    ("yarn 1", {"yarn.lock": ""}, ("yarn install --frozen-lockfile", "yarn run build")),
    ("yarn 4", {"yarn.lock": "", ".yarnrc.yml": ""}, ("corepack enable", "yarn install --immutable", "yarn run build")),
    ("bun", {"bun.lockb": ""}, ("npm install --global bun", "bun install --frozen-lockfile", "bun run build")),
    ("two lock files", {"pnpm-lock.yaml": "", "package-lock.json": ""}, ("corepack enable", "pnpm install --frozen-lockfile", "pnpm run build")),
    ("named", {"package.json": '{"packageManager": "bun@1.1.2", "scripts": {"build": "astro build"}}', "package-lock.json": ""}, ("npm install --global bun@1.1.2", "bun install", "bun run build")),
    ("named, yarn 1", {"package.json": '{"packageManager": "yarn@1.22.22", "scripts": {"build": "astro build"}}', "yarn.lock": ""}, ("yarn install --frozen-lockfile", "yarn run build")),
    ("another script builds", {"package.json": '{"scripts": {"build": "tsup", "build:site": "astro build", "prebuild:site": "astro build"}}'}, ("npm install", "npm run build:site")),
    ("a script that hides it", {"package.json": '{"scripts": {"build": "node build.js"}}'}, ("npm install", "npm run build")),
    ("no script", {"package.json": "{}", "yarn.lock": ""}, ("yarn install --frozen-lockfile", "yarn run astro build")),
]  # fmt: skip


@pytest.mark.parametrize(("files", "lines"), [pytest.param(*row[1:], id=row[0]) for row in BUILDS])
def test_commands_of_the_package_manager(files: dict[str, str], lines: tuple[str, ...]) -> None:
    here = project({**ASTRO, **files})
    assert site(recognise(here)).build.lines == lines
    assert bool(here.problems) is (len({*files} & {"pnpm-lock.yaml", "package-lock.json"}) == 2)


PYTHON: list[tuple[str, dict[str, str], tuple[str, ...]]] = [
    ("uv", {"uv.lock": "", "requirements.txt": "mkdocs"}, ("pipx install uv", "uv run --all-extras --all-groups mkdocs build")),
    ("Poetry", {"poetry.lock": ""}, ("pipx install poetry", "poetry install --all-extras", "poetry run mkdocs build")),
    ("another file of requirements", {"requirements.txt": "flask", "docs/requirements.txt": "MkDocs-Material\nmkdocs"}, ("-r docs/requirements.txt",)),
    ("an extra", {"pyproject.toml": "[project.optional-dependencies]\ntest = ['pytest']\ndocs = ['mkdocs-material']\n"}, ("install './[docs]'",)),
    ("none", {"requirements.txt": "flask"}, ("install mkdocs", "get-deps)")),
]  # fmt: skip


@pytest.mark.parametrize(("files", "parts"), [pytest.param(*row[1:], id=row[0]) for row in PYTHON])
def test_packages_of_python(files: dict[str, str], parts: tuple[str, ...]) -> None:
    lines = site(recognise(project({"mkdocs.yml": "", **files}))).build.lines
    for part in parts:
        assert any(line.endswith(part) for line in lines), lines


def test_packages_of_sphinx_that_no_file_names() -> None:
    conf = "project = 'x'\nextensions = ['sphinx_sitemap']\nhtml_theme = 'sphinx_rtd_theme'\n"
    assert (
        site(recognise(project({"docs/conf.py": conf})))
        .build.lines[1]
        .endswith(" install sphinx sphinx-sitemap sphinx-rtd-theme")
    )
    conf = "project = 'x'\nhtml_theme = 'not-known'\n"
    assert site(recognise(project({"docs/conf.py": conf}))).build.lines[1].endswith(" install sphinx")


def test_the_lock_file_of_a_workspace_is_at_the_top() -> None:
    found = recognise(project({**below("apps/web", ASTRO), "pnpm-lock.yaml": "", "package.json": "{}"}))
    assert found.project.folder == "apps/web"
    install, build = '(cd "$GITHUB_WORKSPACE" && pnpm install --frozen-lockfile)', "pnpm run build"
    assert site(found).build.lines[1:] == (install, build)
    assert site(found).output.value == "apps/web/dist"


FOLDERS: list[tuple[str, dict[str, str], str, str]] = [
    # id, files, generator, folder of its sources
    ("at the top", {**ASTRO, **below("website", ASTRO)}, "Astro", ""),
    ("a usual folder first", {**below("aaa", ASTRO), **below("website", ASTRO)}, "Astro", "website"),
    ("any folder", below("handbook", ASTRO), "Astro", "handbook"),
    ("a config before a lone page", {"index.html": "", **ASTRO}, "Astro", ""),
    ("a page at the top before a folder", {"index.html": "", **below("website", ASTRO)}, "plain HTML", ""),
    ("VitePress with packages of its own", {"package.json": "{}", "docs/.vitepress/config.ts": "", "docs/package.json": package('"build": "vitepress build"', "vitepress")}, "VitePress", "docs"),
    ("VitePress with those of the repository", {"package.json": package("", "vitepress"), "docs/.vitepress/config.ts": "", "docs/package.json": "{}"}, "VitePress", ""),
    ("no hidden folder", below(".cache", ASTRO), "", ""),
    ("no package's folder", below("node_modules/astro-x", ASTRO), "", ""),
    ("one that exports before one that does not", {"package.json": '{"dependencies": {"next": "1"}}', "mkdocs.yml": ""}, "MkDocs", ""),
    ("Zola is not Hugo", {"config.toml": 'base_url = "https://www.example.net"'}, "", ""),
    ("the old name of Hugo's config", {"config.toml": 'baseURL = "https://www.example.net"'}, "Hugo", ""),
    ("Hexo is not Jekyll", {"_config.yml": "", "package.json": '{"dependencies": {"hexo": "7"}}'}, "Hexo", ""),
    ("Jupyter Book is not Jekyll", {"book/_config.yml": "", "book/_toc.yml": ""}, "Jupyter Book", "book"),
    ("a conf.py of something else", {"docs/conf.py": "DEBUG = True\n"}, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("files", "name", "folder"), [pytest.param(*row[1:], id=row[0]) for row in FOLDERS])
def test_which_site(files: dict[str, str], name: str, folder: str) -> None:
    found = recognise(project(files))
    assert (found.site.generator if found.site else "", found.project.folder) == (name, folder)


def test_what_does_not_count_is_not_hidden() -> None:
    found = recognise(project({"index.html": "", **below("website", ASTRO), **below("docs", {"mkdocs.yml": ""})}))
    assert [one.where for one in found.others] == ["website/astro.config.mjs", "docs/mkdocs.yml"]


@pytest.mark.parametrize("name", GENERATORS)
def test_a_generator_that_is_named_and_not_there(name: str) -> None:
    assert recognise(project({"README.md": ""}), name).site is None


OUTPUTS: list[tuple[str, dict[str, str], str]] = [
    # id, files, folder of the build
    ("Astro", {"astro.config.ts": "export default { outDir: './public_html/' }", "package.json": "{}"}, "public_html"),
    ("Astro by its command", {**ASTRO, "package.json": package('"build": "astro build --outDir=out"', "astro")}, "out"),
    ("Docusaurus by its command", {"docusaurus.config.js": "", "package.json": package('"build": "docusaurus build --out-dir out"')}, "out"),
    ("VitePress out of the repository", {".vitepress/config.ts": "export default { outDir: '../out' }", "package.json": "{}"}, ".vitepress/dist"),
    ("VitePress above its sources", {"docs/.vitepress/config.ts": "export default { outDir: '../out/' }", "package.json": "{}"}, "out"),
    ("VitePress below .github", {"docs/.vitepress/config.ts": "export default { outDir: '../.github' }", "package.json": "{}"}, "docs/.vitepress/dist"),
    ("Next.js with a computed output", {"next.config.mjs": "const prod = process.env.X\nexport default { output: prod ? 'export' : undefined }", "package.json": package("", "next")}, "out"),
    ("VitePress in a folder", {"handbook/.vitepress/config/index.ts": "", "package.json": package('"build": "vitepress build handbook"')}, "handbook/.vitepress/dist"),
    ("Eleventy by its command", {"package.json": package('"build": "eleventy --input=src --output=public"', "@11ty/eleventy")}, "public"),
    ("Eleventy by its named export", {"eleventy.config.js": "const dir = { output: 'no' };\nexport default async function (c) { c.addPassthroughCopy('x'); }\nexport const config = { dir: { input: 'content', output: 'dist' } };\n", "package.json": package("", "@11ty/eleventy")}, "dist"),
    ("Next.js", {"next.config.mjs": "export default { output: 'export', distDir: 'dist' }", "package.json": package("", "next")}, "dist"),
    ("SvelteKit", {"svelte.config.js": "export default { kit: { adapter: adapter({ pages: 'out' }) } }", "package.json": package("", "@sveltejs/kit", "@sveltejs/adapter-static")}, "out"),
    ("Nuxt", {"nuxt.config.ts": "", "package.json": package("", "nuxt")}, ".output/public"),
    ("Hugo", {"hugo.yaml": "publishDir: docs\n"}, "docs"),
    ("Jekyll", {"_config.yml": "destination: ./out\n"}, "out"),
    ("MkDocs", {"mkdocs.yml": "site_dir: public\n"}, "public"),
    ("Sphinx with a source folder", {"docs/source/conf.py": "project = 'x'\n"}, "docs/build/html"),
    ("Sphinx at the top", {"conf.py": "project = 'x'\n"}, "_build/html"),
    ("pages in a folder", {"www/index.html": ""}, "www"),
    ("pages in another", {"public/index.html": "", "site/index.html": ""}, "public"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "output"), [pytest.param(*row[1:], id=row[0]) for row in OUTPUTS])
def test_the_folder_of_the_build(files: dict[str, str], output: str) -> None:
    assert site(recognise(project(files))).output.value == output


SITEMAPS: list[tuple[str, dict[str, str], str]] = [
    # id, files, name of the sitemap that the generator writes
    ("Docusaurus without its plug-in", {"docusaurus.config.js": "", "package.json": package("", "@docusaurus/core")}, ""),
    ("Docusaurus with the plug-in off", {"docusaurus.config.js": "export default { presets: [['classic', { sitemap: false }]] }", "package.json": package("", "@docusaurus/preset-classic")}, ""),
    ("VitePress without an address", {".vitepress/config.ts": "", "package.json": "{}"}, ""),
    ("VitePress with a computed one", {".vitepress/config.ts": "export default { sitemap: { hostname: process.env.HOME } }", "package.json": "{}"}, "sitemap.xml"),
    ("Astro without its integration", ASTRO, ""),
    ("Astro with Starlight", {"astro.config.mjs": "export default { site: 'https://a.example' }", "package.json": package("", "@astrojs/starlight")}, "sitemap-index.xml"),
    ("Starlight without an address", {"astro.config.mjs": "export default {}", "package.json": package("", "@astrojs/starlight")}, ""),
    ("Nuxt without its module", {"nuxt.config.ts": "export default { site: { url: 'https://a.example' } }", "package.json": package("", "nuxt")}, ""),
    ("Nuxt with a computed address", {"nuxt.config.js": "export default { site: { url: process.env.HOME } }", "package.json": package("", "nuxt", "@nuxtjs/seo")}, "sitemap.xml"),
    ("Nuxt without an address", {"nuxt.config.js": "", "package.json": package("", "nuxt", "@nuxtjs/sitemap")}, ""),
    ("Gatsby without its plug-in", {"gatsby-config.ts": "", "package.json": "{}"}, ""),
    ("Next.js with next-sitemap", {"next.config.js": "module.exports = {output: 'export'}", "package.json": package("", "next", "next-sitemap")}, "sitemap.xml"),
    ("SvelteKit with a route", {"src/routes/sitemap.xml/+server.ts": "", "package.json": package("", "@sveltejs/kit", "@sveltejs/adapter-static")}, "sitemap.xml"),
    ("Eleventy with a plug-in", {"package.json": package("", "@11ty/eleventy", "@quasibit/eleventy-plugin-sitemap")}, "sitemap.xml"),
    ("Hexo", {"_config.yml": "", "package.json": package("", "hexo", "hexo-generator-sitemap")}, "sitemap.xml"),
    ("Jupyter Book with the extension", {"_toc.yml": "", "_config.yml": "sphinx:\n  extra_extensions:\n    - sphinx_sitemap\n"}, "sitemap.xml"),
    ("Jupyter Book without", {"_toc.yml": "", "_config.yml": "sphinx: {}\n"}, ""),
    ("Nikola with none", {"conf.py": "BLOG_TITLE = 'A'\nDISABLED_PLUGINS = ['sitemap']\n"}, ""),
    ("Pelican without its plug-in", {"pelicanconf.py": "SITEURL = 'https://a.example'\n"}, ""),
    ("Pelican with it", {"pelicanconf.py": "PLUGINS = ['pelican-sitemap']\nSITEMAP = {'format': 'xml'}\n"}, "sitemap.xml"),
    ("Hugo with none", {"hugo.toml": 'disableKinds = ["RSS", "sitemap"]\n'}, ""),
    ("Jekyll with none", {"_config.yml": "plugins: [jekyll-feed]\n"}, ""),
    ("MkDocs without an address", {"mkdocs.yml": "site_name: A\n"}, ""),
    ("Sphinx with the extension as a comment", {"conf.py": "project = 'x'\nextensions = []  # 'sphinx_sitemap'\n"}, ""),
    ("Sphinx with another name", {"conf.py": "project = 'x'\nextensions = [\n    'sphinx_sitemap',\n]\nsitemap_filename = 'map.xml'\n"}, "map.xml"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "name"), [pytest.param(*row[1:], id=row[0]) for row in SITEMAPS])
def test_the_sitemap_of_the_generator(files: dict[str, str], name: str) -> None:
    found = site(recognise(project(files))).sitemap
    assert (found.value if found else "") == name


ADDRESSES: list[tuple[str, dict[str, str], str]] = [
    # id, files, address of the site
    ("VitePress", {".vitepress/config.ts": "export default { base: '/b/', sitemap: { hostname: 'https://a.example' } }", "package.json": "{}"}, "https://a.example/b/"),
    ("Astro", {"astro.config.mjs": "export default { site: 'https://a.example', base: '/b' }", "package.json": "{}"}, "https://a.example/b/"),
    ("Next.js", {"next.config.js": "module.exports = { output: 'export', basePath: '/b' }", "next-sitemap.config.js": "module.exports = { siteUrl: 'https://a.example' }", "package.json": package("", "next")}, "https://a.example/b/"),
    ("SvelteKit", {"svelte.config.js": "export default { kit: { prerender: { origin: 'https://a.example' }, paths: { base: '/b' } } }", "package.json": package("", "@sveltejs/kit", "@sveltejs/adapter-static")}, "https://a.example/b/"),
    ("Eleventy", {"_data/site.json": '{"url": "https://a.example/b/"}', "package.json": package("", "@11ty/eleventy")}, "https://a.example/b/"),
    ("Hugo, the old name of its config", {"config.toml": "baseURL = 'https://a.example/b/'\n"}, "https://a.example/b/"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "address"), [pytest.param(*row[1:], id=row[0]) for row in ADDRESSES])
def test_the_address_that_the_config_states(files: dict[str, str], address: str) -> None:
    assert site(recognise(project(files))).addresses[0].value == address


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("x --out a", "a"),
        ("x --out=a && y", "a"),
        ("x --out 'a'", "a"),
        ("x --output a", ""),
        ("x --no--out a", ""),
        ("x", ""),
        ("x --out", ""),
    ],
)
def test_an_option_value_a_command(command: str, value: str) -> None:
    assert option_value(command, "--out") == value


def test_nuxt_is_generated_also_where_no_script_does_it() -> None:
    found = site(recognise(project({"nuxt.config.ts": "", "package.json": package('"build": "nuxt build"', "nuxt")})))
    assert found.build.lines == ("npm install", "npx --no-install nuxt generate")


NODE = "actions/setup-node@48b55a011bda9f5d6aeb4c2d9c7362e8dae4041e # v6.4.0"
ENGINES = '{"engines": {"node": ">=22"}}'
VERSIONS: list[tuple[str, dict[str, str], str, str, str]] = [
    # id, files, the step "with: …" of the repository's workflow, input and its value in ours
    ("nothing", {}, "", "", ""),
    (".nvmrc", {".nvmrc": "22"}, "", "node-version-file", ".nvmrc"),
    (".nvmrc of the project", {"web/.nvmrc": "22", ".nvmrc": "18"}, "", "node-version-file", "web/.nvmrc"),
    (".nvmrc before .node-version", {".node-version": "18", ".nvmrc": "22"}, "", "node-version-file", ".nvmrc"),
    ("package.json", {"web/package.json": ENGINES}, "", "node-version-file", "web/package.json"),
    ("a version of the workflow", {".nvmrc": "22"}, "node-version: '20.11'", "node-version", "20.11"),
    ("an alias", {}, "node-version: lts/*", "node-version", "lts/*"),
    ("a file of the workflow", {".nvmrc": "22", "v": "20"}, "node-version-file: v", "node-version-file", "v"),
    ("a file that is not there", {".nvmrc": "22"}, "node-version-file: v", "node-version-file", ".nvmrc"),
    ("an expression", {".nvmrc": "22"}, "node-version: ${{ matrix.node }}", "node-version-file", ".nvmrc"),
    ("a path that leads out", {}, "node-version-file: ../../v", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("files", "own", "name", "value"), [pytest.param(*row[1:], id=row[0]) for row in VERSIONS])
def test_the_version_of_a_tool(files: dict[str, str], own: str, name: str, value: str) -> None:
    step = f"steps:\n  - uses: actions/setup-node@v4\n    with:\n      {own}\n"
    top = project({"web/package.json": "{}"} | files | ({".github/workflows/a.yml": step} if own else {}))
    place = top.inside("web")
    found = list(tool_steps(["npm ci"], place, own_workflows(place)[0]))
    uses = "actions/setup-node@v4" if own else NODE if name else ""
    assert [(one.uses, one.input, one.value) for one in found] == ([(uses, name, value)] if uses else [])


@pytest.mark.parametrize(
    ("command", "action"), [("npm ci", "setup-node"), ("python3 -m venv x", "setup-python"), ("hugo", "")]
)
def test_a_tool_that_the_build_does_not_run_is_not_set_up(command: str, action: str) -> None:
    here = project({".nvmrc": "", ".python-version": ""})
    found = list(tool_steps([command], here, {}))
    assert [one.uses.partition("@")[0] for one in found] == ([f"actions/{action}"] if action else [])


def test_steps_of_workflows() -> None:
    text = "jobs:\n  a:\n    steps:\n      - name: x\n        uses: 'actions/setup-node@v4'\n        with:\n          node-version: ${{ matrix.node }}\n      - uses: actions/setup-python@0123456789012345678901234567890123456789 # v5\n        with:\n          cache: pip\n          python-version: \"3.10\"\n      - uses: actions/setup-node@v3\n      - uses: actions/cache/restore@v4.1\n      - uses: OWNER/sitemap-action/host@main\n"
    setups, checks = own_workflows(
        project({".github/workflows/a.yml": text, ".github/workflows/notes.txt": "- uses: a/b@c"})
    )
    assert {name: (one.uses.partition("@")[2], one.value) for name, one in setups.items()} == {
        "actions/setup-node": ("v4", ""),
        "actions/setup-python": ("0123456789012345678901234567890123456789", "3.10"),
        "actions/cache": ("v4.1", ""),
    }
    assert checks == (".github/workflows/a.yml:14",)


def test_the_version_of_a_step_in_one_line_counts() -> None:
    text = "- uses: actions/setup-python@v5\n  with: {python-version: 3.12, cache: pip}\n"
    setups, _ = own_workflows(project({".github/workflows/a.yml": text}))
    assert setups["actions/setup-python"].value == "3.12"
