"""What is filled in becomes a config file, which `check --config` accepts, or a problem for each field."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from configs import KNOWN, config_of, file_of, refusal
from examples import share
from sitemap_action.config.options import option_rows
from sitemap_action.ui.form import KEYS, FormProblem, chosen_config, form, read_base

SITE = "https://www.example.com/"
BASE = b"""# kept by hand
site-url: https://www.example.com/docs/
source: {path: dist}
crawl:
  max-pages: 70
  wait: {for: "build 7"}
select:
  exclude: [/tag/**, /draft/**]
policy:
  sections: {/blog/**: {max-removed: 5}}
"""


def chosen(values: Mapping[str, str], base: bytes | None = None) -> tuple[str, str, str]:
    return chosen_config(values, KNOWN, None if base is None else read_base(base, KNOWN))


FILLED: list[tuple[str, dict[str, str], str]] = [
    ("an address", {"source.url": SITE}, "source:\n  url: https://www.example.com/\n"),
    ("no scheme", {"source.url": "example.com/", "site-url": "www.example.com/docs/"}, "source:\n  url: https://example.com/\nsite-url: https://www.example.com/docs/\n"),
    ("this machine", {"source.url": "localhost:8000/x", "site-url": SITE}, "source:\n  url: http://localhost:8000/x\nsite-url: https://www.example.com/\n"),
    ("its number", {"source.url": "127.0.0.1/", "site-url": SITE}, "source:\n  url: http://127.0.0.1/\nsite-url: https://www.example.com/\n"),
    ("no name of this machine", {"source.url": "localhost.example.com/"}, "source:\n  url: https://localhost.example.com/\n"),
    ("a folder", {"source.path": "dist", "site-url": SITE}, "source:\n  path: dist\nsite-url: https://www.example.com/\n"),
    ("an empty field is the default", {"source.url": SITE, "crawl.max-pages": " "}, "source:\n  url: https://www.example.com/\n"),
    ("what is no field is not read", {"source.url": SITE, "output.gzip": "true"}, "source:\n  url: https://www.example.com/\n"),
    (
        "numbers, lists and patterns",
        {"source.url": SITE, "crawl.max-pages": "50", "crawl.timeout": "2.5", "select.exclude": "/a/**\n/b: c\n\n", "policy.max-removed": "5%"},
        'source:\n  url: https://www.example.com/\ncrawl:\n  max-pages: 50\n  timeout: 2.5\nselect:\n  exclude:\n    - /a/**\n    - "/b: c"\npolicy:\n  max-removed: 5%\n',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("values", "text"), [pytest.param(*row[1:], id=row[0]) for row in FILLED])
def test_a_form_is_a_config_file(values: Mapping[str, str], text: str) -> None:
    found, address, folder = chosen(values)
    assert sorted(found.splitlines()) == sorted(text.splitlines())
    source = config_of(file_of(found)).source
    assert (address, folder) == (source.url, source.path)


def test_the_file_of_the_folder_is_kept_but_for_the_fields() -> None:
    """What the form shows is what holds: a field that was emptied has its default again."""
    found = config_of(file_of(chosen({"source.url": SITE, "crawl.max-pages": "9"}, BASE)[0]))
    assert (found.source.url, found.source.path, found.site_url) == (SITE, "", "")
    assert found.crawl.max_pages == 9
    assert found.select.exclude == ()
    assert found.crawl.wait_for == "build 7"
    assert [*found.policy.sections] == ["/blog/**"]


def test_the_form_starts_from_that_file() -> None:
    base = read_base(BASE, KNOWN)
    values = {field["key"]: field["value"] for group in form(base) for field in group["fields"] if field["value"]}
    assert values == {
        "source.path": "dist",
        "site-url": "https://www.example.com/docs/",
        "crawl.max-pages": "70",
        "select.exclude": "/tag/**\n/draft/**",
    }
    assert config_of(file_of(chosen(values, BASE)[0])) == config_of(file_of(BASE.decode()))


REFUSED: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("nothing", {}, {"source.url": "give an address, or choose a folder"}),
    ("both", {"source.url": SITE, "source.path": "dist"}, {"source.url": "give an address or a folder, not both"}),
    ("auto", {"source.url": "auto"}, {"source.url": "auto is for a workflow; give the address"}),
    ("no address", {"source.url": "ftp://x/"}, {"source.url": "http"}),
    ("no Unicode", {"source.path": "a\ud800"}, {"source.path": "surrogate"}),
    ("outside", {"source.path": "../x"}, {"source.path": ""}),
    ("absolute", {"source.path": "/etc"}, {"source.path": ""}),
    (
        "every field has its own problem",
        {"source.url": SITE, "crawl.max-pages": "many", "crawl.timeout": "-1", "crawl.scope": "all"},
        {"crawl.max-pages": '"many" is not', "crawl.timeout": '"-1" is not', "crawl.scope": "one of path, origin"},
    ),
]


@pytest.mark.parametrize(("values", "problems"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_a_problem_stands_at_its_field(values: Mapping[str, str], problems: Mapping[str, str]) -> None:
    with pytest.raises(FormProblem) as raised:
        chosen(values)
    assert raised.value.problems.keys() == problems.keys()
    for key, words in problems.items():
        assert words in raised.value.problems[key]
        assert not raised.value.problems[key].startswith(key)


@settings(max_examples=share(25))
@given(
    st.dictionaries(st.sampled_from(KEYS), st.text(max_size=20) | st.sampled_from(["dist", SITE, "5", "auto", "path"]))
)
def test_any_text_gives_a_config_or_a_problem(values: Mapping[str, str]) -> None:
    try:
        text, address, folder = chosen(values)
    except FormProblem as problem:
        assert problem.problems  # noqa: PT017 - one of both, for any text
    else:
        source = config_of(file_of(text)).source
        assert (address, folder) == (source.url, source.path)


def test_a_broken_file_is_a_problem_and_no_default() -> None:
    assert "max-page is not a known key" in str(refusal(lambda: read_base(b"crawl: {max-page: 1}", KNOWN)))


def test_defaults_and_choices_are_those_of_the_options() -> None:
    defaults = {key: default for key, _, default, _ in option_rows()}
    fields = {field["key"]: field for group in form() for field in group["fields"]}
    assert tuple(fields) == KEYS
    assert len(KEYS) == len(set(KEYS))
    for key, field in fields.items():
        assert field["default"] in ("", defaults[key])
        assert field["value"] == ""
        if field["choices"]:
            assert field["default"] in field["choices"]
    assert fields["crawl.max-pages"]["default"] == "5000"
    assert fields["crawl.scope"]["choices"] == ["path", "origin"]
    assert fields["crawl.max-pages"]["numeric"]
    assert fields["select.exclude"]["lines"]
