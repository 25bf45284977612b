"""How many examples a random test draws: a fifth of them with each commit, all of them at night (`nightly.yml`)."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_T = TypeVar("_T")

PERCENT = int(os.environ.get("SITEMAP_ACTION_EXAMPLES") or 20)


def share(every: int) -> int:
    return max(1, every * PERCENT // 100)


def few(every: int) -> int:
    """Of what takes a whole run of the program: half of its share, and all at night."""
    return every if PERCENT >= 100 else max(1, share(every) // 2)


def some(examples: Iterable[_T], part: int = 1) -> Iterator[_T]:
    """Each fifth; with a `part` of 2 each tenth."""
    return islice(examples, 0, None, max(1, 100 // PERCENT * part) if PERCENT < 100 else 1)
