"""Documents for fuzzing: pieces of a format in any order, and good documents with a few edits."""

import os
from collections.abc import Sequence

from hypothesis import settings
from hypothesis import strategies as st

from examples import share

EXAMPLES = int(os.environ.get("SITEMAP_ACTION_FUZZ") or share(60))
"""Of each reader: few in the suite, many in the workflow's job (`make fuzz`)."""

_MANY = EXAMPLES > 1000  # then each run tries others; in the suite of CI the same ones each time


def fuzz(share: int = 1) -> settings:
    """`share`: a reader whose examples cost as much as so many of the others gets fewer."""
    examples = max(10, EXAMPLES // share)
    return settings(max_examples=examples, deadline=None, **({"derandomize": False} if _MANY else {}))


_CONTROLS = (b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\t", b" ", b"\x85", "\u2028\u202e".encode())


def documents(seeds: Sequence[bytes], pieces: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Half of them are almost good: one or two edits of a seed reach what random pieces never do."""
    piece = st.sampled_from([*pieces, *_CONTROLS]) | st.binary(max_size=6)
    jumbled = st.lists(piece, max_size=30).map(b"".join)
    edit = st.tuples(st.integers(0, 2**20), st.integers(0, 12), piece, st.sampled_from([1, 1, 1, 2, 50, 3000]))
    edited = st.builds(_edited, st.sampled_from(seeds), st.lists(edit, min_size=1, max_size=4))
    return jumbled | edited


def _edited(seed: bytes, edits: Sequence[tuple[int, int, bytes, int]]) -> bytes:
    """Each edit: where, how many bytes go, what comes in their place, and how often."""
    for place, length, piece, times in edits:
        at = place % (len(seed) + 1)
        seed = seed[:at] + piece * times + seed[at + length :]
    return seed


def texts(seeds: Sequence[str], pieces: Sequence[str]) -> st.SearchStrategy[str]:
    """As above; a byte that is no UTF-8 becomes a lone surrogate, as in names and variables of the system."""
    found = documents([seed.encode() for seed in seeds], [piece.encode() for piece in pieces])
    return found.map(lambda data: data.decode(errors="surrogateescape"))
