"""What YAML, TOML, JSON and Python state, and that none of them makes the reader fail."""

from collections.abc import Callable

import pytest

from sitemap_action.setup.project import SourceFile
from sitemap_action.setup.stated_values import (
    StatedValues,
    json_values,
    python_values,
    toml_values,
    yaml_values,
)

Read = Callable[[SourceFile], StatedValues]
SIZE = 250_000

ROWS: list[tuple[str, Read, str, str, str | None]] = [
    # file, reader, text, key, "value place"
    ("x.yml", yaml_values, "a: 1\nurl: https://x/ # home\n", "url", "https://x/ x.yml:2"),
    ("x.yml", yaml_values, "a:\n  b: c\n", "a.b", "c x.yml:2"),
    ("x.yml", yaml_values, "m:\n  - e: !!python/name:x.y\nurl: a\n", "url", "a x.yml:3"),
    ("x.yml", yaml_values, "url: !ENV [URL, a]\n", "url", None),
    ("x.yml", yaml_values, "url:\n", "url", None),
    ("x.yml", yaml_values, "url: null\n", "url", None),
    ("x.toml", toml_values, '# url = "b"\nurl = "a"\n', "url", "a x.toml:2"),
    ("x.toml", toml_values, 'x = 1\n[m]\nurl = "b"\n[n]\nx = "a"\n', "n.x", "a x.toml:5"),
    ("x.json", json_values, '{\n "s": {"build": "b"},\n "t": {"build": "a"}}', "t.build", "a x.json:3"),
    ("x.json", json_values, '{"url": "a", // comment\n}', "url", "a x.json:1"),
    ("conf.py", python_values, "url = 'b'\nurl = \"a\"  # home\n", "url", "a conf.py:2"),
    ("conf.py", python_values, "url: str = 'a'\n", "url", "a conf.py:1"),
    ("conf.py", python_values, "url = os.environ['URL']\n", "url", None),
    ("conf.py", python_values, "url = 'a' + b\n", "url", None),
    ("conf.py", python_values, "if x:\n    url = 'a'\n", "url", None),
    ("conf.py", python_values, "url == 'a'\n", "url", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "reader", "text", "key", "expected"), ROWS)
def test_a_value(name: str, reader: Read, text: str, key: str, expected: str | None) -> None:
    found = reader(SourceFile(name, text)).get(key)
    assert (" ".join(found) if found else None) == expected


BROKEN: list[tuple[str, str, Read, str]] = [
    ("a colon too many", "x.yml", yaml_values, "a: b: c\n"),
    ("a tab", "x.yml", yaml_values, "a:\n\t- b\n"),
    ("two documents", "x.yml", yaml_values, "a: 1\n---\nb: 2\n"),
    ("deep", "x.yml", yaml_values, "[" * SIZE),
    ("no TOML", "x.toml", toml_values, "a = \n"),
    ("deep TOML", "x.toml", toml_values, "a = " + "[" * SIZE),
    ("deep keys", "x.toml", toml_values, "a." * (SIZE // 2) + "b = 1\n"),
    ("deep quoted keys", "x.toml", toml_values, '"a" . ' * (SIZE // 6) + "b = 1\n"),
    ("deep headings", "x.toml", toml_values, "[" + "a." * (SIZE // 2) + "b]\n"),
    ("no JSON", "x.json", json_values, "{'a': 1}"),
    ("a list", "x.json", json_values, "[]"),
    ("deep JSON", "x.json", json_values, '{"a":' * (SIZE // 5)),
    ("a long number", "x.json", json_values, '{"a": ' + "1" * 10_000 + "}"),
]


@pytest.mark.parametrize(("name", "reader", "text"), [pytest.param(*row[1:], id=row[0]) for row in BROKEN])
def test_a_broken_file_is_a_sentence_that_names_it(name: str, reader: Read, text: str) -> None:
    values = reader(SourceFile(name, text))
    assert name in values.problem
    assert values.values == {}


LONG = "k" * 1000  # the longest that YAML allows
BIG: list[tuple[str, str, Read, str]] = [
    ("a long key over many", "x.yml", yaml_values, f"{LONG}:\n" + "".join(f"  a{n}: 1\n" for n in range(10_000))),
    ("a long key over many", "x.json", json_values, f'{{"{LONG}": {{' + ",".join(f'"a{n}": 1' for n in range(10_000)) + "}}"),
    ("a text with dots", "x.toml", toml_values, f'a = "{"b." * 1000}" # {"c." * 1000}\n'),
    ("a long name", "x.toml", toml_values, f"{'a' * SIZE} = 1\n"),
    ("aliases", "x.yml", yaml_values, "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n"),
    ("assignments", "conf.py", python_values, "a = 'b'\n" * 30_000),
    ("a line", "conf.py", python_values, "a = " + " " * SIZE),
    ("lines", "conf.py", python_values, "\n" * SIZE),
]  # fmt: skip


@pytest.mark.parametrize(("name", "reader", "text"), [pytest.param(*row[1:], id=f"{row[0]}, {row[1]}") for row in BIG])
def test_what_is_kept_is_no_larger_than_the_file(name: str, reader: Read, text: str) -> None:
    values = reader(SourceFile(name, text))
    assert values.problem == ""
    assert sum(len(key) + len(value) for key, value in values.values.items()) <= len(text)


def test_letter_case_of_keys() -> None:
    values = yaml_values(SourceFile("hugo.yaml", "BaseURL: a\ndisableKinds: [sitemap]\n")).in_any_case()
    assert values.get("baseurl") == ("a", "hugo.yaml:1")
    assert values.items["disablekinds"] == ("sitemap",)
