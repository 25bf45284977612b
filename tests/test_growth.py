"""Ten times a hostile input is ten times the work, counted in calls; `benchmarks/growth.py` times the same (S-09)."""

import sys
from collections.abc import Callable
from itertools import count

import pytest

from growth_inputs import Work, rows

_MOST = 12  # a quadratic step makes a hundred times as many calls
_FLOOR = 2_000  # calls that do not depend on the input
ROWS = list(rows())


def calls(work: Work, text: str) -> int:
    """Of functions, those of C included, while an input is worked on."""
    counter = count()
    sys.setprofile(lambda *_: next(counter))
    try:
        work(text)
    finally:
        sys.setprofile(None)
    return next(counter)


@pytest.mark.parametrize(("work", "parts", "make"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_S_09_growth_is_linear(work: Work, parts: int, make: Callable[[int], str]) -> None:
    work(make(1))  # imports and caches
    least = max(_FLOOR, 2 * parts)  # a document of one chunk may be passed without a look at its parts
    assert calls(work, make(10 * parts)) <= _MOST * max(calls(work, make(parts)), least)


def test_a_quadratic_step_is_found() -> None:
    def quadratic(text: str) -> None:
        for end in range(len(text)):
            for character in text[:end]:
                character.upper()

    assert calls(quadratic, "x" * 1000) > _MOST * calls(quadratic, "x" * 100)
