"""What every command needs to read the config, and the event that it runs for."""

import os
from collections.abc import Mapping
from pathlib import Path

from sitemap_action.checks.all import RULES as FILE_RULES
from sitemap_action.checks.severity import families
from sitemap_action.checks.site import SITE_RULES
from sitemap_action.config.types import KnownNames
from sitemap_action.errors import ConfigError
from sitemap_action.hosts.all import HOSTS

_MOST = 32 * 2**20  # bytes of an event; GitHub sends at most 25 MB
DEFAULT_CONFIG = ".github/sitemap.yml"
RULES = dict(sorted({**FILE_RULES, **SITE_RULES}.items()))

KNOWN = KnownNames(
    rules=frozenset(RULES),
    families=families(RULES),
    formats=("xml", "text", "json"),
    hosts=tuple(HOSTS),
)


def config_file(name: str, *, required: bool) -> bytes | None:
    """What the config file holds; None when it does not exist and nobody asked for it."""
    try:
        return Path(name).read_bytes()
    except FileNotFoundError:
        if not required:
            return None
        raise ConfigError(f"{name}: no such file", hint="correct --config, or leave it out") from None
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}") from None


def event_file(environment: Mapping[str, str]) -> bytes:
    """The event that a GitHub runner tells about; empty when there is none to read."""
    try:
        with Path(environment.get("GITHUB_EVENT_PATH") or os.devnull).open("rb") as file:
            return file.read(_MOST)
    except OSError:
        return b""
