"""What is known of a site that a generator builds: where its files are, how they are made, where they are served."""

import re
from collections.abc import Iterable

from msgspec import Struct

from sitemap_action.setup.project import Project, SourceFile, Stated
from sitemap_action.setup.stated_values import StatedValues, json_values, toml_values, yaml_values


class BuildCommands(Struct, frozen=True):
    """Commands of a shell in the project's folder, each made of safe words alone."""

    lines: tuple[str, ...]
    where: str  # files that tell


class OwnSitemap(Struct, frozen=True):
    """A sitemap that the generator writes into the build."""

    name: str
    where: str  # what makes it do so


class GeneratedSite(Struct, frozen=True):
    """Paths are those of the repository."""

    generator: str
    where: str  # the file that tells
    output: Stated  # the folder of the build; `where` is "" for the generator's default
    build: BuildCommands
    addresses: tuple[Stated, ...] = ()  # of the site, as the generator's config states them
    computed: tuple[str, ...] = ()  # sentences on what only a program knows
    sitemap: OwnSitemap | None = None
    advice: str = ""  # how the generator would write one
    copied: str | None = None  # folder whose files the build gets as they are; None: not known
    refusal: str = ""  # why there is no folder of files


def stated_values(project: Project, file: SourceFile) -> StatedValues:
    """A file that cannot be read is reported, and states nothing."""
    if file.path.endswith((".yml", ".yaml")):
        values = yaml_values(file)
    else:
        values = toml_values(file) if file.path.endswith(".toml") else json_values(file)
    if values.problem:
        project.report(f"not read: {values.problem}")
    return values


def join_address(address: Stated | None, path: Stated | None) -> tuple[Stated, ...]:
    """The address of a site that is below a path of its host."""
    if address is None:
        return ()
    if path is None or not path.value.strip("/."):
        return (address,)
    where = address.where if path.where == address.where else f"{address.where} and {path.where}"
    return (Stated(f"{address.value.rstrip('/')}/{path.value.strip('/')}/", where),)


def said_computed(values: StatedValues, keys: Iterable[str]) -> tuple[str, ...]:
    """Sentences on the keys that only running the config would tell."""
    places = ((key, values.is_computed(key)) for key in keys)
    return tuple(f"{place}: {key} is computed, and a config is not run" for key, place in places if place)


def option_of(command: str, *names: str) -> str:
    """The value of an option of a command line; "" where it has none."""
    options = "|".join(map(re.escape, names))
    found = re.search(rf"(?:^|\s)(?:{options})(?:=|\s+)([^\s;&|]+)", command[:2000])
    return found[1].strip("\"'") if found else ""
