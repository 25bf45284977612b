"""S-15: no pattern of the package takes more than linear time on any text that is made of its own syntax."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from growth_inputs import read_config
from pattern_source import SEARCHING, Pattern, hostile, patterns
from sitemap_action.decide.changes import changed_fields
from sitemap_action.model.sitemap import Entry
from sources import ONE_PROCESS

SMALL, LARGE = 500, 5_000  # characters
GROWTH = 15  # of the time, for ten times the text; a quadratic one grows a hundredfold
FLOOR = 0.005  # seconds of CPU time: what takes less for the larger text has no say
AGAIN = 5  # it is measured before it counts: a busy machine may stop a process once, and not each time
AT_LEAST = 450  # patterns of the package
STRINGS = 30  # of a pattern, about


def _work(pattern: Pattern, text: Any) -> float:
    """Seconds of CPU time, of all methods that are asked for."""
    compiled, start = pattern.compiled, time.thread_time()
    if pattern.methods & {*SEARCHING}:
        for _ in compiled.finditer(text):
            pass
    if "match" in pattern.methods:
        compiled.match(text)
    if "fullmatch" in pattern.methods:
        compiled.fullmatch(text)
    return time.thread_time() - start


def slowest(pattern: Pattern) -> str:
    """The text, shortened, on which it is not linear; "" where there is none."""
    pairs = zip(hostile(pattern, SMALL), hostile(pattern, LARGE), strict=True)
    for short, long in pairs:
        if all(_grows(pattern, short, long) for _ in range(AGAIN)):
            return f"{_work(pattern, long):.3f} s for {len(long):,} characters as {long[:60]!r}"
    return ""


def _grows(pattern: Pattern, small: Any, large: Any) -> bool:
    return (long := _work(pattern, large)) >= FLOOR and long > GROWTH * _work(pattern, small)


@ONE_PROCESS
@pytest.mark.attack("patterns", tried=STRINGS * AT_LEAST)
def test_S_15_every_pattern_is_linear() -> None:
    found = [*patterns()]
    assert len(found) > AT_LEAST
    different = {(one.text, one.flags, one.methods): one for one in found}
    assert [(one.place, one.text, text) for one in different.values() if (text := slowest(one))] == []


def _seconds(reads: Callable[[str], object], text: str) -> float:
    start = time.thread_time()
    reads(text)
    return time.thread_time() - start


def _compare(inner: str) -> None:
    for extension in ((f"<i:image>{inner}</i:image>",), (f"<v:video>{inner}</v:video>",)):
        list(changed_fields(Entry("https://x.com/", extensions=extension), Entry("https://x.com/")))


QUADRATIC = (
    (r"\s+$", "search"),
    (r"^\s*key", "search"),
    (r"<a[^>]*>", "search"),
    (r"(a|a)*b", "match"),
    (r"(?:a+)+b", "match"),
    (r"[a-z]+@[a-z]+\.com", "search"),
    (rb"x*y", "search"),
    (r"(?P<a>.*),(.*);", "match"),
)


@pytest.mark.parametrize(("text", "method"), QUADRATIC)
def test_S_15_what_is_not_linear_is_found(text: str, method: str) -> None:
    flags = re.MULTILINE if text == r"^\s*key" else 0
    limited = Pattern("here", text, flags, frozenset({method}))
    if text in {r"(a|a)*b", r"(?:a+)+b"}:  # exponential: nobody waits for that
        assert _work(limited, "a" * 18) > 4 * _work(limited, "a" * 15)
    else:
        assert slowest(limited)


def test_S_15_no_pattern_escapes(tmp_path: Path) -> None:
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted/__init__.py").write_text("")
    file = tmp_path / "planted/a.py"
    for source in ("from re import compile\n", "import re\ndef f(x):\n    return re.search(x.y, '')\n"):
        file.write_text(source)
        with pytest.raises((ValueError, ImportError)):
            [*patterns(tmp_path / "planted", "planted")]


# What was quadratic, by readers that users have: (what reads, the text of so many parts, parts at 1x)
NAMED: dict[str, tuple[Callable[[str], object], Callable[[int], str], int]] = {
    "site-url of slashes": (read_config, lambda n: f"site-url: {'/' * n}\n", 10_000),
    "sitemap-url of slashes": (read_config, lambda n: f"sitemap-url: {'/' * n}\n", 10_000),
    "source.url of slashes": (read_config, lambda n: f"source: {{url: {'/' * n}}}\n", 10_000),
    "declarations in a caption": (_compare, lambda n: f"<i:caption>{' xmlns:a' * n}</i:caption>", 1_000),
    "declarations in a title": (_compare, lambda n: f"<v:title>{' xmlns:a' * n}</v:title>", 1_000),
}


@pytest.mark.attack("cost")
@pytest.mark.parametrize(("reads", "make", "parts"), NAMED.values(), ids=NAMED)
def test_S_15_what_was_quadratic_is_not(reads: Callable[[str], object], make: Callable[[int], str], parts: int) -> None:
    reads(make(1))
    small, large = (min(_seconds(reads, make(size)) for _ in range(3)) for size in (parts, 10 * parts))
    assert large <= GROWTH * max(small, FLOOR)
