"""Layers to one typed `Config`, or to one error with every problem of every layer."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.entry_extensions import Extension
from sitemap_action.config.fields import SectionField, config_fields
from sitemap_action.config.layers import PRECEDENCE, File, Layer, Setting, read_layer
from sitemap_action.config.problem import InvalidValue, Problem
from sitemap_action.config.record import build_record, read_record
from sitemap_action.config.schema import Config
from sitemap_action.config.types import MAX_PROBLEMS, KnownNames, YamlDocument
from sitemap_action.errors import ConfigError

_MAX_SHOWN = 50  # problems; a file that is no config has one in every line


class ConfigReader(Struct, frozen=True):
    """Reads each copy of the config file, such as the target branch's, under the same inputs and flags."""

    path: str  # of the file, as the user wrote it or by default
    settings: tuple[Layer, ...]  # inputs and flags
    known: KnownNames
    folder: str = ""  # --path, which may lie anywhere: it replaces the source of every copy
    checkout: Callable[[], bytes | None] | None = None  # reads the copy of the change; None where that one holds

    def gives(self, key: str) -> bool:
        """Whether an input or a flag sets a key."""
        return any(isinstance(layer, Setting) and layer.key == key for layer in self.settings)

    def config(self, data: bytes | None) -> Config:
        """`data` is the content of the file, None without one. Raises ConfigError."""
        file = () if data is None else (File(self.path, data),)
        found = parse((*file, *self.settings), self.known)
        return replace(found, source=replace(found.source, path=self.folder, url="")) if self.folder else found


def parse(layers: Sequence[Layer], known: KnownNames) -> Config:
    """Layers of one origin keep their order, so of two `--set` the later wins. Raises ConfigError."""
    values: dict[str, object] = {}
    problems: list[Problem] = []
    for layer in sorted(layers, key=lambda layer: PRECEDENCE.index(layer.origin)):
        document = read_layer(layer)
        found = list(document.problems)
        try:
            layer_values = read_record(Config, document.root, "", known, _sections_by_key()) if document.root else {}
            _replace_location(values, layer_values, document)
            values |= layer_values
        except InvalidValue as invalid:
            found += invalid.problems
        problems += sorted(found, key=lambda problem: (problem.mark.line, problem.mark.column))
    if problems:
        raise ConfigError(_message(problems))
    config = build_record(Config, values)
    news = config.output.news
    if Extension.NEWS in config.output.extensions and not (news.name and news.language):
        raise ConfigError("output.extensions lists news, which needs output.news.name and output.news.language")
    return config


def _replace_location(values: dict[str, object], layer_values: dict[str, object], document: YamlDocument) -> None:
    """Folder and address exclude each other: one of them in a later layer removes the other. Raises InvalidValue."""
    folder, address = layer_values.get("source.path"), layer_values.get("source.url")
    if folder and address and document.root is not None:
        what = "source: path and url are both given; give only one of them"
        raise InvalidValue(Problem(document.root.mark, what))
    for one, other in (("source.path", "source.url"), ("source.url", "source.path")):
        if layer_values.get(one):
            values.pop(other, None)


def _message(problems: Sequence[Problem]) -> str:
    more = len(problems) - _MAX_SHOWN
    lines = [str(problem) for problem in problems[:_MAX_SHOWN]]
    counted = "at least " if len(problems) >= MAX_PROBLEMS else ""
    return "\n".join([*lines, f"and {counted}{more} more problems"] if more > 0 else lines)


def _sections_by_key() -> dict[str, str]:
    """Key → its section, "" for the top level."""
    sections_by_key = {}
    for _, key, field in config_fields(Config):
        sections_by_key[key] = ""
        if isinstance(field, SectionField):
            sections_by_key |= {inner: key for _, inner, _ in config_fields(field.record)}
    return sections_by_key
