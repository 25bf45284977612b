"""The spelling that the config asks for, by URL alone (URL-21)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.web.spellings import SpellingRules, other_slash

START = "https://x.com/docs/"
ADD, REMOVE = SpellingRules(slash=True), SpellingRules(slash=False)
KEEP, DROP = SpellingRules(html=True), SpellingRules(html=False)

ROWS = [
    # id, rules, path below the start page, file, the spellings
    ("nothing is asked", SpellingRules(), "a.html", "", ["a.html"]),
    ("a slash is added", ADD, "a", "a.html", ["a/"]),
    ("a slash is there", ADD, "a/", "a/index.html", ["a/"]),
    ("a slash is removed", REMOVE, "a/", "a/index.html", ["a"]),
    ("no slash is there", REMOVE, "a", "", ["a"]),
    ("the start page keeps its slash", REMOVE, "", "index.html", [""]),
    ("also with a query", REMOVE, "?page=2", "", ["?page=2"]),
    ("the query stays", ADD, "a?b=c/", "", ["a/?b=c/"]),
    ("removed before the query", REMOVE, "a/?b=c/", "", ["a?b=c/"]),
    ("a file gets no slash", ADD, "a.html", "a.html", ["a.html"]),
    ("of another type", ADD, "a.pdf", "a.pdf", ["a.pdf"]),
    ("a dot that is no file extension", ADD, "v1.2", "v1.2.html", ["v1.2/"]),
    ("a dot before the last segment", ADD, "v1.html/a", "", ["v1.html/a/"]),
    ("one slash of two", REMOVE, "a//", "", ["a/"]),
    (".html is dropped", DROP, "a.html", "a.html", ["a"]),
    (".html is dropped before the query", DROP, "a.html?b", "", ["a?b"]),
    (".htm stays", DROP, "a.htm", "a.htm", ["a.htm"]),
    ("an index file stays", DROP, "a/index.html", "a/index.html", ["a/index.html"]),
    ("a page that only ends like one", DROP, "myindex.html", "myindex.html", ["myindex"]),
    ("a name without .html that is another file's", DROP, "a.pdf.html", "a.pdf.html", ["a.pdf.html"]),
    ("no name but .html", DROP, ".html", ".html", [".html"]),
    ("nothing to drop", DROP, "a/", "a/index.html", ["a/"]),
    (".html is kept", KEEP, "a", "a.html", ["a.html", "a"]),
    (".html is kept, served with a slash", KEEP, "a/", "a.html", ["a.html", "a/"]),
    (".html is there", KEEP, "a.html", "a.html", ["a.html"]),
    (".html of an index", KEEP, "a/", "a/index.html", ["a/"]),
    (".html of the start page", KEEP, "", "index.html", [""]),
    (".html of a file that is not known", KEEP, "a", "", ["a.html", "a"]),
    (".html of what is an index on most servers", KEEP, "a/", "", ["a/"]),
    (".html of a file that is not known, with slashes removed", SpellingRules(slash=False, html=True), "a/", "", ["a.html", "a"]),
    ("both", SpellingRules(slash=True, html=False), "a.html", "a.html", ["a/"]),
    ("without both", SpellingRules(slash=False, html=False), "a.html", "a.html", ["a"]),
    (".html kept where there is one, else a slash", SpellingRules(slash=True, html=True), "a", "", ["a.html", "a/"]),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "path", "file", "spelled"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_URL_21_spelled(rules: SpellingRules, path: str, file: str, spelled: list[str]) -> None:
    assert list(rules.spell(START + path, START, file)) == [START + one for one in spelled]


@given(
    st.booleans() | st.none(),
    st.booleans() | st.none(),
    st.text("ab./", max_size=9) | st.sampled_from(("a/", "a.html", "a", "a.html/")),
)
def test_URL_21_a_spelling_is_its_own(slash: bool | None, html: bool | None, path: str) -> None:
    """Else a page would be listed under a URL that asks for another one."""
    rules = SpellingRules(slash, html)
    first = next(rules.spell(START + path.lstrip("/"), START))
    if slash is False and first.endswith("/"):
        return  # one slash at a time: /a// is another page than /a
    assert next(rules.spell(first, START)) == first


@pytest.mark.parametrize(
    ("rules", "path", "requested"),
    [
        pytest.param(ADD, "a", "a/", id="the other slash"),
        pytest.param(ADD, "a/", "", id="nothing else"),
        pytest.param(DROP, "a.html", "a", id="without .html"),
        pytest.param(KEEP, "a", "", id="no file is guessed"),
    ],
)
def test_URL_21_requested(rules: SpellingRules, path: str, requested: str) -> None:
    assert rules.spelling_to_request(START + path, START) == (requested and START + requested)


@pytest.mark.parametrize(
    ("path", "other"), [("a", "a/"), ("a/", "a"), ("a?b", "a/?b"), ("", ""), ("a.html", ""), ("?b", "")]
)
def test_URL_21_other_slash(path: str, other: str) -> None:
    assert other_slash(START + path, START) == (other and START + other)
