"""Hostile inputs of any size, and what reads them: for the test of growth and for its benchmark."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import chain

from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.cli.options import KNOWN
from sitemap_action.config.layers import File
from sitemap_action.config.layers import parse as parse_config
from sitemap_action.decide.entries import ValidExtensions
from sitemap_action.errors import BaselineError, ConfigError
from sitemap_action.hosts.all import choose_host
from sitemap_action.hosts.base import BuildFiles, ControlFile
from sitemap_action.look.documents import find_documents
from sitemap_action.model.page import Page
from sitemap_action.model.site import Role
from sitemap_action.model.sitemap import Entry, SitemapDocument
from sitemap_action.robots.groups import Profile
from sitemap_action.robots.groups import parse as parse_robots
from sitemap_action.sitemap.read import read

MEMORY = 2**30
"""Bytes of address space of a process that reads a hostile input: libraries, the input, and what is made of it."""

LOC = "https://www.example.com/"
_NAMESPACES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"'  # fmt: skip
_BAD = "<url><loc>https://www.example.com/</loc><priority>2</priority></url>"  # so that the gate reads line by line

Work = Callable[[str], object]


def urlset(inner: str) -> str:
    return f"<urlset {_NAMESPACES}>{inner}</urlset>"


def loc(inner: str) -> str:
    return urlset(f"<url><loc>{LOC}{inner}</loc></url>")


def index(*children: str) -> str:
    rows = "".join(f"<sitemap><loc>{LOC}{child}</loc></sitemap>\n" for child in children)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</sitemapindex>'


DOCUMENTS: dict[str, tuple[int, Callable[[int], str]]] = {
    # name: number of parts at 1x, and the document with so many
    "references in a loc": (70_000, lambda n: loc("&amp;" * n)),
    "character references in a loc": (70_000, lambda n: loc("&#97;" * n)),
    "spaces as references in a loc": (70_000, lambda n: loc("&#32;" * n)),
    "a long CDATA section": (400_000, lambda n: loc(f"<![CDATA[{'x' * n}]]>")),
    "end tags in a CDATA section": (100_000, lambda n: loc(f"<![CDATA[{'</' * n}]]>")),
    "many CDATA sections": (20_000, lambda n: loc("<![CDATA[</]]>" * n)),
    "CDATA of lines": (30_000, lambda n: loc(f"<![CDATA[{'x' + chr(10)}{('x' + chr(10)) * n}]]>")),
    "comments in a loc": (20_000, lambda n: loc("<!--</-->x" * n)),
    "lines in a loc": (100_000, lambda n: loc("x\n" * n)),
    "instructions in a loc": (20_000, lambda n: loc("<?x </?>x" * n)),
    "references in an image": (70_000, lambda n: urlset(f"<url><loc>{LOC}</loc><i:image><i:loc>{'&amp;' * n}</i:loc></i:image></url>")),
    "references in an unknown element": (140_000, lambda n: urlset(f"<url><loc>{LOC}</loc><a>{'&amp;' * n}</a></url>")),
    "references in an attribute": (40_000, lambda n: urlset(f'<url a="{"&amp;" * n}"><loc>{LOC}</loc></url>')),
    "stray references": (20_000, lambda n: urlset("x&amp;" * n)),
    "spaces": (1_000_000, lambda n: urlset(" " * n + _BAD)),
    "blank lines": (340_000, lambda n: urlset("\n" * n + _BAD)),
    "a comment": (800_000, lambda n: urlset(f"<!--{'x' * n}-->" + _BAD)),
    "comments": (50_000, lambda n: urlset("<!--x-->" * n + _BAD)),
    "entries": (3_000, lambda n: urlset(f"<url><loc>{LOC}</loc></url>\n" * n)),
    "repeated fields": (3_000, lambda n: urlset("<url>" + f"<loc>{LOC}</loc>" * n + "</url>")),
    "tags that never end": (5_000, lambda n: urlset("<url>" * n)),
    "an undeclared prefix": (700, lambda n: urlset(f"<url><loc>{LOC}</loc><u:x>y</u:x></url>\n" * n)),
    "prefixes in a text": (10_000, lambda n: urlset(f"<url><loc>{LOC}</loc><u:x>{' a:b=' * n}</u:x></url>")),
    "namespaces": (500, lambda n: urlset("<url " + " ".join(f'xmlns:a{k}="http://x/{k}"' for k in range(n)) + f"><loc>{LOC}</loc></url>")),
}  # fmt: skip
CONFIGS: dict[str, tuple[int, Callable[[int], str]]] = {
    "unknown keys": (1_000, lambda n: "".join(f"k{k}: 1\n" for k in range(n))),
    "unknown keys like ours": (700, lambda n: "".join(f"sitemap-ur{k}: 1\n" for k in range(n))),
    "unknown rules": (350, lambda n: "checks:\n" + "".join(f"  SM-{k}: off\n" for k in range(n))),
    "unknown types": (1_000, lambda n: f"select: {{skip: [{', '.join(f'x{k}' for k in range(n))}]}}"),
    "repeated keys": (1_000, lambda n: "a: 1\n" * n),
    "patterns": (800, lambda n: f"select: {{exclude: [{', '.join(f'/a{k}/**' for k in range(n))}]}}"),
    "comments": (25_000, lambda n: "#" * n),
    "aliases": (2_000, lambda n: "a: &x 1\nb: [" + "*x, " * n + "]"),
    "sections of a policy": (350, lambda n: "policy: {sections: {" + "".join(f"/a{k}: {{max-removd: 3}}, " for k in range(n)) + "}}"),
}  # fmt: skip
ROBOTS: dict[str, tuple[int, Callable[[int], str]]] = {
    "rules": (2_500, lambda n: "User-agent: *\n" + "".join(f"Disallow: /a{k}*b\n" for k in range(n))),
    "stars": (5_000, lambda n: "User-agent: *\nDisallow: /" + "*a" * n),
    "groups": (2_000, lambda n: "".join(f"User-agent: a{k}\nDisallow: /\n" for k in range(n))),
    "agents": (2_500, lambda n: "User-agent: a\n" * n + "Disallow: /"),
}
INDEXES: dict[str, tuple[int, Callable[[int], str]]] = {
    "an index that lists itself": (2_000, lambda n: index(*["sitemap.xml"] * n)),
    "an index of what is there once": (500, lambda n: index(*(f"{k}.xml" for k in range(n)))),
    "a child listed many times": (2_000, lambda n: index(*["1.xml"] * n)),
}
CONTROLS: dict[str, tuple[int, Callable[[int], str]]] = {
    # name: host and file; `_control` reads them
    "netlify _redirects": (2_000, lambda n: "".join(f"/a{k} /b\n" for k in range(n))),
    "netlify _redirects with splats": (1_000, lambda n: "".join(f"/a{k}/* /b/:splat\n" for k in range(n))),
    "netlify _redirects that lead on": (2_000, lambda n: "".join(f"/a{k} /a{k + 1}\n" for k in range(n))),
    "netlify _redirects of one line": (100_000, lambda n: "/a " + "x=1 " * n),
    "netlify _headers": (1_000, lambda n: "".join(f"/a{k}/*\n  X-Robots-Tag: noindex\n" for k in range(n))),
    "netlify _headers of one path": (2_000, lambda n: "/*\n" + "  X-Robots-Tag: noindex\n" * n),
    "netlify netlify.toml": (500, lambda n: "".join(f'[[redirects]]\nfrom = "/a{k}"\nto = "/b"\n' for k in range(n))),
    "cloudflare-pages _redirects": (1_000, lambda n: "".join(f"/a{k}/:x /b/:x\n" for k in range(n))),
    "cloudflare-workers wrangler.jsonc": (20_000, lambda n: "{" + "/**/" * n + ' "a": [1' + ", 1" * n + ",]}"),
    "cloudflare-workers wrangler.jsonc, open quotes": (20_000, lambda n: '{"a": 1}//' + '\\"' * n),
    "auto wrangler.toml, lines": (20_000, lambda n: "\n" * n + 'x = "assets"'),
    "auto wrangler.jsonc, lines": (20_000, lambda n: "{" + "\n" * n + '"x": "assets"}'),
    "auto wrangler.jsonc, commas": (20_000, lambda n: '{"assets": {}, "x": [1' + "\n" * n + ",]}"),
    "auto render.yaml, lines": (5_000, lambda n: "\n" * n + "services: static"),
    "auto render.yaml, spaces": (5_000, lambda n: "runtime:" + " " * n + "x"),
    "cloudflare-pages _redirects, spaces": (20_000, lambda n: "/a" + " " * n + "/b"),
    "cloudflare-pages _redirects, tabs and comments": (20_000, lambda n: "/a\t" + "\t \t" * n + "#"),
    "netlify _redirects, spaces": (20_000, lambda n: "/a" + " " * n + "/b"),
    "netlify _headers, spaces": (20_000, lambda n: "/a\n" + " " * n + "X-Robots-Tag:" + " " * n + "noindex"),
    "netlify _headers, stars": (900, lambda n: "/" + "*/" * n + "\n X-Robots-Tag: noindex"),
    "vercel vercel.json": (500, lambda n: '{"redirects": [' + ", ".join(f'{{"source": "/a{k}/:x*", "destination": "/b"}}' for k in range(n)) + "]}"),
    "firebase firebase.json": (1_000, lambda n: '{"hosting": {"redirects": [' + ", ".join(f'{{"source": "/a{k}/**", "destination": "/b", "type": 301}}' for k in range(n)) + "]}}"),
    "azure-swa staticwebapp.config.json": (1_000, lambda n: '{"routes": [' + ", ".join(f'{{"route": "/a{k}/*", "redirect": "/b"}}' for k in range(n)) + "]}"),
}  # fmt: skip


REPAIRS: dict[str, tuple[int, Callable[[int], str]]] = {
    "images": (300, lambda n: urlset(f"<url><loc>{LOC}</loc>{'<i:image/>' * n}</url>")),
    "pages with images": (300, lambda n: urlset(f"<url><loc>{LOC}</loc><i:image><i:src/></i:image></url>\n" * n)),
    "a large set of versions": (500, lambda n: urlset(versions(1, n))),
    "pages of one set": (100, lambda n: urlset(versions(n, 4))),
    "elements of a video": (300, lambda n: urlset(f'<url><loc>{LOC}</loc><v:video xmlns:v="http://www.google.com/schemas/sitemap-video/1.1">{"<v:tag>x</v:tag>" * n}</v:video></url>')),
}  # fmt: skip


def versions(pages: int, links: int) -> str:
    """Pages without a link to themselves."""
    found = "".join(
        f'<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="en" href="{LOC}{k}"/>'
        for k in range(links)
    )
    return "".join(f"<url><loc>{LOC}p{k}</loc>{found}</url>\n" for k in range(pages))


def rows() -> Iterator[tuple[str, Work, int, Callable[[int], str]]]:
    """(name, what reads, number of parts at 1x, the input of so many parts).

    A check reads a document and holds it to the schema: no row asks for these alone.
    """
    for name, (parts, make) in DOCUMENTS.items():
        yield f"check: {name}", _check, parts, make
    works = (
        (REPAIRS, "repair", _repair),
        (CONFIGS, "config", read_config),
        (ROBOTS, "robots", _robots),
        (INDEXES, "index", _index),
    )
    yield from chain.from_iterable(
        ((f"{what}: {name}", work, *row) for name, row in table.items()) for table, what, work in works
    )
    for name, row in CONTROLS.items():
        yield f"host: {name}", partial(_control, *name.replace(",", "").split()[:2]), *row


def _control(host: str, name: str, text: str) -> None:
    """Read, and asked for some paths."""
    file = ControlFile(name, text.encode())
    files = {"index.html", name}

    def find(wanted: str) -> ControlFile | None:
        return file if wanted == name else None

    served = choose_host(host)(BuildFiles(files, lambda wanted: file.content if wanted == name else None, find))
    for path in ("/", "/a7", "/a7/x", "/none"):
        served.host.answer(path)


def _check(text: str) -> None:
    check_set(
        [SitemapDocument("sitemap.xml", text.encode(), f"{LOC}sitemap.xml")],
        FileOptions(datetime(2026, 1, 1, tzinfo=UTC)),
    )


class _Committed:
    """A site of which only the committed entries are known."""

    def __init__(self, text: str) -> None:
        self._entries = [event for event in read(text.encode()) if isinstance(event, Entry)]

    def entries(self, _role: Role) -> Iterator[tuple[str, Entry]]:
        return ((entry.loc, entry) for entry in self._entries)

    def page(self, _url: str) -> Page | None:
        return None

    def pages(self) -> Iterator[Page]:
        return iter(())


def _repair(text: str) -> None:
    site = _Committed(text)
    repair = ValidExtensions(site)
    for key, entry in site.entries(Role.COMMITTED):
        repair.extensions(key, entry)


def read_config(text: str) -> None:
    try:
        parse_config([File("c.yml", text.encode())], KNOWN)
    except ConfigError:
        return


def _robots(text: str) -> None:
    parse_robots(text.encode(), Profile.GOOGLE).verdict("Googlebot", LOC + "a" * 200)


def _index(text: str) -> None:
    """Every child that is asked for is there, but the last."""

    def store(path: str) -> bytes | None:
        return text.encode() if path == "sitemap.xml" else None if path == "999999.xml" else urlset("").encode()

    try:
        list(find_documents(store, "sitemap.xml"))
    except BaselineError:
        raise AssertionError from None


def seconds(work: Work, text: str, times: int) -> float:
    """CPU time, the best of several."""
    found = []
    for _ in range(times):
        start = time.process_time()
        work(text)
        found.append(time.process_time() - start)
    return min(found)
