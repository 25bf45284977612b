"""Literals of configs in JavaScript and TypeScript, by the path of keys and with their lines."""

import pytest

from sitemap_action.setup.project import ConfigValues, SourceFile, read_values

COMPUTED = "?"


def read(text: str) -> ConfigValues:
    return read_values(SourceFile("x.js", text))


ROWS: list[tuple[str, str, str, str | None]] = [
    # id, text, key, value; COMPUTED where only a program knows, None where nothing is stated
    ("module.exports", "module.exports = { url: 'a' }", "url", "a"),
    ("export default", 'export default { url: "a" }', "url", "a"),
    ("a template without a part", "export default { url: `a` }", "url", "a"),
    ("a call round the object", "export default defineConfig({ url: 'a' })", "url", "a"),
    ("a variable", "const config = { url: 'a' }\nexport default config", "url", "a"),
    ("a typed variable", "const config: Config = { url: 'a' };\nexport default config;", "url", "a"),
    ("a variable in a call", "const next = { url: 'a' }\nmodule.exports = withMdx(next)", "url", "a"),
    ("a function", "export default () => ({ url: 'a' })", "url", "a"),
    ("an async function", "export default async function () { return { url: 'a' } }", "url", "a"),
    ("satisfies", "export default { url: 'a' } satisfies Config", "url", "a"),
    ("another object before it", "const other = { url: 'b' }\nmodule.exports = { url: 'a' }", "url", "a"),
    ("another object behind it", "export default { url: 'a' }\nconst other = { url: 'b' }", "url", "a"),
    ("only another object", "const other = { url: 'b' }\nexport default { title: 'x' }", "url", None),
    ("deeper", "export default { theme: { url: 'b' }, url: 'a' }", "url", "a"),
    ("the path of keys", "export default { sitemap: { hostname: 'a' } }", "sitemap.hostname", "a"),
    ("quoted keys", "export default { 'sitemap': { \"hostname\": 'a' } }", "sitemap.hostname", "a"),
    ("through a call", "export default { kit: { adapter: adapter({ pages: 'a' }) } }", "kit.pages", "a"),
    ("a line comment", "export default {\n// url: 'b',\nurl: 'a' }", "url", "a"),
    ("a comment", "export default { /* url: 'b', */ url: 'a' /* c */ }", "url", "a"),
    ("an address in a comment's shape", "export default { x: 'https://b//', url: 'a' }", "url", "a"),
    ("a bracket in a text", "export default { x: '}{', url: 'a' }", "url", "a"),
    ("a quote in a text", "export default { x: 'it\\'s', url: 'a' }", "url", "a"),
    ("a constant", "const home = 'a'\nexport default { url: home }", "url", "a"),
    ("a constant as shorthand", "const url = 'a'\nexport default { url }", "url", "a"),
    ("or else", "export default { url: process.env.URL || 'a' }", "url", "a"),
    ("or else, if missing", "export default { url: process.env.URL ?? 'a', }", "url", "a"),
    ("a boolean", "export default { sitemap: false }", "sitemap", "false"),
    ("the environment", "export default { url: process.env.URL }", "url", COMPUTED),
    ("a template with a part", "export default { url: `https://${host}` }", "url", COMPUTED),
    ("a sum", "export default { url: 'https://' + host }", "url", COMPUTED),
    ("a call", "export default { url: home() }", "url", COMPUTED),
    ("a condition", "export default { url: dev ? 'b' : 'a' }", "url", COMPUTED),
    ("an escape", "export default { url: 'a\\u0062' }", "url", COMPUTED),
    ("an unknown name", "export default { url: home }", "url", COMPUTED),
    ("or else of something computed", "export default { url: process.env.URL || home() }", "url", COMPUTED),
    ("a parameter", "export default ({ url }) => ({ title: 'x' })", "title", "x"),
    ("a type", "type A = { url: string }\nexport default { url: 'a' }", "url", "a"),
    ("nothing", "", "url", None),
    ("a text that does not end", "export default { url: 'a", "url", COMPUTED),
    ("an object that does not end", "export default { url: 'a'", "url", "a"),
    ("more closed than opened", "}}])\nexport default { url: 'a' }", "url", "a"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "key", "value"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_a_value(text: str, key: str, value: str | None) -> None:
    values = read(text)
    found = values.get(key)
    if value in (None, COMPUTED):
        assert found is None
        assert bool(values.is_computed(key)) is (value == COMPUTED)
    else:
        assert found is not None
        assert found.value == value


def test_lines_are_those_of_the_file() -> None:
    values = read("// first\n\nmodule.exports = {\n  title: 'x',\n  url: 'a',\n  base: process.env.BASE,\n}\n")
    assert values.get("url") == ("a", "x.js:5")
    assert values.is_computed("base") == "x.js:6"


SIZE = 256 * 1024
HOSTILE = {
    "brackets": "{" * SIZE,
    "closed brackets": "}" * SIZE,
    "quotes": "'" * SIZE,
    "a comment that does not end": "/*" * (SIZE // 2),
    "backslashes in a text": '"' + "\\" * SIZE,
    "a tower of keys": "export default {" + "a:{b:1," * (SIZE // 7),
    "a long key": "export default {" + "k" * (SIZE // 2) + ":{" + "a:1," * (SIZE // 8) + "}}",
    "many keys": "export default {" + ",".join(f"k{number}:'v'" for number in range(SIZE // 12)) + "}",
    "one word": "a" * SIZE,
    "a name of many parts": "a." * (SIZE // 2),
    "templates": "`${`" * (SIZE // 4),
    "lines": "\n" * SIZE,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_in_one_pass(text: str) -> None:
    values = read(text)
    assert sum(map(len, values.values)) <= SIZE
    assert values.get("url") is None
