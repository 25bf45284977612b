"""The list of accepted rows: what may stand in it, what is refused with its place, and that other lines stay."""

import random
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitemap_action.config.lists import CLASSES, index, read_accepted, with_lines, without_lines
from sitemap_action.errors import ConfigError
from sitemap_action.model.finding import AcceptedLine

RULES = frozenset({"SM-40", "HTML-25"})
DAY = date(2026, 11, 24)
SITE = "https://www.example.com/docs/"
A = b"gone\t/a\t2026-11-24\told shop"
B = b"missing\thttps://www.example.com/b\t2026-11-24\tlater"

TOLERATED = [
    ("lines", A + b"\n" + B + b"\n", [1, 2]),
    ("no final line break", A, [1]),
    ("empty lines and comments", b"# known\n\n" + A + b"\n  # old\n" + B, [3, 5]),
    ("CRLF", A + b"\r\n" + B + b"\r\n", [1, 2]),
    ("a byte order mark", b"\xef\xbb\xbf" + A, [1]),
    ("columns that an editor aligned", b"gone\t\t/a\t\t 2026-11-24 \told shop\n", [1]),
    ("a tab in the reason", A + b"\tof May\n", [1]),
    ("equal lines", A + b"\n" + A + b"\n", [1, 2]),
    ("a rule and a file", b"SM-40\tpublic/sitemap.xml\t2026-11-24\twritten by hand", [1]),
    ("a reason in any language", "gone\t/ä\t2026-11-24\tSommer – vorbei\n".encode(), [1]),
    ("nothing", b"", []),
    ("no file", None, []),
]  # fmt: skip


@pytest.mark.parametrize(("content", "numbers"), [row[1:] for row in TOLERATED], ids=[row[0] for row in TOLERATED])
def test_what_may_stand_in_it(content: bytes | None, numbers: list[int]) -> None:
    assert [line.line for line in read_accepted("known.txt", content, RULES)] == numbers


REFUSED = [
    ("a class that is none", b"gonee\t/a\t2026-11-24\tx", "gonee is no class of removal, not missing, and no rule that can be accepted; did you mean gone?"),
    ("a rule about a change", b"POL-01\t.\t2026-11-24\tx", "POL-01 is no class of removal"),
    ("no answer is no fault", b"undetermined\t/a\t2026-11-24\tx", "undetermined is no class of removal"),
    ("three columns", b"gone\t/a\t2026-11-24", "a line has four columns with tabs between, and this one has 3"),
    ("spaces for tabs", b"gone /a 2026-11-24 old", "this one has 1"),
    ("an empty reason", b"gone\t/a\t2026-11-24\t  ", "this one has 3"),
    ("another form of a day", b"gone\t/a\t24.11.2026\tx", "24.11.2026 is no day such as 2026-11-24"),
    ("a day that there is not", b"gone\t/a\t2026-02-30\tx", "2026-02-30 is no day of the calendar"),
    ("ours of a conflict", b"<<<<<<< HEAD", "a merge conflict is not resolved"),
    ("the middle of a conflict", b"=======", "a merge conflict is not resolved"),
    ("theirs of a conflict", b">>>>>>> b", "a merge conflict is not resolved"),
    ("a control character", b"gone\t/a\t2026-11-24\t\x1b[2J", "it has a character that nobody sees"),
    ("a text that turns round", "gone\t/a\t2026-11-24\t\u202eabc".encode(), "it has a character that nobody sees"),
    ("NUL", b"gone\t/a\0\t2026-11-24\tx", "it has a character that nobody sees"),
    ("a workflow command", b"gone\t/a\t2026-11-24\t##[error]x", "it has a character that nobody sees"),
    ("another encoding", b"gone\t/\xe4\t2026-11-24\tx", "it is not UTF-8"),
    ("a long line", b"gone\t/" + b"a" * 9_000 + b"\t2026-11-24\tx", "a line holds at most 8,192 characters"),
    ("a very long line", b"a" * 5_000_000, "a line holds at most 8,192 characters"),
]  # fmt: skip


@pytest.mark.attack("policy")
@pytest.mark.parametrize(("line", "says"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_refused_with_its_place(line: bytes, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_accepted("known.txt", b"# known\n" + A + b"\n" + line + b"\n", RULES)
    assert str(error.value).startswith("known.txt:3: ")
    assert says in str(error.value)
    assert len(str(error.value)) < 500
    assert error.value.exit_code == 2


def test_all_problems_are_said_at_once_and_counted() -> None:
    with pytest.raises(ConfigError) as error:
        read_accepted("known.txt", b"x\n" * 60, RULES)
    assert str(error.value).count("known.txt:") == 50
    assert str(error.value).endswith("and 10 more problems")


@pytest.mark.attack("policy")
def test_a_huge_file_is_not_read() -> None:
    with pytest.raises(ConfigError, match="holds more than 20,000,000 bytes"):
        read_accepted("known.txt", b"#" * 20_000_001, RULES)


def test_a_path_is_a_url_of_the_site() -> None:
    rows = index(read_accepted("known.txt", A + b"\ngone\thttps://WWW.example.com/%7Eb\t2026-11-24\tx", RULES), SITE)
    assert {
        ("gone", "https://www.example.com/a"),
        ("gone", "https://www.example.com/~b"),
        ("gone", "/a"),
    } <= rows.keys()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_new_line_stands_where_it_sorts_and_no_other_changes(ending: str, mark: str) -> None:
    old = ["# of the shop", "", "gone\t/b\t2026-01-01\t x ", "# about d", "gone\t/d\t2026-01-01\tx"]
    new = [AcceptedLine("gone", path, DAY, "y") for path in ("/e", "/c", "/a")]
    made = with_lines((mark + ending.join(old)).encode(), new).decode()
    a, c, e = (f"gone\t{path}\t2026-11-24\ty" for path in ("/a", "/c", "/e"))
    assert made == mark + ending.join([*old[:2], a, old[2], c, *old[3:], e, ""])


def test_a_first_file_says_what_it_is() -> None:
    made = with_lines(None, [AcceptedLine("gone", "/a", DAY, "y")]).decode().splitlines()
    assert made[0].startswith("# Known faults")
    assert made[1:] == ["gone\t/a\t2026-11-24\ty"]


def test_removed_lines_leave_all_others_as_they_are() -> None:
    assert without_lines(b"# x\r\n" + A + b"\r\n" + B, {2}) == b"# x\r\n" + B
    assert without_lines(A + b"\n", {1}) == b""


_lines = st.builds(
    AcceptedLine,
    name=st.sampled_from(sorted(CLASSES | RULES)),
    subject=st.sampled_from(["/a", "/b", "https://www.example.com/a", "."]),
    day=st.dates(date(2020, 1, 1), date(2020, 1, 4)),
    reason=st.sampled_from(["old", "older"]),
)


@given(st.lists(_lines, max_size=12), st.lists(_lines, max_size=6), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_order_and_equal_lines_mean_nothing(
    lines: list[AcceptedLine], new: list[AcceptedLine], chance: random.Random
) -> None:
    def meaning(content: bytes) -> dict[tuple[str, str], str]:
        found = index(read_accepted("known.txt", content, RULES), SITE)
        return {key: str(line) for key, line in found.items()}

    content = with_lines(b"", lines)
    shuffled = [*content.splitlines(keepends=True), *content.splitlines(keepends=True)[:3]]
    chance.shuffle(shuffled)
    assert meaning(b"".join(shuffled)) == meaning(content)
    both = with_lines(b"".join(shuffled), new)
    assert [row for row in both.splitlines() if row not in {str(one).encode() for one in new}] == [
        row for row in b"".join(shuffled).splitlines() if row not in {str(one).encode() for one in new}
    ]
    assert meaning(both) == meaning(with_lines(with_lines(b"", new), lines))
