"""How the config was read, so that another copy of its file can be read in the same way."""

from dataclasses import dataclass

from sitemap_action.config.layers import File, Layer
from sitemap_action.config.parse import parse
from sitemap_action.config.schema import Config
from sitemap_action.config.types import KnownNames


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
