"""The config file and the names that it may use, and the event of the run."""

import os
from collections.abc import Mapping
from os.path import lexists
from pathlib import Path
from typing import Any

from sitemap_action.checks.all import RULES as FILE_RULES
from sitemap_action.checks.all import SITE_RULES
from sitemap_action.checks.severity import families
from sitemap_action.config.layers import ConfigReader, assignment
from sitemap_action.config.schema import DEFAULT_CONFIG, ChecksConfig, Config
from sitemap_action.config.types import RuleNames
from sitemap_action.config.yaml import MAX_BYTES
from sitemap_action.console.streams import Console
from sitemap_action.disk.folder import read_head, read_whole
from sitemap_action.disk.workspace import Workspace
from sitemap_action.errors import ConfigError
from sitemap_action.model.wording import option

_MAX_EVENT = 32 * 2**20  # bytes; GitHub sends at most 25 MB
RULES = dict(sorted({**FILE_RULES, **SITE_RULES}.items()))

KNOWN: RuleNames = frozenset(RULES) | families(RULES)
"""What a config may name in `checks`."""


def config_file(name: str, *, required: bool, named: bool = False) -> bytes | None:
    """The content of the config file; None when it does not exist and is not required.

    `named`: on the command line, so that it may lie anywhere.
    """
    try:
        return read_whole(Path(name), MAX_BYTES) if named else Workspace(Path.cwd()).read_whole(name, MAX_BYTES)
    except FileNotFoundError:
        if not required:
            return None
        raise ConfigError(f"{name}: no such file", hint=f"correct {option('config')}, or omit it") from None
    except OSError as error:
        hint = "" if named else "name a regular file of the workspace, without a symbolic link"
        raise ConfigError(f"{name}: cannot be read: {error.strerror}", hint=hint) from None


def event_file(environment: Mapping[str, str]) -> bytes:
    """The payload of the event that a GitHub runner names; empty when there is none to read."""
    try:
        return read_head(Path(environment.get("GITHUB_EVENT_PATH") or os.devnull), _MAX_EVENT)
    except OSError:
        return b""


def default_config(options: dict[str, Any]) -> Config:
    """Every default, unless a file or a key is given: the config of a repository is about its own site."""
    if not options["config"] and not options["settings"]:
        return Config()
    layers = tuple(assignment(text) for text in options["settings"])
    reading = ConfigReader(options["config"] or "", layers, KNOWN)
    found = reading.config(config_file(reading.path, required=True, named=True) if options["config"] else None)
    for warning in found.warnings:
        Console(os.environ).log_warning(warning)
    return found


def rule_settings(options: dict[str, Any]) -> ChecksConfig:
    """The severities of rules: unlike all else they are also those of the repository's own config file."""
    if options["config"] or not lexists(DEFAULT_CONFIG):
        return default_config(options).checks
    layers = tuple(assignment(text) for text in options["settings"])
    return ConfigReader(DEFAULT_CONFIG, layers, KNOWN).config(config_file(DEFAULT_CONFIG, required=True)).checks
