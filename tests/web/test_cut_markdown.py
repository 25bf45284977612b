"""What is cut ends after a line, and everything that was open is closed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.web.printable import cut_markdown

NOTE = "…\n"
LONG = "z" * 200 + "\n"

CUTS = [
    # id, text, what is left of it
    ("it fits", "a\nb\n", "a\nb\n"),
    ("after a row", f"a\nb\n{LONG}", f"a\nb\n\n{NOTE}"),
    ("nothing but one long row", LONG, f"\n{NOTE}"),
    ("a fence", f"```sh\nls\n{LONG}", f"```sh\nls\n```\n\n{NOTE}"),
    ("a longer fence, a shorter one inside", f"````\n```\n{LONG}", f"````\n```\n````\n\n{NOTE}"),
    ("tildes, backticks inside", f"~~~\n```\n{LONG}", f"~~~\n```\n~~~\n\n{NOTE}"),
    ("a fence that is closed", f"```\nls\n```\nb\n{LONG}", f"```\nls\n```\nb\n\n{NOTE}"),
    ("a fence inside a folded block", f"<details>\n\n```\nls\n{LONG}", f"<details>\n\n```\nls\n```\n\n</details>\n\n{NOTE}"),
    ("two folded blocks", f"<details open>\n<details>\n{LONG}", f"<details open>\n<details>\n\n</details>\n\n</details>\n\n{NOTE}"),
    ("one of two is closed", f"<details>\n<details>\n</details>\n{LONG}", f"<details>\n<details>\n</details>\n\n</details>\n\n{NOTE}"),
    ("opened and closed on one line", f"<details>x</details>\n{LONG}", f"<details>x</details>\n\n{NOTE}"),
    ("a tag inside a fence", f"```\n<details>\n```\n{LONG}", f"```\n<details>\n```\n\n{NOTE}"),
    ("a tag inside a row", f"- `<details>`\n{LONG}", f"- `<details>`\n\n{NOTE}"),
    ("another element", f"<detailsx>\n{LONG}", f"<detailsx>\n\n{NOTE}"),
    ("backticks that open no fence", f"```a`b\n{LONG}", f"```a`b\n\n{NOTE}"),
    ("too many spaces for a fence", f"    ```\n{LONG}", f"    ```\n\n{NOTE}"),
    ("a row that leaves no room for what it opens", f"a\n{'`' * 60}\n{LONG}", f"a\n\n{NOTE}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "left"), [pytest.param(*row[1:], id=row[0]) for row in CUTS])
def test_a_cut(text: str, left: str) -> None:
    assert cut_markdown(text, 100, NOTE) == left


def test_characters_beyond_the_basic_plane_count_twice() -> None:
    assert cut_markdown("😀" * 50, 100, NOTE) == "😀" * 50
    assert cut_markdown("a\n" + "😀" * 50, 100, NOTE) == f"a\n\n{NOTE}"


@pytest.mark.parametrize(
    ("text", "sent"), [("\ud83d\ude00", "😀"), ("a\ud83d", "a�"), ("\ude00\ud83d", "��"), ("\ufeffa", "\ufeffa")]
)
def test_half_a_pair_is_replaced_and_a_whole_one_joined(text: str, sent: str) -> None:
    assert cut_markdown(text, 100, NOTE) == sent


_LINES = st.sampled_from(
    ["<details>", "</details>", "```", "````", "~~~", "- row", "", "😀", "x" * 30, " <details open>"]
)


@given(st.lists(_LINES, max_size=60), st.integers(10, 200))
def test_it_fits_and_everything_is_closed(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)
    cut = cut_markdown(text, limit, NOTE)
    assert len(cut.encode("utf-16-le")) // 2 <= limit
    if cut != text:
        assert _open(cut) == ("", 0)


def _open(text: str) -> tuple[str, int]:
    """A second reader, without expressions: the open fence, and the number of open blocks."""
    fence, folds = "", 0
    for line in text.split("\n"):
        bare = line.strip()
        if fence:
            fence = "" if len(bare) >= len(fence) and set(bare) == {fence[0]} else fence
        elif bare[:3] in ("```", "~~~"):
            fence = bare
        else:
            folds = max(0, folds + bare.startswith("<details") - bare.startswith("</details"))
    return fence, folds
