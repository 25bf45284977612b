"""The routes that Vercel's own `@vercel/routing-utils` makes of a vercel.json judge the profile `vercel` (HOST-08).

They say which paths redirect, and where to. How its servers look a file up is not published: for that there is `serve`
(test_plain_servers.py) and the table of `tests/hosts/test_tables.py`.
"""

import json
from typing import Any, NamedTuple

import pytest

import awkward_build
from awkward_build import FILES
from host_builds import served
from host_judges import Answer, Expected, answer, claimed, node, unexpected

PATHS = awkward_build.spellings()
NO_REDIRECT = Answer("no redirect")


def theirs(found: dict[str, Any], paths: list[str]) -> dict[str, Answer]:
    redirects = found["redirects"]
    return {path: answer(path, *redirects[path], "") if path in redirects else NO_REDIRECT for path in paths}


def ours(config: object, paths: list[str]) -> dict[str, Answer]:
    host = served("vercel", {"vercel.json": json.dumps(config)}, FILES).host
    return {path: found if found.redirects else NO_REDIRECT for path, found in claimed(host, paths).items()}


@pytest.mark.parametrize("slash", [None, False, True])
@pytest.mark.parametrize("clean", [True, False])
def test_spellings(clean: bool, slash: bool | None) -> None:
    config = {"cleanUrls": clean} | ({} if slash is None else {"trailingSlash": slash})
    (found,) = node("vercel.cjs", [{"config": config, "paths": PATHS}])["answers"]
    start = Expected(
        r"/index(\.html)?/?",
        "permanent .*",
        "permanent /",
        "Vercel's rule leads to //, of which no client knows the host",
    )
    expected = [start] if clean and slash else []
    assert unexpected(theirs(found, PATHS), ours(config, PATHS), expected) == []


class Rule(NamedTuple):
    source: str
    destination: str
    paths: str


RULES = (
    Rule("/old", "/new", "/old /old/ /Old /old/x"),
    Rule("/old/", "/new", "/old /old/"),
    Rule("/a/:id", "/b/:id", "/a/7 /a/7/ /a/7/8 /a /a/%C3%BC"),
    Rule("/a/:id(\\d+)", "/b/:id", "/a/7 /a/x /a/7x"),
    Rule("/a/:path*", "/b/:path*", "/a /a/ /a/x /a/x/y /ab"),
    Rule("/a/:path+", "/b/:path+", "/a /a/x /a/x/y"),
    Rule("/a/:id?", "/b/:id?", "/a /a/x /a/x/y"),
    Rule("/a/:path*", "/b", "/a /a/x"),
    Rule("/a/(.*)", "/b/$1", "/a /a/ /a/x/y"),
    Rule("/a/:path(.*)", "/b/:path", "/a /a/ /a/x/y"),
    Rule("/(en|de)/x", "/$1/y", "/en/x /de/x /fr/x"),
    Rule("/:lang(en|de)/:rest*", "/:rest*?l=:lang", "/en/x/y /de /fr/x"),
    Rule("/((?!b).*)", "/b/$1", "/a /b /ba /c/b"),
    Rule("/:path((?!b|c/).*)", "/b/:path", "/a /b/a /c /c/a /d/e"),
    Rule("/a/:x-:y", "/b/:y/:x", "/a/1-2 /a/1 /a/1-2-3"),
    Rule("/@:name", "/u/:name", "/@me /me"),
    Rule("/a/:id.html", "/b/:id", "/a/x.html /a/x"),
    Rule("/a{/b}?", "/c", "/a /a/b /a/b/c"),
    Rule("/a\\(b\\)", "/c", "/a(b) /ab"),
    Rule("/a.b", "/c", "/a.b /axb"),
    Rule("/a+", "/b", "/a /aa /a+"),
    Rule("/a/:id(.{1,3})", "/b/:id", "/a/xy /a/wxyz"),
    Rule("/a/:id([^/]+?)/c", "/b/:id", "/a/x/c /a/x/y/c"),
    Rule("/a", "https://y.com/:id", "/a"),
    Rule("/a/:id", "https://y.com/:id?x=:id", "/a/7"),
    Rule("/a/:id", "/b#:id", "/a/7"),
    Rule("/a/:id", "/b/:none", "/a/7"),
    Rule("/a/:id", "b/:id", "/a/7"),
    Rule("/%C3%BC", "/u", "/%C3%BC"),
    Rule("/a%20b", "/c", "/a%20b"),
    Rule("/a/:a/:a", "/b", "/a/1/2"),
    Rule("/a/*", "/b", "/a/x /a"),
    Rule("a", "/b", "/a"),
    Rule("/a/(", "/b", "/a/x"),
    Rule("/a/:id(?<!x)", "/b", "/a/x"),
    Rule("/:a/:b*/c", "/d/:a", "/x/c /x/y/c /x/y/z/c"),
    Rule("/(a)(b)?", "/$2/$1", "/ab"),
    Rule("/a/:id", "/b?x=:none", "/a/7"),
    Rule("/a/:id", "https://:none.y.com/", "/a/7"),
    Rule("/a", "https://y.com:8080/b", "/a"),
    Rule("/a?", "/b", "/a / /a%3F"),
    Rule("/a/:path*/", "/b/:path*", "/a/x/ /a/x /a/"),
    Rule("/a/:rest(x.*)?", "/b/:rest", "/a /a/xy /a/y"),
)  # fmt: skip


def test_rules() -> None:
    """A rule that Vercel refuses has no effect."""
    configs = [{"redirects": [{"source": one.source, "destination": one.destination}]} for one in RULES]
    questions = [{"config": config, "paths": one.paths.split()} for config, one in zip(configs, RULES, strict=True)]
    found = node("vercel.cjs", questions)["answers"]
    for one, question, answers in zip(RULES, questions, found, strict=True):
        paths = one.paths.split()
        assert unexpected(theirs(answers, paths), ours(question["config"], paths)) == [], one
