"""Compares two versions of a robots.txt by what they allow (RB-35, WIT-01)."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sitemap_action.robots.groups import Profile, Robots, read_records

_MOST_NAMED = 50  # agents of two files that are compared


class ChangedRule(NamedTuple):
    """A rule that blocks agents from URLs by one of two versions of robots.txt alone."""

    allowed: bool  # by the later one
    line: int  # of the version that blocks
    rule: str
    agents: tuple[str, ...]
    urls: list[str]

    @property
    def pages(self) -> str:
        return f"{len(self.urls):,} pages, such as {self.urls[0]}" if len(self.urls) > 1 else self.urls[0]


class RobotsComparison:
    """The verdicts of two versions of robots.txt, so that a changed comment is no change."""

    def __init__(self, before: Robots, after: Robots, agents: Iterable[str]) -> None:
        self._before, self._after, self._agents = before, after, tuple(agents)
        self._found: dict[tuple[bool, int, str, tuple[str, ...]], list[str]] = {}

    def add(self, url: str) -> bool:
        """Whether the verdict for an agent differs."""
        changed: dict[tuple[bool, int, str], list[str]] = {}
        for agent in self._agents:
            before, after = self._before.verdict(agent, url), self._after.verdict(agent, url)
            if before.allowed != after.allowed:
                blocking = before if after.allowed else after
                changed.setdefault((after.allowed, blocking.line, blocking.rule), []).append(agent)
        for key, agents in changed.items():
            self._found.setdefault((*key, tuple(agents)), []).append(url)
        return bool(changed)

    def rules(self) -> Iterator[ChangedRule]:
        return (ChangedRule(*key, urls) for key, urls in self._found.items())


def named_agents(agents: Iterable[str], *files: Robots) -> list[str]:
    """These agents, and those that the files name."""
    named = sorted({name for robots in files for name in robots.agents})[:_MOST_NAMED]
    return [*{name.casefold(): name for name in (*named, *agents)}.values()]


def has_same_records(one: bytes, other: bytes) -> bool:
    """Whether two files differ in comments and unknown fields alone, such as the signals that edges add."""
    first, second = ([(row.field, row.value) for row in read_records(text, Profile.GOOGLE)[0]] for text in (one, other))
    return first == second
