"""The goals for the shape of the package (`make measure`) that have been reached are held."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks/measure.py"
specification = importlib.util.spec_from_file_location("measure", SCRIPT)
assert specification is not None
assert specification.loader is not None
measure = importlib.util.module_from_spec(specification)
specification.loader.exec_module(measure)

NOT_REACHED = {
    "lines",
    "records",
    "files that a check of five pages runs",
}

# What a figure counts in this package, and what it does not.
PLANTED = {
    "a/__init__.py": "",
    "a/walk.py": """
        from a.leaf import one
        MAX_HOPS = 10

        def follow(site, page):
            for _ in range(MAX_HOPS):
                page = site.page(page.target)
            return page

        def each(site):
            for page in site.pages():
                print(page.target)
    """,
    "a/leaf.py": '''
        from typing import NamedTuple

        class Row(NamedTuple):
            name: str
            size: int

        def _kept(row):
            """Of a row, its name."""
            from a import late
            return row.message == "not found" or row.detail.startswith("x") or row.name == "x"

        def embed(row, *, size=0):
            """Embeds a row."""
    ''',
    "a/late.py": "from a import cycle\n",
    "a/cycle.py": "from a import late\n",
}


def test_goals_that_were_reached() -> None:
    figures = measure.own_figures(run=False)
    held = [name for name in measure.GOALS if name in figures and name not in NOT_REACHED]
    missed = {name: (figures[name][0], measure.GOALS[name]) for name in held if figures[name][0] > measure.GOALS[name]}
    assert missed == {}, "\n".join(line for name in missed for line in [name, *figures[name][1]])


def test_a_goal_that_was_not_reached_is_one() -> None:
    assert set(measure.GOALS) >= NOT_REACHED


def test_figures_of_a_planted_package(tmp_path: Path) -> None:
    for name, text in PLANTED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        lines = text.strip("\n").split("\n")
        indent = len(lines[0]) - len(lines[0].lstrip())
        (tmp_path / name).write_text("\n".join(line[indent:] for line in lines) + "\n")
    figures = measure.measure(
        measure.load(tmp_path / "a"), {"__init__": 0, "walk": 1, "leaf": 2, "late": 0, "cycle": 0}
    )
    expected = {
        "files": 5,
        "functions": 4,
        "most parameters": 2,
        "records": 1,
        "fields of the largest record": 2,
        "import cycles": 1,
        "longest import chain": 3,
        "late imports of own modules": 1,
        "small modules with one importer": 2,
        "participles and prepositions as names": 1,
        "docstrings that begin as a fragment": 1,
        "comparisons with sentences": 2,
        "walks of a redirect chain": 1,
        "upward imports": 1,
    }
    assert {name: figures[name][0] for name in expected} == expected


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("_kept", True),
        ("of", True),
        ("stated", True),
        ("feed", False),
        ("keep", False),
        ("is_kept", False),
        ("red", False),
    ],
)
def test_a_participle_or_preposition_is_no_name(name: str, bare: bool) -> None:
    import ast

    function = ast.parse(f"def {name}(): pass").body[0]
    assert measure.is_bare_name(function) is bare
