"""Records of a sitemap, spread over a file by identity, so that two large ones are compared part by part."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from sitemap_action.compare.sets import Side

COUNT = 64
"""Parts; what a comparison holds in memory is one of each side."""

_HELD = 50_000  # records before they go to the file
_LINE = "I"  # how a line number is stored


@dataclass(frozen=True, slots=True)
class _Piece:
    """Where some records of one bucket stand in the file, and behind them their line numbers."""

    start: int
    records: int  # bytes
    lines: int  # bytes


@dataclass(slots=True)
class Buckets:
    """Fill it with `add` and end with `close`; a closed one may go to another process."""

    path: Path
    _pieces: list[list[_Piece]] = field(default_factory=lambda: [[] for _ in range(COUNT)])
    _records: list[list[bytes]] = field(default_factory=lambda: [[] for _ in range(COUNT)])
    _lines: list[list[int]] = field(default_factory=lambda: [[] for _ in range(COUNT)])
    _held: int = 0

    def add(self, keys: Sequence[bytes], records: Sequence[bytes], lines: Sequence[int]) -> None:
        """As many of each. Records of one key keep their order."""
        put_record = [bucket.append for bucket in self._records]
        put_line = [bucket.append for bucket in self._lines]
        for record, line, number in zip(records, lines, map(crc32, keys), strict=True):
            bucket = number % COUNT
            put_record[bucket](record)
            put_line[bucket](line)
        self._held += len(records)
        if self._held >= _HELD:
            self.close()

    def close(self) -> None:
        """What is held goes to the file."""
        with self.path.open("ab") as file:
            for bucket, records in enumerate(self._records):
                if records:
                    found, lines = b"\n".join(records), array(_LINE, self._lines[bucket]).tobytes()
                    self._pieces[bucket].append(_Piece(file.tell(), len(found), len(lines)))
                    file.write(found + lines)
                    records.clear()
                    self._lines[bucket].clear()
        self._held = 0

    def side(self, bucket: int) -> Side:
        """Of a closed one."""
        records: list[bytes] = []
        lines = array(_LINE)
        with self.path.open("rb") as file:
            for piece in self._pieces[bucket]:
                file.seek(piece.start)
                records += file.read(piece.records).split(b"\n")
                lines.frombytes(file.read(piece.lines))
        return Side(records, lines)
