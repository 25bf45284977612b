"""Where the redirects of a site are written: found as hosts and generators are, and said."""

from typing import NamedTuple

import pytest

from hosts.test_redirect_edits import repository
from sitemap_action.hosts.redirect_edits import Redirect, RedirectFormat
from sitemap_action.hosts.redirect_files import SiteSetup, add_redirects, find_redirect_place, has_whole_paths


class Case(NamedTuple):
    setup: SiteSetup
    files: dict[str, str]
    form: RedirectFormat
    path: str
    why: str
    folder: str = ""


F = RedirectFormat
MKDOCS = SiteSetup(generator="MkDocs", config="mkdocs.yml", copied="docs", output="site")
ASTRO = SiteSetup(generator="Astro", config="astro.config.mjs", copied="public", output="dist")
HUGO = SiteSetup(generator="Hugo", config="hugo.toml", copied="static", output="public")
SPHINX = SiteSetup(generator="Sphinx", config="source/conf.py", output="build/html")
DOCUSAURUS = SiteSetup(
    generator="Docusaurus", config="web/docusaurus.config.js", copied="web/static", output="web/build"
)
PLAIN = SiteSetup(
    host="cloudflare-pages", generator="plain HTML", config="site/index.html", copied="site", output="site"
)
PLUGIN = "plugins:\n  - redirects:\n      redirect_maps:\n        a.md: b.md\n"
CASES = {
    "the plug-in of MkDocs": Case(
        MKDOCS._replace(host="cloudflare-pages"), {"mkdocs.yml": PLUGIN}, F.MKDOCS, "mkdocs.yml", "mkdocs.yml has the plug-in redirects",
    ),
    "in a config that others are made of": Case(
        MKDOCS, {"mkdocs.yml": "INHERIT: mkdocs.base.yml\n", "mkdocs.base.yml": PLUGIN}, F.MKDOCS, "mkdocs.base.yml", "mkdocs.base.yml has the plug-in redirects",
    ),
    "MkDocs on GitHub Pages": Case(
        MKDOCS._replace(host="github-pages"), {"mkdocs.yml": ""}, F.STUB, "",
        "no file that redirects of this site are written in is known; output.redirects names one; a page that leads on can be put at each old address",
    ),
    "MkDocs on Netlify": Case(MKDOCS._replace(host="netlify"), {"mkdocs.yml": ""}, F.REDIRECTS, "docs/_redirects", "netlify reads redirects in _redirects"),
    "Hugo on Netlify": Case(HUGO._replace(host="netlify"), {"netlify.toml": "[build]\n"}, F.REDIRECTS, "static/_redirects", "netlify reads redirects in _redirects"),
    "Hugo on Netlify with redirects": Case(
        HUGO._replace(host="netlify"), {"netlify.toml": '[[redirects]]\nfrom = "/a"\nto = "/b"\n'}, F.NETLIFY, "netlify.toml", "netlify.toml has redirects",
    ),
    "the plug-in of MkDocs beside a file of the host with redirects": Case(
        MKDOCS._replace(host="netlify"), {"mkdocs.yml": PLUGIN, "docs/_redirects": "/a /b 301\n"}, F.REDIRECTS, "docs/_redirects", "docs/_redirects has redirects",
    ),
    "Hugo anywhere": Case(HUGO, {}, F.HUGO, "", "Hugo makes redirects of the aliases of a page", "content"),
    "Astro on Vercel": Case(ASTRO._replace(host="vercel"), {"vercel.json": "{}"}, F.VERCEL, "vercel.json", "vercel reads redirects in vercel.json"),
    "Astro on Vercel with its own": Case(
        ASTRO._replace(host="vercel"), {"astro.config.mjs": "export default { redirects: {} }"}, F.ASTRO, "astro.config.mjs", "astro.config.mjs has redirects",
    ),
    "Astro": Case(ASTRO, {}, F.ASTRO, "astro.config.mjs", "Astro makes pages of its redirects"),
    "a file of rediraffe": Case(
        SPHINX, {"source/conf.py": 'extensions = ["sphinxext.rediraffe"]\nrediraffe_redirects = "redirects.txt"\n'},
        F.REDIRAFFE, "source/redirects.txt", "source/conf.py has the extension rediraffe", "source",
    ),
    "a map of rediraffe": Case(
        SPHINX, {"source/conf.py": 'extensions = ["sphinxext.rediraffe"]\nrediraffe_redirects = {}\n'},
        F.REDIRAFFE, "source/conf.py", "source/conf.py has the extension rediraffe", "source",
    ),
    "Docusaurus with a file of its host": Case(
        DOCUSAURUS._replace(host="cloudflare-pages"), {"web/static/_redirects": "# none\n"}, F.REDIRECTS, "web/static/_redirects", "web/static/_redirects has redirects",
    ),
    "Docusaurus with the plug-in": Case(
        DOCUSAURUS, {"web/docusaurus.config.js": "plugins: ['@docusaurus/plugin-client-redirects']"},
        F.DOCUSAURUS, "web/docusaurus.config.js", "docusaurus.config.js has the plug-in client-redirects",
    ),
    "plain files on Cloudflare": Case(PLAIN, {}, F.REDIRECTS, "site/_redirects", "cloudflare-pages reads redirects in _redirects"),
    "VitePress": Case(
        SiteSetup(host="render", generator="VitePress"), {}, F.CSV, "", "rewrites of VitePress show a page at another address, and redirect nothing; its host has to",
    ),
    "Firebase": Case(SiteSetup(host="firebase", output="app/public"), {"app/firebase.json": "{}"}, F.FIREBASE, "app/firebase.json", "firebase reads redirects in firebase.json"),
    "nothing is known": Case(SiteSetup(), {}, F.CSV, "", "no file that redirects of this site are written in is known; output.redirects names one"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_places(name: str) -> None:
    case = CASES[name]
    found = find_redirect_place(repository({path: text.encode() for path, text in case.files.items()}), case.setup)
    assert (found.format, found.path, found.why, found.folder) == (case.form, case.path, case.why, case.folder)


# folder of the build, base of the site, whether rows have it
FOLDERS = [
    ("dist/docs", "/docs/", True),
    ("docs", "/docs/", True),
    ("dist", "/docs/", None),
    ("mydocs", "/docs/", None),
]


@pytest.mark.parametrize(("output", "base", "whole"), FOLDERS)
def test_the_folder_of_the_build_tells_whether_rows_have_the_path(output: str, base: str, whole: bool | None) -> None:
    setup = PLAIN._replace(output=output, base=base)
    assert has_whole_paths(find_redirect_place(repository({}), setup), setup, repository({})) is whole


WANTED = {
    "public/_redirects": F.REDIRECTS,
    "firebase.json": F.FIREBASE,
    "mkdocs.insiders.yml": F.MKDOCS,
    "docs/moved.txt": F.REDIRAFFE,
    "docs/conf.py": F.REDIRAFFE,
    "astro.config.ts": F.ASTRO,
    "redirects.json": F.CSV,
}


@pytest.mark.parametrize("path", WANTED)
def test_a_file_that_the_config_names(path: str) -> None:
    found = find_redirect_place(repository({}), SiteSetup(), path)
    assert (found.format, found.path) == (WANTED[path], "" if WANTED[path] is F.CSV else path)


NEW = [Redirect("/old/", '/new/"x&y'.replace('"', "%22")), Redirect("/a,b.html", "/c")]


def test_text_where_nothing_is_written() -> None:
    unknown = SiteSetup()
    edits = add_redirects(find_redirect_place(repository({}), unknown), NEW, repository({}))
    assert edits.text == 'source,target,status\n/old/,/new/%22x&y,301\n"/a,b.html",/c,301\n'
    assert len(edits.refused) == 2
    pages = MKDOCS._replace(host="github-pages", base="/")
    text = add_redirects(find_redirect_place(repository({}), pages), NEW, repository({})).text
    assert text.startswith("--- old/index.html ---\n<!doctype html>\n")
    assert '<meta http-equiv="refresh" content="0; url=/new/%22x&amp;y">' in text
    assert "--- a,b.html ---\n" in text
