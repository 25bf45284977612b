"""Random builds with a host, its redirects, a config and a sitemap: read as a folder, and served as that host would."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.hosts.all import choose_host
from sitemap_action.hosts.base import BuildFiles, ControlFile, Host
from sitemap_action.walk.build import BuildFetcher

HOME = "https://www.example.com/"
SERVED = "http://127.0.0.1:9/"
# Hosts that serve a page under several spellings: endings of x.html and of x/index.html, one of which a site uses. Where a
# site mixes them, a crawl prefers one for each page, and a build the one that most have (URL-21).
ALIKE = {
    "github-pages": ((".html", ""), ("/",)),
    "render": ((".html", "", "/"), ("/", "")),
    "netlify-plain": ((".html", "", "/"), ("/", "")),
    "nginx-clean": ((".html", ""), ("/", "")),
}
HOSTS = ("generic", "cloudflare-pages", "nginx", "s3-website", *ALIKE)
RULED = ("cloudflare-pages", "netlify-plain")  # that read `_redirects`
STEMS = ("a", "b", "c", "mid/go", "deep/er")
OLD = ("/old", "/old/", "/older", "/loop", "/loop2", "/mid/way", "/gone")
DROPS_QUERIES = (("select.query=drop",), ("select.drop-params=utm_*",))
OPTIONS: tuple[tuple[str, ...], ...] = (
    *[()] * 6,
    ("select.query=drop",),
    ("select.drop-params=utm_*",),
    ("select.exclude=/mid/**",),
    ("select.exclude=/b*",),
    ("select.orphans=drop",),
    ("select.trailing-slash=add",),
    ("select.trailing-slash=remove",),
    ("select.html-extension=drop",),
    ("select.noindex=ignore",),
    ("select.include=/,/a*,/c*",),
    ("crawl.skip=media",),
    ("crawl.skip=documents,media",),
    ("crawl.robots=ignore",),
)


@dataclass(frozen=True)
class RandomBuild:
    """`listed`: paths of the sitemap."""

    files: dict[str, str]
    host: str
    options: tuple[str, ...]
    listed: tuple[str, ...]

    def lay_out(self, root: Path) -> None:
        for name, text in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    @property
    def sitemap(self) -> str:
        locs = "".join(f"<url><loc>{HOME}{path[1:].replace('&', '&amp;')}</loc></url>" for path in self.listed)
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'


def random_build(seed: int) -> RandomBuild:
    """The same for the same seed."""
    chance = random.Random(seed)
    host = chance.choice(HOSTS)
    stems = chance.sample(STEMS, chance.randrange(1, len(STEMS) + 1))
    names = [f"{stem}{chance.choice(['.html', '/index.html'])}" for stem in stems]
    if host in ALIKE:
        endings = [chance.choice(choices) for choices in ALIKE[host]]
        paths = addresses = [_address(name, *endings) for name in names]
    else:
        paths = [f"/{path}" for stem, name in zip(stems, names, strict=True) for path in (name, stem, f"{stem}/")]
        paths.append("/index.html")
    queries = [f"{path}?utm_{chance.choice(['source', 'medium'])}=x" for path in ["/", "/old", *paths]]
    paths = [*paths, "/", "/file.pdf", "/image.png", "/nope.pdf", "/nowhere"]
    if host in RULED:
        paths += OLD
    options = chance.choice(OPTIONS)
    if (
        options in DROPS_QUERIES
    ):  # else a crawl takes a linked URL with a query for a page, and a build does not (URL-23)
        paths += chance.sample(queries, 3)
    files = {"file.pdf": "%PDF", "image.png": "x"} | {name: _document(chance, name, paths) for name in names}
    if host in RULED or chance.random() < 0.3:  # else every path answers with the start page there
        files["404.html"] = _document(chance, "Nothing here", [])
    if chance.random() < 0.3:
        files["robots.txt"] = f"User-agent: *\nDisallow: {chance.choice(['/mid/', '/old', '/b', '/c/'])}\n"
    if host in RULED:
        files["_redirects"] = "".join(_rule(chance, paths) for _ in range(chance.randrange(5)))
    if host not in ALIKE:
        addresses = [_host(files, host).address(name) for name in names]
    files["index.html"] = _document(chance, "home", paths, always=addresses)
    listed = ("/", *sorted({path for path in paths if path != "/" and chance.random() < 0.25}))
    return RandomBuild(files, host, options, listed)


def _address(name: str, file: str, folder: str) -> str:
    """The address of a page, with the endings that the site uses."""
    stem = f"/{name.removesuffix('/index.html')}"
    return f"{stem}{folder}" if name.endswith("/index.html") else f"{stem.removesuffix('.html')}{file}"


def _rule(chance: random.Random, paths: Sequence[str]) -> str:
    source = chance.choice(OLD).partition("?")[0]
    own = HOME + paths[0][1:]
    target = chance.choice([*paths, "https://elsewhere.example/", own, "/old", "/loop", "/loop2"])
    return f"{source} {target} {chance.choice([301, 302, 404])}\n"


def _document(chance: random.Random, name: str, paths: Sequence[str], *, always: Sequence[str] = ()) -> str:
    """`always`: links of the start page, which is a page."""
    links = [*always, *chance.sample(paths, min(len(paths), chance.randrange(6)))]
    anchors = "".join(f'<a href="{path}">x</a> ' for path in links)
    head = f"<title>{name}</title>"
    if not always and paths:
        if chance.random() < 0.3:
            target = chance.choice(paths)
            head += f'<link rel="canonical" href="{chance.choice([HOME + target[1:], target])}">'
        if chance.random() < 0.1:
            head += '<meta name="robots" content="noindex">'
        if chance.random() < 0.15:
            head += f'<link rel="alternate" hreflang="de" href="{HOME}{chance.choice(paths)[1:]}">'
        if chance.random() < 0.2:
            refresh = f'<meta http-equiv="refresh" content="0; url={chance.choice(paths)}">'
            return f"<!doctype html>{head}{refresh}"
    text = f"some words about {name} that make a page of its own " * 12
    return f"<!doctype html>{head}<main><h1>{name}</h1>{anchors}<p>{text}</main>"


def _host(files: Mapping[str, str], name: str) -> Host:
    def read(path: str) -> bytes | None:
        return files[path].encode() if path in files else None

    def find(path: str) -> ControlFile | None:
        return ControlFile(path, files[path].encode()) if path in files else None

    return choose_host(name)(BuildFiles(files, read, find, site_url=HOME)).host


class HostEngine:
    """Answers as the host of a build would, without a socket."""

    def __init__(self, build: RandomBuild, root: Path) -> None:
        self._missing = build.files.get("404.html", "<h1>Not here</h1>").encode()
        self._fetcher = BuildFetcher(str(root), SERVED, _host(build.files, build.host))

    async def fetch(self, request: Request) -> Answer:
        answer = self._fetcher.answer(request)
        if isinstance(answer, Skip) or answer.path or answer.target:
            return answer if isinstance(answer, Skip) else answer._replace(path="", evidence="")
        html = (("content-type", "text/html"),)
        return Response(request.url, answer.status, (*html, *answer.headers), self._missing)

    async def close(self) -> None: ...
