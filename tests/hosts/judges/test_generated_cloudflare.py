"""Generated control files, judged by the parsers and asset servers of Cloudflare's own tools (HOST-06, HOST-07, H-03)."""

import random
import re
from collections import Counter
from typing import Any

import pytest

from host_builds import served
from host_judges import Expected, answer, claimed, node, unexpected
from hosts.judges.test_generated import SEED, filled_paths, headers_of
from sitemap_action.hosts.base import Host, PathPattern
from sitemap_action.web.urls import BadUrl, normalize

FILES = ("index.html", "404.html", "file.html", "x.html", "folder/index.html", "folder/x.html", "a-b/7.html")
PIECES = (
    *("x", "X", "folder", "file", "file.html", "index", "index.html", "7", "v1.2", "a-b", "", ".", ".."),
    *(":id", ":a", ":ab", ":b", ":splat", ":1", ":A_b", ":a-:b", "a:id", ":id.html", ":id:a"),
    *("*", "*", "x*", "*x", "*.html", "**", "a*b*c"),
    *("a+b", "(q)", "(x|y)", "[z]", "a|b", "{1}", "$1", "^a$", "it's", "~y", "a,b;c=d", "@x", "!"),
    *("%C3%BC", "ü", "%20", "a%2Fb", "%2e", "%41", "100%", "%7Ex", '"q"', "<x>", "\\x", "`"),
)
ENDS = ("", "", "", "", "/", "/*", "?x=1", "#part", ".html", "/index", "/index.html")
TARGETS = (
    *("/b", "/b/", "/b/:splat", "/b/:id", "/b/:a/:b?x=:id", "/:a:b", "/b/:ab/:abc", "/b/:id.html", "/b#:a", "/b?x=1#y"),
    *(
        "/b/$1",
        "/b/:id*",
        "/b/:id?",
        "/b/:id(x)",
        "/b/:none",
        "/b//c",
        "/:splat",
        "//y.com/:a",
        "/b/../c",
        "/ü",
        "/%C3%BC",
    ),
    *(
        "https://y.com/:splat",
        "https://:a.y.com/",
        "https://y.com:8080/b",
        "https://y.com",
        "http://y.com/",
        "b",
        "b/:id",
    ),
    *(
        "/index.html",
        "/x/index",
        "/:a/index.html",
        "/file",
        "/file.html",
        "/folder",
        "/folder/",
        "/x",
        "https://y.com/index",
    ),
)
STATUSES = (
    "",
    "",
    "",
    "301",
    "302",
    "303",
    "307",
    "308",
    "200",
    "200",
    "404",
    "301!",
    "3e2",
    "# why",
    "301 # why",
    "x",
)
CONFIGS, RULES = 5, 110  # the hosts take 100 of a kind
FIRSTS = {
    "redirects": ("g", "https://x.com"),
    "headers": ("https://x.com", "https://www.example.com", "https://:h.example.com", "https://*", "https://:h.x.com"),
}
Question = dict[str, object]


def pattern(chance: random.Random, number: int, firsts: tuple[str, ...]) -> str:
    """A path that belongs to this rule alone, or one that several rules may be about."""
    parts = chance.choices(PIECES, k=chance.randrange(1, 4))
    first = chance.choice((f"/g{number}", f"/g{number}", f"/g{number}", "", "/folder", *firsts))
    return "/".join((first, *parts)) + chance.choice(ENDS)


def questions(pages: bool, kind: str) -> list[Question]:
    """Builds with rules of this kind, and the paths that they may be about."""
    found = []
    for config in range(CONFIGS):
        chance = random.Random(f"{SEED} cloudflare {kind} {config}")
        patterns = [pattern(chance, number, FIRSTS[kind]) for number in range(RULES)]
        paths = {path for one in patterns for path in filled_paths(chance, re.split("[?#]", one)[0], 4)}
        paths = set(filter(usable, paths)) | {f"/{file}" for file in FILES}
        text = "\n".join(line for one in patterns for line in rule(chance, one, kind))
        found.append(
            {"pages": pages, "redirects": "", "headers": "", "files": FILES, "paths": sorted(paths), kind: text}
        )
    return found


def usable(path: str) -> bool:
    try:
        normalize(f"https://x{path}")
    except BadUrl:
        return False
    return True


def rule(chance: random.Random, one: str, kind: str) -> list[str]:
    if kind == "redirects":
        return [f"{one} {chance.choice(TARGETS)} {chance.choice(STATUSES)}".rstrip()]
    fields = (
        "X-Robots-Tag: a",
        "X-Robots-Tag: b",
        "x-robots-tag: :splat-:id",
        "! X-Robots-Tag",
        "X-Robots-Tag",
        "!X-Robots-Tag: c",
        "X Y: z",
    )
    return [one, *(f"  {field}" for field in chance.sample(fields, chance.randrange(0, 3)))]


def host_of(question: Question) -> Host:
    profile = "cloudflare-pages" if question["pages"] else "cloudflare-workers"
    controls = {f"_{kind}": str(question[kind]) for kind in ("redirects", "headers")}
    return served(profile, controls, FILES, site_url="https://www.example.com/").host


def theirs_of(asked: list[Question]) -> list[dict[str, Any]]:
    return list(node("cloudflare.cjs", asked)["answers"])


NO_ADDRESS = Expected(
    ".*", "500", ".*https://:a.y.com/", "no address: Cloudflare's code fails, and the profile names it"
)


@pytest.mark.parametrize("pages", [True, False], ids=["pages", "workers"])
def test_H_03_redirects(pages: bool) -> None:
    asked = questions(pages, "redirects")
    theirs, ours = {}, {}
    for number, (question, found) in enumerate(zip(asked, theirs_of(asked), strict=True)):
        host = host_of(question)
        theirs |= {f"{number} {path}": answer(path, status, to, file) for path, (status, to, file, _) in found.items()}
        ours |= {f"{number} {path}": row for path, row in claimed(host, found).items()}
    assert unexpected(theirs, ours, [NO_ADDRESS]) == []
    kinds = Counter(one.kind for one in theirs.values())
    assert min(kinds["permanent"], kinds["temporary"], kinds["404"], 10 * kinds["200"]) > 40, kinds


@pytest.mark.parametrize("pages", [True, False], ids=["pages", "workers"])
def test_H_03_headers(pages: bool) -> None:
    asked = questions(pages, "headers")
    wrong, count = [], 0
    for question, found in zip(asked, theirs_of(asked), strict=True):
        host = host_of(question)
        for path, (_, _, _, tag) in found.items():
            ours = ", ".join(value for _, value in headers_of(host, path))
            if normalize(f"https://x{path}") == f"https://x{path}":  # else a value has another spelling of the same
                wrong += [(path, tag, ours)] if tag != ours else []
            count += bool(tag)
    assert wrong == []
    assert count > 150


def static(count: int, first: int = 0) -> list[str]:
    return [f"/s{number} /b 301" for number in range(first, first + count)]


def dynamic(count: int) -> list[str]:
    return [f"/d{number}/* /b/:splat" if number % 2 else f"/d{number}/:id /b" for number in range(count)]


LIMITS: dict[str, list[str]] = {
    "as many as there may be": [*static(2_000), *dynamic(100)],
    "one more of each": [*static(2_001), *dynamic(101)],
    "static ones below": [*dynamic(1), *static(100)],
    "one wildcard near the top of 951": [*static(2), *dynamic(1), *static(948, 2)],
    "rules that are refused count": [*["/x b"] * 2_001, *static(1)],
    "and those of one path": [*["/x /b"] * 2_001, *dynamic(1)],
    "what is no rule does not": [*["/x", "# y", "", "/a /b 301 x"] * 600, *static(2_000)],
    "lines that are too long do not": [f"/{'a' * 2_000} /b", *static(2_000)],
}


@pytest.mark.parametrize("name", LIMITS)
def test_RT_04_the_rules_beyond_a_limit(name: str) -> None:
    assert unserved_lines("\n".join(LIMITS[name])) == ([], [])


def test_RT_04_the_rules_that_the_host_does_not_take() -> None:
    texts = [str(question["redirects"]) for question in questions(True, "redirects")]
    assert [unserved_lines(text) for text in texts] == [([], [])] * len(texts)


def unserved_lines(text: str) -> tuple[list[int], list[int]]:
    """Lines of rules that the host takes and the profile does not, and the reverse.

    A rule that the parser takes, and that matches no path, is none: its expression has a group twice, or a backslash.
    """
    question = {"pages": True, "redirects": text, "headers": "", "files": FILES, "paths": []}
    taken = set(node("cloudflare.cjs", [question])["lines"][0])
    rules = served("cloudflare-pages", {"_redirects": text}, FILES).rules
    ours = {rule.place.line for rule in rules if not rule.unserved}
    nothing = {rule.place.line for rule in rules if rule.pattern == PathPattern()}
    return sorted(taken - ours - nothing), sorted(ours - taken)
