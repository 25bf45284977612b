"""Applications with routers of their own (`tests/applications/routers`), the delays of their interface, and a person who clicks.

    python tests/routers.py [--runs N] [--at-once N] [NAME…]      every application at every delay, as a table

The person is a tab of Chromium with a frame for each page: one that follows the link to it, and one that opens its
address. It has seen a page when the server has had nothing to answer for a while. It shares nothing with the program.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from browser import Browser, browser, program
from client_side import built
from servers import Answering, Asked, Reply, Site, serve

SITE = "https://www.example.com/"
NAMES = (
    *("alpine", "angular", "backbone", "docsify", "htmx", "inferno", "lit", "mithril", "navigo", "page"),
    *("preact-iso", "qwik", "react-router", "riot", "solid", "svelte", "sveltekit", "tanstack", "vue-router", "wouter"),
)
DELAYS = (0.0, 0.1, 0.6, 1.0, 3.0)  # seconds
TEXT = " ".join(f"The harbour has {count} boats, and each of them has a name." for count in range(3, 9))


def _page(title: str, *links: str, **head: str) -> dict[str, Any]:
    return {"title": title, "text": f"{title}. {TEXT}", "links": links, **head}


PAGES = {
    "/": _page("Harbour", "/boats", "/tides", "/staff", "/leaflet", "/wreck", "/quay"),
    "/boats": _page("Boats", "/boats/ferry", "/", canonical="/boats"),
    "/boats/ferry": _page("The ferry", "/boats"),
    "/tides": _page("Tides", "/", "/sunk"),
    "/staff": _page("Staff", "/rota", robots="noindex"),
    "/rota": _page("Rota", "/staff"),
    "/leaflet": _page("Leaflet", "/boats", canonical="/boats"),
    "/quay": {"title": "", "text": "", "links": [], "moved": "/tides"},
}
TYPES = {".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".html": "text/html"}


class Harbour:
    """The server of one application. `delay` in seconds; None: another for each answer, from `seed`."""

    def __init__(self, name: str, delay: float | None, seed: int = 0) -> None:
        self._folder, self._delay = built("routers") / name, delay
        self._random = random.Random(seed)

    def answer(self, asked: Asked) -> Reply:
        path = asked.path.partition("?")[0]
        if path.startswith("/api/"):
            return self._data(path)
        if path == "/person":
            return Reply("<!doctype html><title>Person</title>")
        if path in {"/robots.txt", "/llms.txt"} or path.startswith("/sitemap") or path.endswith((".ico", ".xml")):
            return Reply(status=404)
        file = self._folder / path.lstrip("/")
        if file.is_file():
            return Reply(file.read_bytes(), type=TYPES.get(file.suffix, "application/octet-stream"))
        return Reply((self._folder / "index.html").read_bytes(), 404 if path == "/sunk" else 200)

    def _data(self, path: str) -> Reply:
        delay = self._random.uniform(0, 3) if self._delay is None else self._delay
        _, _, kind, rest = path.split("/", 3) if path.count("/") > 2 else (*path.split("/"), "")
        if kind == "session":
            return Reply('{"visitor": 1}', type="application/json", delay=delay)
        page = PAGES.get("/" + rest.removesuffix("index.md").removesuffix(".md"))
        shown = page or {"title": "Nothing is here", "text": "We could not find what you asked for.", "links": []}
        if kind == "views":
            links = " ".join(f'<a href="{to}">{to}</a>' for to in shown["links"])
            view = f"<h1>{shown['title']}</h1><p>{shown['text']}</p>{links}"
            return Reply(view, 200 if page else 404, {"X-Head": json.dumps(shown)}, delay=delay)
        if kind == "documents":
            links = "\n".join(f"- [{to}]({to})" for to in shown["links"])
            text = f"{json.dumps(shown)}\n# {shown['title']}\n\n{shown['text']}\n\n{links}"
            return Reply(text if page else b"", 200 if page else 404, type="text/markdown", delay=delay)
        if page and kind == "texts":
            page = {key: value for key, value in page.items() if key != "links"}
        elif page and kind == "links":
            page = {"links": page["links"]}
        return Reply(json.dumps(page), 200 if page else 404, type="application/json", delay=delay)


@contextmanager
def harbour(name: str, delay: float | None, seed: int = 0) -> Iterator[Site]:
    with serve({"*": Answering(Harbour(name, delay, seed).answer)}) as site:
        yield site


class Seen(NamedTuple):
    """One page as somebody saw it: `kind` is page, noindex, canonical, moved, missing or gone."""

    kind: str
    to: str = ""  # a path: the canonical, or where it went


EXPECTED = {
    **dict.fromkeys(("/", "/boats", "/boats/ferry", "/tides", "/rota"), Seen("page")),
    "/staff": Seen("noindex"),
    "/leaflet": Seen("canonical", "/boats"),
    "/quay": Seen("moved", "/tides"),
    "/wreck": Seen("missing"),
    "/sunk": Seen("gone"),
}
"""What a person sees in each application, at each delay."""


# The person

_READ = """(frame => {
  const deep = (root) => [root, ...[...root.querySelectorAll('*')].filter((one) => one.shadowRoot).flatMap((one) => deep(one.shadowRoot))];
  const page = frame.contentDocument, roots = deep(page);
  const texts = (root) => [...root.querySelectorAll('h1, p')].filter((one) => one.checkVisibility()).map((one) => one.textContent.trim());
  return {
    path: frame.contentWindow.location.pathname,
    status: frame.contentWindow.performance.getEntriesByType('navigation')[0].responseStatus,
    robots: page.querySelector('meta[name=robots]')?.content ?? '',
    canonical: page.querySelector('link[rel=canonical]')?.href ?? '',
    text: roots.flatMap(texts).join(' '),
    links: [...new Set(roots.flatMap((root) => [...root.querySelectorAll('a[href]')]).filter((one) => one.checkVisibility())
      .map((one) => new URL(one.href, page.baseURI)).filter((one) => one.origin === location.origin).map((one) => one.pathname))],
  };
})"""
_CLICK = """((frame, to) => {
  const deep = (root) => [root, ...[...root.querySelectorAll('*')].filter((one) => one.shadowRoot).flatMap((one) => deep(one.shadowRoot))];
  const links = deep(frame.contentDocument).flatMap((root) => [...root.querySelectorAll('a[href]')]);
  links.find((one) => new URL(one.href, frame.contentDocument.baseURI).pathname === to).click();
})"""
_SIZES = """[...document.querySelectorAll('iframe')].map((frame) => {
  const deep = (root) => root.innerHTML.length + [...root.querySelectorAll('*')].filter((one) => one.shadowRoot)
    .reduce((size, one) => size + deep(one.shadowRoot), 0);
  return frame.contentDocument?.readyState === 'complete' ? deep(frame.contentDocument.documentElement) : -1;
}).join()"""
_NOWHERE = "/no-such-quay"


class Person:
    """Follows every link from the start page, and notes what each page is."""

    def __init__(self, site: Site, tab: Browser) -> None:
        self._site, self._tab = site, tab
        tab.open(f"{site.url}person")

    def look(self) -> dict[str, Seen]:
        found: dict[str, Seen] = {}
        nowhere: dict[str, Any] = {}
        level = {"/": "", _NOWHERE: ""}  # path → the page with a link to it
        while level:
            views = self._frames([(parent, path) for path, parent in level.items()])
            nowhere = nowhere or views[1]
            found |= {path: _judge(path, view, nowhere) for path, view in zip(level, views, strict=True)}
            level = {
                to: path
                for (path, view) in zip(level, views, strict=True)
                if found[path].kind not in {"moved", "gone", "missing"}
                for to in view["links"]
                if to not in found
            }
        assert found.pop(_NOWHERE).kind == "missing"
        return found

    def _frames(self, wanted: list[tuple[str, str]]) -> list[dict[str, Any]]:
        """What is seen at each (parent, path): at its address, and the same after a click on the link of the parent."""
        rows = [(path, parent) for parent, path in wanted]
        self._run(
            "document.body.replaceChildren(...", [one for path, parent in rows for one in (path, parent or path)], ")"
        )
        self._wait()
        for number, (path, parent) in enumerate(rows):
            if parent:
                self._tab.run(f"{_CLICK}(document.body.children[{2 * number + 1}], {path!r})")
        self._wait()
        seen = []
        for number, (path, _) in enumerate(rows):
            opened, clicked = (self._tab.run(f"{_READ}(document.body.children[{2 * number + one}])") for one in (0, 1))
            same = {key: value for key, value in opened.items() if key != "status"}
            assert same == {key: value for key, value in clicked.items() if key != "status"}, (path, opened, clicked)
            seen.append(opened)
        return seen

    def _run(self, before: str, paths: list[str], after: str) -> None:
        frames = f"{json.dumps(paths)}.map((path) => Object.assign(document.createElement('iframe'), {{src: path}}))"
        self._tab.run(before + frames + after + ", 0")

    def _wait(self) -> None:
        """Until for two seconds no answer is open, every document is loaded, none changes, and the browser answers at once."""
        calm, before = 0, ""
        while calm < 40:
            began = time.monotonic()
            seen = self._tab.run(_SIZES)
            is_calm = seen == before and "-1" not in seen and not self._site.running and time.monotonic() < began + 0.3
            calm, before = calm + 1 if is_calm else 0, seen
            time.sleep(0.05)


def _judge(path: str, view: dict[str, Any], nowhere: dict[str, Any]) -> Seen:
    canonical = view["canonical"] and "/" + view["canonical"].split("/", 3)[3]
    if view["status"] == 404:
        return Seen("gone")
    if view["path"] != path:
        return Seen("moved", view["path"])
    if "noindex" in view["robots"]:
        return Seen("noindex")
    if canonical not in {"", path}:
        return Seen("canonical", canonical)
    return Seen("missing" if view["text"] == nowhere["text"] else "page")


def person(site: Site) -> dict[str, Seen]:
    with browser() as tab:
        return Person(site, tab).look()


# The program


def check(site: Site, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "sitemap_action", "check", "--url", site.url, "--site-url", SITE, "--quiet"]
    done = subprocess.run(
        [*command, "--report", "json=report.json"],
        cwd=folder,
        env=os.environ | {"SITEMAP_ACTION_BROWSER": program(), "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1, 3}, done.stderr
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


KINDS = {"soft-404": "missing", "gone": "gone", "moved": "moved"}


def judged(report: dict[str, Any]) -> dict[str, Seen]:
    """What the report says of each path."""
    found = {_path(row["url"]): Seen("page") for row in report["added"]}
    for row in report["skipped"]:
        kind, to = KINDS.get(row["reason"], row["reason"]), ""
        if row["reason"] == "deindexed":
            kind, to = ("noindex", "") if "noindex" in row["detail"] else ("canonical", row["detail"])
        elif row["reason"] == "moved":
            to = row["detail"]
        found[_path(row["url"])] = Seen(kind, to)
    return found


def _path(url: str) -> str:
    return "/" + url.removeprefix(SITE)


class Run(NamedTuple):
    """One run beside the person: `wrong` are differences as text, `undetermined` pages with their reasons."""

    name: str
    delay: str
    wrong: tuple[str, ...]
    undetermined: tuple[str, ...]


def compare(name: str, delay: float | None, seeds: tuple[int, ...] = (0,)) -> list[Run]:
    """The person at one delay, and a run of the program for each seed."""
    with harbour(name, delay) as site:
        seen = person(site)
    return [compare_with(seen, name, delay, seed) for seed in seeds]


def compare_with(seen: dict[str, Seen], name: str, delay: float | None, seed: int = 0) -> Run:
    with TemporaryDirectory() as folder, harbour(name, delay, seed) as site:
        report = check(site, Path(folder))
    said = judged(report)
    unknown = {_path(row["url"]): row["reason"] for row in report["undetermined"]}
    wrong = [f"{path}: {said[path]} for {seen.get(path)}" for path in said if not _agrees(path, said[path], seen)]
    lost = [] if unknown else [f"{path}: not found, {one}" for path, one in seen.items() if path not in said]
    reasons = [*(f"{path}: {why}" for path, why in unknown.items()), *report["incomplete"]]
    return Run(name, "random" if delay is None else f"{delay:g}", (*wrong, *lost), tuple(reasons))


def _agrees(path: str, said: Seen, seen: dict[str, Seen]) -> bool:
    """An address with a query is a view of its page: it is never listed as another one."""
    bare, question, _ = path.partition("?")
    if question:
        return said.kind != "page" and bare in seen
    one = seen.get(path)
    return one is not None and said.kind == one.kind and (not one.to or f"{SITE.rstrip('/')}{one.to}" in said.to)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=NAMES)
    parser.add_argument("--runs", type=int, default=15, help="with delays at random, for each application")
    parser.add_argument("--at-once", type=int, default=3)
    arguments = parser.parse_args()
    cells = [(name, delay) for delay in (*DELAYS, None) for name in arguments.names]
    runs: list[Run] = []
    with ThreadPoolExecutor(arguments.at_once) as pool:
        for found in pool.map(
            lambda cell: compare(*cell, tuple(range(arguments.runs)) if cell[1] is None else (0,)), cells
        ):
            runs += found
            for run in found:
                say(f"{run.name:14}{run.delay:>7}", *run.wrong, *run.undetermined)
    print_table(runs, arguments.names)
    return int(any(run.wrong for run in runs) or sum(bool(run.undetermined) for run in runs) > 0.02 * len(runs))


def say(*words: str) -> None:
    sys.stdout.write("  ".join(words) + "\n")
    sys.stdout.flush()


def print_table(runs: list[Run], names: tuple[str, ...]) -> None:
    """Runs without a difference of all, for each application and delay; `?` before those that are undetermined."""
    kinds = [f"{delay:g}" for delay in DELAYS] + ["random"]
    say(f"\n{'seconds':14}", *(f"{kind:>9}" for kind in kinds))
    for name in names:
        mine = [run for run in runs if run.name == name]
        good = Counter(run.delay for run in mine if not run.wrong and not run.undetermined)
        asked = Counter(run.delay for run in mine)
        say(f"{name:14}", *(f"{good[kind]}/{asked[kind]}".rjust(9) for kind in kinds))
    wrong, unknown = (
        sum(bool(one) for one in found) for found in zip(*((run.wrong, run.undetermined) for run in runs), strict=True)
    )
    say(f"{len(runs)} runs, {wrong} wrong, {unknown} undetermined")


if __name__ == "__main__":
    sys.exit(main())
