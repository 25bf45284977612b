"""The input `comment-id` goes into an HTML comment."""

import pytest

from sitemap_action.errors import UsageError
from sitemap_action.runner.inputs import comment_name


@pytest.mark.parametrize("text", ["sitemap", "a", "www.example.com", "Docs_v1.2-beta", "--", "x" * 50])
def test_a_name(text: str) -> None:
    assert comment_name(text) == text


@pytest.mark.attack("arguments")
@pytest.mark.parametrize(
    "text", ["", "x" * 51, "a b", "a\n", "\na", "-->", "a --><b>", "ä", "a/b", "a:b", "٣", "##[error]x", "::error::x"]
)
def test_no_name(text: str) -> None:
    with pytest.raises(UsageError, match="input comment-id") as raised:
        comment_name(text)
    assert "\n" not in str(raised.value)
    assert "##[e" not in str(raised.value)
    assert raised.value.hint
