"""Random files with redirects, in the layouts that people write, and redirects to add to them whose paths are hostile."""

import os
import random
from collections.abc import Callable
from typing import NamedTuple

from sitemap_action.hosts.redirect_edits import Redirect, RedirectEdits, RedirectFormat, RedirectPlace, SourceFiles
from sitemap_action.hosts.redirect_files import add_redirects
from sitemap_action.hosts.routes import location

SEED = int(os.environ.get("SITEMAP_ACTION_SEED") or 40)
COUNT = int(os.environ.get("SITEMAP_ACTION_TABLES") or 500)
SEGMENTS = (
    *("kilo", "x", "v1.2", "a-b", "7", "Kilo", "old", "page.html", "index.html", "caf%C3%A9", "%20", "a%23b", "%3F", "%25", "%2F"),
    *("(x)", "a:b", ":id", ":splat", "*", "a*", "**", "a+b", "[x]", "{y}", "{a,b}", "it's", "!x", "~", "@(a)", "$1", "$", "^", "&=", ",;"),
    *("%22q%22", "%5C", "%00", "%0A", "%E2%80%AE", "#", "?x=1", '"', "%ff", "..", "", "-->", "'", "`${x}`"),
)  # fmt: skip
Rules = list[tuple[str, str]]
_SYNTAX = frozenset("%#?\"'`*:()[]{}$")


class RandomTable(NamedTuple):
    """A file before, the rules in it as paths and targets, and what is added."""

    before: str
    rules: tuple[tuple[str, str], ...]
    new: tuple[Redirect, ...]


def random_path(chance: random.Random, first: str) -> str:
    parts = chance.choices(SEGMENTS, k=chance.randrange(0, 4)) if chance.random() < 0.6 else ["kilo"]
    path = "/".join((f"/{first}", *parts)) + chance.choice(["", "", "/"])
    return path if chance.random() < 0.1 else location(path)


def random_table(form: str, number: int, write: Callable[[random.Random, Rules], str]) -> RandomTable:
    """`write`: a file with these rules; some of them lead to what is redirected now."""
    chance = random.Random(f"{SEED} {form} {number}")
    count = chance.randrange(1, 7)
    new = [Redirect(random_path(chance, f"s{at}"), random_path(chance, f"t{at}")) for at in range(count)]
    rules = []
    for at in range(chance.randrange(0, 5)):
        to = chance.choice(new).source if chance.random() < 0.4 else f"/r{at}"
        rules.append((f"/q{at}", f"/r{at}" if set(to) & _SYNTAX else to))
    text = write(chance, rules)
    if chance.random() < 0.2:
        text = text.replace("\n", "\r\n")
    return RandomTable(text, tuple(rules), tuple(new))


class Edited(NamedTuple):
    """A table, the file afterwards, and the edits."""

    table: RandomTable
    text: str
    edits: RedirectEdits


def files_of(files: dict[str, bytes]) -> SourceFiles:
    def names(folder: str) -> frozenset[str]:
        start = f"{folder}/" if folder else ""
        return frozenset(path.removeprefix(start).partition("/")[0] for path in files if path.startswith(start))

    return SourceFiles(files.get, names)


def add_to(place: RedirectPlace, table: RandomTable, files: dict[str, bytes] | None = None) -> Edited:
    """The table with what is added. A second time there is nothing to add; what was not retargeted stays."""

    def run(content: bytes) -> RedirectEdits:
        return add_redirects(place, table.new, files_of({**(files or {}), place.path: content}))

    edits = run(table.before.encode())
    content = edits.files.get(place.path, table.before.encode())
    again = run(content)
    assert (again.files, again.added, again.compacted) == ({}, (), ()), table
    assert len(again.present) == len(edits.added) + len(edits.present), table
    assert len(edits.added) + len(edits.present) + len(edits.refused) == len(table.new), table
    changed = {row.line for row, _ in edits.compacted}
    kept = [line for at, line in enumerate(table.before.splitlines(), 1) if at not in changed]
    assert place.format is not RedirectFormat.REDIRECTS or is_part(kept, content.decode().splitlines()), table
    return Edited(table, content.decode(), edits)


def is_part(lines: list[str], of: list[str]) -> bool:
    """Whether the lines are among others, in their order."""
    rest = iter(of)
    return all(line in rest for line in lines)
