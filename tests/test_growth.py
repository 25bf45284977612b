"""Ten times the input takes ten times the time, whatever the input; `benchmarks/growth.py` prints the table (S-09)."""

from collections.abc import Callable

import pytest

from growth_inputs import Work, rows, seconds

_MOST = 25  # a quadratic step takes a hundred times as long; a busy machine does not take 25
_FLOOR = 0.02  # seconds: below, start-up and caches are measured
ROWS = list(rows())


@pytest.mark.parametrize(("work", "parts", "make"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_S_09_growth_is_linear(work: Work, parts: int, make: Callable[[int], str]) -> None:
    one, ten = make(parts), make(10 * parts)
    work(one)
    before = max(seconds(work, one, 2), _FLOOR)
    after = seconds(work, ten, 1)
    if after > _MOST * before:
        after = seconds(work, ten, 3)
    assert after <= _MOST * before
