"""How many URLs a limit allows: the number, the percentage, and both together."""

import pytest

from sitemap_action.config.schema import Limit

ALLOWS = [
    # limit, amount, total, allowed
    (Limit(), 1000, 1000, True),
    (Limit(5), 5, 10, True),  # DIFF-41
    (Limit(5), 6, 1000, False),
    (Limit(0), 1, 1000, False),
    (Limit(percent=20), 4, 4, True),  # DIFF-41: a percentage never trips below 5
    (Limit(percent=0), 4, 1000, True),
    (Limit(percent=20), 5, 5, False),
    (Limit(percent=20), 20, 100, True),
    (Limit(percent=20), 21, 100, False),
    (Limit(percent=0.57), 57, 10_000, True),  # in binary 0.57 is a little less
    (Limit(percent=0.57), 58, 10_000, False),
    (Limit(5, 50), 6, 100, False),  # the stricter of both
    (Limit(50, 5), 6, 100, False),
    (Limit(50, 6), 6, 100, True),
]


@pytest.mark.parametrize(("limit", "amount", "total", "allowed"), ALLOWS)
def test_a_limit_allows(limit: Limit, amount: int, total: int, allowed: bool) -> None:
    assert limit.allows(amount, total) is allowed
