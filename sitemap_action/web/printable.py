"""Escapes text from a site, a file name or a pull request for a log that a CI runner parses."""

import re
import unicodedata

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Invisible letters and marks (Default_Ignorable_Code_Point, DerivedCoreProperties.txt of Unicode) that are in none of
# the categories above: the runner compares by culture, which may ignore them inside of `##[`.
INVISIBLE = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
_MARKER = re.compile(r"##\[(?!\\)")  # not where it is escaped already


def printable(text: str) -> str:
    """One line without control, format or surrogate characters, in which no workflow command can start.

    The GitHub runner acts on `::name::` at the start of a line and on `##[name]` anywhere in it, on stdout and stderr.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(_visible(character) for character in text)
    text = _MARKER.sub(r"##[\\", text)
    return f"\\{text}" if text.lstrip().startswith("::") else text


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _UNPRINTABLE and character not in INVISIBLE:
        return character
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
