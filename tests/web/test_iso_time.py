"""Times that pages state, read the same by every version of Python."""

from datetime import UTC, datetime

import pytest

from sitemap_action.html.directives import parse_iso_time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("20240224T2459", None),
        ("2024-02-24T23:59:00Z", datetime(2024, 2, 24, 23, 59, tzinfo=UTC)),
        ("2024-02-24 10:24Z", datetime(2024, 2, 24, 10, 24, tzinfo=UTC)),
        ("2024-02-24T24:00:00Z", None),  # midnight of the next day for Python 3.14, an error before
        ("2024-02-24 24:00", None),
        ("20240224T24", None),
        ("2024-02-30", None),
        ("", None),
    ],
)
def test_a_time_is_one_or_none(text: str, time: datetime | None) -> None:
    if time is None:
        with pytest.raises(ValueError, match=r".+"):
            parse_iso_time(text)
    else:
        assert parse_iso_time(text) == time
