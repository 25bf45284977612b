"""The tree that YAML text becomes: what is written, and where."""

from dataclasses import dataclass
from typing import TypeAlias

from sitemap_action.config.problem import Mark, Problem


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text; `plain` when it was written without quotes."""

    mark: Mark
    text: str
    plain: bool = True

    @property
    def empty(self) -> bool:
        """A key with nothing after its colon."""
        return self.plain and not self.text


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    mark: Mark
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class KeyValue:
    """One key of a mapping and its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys with values; each key once."""

    mark: Mark
    entries: tuple[KeyValue, ...]


Node: TypeAlias = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """What could be read, and what is wrong with the rest."""

    root: Node | None  # None: nothing
    problems: tuple[Problem, ...] = ()
