"""What a page says, as a short hash that stays the same while only volatile parts change (DIFF-31, DIFF-32)."""

from collections.abc import Iterable

from xxhash import xxh3_64, xxh3_64_intdigest

from sitemap_action.html.volatile import steady_addresses, steady_text

_SPACE = b"\t\n\v\f\r "

# Bytes of UTF-8 by class. Japanese and Chinese put no space between words, so letters are counted; those of
# U+3000–U+9FFF begin with E3–E9.
_CLASSES = bytes(0x20 if byte in _SPACE else 0x63 if 0xE3 <= byte <= 0xE9 else 0x78 for byte in range(256))
_LETTERS_A_WORD = 2
COUNTED = 1_024  # bytes of main text whose words are counted: whether a page says anything shows there
_REMEMBERED = 40_000  # addresses
_LONGEST = 512  # characters of one that is worth remembering
_BITS = (1 << 64) - 1


class Marks:
    """What each address that a page links to adds to its fingerprint, remembered for the other pages of an origin.

    An address of that origin counts without it, because a preview has another; hashes of assets, cache busters, tokens
    and session ids do not count.
    """

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self._known: dict[str, int] = {}

    def of(self, addresses: set[str]) -> int:
        """The sum, in which their order does not show."""
        known = self._known
        new = [address for address in addresses if address not in known]
        total = sum(map(known.__getitem__, addresses.difference(new)))
        return (total + self._learn(new) if new else total) & _BITS

    def _learn(self, new: list[str]) -> int:
        lines = "\n".join(["", *(address.replace("\n", "") for address in new)])
        steady = steady_addresses(lines.replace(f"\n{self.origin}/", "\n/").encode(errors="replace"))
        marks = list(map(xxh3_64_intdigest, steady.split(b"\n")[1:]))
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known.update((one, mark) for one, mark in zip(new, marks, strict=True) if len(one) <= _LONGEST)
        return sum(marks)


def fingerprint(text: bytes, mark: int, blocks: Iterable[str]) -> str:
    """Of main text in UTF-8, the mark of what it links to, and JSON-LD blocks; 16 hexadecimal digits.

    Line breaks do not matter, nor the order of links. The hash is fast and no secret one: who makes two texts collide
    hides a change of a page that is his own.
    """
    data = "".join("".join(blocks).split()).encode(errors="replace")
    digest = xxh3_64(unwrapped(steady_text(text)))
    digest.update(b"\n%016x\n" % mark + steady_addresses(data))
    return digest.hexdigest()


def unwrapped(text: bytes) -> bytes:
    """Text with one space for a line break and the white space around it: how a document is laid out says nothing."""
    if b"\n" in text or b"\r" in text:
        text = b" ".join(filter(None, map(bytes.strip, text.splitlines())))
    return text


def count_words(text: bytes) -> int:
    """Words of UTF-8 text; of Japanese and Chinese, one for every two letters."""
    classes = text.translate(_CLASSES)
    letters = 0 if text.isascii() else classes.count(b"c")
    return classes.count(b" x") + classes.startswith(b"x") + (letters + 1) // _LETTERS_A_WORD
