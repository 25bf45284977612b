"""benchmarks/mutants.py changes what it says, one place at a time."""

import ast
import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "benchmarks/mutants.py"
specification = importlib.util.spec_from_file_location("mutants", SCRIPT)
assert specification is not None
assert specification.loader is not None
mutants = importlib.util.module_from_spec(specification)
specification.loader.exec_module(mutants)

SOURCE = """
def clip(values: list[int], most: int = 3) -> list[int]:
    found = []
    for value in values:
        if value < most and value:
            found.append(value)
            continue
    return [one for one in found if one]
"""


def test_each_mutation_is_one_change() -> None:
    count = len(mutants.find_mutations(ast.parse(SOURCE)))
    plain, changed = ast.unparse(ast.parse(SOURCE)).splitlines(), []
    for number in range(count):
        tree = ast.parse(SOURCE)
        mutants.find_mutations(tree)[number].apply()
        lines = ast.unparse(ast.fix_missing_locations(tree)).splitlines()
        changed += [new.strip() for old, new in zip(plain, lines, strict=True) if old != new]
    assert sorted(changed) == [
        "def clip(values: list[int], most: int=2) -> list[int]:",
        "def clip(values: list[int], most: int=4) -> list[int]:",
        "if not (value < most and value):",
        "if value < most or value:",
        "if value <= most and value:",
        "pass",
        "pass",
        "return",
        "return [one for one in found]",
    ]
