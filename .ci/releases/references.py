"""How others name this action: its repository, one constant of the package, and the version that examples use."""

import re
from collections.abc import Iterator

from tree import RefusalError, Tree

PLACEHOLDER = "OWNER"
_CONSTANT = ("sitemap_action/__init__.py", r'(?m)^REPOSITORY = "([\w.-]+)/([\w.-]+)"')
_TEXTS = (
    *("README.md", "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml", "action.yml"),
    *("docs", "examples", "host", "browser", "python", "tests", ".ci", ".github"),
)
_SUFFIXES = {".md", ".yml", ".yaml", ".toml", ".py", ".json", ".html", ".txt", ""}


def repository(tree: Tree) -> tuple[str, str]:
    """(owner, name)"""
    found = re.search(_CONSTANT[1], tree.read(_CONSTANT[0]))
    if not found:
        raise RefusalError(f"{_CONSTANT[0]} has no line REPOSITORY")
    return found[1], found[2]


def require_owner(tree: Tree) -> tuple[str, str]:
    owner, name = repository(tree)
    if owner == PLACEHOLDER:
        raise RefusalError(
            f"the repository has no owner yet: python .ci/releases owner NAME puts it in place of {PLACEHOLDER}"
        )
    return owner, name


def files(tree: Tree) -> Iterator[str]:
    """Those that may name the action; what git does not track is not ours."""
    for name in tree.git("ls-files", "-z", "--", *_TEXTS, _CONSTANT[0]).split("\0"):
        path = tree.root / name
        if name and path.suffix in _SUFFIXES and path.is_file() and not name.startswith(".ci/releases/"):
            yield name


def set_owner(tree: Tree, owner: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", owner) or owner == PLACEHOLDER:
        raise RefusalError(f"{owner!r} is no name of a GitHub account")
    before, name = repository(tree)
    for file in files(tree):
        text = tree.read(file)
        tree.write(file, re.sub(rf"(?<![\w-]){before}(?=/{re.escape(name)}\b)|(?<=[\"']){before}(?=/\*)", owner, text))


def set_reference(tree: Tree, version: str) -> None:
    """Examples name the major version, which every release of it moves; before 1.0 they name the branch."""
    owner, name = repository(tree)
    major = version.partition(".")[0]
    wanted = f"v{major}" if major != "0" else "main"
    for file in files(tree):
        if file.startswith(("docs/", "examples/", "README.md")):
            named = rf"((?:{owner}/{name}(?:/\w+)?@)|(?:rev: ))(?:main|v\d+)\b"
            text = re.sub(named, rf"\g<1>{wanted}", tree.read(file))
            tree.write(file, text if wanted == "main" else re.sub(r"(?m) # no release yet: .*$", "", text))
