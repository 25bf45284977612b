"""Records of a sitemap, partitioned by identity in a file, so that two large sitemaps are compared part by part."""

from array import array
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from msgspec import Struct, field

from sitemap_action.compare.entry_diff import SitemapRecords

COUNT = 64
"""Partitions; a comparison holds one of each side in memory."""

_BUFFER = 50_000  # records in memory before they are written
_LINE = "I"  # array type of line numbers


class _Segment(Struct, frozen=True):
    """Where some records of one bucket lie in the file, followed by their line numbers."""

    start: int
    records: int  # bytes
    lines: int  # bytes


class Buckets(Struct):
    """Filled with `add`, ended with `close`; a closed one may be sent to another process."""

    path: Path
    _segments: list[list[_Segment]] = field(default_factory=lambda: [[] for _ in range(COUNT)])
    _records: list[list[bytes]] = field(default_factory=lambda: [[] for _ in range(COUNT)])
    _lines: list[list[int]] = field(default_factory=lambda: [[] for _ in range(COUNT)])
    _buffered: int = 0

    def add(self, keys: Sequence[bytes], records: Sequence[bytes], lines: Sequence[int]) -> None:
        """Three sequences of one length; records of one key stay in order."""
        put_record = [bucket.append for bucket in self._records]
        put_line = [bucket.append for bucket in self._lines]
        for record, line, number in zip(records, lines, map(crc32, keys), strict=True):
            bucket = number % COUNT
            put_record[bucket](record)
            put_line[bucket](line)
        self._buffered += len(records)
        if self._buffered >= _BUFFER:
            self.close()

    def close(self) -> None:
        """Append what is buffered to the file."""
        with self.path.open("ab") as file:
            for bucket, records in enumerate(self._records):
                if records:
                    joined, lines = b"\n".join(records), array(_LINE, self._lines[bucket]).tobytes()
                    self._segments[bucket].append(_Segment(file.tell(), len(joined), len(lines)))
                    file.write(joined + lines)
                    records.clear()
                    self._lines[bucket].clear()
        self._buffered = 0

    def side(self, bucket: int) -> SitemapRecords:
        """One partition; only after `close`."""
        records: list[bytes] = []
        lines = array(_LINE)
        with self.path.open("rb") as file:
            for segment in self._segments[bucket]:
                file.seek(segment.start)
                records += file.read(segment.records).split(b"\n")
                lines.frombytes(file.read(segment.lines))
        return SitemapRecords(records, lines)
