"""Memory that two processes share: one puts messages into it, the other reads them where they are, in the same order.

A message takes the room behind the one before it, or from the start again; room is free once the oldest message has
been read. So little memory is touched, again and again. A message that is larger than that room has all of it, and
what lies behind it, to itself.
"""

import mmap
from collections import deque


class SharedRing:
    def __init__(self, room: int, largest: int) -> None:
        """`room`: bytes of all messages together; `largest`: of one message."""
        self._room = room
        self._behind = -(-room // mmap.PAGESIZE) * mmap.PAGESIZE
        self._memory = mmap.mmap(-1, max(room, largest))  # takes memory as it is written to
        self._taken: deque[tuple[int, int]] = deque()  # (start, end) of each message, the oldest first

    def __len__(self) -> int:
        """Bytes of the largest message."""
        return len(self._memory)

    def put(self, message: bytes) -> int | None:
        """Where it is; None while there is no room."""
        start = self._free(len(message))
        if start is not None:
            end = start + len(message)
            self._memory[start:end] = message
            self._taken.append((start, end))
        return start

    def message(self, start: int, size: int) -> memoryview:
        return memoryview(self._memory)[start : start + size]

    def free_oldest(self) -> None:
        _, end = self._taken.popleft()
        if end > self._behind:
            self._memory.madvise(mmap.MADV_REMOVE, self._behind, end - self._behind)

    def _free(self, size: int) -> int | None:
        if not self._taken:
            return 0 if size <= len(self._memory) else None
        first, last = self._taken[0][0], self._taken[-1][1]
        if last > first:  # not yet from the start again
            return last if last + size <= self._room else 0 if size < first else None
        return last if last + size < first else None
