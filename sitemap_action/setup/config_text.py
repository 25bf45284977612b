"""The text of `.github/sitemap.yml`."""

import re
from collections.abc import Iterator

from sitemap_action.setup.setup_choice import SetupChoice
from sitemap_action.web.printable import printable

_PLAIN = re.compile(r"[\w/.][\w/.:@%~+-]*(?<!:)", re.ASCII)
FILL_IN = "https://www.example.com/"


def yaml_text(text: str) -> str:
    """A scalar: plain where that is the same text, else in double quotes with escapes."""
    if _PLAIN.fullmatch(text) and "://" not in text.replace("://", "", 1):
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    number = ord(character)
    if character in '"\\':
        return f"\\{character}"
    if 0x20 <= number < 0x7F:
        return character
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def comment(text: str) -> str:
    """For the end of a line of YAML, in which no expression of a workflow may stand either."""
    return printable(text).replace("${{", "$ {{")


def config_text(choice: SetupChoice) -> str:
    return "\n".join(_lines(choice)) + "\n"


def _lines(choice: SetupChoice) -> Iterator[str]:
    site, address = choice.site, choice.address
    yield f"# {comment(f'Written by sitemap-action init, for {site.generator} ({site.where}).')}"
    yield "version: 1"
    if address.url:
        yield f"site-url: {yaml_text(address.url)} # {comment(address.where)}"
    elif choice.states_address:
        yield f"# site-url: {FILL_IN} # not set: it is taken from {comment(choice.states_address)}"
    else:
        yield f"# site-url: {FILL_IN} # fill in where the pages will live: no file states it"
    if choice.committed:
        yield f"sitemap: {yaml_text(choice.committed.value)} # {comment(choice.committed.where)}"
    elif choice.first_sitemap:
        yield f"sitemap: {yaml_text(choice.first_sitemap)} # does not exist yet: `sitemap-action write` makes it"
    yield "source:"
    where = site.output.where or f"where {site.generator} builds by default"
    yield f"  path: {yaml_text(site.output.value)} # {comment(where)}"
