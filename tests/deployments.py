"""A build, servers that have it, and what may become of an answer between a build and its visitors: harm, and what is none.

A change is a function of the path asked for and of the true answer. It stands between a real server and the check, so
each of them is tried on every server.
"""

import gzip
import http.client
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from servers import Answering, Asked, Reply, Site, redirect, serve
from sitemap_action.__main__ import run

PAGES = ("", "guide/", "guide/start/", "guide/next/", "blog/", "blog/one/", "blog/two/", "about/")
MISSING = "<!doctype html><title>Nothing here</title><h1>Nothing here</h1>"


TEXT = "that the build has"


def robots(site: str) -> str:
    return f"User-agent: *\nDisallow: /private/\nSitemap: {site}sitemap.xml\n"


def page(site: str, path: str, text: str = TEXT) -> str:
    """A page with what is compared: canonical, language versions, links, an e-mail address, a script."""
    links = "".join(f'<a href="/{other}">{other or "home"}</a> ' for other in PAGES)
    words = f"The page {path or 'home'} has words of its own {text}, and enough of them to be one. " * 8
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Page {path or 'home'}</title>\n"
        f'<link rel="canonical" href="{site}{path}">\n<link rel="alternate" hreflang="en" href="{site}{path}">\n'
        f'<script src="/assets/app.3f2a9c1b.js"></script></head>\n<body><main><h1>{path or "Home"}</h1>\n'
        f'<p>{words}</p>\n<p><a href="mailto:team@example.com">team@example.com</a></p>\n{links}</main></body></html>\n'
    )


def urlset(site: str, pages: Iterable[str] = PAGES) -> str:
    locs = "".join(f"<url><loc>{site}{path}</loc></url>" for path in sorted(pages))
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'


def write_build(folder: Path, site: str, text: str = TEXT) -> Path:
    for path in PAGES:
        (folder / path).mkdir(parents=True, exist_ok=True)
        (folder / path / "index.html").write_text(page(site, path, text))
    (folder / "old").mkdir()
    (folder / "old/index.html").write_text(
        f'<!doctype html><meta http-equiv=refresh content="0; url={site}about/"><link rel=canonical href={site}about/>'
    )
    (folder / "404.html").write_text(MISSING)
    (folder / "robots.txt").write_text(robots(site))
    (folder / "sitemap.xml").write_text(urlset(site))
    return folder


Change: TypeAlias = Callable[[str, str, Reply], Reply]  # of the site's address, the path, and the true answer


def asked_of(url: str, asked: Asked) -> Reply:
    """What the server behind answers."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    connection.putrequest(asked.method, asked.path, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", urlsplit(url).netloc)
    for name, value in asked.headers:
        if name not in {"host", "accept-encoding", "connection"}:
            connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    hidden = {"content-length", "content-type", "connection", "transfer-encoding", "content-encoding", "keep-alive"}
    own = f"http://{asked.header('host')}/"  # some servers name themselves in a Location
    pairs = ((name, value.replace(url, own)) for name, value in answer.getheaders())
    headers = tuple((name, value) for name, value in pairs if name.lower() not in hidden)
    return Reply(body, answer.status, headers, answer.headers.get("Content-Type", ""))


@contextmanager
def edge() -> Iterator[Site]:
    """What visitors ask: once `stand_before` a server, its answers as a change makes them."""
    with serve({}) as site:
        yield site


def stand_before(site: Site, behind: str, change: Change) -> None:
    def answer(asked: Asked) -> Any:
        return change(site.url, asked.path.partition("?")[0], asked_of(behind, asked))

    site.routes["*"] = Answering(answer)
    site.asked.clear()


def witness(build: Path, address: str, *more: str) -> tuple[int, dict[str, Any]]:
    """Exit code and report of the check of a build and the address where it is served."""
    report = build.parent / f"report-{secrets.token_hex(4)}.json"
    where = ["check", str(build), "--url", address, "--site-url", address, "--wait-timeout", "0"]
    quick = ["--set", "http.backoff=0.01", "--quiet"]
    code = run([*where, *quick, *more, "--report", f"json={report}"])
    return code, json.loads(report.read_text())


def rules(report: Mapping[str, Any]) -> dict[str, str]:
    """Message of each finding of the witness, by rule; of several, in one text."""
    found: dict[str, str] = {}
    for row in report["findings"]:
        if row["rule"].startswith("WIT-"):
            text = " ".join([row["message"], *(f"{cause} ({count})" for cause, count in _causes(row))])
            found[row["rule"]] = f"{found.get(row['rule'], '')} {text}".strip()
    return found


def _causes(row: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for one in row.get("causes", ()):
        yield one["cause"], one["count"]


# --- what a change does ---


def is_page(reply: Reply) -> bool:
    return reply.status == 200 and reply.type.startswith("text/html")


def text_of(reply: Reply) -> str:
    return reply.body if isinstance(reply.body, str) else reply.body.decode()


def with_text(edit: Callable[[str, str, str], str]) -> Change:
    """`edit`: of the site's address, the path and the text of a page."""

    def change(site: str, path: str, reply: Reply) -> Reply:
        return replace(reply, body=edit(site, path, text_of(reply))) if is_page(reply) else reply

    return change


def with_header(name: str, value: str, folder: str = "/") -> Change:
    def change(_site: str, path: str, reply: Reply) -> Reply:
        return _add_header(reply, name, value) if path.startswith(folder) else reply

    return change


def _add_header(reply: Reply, name: str, value: str) -> Reply:
    kept = reply.headers.items() if isinstance(reply.headers, Mapping) else reply.headers
    return replace(reply, headers=(*kept, (name, value)))


def in_place_of(place: str, answer: Callable[[str, Reply], Reply]) -> Change:
    """Another answer at one path, of the site's address and the true answer; "" for each page."""

    def change(site: str, path: str, reply: Reply) -> Reply:
        return answer(site, reply) if path == place or (not place and is_page(reply)) else reply

    return change


def one_after_another(*changes: Change) -> Change:
    def change(site: str, path: str, reply: Reply) -> Reply:
        for one in changes:
            reply = one(site, path, reply)
        return reply

    return change


def without(*paths: str, pages: bool = True) -> Change:
    """A deployment that has neither some entries nor their pages."""

    def change(site: str, path: str, reply: Reply) -> Reply:
        if pages and path.lstrip("/") in paths:
            return Reply(MISSING, 404)
        if path != "/sitemap.xml":
            return reply
        text = text_of(reply)
        for one in paths:
            text = text.replace(f"<url><loc>{site}{one}</loc></url>", "")
        return Reply(text, type="application/xml")

    return change


def _older(site: str, path: str, text: str) -> str:
    return page(site, path.lstrip("/"), "of the last deployment") if path.lstrip("/") in PAGES else text


def _robots(edit: Callable[[str], str]) -> Change:
    return in_place_of("/robots.txt", lambda _, reply: replace(reply, body=edit(text_of(reply))))


def _missing(_site: str, _reply: Reply) -> Reply:
    return Reply(MISSING, 404)


def _swallow(site: str, path: str, reply: Reply) -> Reply:
    """A fallback for whatever is missing."""
    return Reply(page(site, "")) if reply.status == 404 and not path.endswith((".txt", ".xml", ".gz")) else reply


def _wall(_site: str, path: str, reply: Reply) -> Reply:
    return redirect(f"https://login.example.net/start?to={path}", 302) if is_page(reply) and path != "/" else reply


def _no_case(site: str, path: str, reply: Reply) -> Reply:
    found = path.lower().lstrip("/")
    return Reply(page(site, found)) if reply.status == 404 and found in PAGES else reply


def _lead_home(site: str, path: str, reply: Reply) -> Reply:
    return redirect(site, 302) if reply.status == 404 and not path.endswith((".txt", ".xml", ".gz")) else reply


def _without_slash(site: str, path: str, reply: Reply) -> Reply:
    return redirect(f"{site}{path.strip('/')}") if is_page(reply) and path != "/" else reply


def _canonical_header(site: str, path: str, reply: Reply) -> Reply:
    value = f'<https://cdn.example.net{path}>; rel="canonical"'
    return with_header("Link", value)(site, path, reply) if is_page(reply) else reply


class Harm(NamedTuple):
    change: Change
    rule: str
    says: str  # part of its message, or of a cause
    code: int = 1


HARMS = {
    "stale": Harm(one_after_another(without("blog/two/"), with_text(_older)), "WIT-01", "it lacks 1 URL"),
    "half deployed": Harm(without("guide/next/", "blog/two/"), "WIT-02", "answers 404"),
    "a header on all pages": Harm(with_header("X-Robots-Tag", "noindex"), "WIT-02", "X-Robots-Tag: noindex is added"),
    "a header on one folder": Harm(with_header("X-Robots-Tag", "noindex", "/blog/"), "WIT-02", "noindex is added"),
    "robots.txt replaced": Harm(
        _robots(lambda _: "User-agent: *\nDisallow: /\n"), "WIT-01", "Disallow: /, line 2 as served"
    ),
    "robots.txt prefixed": Harm(
        _robots(lambda text: f"User-agent: GPTBot\nDisallow: /\n\n{text}"), "WIT-01", "blocks GPTBot"
    ),
    "an old sitemap": Harm(without("about/", "blog/", pages=False), "WIT-01", "it lacks 2 URLs"),
    "no sitemap": Harm(in_place_of("/sitemap.xml", _missing), "WIT-01", "no sitemap that lists a page"),
    "a redirect lost": Harm(in_place_of("/old/", _missing), "WIT-02", "a redirect of the build is not served"),
    "a redirect that leads elsewhere": Harm(
        in_place_of("/old/", lambda site, _: redirect(site)), "WIT-02", "a redirect of the build is not served"
    ),
    "200 for what is missing": Harm(_swallow, "WIT-02", "pages that do not exist answer 200"),
    "a login": Harm(_wall, "WIT-02", "redirects to login.example.net/start"),
    "canonicals of another host": Harm(
        with_text(
            lambda site, _, text: text.replace(f'canonical" href="{site}', 'canonical" href="https://example.com/')
        ),
        "WIT-02",
        "at https://example.com in place of",
    ),
    "what is missing leads home": Harm(_lead_home, "WIT-02", "pages that do not exist answer 200"),
    "a final slash removed": Harm(_without_slash, "WIT-02", "redirects to the address without a final slash"),
    "another type": Harm(
        in_place_of("", lambda _, reply: replace(reply, type="text/plain")), "WIT-02", "answers with text/plain"
    ),
    "empty documents": Harm(in_place_of("", lambda *_: Reply("")), "WIT-02", "a document without text"),
    "a canonical in a header": Harm(_canonical_header, "WIT-02", "by a Link header that no rule of the build sets"),
    "a server that ignores case": Harm(_no_case, "WIT-02", "ignores the case", 0),
}


def _hide_address(_site: str, _path: str, text: str) -> str:
    """As Cloudflare hides an e-mail address: each byte is combined with the first."""
    key = secrets.randbelow(256)
    coded = bytes([key, *(byte ^ key for byte in b"team@example.com")]).hex()
    shown = f'<span class="__cf_email__" data-cfemail="{coded}">[email&#160;protected]</span>'
    hidden = f'<a href="/cdn-cgi/l/email-protection#{coded}">{shown}</a>'
    return text.replace('<a href="mailto:team@example.com">team@example.com</a>', hidden)


def _minify(_site: str, _path: str, text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("> <", "><").replace('rel="canonical"', "rel=canonical")


def _zip(_site: str, reply: Reply) -> Reply:
    return _add_header(replace(reply, body=gzip.compress(text_of(reply).encode())), "Content-Encoding", "gzip")


_BEACON = '<script defer src="https://static.cloudflareinsights.com/beacon.min.js" data-cf-beacon="{}"></script></body>'
_DETECTION = (
    "<script>(function(){function c(){var b=a.contentDocument;if(b){var d=b.createElement('script');"
    "d.innerHTML=\"var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';"
    "document.head.appendChild(a);\";b.head.appendChild(d)}}var a=document.createElement('iframe');a.height=1;"
    "document.body.appendChild(a);c()})();</script></body>"
)
_TAGS = (
    '<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-X" height=0 width=0></iframe></noscript>'
)


def _load_later(_site: str, _path: str, text: str) -> str:
    """As Cloudflare's Rocket Loader."""
    loader = '<script src="/cdn-cgi/scripts/7d0fa10a/rocket-loader.min.js" data-cf-settings="a1b2-|49" defer></script>'
    text = text.replace("<script src", '<script type="a1b2-text/javascript" src')
    return text.replace("</body>", f'{loader}<script data-cfasync="false">var a=1</script></body>')


_BANNER = '<div id="cookie-banner" role="dialog">We use cookies. <button>Accept</button></div></body>'

HARMLESS: dict[str, Change] = {
    "nothing": lambda _site, _path, reply: reply,
    "a beacon": with_text(lambda _s, _p, text: text.replace("</body>", _BEACON)),
    "e-mail addresses hidden": with_text(_hide_address),
    "minified": with_text(_minify),
    "a nonce": with_text(lambda _s, _p, text: text.replace("<script ", f'<script nonce="{secrets.token_hex(8)}" ')),
    "other names of assets": with_text(lambda _s, _p, text: text.replace("app.3f2a9c1b.js", "app.99ffee01.js?v=2")),
    "a cookie banner": with_text(lambda _s, _p, text: text.replace("</body>", _BANNER)),
    "scripts loaded later": with_text(_load_later),
    "a script that detects bots": with_text(lambda _s, _p, text: text.replace("</body>", _DETECTION)),
    "a tag manager": with_text(lambda _s, _p, text: text.replace("<body>", f"<body>{_TAGS}")),
    "addresses without their host": with_text(lambda site, _, text: text.replace(f'"{site}', '"/')),
    "early hints": with_header("Link", "</assets/app.css>; rel=preload; as=style, </a.js>; rel=modulepreload"),
    "compression": in_place_of("", _zip),
    "an ETag": with_header("ETag", 'W/"1234"'),
    "another server": with_header("Server", "edge"),
    "Content-Signal lines": _robots(lambda text: f"# managed\n{text}Content-Signal: search=yes, ai-train=no\n"),
    "headers without effect": one_after_another(
        with_header("Strict-Transport-Security", "max-age=1"), with_header("X-Robots-Tag", "all")
    ),
}
