"""YAML to nodes: what is read, its place, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs import plain_tree
from sitemap_action.config.yaml import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_EXPANSIONS,
    MappingNode,
    Mark,
    Node,
    SequenceNode,
    read_file,
    read_value,
)


def to_plain(node: Node | None) -> object:
    """A tree without its marks; text in quotes is shown with them."""
    return plain_tree(node, lambda one: one.text if one.plain else f'"{one.text}"')


READ = [
    # id, YAML, tree
    ("an empty file", "", {}),
    ("a comment alone", "# nothing\n", {}),
    ("a document mark alone", "---\n", ""),
    ("no boolean", "a: off\nb: no\nc: true", {"a": "off", "b": "no", "c": "true"}),
    ("no number", "a: 1:30\nb: 1.10\nc: 0x10\nd: 010", {"a": "1:30", "b": "1.10", "c": "0x10", "d": "010"}),
    ("no date, no null", "a: 2027-01-31\nb: ~\nc: null", {"a": "2027-01-31", "b": "~", "c": "null"}),
    ("no value", "a:\nb: ''", {"a": "", "b": '""'}),
    ("quotes are kept", "a: '5'\nb: \"5\"\nc: |\n  5\n", {"a": '"5"', "b": '"5"', "c": '"5\n"'}),
    ("flow and block", "a: [b, {c: d}]\ne:\n  - f\n", {"a": ["b", {"c": "d"}], "e": ["f"]}),
    ("an alias", "a: &x [b]\nc: *x", {"a": ["b"], "c": ["b"]}),
    ("an anchor that is defined again", "a: &x 1\nb: &x 2\nc: *x", {"a": "1", "b": "2", "c": "2"}),
    ("a byte order mark", "\ufeffa: b", {"a": "b"}),
    ("Windows line ends", "a: b\r\nc: d\r\n", {"a": "b", "c": "d"}),
    ("an astral character", 'a: "\\U0001F600"', {"a": '"😀"'}),
    ("a version of YAML", "%YAML 1.2\n---\na: b", {"a": "b"}),
    ("one document, closed", "---\na: b\n...\n", {"a": "b"}),
    ("a list as a document", "- a", ["a"]),
]


@pytest.mark.parametrize(("text", "tree"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_read(text: str, tree: object) -> None:
    root, problems = read_file("f.yml", text.encode())
    assert problems == ()
    assert to_plain(root) == tree


SYNTAX = "not valid YAML: "
REFUSED = [
    # id, bytes, problems
    ("twice", b"a: 1\nb: 2\na: 3", ['f.yml:3:1: the key "a" occurs twice; the first is in line 1']),
    ("twice, inside", b"a: {b: 1, b: 2}", ['f.yml:1:11: the key "b" occurs twice; the first is in line 1']),
    ("thrice", b"a: 1\na: 2\na: 3", [
        f'f.yml:{line}:1: the key "a" occurs twice; the first is in line 1' for line in (2, 3)
    ]),
    ("a tag", b"a: !!int 1", ["f.yml:1:4: the tag !!int is not supported; remove it"]),
    ("a tag of a program", b"a: !!python/name:os.system ", [
        "f.yml:1:4: the tag !!python/name:os.system is not supported; remove it"
    ]),
    ("a tag of a list", b"a: !x [b]", ["f.yml:1:4: the tag !x is not supported; remove it"]),
    ("a merge", b"a: &x {b: 1}\nc: {<<: *x}", ["f.yml:2:5: merge keys (<<) are not supported; write the keys out"]),
    ("a key that is a list", b"? [a]\n: b", ["f.yml:1:3: a key has to be text; this is a list or a mapping"]),
    ("two documents", b"a: 1\n---\nb: 2", ["f.yml:2:1: a second document starts here; one file holds one"]),
    ("an alias of nothing", b"a: *x", [
        "f.yml:1:4: *x has no anchor above it; quote a value that starts with *"
    ]),
    ("an alias of itself", b"a: &x [*x]", [
        "f.yml:1:8: *x has no anchor above it; quote a value that starts with *"
    ]),
    ("a glob without quotes", b"a: *.pdf", [
        f"f.yml:1:5: {SYNTAX}a value that starts with * or & needs quotes"
    ]),
    ("a tab", b"a:\n\tb: 1", [f"f.yml:2:1: {SYNTAX}a tab cannot indent; use spaces"]),
    ("a colon too many", b"a: b: c", [
        f"f.yml:1:5: {SYNTAX}a colon where no key can be; put the value in quotes, or end the line above in a colon"
    ]),
    ("an open quote", b"a: 'b", [f"f.yml:1:6: {SYNTAX}a quote is never closed"]),
    ("an open list", b"a: [b", [f"f.yml:1:6: {SYNTAX}a comma or the closing ] is missing; a value with braces or brackets goes in quotes"]),
    ("an open mapping", b"a: {b: c", [f"f.yml:1:9: {SYNTAX}a comma or the closing }} is missing; a value with braces or brackets goes in quotes"]),
    ("no colon", b"a: 1\nb\nc: 2", [f"f.yml:3:1: {SYNTAX}a key has no colon and space after it"]),
    ("a character at the start", b"a: @b", [
        f"f.yml:1:4: {SYNTAX}this character cannot start a value; put the value in quotes"
    ]),
    ("indented too little", b"  a: 1\nb: 2", [f"f.yml:2:1: {SYNTAX}the indentation does not fit the lines above"]),
    ("a list that turns into a mapping", b"- a\nb: 1", [
        f"f.yml:2:1: {SYNTAX}the indentation does not fit the lines above, or a value in quotes goes on after them"
    ]),
    ("a version of YAML to come", b"%YAML 2.0\n---\na: 1", [
        f"f.yml:1:1: {SYNTAX}found incompatible YAML document (version 1.* is required)"
    ]),
    ("a control character", b"a: 1\nb: \x07", [f"f.yml:2:4: {SYNTAX}the character U+0007 is not allowed"]),
    ("no UTF-8", b"a: 1\nb: caf\xe9", ["f.yml:2:7: byte 0xE9 is not UTF-8; save the file as UTF-8"]),
    ("UTF-16", "a: 1".encode("utf-16"), ["f.yml:1:1: byte 0xFF is not UTF-8; save the file as UTF-8"]),
    ("half a character", b'a: "\\ud83d"', [
        r"f.yml:1:4: half a surrogate pair is not a character; write one escape, such as \U0001F600"
    ]),
    ("an escape out of range", b'a: "\\UFFFFFFFF"', [
        f"f.yml:1:1: {SYNTAX}an escape or a number after this place is out of range"
    ]),
    ("a version of 5,000 digits", b"%YAML 1." + b"9" * 5000 + b"\n---\na: 1", [
        f"f.yml:1:1: {SYNTAX}an escape or a number after this place is out of range"
    ]),
    ("several problems", b"a: !x 1\na: 2\nb: [", [
        "f.yml:1:4: the tag !x is not supported; remove it",
        'f.yml:2:1: the key "a" occurs twice; the first is in line 1',
        f"f.yml:3:5: {SYNTAX}a value is missing",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "problems"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refused(data: bytes, problems: list[str]) -> None:
    assert [str(problem) for problem in read_file("f.yml", data)[1]] == problems


def test_marks_count_from_1() -> None:
    root = read_file("f.yml", b"# c\na: b\n\nc:\n  - d\n  - {e: f}\n")[0]
    assert isinstance(root, MappingNode)
    (key, first), (_, second) = root.entries
    assert str(key.mark) == "f.yml:2:1"
    assert str(first.mark) == "f.yml:2:4"
    assert isinstance(second, SequenceNode)
    assert [str(item.mark) for item in second.items] == ["f.yml:5:5", "f.yml:6:5"]


def test_every_node_of_a_value_has_its_mark() -> None:
    root, problems = read_value(Mark("--set"), "[a, !x b]")
    assert to_plain(root) == ["a", "b"]
    assert [str(problem) for problem in problems] == ["--set: the tag !x is not supported; remove it"]


def test_a_value_that_is_not_yaml() -> None:
    root, problems = read_value(Mark("--set"), "[a")
    assert root is None
    assert [str(problem) for problem in problems] == [
        f"--set: {SYNTAX}a comma or the closing ] is missing; a value with braces or brackets goes in quotes"
    ]


def nested_aliases(width: int, depth: int) -> bytes:
    """Each line repeats the line above `width` times."""
    lines = [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, depth)]
    return "\n".join(["a0: &a0 lol", *lines]).encode()


EXPANSIONS = [
    # id, data, allowed
    ("as many as allowed", b"a: &x y\nb: [" + b", ".join([b"*x"] * MAX_EXPANSIONS) + b"]", True),
    ("one more", b"a: &x y\nb: [" + b", ".join([b"*x"] * (MAX_EXPANSIONS + 1)) + b"]", False),
    ("few aliases, many expansions", nested_aliases(2, 8), False),
    ("a billion laughs", nested_aliases(9, 10), False),
    ("a billion laughs, in keys", nested_aliases(9, 10) + b"\n*a9 : x", False),
]


@pytest.mark.parametrize(("data", "allowed"), [row[1:] for row in EXPANSIONS], ids=[row[0] for row in EXPANSIONS])
def test_expansions(data: bytes, allowed: bool) -> None:
    problems = [problem.text for problem in read_file("f.yml", data)[1]]
    assert len(problems) == (0 if allowed else 1)
    assert all(f"expand more than {MAX_EXPANSIONS} times; write the values out" in text for text in problems)


DEPTHS = [
    # id, data, allowed
    ("deep enough", b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, True),
    ("too deep", b"[" * (MAX_DEPTH + 2), False),
    ("as deep as a file may be long", b"[" * MAX_BYTES, False),
    ("mappings in one line", b"{a: " * 20_000, False),
    ("lists in one line", b"- " * 20_000, False),
    ("keys in one line", b"? " * 20_000, False),
]


@pytest.mark.parametrize(("data", "allowed"), [row[1:] for row in DEPTHS], ids=[row[0] for row in DEPTHS])
def test_depth(data: bytes, allowed: bool) -> None:
    problems = [problem.text for problem in read_file("f.yml", data)[1]]
    assert problems == ([] if allowed else [f"more than {MAX_DEPTH} levels are nested here"])


def test_a_file_as_large_as_allowed() -> None:
    data = b"a: b\n#" + b"x" * (MAX_BYTES - 6)
    assert to_plain(read_file("f.yml", data)[0]) == {"a": "b"}


def test_a_file_that_is_too_large() -> None:
    root, problems = read_file("f.yml", b"a: b\n#" + b"x" * (MAX_BYTES - 5))
    assert root is None
    assert [str(problem) for problem in problems] == ["f.yml: the file holds 262,145 bytes; at most 262,144 are read"]


@pytest.mark.attack("bytes")
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes(data: bytes) -> None:
    root, problems = read_file("f.yml", data)
    assert root is not None or problems


PIECES = st.sampled_from(
    [*"[]{}:,-?&*!|>%@\"#\\'\n \t", "&a ", "*a", "<<: ", "---\n", "...\n", '"\\u', "%YAML 1", "!!", "a"]
)


@pytest.mark.attack("bytes")
@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_pieces_of_yaml(text: str) -> None:
    root, problems = read_file("f.yml", text.encode())
    assert root is not None or problems
