"""Names of branches: what is accepted, git accepts too."""

import subprocess

import pytest

from sitemap_action.errors import UsageError
from sitemap_action.runner.inputs import branch_name

GOOD = (
    "main",
    "sitemap-action/update",
    "a.b",
    "feature/ä",
    "x@y",
    "1",
    "user/-x",
    "a{b",
    "release/1.0",
    "a'b",
    "é",
    "a#b",
    "a;b",
    "$x",
)
BAD = (
    *("", "-x", "--help", "/a", "a/", "a//b", ".a", "a/.b", "a.", "a..b", "a.lock", "a.lock/b", "a.LOCK", "@", "a@{1}"),
    *("a b", "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "a\nb", "a\0b", "a\x7fb", "a\u200bb", "a\u202eb", "HEAD"),
    *("refs/heads/main", "refs/x", "a\tb", "x" * 245),
)


@pytest.mark.parametrize("name", GOOD)
def test_names(name: str) -> None:
    assert branch_name(name, "input branch") == name
    subprocess.run(["git", "check-ref-format", "--branch", name], check=True, capture_output=True)


@pytest.mark.parametrize("name", BAD)
def test_names_that_no_branch_has(name: str) -> None:
    with pytest.raises(UsageError, match=r"^input branch: ") as caught:
        branch_name(name, "input branch")
    assert "such as main" in caught.value.hint
    assert str(caught.value).isprintable()


def test_every_character() -> None:
    for number in (*range(0x100), 0x200B, 0x2028, 0xD800, 0xFEFF):
        name = f"a{chr(number)}b"
        try:
            branch_name(name, "input branch")
        except UsageError:
            continue
        subprocess.run(["git", "check-ref-format", "--branch", name], check=True, capture_output=True)
