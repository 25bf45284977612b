"""The rows of a parametrized test as one item: fixtures, captures and reports cost more than a row of a pure function does.

Every row runs, and each that fails is shown under its own id, which chooses it alone: `pytest 'FILE::test[id]'`, or `-k id`.
A test takes part when nothing is made anew for a row: no fixture of a function's scope, no mark but those of `_HARMLESS`. Others
stay an item for each row, as do those marked with `rows_apart`, whose rows take seconds that two cores should share.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import pytest

_HARMLESS = {"parametrize", "attack", "xdist_group"}
_MOST = 400  # rows of an item; a longer table is shared between processes


class RowsFailedError(Exception):
    """What each failed row has raised."""

    def __init__(self, failed: list[tuple[pytest.Function, pytest.ExceptionInfo[BaseException]]], total: int) -> None:
        super().__init__(f"{len(failed)} of {total} rows failed")
        self.failed = failed


class Table(pytest.Function):
    """Set up as its first row would be."""

    rows: list[pytest.Function]

    @classmethod
    def of_rows(cls, rows: list[pytest.Function], part: str) -> "Table":
        first = rows[0]
        table: Table = cls.from_parent(
            first.parent,
            name=first.originalname + part,
            callspec=first.callspec,
            fixtureinfo=first._fixtureinfo,
            originalname=first.originalname,
        )
        table.rows = rows
        return table

    def runtest(self) -> None:
        failed, skipped = [], []
        for row in self.rows:
            try:
                row.obj(
                    **{name: row.callspec.params.get(name, self.funcargs[name]) for name in self._fixtureinfo.argnames}
                )
            except pytest.skip.Exception as reason:
                skipped.append(str(reason))
            except (KeyboardInterrupt, pytest.exit.Exception):
                raise
            except BaseException:  # noqa: BLE001 - a row's outcome, whatever it raised
                failed.append((row, pytest.ExceptionInfo.from_current()))
        if failed:
            raise RowsFailedError(failed, len(self.rows))
        if skipped:
            pytest.skip(f"{skipped[0]} ({len(skipped)} of {len(self.rows)} rows)")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
        if not isinstance(excinfo.value, RowsFailedError):
            return super().repr_failure(excinfo)
        shown = (f"--- {row.nodeid} ---\n{row.repr_failure(raised)}" for row, raised in excinfo.value.failed)
        return "\n\n".join([*shown, str(excinfo.value)])


def rows_of(item: pytest.Item) -> list[pytest.Function | pytest.Item]:
    """What an item stands for."""
    return list(item.rows) if isinstance(item, Table) else [item]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rows_apart: each row of a parametrized test is an item of its own")


@pytest.hookimpl(trylast=True)  # what -k has chosen
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = [made for _, group in groupby(items, _table_of) for made in _joined(list(group))]
    if hasattr(config, "workerinput"):
        for item in items:
            _name_group(item)


def _name_group(item: pytest.Item) -> None:
    """Tests of one group run in one process.

    The scheduler reads the group from the end of the id. pytest-xdist 3.8 writes it to an attribute that pytest 9.2
    does not read any more.
    """
    group = _group(item)
    if group and not item.nodeid.endswith(f"@{group}"):
        item._id = type(item.id).parse(f"{item.nodeid}@{group}")  # type: ignore[attr-defined]


def _group(item: pytest.Item) -> str:
    """The `xdist_group` of a test, else what it shares with others: a fixture of its file, which is made once."""
    if mark := item.get_closest_marker("xdist_group"):
        return str(mark.args[0])
    if not isinstance(item, pytest.Function):
        return ""
    shared = [name for name, found in item._fixtureinfo.name2fixturedefs.items() if found[-1].scope == "module"]
    made_with = item.callspec.indices if hasattr(item, "callspec") else {}
    return " ".join([item.path.name, *(f"{name}{made_with.get(name, '')}" for name in shared)]) if shared else ""


def _table_of(item: pytest.Item) -> object:
    """Equal for the rows of one test."""
    return (item.parent, item.originalname) if isinstance(item, pytest.Function) and _is_row(item) else item


def _is_row(item: pytest.Function) -> bool:
    if not hasattr(item, "callspec") or hasattr(item.obj, "hypothesis"):
        return False
    if any(mark.name not in _HARMLESS for mark in item.iter_markers()):
        return False
    if any(mark.name == "xdist_group" for mark in item.callspec.marks):  # of this row alone
        return False
    parameters = item.callspec.params
    fixtures = [found[-1] for name, found in item._fixtureinfo.name2fixturedefs.items() if name not in parameters]
    return "request" not in item.fixturenames and all(fixture.scope != "function" for fixture in fixtures)


def _joined(items: list[pytest.Item]) -> Iterable[pytest.Item]:
    rows = [item for item in items if isinstance(item, pytest.Function)]
    return items if len(items) < 2 or len(rows) < len(items) else _tables(rows)


def _tables(rows: list[pytest.Function]) -> Iterator[Table]:
    parts = -(-len(rows) // _MOST)
    for part in range(parts):
        yield Table.of_rows(rows[part::parts], f"[{part + 1} of {parts}]" if parts > 1 else "")
