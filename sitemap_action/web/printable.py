"""Text from a site, a file name or a pull request, without what is invisible or is read as a command."""

import json
import re
import unicodedata
from collections.abc import Sequence
from io import StringIO

from sitemap_action.model.lazy_re import lazy_re

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Invisible letters and marks (Default_Ignorable_Code_Point, DerivedCoreProperties.txt of Unicode) that are in none of
# the categories above: the runner compares by culture, which may ignore them inside of `##[`.
_WITHOUT_GLYPH = (
    "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\ufe00-\\ufe0f\\uffa0\\U000e0100-\\U000e01ef"
)
IGNORED = (
    "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e"
    "\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\U000110bd\\U000110cd"
    "\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0001\\U000e0020-\\U000e007f"
) + _WITHOUT_GLYPH
"""For a class of a pattern: characters that a comparison may ignore, as controls, formats and what has no glyph."""
_NO_GLYPH = lazy_re(f"[{_WITHOUT_GLYPH}]")
_HIDDEN = lazy_re(f"[{IGNORED}\\x85\\u2028\\u2029\\ud800-\\udfff]")
_MARKER = lazy_re(r"##\[(?!\\)")  # not where it is escaped already
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What makes a spreadsheet compute a cell, full-width forms too (OWASP, CSV injection)."""
_INNER = lazy_re(r"""(;[ "']*)(?=[=+@\uff1d\uff0b\uff0d\uff20-])""")


def printable(text: str) -> str:
    """One line without control, format or surrogate characters, in which no workflow command can start.

    The GitHub runner acts on `::name::` at the start of a line and on `##[name]` anywhere in it, on stdout and stderr.
    """
    if not (text.isprintable() and (text.isascii() or not _NO_GLYPH.search(text))):
        text = "".join(_visible(character) for character in text)
    if "##[" in text:
        text = _MARKER.sub(r"##[\\", text)
    return f"\\{text}" if text.lstrip().startswith("::") else text


def spreadsheet_cell(value: object) -> str:
    """Text of one line that a spreadsheet does not compute, for an apostrophe makes it text.

    What is behind a semicolon is a cell too, where that is the separator.
    """
    text = _INNER.sub(r"\1'", printable(str(value)))
    return f"'{text}" if text.lstrip(" \"'").startswith(_FORMULA) else text


def visible_json(value: object, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    """JSON that any encoder accepts, without a workflow command; what nobody sees, or turns text, is an escape."""
    encoder = json.JSONEncoder(ensure_ascii=False, indent=indent, separators=separators)
    written = StringIO()  # the pieces of an indented document, which `json.dumps` collects, take four times its size
    written.writelines([encoder.encode(value)] if indent is None else encoder.iterencode(value))
    text = written.getvalue().replace("##[", r"#\u0023[")
    return text if text.isascii() else _HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _UNPRINTABLE and not _NO_GLYPH.match(character):
        return character
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


_FENCE = lazy_re(r" {0,3}(`{3,}+(?=[^`]*$)|~{3,}+)")
_FOLD = lazy_re(r" {0,3}<details[\s>]", re.IGNORECASE)
_UNFOLD = lazy_re(r" {0,3}</details\s*>", re.IGNORECASE)
_END = "\n</details>\n"


def cut_markdown(text: str, limit: int, note: str) -> str:
    """The text in at most `limit` UTF-16 code units, with the note after a cut; open fences and folds are closed.

    A server may count a character beyond the basic plane twice. Half a surrogate pair becomes U+FFFD: no request can
    carry it.
    """
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if _units(text) <= limit:
        return text
    room = limit - _units(note) - 1
    taken = place = end = 0
    fence, folds = kept = ("", 0)
    for line in StringIO(text, newline="\n"):
        taken, place = taken + _units(line), place + len(line)
        fence, folds = _open_after(line, fence, folds)
        if taken > room:
            break
        if taken + len(fence) + 1 + len(_END) * folds <= room:
            end, kept = place, (fence, folds)
    fence, folds = kept
    closing = (f"{fence}\n" if fence else "") + _END * folds
    return f"{text[:end]}{closing}\n{note}"


def _open_after(line: str, fence: str, folds: int) -> tuple[str, int]:
    """The code fence that is open after a line, "" for none, and how many folded blocks are."""
    if fence:
        bare = line.strip()
        ends = len(bare) >= len(fence) and not bare.strip(fence[0]) and not line.startswith("    ")
        return ("" if ends else fence), folds
    if found := _FENCE.match(line):
        return found[1], folds
    opens = _FOLD.match(line) is not None
    closes = _UNFOLD.search(line) if opens else _UNFOLD.match(line)
    return fence, max(0, folds + opens - (closes is not None))


def _units(text: str) -> int:
    """UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def fold_file_name(name: str) -> str:
    """A name as some file systems take it: without letter case, final dots and spaces, streams, what is invisible."""
    shown = "".join(one for one in name if unicodedata.category(one) != "Cf") if not name.isascii() else name
    return shown.partition(":")[0].rstrip(". ").casefold()


_SHOWN = 20


def first_lines(mark: str, lines: Sequence[str], more: str) -> list[str]:
    """The first of many lines, and how many there are besides."""
    left = len(lines) - _SHOWN
    shown = [f"{mark}{printable(line)}" for line in lines[:_SHOWN]]
    return [*shown, f"{more} {left:,} more"] if left > 0 else shown
