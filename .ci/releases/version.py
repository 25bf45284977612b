"""One version in every file that names it."""

import re

import changelog
import references
from tree import RefusalError, Tree

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_PLACES = (("pyproject.toml", r'(?m)^version = "(.*)"$'), ("sitemap_action/__init__.py", r'(?m)^__version__ = "(.*)"$'))


def parsed(text: str) -> tuple[int, int, int]:
    """Raises RefusalError: what has another form is no release."""
    found = _VERSION.fullmatch(text)
    if not found:
        raise RefusalError(f"{text!r} is no version; name it as 1.2.3")
    major, minor, patch = map(int, found.groups())
    return major, minor, patch


def current(tree: Tree) -> str:
    """Raises RefusalError where the places differ."""
    stated = {name: re.findall(pattern, tree.read(name)) for name, pattern in _PLACES}
    values: set[str] = {value for found in stated.values() for value in found}
    if len(values) != 1 or not all(stated.values()):
        raise RefusalError(f"the files name different versions: {stated}; make them one")
    return values.pop()


def prepare(tree: Tree, wanted: str, date: str) -> None:
    now = current(tree)
    if parsed(wanted) <= parsed(now):
        raise RefusalError(f"{wanted} does not come after {now}; name a higher version")
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        raise RefusalError(f"{date!r} is no date; name it as 2026-01-31")
    cut = changelog.cut(tree.read("CHANGELOG.md"), wanted, date)
    for name, pattern in _PLACES:
        tree.write(name, re.sub(pattern, lambda found: found[0].replace(now, wanted), tree.read(name)))
    tree.write("CHANGELOG.md", cut)
    references.set_reference(tree, wanted)
