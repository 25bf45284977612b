"""The key is a secret, and part of an address (IN-02)."""

import pytest

from sitemap_action.errors import UsageError
from sitemap_action.runner.inputs import index_now_key


@pytest.mark.parametrize("text", ["a" * 8, "Z9-" * 42, "-" * 128, "0f2cc05788808c666d21df981f1a0e2a"])
def test_a_key(text: str) -> None:
    assert index_now_key(text) == text


@pytest.mark.parametrize(
    "text",
    ["", "a" * 7, "a" * 129, "under_score1", "12345678\n", "../../etc/passwd", "ключключ", "12345678?", "a b c d e"],
)
def test_no_key(text: str) -> None:
    with pytest.raises(UsageError, match="input index-now-key") as raised:
        index_now_key(text)
    assert not text or text not in f"{raised.value} {raised.value.hint}"
