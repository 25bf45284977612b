"""`validate --schema`: documents against the XML schema of sitemaps, and against the user's own besides."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sitemap_action.console.output import Console
from sitemap_action.disk.regular_file import read_whole
from sitemap_action.errors import UsageError
from sitemap_action.model.sitemap import Fault, SitemapDocument
from sitemap_action.sitemap.schema import schema_faults

if TYPE_CHECKING:
    from sitemap_action.sitemap.own_schema import Schema

_SUFFIX = ".xsd"
_MAX_BYTES = 8_388_608


def named_schema(option: str | None, sitemaps: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """(path of the user's schema, sitemaps): what follows `--schema` and is none is the first sitemap."""
    own = option if option and option.lower().endswith(_SUFFIX) else ""
    names = (option, *sitemaps) if option and not own else sitemaps
    if not names:
        raise UsageError("Missing argument 'SITEMAP...'", hint="name a sitemap, a folder of them, a URL, or -")
    return own, names


def check_schema(console: Console, files: Iterable[SitemapDocument], own: str) -> int:
    """1 where a document is invalid. `own`: path of the user's schema, "" for none."""
    schema = _own(own) if own else None
    code = 0
    for file in files:
        found = schema_faults(file.content)
        console.write_report(f"{file.path}: {'invalid' if found else 'valid'}\n")
        for line, reason in _reasons(file.content, found) if found else ():
            console.write_report(f"  line {line}: {reason}\n")
        others = schema_faults(file.content, schema=schema) if schema is not None else []
        if schema is not None:
            console.write_report(f"{file.path}: {'invalid' if others else 'valid'} by {own}\n")
        for fault in others:
            console.write_report(f"  line {fault.line}: {fault.detail or fault.code}\n")
        code = 1 if found or others else code
    return code


def _reasons(content: bytes, found: Sequence[Fault]) -> Iterable[tuple[int, str]]:
    from sitemap_action.sitemap.explain import reasons  # noqa: PLC0415 - only an invalid document is explained

    return reasons(content, found)


def _own(path: str) -> "Schema":
    from sitemap_action.sitemap.own_schema import own_schema  # noqa: PLC0415 - few have a schema of their own

    return own_schema(path, lambda name: read_whole(Path(name), _MAX_BYTES))
