"""Layers in, one typed `Config` out, or every problem of every layer at once."""

from collections.abc import Sequence
from dataclasses import dataclass

from sitemap_action.config.fields import Section, slots
from sitemap_action.config.layers import PRECEDENCE, File, Layer, tree
from sitemap_action.config.problem import Bad, Problem
from sitemap_action.config.record import build, read
from sitemap_action.config.schema import Config
from sitemap_action.config.types import KnownNames, YamlDocument
from sitemap_action.errors import ConfigError

_MOST = 50  # problems that are shown; a file of the wrong sort has one in every line


@dataclass(frozen=True, slots=True)
class ConfigReader:
    """Everything that makes a config, but for the content of its file."""

    path: str  # of the file, as the user wrote it or by default
    others: tuple[Layer, ...]  # inputs and flags: they hold for every copy of the file
    known: KnownNames

    def config(self, data: bytes | None) -> Config:
        """`data`: what the file holds; None when there is none. Raises ConfigError."""
        file = () if data is None else (File(self.path, data),)
        return parse((*file, *self.others), self.known)


def parse(layers: Sequence[Layer], known: KnownNames) -> Config:
    """Layers of one origin keep their order, so of two `--set` the later wins. Raises ConfigError."""
    values: dict[str, object] = {}
    problems: list[Problem] = []
    for layer in sorted(layers, key=lambda layer: PRECEDENCE.index(layer.origin)):
        document = tree(layer)
        found = list(document.problems)
        try:
            given = read(Config, document.root, "", known, _homes()) if document.root else {}
            _replace_location(values, given, document)
            values |= given
        except Bad as bad:
            found += bad.problems
        problems += sorted(found, key=lambda problem: (problem.mark.line, problem.mark.column))
    if problems:
        raise ConfigError(_message(problems))
    return build(Config, values)


def _replace_location(values: dict[str, object], given: dict[str, object], document: YamlDocument) -> None:
    """A folder and an address are two ways to say one thing: the later layer replaces it whole. Raises Bad."""
    folder, address = given.get("source.path"), given.get("source.url")
    if folder and address and document.root is not None:
        what = "source: path and url are two places to look at; give one of them"
        raise Bad(Problem(document.root.mark, what))
    for one, other in (("source.path", "source.url"), ("source.url", "source.path")):
        if given.get(one):
            values.pop(other, None)


def _message(problems: Sequence[Problem]) -> str:
    more = len(problems) - _MOST
    lines = [str(problem) for problem in problems[:_MOST]]
    return "\n".join([*lines, f"and {more} more problems"] if more > 0 else lines)


def _homes() -> dict[str, str]:
    """Key → the section it belongs to, "" for the top level."""
    homes = {}
    for _, key, slot in slots(Config):
        homes[key] = ""
        if isinstance(slot, Section):
            homes |= {inner: key for _, inner, _ in slots(slot.type)}
    return homes
