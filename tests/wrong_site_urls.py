"""Random small sites that state their base, and wrong values of site-url of ten kinds, all from a seed."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from test_stated_base import TEXT, urlset

STATEMENTS = ("canonical", "og:url", "hreflang", "links", "built", "committed", "robots")
ALONE = ("canonical", "built", "committed")  # of which each site has one at least: few others are on every page
WORDS = (
    "about",
    "team",
    "docs",
    "blog",
    "news",
    "2024",
    "faq",
    "api",
    "tags",
    "c",
    "start",
    "en",
    "Über",
    "a b",
)


@dataclass(frozen=True)
class StatedSite:
    base: str
    names: tuple[str, ...]  # paths of pages as the site spells them
    kinds: frozenset[str]
    dead: tuple[str, ...]  # paths that its sitemaps list, and that have no page
    noise: int  # of the pages that this number divides, each has a link elsewhere


def _path(url: str) -> str:
    return url.split("/", 3)[3]


def _host(base: str, change: Callable[[str], str]) -> str:
    scheme, _, rest = base.partition("://")
    host, _, path = rest.partition("/")
    return f"{scheme}://{change(host)}/{path}"


def _without_www(host: str) -> str:
    return host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"


WRONG: dict[str, Callable[[str, Sequence[str]], str]] = {
    "scheme": lambda base, _: (
        base.replace("https:", "http:") if base.startswith("https:") else base.replace("http:", "https:")
    ),
    "www": lambda base, _: _host(base, _without_www),
    "other domain": lambda base, _: _host(base, lambda _host: "something-else.com"),
    "sub-path more": lambda base, _: f"{base}handbook/",
    "sub-path less": lambda base, _: base.rstrip("/").rpartition("/")[0] + "/",
    "port": lambda base, _: _host(base, lambda host: f"{host}:8443"),
    "case": lambda base, _: base[: len(base) - len(_path(base))] + _path(base).swapcase(),
    "trailing path": lambda base, names: base + max(names, key=len).rstrip("/") + "/",
    "idn": lambda base, _: _host(base, lambda host: host.replace("ü", "ue")),
    "staging": lambda base, _: _host(base, lambda host: f"staging.{host.removeprefix('www.')}"),
    "github.io root": lambda base, _: base[: len(base) - len(_path(base))],
}
"""The two of a sub-path are one kind of the ten."""


def random_stated_site(seed: int, kind: str) -> StatedSite:
    """The same for the same seed; `kind`: of a wrong site-url, whose right one has a path, or a letter beyond ASCII."""
    chance = random.Random(f"{seed} {kind}")
    host = chance.choice(["acme.io", "www.acme.io", "docs.acme-labs.co.uk", "jane.github.io", "acme.io:8080"])
    host = {"idn": f"{chance.choice(['', 'www.'])}bücher-{seed}.de", "github.io root": "jane.github.io"}.get(kind, host)
    host = host.partition(":")[0] if kind == "port" else host
    path = chance.choice(["", "", "docs/", "en/", "mydocs/v2/", "Shop/"])
    if kind in {"sub-path less", "case", "github.io root"}:
        path = path or chance.choice(["docs/", "mydocs/", "a/b/"])
    spell = chance.choice([lambda name: f"{name}/", lambda name: f"{name}.html"])
    names = {""}
    while len(names) < chance.randrange(5, 14):
        names.add(spell("/".join(chance.sample(WORDS, chance.choice([1, 1, 1, 2, 3])))))
    kinds = {one for one in STATEMENTS if chance.random() < 0.3} | {chance.choice(ALONE)}
    dead = tuple(f"old-{number}/" for number in range(chance.choice([0, 0, 1, 3])))
    return StatedSite(
        f"{chance.choice(['https', 'https', 'http'])}://{host}/{path}",
        tuple(sorted(names)),
        frozenset(kinds),
        dead,
        chance.choice([2, 5, 99]),
    )


def lay_out(site: StatedSite, root: Path) -> None:
    for number, name in enumerate(site.names):
        path = root / "dist" / (f"{name}index.html" if name.endswith("/") or not name else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_page(site, number, name), encoding="utf-8")
    listed = [*site.names, *site.dead]
    if "built" in site.kinds and "committed" not in site.kinds:
        urlset(root / "dist/sitemap.xml", site.base, listed)
    if "committed" in site.kinds:
        urlset(root / "sitemap.xml", site.base, listed)
    if "robots" in site.kinds:
        (root / "dist/robots.txt").write_text(f"Sitemap: {site.base}sitemap.xml\n", encoding="utf-8")


def _page(site: StatedSite, number: int, name: str) -> str:
    own, head, base = f"{site.base}{name}", "", site.base if "links" in site.kinds else "../" * name.count("/")
    if "canonical" in site.kinds:
        head += f'<link rel="canonical" href="{own}">'
    if "og:url" in site.kinds:
        head += f'<meta property="og:url" content="{own}">'
    if "hreflang" in site.kinds:
        head += f'<link rel="alternate" hreflang="en" href="{own}"><link rel="alternate" hreflang="de" href="{site.base}de/{name}">'
    links = "".join(f'<a href="{base or "./"}{other}">to</a>' for other in site.names)
    if number % site.noise == 0:
        links += (
            f'<a href="https://mirror.example.org/{name}">mirror</a><a href="https://github.com/acme/{number}">code</a>'
        )
    title = f"Page {name}"
    return f"<!doctype html><title>{title}</title>{head}<main><p>{TEXT} {name}</p>{links}</main>"
