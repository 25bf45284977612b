"""A part of a site that one runner looks at (`--shard K/N`), by a hash that is the same everywhere, and what it saw."""

import re
from zlib import crc32

from msgspec import Struct

MOST = 256
"""Shards of one run: the jobs that a matrix of GitHub may have."""
_FORM = re.compile(r"([0-9]{1,3})/([0-9]{1,3})", re.ASCII)
_SPREAD = 0x9E3779B1  # Fibonacci hashing: a checksum of similar texts has similar low bits


class SiteShard(Struct, frozen=True):
    """One of `of`, counted from 1."""

    number: int
    of: int

    def owns(self, name: str) -> bool:
        """Whether this one looks at a URL, or at a file by its path."""
        return owner(name, self.of) == self.number

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def owner(name: str, of: int) -> int:
    """The number of the shard that a name belongs to."""
    return ((crc32(name.encode(errors="surrogatepass")) * _SPREAD & 0xFFFFFFFF) >> 8) % of + 1


def parse_shard(text: str) -> SiteShard | None:
    """The shard that `K/N` names; None for a text that names none."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    number, of = int(found[1]), int(found[2])
    return SiteShard(number, of) if 1 <= number <= of <= MOST else None


class ShardResult(Struct, frozen=True):
    """Of `check --shard K/N`."""

    shard: SiteShard
    state: str  # file
    looked_at: int  # URLs, or files of a build
    files: bool  # whether a build was read
    incomplete: tuple[str, ...] = ()  # why not all of it was seen
    interrupted: int = 0  # exit code of the signal that ended the run
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return self.interrupted or (3 if self.incomplete else 0)

    def text(self) -> str:
        """What the run has seen, in words."""
        noun, done = ("file", "read") if self.files else ("URL", "asked for")
        many = f"{noun} was" if self.looked_at == 1 else f"{noun}s were"
        lines = [f"shard {self.shard}: {self.looked_at:,} {many} {done}; merge gives the verdict, with {self.state}"]
        lines += [f"note: {note}" for note in self.notes]
        lines += [f"not all of the part was seen: {why}" for why in self.incomplete]
        return "\n".join(lines) + "\n"
