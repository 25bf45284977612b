"""Files that configure a static host, fuzzed: each is read, or refused with our own error, and every path is answered."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_builds import found
from mutations import EXAMPLES, documents, fuzz, texts
from sitemap_action.errors import SitemapActionError
from sitemap_action.hosts.all import HOSTS, choose_host
from sitemap_action.web.urls import BadUrl, normalize

SEEDS = {
    "_redirects": (
        b"/a /b 301\n/old/* /new/:splat 302!\n/x page=:id /y/:id 200\n/* /index.html 200\nhttps://a.example/* https://b.example/:splat 301\n",
        b"# x\n/a  /b  Country=de Language=fr\n",
    ),
    "_headers": (b"/*\n  X-Robots-Tag: noindex\n  ! Link\n/a/:b\n  Link: </c>; rel=canonical\nhttps://:p.example/*\n  X: y\n",),
    "netlify.toml": (b'[[redirects]]\nfrom = "/a/*"\nto = "/b/:splat"\nstatus = 301\nforce = true\n[[headers]]\nfor = "/*"\n[headers.values]\nX = "y"\n[build]\npublish = "dist"\n',),
    "vercel.json": (
        (b'{"cleanUrls": true, "trailingSlash": false, "redirects": [{"source": "/a/:b(\\\\d+)", "destination": "/c/:b", "permanent": true}], '
        b'"rewrites": [{"source": "/(.*)", "destination": "/index.html"}], "headers": [{"source": "/x", "headers": [{"key": "X", "value": "y"}]}], '
        b'"routes": [{"src": "^/(?<a>.*)$", "dest": "/$a", "status": 301}]}'),
    ),
    "firebase.json": (
        (b'{"hosting": {"public": "dist", "cleanUrls": true, "redirects": [{"source": "/a/**", "destination": "/b", "type": 301}, {"regex": "^/x(?P<n>.*)$", '
        b'"destination": "/y/:n"}], "rewrites": [{"source": "!/@(a|b)/**", "destination": "/index.html"}]}}'),
    ),
    "staticwebapp.config.json": (
        (b'{"routes": [{"route": "/a/*.{html,htm}", "redirect": "/b", "statusCode": 301}], "navigationFallback": {"rewrite": "/index.html", "exclude": ["/c/*"]}, '
        b'"responseOverrides": {"404": {"rewrite": "/404.html"}}, "trailingSlash": "always"}'),
    ),
    "wrangler.jsonc": (b'{/* x */ "assets": {"directory": "dist", "not_found_handling": "single-page-application", "html_handling": "drop-trailing-slash"},}',),
    "_routes.json": (b'{"version": 1, "include": ["/*"], "exclude": ["/a/*"]}',),
}  # fmt: skip
PIECES = (
    b"/*", b":splat", b":a", b"*", b"(", b")", b"(.*)", b"(a+)+$", b"[", b"]", b"{", b"}", b"$1", b"?", b"+", b"!", b"@(", b"200", b"301", b"999", b"404!",
    b"//evil.example", b"http://", b"\\", b"null", b"true", b'""', b"[]", b'"""', b"=", b",", b":", b"%2f", b"%", b"^", b"9" * 30, b"[[redirects]]", b"{" * 300,
)  # fmt: skip
FILES = ("index.html", "a/index.html", "b.html", "404.html", "c/d.html")
PATHS = (
    "/",
    "/a",
    "/a/",
    "/a/index.html",
    "/b",
    "/b.html",
    "/old/x",
    "/x?page=1",
    "/nothing/here",
    "//a",
    "/%2e%2e/",
    "/" + "a/" * 200,
)


def asked(path: str) -> str:
    """As a URL in normal form has it."""
    try:
        text = path.encode(errors="surrogateescape").decode(errors="replace").lstrip("/")
        return normalize(f"https://www.example.com/{text}").removeprefix("https://www.example.com")
    except BadUrl:
        return "/"


@pytest.mark.attack("bytes", tried=EXAMPLES // 4)
@pytest.mark.parametrize("name", SEEDS)
def test_a_control_file(name: str) -> None:
    @given(documents(SEEDS[name], PIECES), st.sampled_from([*HOSTS, "auto"]), texts(PATHS, ["/", "?", "%", "*", "a"]))
    @fuzz(4)
    def reads(content: bytes, host: str, path: str) -> None:
        files = {*FILES, name}
        with suppress(SitemapActionError):
            served = choose_host(host)(found({name: content.decode(errors="surrogateescape")}, FILES))
            assert all("\n" not in note for note in served.notes)
            for one in (*PATHS, asked(path)):
                answer = served.host.answer(one)
                assert not answer.file or answer.file in files
                assert "\n" not in answer.location + answer.evidence
            for one in FILES:
                assert served.host.address(one).startswith("/")

    reads()
