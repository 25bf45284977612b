"""Query parameters that are part of a page's URL, and those that are dropped."""

import pytest

from sitemap_action.web.patterns import filter_query


@pytest.mark.parametrize(
    ("query", "allow", "drop", "filtered"),
    [
        ("b=1&a=2", None, (), "b=1&a=2"),  # URL-23: order is significant
        ("a=1&a=2&c", None, (), "a=1&a=2&c"),  # URL-23: duplicate keys, empty values
        ("a=1", (), (), ""),
        ("page=2&sort=x", ("page",), (), "page=2"),
        ("utm_source=x&page=2&utm_medium=y", None, ("utm_*",), "page=2"),  # URL-24
        ("ref=x", None, ("utm_*", "gclid"), "ref=x"),  # URL-24: nothing is dropped that is not listed
        ("Page=2", ("page",), (), ""),  # URL-25
        ("p%61ge=2", ("page",), (), "p%61ge=2"),
        ("page=2", ("page",), ("page",), ""),
        ("", None, (), ""),
    ],
)
def test_URL_23_URL_24_filter_query(
    query: str, allow: tuple[str, ...] | None, drop: tuple[str, ...], filtered: str
) -> None:
    assert filter_query(query, allow, drop) == filtered
