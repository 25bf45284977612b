"""A tree of nodes as the text of a config file, which says the same when it is read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import share
from sitemap_action.config.yaml import MappingNode, Mark, Node, ScalarNode, SequenceNode, read_file
from sitemap_action.ui.form import merge_trees, node_text, remove_keys, value_text

HERE = Mark("x")


def tree(text: str) -> MappingNode:
    root, problems = read_file("x", text.encode())
    assert not problems
    assert isinstance(root, MappingNode)
    return root


def plain(node: Node) -> object:
    """Without marks and quotes."""
    match node:
        case ScalarNode(text=text):
            return text
        case SequenceNode(items=items):
            return [plain(item) for item in items]
        case MappingNode(entries=entries):
            return {key.text: plain(value) for key, value in entries}


SCALARS = st.builds(
    ScalarNode,
    st.just(HERE),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    | st.sampled_from(["off", "1:30", "*.pdf", "a: b", "a #b", "- x", "20%", "15MiB", "https://x.example/a?b=c", "[", "{}", "<<", "~", "''", "\u2028", "😀", "#"]),
    st.booleans(),
)  # fmt: skip
NODES: st.SearchStrategy[Node] = st.recursive(
    SCALARS,
    lambda inner: st.builds(SequenceNode, st.just(HERE), st.lists(inner, max_size=3).map(tuple))
    | st.builds(MappingNode, st.just(HERE), st.lists(st.tuples(SCALARS, inner), max_size=3, unique_by=lambda entry: entry[0].text).map(tuple)),
    max_leaves=6,
)  # fmt: skip
TREES = st.builds(
    MappingNode,
    st.just(HERE),
    st.lists(st.tuples(SCALARS, NODES), max_size=4, unique_by=lambda entry: entry[0].text).map(tuple),
)


@settings(max_examples=share(60))
@given(TREES)
def test_what_is_written_is_read_again(node: MappingNode) -> None:
    assert plain(tree(node_text(node))) == plain(node)


def test_it_looks_as_a_person_would_write_it() -> None:
    text = """site-url: https://www.example.com/docs/
crawl:
  max-pages: 50
  timeout: 1:30
select:
  exclude:
    - /tag/**
    - "re:^/x"
policy:
  max-removed: 20%
"""
    assert node_text(tree(text)) == text


def test_a_number_and_a_boolean_stay_without_quotes() -> None:
    assert node_text(tree("a: 5\nb: off\nc: '5'\n")) == 'a: 5\nb: off\nc: "5"\n'


LAYERS = [
    # why, lower, upper, both
    ("the upper one wins", "a: 1\nb: 2", "b: 3", {"a": "1", "b": "3"}),
    ("key by key", "a: {b: 1, c: 2}", "a: {c: 3}", {"a": {"b": "1", "c": "3"}}),
    ("a list is one value", "a: [1, 2]", "a: [3]", {"a": ["3"]}),
    ("a section in the place of a value", "a: 1", "a: {b: 1}", {"a": {"b": "1"}}),
]


@pytest.mark.parametrize(("lower", "upper", "both"), [pytest.param(*row[1:], id=row[0]) for row in LAYERS])
def test_one_over_another(lower: str, upper: str, both: object) -> None:
    assert plain(merge_trees(tree(lower), tree(upper))) == both


def test_keys_are_taken_out_and_empty_sections_with_them() -> None:
    node = tree("a: 1\nb: {c: 2, d: 3}\ne: {f: 4}\ng.h: 5")
    assert plain(remove_keys(node, ["a", "b.c", "e.f", "b.x"])) == {"b": {"d": "3"}, "g.h": "5"}


def test_the_value_of_a_key() -> None:
    node = tree("a: {b: [/x/**, /y], c: off}\nd: {e: {f: 1}}")
    assert value_text(node, "a.b") == "/x/**\n/y"
    assert value_text(node, "a.c") == "off"
    assert value_text(node, "d.e") == "{f: 1}"
    assert value_text(node, "a.z") is value_text(node, "q.r") is None
