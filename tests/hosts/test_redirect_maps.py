"""Redirects inside configs: what is inserted, in the layout that is there, and what is refused because it is code."""

import pytest

from hosts.test_redirect_edits import edit, place, repository
from sitemap_action.hosts.redirect_edits import Redirect, RedirectFormat, RedirectPlace
from sitemap_action.hosts.redirect_files import add_redirects, is_redirect_edit

VERCEL, FIREBASE, AZURE = RedirectFormat.VERCEL, RedirectFormat.FIREBASE, RedirectFormat.AZURE
NETLIFY, DOCUSAURUS, ASTRO = RedirectFormat.NETLIFY, RedirectFormat.DOCUSAURUS, RedirectFormat.ASTRO

# format, before, what is added, after (None: as before), why it is refused
CONFIGS: dict[str, tuple[RedirectFormat, str | None, str, str | None, str]] = {
    "vercel: no file": (VERCEL, None, "/a /b", '{\n  "redirects": [\n    { "source": "/a", "destination": "/b", "permanent": true }\n  ]\n}\n', ""),
    "vercel: no redirects": (
        VERCEL, '{\n  "cleanUrls": true\n}\n', "/a /b",
        '{\n  "cleanUrls": true,\n  "redirects": [\n    { "source": "/a", "destination": "/b", "permanent": true }\n  ]\n}\n', "",
    ),
    "vercel: an empty list": (
        VERCEL, '{\n    "redirects": []\n}', "/a /b",
        '{\n    "redirects": [\n        { "source": "/a", "destination": "/b", "permanent": true }\n    ]\n}', "",
    ),
    "vercel: on one line": (
        VERCEL, '{"redirects": [{"source": "/x", "destination": "/a", "statusCode": 301}]}', "/a /b",
        '{"redirects": [{"source": "/x", "destination": "/b", "statusCode": 301}, {"source": "/a", "destination": "/b", "permanent": true}]}', "",
    ),
    "vercel: in the layout of the last one, above a pattern": (
        VERCEL,
        '{\r\n\t"redirects": [\r\n\t\t{\r\n\t\t\t"source": "/x",\r\n\t\t\t"destination": "/y"\r\n\t\t},\r\n\t\t{ "source": "/(.*)", "destination": "/z" }\r\n\t]\r\n}',
        "/a /b",
        '{\r\n\t"redirects": [\r\n\t\t{\r\n\t\t\t"source": "/x",\r\n\t\t\t"destination": "/y"\r\n\t\t},\r\n\t\t{ "source": "/a", "destination": "/b", "permanent": true },\r\n\t\t{ "source": "/(.*)", "destination": "/z" }\r\n\t]\r\n}', "",
    ),
    "vercel: syntax in a path": (
        VERCEL, None, "/a(1):b+c*d /b",
        '{\n  "redirects": [\n    { "source": "/a\\\\(1\\\\)\\\\:b\\\\+c\\\\*d", "destination": "/b", "permanent": true }\n  ]\n}\n', "",
    ),
    "vercel: routes": (VERCEL, '{"routes": [{"src": "/x"}]}', "/a /b", None, "it has routes, beside which the host takes no redirects"),
    "vercel: no JSON": (VERCEL, '{"redirects": [', "/a /b", None, "its brackets do not match"),
    "vercel: a list that is none": (VERCEL, '{"redirects": {}}', "/a /b", None, "redirects is not a list of objects"),
    "vercel: a placeholder in a target": (VERCEL, "{}", "/a /b/:c", None, "/b/:c has a character that stands for a part of the source in this file"),
    "firebase: comments stay": (
        FIREBASE, '{\n  // ours\n  "hosting": {\n    "public": "x", // here\n  }\n}\n', "/a /b",
        '{\n  // ours\n  "hosting": {\n    "public": "x", // here\n    "redirects": [\n      { "source": "/a", "destination": "/b", "type": 301 }\n    ],\n  }\n}\n', "",
    ),
    "firebase: several sites": (FIREBASE, '{"hosting": [{"target": "a"}, {"target": "b"}]}', "/a /b", None, "it is for several sites"),
    "firebase: a glob": (FIREBASE, '{"hosting": {}}', "/a(b) /b", None, "/a(b) has a character that stands for any path in this file"),
    "firebase: no file": (FIREBASE, None, "/a /b", None, "file is not there"),
    "azure: above the fallback": (
        AZURE, '{\n  "routes": [\n    { "route": "/*", "allowedRoles": ["anonymous"] }\n  ]\n}\n', "/a /b",
        '{\n  "routes": [\n    { "route": "/a", "redirect": "/b", "statusCode": 301 },\n    { "route": "/*", "allowedRoles": ["anonymous"] }\n  ]\n}\n', "",
    ),
    "azure: a route without a redirect": (AZURE, '{"routes": [{"route": "/a", "headers": {}}]}', "/a /b", None, "line 1 has a redirect for /a already, to "),
    "netlify: behind the last table": (
        NETLIFY, '[[redirects]]\nfrom = "/x"\nto = "/a" # x\n[redirects.headers]\nX = "y"\n\n# next\n[build]\npublish = "x"\n', "/a /b",
        '[[redirects]]\nfrom = "/x"\nto = "/b" # x\n[redirects.headers]\nX = "y"\n\n[[redirects]]\nfrom = "/a"\nto = "/b"\nstatus = 301\n\n# next\n[build]\npublish = "x"\n', "",
    ),
    "netlify: above a wildcard": (
        NETLIFY, '[build]\nx = 1\n\n# all\n[[redirects]]\n  from = "/*"\n  to = "/z"\n', "/a /b",
        '[build]\nx = 1\n\n[[redirects]]\n  from = "/a"\n  to = "/b"\n  status = 301\n\n# all\n[[redirects]]\n  from = "/*"\n  to = "/z"\n', "",
    ),
    "netlify: none": (NETLIFY, "[build]\nx = 1", "/a /b", '[build]\nx = 1\n\n[[redirects]]\n  from = "/a"\n  to = "/b"\n  status = 301\n', ""),
    "netlify: as one value": (NETLIFY, 'redirects = [{from = "/x", to = "/y"}]\n', "/a /b", None, "its redirects are not all written as [[redirects]]"),
    "docusaurus: no options": (
        DOCUSAURUS, "export default { plugins: ['@docusaurus/plugin-client-redirects'] };\n", "/a /b", None,
        "the options of @docusaurus/plugin-client-redirects are not written as an object in it",
    ),
    "docusaurus: a list": (
        DOCUSAURUS,
        "module.exports = {\n  plugins: [\n    [\n      '@docusaurus/plugin-client-redirects',\n      {\n        redirects: [\n          // old\n          { from: ['/x', '/y'], to: '/a' }, // two\n        ],\n      },\n    ],\n  ],\n};\n",
        "/a /b",
        "module.exports = {\n  plugins: [\n    [\n      '@docusaurus/plugin-client-redirects',\n      {\n        redirects: [\n          // old\n          { from: ['/x', '/y'], to: '/b' }, // two\n          { from: '/a', to: '/b' },\n        ],\n      },\n    ],\n  ],\n};\n", "",
    ),
    "docusaurus: without a final comma": (
        DOCUSAURUS, 'plugins: [[require.resolve("@docusaurus/plugin-client-redirects"), {redirects: [\n  {from: "/x", to: "/y"} // old\n]}]]', "/a /b",
        'plugins: [[require.resolve("@docusaurus/plugin-client-redirects"), {redirects: [\n  {from: "/x", to: "/y"}, // old\n  {from: "/a", to: "/b"}\n]}]]', "",
    ),
    "docusaurus: options without a list": (
        DOCUSAURUS, "plugins: [['@docusaurus/plugin-client-redirects', { toExtensions: ['html'] }]]", "/a /b",
        "plugins: [['@docusaurus/plugin-client-redirects', { redirects: [{ from: '/a', to: '/b' }], toExtensions: ['html'] }]]", "",
    ),
    "docusaurus: computed": (
        DOCUSAURUS, "plugins: [['@docusaurus/plugin-client-redirects', { redirects: [...old, { from: '/x', to: '/y' }] }]]", "/a /b", None, "its redirects are computed",
    ),
    "astro: none": (
        ASTRO, "import { defineConfig } from 'astro/config';\nexport default defineConfig({\n  site: 'https://x.example',\n});\n", "/a/ /b/",
        "import { defineConfig } from 'astro/config';\nexport default defineConfig({\n  site: 'https://x.example',\n  redirects: {\n    '/a': '/b/',\n  },\n});\n", "",
    ),
    "astro: a map": (
        ASTRO, 'export default {\n  redirects: {\n    "/x": { status: 302, destination: "/a" },\n    "/y/[...slug]": "/z",\n  },\n  vite: { x: (a) => /[/}]/.test(a) },\n};\n', "/a /b",
        'export default {\n  redirects: {\n    "/x": { status: 302, destination: "/b" },\n    "/y/[...slug]": "/z",\n    "/a": "/b",\n  },\n  vite: { x: (a) => /[/}]/.test(a) },\n};\n', "",
    ),
    "astro: computed": (ASTRO, "export default { redirects: { ...old } };", "/a /b", None, "its redirects are computed"),
    "astro: elsewhere": (ASTRO, "const config = {};\nexport default config;", "/a /b", None, "the config that it exports is not written as an object in it"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGS)
def test_configs(name: str) -> None:
    form, before, new, after, refused = CONFIGS[name]
    found, edits = edit(place(form, "file"), before, *(Redirect(*one.split(" ")) for one in new.split(", ")))
    assert found == ((before or "") if after is None else after)
    assert "".join(why for _, why in edits.refused) == refused


NAMES = {VERCEL: "vercel.json", FIREBASE: "firebase.json", AZURE: "x/staticwebapp.config.json", NETLIFY: "netlify.toml", DOCUSAURUS: "docusaurus.config.ts", ASTRO: "astro.config.mjs"}  # fmt: skip
EDITED = [name for name, row in CONFIGS.items() if row[3] is not None]


@pytest.mark.parametrize("name", EDITED)
def test_another_process_knows_an_edit_from_any_other_change(name: str) -> None:
    """But for a path with syntax, which it does not take for plain."""
    form, before, _, after, _ = CONFIGS[name]
    assert after is not None
    old = None if before is None else before.encode()
    plain = name != "vercel: syntax in a path"
    assert is_redirect_edit(NAMES[form], old, after.encode()) is plain
    assert not is_redirect_edit("package.json", old, after.encode())
    for at in range(0, len(before or ""), 7):
        changed = f"{before[:at]}{before[at + 1 :]}" if before else ""
        assert not is_redirect_edit(NAMES[form], changed.encode(), after.encode()), changed


PAGES = {"docs/new.md": b"", "docs/b/index.md": b"", "docs/c.rst": b"", "docs/d/README.md": b""}
# before, what is added, after, why it is refused
MKDOCS: dict[str, tuple[str, str, str | None, str]] = {
    "a map": (
        'plugins:\n  - redirects:\n      redirect_maps:\n        "x.md": "new.md" # why\n  - search\n', "/old/ /b/",
        'plugins:\n  - redirects:\n      redirect_maps:\n        "x.md": "new.md" # why\n        "old.md": "b/index.md"\n  - search\n', "",
    ),
    "without quotes": (
        "plugins:\n- redirects:\n    redirect_maps:\n      x.md: old.md\nextra: !ENV [A, b]\n", "/old/ /new/, /p/q/ /d/",
        "plugins:\n- redirects:\n    redirect_maps:\n      x.md: new.md\n      old.md: new.md\n      p/q.md: d/README.md\nextra: !ENV [A, b]\n", "",
    ),
    "no options": ("plugins:\n  - search\n  - redirects # now\n", "/old/ /new/", "plugins:\n  - search\n  - redirects: # now\n    redirect_maps:\n      old.md: new.md\n".replace("\n    r", "\n      r").replace("\n      old", "\n        old"), ""),
    "no map": ("plugins:\n  redirects:\n    redirect_maps:\n", "/old/ /new/", "plugins:\n  redirects:\n    redirect_maps:\n      old.md: new.md\n", ""),
    "in braces": ("plugins: [{redirects: {redirect_maps: {'x.md': 'y.md'}}}]\n", "/old/ /new/", "plugins: [{redirects: {redirect_maps: {'x.md': 'y.md', 'old.md': 'new.md'}}}]\n", ""),
    "empty braces": ("plugins:\n  - redirects:\n      redirect_maps: {}\n", "/old/ /new/", None, ""),
    "line ends of Windows, no last one": (
        "plugins:\r\n  - redirects:\r\n      redirect_maps:\r\n        x.md: new.md", "/old/ /new/",
        "plugins:\r\n  - redirects:\r\n      redirect_maps:\r\n        x.md: new.md\r\n        old.md: new.md", "",
    ),
    "the same page under another name": ("plugins:\n  - redirects:\n      redirect_maps:\n        old/index.md: new.md\n", "/old/ /new/", None, ""),
    "files, not folders": (
        "use_directory_urls: false\nplugins:\n  - redirects:\n      redirect_maps:\n        x.md: new.md\n", "/old.html /new.html, /p/ /b/",
        "use_directory_urls: false\nplugins:\n  - redirects:\n      redirect_maps:\n        x.md: new.md\n        old.md: new.md\n        p/index.md: b/index.md\n", "",
    ),
    "no page": ("plugins:\n  - redirects:\n      redirect_maps:\n        x.md: new.md\n", "/old/ /gone/", None, "the source of /gone/ is not found below docs"),
    "no plug-in": ("plugins:\n  - search\n", "/old/ /new/", None, "it does not name the plug-in redirects"),
    "another site": (
        "plugins:\n  - redirects:\n      redirect_maps:\n        x.md: new.md\n", "/old/ https://x.example/a",
        "plugins:\n  - redirects:\n      redirect_maps:\n        x.md: new.md\n        old.md: https://x.example/a\n", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MKDOCS)
def test_mkdocs(name: str) -> None:
    before, new, after, refused = MKDOCS[name]
    where = place(RedirectFormat.MKDOCS, "mkdocs.yml")
    redirects = [Redirect(*one.split(" ")) for one in new.split(", ")]
    edits = add_redirects(where, redirects, repository(PAGES | {"mkdocs.yml": before.encode()}))
    found = edits.files.get("mkdocs.yml", before.encode()).decode()
    if name == "empty braces":
        assert found == "plugins:\n  - redirects:\n      redirect_maps: {\n        old.md: new.md\n      }\n"
    else:
        assert found == (before if after is None else after)
    assert "".join(why for _, why in edits.refused) == refused
    again = add_redirects(where, redirects, repository(PAGES | {"mkdocs.yml": found.encode()}))
    assert (again.files, len(again.present)) == ({}, len(redirects) - len(edits.refused))


REDIRAFFE = {
    "redirects.txt": ('"x.rst" "old.rst" \n', '"x.rst" "c.rst" \n"old.rst" "c.rst"\n'),
    "words.txt": ("# ours\r\nx c", "# ours\r\nx c\r\nold.rst c.rst\r\n"),
    "conf.py": (
        "a = {}\nrediraffe_redirects = {\n    'x': 'c',  # é\n}\nb = 1\n",
        "a = {}\nrediraffe_redirects = {\n    'x': 'c',  # é\n    'old.rst': 'c.rst',\n}\nb = 1\n",
    ),
}


@pytest.mark.parametrize("name", REDIRAFFE)
def test_rediraffe(name: str) -> None:
    before, after = REDIRAFFE[name]
    path = f"docs/{name}"
    where = place(RedirectFormat.REDIRAFFE, path)._replace(folder="docs")
    new = Redirect("/old.html", "/c.html", "docs/old.rst", "docs/c.rst")
    edits = add_redirects(where, [new], repository(PAGES | {path: before.encode()}))
    assert edits.files[path].decode() == after
    again = add_redirects(where, [new], repository(PAGES | edits.files))
    assert (again.files, again.present) == ({}, (new,))


def test_rediraffe_computed() -> None:
    where = place(RedirectFormat.REDIRAFFE, "docs/conf.py")._replace(folder="docs")
    files = PAGES | {"docs/conf.py": b"rediraffe_redirects = load()\n"}
    edits = add_redirects(where, [Redirect("/old.html", "/c.html")], repository(files))
    assert [why for _, why in edits.refused] == ["its rediraffe_redirects is computed"]
    assert edits.text == "/old.html /c.html\n"


HUGO, JEKYLL = RedirectFormat.HUGO, RedirectFormat.JEKYLL
ALIASES: dict[str, tuple[RedirectFormat, str, str | None]] = {
    "none": (HUGO, "---\ntitle: x\n---\ntext\n", "---\ntitle: x\naliases:\n  - /old/\n---\ntext\n"),
    "a list": (HUGO, "---\naliases:\n- /x/\ntitle: y\n---\n", "---\naliases:\n- /x/\n- /old/\ntitle: y\n---\n"),
    "in brackets": (HUGO, '---\naliases: ["/x/"]\n---\n', '---\naliases: ["/x/", "/old/"]\n---\n'),
    "empty": (HUGO, "---\naliases:\n---\n", "---\naliases:\n  - /old/\n---\n"),
    "toml": (HUGO, '+++\ntitle = "x"\n[menu]\nx = 1\n+++\n', '+++\ntitle = "x"\naliases = ["/old/"]\n[menu]\nx = 1\n+++\n'),
    "a toml list": (HUGO, "+++\naliases = [\n  '/x/',\n]\n+++\n", "+++\naliases = [\n  '/x/',\n  \"/old/\",\n]\n+++\n"),
    "it is there": (HUGO, "---\naliases: [/old]\n---\n", None),
    "one path": (JEKYLL, "---\nredirect_from: /x/\n---\n", '---\nredirect_from: [/x/, "/old/"]\n---\n'),
    "jekyll": (JEKYLL, "---\r\n---\r\ntext", "---\r\nredirect_from:\r\n  - /old/\r\n---\r\ntext"),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIASES)
def test_aliases(name: str) -> None:
    form, before, after = ALIASES[name]
    where = RedirectPlace(form, "", "a test", folder="content")
    new, path = Redirect("/old/", "/new/"), "content/new.md"
    edits = add_redirects(where, [new], repository({path: before.encode()}))
    assert edits.files.get(path, before.encode()).decode() == (before if after is None else after)
    assert edits.refused == ()
    again = add_redirects(where, [new], repository({path: before.encode()} | edits.files))
    assert (again.files, again.present) == ({}, (new,))
