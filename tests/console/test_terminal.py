"""A report on a narrow terminal, on one without Unicode, and with text that is read from right to left."""

import pytest

from sitemap_action.console.streams import fit_lines, shows_unicode

URL = "https://www.example.com/a/long/address/that/no/terminal/of/forty/columns/can/show/"
LINES = [
    # id, line, columns, lines
    ("it fits", "  - a  gone", 40, ["  - a  gone"]),
    ("words go on below", "  ↳ Visitors and search engines get an error: restore it", 40, ["  ↳ Visitors and search engines get an", "      error: restore it"]),
    ("an address stays whole", f"  - {URL}  no file", 40, [f"  - {URL}", "      no file"]),
    ("right to left", "  - https://x.com/a  the title שלום עולם  [a.html:3]", 100, ["  - https://x.com/a", "      the title שלום עולם", "      [a.html:3]"]),
    ("Arabic", "  ! SM-12  مرحبا", 100, ["  ! SM-12", "      مرحبا"]),
    ("an empty line", "", 40, [""]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "columns", "lines"), [pytest.param(*row[1:], id=row[0]) for row in LINES])
def test_lines(line: str, columns: int, lines: list[str]) -> None:
    assert fit_lines(f"{line}\n", columns, unicode=True).splitlines() == lines


def test_a_terminal_without_unicode() -> None:
    text = "✗ 2 pages\n✓ done\n→ Run\n  … and “5” more\n  - https://x.com/ü\n"
    assert (
        fit_lines(text, 80, unicode=False) == 'x 2 pages\nv done\n> Run\n  ... and "5" more\n  - https://x.com/\\xfc\n'
    )


@pytest.mark.parametrize(
    ("environment", "unicode"),
    [
        ({}, True),
        ({"LANG": "en_US.UTF-8"}, True),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "C"}, False),
        ({"LANG": "de_DE.ISO-8859-1"}, False),
        ({"LC_CTYPE": "C.utf8", "LANG": "C"}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_which_terminal_shows_unicode(environment: dict[str, str], unicode: bool) -> None:
    assert shows_unicode(environment) is unicode
