"""What a page says, as a short hash that stays the same while only volatile parts change (DIFF-31, DIFF-32)."""

import hashlib
from collections.abc import Iterable

from sitemap_action.web.volatile import is_plain, steady_addresses, steady_text

_SPACE = b"\t\n\v\f\r "

# Bytes of UTF-8 by class. Japanese and Chinese put no space between words, so letters are counted; those of
# U+3000–U+9FFF begin with E3–E9.
_CLASSES = bytes(0x20 if byte in _SPACE else 0x63 if 0xE3 <= byte <= 0xE9 else 0x78 for byte in range(256))
_LETTERS_A_WORD = 2


def weigh(text: bytes) -> tuple[bytes, int]:
    """What text says, without white space and volatile parts, and its words. The text is UTF-8 and stripped."""
    if is_plain(text):
        squeezed = text.translate(None, _SPACE)
        return squeezed, len(text) - len(squeezed) + (len(text) > 0)
    return steady_text(text).translate(None, _SPACE), count_words(text)


def fingerprint(steady: bytes, targets: Iterable[str], origin: str, blocks: Iterable[str]) -> str:
    """Of main text as weighed, the URLs that it links to, and the text of JSON-LD blocks; 16 hexadecimal digits.

    White space does not matter, nor the order of links, nor the origin of those on this site: a preview has another.
    """
    digest = hashlib.blake2b(steady, digest_size=8)
    addresses = "\n".join(("", *targets)).replace(f"\n{origin}/", "\n/").split("\n")
    digest.update(steady_addresses("\n".join(sorted(addresses)).encode(errors="replace")))
    for block in blocks:
        digest.update(steady_addresses("".join(block.split()).encode(errors="replace")))
    return digest.hexdigest()


def count_words(text: bytes) -> int:
    """Words of UTF-8 text; of Japanese and Chinese, one for every two letters."""
    classes = text.translate(_CLASSES)
    letters = 0 if text.isascii() else classes.count(b"c")
    return classes.count(b" x") + classes.startswith(b"x") + (letters + 1) // _LETTERS_A_WORD
