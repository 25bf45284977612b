"""What a page says, as a short hash that stays the same while only volatile parts change (DIFF-31, DIFF-32)."""

from collections.abc import Iterable

from xxhash import xxh3_64_hexdigest

from sitemap_action.web.volatile import steady_addresses, steady_text

_SPACE = b"\t\n\v\f\r "

# Bytes of UTF-8 by class. Japanese and Chinese put no space between words, so letters are counted; those of
# U+3000–U+9FFF begin with E3–E9.
_CLASSES = bytes(0x20 if byte in _SPACE else 0x63 if 0xE3 <= byte <= 0xE9 else 0x78 for byte in range(256))
_LETTERS_A_WORD = 2
COUNTED = 2_048  # bytes of main text whose words are counted: whether a page says anything shows there


def weigh(text: bytes) -> tuple[bytes, int]:
    """What text says, without white space and volatile parts, and the words of its beginning. The text is UTF-8."""
    return steady_text(text).translate(None, _SPACE), count_words(text[:COUNTED])


def fingerprint(steady: bytes, targets: Iterable[str], origin: str, blocks: Iterable[str]) -> str:
    """Of main text as weighed, the URLs that it links to, and the text of JSON-LD blocks; 16 hexadecimal digits.

    White space does not matter, nor the order of links, nor the origin of those on this site: a preview has another.
    The hash is fast and no secret one: who makes two texts collide hides a change of a page that is his own.
    """
    addresses = "\n".join(("", *targets)).replace(f"\n{origin}/", "\n/").split("\n")
    rest = "\n".join((*sorted(addresses), "".join("".join(blocks).split())))
    return xxh3_64_hexdigest(steady + steady_addresses(rest.encode(errors="replace")))


def count_words(text: bytes) -> int:
    """Words of UTF-8 text; of Japanese and Chinese, one for every two letters."""
    classes = text.translate(_CLASSES)
    letters = 0 if text.isascii() else classes.count(b"c")
    return classes.count(b" x") + classes.startswith(b"x") + (letters + 1) // _LETTERS_A_WORD
