"""Memory that two processes share: every message is whole until it is freed, and no more room is taken than there is."""

import random
from collections import deque

from sitemap_action.crawl.shared_ring import SharedRing


def test_messages_are_whole_until_they_are_freed() -> None:
    chance, ring = random.Random(1), SharedRing(1_000, 5_000)
    waiting: deque[tuple[int, bytes]] = deque()
    refused = 0
    for number in range(3_000):
        message = bytes([number % 256]) * chance.choice([1, 40, 300, 999, chance.randrange(1, 700)])
        while (start := ring.put(message)) is None:
            refused += 1
            at, oldest = waiting.popleft()
            assert bytes(ring.message(at, len(oldest))) == oldest
            ring.free_oldest()
        waiting.append((start, message))
        assert sum(len(one) for _, one in waiting) <= 1_000
        assert all(bytes(ring.message(at, len(one))) == one for at, one in waiting)
    assert refused > 1_000


def test_a_large_message_waits_until_it_is_alone() -> None:
    ring = SharedRing(1_000, 9_000)
    assert len(ring) == 9_000
    assert ring.put(b"a" * 10) == 0
    assert ring.put(b"b" * 8_000) is None
    ring.free_oldest()
    assert ring.put(b"b" * 8_000) == 0
    assert ring.put(b"c") is None
    ring.free_oldest()
    assert ring.put(b"d" * 1_000) == 0
    assert ring.put(b"e" * 9_001) is None
