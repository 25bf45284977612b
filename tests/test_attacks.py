"""tests/attacks.md has what the tests try, and nothing else."""

import re

import attacks


def test_the_table_is_current() -> None:
    assert attacks.rendered() == attacks.FILE.read_text(encoding="utf-8"), "run: make attacks"


def test_every_kind_is_tried() -> None:
    rows = dict(re.findall(r"(?m)^\| ([a-z ]+) \| [^|]+ \| ([\d,]+) \|", attacks.FILE.read_text(encoding="utf-8")))
    assert list(rows) == [kind for kind in attacks.KINDS if kind in rows]
    assert all(int(count.replace(",", "")) >= 10 for count in rows.values())
