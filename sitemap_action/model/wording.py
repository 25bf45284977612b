"""Options in the words of the reader: of a workflow step, of a command line (U-06), of a script; numbers."""

import re
from enum import Enum, auto

from sitemap_action.model.lazy_re import lazy_re

FILE_NAME = lazy_re(r"\w[\w.-]{0,199}\.(?:xml|txt|json)(?:\.gz)?", re.ASCII)
"""The name of a sitemap that a person may keep, and give to a shell."""


class Audience(Enum):
    """Who reads what a run prints."""

    COMMAND_LINE = auto()
    WORKFLOW = auto()
    SCRIPT = auto()  # which uses the library


_PARAMETERS = {  # input, or key of the config → parameter of the library
    "state": "state",
    "url": "source",
    "headers": "Http.headers",
    "tls-verify": "Http.tls_verify",
    "allow-private-hosts": "Http.allow_private_hosts",
    "crawl.timeout": "Http.timeout",
    "crawl.requests-per-second": "Http.rate",
    "sitemaps.max-documents": "Limits.max_documents",
    "sitemaps.max-depth": "Limits.max_depth",
}
_VARIABLES = {"headers": "SITEMAP_ACTION_HEADERS", "token": "GITHUB_TOKEN"}
_audience = Audience.COMMAND_LINE  # of the process, as the language of gettext is


def speak_to(reader: Audience) -> None:
    """Every sentence from here on is for this reader."""
    global _audience  # noqa: PLW0603 - one process has one reader
    _audience = reader


def on_command_line() -> bool:
    return _audience is Audience.COMMAND_LINE


def option(name: str, value: str = "") -> str:
    """An option by its input's name: `the input path`, `path: dist`; on the command line `--path`, `--path dist`."""
    if _audience is Audience.SCRIPT:
        parameter = _PARAMETERS.get(name, name)
        return f"{parameter}={value.capitalize()}" if value else f"the parameter {parameter}"
    if _audience is Audience.WORKFLOW:
        return f"{name}: {value}" if value else f"the input {name}"
    if name in _VARIABLES:
        return f"{_VARIABLES[name]}={value}" if value else f"the variable {_VARIABLES[name]}"
    return f"--{name} {value}" if value else f"--{name}"


def setting(key: str) -> str:
    """A key of the config; for a script the parameter that is for the same, "" where there is none."""
    return _PARAMETERS.get(key, "") if _audience is Audience.SCRIPT else key


def kept_sitemap(site: str, address: str) -> str:
    """Where the sitemap as it should be is, for a person who uploads it."""
    name = file_name(address)
    if _audience is Audience.WORKFLOW:
        return f"{name} is in the folder sitemap of the reports (report-path)"
    return f"`sitemap-action write {site} --sitemap {name}` makes it"


def file_name(address: str) -> str:
    """The name of the file that is to be served at the address of a sitemap; a path stays as it is."""
    if "://" not in address:
        return address
    name = address.partition("?")[0].rpartition("/")[2]
    return name if FILE_NAME.fullmatch(name) else "sitemap.xml"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def json_report() -> str:
    """Where the report is that leaves nothing out."""
    return "report.json (output report-json)" if _audience is Audience.WORKFLOW else "--report json=FILE"
