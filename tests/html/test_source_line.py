"""The line of a directive or canonical in a document."""

import pytest

from sitemap_action.html.head import canonical_line, noindex_line


@pytest.mark.parametrize(
    ("body", "noindex", "canonical"),
    [
        ("", 0, 0),
        ('<meta name="robots" content="noindex">', 1, 0),
        ('\n\n<META CONTENT="NoIndex, follow" NAME=robots>', 3, 0),
        ("\n<meta name=robots content=none>", 2, 0),
        ('<meta name="robots" content="index">\n<meta name="googlebot"\ncontent="noindex">', 2, 0),
        ('<!--\n<meta name="robots" content="noindex">\n-->\n<meta name="robots" content="noindex">', 4, 0),
        ('<!--\n<meta name="robots" content="noindex">', 0, 0),  # a comment that never ends
        ('<link rel="stylesheet" href="a">\n<link href="/a" rel="canonical">', 0, 2),
        ("<link rel='next canonical' href=a>", 0, 1),
        ("<link rel=canonical", 0, 0),
    ],
)
def test_the_line(body: str, noindex: int, canonical: int) -> None:
    assert (noindex_line(body.encode()), canonical_line(body.encode())) == (noindex, canonical)


def test_tags_that_never_end_cost_linear_time() -> None:
    for piece in (b"<!--", b"<meta ", b'<meta content="', b"<link rel='"):
        assert noindex_line(piece * 200_000) == canonical_line(piece * 200_000) == 0
