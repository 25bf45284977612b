"""superstatic, which Firebase's own emulator serves files with, judges the profile `firebase` (HOST-07, HOST-08)."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

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

ESCAPES = "superstatic keeps the escapes of characters with a meaning in URLs"


@contextmanager
def superstatic(folder: Path, settings: Mapping[str, object]) -> Iterator[str]:
    awkward_build.write(folder / "site")
    with serve_folder(folder / "site", settings) as url:
        yield url


@contextmanager
def serve_folder(build: Path, settings: Mapping[str, object]) -> Iterator[str]:
    folder, port = build.parent, free_port()
    (folder / "superstatic.json").write_text(json.dumps({"public": build.name, **settings}))
    command = ["node", module("superstatic/lib/bin/server.js"), ".", "--config", "superstatic.json"]
    with running([*command, "--hostname", "127.0.0.1", "--port", str(port)], port, folder) as url:
        yield url


def profile(settings: Mapping[str, object]) -> Host:
    return served("firebase", {"firebase.json": json.dumps({"hosting": settings})}, FILES).host


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.mark.parametrize("slash", [None, False, True])
@pytest.mark.parametrize("clean", [False, True])
def test_spellings(clean: bool, slash: bool | None, folder: Path) -> None:
    settings: dict[str, object] = {"cleanUrls": clean} | ({} if slash is None else {"trailingSlash": slash})
    host = profile(settings)
    paths = paths_of(host, FILES)
    with superstatic(folder, settings) as url:
        theirs = asked(url, paths)
    expected = [
        Expected(r"/404(\.html|/)?", "404", ".*", "HOST-04: the page of the server's own errors"),
        Expected(".*%(23|2B|2F|3F|40).*", "404", ".*", ESCAPES),
    ]
    if clean and slash is not None:
        why = "two hops: one takes the slash or /index off, the other the rest"
        expected.append(Expected(".*/index/", "permanent .*", "permanent .*", why))
    assert unexpected(theirs, claimed(host, paths), expected) == []
    twins = {"both.html"} if clean else set()
    if clean and not slash:
        twins.add("plain.html")
    assert unserved(host, FILES, theirs) == {"what?.html", "no#1.html"} | twins


# source or regex, destination, paths that it may be about
RULES = (
    ("/r1", "/new", "/r1 /r1/ /R1"),
    ("/r2/*", "/new", "/r2 /r2/ /r2/x /r2/x/y /r2/.x"),
    ("/r3/**", "/new", "/r3 /r3/ /r3/x /r3/x/y"),
    ("/r4{,/**}", "/new", "/r4 /r4/ /r4/x /r4x"),
    ("/r5/:id", "/b/:id", "/r5/7 /r5/7/ /r5/7/8"),
    ("/r6/:rest*", "/b/:rest*", "/r6 /r6/x /r6/x/y"),
    ("/r7/:id/:rest*", "/b/:rest*/:id", "/r7/1/2/3"),
    ("/r8/@(a|b)", "/new", "/r8/a /r8/c"),
    ("/r9/?", "/new", "/r9/x /r9/xy"),
    ("/r10/[ab]", "/new", "/r10/a /r10/c /r10/[ab]"),
    ("/r11/!(a)", "/new", "/r11/a /r11/b"),
    ("r12", "/new", "/r12"),
    ("/r13", "https://y.com/b", "/r13"),
    ("/r14/x.y", "/new", "/r14/x.y /r14/xzy"),
    ("/r15/{a,b}/c", "/new", "/r15/a/c /r15/c/c"),
    ("/r16/**/c", "/new", "/r16/c /r16/a/c /r16/a/b/c"),
    ("/r17/*.html", "/new", "/r17/a.html /r17/a"),
    ("^/r18/(?<x>\\d+)$", "/b/:x", "/r18/7 /r18/x"),
    ("/r19", "/new", "/x/r19/y /r19"),
    ("/r20", "/r21", "/r20"),
    ("/r21", "/r20", "/r21"),
    ("/index-of.html", "/new", "/index-of.html /index-of"),
    ("/r22/a+b(c)", "/new", "/r22/a+b(c)"),
    ("/r23/ü", "/new", "/r23/%C3%BC"),
    ("/r26/", "/new", "/r26 /r26/"),
    ("/r27/a*", "/new", "/r27/a /r27/ab /r27/a/b"),
    ("/r28/*.{jpg,png}", "/new", "/r28/a.jpg /r28/a.gif"),
    ("/r29/[a-c]", "/new", "/r29/b /r29/-"),
    ("/r30/:a-:b", "/b/:b/:a", "/r30/1-2"),
    ("/r24/+(a|b)", "/new", "/r24/aab /r24/c"),
    ("/r25", "/first", "/r25"),
    ("/r25", "/second", "/r25"),
)
FILES_BELOW = {"headers": [
    {"source": "/folder/**", "headers": [{"key": "X-Robots-Tag", "value": "noindex"}]},
    {"source": "/folder/page.html", "headers": [{"key": "x-robots-tag", "value": "nofollow"}]},
    {"source": "**/*.pdf", "headers": [{"key": "X-Robots-Tag", "value": "noarchive"}]},
    {"source": "/@(file|half).html", "headers": [{"key": "X-Robots-Tag", "value": "none"}]},
]}  # fmt: skip


def test_HOST_08_rules(folder: Path) -> None:
    redirects = [
        {"regex" if source.startswith("^") or source == "/r19" else "source": source, "destination": to, "type": 301}
        for source, to, _ in RULES
    ]
    rewrites = [{"source": "/app/**", "destination": "/file.html"}, {"source": "/old.htm", "destination": "/file.html"}]
    settings = {"redirects": redirects, "rewrites": rewrites, **FILES_BELOW}
    host = profile(settings)
    paths = sorted({"/app/x", "/old.htm", *(path for _, _, paths in RULES for path in paths.split())})
    with superstatic(folder, settings) as url:
        theirs = asked(url, paths)
        tags = robots_tags(url, ["/folder/", "/folder/page.html", "/paper.pdf", "/file.html", "/half.html", "/"])
    expected = [
        Expected("/r11/b", "permanent .*", "404", "a negation is not read, and a note says so"),
        Expected("/r6", "permanent /b", "permanent /b/", "of an empty rest the slash stays"),
    ]
    assert unexpected(theirs, claimed(host, paths), expected) == []
    ours = {
        path: ", ".join(value for name, value in host.answer(path).headers if name == "x-robots-tag") for path in tags
    }
    assert {path: (tags[path], ours[path]) for path in tags if tags[path] != ours[path]} == {}
