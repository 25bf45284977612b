"""Options of the files that are written."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from sitemap_action.config import locations, values
from sitemap_action.config.entry_extensions import KEEP, Extension, ExtensionsType, NewsConfig
from sitemap_action.config.entry_hints import EmptyOr, PriorityType
from sitemap_action.config.fields import option, section
from sitemap_action.config.lastmod_map import LastmodMapType
from sitemap_action.config.types import ListOf, MapOf, choice, name_choice
from sitemap_action.sitemap import hints
from sitemap_action.sitemap.formats import Format


class Lastmod(StrEnum):
    """Where the dates in the written sitemap come from."""

    KEEP = "keep"  # the committed sitemap
    AUTO = "auto"  # metadata of the page, fingerprint, git
    GIT = "git"  # the newest commit of the page's sources
    PAGE = "page"  # what the page states about itself
    HTTP = "http"  # Last-Modified of its answer
    FINGERPRINT = "fingerprint"  # the day on which its content was seen to change
    OMIT = "omit"


class OutputConfig(Struct, frozen=True, kw_only=True):
    """How the sitemap is written."""

    format: tuple[Format, ...] = option(
        ("xml",),
        ListOf(values.output_format, at_least=1, commas=True),
        "Formats to write.",
    )
    gzip: bool = option(False, values.boolean, "Write a compressed copy (.gz) of each file as well.")
    urls_per_file: int = option(
        50_000, values.whole_number(1, 50_000, 50_000), "URLs in one file before an index with several is written."
    )
    lastmod: tuple[Lastmod, ...] = option(
        (Lastmod.KEEP,),
        ListOf(choice(Lastmod), at_least=1, commas=True),
        "Dates: keep those of the committed sitemap, omit them, or take them from git, from the page, from HTTP, from "
        "fingerprint or from what fits (auto); of several the first that has one. Without a reliable date there is "
        "none.",
    )
    lastmod_map: Mapping[str, str] = option(
        {},
        LastmodMapType(),
        "Which source file makes which page, for lastmod: git: content/**.md: /blog/**. Other sources by the layout of "
        "the generator.",
    )
    fingerprints: str = option(
        "",
        values.optional(locations.side_file),
        "File that is written with the sitemap, to be committed: fingerprint and lastmod of each page, for lastmod: "
        "fingerprint, DIFF-31 and DIFF-32.",
        default_text="none",
    )
    date_only: bool = option(False, values.boolean, "Write dates without a time of day.")
    extensions: tuple[Extension, ...] = option(
        (),
        ExtensionsType(),
        "Extensions: keep those of the committed entries, or make the listed ones from what each page states.",
        default_text=KEEP,
    )
    news: NewsConfig = section(NewsConfig, "The publication of the news that output.extensions lists.")
    changefreq: Mapping[str, str] = option(
        {},
        MapOf(values.pattern, EmptyOr(name_choice(hints.FREQUENCIES))),
        "changefreq by pattern, the first that matches; empty leaves it out. Other entries keep theirs.",
    )
    priority: Mapping[str, str] = option(
        {},
        PriorityType(),
        "priority by clicks from the start page (depth: 1.0, 0.9 … 0.1), by home (1.0, others 0.5), or by pattern: a "
        "number, depth or home, the first that matches; empty leaves it out. Other entries keep theirs.",
    )
    keep: tuple[str, ...] = option(
        (), ListOf(values.pattern), "Entries of the committed sitemap that are never removed or rewritten."
    )

    def takes_from(self, *sources: Lastmod) -> bool:
        return not {*self.lastmod}.isdisjoint(sources)

    @property
    def needs_dates(self) -> bool:
        """Of pages, and of their answers."""
        return self.takes_from(Lastmod.PAGE, Lastmod.HTTP, Lastmod.AUTO)
