"""Ten times a hostile input is ten times the work, counted in calls; `benchmarks/growth.py` times the same (S-09)."""

import sys
from collections.abc import Callable
from itertools import count

import pytest

import forked
import growth_inputs
import growth_readers
from examples import PERCENT, share
from growth_inputs import MEMORY, Work
from sitemap_action.sitemap.decode import BLOCK
from sitemap_action.sitemap.schema import _FULL

_MOST = 12  # a quadratic step makes a hundred times as many calls
_FLOOR = 2_000  # calls that do not depend on the input
_SMALLER, _CHUNKS = (5, 16) if PERCENT < 100 else (1, 1)  # times smaller
_LEAST = 3  # parts
ROWS = [*growth_inputs.rows(), *growth_readers.rows()]
# What was tried when it took minutes, or all memory: rows of the tables, with their sizes then or beyond.
LARGE = {
    "an index that lists itself 50,000 times": ("index: an index that lists itself", 50_000),
    "6 MB of references": ("check: references in a loc", 1_200_000),
    "12 MB of CDATA": ("check: a long CDATA section", 12_000_000),
    "12 MB of CDATA in lines": ("check: CDATA of lines", 6_000_000),
    "a comment of 48 MB": ("check: a comment", 48_000_000),
    "an attribute of 48 MB": ("check: references in an attribute", 9_600_000),
    "48 MB of spaces": ("check: spaces", 48_000_000),
    "25,000 unknown keys": ("config: unknown keys", 25_000),
    "500 KB of robots.txt": ("robots: rules", 30_000),
    "15 MB of nested elements": ("html: nested", 3_000_000),
    "15 MB of text": ("html: one long text", 3_000_000),
    "a header of 1 MB": ("headers: links", 60_000),
    "a bomb of 100 MB": ("gzip: a bomb", 100_000_000),
    "10,000 gzip members": ("gzip: members", 10_000),
    "a blob of 40 MB": ("git: a blob", 40_000_000),
    "20,000 pages in a state": ("state: pages", 20_000),
}
_LIMITED = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
name, parts, *sys.path[:0] = sys.argv[1:]
import growth_inputs, growth_readers
work, make = {{row[0]: (row[1], row[3]) for row in (*growth_inputs.rows(), *growth_readers.rows())}}[name]
work(make(int(parts)))
"""


def calls(work: Work, text: str) -> int:
    """Of functions, those of C included, while an input is worked on."""
    counter = count()
    sys.setprofile(lambda *_: next(counter))
    try:
        work(text)
    finally:
        sys.setprofile(None)
    return next(counter)


@pytest.mark.attack("cost")
@pytest.mark.rows_apart
@pytest.mark.parametrize(("work", "parts", "make"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_S_09_growth_is_linear(
    work: Work, parts: int, make: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    work(make(1))  # imports and caches
    with monkeypatch.context() as patch:  # a document that is smaller has as many of them
        patch.setattr("sitemap_action.sitemap.decode.BLOCK", BLOCK // _CHUNKS)
        patch.setattr("sitemap_action.sitemap.schema._FULL", _FULL // _CHUNKS)
        found = is_linear(work, max(_LEAST, share(parts) // _SMALLER), make)
    assert found or is_linear(work, parts, make), "the smaller one may have been one chunk"


def is_linear(work: Work, parts: int, make: Callable[[int], str]) -> bool:
    least = max(_FLOOR, 2 * parts)  # a document of one chunk may be passed without a look at its parts
    once = calls(work, make(parts))  # before the larger one, which would leave its parts in caches
    return calls(work, make(10 * parts)) <= _MOST * max(once, least)


def test_a_quadratic_step_is_found() -> None:
    def quadratic(text: str) -> None:
        for end in range(len(text)):
            for character in text[:end]:
                character.upper()

    assert calls(quadratic, "x" * 1000) > _MOST * calls(quadratic, "x" * 100)


@pytest.mark.attack("cost")
@pytest.mark.skipif(sys.platform != "linux", reason="a limit of memory is Linux's")
@pytest.mark.parametrize(("name", "parts"), LARGE.values(), ids=LARGE)
def test_S_09_a_large_input_is_read_within_the_memory_limit(name: str, parts: int) -> None:
    """In a process of its own, of which the input and what makes it are a part."""
    code, said = forked.start(name, str(parts), *filter(None, sys.path), code=_LIMITED).end(timeout=300)
    assert code == 0, said[-2_000:]
