"""Files that redirects are added to, fuzzed: each is edited so that it is read as it was and more, or left as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutations import EXAMPLES, documents, fuzz
from redirect_tables import files_of
from sitemap_action.hosts.redirect_edits import Redirect, RedirectFormat, RedirectPlace
from sitemap_action.hosts.redirect_files import add_redirects, make_format

F = RedirectFormat
SEEDS: dict[RedirectFormat, tuple[str, bytes]] = {
    F.REDIRECTS: ("_redirects", b"# x\n/a  /old/ 301 # y\n/x page=:id /y/:id 200\n/w/* /z/:splat\n"),
    F.NETLIFY: ("netlify.toml", b'[build]\nx = """\n[y]\n"""\n[[redirects]] # x\n  from = "/a"\n  to = "/old/"\n[redirects.headers]\nX = "y"\n\n[z]\ny = 1\n'),
    F.VERCEL: ("vercel.json", b'{\n  "redirects": [\n    { "source": "/a/:b(\\\\d+)", "destination": "/old/" },\n    {"source": "/c", "destination": "/d"}\n  ],\n  "x": [1, null]\n}\n'),
    F.FIREBASE: ("firebase.json", b'{ // x\n  "hosting": {"redirects": [{"source": "/a", "destination": "/old/", "type": 301}], /* y */ "public": "z"},\n}'),
    F.AZURE: ("staticwebapp.config.json", b'{"routes": [{"route": "/a", "redirect": "/old/"}, {"route": "/*", "headers": {}}], "x": {}}'),
    F.MKDOCS: ("mkdocs.yml", b"x: &a !ENV [b, c]\nplugins:\n  - search\n  - redirects: # y\n      redirect_maps:\n        'a.md': old.md # z\n        b.md: new.md\n  - z: |\n      text\n"),
    F.REDIRAFFE: ("docs/conf.py", b"import os\nrediraffe_redirects = {\n    'a': 'old.md',  # x\n    \"b\": 'new.md'\n}\nx = f'{1}'\n"),
    F.DOCUSAURUS: ("docusaurus.config.js", b"// x\nmodule.exports = {plugins: [['@docusaurus/plugin-client-redirects', {\n  redirects: [\n    {from: ['/a', '/b'], to: '/old/'}, // y\n  ],\n}]], z: (a) => a / /[/]/ };\n"),
    F.ASTRO: ("astro.config.mjs", b"import x from 'y';\nexport default defineConfig({ // z\n  redirects: {\n    '/a': { status: 302, destination: '/old/' },\n    '/b': `/c`, /* d */\n  },\n});\n"),
    F.HUGO: ("docs/new.md", b"+++\ntitle = 'x' # y\naliases = [\n  '/a/',\n]\n[z]\ny = 1\n+++\ntext\n"),
    F.JEKYLL: ("docs/new.md", b"---\ntitle: x # y\nredirect_from:\n  - /a/ # z\n---\ntext\n"),
}  # fmt: skip
PIECES = (
    b"{", b"}", b"[", b"]", b"(", b")", b",", b":", b'"', b"'", b"`", b"${", b"#", b"//", b"/*", b"*/", b"\\", b"---\n", b"+++\n", b"[[redirects]]\n", b"redirects", b"- ", b"  ",
    b"&a ", b"*a", b"<<: ", b"!x ", b"|\n", b"=", b"null", b"/old/", b"old.md", b"...x", b"=>", b"/[/]/", b"?", b"f'", b'"""', b"{" * 200, b"- " * 200, b"\f", b"\x85",
)  # fmt: skip
NEW = (Redirect("/old/", "/new/"), Redirect("/b/", "/new/"), Redirect("/older/%C3%A9/", "/new/"))


@pytest.mark.attack("bytes", tried=EXAMPLES // 4)
@pytest.mark.parametrize("form", SEEDS)
def test_a_file_with_redirects(form: RedirectFormat) -> None:
    path, seed = SEEDS[form]
    place = RedirectPlace(form, "" if form in (F.HUGO, F.JEKYLL) else path, "a test", folder="docs")

    @given(documents((seed,), PIECES), st.integers(1, len(NEW)))
    @fuzz(4)
    def edits(content: bytes, count: int) -> None:
        files = {"docs/new.md": b"", path: content}
        found = add_redirects(place, NEW[:count], files_of(files))
        sources = [one.source for one in (*found.added, *found.present, *(one for one, _ in found.refused))]
        assert sorted(sources) == sorted(one.source for one in NEW[:count])
        assert bool(found.files) == bool(found.added)
        assert all("\n" not in why for _, why in found.refused)
        if found.added:
            again = add_redirects(place, NEW[:count], files_of({**files, **found.files}))
            assert (again.files, len(again.present)) == ({}, len(found.added) + len(found.present))
            if reader := make_format(place, files_of(files)):
                old, new = ([row.source for row in reader.read(text.decode())] for text in (content, found.files[path]))
                assert [one for one in new if one in old] == old

    edits()
