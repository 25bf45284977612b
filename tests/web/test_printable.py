"""Text from a site in a log: it starts no line and no workflow command."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.web.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://www.example.com/a?b=%0A", "https://www.example.com/a?b=%0A"),
        ("Grüße, 世界", "Grüße, 世界"),
        ("two\nlines", "two\\x0alines"),
        ("a\rb", "a\\x0db"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("::error::boo", "\\::error::boo"),
        ("  ::error::boo", "\\  ::error::boo"),
        ("x ##[set-output name=changed]false", "x ##[\\set-output name=changed]false"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("lone \udce9", "lone \\udce9"),
        ("line\u2028end", "line\\u2028end"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


def runner_acts_on(line: str) -> bool:
    """The runner's two command syntaxes, matched as loosely as possible."""
    return line.lstrip().startswith("::") or re.search(r"##\[[^\\]", line) is not None


@pytest.mark.attack("injection")
@given(st.text() | st.lists(st.sampled_from(["::", "##[", "##", "[", "error", "\n", "\r", " ", "\\"])).map("".join))
def test_no_command_starts(text: str) -> None:
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert not runner_acts_on(shown)


@given(st.text())
def test_printable_ascii_is_unchanged(text: str) -> None:
    plain = "".join(character for character in text if character.isalnum())
    assert printable(plain) == plain
