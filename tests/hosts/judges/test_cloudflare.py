"""Cloudflare's own local server, Wrangler, judges `cloudflare-pages` and `cloudflare-workers` (HOST-06, HOST-07, HOST-09)."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

import awkward_build
from awkward_build import FILES
from children import free_port, running
from host_builds import served
from host_judges import (
    Expected,
    asked,
    claimed,
    module,
    paths_of,
    robots_tags,
    unexpected,
    unserved,
)
from sitemap_action.hosts.base import Host

QUIET = {
    "CI": "true",
    "CLOUDFLARE_CF_FETCH_ENABLED": "false",
    "NO_COLOR": "1",
    "WRANGLER_HIDE_BANNER": "true",
    "WRANGLER_LOG": "error",
    "WRANGLER_SEND_ERROR_REPORTS": "false",
    "WRANGLER_SEND_METRICS": "false",
}


@contextmanager
def wrangler(folder: Path, command: list[str]) -> Iterator[str]:
    port = free_port()
    date = [
        "--compatibility-date",
        "2026-01-01",
        "--ip",
        "127.0.0.1",
        "--port",
        str(port),
        "--inspector-port",
        "0",  # one that is free when it is taken: with one that another test has by then, the runtime does not start
    ]
    started = ["node", module("wrangler/bin/wrangler.js"), *command, *date]
    with running(started, port, folder, QUIET) as url:
        yield url


@contextmanager
def workers(folder: Path, assets: dict[str, str]) -> Iterator[str]:
    config = {"name": "site", "compatibility_date": "2026-01-01", "assets": {"directory": str(folder), **assets}}
    (folder.parent / "wrangler.json").write_text(json.dumps(config))
    with wrangler(folder.parent, ["dev"]) as url:
        yield url


@pytest.fixture
def build(tmp_path: Path) -> Path:
    return awkward_build.write(tmp_path / "work/site")


def test_pages(build: Path) -> None:
    host = served("cloudflare-pages", {}, FILES).host
    paths = paths_of(host, FILES)
    with wrangler(build.parent, ["pages", "dev", "site"]) as url:
        theirs = asked(url, paths)
    expected = (
        Expected(r"/(.*\.\w+|license|plain)/.*", "502", "404|permanent .*", "Wrangler reads a file as a folder"),
        Expected("/%E6%97%A5%E6%9C%AC.*", "502", "permanent .*", "Wrangler passes no Location beyond Latin-1 on"),
    )
    assert unexpected(theirs, claimed(host, paths), expected) == []
    assert unserved(host, FILES, theirs) == set()


@pytest.mark.parametrize("handling", ["auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"])
def test_workers(handling: str, build: Path) -> None:
    assets = {"html_handling": handling}
    host = served("cloudflare-workers", {"wrangler.json": json.dumps({"assets": assets})}, FILES).host
    paths = paths_of(host, FILES)
    with workers(build, assets) as url:
        theirs = asked(url, paths)
    escape = Expected("/%66.*", "temporary .*", "200 .*", "URL-27: the inventory has no escape that nothing needs")
    expected = [] if handling == "drop-trailing-slash" else [escape]
    assert unexpected(theirs, claimed(host, paths), expected) == []
    assert unserved(host, FILES, theirs) == set()


# rule, paths that it may be about
RULES = (
    ("/r1 /new", "/r1 /r1/ /R1 /r1.html"),
    ("/r2 /new 301", "/r2"),
    ("/r3/ /new", "/r3 /r3/"),
    ("/r4/* /b/:splat", "/r4 /r4/ /r4/x/y"),
    ("/r5/:id /b/:id 308", "/r5/7 /r5/7/ /r5/7/8 /r5"),
    ("/r6/:id/x /b?id=:id", "/r6/7/x"),
    ("/r7/*/z /b/:splat", "/r7/x/y/z /r7/z"),
    ("/r8/*/b/* /c", "/r8/x/b/y"),
    ("/r9 https://y.com/b 302", "/r9"),
    ("/r10 /folder/ 200", "/r10"),
    ("/r11 https://y.com 200", "/r11"),
    ("/r12 /b 404", "/r12"),
    ("/r13 /b 301!", "/r13"),
    ("/index-of /b", "/index-of /index-of.html /index-of/"),
    ("/both.html /b", "/both.html /both"),
    ("/r14 /b 301 x", "/r14"),
    ("/r15 b", "/r15"),
    ("r16 /b", "/r16"),
    ("/r17/:a/:a /b/:a", "/r17/1/1 /r17/1/2"),
    ("/r18 //y.com/b", "/r18"),
    ("/r19 /b#part", "/r19"),
    ("/r20?x=1 /b", "/r20"),
    ("/\u00fc /b", "/%C3%BC"),
    ("/%C3%A4 /b", "/%C3%A4"),
    ("/r21 /r22", "/r21"),
    ("/r22 /r21", "/r22"),
    ("/r23 /r23", "/r23"),
    ("/r24/* /r24/:splat", "/r24/x"),
    ("/r26.html /b", "/r26.html /r26"),
    ("/r27 /b%20c", "/r27"),
    ("/r28 /b c", "/r28"),
    ("https://x.com/r29 /b", "/r29"),
    ("/r51 /x/index.html", "/r51"),
    ("/r52/ /x/index.html", "/r52/"),
    ("/r53/* /x/index", "/r53/x"),
    ("/r54/* https://y.com/index.html", "/r54/x"),
    ("/r30/:id.html /b/:id", "/r30/x.html /r30/x"),
    ("/r31/:id-:x /b/:x", "/r31/1-2"),
    ("/r32 /index.html 200", "/r32"),
    ("/r33 /file.html 200", "/r33"),
    ("/r34 /none 200", "/r34"),
    ("/r35 /b 303", "/r35"),
    ("/r36 /b 307", "/r36"),
    ("/r37 /b # why", "/r37"),
    ("# /r38 /b", "/r38"),
    ("\t/r39\t\t/b  ", "/r39"),
    ("/r40 /first", "/r40"),
    ("/r40 /second", "/r40"),
    ("/r41/* https://y.com/:splat 301", "/r41/x"),
    ("/r42 http://y.com/", "/r42"),
    ("/r43/:none /b/:other", "/r43/x"),
    ("/r44 /b 300", "/r44"),
    ("/r45 /b 30x", "/r45"),
    ("/r47/:1 /b/:1", "/r47/x /r47/:1"),
    ("/r48/a+b(c)[d] /b", "/r48/a+b(c)[d]"),
    ("/r49/:id/* /b/:splat/:id", "/r49/1/2/3"),
    ("/r50/x* /b:splat", "/r50/xyz"),
    ("/all/* /index.html 200", "/all/x"),
    ("/", "/none"),
)


HEADERS = """
/file
  X-Robots-Tag: noindex
/folder/*
  X-Robots-Tag: noindex
/folder/page
  X-Robots-Tag: nofollow
/license
  X-Robots-Tag: a
  X-Robots-Tag: b
/v1.2
  ! X-Robots-Tag
/:page/page
  x-robots-tag: placeholder
https://y.com/data.json
  X-Robots-Tag: elsewhere
https://:a.0.0.:d/paper.pdf
  X-Robots-Tag: parts
https://:preview.site.pages.dev/*
  X-Robots-Tag: anywhere
/aindex
  X-Robots-Tag:
/aindex
  X-Robots-Tag
/*/index
  X-Robots-Tag: splat
/UPPER.HTML
X-Robots-Tag: not indented
/deep/*
  X-Robots-Tag: :splat
/deep/a/b/c/
  ! x-robots-tag
/it's%20(1)
  X-Robots-Tag: escaped
/two words
  X-Robots-Tag: unescaped
"""


REDIRECTS = "\n".join(rule for rule, _ in RULES)
RULED_PATHS = sorted({path for _, paths in RULES for path in paths.split()})


class Ruled(NamedTuple):
    """A profile, its host with both control files, and Wrangler's address with the same."""

    profile: str
    host: Host
    url: str


@pytest.fixture(scope="module", params=["cloudflare-pages", "cloudflare-workers"])
def ruled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ruled]:
    build = awkward_build.write(tmp_path_factory.mktemp("work") / "site")
    controls = {"_redirects": REDIRECTS, "_headers": HEADERS}
    for name, text in controls.items():
        (build / name).write_text(text)
    command = {
        "cloudflare-pages": ["pages", "dev", "site"],
        "cloudflare-workers": ["dev", "--assets", "site", "--name", "site"],
    }
    with wrangler(build.parent, command[request.param]) as url:
        yield Ruled(request.param, served(request.param, controls, FILES, site_url=url).host, url)


def test_HOST_06_redirects(ruled: Ruled) -> None:
    why = "without a scheme: Wrangler is asked over http"
    expected = [Expected("/r18", "temporary http://y.com/b", "temporary https://y.com/b", why)]
    expected = expected if ruled.profile == "cloudflare-pages" else []
    assert unexpected(asked(ruled.url, RULED_PATHS), claimed(ruled.host, RULED_PATHS), expected) == []


def test_HOST_07_headers(ruled: Ruled) -> None:
    paths = sorted({ruled.host.address(file) for file in FILES if file != "404.html"})
    theirs = robots_tags(ruled.url, paths)
    headers = {path: ruled.host.answer(path).headers for path in paths}
    ours = {path: ", ".join(value for name, value in headers[path] if name == "x-robots-tag") for path in paths}
    assert {path: (theirs[path], ours[path]) for path in paths if theirs[path] != ours[path]} == {}
