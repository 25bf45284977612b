"""The table of attacks, from the tests that are marked as one; `python tests/attacks.py` writes tests/attacks.md anew.

A test is marked with `@pytest.mark.attack("kind")`. Each of its cases is a variant, each example that Hypothesis draws,
and `tried=N` says how many a test tries that loops itself. Counted is what is drawn at night (tests/examples.py).
"""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tables import rows_of

ROOT = Path(__file__).parents[1]
FILE = ROOT / "tests/attacks.md"
KINDS = {
    "git": "A planted repository, configuration, hook, attribute, helper, remote, alternate or partial clone has a command run.",
    "storage": "Objects, packs, references and lists below `.git` are rewritten, or lead elsewhere: what a commit has is forged, or other files are shown.",
    "kernel": "The reading process is taken over, and calls what the kernel has for changing modes, reaching Unix sockets, namespaces and processes.",
    "patterns": "Strings that are made of the syntax of each pattern of the package: repeated prefixes, separators, near misses.",
    "imports": "Modules of the checkout are imported in the place of the library's.",
    "root": "The process that reads is taken over, and asks the one that publishes to write, delete or publish; its container has more than it needs.",
    "paths": "A name, link, pipe or device leads outside of the workspace, below `.git`, or never ends.",
    "policy": "A pull request changes what is seen, compared or tolerated, or hides a removal.",
    "state": "A file at `--state` that is damaged, or that somebody else made.",
    "addresses": "A private, loopback, link-local or metadata address, by any spelling, name, redirect or second answer of DNS.",
    "network": "A connection in spite of `--offline`.",
    "secrets": "The token or a secret header is sent elsewhere, printed, stored, or given to a program.",
    "injection": "Text of a site forges a log line, workflow command, output, table row, link or formula.",
    "requests": "Another page, host name, program or user of the machine asks the screen of `ui`.",
    "arguments": "Options, inputs and paths that are no text, too long, or look like another program's options.",
    "cost": "Quadratic time, bombs, endless documents: ten times the input is at most twelve times the work.",
    "bytes": "Any bytes for every reader, drawn by Hypothesis (`make fuzz` draws many more).",
    "supply chain": "An image, action or package that is not the one that was reviewed.",
    "image": "The exploits together, against the built image, started as a runner starts it.",
}  # fmt: skip
_HEAD = """# Attacks

What was tried against this program, and held. The table is made from the tests that are marked as attacks (`make
attacks`); all of them run in CI, which fails when one succeeds: of the examples that are drawn, a fifth with each commit, all at night. [security.md](../docs/security.md) has the threat model.

"""


class _Collected:
    """A plugin that collects, and runs nothing."""

    def __init__(self) -> None:
        self.tried: Counter[tuple[str, str]] = Counter()
        self.open: Counter[tuple[str, str]] = Counter()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in (row for made in session.items for row in rows_of(made)):
            for mark in item.iter_markers("attack"):
                (kind,) = mark.args
                assert kind in KINDS, f"{item.nodeid}: {kind} is no kind of {Path(__file__).name}"
                key = kind, item.path.relative_to(ROOT).as_posix()
                self.tried[key] += mark.kwargs.get("tried", 0) or _examples(item)
                self.open[key] += any(True for _ in item.iter_markers("xfail"))


def _examples(item: pytest.Item) -> int:
    settings = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
    return settings.max_examples if settings else 1


def collected() -> str:
    plugin = _Collected()
    files = [str(path) for path in sorted((ROOT / "tests").rglob("test_*.py")) if "mark.attack(" in path.read_text(encoding="utf-8")]  # fmt: skip
    options = ["--collect-only", "--import-mode=importlib", "--strict-markers", "--assert=plain"]
    # Hypothesis would read the source of each module for its constants.
    options += [word for name in ("cacheprovider", "terminal", "hypothesispytest") for word in ("-p", f"no:{name}")]
    assert pytest.main(["-o", "addopts=", *options, *files], plugins=[plugin]) == 0
    tried, left = plugin.tried.total(), plugin.open.total()
    kinds = [kind for kind in KINDS if _count(plugin.tried, kind)]
    still = f", {left} open" if left else ""
    total = f"**{tried:,} variants of {len(kinds)} kinds of attack, {tried - left:,} held{still}.**"
    table = ["| kind | attack | tried | held | where |", "|---|---|--:|--:|---|"]
    table += [_row(plugin, kind) for kind in kinds]
    return f"{_HEAD}{total}\n\n" + "\n".join(table) + "\n"


def _row(plugin: _Collected, kind: str) -> str:
    tried = _count(plugin.tried, kind)
    held = tried - _count(plugin.open, kind)
    return f"| {kind} | {KINDS[kind]} | {tried:,} | {held:,} | {_where(plugin, kind)} |"


def _count(counts: Counter[tuple[str, str]], kind: str) -> int:
    return sum(count for (name, _), count in counts.items() if name == kind)


def _where(plugin: _Collected, kind: str) -> str:
    rows = sorted((path, count) for (name, path), count in plugin.tried.items() if name == kind)
    return "<br>".join(f"[{path.removeprefix('tests/')}](../{path}) {count:,}" for path, count in rows)


def rendered() -> str:
    """In a process of its own: a collection within a run would see the plugins and settings of that run."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SITEMAP_ACTION_"))
    }
    done = subprocess.run(
        [sys.executable, __file__, "--print"],
        capture_output=True,
        check=False,
        cwd=ROOT,
        env=environment,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


if __name__ == "__main__":
    os.environ["SITEMAP_ACTION_EXAMPLES"] = "100"
    text = collected()
    if "--print" in sys.argv:
        sys.stdout.buffer.write(text.encode())
    else:
        FILE.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{FILE.name}\n")
