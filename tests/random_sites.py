"""Random sites as tables: pages, redirects, errors, twins, robots groups, and two sitemaps; as a folder and as routes."""

import random
from dataclasses import dataclass, field
from pathlib import Path

from servers import Reply, Route, redirect, reset

SITE = "https://www.example.com"
AGENTS = ("*", "Googlebot", "Bingbot", "sitemap-action")
PREFIXES = ("/p0", "/p1", "/d0/", "/r", "/t", "/e")
WORDS = "every page of this site has words enough to be taken for one that people read " * 4


@dataclass(frozen=True)
class Node:
    """What one path answers."""

    status: int = 200  # 0: the connection is reset
    to: str = ""  # target of a redirect: a path, or a URL of another site
    media: str = "text/html"
    name: str = ""  # of the document: nodes of one name have the same bytes
    links: tuple[str, ...] = ()
    canonical: str = ""  # a path, "" for none
    noindex: str = ""  # name of the meta element, or "header"
    refresh: tuple[int, str] | None = None  # seconds, path


@dataclass(frozen=True)
class RandomSite:
    nodes: dict[str, Node]
    robots: dict[str, tuple[str, ...]]  # user agent → prefixes of paths that it may not fetch
    baseline: frozenset[str]
    committed: frozenset[str]
    static: bool = field(default=False)  # can be a folder: documents only


def random_site(seed: int, *, static: bool) -> RandomSite:
    """The same for the same seed."""
    chance = random.Random(seed)
    pages = [f"/p{number}.html" for number in range(chance.randrange(1, 7))]
    pages += [f"/d{number}/" for number in range(chance.randrange(3))]
    twins = ["/t0", "/t0.html"] if not static and chance.random() < 0.4 else []
    odd = [] if static else [f"/{kind}{number}" for kind in "re" for number in range(chance.randrange(5))]
    spellings = [f"{path[:-1]}" for path in pages if path.endswith("/")]
    spellings += [f"{path}index.html" for path in pages if path.endswith("/")]
    paths = ["/", *pages, *twins, *odd, "/missing.html"]
    anywhere = [*paths, *spellings]
    nodes = {path: _document(chance, path, anywhere) for path in ["/", *pages]}
    nodes["/"] = Node(name="/", links=nodes["/"].links)
    if twins:
        twin = Node(name="/t0", links=_some(chance, anywhere), canonical=chance.choice(["", "", *twins]))
        nodes |= dict.fromkeys(twins, twin)
    nodes |= {path: _redirect(chance, paths) if path[1] == "r" else _error(chance, path, paths) for path in odd}
    baseline = frozenset(path for path in anywhere if chance.random() < 0.5) | {"/"}
    committed = baseline
    if chance.random() < 0.4:  # a hand edit
        committed = frozenset(path for path in anywhere if (path in baseline) is (chance.random() < 0.8)) | {"/"}
    return RandomSite(nodes, _robots(chance), baseline, committed, static)


def _document(chance: random.Random, path: str, anywhere: list[str]) -> Node:
    named = chance.random()
    canonical = "" if named < 0.5 else path if named < 0.7 else chance.choice(anywhere)
    return Node(
        name=path,
        links=_some(chance, anywhere),
        canonical=canonical,
        noindex=chance.choices(["", "robots", "googlebot", "otherbot"], [8, 1, 1, 1])[0],
        refresh=(chance.choice([0, 5]), chance.choice(anywhere)) if chance.random() < 0.1 else None,
    )


def _redirect(chance: random.Random, paths: list[str]) -> Node:
    to = chance.choice([*paths, "/", "https://elsewhere.example/"])
    return Node(chance.choice([301, 308, 302, 307]), to)


def _error(chance: random.Random, path: str, paths: list[str]) -> Node:
    """Errors, with bodies whose links count for nothing; another media type; a noindex header."""
    kind = chance.randrange(5)
    if kind == 0:
        return Node(media="application/octet-stream", name=path)
    if kind == 1:
        return Node(name=path, links=_some(chance, paths), noindex="header")
    return Node(chance.choice([404, 410, 401, 500, 503, 0]), name="error", links=_some(chance, paths))


def _some(chance: random.Random, paths: list[str]) -> tuple[str, ...]:
    return tuple(chance.sample(paths, min(len(paths), chance.randrange(5))))


def _robots(chance: random.Random) -> dict[str, tuple[str, ...]]:
    if chance.random() < 0.5:
        return {}
    agents = chance.sample(AGENTS, chance.randrange(1, 4))
    return {agent: tuple(chance.sample(PREFIXES, chance.randrange(3))) for agent in agents}


def sitemap(paths: frozenset[str]) -> str:
    locs = "".join(f"<url><loc>{SITE}{path}</loc></url>" for path in sorted(paths))
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'


def robots_txt(site: RandomSite) -> str:
    groups = (f"User-agent: {agent}\n{_rules(paths)}" for agent, paths in sorted(site.robots.items()))
    return "\n".join(groups)


def _rules(paths: tuple[str, ...]) -> str:
    return "".join(f"Disallow: {path}\n" for path in paths) or "Disallow:\n"


def html(node: Node) -> str:
    head = f'<link rel="canonical" href="{SITE}{node.canonical}">' if node.canonical else ""
    if node.noindex not in ("", "header"):
        head += f'<meta name="{node.noindex}" content="noindex">'
    if node.refresh:
        head += f'<meta http-equiv="refresh" content="{node.refresh[0]}; url={node.refresh[1]}">'
    links = "".join(f'<a href="{link}">to</a> ' for link in node.links)
    title = f"Page {node.name}"
    return f"<!doctype html><title>{title}</title>{head}<main><h1>{title}</h1><p>{WORDS} {node.name}</p>{links}</main>"


def folder(site: RandomSite, root: Path) -> None:
    for path, node in site.nodes.items():
        file = root / (path[1:] + "index.html" if path.endswith("/") else path[1:])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(html(node))
    if site.robots:
        (root / "robots.txt").write_text(robots_txt(site))


def routes(site: RandomSite) -> dict[str, Route]:
    """As a plain web server has them: a directory without its slash redirects, its index file has the same bytes."""
    found: dict[str, Route] = {"/robots.txt": Reply(robots_txt(site), type="text/plain")} if site.robots else {}
    for path, node in site.nodes.items():
        found[path] = _route(node)
        if path.endswith("/") and path != "/":
            found |= {path[:-1]: redirect(path), f"{path}index.html": _route(node)}
    return found


def _route(node: Node) -> Route:
    if node.to:
        return redirect(node.to, node.status)
    if node.status == 0:
        return reset()
    headers = {"X-Robots-Tag": "noindex"} if node.noindex == "header" else {}
    return Reply(html(node), node.status, headers, node.media)
