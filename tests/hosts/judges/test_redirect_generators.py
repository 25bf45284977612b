"""Redirects that are added to hundreds of random configs and pages, judged by the generators that read them."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, unquote, urljoin

import pytest

from examples import share
from redirect_tables import COUNT, SEED, Edited, RandomTable, Rules, add_to, files_of, random_path
from sitemap_action.hosts.redirect_edits import Redirect, RedirectFormat, RedirectPlace
from sitemap_action.hosts.redirect_files import add_redirects
from sitemap_action.hosts.routes import location

DRAWN = share(COUNT)  # where what reads them is installed by each run of the tests, also at night; COUNT elsewhere

PAGES = ("new", "b/index", "c d/e", "café", "deep/er/page", "v1.2")
REFRESH = re.compile(r'http-equiv="?refresh"? content="0; ?url=([^"]*)"')


def address(source: str, *, folders: bool = True) -> str:
    """The path of the page that is made of a source."""
    stem = source.removesuffix("index") if source.endswith("/index") else f"{source}{'/' if folders else '.html'}"
    return quote(f"/{stem}", safe="/!$&'()*+,;=:@-._~")


def random_map(form: str, number: int, suffix: str, write: Callable[[random.Random, Rules], str]) -> RandomTable:
    """Redirects between sources; a few lead to what is redirected now. New ones are between addresses."""
    chance = random.Random(f"{SEED} {form} {number}")
    new = []
    for at in range(chance.randrange(1, 6)):
        source, page = random_path(chance, f"s{at}"), chance.choice(PAGES)
        source = source if chance.random() < 0.2 else f"{source.rstrip('/')}/"
        new.append(Redirect(source, address(page), "", f"docs/{page}{suffix}" if chance.random() < 0.3 else ""))
    rules = []
    for at in range(chance.randrange(0, 4)):
        page = chance.choice(PAGES)
        plain = [one.source.strip("/") for one in new if re.fullmatch(r"/[\w/]+/", one.source)]
        ends = "/index" if suffix == ".rst" else ""
        page = f"{chance.choice(plain)}{ends}" if plain and chance.random() < 0.4 else page
        rules.append((f"q{at}{suffix}", f"{page}{suffix}"))
    text = write(chance, rules)
    return RandomTable(text.replace("\n", "\r\n") if chance.random() < 0.2 else text, tuple(rules), tuple(new))


def edited(form: RedirectFormat, path: str, suffix: str, write: Callable[[random.Random, Rules], str]) -> list[Edited]:
    place = RedirectPlace(form, path, "a test", folder="docs")
    pages = {f"docs/{page}{suffix}": b"# x\n" for page in PAGES}
    found = [add_to(place, random_map(str(form), number, suffix, write), pages) for number in range(DRAWN)]
    assert sum(len(one.edits.added) for one in found) > DRAWN
    assert sum(len(one.edits.compacted) for one in found) > DRAWN // 20
    return found


def refreshes(folder: Path, source: str) -> str:
    """Where the page that is made for an old path leads to."""
    name = unquote(source.lstrip("/"))
    file = folder / (f"{name}index.html" if name.endswith("/") or not name else name)
    if not file.is_file():
        return f"{file} is not there"
    found = REFRESH.search(file.read_text())
    return location(urljoin(f"http://x{source}", unescape(found[1]))).removeprefix("http://x") if found else "no page"


# --- MkDocs ---


def mkdocs_config(chance: random.Random, rules: Rules) -> str:
    mark, step = chance.choice(["", "'", '"']), chance.choice([2, 4])
    rows = [f"{mark}{source}{mark}: {mark}{target}{mark}" for source, target in rules]
    head = "site_name: x\nmarkdown_extensions:\n- toc:\n    slugify: !!python/name:str\nplugins:\n"
    kind = chance.randrange(4)
    if kind == 0 and rows:
        inner = f"{{{', '.join(rows)}}}"
        return f"{head}  - search\n  - redirects: {{redirect_maps: {inner}}}\nextra: !ENV [X, y]\n"
    if not rows:
        return head + chance.choice(
            [
                "  - redirects\n",
                "  - redirects: # none\n",
                "  - redirects:\n      redirect_maps:\n",
                "- redirects:\n    redirect_maps: {}\n",
            ]
        )
    lines = "".join(f"{' ' * (4 + 2 * step)}{row}{chance.choice(['', ' # why'])}\n" for row in rows)
    body = f"  - redirects:\n{' ' * (4 + step)}redirect_maps:\n{lines}".removesuffix("\n" if kind == 1 else "")
    return f"{head}{body}" if kind == 1 else f"{head}{body}\n  # next\n  - search\n"


def test_mkdocs(tmp_path: Path) -> None:
    """The plug-in itself reads each map, and writes its pages."""
    plugin = pytest.importorskip("mkdocs_redirects.plugin").RedirectPlugin
    from mkdocs.structure.files import File
    from mkdocs.utils.yaml import get_yaml_loader, yaml_load

    pages = [File(f"{page}.md", "docs", str(tmp_path), use_directory_urls=True) for page in PAGES]
    files = SimpleNamespace(documentation_pages=lambda: pages)
    wrong = []
    for number, one in enumerate(edited(RedirectFormat.MKDOCS, "mkdocs.yml", ".md", mkdocs_config)):
        plugins = yaml_load(one.text, get_yaml_loader())["plugins"]
        options = next((found["redirects"] for found in plugins if isinstance(found, dict)), None) or {}
        redirects, site = plugin(), tmp_path / str(number)
        redirects.load_config(options)
        config: Any = {"use_directory_urls": True, "site_dir": str(site)}
        redirects.on_files(files, config)
        redirects.on_post_build(config)
        wrong += [
            f"{new}: {found}\n{one.text}"
            for new in one.edits.added
            if (found := refreshes(site, new.source)) != new.target
        ]
    assert wrong == []


# --- Sphinx ---


def rediraffe_file(chance: random.Random, rules: Rules) -> str:
    mark = chance.choice(["", '"', "'"])
    lines = [f'{mark}{source}{mark}{chance.choice([" ", chr(9), "   "])}"{target}"' for source, target in rules]
    return "\n".join([*chance.choice([[], ["# ours", ""]]), *lines]) + chance.choice(["", "\n"])


def rediraffe_map(chance: random.Random, rules: Rules) -> str:
    mark = chance.choice("\"'")
    rows = [f"{mark}{source}{mark}: {mark}{target}{mark}" for source, target in rules]
    head = "# é\nextensions = ['sphinxext.rediraffe']\n"
    if chance.random() < 0.3:
        return f"{head}rediraffe_redirects = {{{', '.join(rows)}}}\n"
    lines = "".join(f"    {row},{chance.choice(['', '  # why'])}\n" for row in rows)
    return f"{head}rediraffe_redirects = {{\n{lines}}}\nx = {{}}\n"


@pytest.mark.parametrize("form", ["file", "map"])
def test_rediraffe_reads(form: str, tmp_path: Path) -> None:
    """The extension takes each table as a graph without circles that leads to the pages."""
    rediraffe = pytest.importorskip("sphinxext.rediraffe")
    name, write = ("redirects.txt", rediraffe_file) if form == "file" else ("conf.py", rediraffe_map)
    for one in edited(RedirectFormat.REDIRAFFE, f"docs/{name}", ".rst", write):
        if form == "file":
            (tmp_path / name).write_text(one.text, newline="")
            graph = rediraffe.create_graph(tmp_path / name)
        else:
            values: dict[str, Any] = {}
            exec(one.text, values)
            graph = values["rediraffe_redirects"]
        ends = rediraffe.create_simple_redirects(graph)
        added = [ends[source] for source in ends if not source.startswith("q")]
        assert sorted(address(end.removesuffix(".rst")) for end in added) == sorted(
            one.target for one in one.edits.added
        )


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
def test_rediraffe_serves(builder: str, tmp_path: Path) -> None:
    """A site that Sphinx builds."""
    pytest.importorskip("sphinxext.rediraffe")
    docs, folders = tmp_path / "docs", builder == "dirhtml"
    for page in ("index", *PAGES):
        (docs / f"{page}.rst").parent.mkdir(parents=True, exist_ok=True)
        (docs / f"{page}.rst").write_text(":orphan:\n\nTitle\n=====\n")
    (docs / "conf.py").write_text("extensions = ['sphinxext.rediraffe']\nrediraffe_redirects = 'redirects.txt'\n")
    chance = random.Random(SEED)
    new = []
    for at in range(100):
        source = f"/old{at}{random_path(chance, 'x') if at % 2 else '/x'}".rstrip("/") + ("/" if folders else ".html")
        new.append(Redirect(location(source), address(chance.choice(PAGES), folders=folders)))
    place = RedirectPlace(RedirectFormat.REDIRAFFE, "docs/redirects.txt", "a test", folder="docs")
    files = {f"docs/{path.relative_to(docs)}": path.read_bytes() for path in docs.rglob("*.rst")}
    edits = add_redirects(place, new, files_of(files))
    (docs / "redirects.txt").write_bytes(edits.files["docs/redirects.txt"])
    out = tmp_path / "out"
    command = [sys.executable, "-m", "sphinx", "-q", "-b", builder, str(docs), str(out)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert len(edits.added) > 60
    ends = {one.source: refreshes(out, one.source).removesuffix("index.html") for one in edits.added}
    assert ends == {one.source: one.target.removesuffix("index.html") for one in edits.added}


# --- Hugo and Jekyll ---


def front_matter(chance: random.Random, name: str, formats: str) -> str:
    """With an alias of its own, or none."""
    there = [f"/was/{name}/"] if chance.random() < 0.5 else []
    if chance.choice(formats) == "+":
        old = chance.choice([f"{name} = {json.dumps(there)}\n", f"{name} = [\n  '{there[0]}',\n]\n"]) if there else ""
        table = chance.choice(["", "[params]\n  y = 1\n"])
        return f'+++\ntitle = "x" # ours\n{old}{table}+++\n'
    styles = (
        [f"{name}: {json.dumps(there)}\n", f"{name}:\n- {there[0]} # old\n", f"{name}:\n  - '{there[0]}'\n"]
        if there
        else []
    )
    old = chance.choice(styles) if there else chance.choice(["", f"{name}: []\n", f"{name}:\n"])
    return f"---\ntitle: x # ours\n{old}date: 2024-01-02\n---\n"


@pytest.mark.parametrize("generator", ["hugo", "jekyll"])
def test_front_matter(generator: str, tmp_path: Path) -> None:
    """A site of many pages, each with an alias more."""
    hugo = generator == "hugo"
    name, folder = ("aliases", "content/") if hugo else ("redirect_from", "")
    form = RedirectFormat.HUGO if hugo else RedirectFormat.JEKYLL
    chance, files, new = random.Random(f"{SEED} {generator}"), {}, []
    for at in range(COUNT):
        text = front_matter(chance, name, "+-" if hugo else "-") + "text\n"
        files[f"{folder}p{at}.md"] = (text.replace("\n", "\r\n") if chance.random() < 0.2 else text).encode()
        source = random_path(chance, f"s{at}").rstrip("/") + "/"
        new.append(
            Redirect(source, f"/p{at}/" if hugo else f"/p{at}.html", "", chance.choice(["", f"{folder}p{at}.md"]))
        )
    place = RedirectPlace(form, "", "a test", folder=folder.rstrip("/"))
    edits = add_redirects(place, new, files_of(files))
    again = add_redirects(place, new, files_of({**files, **edits.files}))
    assert (again.files, len(again.present)) == ({}, len(edits.added))
    for path, content in {**files, **edits.files}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    out = tmp_path / "out"
    run(generator, tmp_path, out)
    assert len(edits.added) > COUNT * 0.7
    wrong = [f"{one}: {found}" for one in edits.added if (found := refreshes(out, one.source)) != one.target]
    assert wrong == []


def run(generator: str, folder: Path, out: Path) -> None:
    if shutil.which(generator) is None:
        pytest.skip(f"{generator} is not installed (Debian: {generator}, ruby-jekyll-redirect-from)")
    if generator == "hugo":
        (folder / "hugo.toml").write_text(
            'baseURL = "http://x/"\ndisableKinds = ["taxonomy", "term", "RSS", "home", "sitemap"]\n'
        )
        (folder / "layouts/_default").mkdir(parents=True)
        (folder / "layouts/_default/single.html").write_text("{{ .Title }}")
        (folder / "layouts/_default/list.html").write_text("{{ .Title }}")
        command = ["hugo", "--quiet", "--destination", str(out)]
    else:
        (folder / "_config.yml").write_text("url: http://x\nplugins: [jekyll-redirect-from]\n")
        command = ["jekyll", "build", "--quiet", "--disable-disk-cache", "--destination", str(out)]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    built = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr


# --- Docusaurus and Astro ---

SHOW = "process.stdout.write(JSON.stringify(await Promise.all(JSON.parse(await new Response(process.stdin).text()).map(async (text) => (await import(`data:text/javascript,${encodeURIComponent(text)}`)).default))))"


def docusaurus(chance: random.Random, rules: Rules) -> str:
    mark = chance.choice("\"'")
    sources = [chance.choice([f"{mark}{source}{mark}", f"[{mark}{source}{mark}]"]) for source, _ in rules]
    rows = [f"{{ from: {source}, to: {mark}{rule[1]}{mark} }}" for source, rule in zip(sources, rules, strict=True)]
    if chance.random() < 0.4:
        listed = f"[{', '.join(rows)}]"
    else:
        comma = chance.choice([",", ""])
        lines = ",\n".join(f"        {row}" for row in rows) + (comma if rows else "")
        listed = f"[\n        // ours\n{lines} // last\n      ]"
    return (
        "const url = 'https://x/'; // a / b\nexport default {\n  title: 'it\\'s', url,\n  x: (y) => y / 2 > /[/'\"]/.test(y),\n"
        f"  plugins: [\n    ['@docusaurus/plugin-client-redirects', {{\n      toExtensions: ['html'],\n      redirects: {listed},\n    }}],\n  ],\n}};\n"
    )


def astro(chance: random.Random, rules: Rules) -> str:
    mark = chance.choice("\"'")
    rows = [
        f"{mark}{a}{mark}: {mark}{b}{mark}"
        if chance.random() < 0.6
        else f"{mark}{a}{mark}: {{ status: 302, destination: {mark}{b}{mark} }}"
        for a, b in rules
    ]
    body = ",\n".join(f"    {row}" for row in rows) + chance.choice([",", "", " /* last */"]) if rows else ""
    inline = ", ".join(rows)
    maps = [f"  redirects: {{\n{body}\n  }},\n", f"  redirects: {{ {inline} }},\n", f"  redirects: {{{inline}}},\n"]
    shown = chance.choice(maps if rows else [*maps, ""])
    head = "const defineConfig = (one) => one;\nexport default defineConfig({\n  site: 'https://x',\n"
    return f"{head}{shown}  vite: {{ y: 4 / 2 }},\n}});\n"


def test_scripts() -> None:
    """The JavaScript engine reads each config; what it has beside its redirects is what it had."""
    for form, write in ((RedirectFormat.DOCUSAURUS, docusaurus), (RedirectFormat.ASTRO, astro)):
        found = []
        for number in range(DRAWN):
            table = random_script(str(form), number, write)
            found.append(add_to(RedirectPlace(form, "config.mjs", "a test"), table))
        texts = [text for one in found for text in (one.table.before, one.text)]
        shown = subprocess.run(
            ["node", "--input-type=module", "-e", SHOW],
            input=json.dumps(texts),
            capture_output=True,
            text=True,
            check=False,
        )
        assert shown.returncode == 0, shown.stderr
        values = json.loads(shown.stdout)
        for at, one in enumerate(found):
            before, after = values[2 * at], values[2 * at + 1]
            old, new = redirects_of(before), redirects_of(after)
            short = {row.source: target for row, target in one.edits.compacted}
            added = {source_of(form, row.source): row.target for row in one.edits.added}
            assert new == {key: short.get(key, target) for key, target in old.items()} | added, one
            assert before == after, one
        assert sum(len(one.edits.added) for one in found) > DRAWN
        assert sum(len(one.edits.compacted) for one in found) > DRAWN // 20


def source_of(form: RedirectFormat, path: str) -> str:
    name = unquote(path)
    return name.rstrip("/") if form is RedirectFormat.ASTRO else name


def random_script(form: str, number: int, write: Callable[[random.Random, Rules], str]) -> RandomTable:
    chance = random.Random(f"{SEED} {form} {number}")
    new = [Redirect(random_path(chance, f"s{at}"), location(f"/t{at}/x")) for at in range(chance.randrange(1, 6))]
    plain = [one.source for one in new if re.fullmatch(r"[\w/]+", one.source)]
    rules = [
        (f"/q{at}", chance.choice(plain) if plain and chance.random() < 0.4 else f"/r{at}")
        for at in range(chance.randrange(0, 4))
    ]
    text = write(chance, rules)
    return RandomTable(text.replace("\n", "\r\n") if chance.random() < 0.2 else text, tuple(rules), tuple(new))


def redirects_of(config: dict[str, Any]) -> dict[str, str]:
    """Taken out of the config."""
    if "plugins" not in config:
        found = config.pop("redirects", None) or {}
        return {key: value if isinstance(value, str) else value["destination"] for key, value in found.items()}
    rows = config["plugins"][0][1].pop("redirects")
    return {
        source: one["to"]
        for one in rows
        for source in (one["from"] if isinstance(one["from"], list) else [one["from"]])
    }
