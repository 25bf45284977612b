"""Random sites with random redirect rules, and what becomes of each rule: a server and a walk that share no code with the package.

The server is one function for all hosts; where they differ is in `Manners`. A rule is asked for every path that there can be.
"""

import json
import random
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

HOME = "https://www.example.com/"
ELSEWHERE = "https://elsewhere.example/"
SEGMENTS = ("a", "b", "old", "x", "y", "w")
_PARTS = (*SEGMENTS, "index.html", "a.html", "x.html", "nowhere")
_PATHS = [
    "/",
    *(f"/{one}" for one in _PARTS),
    *(f"/{one}/{two}" for one, two in product(_PARTS, _PARTS)),
    "/w/a/b",
    "/x/a/b",
]
UNIVERSE = tuple(dict.fromkeys(path for one in _PATHS for path in (one, f"{one.rstrip('/')}/")))


@dataclass(frozen=True)
class Manners:
    """How a host serves x.html and x/index.html for /x, /x/ and the file: `ok`, 404, or the form that it redirects to."""

    file: tuple[str, str, str]
    folder: tuple[str, str, str]
    files_first: bool = False
    slash_counts: bool = True  # when a path is compared with a rule
    unique: bool = False  # of two rules for one path the second is refused
    index_too: bool = False  # a rule may match the index of the path
    syntax: str = "_redirects"
    splat: str = "/*"
    clean: bool = False  # paths lose .html and /index, whatever is there
    either: bool = False  # x.html and x/index.html are redirected to each other's address


HOSTS = {
    "netlify": Manners(("ok", "bare", "ok"), ("slash", "ok", "ok"), files_first=True, slash_counts=False),
    "netlify-plain": Manners(("ok", "ok", "ok"), ("ok", "ok", "ok"), files_first=True, slash_counts=False),
    "cloudflare-pages": Manners(("ok", "bare", "bare"), ("slash", "ok", "slash"), unique=True),
    "cloudflare-workers": Manners(("ok", "bare", "bare"), ("slash", "ok", "slash"), unique=True, either=True),
    "vercel": Manners(("404", "404", "ok"), ("ok", "ok", "ok"), syntax="vercel.json", splat="/(.*)"),
    "vercel with cleanUrls": Manners(("ok", "ok", "bare"), ("ok", "ok", "bare"), syntax="vercel.json", splat="/(.*)", clean=True),
    "firebase": Manners(("404", "404", "ok"), ("slash", "ok", "ok"), syntax="firebase.json", splat="/**"),
    "azure-swa": Manners(("ok", "bare", "ok"), ("ok", "ok", "ok"), index_too=True, syntax="staticwebapp.config.json"),
}  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """`kind`: path, splat (all below the path) or name (one segment below it); `some`: for some requests only."""

    kind: str
    path: str
    target: str  # with {} for what a splat or a name stands for
    status: int
    force: bool = False
    some: bool = False


@dataclass(frozen=True)
class RandomSite:
    host: str
    files: tuple[str, ...]
    rules: tuple[Rule, ...]
    manners: Manners = field(init=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "manners", HOSTS[self.host])

    def control_files(self) -> dict[str, str]:
        if self.manners.syntax == "_redirects":
            return {"_redirects": "".join(f"{self._line(rule)}\n" for rule in self.rules)}
        return {self.manners.syntax: json.dumps(self._settings(), indent=1)}

    def _source(self, rule: Rule) -> str:
        return rule.path + {"path": "", "splat": self.manners.splat, "name": "/:id"}[rule.kind]

    def _target(self, rule: Rule) -> str:
        own = {"_redirects": ":splat", "vercel.json": "$1"}.get(self.manners.syntax, "")
        return rule.target.replace("{}", ":id" if rule.kind == "name" else own)

    def _line(self, rule: Rule) -> str:
        return f"{self._source(rule)} {self._target(rule)} {rule.status}{'!' * rule.force}{' Language=de' * rule.some}"

    def _settings(self) -> object:
        rows = [(self._source(rule), self._target(rule), rule) for rule in self.rules]
        if self.manners.syntax == "vercel.json":
            has = {"has": [{"type": "cookie", "key": "k"}]}
            return {"cleanUrls": self.manners.clean, "redirects": [
                {"source": source, "destination": target, "statusCode": rule.status, **(has if rule.some else {})}
                for source, target, rule in rows
            ]}  # fmt: skip
        if self.manners.syntax == "firebase.json":
            return {"hosting": {"redirects": [
                {"source": source, "destination": target, "type": rule.status} for source, target, rule in rows
            ]}}  # fmt: skip
        return {"routes": [
            {"route": source, "redirect": target, "statusCode": rule.status} for source, target, rule in rows
        ]}  # fmt: skip

    def answer(self, path: str) -> tuple[str, str, int | None]:
        """(`page`, `gone` or a status, where it leads, the number of the rule that decides)."""
        if self.manners.clean and path.endswith((".html", "/index")):
            return "308", path.removesuffix(".html").removesuffix("/index").removesuffix("/") or "/", None
        found = self._file(path)
        if self.manners.files_first and found[0] != "gone":
            number = self._matching(path)
            forced = number is not None and self.rules[number].force
            return self._by_rule(number, path) or found if forced else found
        return self._by_rule(self._matching(path), path) or found

    def _file(self, path: str) -> tuple[str, str, int | None]:
        stem = path.strip("/")
        if path == "/":
            return "page", "", None
        form = 1 if path.endswith("/") else 0
        for name, index, manners in (
            (f"{stem}.html", 0, self.manners.file),
            (f"{stem}/index.html", 1, self.manners.folder),
        ):
            if name in self.files:
                return self._form(manners[form], stem, index)
        if self.manners.either and not form and stem.endswith(".html") and stem not in self.files:
            index = stem.endswith("/index.html")
            stem = stem.removesuffix("/index.html" if index else ".html")
            other = f"{stem}.html" if index else f"{stem}/index.html"
            return ("301", f"/{stem}" if index else f"/{stem}/", None) if other in self.files else ("gone", "", None)
        if form or not stem.endswith(".html") or stem not in self.files:
            return "gone", "", None
        if stem in {"index.html", "404.html"}:
            return self._form(self.manners.folder[2], "", 1) if stem == "index.html" else ("page", "", None)
        index = int(stem.endswith("/index.html"))
        return self._form(
            (self.manners.folder if index else self.manners.file)[2],
            stem.removesuffix("/index.html" if index else ".html"),
            index,
        )

    def _form(self, form: str, stem: str, index: int) -> tuple[str, str, int | None]:
        if form in {"ok", "404"}:
            return ("page" if form == "ok" else "gone"), "", None
        return "301", (f"/{stem}/" if stem else "/") if form == "slash" else f"/{stem}", None

    def _by_rule(self, number: int | None, path: str) -> tuple[str, str, int | None] | None:
        if number is None:
            return None
        rule = self.rules[number]
        value = path.removeprefix(rule.path).removeprefix("/")
        target = rule.target.replace("{}", value.rstrip("/") if rule.kind == "name" else value).partition("#")[0]
        if self.manners.files_first and target.rstrip("/") == path.rstrip("/"):
            return None
        return str(rule.status), target, number

    def _matching(self, path: str) -> int | None:
        """The first rule for a path that every visitor gets."""
        for number, rule in enumerate(self.rules):
            if rule.some or not self.matches(rule, path):
                continue
            if self._refuses(rule):
                continue
            if self.manners.index_too and rule.target.partition("#")[0] == path:
                continue
            return number
        return None

    def _refuses(self, rule: Rule) -> bool:
        """Cloudflare, what its pages would redirect back to the rule."""
        endless = rule.kind == "splat" or rule.path.endswith("/")
        return self.manners.unique and endless and rule.target.endswith("/index.html")

    def matches(self, rule: Rule, path: str) -> bool:
        paths = [path]
        if self.manners.index_too and "." not in path:
            paths.append(f"{path.removesuffix('/')}/index.html")
        return any(self._matches(rule, one) for one in paths)

    def _matches(self, rule: Rule, path: str) -> bool:
        either = not self.manners.slash_counts
        bare = path.rstrip("/") or "/"
        if rule.kind == "path":
            if either:
                return bare == (rule.path.rstrip("/") or "/")
            return path == rule.path or (self.manners.syntax == "firebase.json" and path == f"{rule.path.rstrip('/')}/")
        rest = path.removeprefix(f"{rule.path}/") if path.startswith(f"{rule.path}/") else None
        if rule.kind == "splat":
            return rest is not None or (either and bare == rule.path)
        if rest is not None and (either or self.manners.syntax == "firebase.json"):
            rest = rest.removesuffix("/")
        return bool(rest) and "/" not in rest

    @cached_property
    def _decides(self) -> dict[str, int | None]:
        """The number of the rule that decides, of each path."""
        return {path: self.answer(path)[2] for path in UNIVERSE}

    def fate(self, number: int) -> str:
        """What becomes of a rule; `unknown` where a rule for some requests may answer on the way."""
        rule = self.rules[number]
        if rule.some:
            return "unknown"
        earlier = [one for one in self.rules[:number] if self.manners.unique and not self._refuses(one)]
        if self._refuses(rule) or any((one.kind, one.path) == (rule.kind, rule.path) for one in earlier):
            return "unserved"
        own = [path for path, decides in self._decides.items() if decides == number]
        if not own:
            kind, where, _ = self.answer(rule.path)  # leads to the same place without the rule
            alike = rule.kind == "path" and kind.isdigit() and where == rule.target.partition("#")[0]
            return "served" if alike else "unserved"
        if rule.kind != "path":
            return "served"
        return self._walk(number, rule.path if rule.path in own else own[0])

    def _walk(self, number: int, start: str) -> str:
        urls, unsure = [HOME + start[1:]], False
        fate = ""
        while not fate:
            path = f"/{urls[-1].removeprefix(HOME).partition('?')[0]}"
            kind, target, _ = self.answer(path)
            if not kind.isdigit():
                fate = "dead-end" if kind == "gone" else "chain" if len(urls) > 2 else "served"
                break
            url = HOME + target[1:] if target.startswith("/") else target
            unsure = unsure or any(
                rule.some and self.matches(rule, f"/{url.removeprefix(HOME).partition('?')[0]}") for rule in self.rules
            )
            if url in urls:
                rules = {
                    self.answer(f"/{one.removeprefix(HOME).partition('?')[0]}")[2] for one in urls[urls.index(url) :]
                }
                fate = "loop" if number in rules else "dead-end"
            elif len(urls) > 10:
                fate = "dead-end"
            elif not url.startswith(HOME):
                fate = "served"
            urls.append(url)
        return "unknown" if unsure and fate != "served" else fate


def random_site(host: str, seed: int) -> RandomSite:
    """The same for the same seed."""
    chance = random.Random(f"{host} {seed}")
    stems = chance.sample(["a", "b", "x", "w/a"], chance.randrange(1, 4))
    files = ["index.html", "404.html", *(f"{stem}{chance.choice(['.html', '/index.html'])}" for stem in stems)]
    rules = tuple(_random_rule(chance, HOSTS[host]) for _ in range(chance.randrange(1, 9)))
    return RandomSite(host, tuple(files), rules)


def _random_rule(chance: random.Random, manners: Manners) -> Rule:
    kinds = ["path"] * 5 + ["splat"] + ["name"] * (not manners.index_too)
    kind = chance.choice(kinds)
    paths = ["/a", "/b", "/b/", "/old", "/old/", "/x", "/y", "/x/", "/w/a", "/a.html", "/b/index.html"]
    path = chance.choice(["/old", "/x", "/w", "/y"]) if kind != "path" else chance.choice(paths)
    if kind == "splat" and chance.random() < 0.2 and manners.syntax != "firebase.json":
        path = ""
    targets = [*paths, "/", "/nowhere", "/x?q=1", "/a#part", ELSEWHERE, f"{HOME}old", f"{HOME}nowhere", "/y/"]
    target = chance.choice(targets)
    carries = manners.syntax in {"_redirects", "vercel.json"}
    if kind == "name":
        target = chance.choice(["/{}", "/x/{}", "/w/{}"])
    elif kind == "splat" and carries and chance.random() < 0.5:
        target = chance.choice(["/w/{}", "/y/{}", "/{}"])
    conditional = manners.syntax == "vercel.json" or manners.files_first
    return Rule(
        kind,
        path,
        target,
        chance.choice([301, 302]),
        force=manners.files_first and chance.random() < 0.3,
        some=conditional and chance.random() < 0.1,
    )
