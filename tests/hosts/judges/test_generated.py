"""Rules that are generated, hundreds for each host, judged by the vendors' own parsers and servers (H-03, HOST-05…08).

The seed is fixed. Each rule has a first part of its own, so that each path is about one rule; headers have none, and each
pattern is asked for each path. `SITEMAP_ACTION_SEED` draws others.
"""

import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from host_builds import served
from host_judges import Answer, Expected, answer, asked, claimed, node, unexpected
from hosts.judges.test_firebase import superstatic
from hosts.judges.test_netlify import SITE, matched
from sitemap_action.hosts.base import HostResponse
from sitemap_action.web.urls import normalize

SEED = int(os.environ.get("SITEMAP_ACTION_SEED") or 36)
COUNT = 300
WORDS = ("x", "kilo", "X", "v1.2", "a-b", "7")


class Rule(NamedTuple):
    """A pattern, where it leads to, and paths that it may be about."""

    pattern: str
    target: str
    paths: tuple[str, ...]


def rules(host: str, pieces: Sequence[str], targets: Sequence[str], count: int = COUNT) -> list[Rule]:
    chance = random.Random(f"{SEED} {host}")
    found = []
    for number in range(count):
        parts = chance.choices(pieces, k=chance.randrange(1, 4))
        pattern = "/".join((f"/g{number}", *parts)) + chance.choice(["", "", "", "/"])
        found.append(Rule(pattern, chance.choice(targets), filled_paths(chance, pattern)))
    return found


def filled_paths(chance: random.Random, pattern: str, count: int = 8) -> tuple[str, ...]:
    """The pattern with words in the place of its wildcards, and what is near to that."""
    found = set()
    for _ in range(count):
        parts = [_filled(chance, part) for part in pattern.split("/")[1:]]
        path = "/" + "/".join(part for part in parts if part)
        near = chance.choice(
            [path, path, f"{path}/", path.removesuffix("/"), f"{path}/{chance.choice(WORDS)}", path.upper()]
        )
        found.add(near.replace("//", "/").removesuffix("/") + ("/" if near.endswith("/") else ""))
    return tuple(sorted(path for path in found if path))


def _filled(chance: random.Random, part: str) -> str:
    if part.startswith(":") or part in {"(.*)", "([^/]+)"}:
        return chance.choice(WORDS) + (".html" if part.endswith(".html") else "")
    text = part.replace("**", "*").replace("*", chance.choice(["", "x", "x/y", "kilo"]))
    for piece in (":id", ":a", ":b"):
        text = text.replace(piece, chance.choice(WORDS))
    return text


def all_paths(found: Sequence[Rule]) -> list[str]:
    return sorted({path for one in found for path in one.paths})


HEADER_PIECES = ("kilo", "Kilo", "x", ":x", ":", "*", "*", "a*", "*b", "a*b", "v1.2", "v1.*", "", "p+q", "(q)", "a-b")


def test_H_03_netlify_headers(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    patterns = ["/kilo/", "/x/:y/", "/*/", "/*/y/*", "*", "/", "/*", "//x//y"]
    while len(patterns) < COUNT:
        parts = chance.choices(HEADER_PIECES, k=chance.randrange(1, 5))
        patterns.append("/" + "/".join(parts) + chance.choice(["", "/"]))
    paths = sorted({"/", *(path for pattern in patterns for path in filled_paths(chance, pattern))})
    in_file = "".join(f"{one}\n  X-Robots-Tag: r{at}\n" for at, one in enumerate(patterns) if at % 2 and one[0] == "/")
    in_table = "".join(
        f'[[headers]]\nfor = {json.dumps(one)}\n[headers.values]\nX-Robots-Tag = "r{at}"\n'
        for at, one in enumerate(patterns)
        if at % 2 == 0
    )
    (tmp_path / "_headers").write_text(in_file)
    (tmp_path / "netlify.toml").write_text(in_table)
    found = node("netlify.mjs", {"folder": str(tmp_path), "host": SITE, "paths": paths})["tags"]
    theirs = {path: {value["X-Robots-Tag"] for value in found[path]} for path in paths}
    pages = tuple({path.strip("/") or "index.html" for path in paths})
    host = served("netlify-plain", {"_headers": in_file, "netlify.toml": in_table}, pages).host
    ours = {path: set(", ".join(value for _, value in headers_of(host, path)).split(", ")) - {""} for path in paths}
    different = {path: [(patterns[int(one[1:])]) for one in theirs[path] ^ ours[path]] for path in paths}
    assert {path: rows for path, rows in different.items() if rows} == {}
    assert sum(map(len, theirs.values())) > 10 * COUNT


def headers_of(host: Any, path: str) -> tuple[tuple[str, str], ...]:
    """Of any path, whether or not there is a file."""
    headers: tuple[tuple[str, str], ...] = host.headers.add_to(
        HostResponse(200), normalize(f"http://x{path}").removeprefix("http://x")
    ).headers
    return headers


NETLIFY_PIECES = (":id", ":a", ":b", "*", "x", "X", "x*", "a:id", ":a-:b", ":id.html", "v1.2", "7")
NETLIFY_TARGETS = ("/b 301", "/b/:splat 302", "/b/:id 301", "/b/:a/:b?x=:id 301", "https://y.com/:splat 301", "/b 404")


def test_H_03_netlify_redirects(tmp_path: Path) -> None:
    found = rules("netlify", NETLIFY_PIECES, NETLIFY_TARGETS)
    text = "\n".join(f"{one.pattern} {one.target}" for one in found)
    (tmp_path / "_redirects").write_text(text)
    paths = all_paths(found)
    matches = node("netlify.mjs", {"folder": str(tmp_path), "host": SITE, "paths": paths})["matches"]
    host = served("netlify", {"_redirects": text}, ("index.html", "404.html"), site_url=f"https://{SITE}/").host
    theirs = {path: matched(host, path, matches[path]) for path in paths}
    several = [one.pattern.split("/")[1] for one in found if one.pattern.count("*") > 1 and ":splat" in one.target]
    expected = [
        Expected(
            f"/({'|'.join(several)})/.*", ".*", "404", "of several *, :splat is one or the other, and a note says so"
        )
    ]
    assert unexpected(theirs, claimed(host, paths), expected) == []


VERCEL_PIECES = (
    ":id",
    ":a*",
    ":b+",
    ":id?",
    "(.*)",
    ":a(\\d+)",
    "x",
    "X",
    ":a-:b",
    "v1.2",
    ":id.html",
    "(x|y)",
    "([^/]+)",
)
VERCEL_TARGETS = ("/b", "/b/:id", "/b/:a*", "/b/$1", "/b?x=:id", "https://y.com/:a")


def test_H_03_vercel_redirects() -> None:
    found = rules("vercel", VERCEL_PIECES, VERCEL_TARGETS)
    configs = [{"redirects": [{"source": one.pattern, "destination": one.target}]} for one in found]
    questions = [{"config": config, "paths": one.paths} for config, one in zip(configs, found, strict=True)]
    wrong = []
    for one, question, answers in zip(found, questions, node("vercel.cjs", questions)["answers"], strict=True):
        redirects = answers["redirects"]
        none = Answer("no redirect")
        theirs = {path: answer(path, *redirects[path], "") if path in redirects else none for path in one.paths}
        host = served("vercel", {"vercel.json": json.dumps(question["config"])}, ("index.html",)).host
        ours = {path: row if row.redirects else none for path, row in claimed(host, one.paths).items()}
        wrong += [(one.pattern, one.target, row) for row in unexpected(theirs, ours)]
    assert wrong == []


@pytest.mark.parametrize("kind", ["headers", "rewrites"])
def test_H_03_vercel_headers_and_rewrites(kind: str) -> None:
    """Which paths a rule is about; where a rewrite leads to is filled in as for a redirect."""
    found = rules(f"vercel {kind}", VERCEL_PIECES, ("/file.html", "/b/:id", "/x/:a*", "https://y.com/:a"))
    more = {"headers": [{"key": "X-Robots-Tag", "value": "noindex"}]}
    configs = [
        {kind: [{"source": one.pattern, **(more if kind == "headers" else {"destination": one.target})}]}
        for one in found
    ]
    questions = [{"config": config, "paths": one.paths} for config, one in zip(configs, found, strict=True)]
    wrong, count = [], 0
    for one, config, answers in zip(found, configs, node("vercel.cjs", questions)["answers"], strict=True):
        host: Any = served("vercel", {"vercel.json": json.dumps(config)}, ("index.html", "file.html")).host
        for path in one.paths:
            known = normalize(f"http://x{path}").removeprefix("http://x")
            ours = headers_of(host, path) if kind == "headers" else host.after.first(known)
            wrong += [(one.pattern, path)] if bool(ours) != (path in answers[kind]) else []
            count += bool(ours)
    assert wrong == []
    assert 200 < count < 1_000


# A pattern with `:name`, and a target with one, are of path-to-regexp, and of globs; mixtures of both are not compared.
FIREBASE = (
    ((":id", ":a", "x", "X", ":a-:b", "v1.2"), ("/b/:id", "/b/:a", "/:a/:b")),
    (("*", "**", "x", "x*", "@(a|b)", "{a,b}", "[ab]", "v1.2", "*.html", "+(a|b)"), ("/b", "https://y.com/")),
)


@pytest.mark.parametrize(("pieces", "targets"), FIREBASE, ids=["names", "globs"])
def test_H_03_firebase_redirects(pieces: Sequence[str], targets: Sequence[str], tmp_path: Path) -> None:
    found = rules("firebase", pieces, targets)
    settings = {"redirects": [{"source": one.pattern, "destination": one.target, "type": 301} for one in found]}
    (tmp_path / "work").mkdir()
    paths = all_paths(found)
    host = served("firebase", {"firebase.json": json.dumps({"hosting": settings})}, ("index.html",)).host
    with superstatic(tmp_path / "work", settings) as url:
        theirs = {path: row if row.redirects else Answer("404") for path, row in asked(url, paths).items()}
    assert unexpected(theirs, claimed(host, paths)) == []
