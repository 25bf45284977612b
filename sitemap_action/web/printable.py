"""Text from a site, a file name or a pull request, made safe to print in a log that a CI runner parses."""

import unicodedata

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: str) -> str:
    """One line without control, format or surrogate characters, in which no workflow command can start.

    The GitHub runner acts on `::name::` at the start of a line and on `##[name]` anywhere in it, on stdout and stderr.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(_visible(character) for character in text)
    text = text.replace("##[", "##[\\")
    return f"\\{text}" if text.lstrip().startswith("::") else text


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _UNPRINTABLE:
        return character
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
