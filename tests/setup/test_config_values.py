"""What YAML, TOML, JSON and Python state, that none of them makes the reader fail, and texts that are written."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.hosts.literals import yaml_text
from sitemap_action.setup.project import (
    Fact,
    SourceFile,
    join_address,
    read_values,
    safe_branch,
    safe_path,
    safe_word,
)

SIZE = 250_000

ROWS: list[tuple[str, str, str, str | None]] = [
    # file, text, key, "value place"
    ("x.yml", "a: 1\nurl: https://x/ # home\n", "url", "https://x/ x.yml:2"),
    ("x.yml", "a:\n  b: c\n", "a.b", "c x.yml:2"),
    ("x.yml", "m:\n  - e: !!python/name:x.y\nurl: a\n", "url", "a x.yml:3"),
    ("x.yml", "url: !ENV [URL, a]\n", "url", None),
    ("x.yml", "url:\n", "url", None),
    ("x.yml", "url: null\n", "url", None),
    ("x.toml", '# url = "b"\nurl = "a"\n', "url", "a x.toml:2"),
    ("x.toml", 'x = 1\n[m]\nurl = "b"\n[n]\nx = "a"\n', "n.x", "a x.toml:5"),
    ("x.json", '{\n "s": {"build": "b"},\n "t": {"build": "a"}}', "t.build", "a x.json:3"),
    ("x.json", '{"url": "a", // comment\n}', "url", "a x.json:1"),
    ("conf.py", "url = 'b'\nurl = \"a\"  # home\n", "url", "a conf.py:2"),
    ("conf.py", "url: str = 'a'\n", "url", "a conf.py:1"),
    ("conf.py", "url = os.environ['URL']\n", "url", None),
    ("conf.py", "url = 'a' + b\n", "url", None),
    ("conf.py", "if x:\n    url = 'a'\n", "url", None),
    ("conf.py", "url == 'a'\n", "url", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "key", "expected"), ROWS)
def test_a_value(name: str, text: str, key: str, expected: str | None) -> None:
    found = read_values(SourceFile(name, text)).get(key)
    assert (" ".join(found) if found else None) == expected


BROKEN: list[tuple[str, str, str]] = [
    ("a colon too many", "x.yml", "a: b: c\n"),
    ("a tab", "x.yml", "a:\n\t- b\n"),
    ("two documents", "x.yml", "a: 1\n---\nb: 2\n"),
    ("deep", "x.yml", "[" * SIZE),
    ("no TOML", "x.toml", "a = \n"),
    ("deep TOML", "x.toml", "a = " + "[" * SIZE),
    ("deep keys", "x.toml", "a." * (SIZE // 2) + "b = 1\n"),
    ("deep quoted keys", "x.toml", '"a" . ' * (SIZE // 6) + "b = 1\n"),
    ("deep headings", "x.toml", "[" + "a." * (SIZE // 2) + "b]\n"),
    ("no JSON", "x.json", "{'a': 1}"),
    ("a list", "x.json", "[]"),
    ("deep JSON", "x.json", '{"a":' * (SIZE // 5)),
    ("a long number", "x.json", '{"a": ' + "1" * 10_000 + "}"),
]


@pytest.mark.parametrize(("name", "text"), [pytest.param(*row[1:], id=row[0]) for row in BROKEN])
def test_a_broken_file_is_a_sentence_that_names_it(name: str, text: str) -> None:
    values = read_values(SourceFile(name, text))
    assert name in values.problem
    assert values.values == {}


LONG = "k" * 1000  # the longest that YAML allows
BIG: list[tuple[str, str, str]] = [
    ("a long key over many", "x.yml", f"{LONG}:\n" + "".join(f"  a{n}: 1\n" for n in range(10_000))),
    ("a long key over many", "x.json", f'{{"{LONG}": {{' + ",".join(f'"a{n}": 1' for n in range(10_000)) + "}}"),
    ("a text with dots", "x.toml", f'a = "{"b." * 1000}" # {"c." * 1000}\n'),
    ("a long name", "x.toml", f"{'a' * SIZE} = 1\n"),
    ("aliases", "x.yml", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n"),
    ("assignments", "conf.py", "a = 'b'\n" * 30_000),
    ("a line", "conf.py", "a = " + " " * SIZE),
    ("lines", "conf.py", "\n" * SIZE),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [pytest.param(*row[1:], id=f"{row[0]}, {row[1]}") for row in BIG])
def test_what_is_kept_is_no_larger_than_the_file(name: str, text: str) -> None:
    values = read_values(SourceFile(name, text))
    assert values.problem == ""
    assert sum(len(key) + len(value) for key, value in values.values.items()) <= len(text)


def test_letter_case_of_keys() -> None:
    values = read_values(SourceFile("hugo.yaml", "BaseURL: a\ndisableKinds: [sitemap]\n")).ignore_case()
    assert values.get("baseurl") == ("a", "hugo.yaml:1")
    assert values.items["disablekinds"] == ("sitemap",)


@pytest.mark.parametrize(
    ("address", "path", "expected"),
    [
        ("https://a.b", None, "https://a.b"),
        ("https://a.b", "/", "https://a.b"),
        ("https://a.b/", "docs", "https://a.b/docs/"),
        ("https://a.b", "/docs/", "https://a.b/docs/"),
        (None, "/docs/", ""),
    ],
)
def test_an_address_below_a_path(address: str | None, path: str | None, expected: str) -> None:
    found = join_address(Fact(address, "x:1") if address else None, Fact(path, "x:2") if path else None)
    assert "".join(one.value for one in found) == expected


@pytest.mark.parametrize(
    ("text", "path", "word", "branch"),
    [
        # text, as a path, as a word, as a branch
        ("main", "main", "main", "main"),
        ("./docs/", "docs", "", "./docs/"),
        ("a/b-c_d.e", "a/b-c_d.e", "", "a/b-c_d.e"),
        ("docs:build", "", "docs:build", ""),
        ("@scope/a+b", "@scope/a+b", "", ""),
        ("../a", "", "", "../a"),
        ("a/../b", "", "", "a/../b"),
        ("/a", "", "", "/a"),
        ("-a", "", "", ""),
        ("a/-b", "", "", "a/-b"),
        ("a b", "", "", ""),
        ("a$b", "", "", ""),
        ("ä", "", "", ""),
        ("a\n", "a", "", ""),
        ("", "", "", ""),
        ("a" * 300, "", "", ""),
    ],
)
def test_texts_that_need_no_quotes(text: str, path: str, word: str, branch: str) -> None:
    assert (safe_path(text), safe_word(text), safe_branch(text)) == (path, word, branch)


SCALARS = """
    1.20 8 1e3 0x1f 1_000 12:30 2026-01-01 on y Null ~ .5 .inf .nan ... - = << # a#b a:b [a] @a https://x.com/a a/b.md v1.2
    """.split()  # noqa: SIM905 - as text it is easier to read


@given(
    st.sampled_from(["", " ", "a: b", "a #b", "\u00a0", "\u2028", "\n", "caf\u00e9", "it's", *SCALARS]) | st.text(),
    st.sampled_from(["", "'", '"']),
)
def test_a_text_is_the_same_text_to_a_reader_of_yaml(text: str, like: str) -> None:
    """As a key, a value and an item, for one that takes `on` for true and 12:30 for a number, too."""
    scalar = yaml_text(text, like)
    assert yaml.safe_load(f"{scalar}: {scalar}\nlist: [{scalar}, {scalar}]") == {text: text, "list": [text, text]}
