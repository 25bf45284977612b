"""Random builds, edits and configs: a second run with a state reports, byte for byte, what one with a new one does."""

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sitemap_action.__main__ import run
from sitemap_action.inventory import stored_files

HOME = "https://www.example.com/"
FILES = ("index.html", "404.html", "de/404.html", *(f"{name}.html" for name in "abdef"), "a/index.html", "b/index.html")
MORE = ("deep/er/index.html", "deep/x.html", "file.pdf", "deep/file.htm", "ü b.html", "404/index.html")
LINKS = (*(f"/{name}" for name in "abcdef"), *(f"/{name}.html" for name in "abc"), "/a/", "/b/index.html", "/", "deep/")
LINKS = (*LINKS, "/gone", "/gone?x=1", "/a?q=1", "x.html#y", "//other.example/", "/%C3%BC%20b.html", "/file.pdf", "404")
CONTROLS = {
    "_redirects": ("/a /b 301\n", "/c.html /d.html 302!\n", "/gone /a 301\n/e/* /f 200\n", "http://x /y\n"),
    "_headers": (
        "/*\n  X-Robots-Tag: noindex\n",
        "/a\n  Link: </b>; rel=canonical\n",
        "/deep/*\n  X-Robots-Tag: none\n",
    ),
    "robots.txt": ("User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /static/\n", "Sitemap: /s.xml\n"),
}
FLAGS: tuple[tuple[str, ...], ...] = (
    (),
    (),
    ("--host", "netlify"),
    ("--host", "cloudflare-pages"),
    ("--host", "nginx-clean"),
    ("--site-url", f"{HOME}docs/"),
    ("--config", "random.yml"),
    ("--config", "random.yml", "--host", "netlify"),
)
CONFIG = {  # what decides over the same files in another way, or needs other facts of them
    "select": (
        *("{trailing-slash: add, exclude: [/b/**]}", "{html-extension: drop}", "{trailing-slash: keep}"),
        *("{orphans: drop}", "{noindex: ignore, agents: [Bingbot]}", "{types: [html, pdf]}", "{include: [/a*, /]}"),
    ),
    "output": ("{priority: {/**: depth}}", "{lastmod: page}", "{extensions: [hreflang]}", "{urls-per-file: 2}"),
    "render": ("{when: never}", "{detect: {words: 2}}", "{detect: {content-length: 20}}"),
    "crawl": ("{robots: ignore}", "{allow-undetermined: 0}"),
    "policy": ("{fail-on: [errors]}", "{required: [/a]}", "{grace: {HTML-73: 3}}"),
    "checks": ("{strict: true}", "{HTML-73: off}"),
}


def document(chance: random.Random) -> str:
    head = [
        f"<title>{chance.choice(['Page', 'Not found', 'x'])} {chance.randrange(3)}</title>",
        *_sometimes(chance, f'<link rel=canonical href="{chance.choice(LINKS)}">', 0.3),
        *_sometimes(chance, f'<link rel=alternate hreflang=de href="{chance.choice(LINKS)}">', 0.3),
        *_sometimes(chance, "<meta name=robots content=noindex>", 0.1),
        *_sometimes(chance, f'<meta http-equiv=refresh content="0; url={chance.choice(LINKS)}">', 0.1),
        *_sometimes(chance, "<script src=/static/x.js></script>", 0.2),
        *_sometimes(chance, "<base href=/deep/>", 0.1),
    ]
    rel = chance.choice(["", "", " rel=nofollow"])
    links = "".join(f'<a href="{link}"{rel}>x</a>' for link in chance.sample(LINKS, chance.randrange(6)))
    return f"<!doctype html>{''.join(head)}<main>{'some words ' * chance.choice([1, 9, 40])}{links}</main>"


def _sometimes(chance: random.Random, text: str, often: float) -> list[str]:
    return [text] if chance.random() < often else []


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def change(root: Path, chance: random.Random) -> None:
    write(root, chance.choice([*FILES, *MORE]), document(chance))


def remove(root: Path, chance: random.Random) -> None:
    (root / chance.choice(FILES[1:])).unlink(missing_ok=True)


def rename(root: Path, chance: random.Random) -> None:
    if files := sorted(path for path in root.rglob("*.html") if path.is_file() and path.name != "index.html"):
        (root / "moved").mkdir(exist_ok=True)
        chance.choice(files).rename(root / chance.choice(["moved/here.html", *FILES[3:7]]))


def exchange(root: Path, chance: random.Random) -> None:
    """`a.html` and `a/index.html` have one address on many hosts."""
    file, folder = root / "a.html", root / "a/index.html"
    if file.exists() and folder.exists() and chance.random() < 0.5:
        file.unlink()
    else:
        write(root, "a.html", document(chance))
        write(root, "a/index.html", document(chance))


def control(root: Path, chance: random.Random) -> None:
    name = chance.choice(sorted(CONTROLS))
    if (root / name).exists() and chance.random() < 0.4:
        (root / name).unlink()
    else:
        write(root, name, chance.choice(CONTROLS[name]))


def another_kind(root: Path, chance: random.Random) -> None:
    """A folder whose name is that of a file, and the reverse."""
    path = root / "c.html"
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
        write(root, "c.html/x.html", document(chance))


EDITS: tuple[Callable[[Path, random.Random], None], ...] = (
    change,
    change,
    remove,
    rename,
    exchange,
    control,
    another_kind,
)


def another_config(chance: random.Random) -> str:
    """Half of the keys at random, on one file."""
    keys = [key for key in CONFIG if chance.random() < 0.5]
    return "".join(["sitemap: s.xml\n", *(f"{key}: {chance.choice(CONFIG[key])}\n" for key in keys)])


def counted(state: str) -> list[tuple[str, int]]:
    """Links to each page, which few reports show."""
    with closing(sqlite3.connect(state)) as database:
        numbers = "SELECT url, inlinks + redirect_inlinks FROM url JOIN page ON page.url_id = url.id ORDER BY url"
        return database.execute(numbers).fetchall()


def report(state: str, flags: tuple[str, ...]) -> str:
    run(
        [
            *("check", "--path", "site", "--quiet", "--offline", "--report", "json=report.json", "--state", state),
            *(flags if "--site-url" in flags else ("--site-url", HOME, *flags)),
        ]
    )
    return Path("report.json").read_text()


@pytest.mark.parametrize("seed", range(12))
def test_a_second_run_reports_what_a_first_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stored_files, "_KNOWN", 3 if seed % 2 else 100_000)
    chance, root = random.Random(seed), tmp_path / "site"
    for name in (*FILES[:1], *chance.sample([*FILES, *MORE], 9)):
        write(root, name, document(chance))
    write(tmp_path, "random.yml", another_config(chance))
    locs = "".join(f"<url><loc>{HOME}{link.strip('/')}</loc></url>" for link in chance.sample(LINKS[:14], 5))
    write(tmp_path, "s.xml", f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>')
    flags = chance.choice(FLAGS)
    report("state", flags)
    for step in range(5):
        for _ in range(chance.randrange(3)):
            chance.choice(EDITS)(root, chance)
        flags = chance.choice(FLAGS) if chance.random() < 0.3 else flags
        if chance.random() < 0.6:
            write(tmp_path, "random.yml", another_config(chance))
        assert report("state", flags) == report(f"fresh-{step}", flags), f"step {step} with {flags}"
        assert counted("state") == counted(f"fresh-{step}"), f"step {step} with {flags}"
