"""What expat is given when: expat before 2.6 scans an unfinished tag or comment again with every piece.

Waiting until the buffer is as long as what is unfinished keeps that linear.
"""

from xml.parsers.expat import XMLParserType

MAX_TOKEN = 8_388_608
"""Bytes of one tag or comment."""

TOO_LONG = f"a tag or comment of more than {MAX_TOKEN:,} bytes"


class PendingInput:
    """The bytes that a parser has not been given yet, and of those it was, how many belong to an unfinished token."""

    def __init__(self, parser: XMLParserType) -> None:
        self.parsed = 0  # bytes that the parser was given
        self.unfinished = 0  # of these, bytes of a tag or comment that has not ended
        self._parser = parser
        self._buffer: list[bytes] = []
        self._buffered = 0  # bytes of it

    @property
    def waiting(self) -> bool:
        """The parser is within a token, or has not been given everything."""
        return bool(self._buffer or self.unfinished)

    def add(self, piece: bytes) -> bool:
        """Whether it is time to parse."""
        self._buffer.append(piece)
        self._buffered += len(piece)
        return self._buffered >= self.unfinished

    def take(self) -> bytes:
        """What is to be parsed now."""
        piece = b"".join(self._buffer)
        self._buffer.clear()
        self._buffered = 0
        self.parsed += len(piece)
        return piece

    def measure(self) -> int:
        """After it was parsed: the bytes of an unfinished token."""
        self.unfinished = self.parsed - max(self._parser.CurrentByteIndex, 0)
        return self.unfinished
