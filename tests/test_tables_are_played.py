"""Every table in a file of tests is read: rows that no test plays any more would say that what they hold is held."""

import ast
import re
from collections.abc import Mapping
from pathlib import Path

TESTS = Path(__file__).parent
_TABLE = re.compile(r"[A-Z][A-Z0-9_]+")
_OF_OTHERS = {"generators", "applications"}  # files that their programs read


def unread_tables(files: Mapping[str, str]) -> list[str]:
    """FILE: NAME of each constant that neither its file nor one that imports it reads; `files`: path → code."""
    taken = set()  # (module, name) that another file takes
    read = set()  # (path, name)
    made = {}
    for path, code in files.items():
        tree = ast.parse(code)
        made[path] = {node.id for one in tree.body if isinstance(one, ast.Assign | ast.AnnAssign) for node in ast.walk(one) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}  # fmt: skip
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    read.add((path, node.id))
            elif isinstance(node, ast.ImportFrom) and node.module:
                taken |= {(node.module.rpartition(".")[2], one.name) for one in node.names}
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                taken.add((node.value.id, node.attr))
    used, found = read | taken, []
    for path, names in made.items():
        unread = {
            name
            for name in names
            if _TABLE.fullmatch(name) and used.isdisjoint({(path, name), (Path(path).stem, name)})
        }
        found += [f"{path}: {name}" for name in sorted(unread)]
    return found


def test_every_table_is_played() -> None:
    paths = [path.relative_to(TESTS) for path in TESTS.rglob("*.py")]
    files = {str(one): (TESTS / one).read_text(encoding="utf-8") for one in paths if one.parts[0] not in _OF_OTHERS}
    assert len(files) > 100
    assert unread_tables(files) == []


def test_a_table_that_no_test_plays_is_found() -> None:
    files = {
        "rows.py": "ROWS = [1]\nOTHERS = [2]\nKEPT: list[int] = []",
        "test_a.py": "import rows\nfrom rows import ROWS\nRUNS = [one for one in ROWS]\nprint(rows.KEPT)",
    }
    assert unread_tables(files) == ["rows.py: OTHERS", "test_a.py: RUNS"]
