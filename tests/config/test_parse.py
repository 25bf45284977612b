"""Layers to one config: precedence, and every problem of every layer with its place."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from configs import HOST_NAMES, KEYS, changed_keys, config_of, file_of, refusal, reported_problems
from sitemap_action.config.layers import (
    PRECEDENCE,
    File,
    Layer,
    Origin,
    Setting,
    assignment,
    flag,
    inputs,
)
from sitemap_action.config.schema import (
    FAIL_ON,
    FAIL_ON_WRITING,
    INPUTS,
    Config,
    ExpectedRemoval,
    Limit,
    PolicyConfig,
    SectionPolicy,
)
from sitemap_action.web.patterns import Query


def parsed(text: str, *more: Layer) -> Config:
    return config_of(File(".github/sitemap.yml", text.encode()), *more)


def problems(text: str, *more: Layer) -> list[str]:
    found = reported_problems(File(".github/sitemap.yml", text.encode()), *more)
    assert found
    return found


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "policy:\nchecks:\n", "policy: {}\n"])
def test_an_empty_file_gives_the_defaults(text: str) -> None:
    assert parsed(text) == config_of() == Config()


FULL = """
version: 1
site-url: https://www.example.com/docs
sitemap: public/sitemap.xml
sitemap-url: ""
baseline: git:origin/main
source: {path: dist, host: generic}
crawl: {robots: "file:robots.txt", allow-undetermined: 2%}
select:
  include: /docs/**
  exclude: [/docs/old/**, "re:[?]"]
  types: [html, PDF]
  query: {allow: [page]}
  drop-params: ["utm_*"]
  agents: Googlebot
  orphans: drop
output: {format: [xml, text], gzip: true, urls-per-file: 1000, lastmod: omit, keep: [/keep]}
policy:
  fail-on: [stale, gone]
  max-removed: 5 or 2%
  max-added: 100
  min-urls: 10
  required: [/docs/]
  sections: {/docs/**: {max-removed: 5}}
  expected-removals:
    - {url: /sale/**, class: gone, reason: the sale is over, until: 2027-01-31}
    - {url: /a, reason: 7, until: 2027-01-31}
checks: {strict: TRUE, SM: off, SM-14: error}
"""


def test_every_option() -> None:
    config = parsed(FULL)
    assert config.site_url == "https://www.example.com/docs/"
    assert (config.sitemap, config.sitemap_url, config.baseline) == ("public/sitemap.xml", "", "git:origin/main")
    assert (config.source.path, config.source.host) == ("dist", "generic")
    assert (config.crawl.robots, config.crawl.allow_undetermined) == ("file:robots.txt", Limit(percent=2))
    assert (config.select.include, config.select.exclude) == (("/docs/**",), ("/docs/old/**", "re:[?]"))
    assert (config.select.types, config.select.query) == (("html", "pdf"), Query(("page",)))
    assert (config.select.drop_params, config.select.agents) == (("utm_*",), ("Googlebot",))
    assert (config.select.orphans, config.output.lastmod) == ("drop", ("omit",))
    assert (config.output.format, config.output.gzip, config.output.urls_per_file) == (("xml", "text"), True, 1000)
    assert config.output.keep == ("/keep",)
    assert config.policy == PolicyConfig(
        fail_on=frozenset({"stale", "gone"}),
        max_removed=Limit(5, 2),
        max_added=Limit(100),
        min_urls=10,
        required=("/docs/",),
        sections={"/docs/**": SectionPolicy(max_removed=Limit(5))},
        expected_removals=(
            ExpectedRemoval(url="/sale/**", class_="gone", reason="the sale is over", until=date(2027, 1, 31)),
            ExpectedRemoval(url="/a", reason="7", until=date(2027, 1, 31)),
        ),
    )
    assert config.strict is True
    assert config.severities == {"SM": "off", "SM-14": "error"}


WINS = [
    # id, layers in the order they are given, policy.max-removed
    ("default", [], Limit(percent=20)),
    ("file", [File("f", b"policy: {max-removed: 1}")], Limit(1)),
    ("input over file", [*inputs({"max-removed": "2"}), File("f", b"policy: {max-removed: 1}")], Limit(2)),
    ("flag over input", [flag("max-removed", "3"), *inputs({"max-removed": "2"})], Limit(3)),
    ("--set over input", [assignment("policy.max-removed=3"), *inputs({"max-removed": "2"})], Limit(3)),
    ("the later --set", [assignment("policy.max-removed=3"), assignment("policy.max-removed=4")], Limit(4)),
    ("an empty input is not given", [File("f", b"policy: {max-removed: 1}"), *inputs({"max-removed": " "})], Limit(1)),
    ("another key beside it", [File("f", b"policy: {max-removed: 1}"), assignment("policy={min-urls: 5}")], Limit(1)),
]  # fmt: skip


@pytest.mark.parametrize(("layers", "value"), [row[1:] for row in WINS], ids=[row[0] for row in WINS])
def test_precedence(layers: list[Layer], value: Limit) -> None:
    assert config_of(*layers).policy.max_removed == value


def test_the_order_of_precedence() -> None:
    assert PRECEDENCE == (Origin.FILE, Origin.INPUT, Origin.COMMAND_LINE)


def test_a_set_key_replaces_the_whole_value() -> None:
    text = "select: {include: [/a, /b]}\npolicy: {sections: {/a: {max-removed: 1}}}"
    config = parsed(text, assignment("select.include=/c"), assignment("policy.sections={/d: {max-removed: 2}}"))
    assert config.select.include == ("/c",)
    assert config.policy.sections == {"/d": SectionPolicy(max_removed=Limit(2))}


def test_every_rule_is_a_key_of_its_own() -> None:
    config = parsed("checks: {SM: off, SM-14: info, strict: true}", assignment("checks.SM-14=error"))
    assert config.severities == {"SM": "off", "SM-14": "error"}
    assert config.strict


TEXTS = [
    # id, layer, config file with the same content
    ("a path is text, with a colon in it", assignment("source.path=my: site"), "source: {path: 'my: site'}"),
    ("a star needs no quotes", assignment("select.drop-params=*_id"), "select: {drop-params: '*_id'}"),
    ("a list in brackets", assignment("select.exclude=[/a, /b]"), "select: {exclude: [/a, /b]}"),
    ("a list line by line", assignment("select.exclude=/a\n\n /b \n"), "select: {exclude: [/a, /b]}"),
    ("a comma stays in a pattern", assignment("select.exclude=re:/a{1,3}/"), "select: {exclude: ['re:/a{1,3}/']}"),
    ("a comma separates names", assignment("policy.fail-on=stale, gone,"), "policy: {fail-on: [stale, gone]}"),
    ("commas and lines", *inputs({"fail-on": "stale\ngone"}), "policy: {fail-on: [stale, gone]}"),
    ("an empty list", assignment("policy.fail-on="), "policy: {fail-on: []}"),
    ("an equals sign in the value", assignment("sitemap-url=https://x.com/?a=b"), "sitemap-url: https://x.com/?a=b"),
    ("quotes as in YAML", assignment("site-url='https://x.com/'"), "site-url: 'https://x.com/'"),
    ("an empty text", assignment("site-url="), "site-url: ''"),
    ("blanks around", assignment(" policy.min-urls = 5 "), "policy: {min-urls: 5}"),
    ("a whole section", assignment("source={path: a, host: auto}"), "source: {path: a, host: auto}"),
    ("a flag", flag("path", "dist"), "source: {path: dist}"),
    ("an input", *inputs({"path": "dist", "mode": "check", "token": "x"}), "source: {path: dist}"),
]


@pytest.mark.parametrize(("layer", "text"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS])
def test_a_setting_equals_the_same_key_in_the_file(layer: Layer, text: str) -> None:
    assert config_of(layer) == parsed(text)


@pytest.mark.parametrize("text", ["policy.max-removed", "=5", "", " = "])
def test_an_assignment_without_a_value(text: str) -> None:
    error = refusal(lambda: assignment(text))
    assert "gives no value" in str(error)
    assert "--set KEY=VALUE" in error.hint


F = ".github/sitemap.yml"
PATTERN_TEXT = "a pattern (a path with * and **, a URL, or re: and an expression); for example /blog/**"
TOP = "version, site-url, sitemap, sitemap-url, baseline, source, crawl, sitemaps, http, render, select, output, policy, versions, checks"
PROBLEMS = [
    # id, file, lines
    ("misspelt", "policy:\n  # why\n  max-remvoed: 5", [
        f"{F}:3:3: policy.max-remvoed is not a known key; did you mean max-removed?"
    ]),
    ("an underscore", "site_url: https://x.com/", [f"{F}:1:1: site_url is not a known key; did you mean site-url?"]),
    ("one level too high", "max-removed: 5", [
        f"{F}:1:1: max-removed is not a known key; max-removed belongs under policy"
    ]),
    ("one level too low", "source:\n  site-url: https://x.com/", [
        f"{F}:2:3: source.site-url is not a known key; site-url belongs at the top level, not indented"
    ]),
    ("in another section", "output: {orphans: keep}", [
        f"{F}:1:10: output.orphans is not a known key; orphans belongs under select"
    ]),
    ("in two other sections", "http: {timeout: 5}", [
        f"{F}:1:8: http.timeout is not a known key; timeout belongs under crawl or under render"
    ]),
    ("nothing like it", "colour: red", [f"{F}:1:1: colour is not a known key; known here: {TOP}"]),
    ("a section as text", "policy: strict", [f'{F}:1:9: policy: "strict" is not a section; indent its keys below it']),
    ("a section as a list", "policy: [a]", [f"{F}:1:9: policy: a list is not a section; indent its keys below it"]),
    ("a file that is a list", "- policy", [f"{F}:1:1: a config file holds keys and values, not a list"]),
    ("a file that is text", "policy", [f'{F}:1:1: a config file holds keys and values, not "policy"']),
    ("no value", "policy:\n  min-urls:\n  required:", [
        f"{F}:2:12: policy.min-urls: nothing is not a whole number, 0 or more; for example 1",
        f"{F}:3:12: policy.required: nothing is not {PATTERN_TEXT}",
    ]),
    ("an unknown rule", "checks: {SM-51: off}", [
        f'{F}:1:10: checks: "SM-51" is not a rule or a family of rules; did you mean SM-15?'
    ]),
    ("nearly strict", "checks: {stict: true}", [f"{F}:1:10: checks.stict is not a known key; did you mean strict?"]),
    ("a severity", "checks: {SM-14: fatal}", [
        f'{F}:1:17: checks.SM-14: "fatal" is not one of error, warning, info, off'
    ]),
    ("numbers that nobody means", "crawl: {max-pages: 99999999999, timeout: 12345678}\npolicy: {max-removed: 9999999999}", [
        f'{F}:1:20: crawl.max-pages: "99999999999" is too large',
        f'{F}:1:42: crawl.timeout: "12345678" is too large',
        f'{F}:2:23: policy.max-removed: "9999999999" is too large',
    ]),
    ("a corner", "checks: {SM-14: {severity: off, paths: [old], until: soon, why: known}}", [
        f"{F}:1:41: checks.SM-14.paths: pattern 'old': it starts with none of /, https://, http:// and re:; perhaps you meant '/old'",
        f'{F}:1:54: checks.SM-14.until: "soon" is not a date, year-month-day; for example 2027-01-31',
        f"{F}:1:60: checks.SM-14.why is not a known key; known here: severity, paths, reason, until",
    ]),
    ("a corner without severity", "checks: {SM-14: {paths: [/old/**]}}", [
        f"{F}:1:17: checks.SM-14: severity is missing; it takes one of error, warning, info, off"
    ]),
    ("all at once, in order", "a: !x 1\npolicy: {min-urls: x}\nversion: 2\nversion: 1\nsource: {pth: a, host: b}", [
        f"{F}:1:1: a is not a known key; known here: {TOP}",
        f"{F}:1:4: the tag !x is not supported; remove it",
        f'{F}:2:20: policy.min-urls: "x" is not a whole number, 0 or more; for example 1',
        f'{F}:3:10: version: "2" is not 1, the only format of this file that this version reads; for example 1',
        f'{F}:4:1: the key "version" occurs twice; the first is in line 3',
        f"{F}:5:10: source.pth is not a known key; did you mean path?",
        f'{F}:5:24: source.host: "b" is not one of {HOST_NAMES}',
    ]),
    # no key of a pull request becomes a command of the runner
    ("a command in a key", '"::error::x": 1', [f"{F}:1:1: ::error::x is not a known key; known here: {TOP}"]),
    ("a line break in a key", '"a\\n::b::c": 1', [f"{F}:1:1: a\\x0a::b::c is not a known key; known here: {TOP}"]),
    ("an old command", "'##[error]x': 1", [f"{F}:1:1: ##[\\error]x is not a known key; known here: {TOP}"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "lines"), [row[1:] for row in PROBLEMS], ids=[row[0] for row in PROBLEMS])
def test_problems(text: str, lines: list[str]) -> None:
    assert problems(text) == lines


def test_layers_are_all_reported() -> None:
    wrong = [assignment("policy.min-urls=x"), *inputs({"host": "y"}), flag("path", "/abs"), assignment("foo=1")]
    assert problems("policy: {min-urls: z}", *wrong) == [
        f'{F}:1:20: policy.min-urls: "z" is not a whole number, 0 or more; for example 1',
        f'input host: source.host: "y" is not one of {HOST_NAMES}',
        '--set: policy.min-urls: "x" is not a whole number, 0 or more; for example 1',
        '--path: source.path: "/abs" is not a path inside the workspace, parts joined by /; for example dist',
        f"--set: foo is not a known key; known here: {TOP}",
    ]


NO_OPTION = [
    # assignment that names no option, message
    ("policy.sections./a=5", "policy.sections./a is not a known key"),
    ("policy=5", 'policy: "5" is not a section; indent its keys below it'),
    ("site-url.x=5", "site-url: a mapping is not an http or https URL"),
    ("policy.=5", "policy. is not a known key"),
    (".x=5", " is not a known key"),
    ("checks.=off", "checks: nothing is not the id of a rule or of a family"),
    ("checks.RULE=off", '"RULE" is not a rule or a family of rules'),
    (
        "select.include=[/a",
        "not valid YAML: a comma or the closing ] is missing; a value with braces or brackets goes in quotes",
    ),
    (
        "select.exclude=[/{a,b}/]",
        "not valid YAML: a comma or the closing ] is missing; a value with braces or brackets goes in quotes",
    ),
]


@pytest.mark.parametrize(("text", "message"), NO_OPTION)
def test_an_assignment_to_no_option(text: str, message: str) -> None:
    lines = problems("", assignment(text))
    assert len(lines) == 1
    assert message in lines[0]


def test_the_number_of_problems_is_limited() -> None:
    lines = problems("\n".join(f"key{number}: x" for number in range(60)))
    assert len(lines) == 51
    assert lines[0].startswith(f"{F}:1:1: key0 ")
    assert lines[-1] == "and 10 more problems"


def test_a_very_long_key() -> None:
    lines = problems(f"? {'max-removed' * 20_000}\n: 1")
    assert len(lines) == 1
    assert len(lines[0]) < 500


def test_a_past_until_is_not_an_error() -> None:  # DIFF-42: it is a finding, and needs today's date
    text = "policy: {expected-removals: [{url: /a, reason: x, until: 1999-01-01}]}"
    assert parsed(text).policy.expected_removals[0].until == date(1999, 1, 1)


FAILING = [
    # fail-on, writing, rows
    ("", False, FAIL_ON),
    ("", True, FAIL_ON_WRITING),
    ("policy: {fail-on: none}", False, frozenset()),
    ("policy: {fail-on: none}", True, frozenset()),
    ("policy: {fail-on: stale}", True, frozenset({"stale"})),
]


@pytest.mark.parametrize(("text", "writing", "rows"), FAILING)
def test_failing_rows_depend_on_the_mode(text: str, writing: bool, rows: frozenset[str]) -> None:
    assert parsed(text).policy.failing(writing=writing) == rows


# A value that differs from the default for every key: a new option without a row fails the test below.
SET = {
    "version": "1",
    "site-url": "https://x.com/",
    "sitemap": "a.xml",
    "sitemap-url": "https://x.com/a.xml",
    "baseline": "committed",
    "source.path": "dist",
    "source.url": "https://preview.x.com/",
    "source.environment": "Preview",
    "source.mount": "/docs/",
    "source.host": "generic",
    "crawl.scope": "origin",
    "crawl.max-pages": "7",
    "crawl.max-depth": "7",
    "crawl.on-limit": "accept",
    "crawl.concurrency": "2",
    "crawl.processes": "3",
    "crawl.requests-per-second": "2.5",
    "crawl.timeout": "7",
    "crawl.deadline": "60",
    "crawl.max-body": "2MiB",
    "crawl.robots-unreachable": "allow",
    "crawl.retry-after-max": "7",
    "crawl.follow-nofollow": "true",
    "crawl.skip": "media",
    "crawl.seeds": "/a",
    "crawl.www": "same",
    "crawl.wait.for": "build 7",
    "crawl.wait.path": "/status",
    "crawl.wait.timeout": "7",
    "sitemaps.use": "false",
    "sitemaps.paths": "/map.xml",
    "sitemaps.max-documents": "7",
    "sitemaps.max-depth": "0",
    "sitemaps.max-bytes": "1MiB",
    "sitemaps.max-inflated": "7 KiB",
    "sitemaps.search-console-submitted": "true",
    "http.retries": "0",
    "http.backoff": "0.1",
    "http.user-agent": "docs-check/1.0",
    "http.accept-language": "de, en;q=0.5",
    "http.engine": "httpx",
    "crawl.rate-per": "runner",
    "crawl.robots": "ignore",
    "crawl.allow-undetermined": "5",
    "select.include": "/a",
    "select.exclude": "/a",
    "select.types": "pdf",
    "select.query": "drop",
    "select.drop-params": "a",
    "select.agents": "Googlebot",
    "select.noindex": "respect",
    "select.trailing-slash": "add",
    "select.html-extension": "drop",
    "select.orphans": "drop",
    "output.format": "text",
    "output.gzip": "true",
    "output.urls-per-file": "5",
    "output.lastmod": "page, git",
    "output.lastmod-map": "{content/**.md: /blog/**}",
    "output.fingerprints": "sitemap.fingerprints",
    "output.redirects": "auto",
    "output.date-only": "true",
    "output.extensions": "hreflang",
    "output.news.name": "The Example Times",
    "output.news.language": "en",
    "output.changefreq": "{/a: daily}",
    "output.priority": "depth",
    "output.keep": "/a",
    "policy.fail-on": "stale",
    "policy.max-removed": "5",
    "policy.max-added": "5",
    "policy.min-urls": "5",
    "policy.min-share": "30%",
    "policy.required": "/a",
    "policy.sections": "{/a: {max-removed: 5}}",
    "policy.expected-removals": "{url: /a, reason: x, until: 2027-01-31}",
    "policy.redirect-required": "false",
    "policy.baseline-debt": "ignore",
    "policy.grace": "{gone: 14, SM-14: 7}",
    "policy.accepted": "known.txt",
    "policy.ledger": "urls.txt",
    "policy.moved-from": "https://old.example.com/",
    "render.when": "never",
    "render.wait-until": "load",
    "render.wait-for": "'#done'",
    "render.wait-for-timeout": "2.5",
    "render.timeout": "30",
    "render.detect.content-length": "0",
    "render.detect.child-nodes": "3",
    "render.detect.script-count": "20",
    "render.detect.content-per-script": "500",
    "render.detect.roots": "'#main'",
    "render.detect.loading": "moment",
    "render.detect.words": "20",
    "versions.current": "/stable/",
    "versions.old": "/v*/",
    "versions.drafts": "/dev/",
    "checks.strict": "true",
    "checks.SM-14": "off",
}


@pytest.mark.parametrize("option", KEYS)
@pytest.mark.attack("policy")
def test_S_05_every_option_can_be_set_and_is_shown_as_a_change(option: str) -> None:
    """All but the version decide what a run finds, so a pull request that changes one says so (POL-01)."""
    key = option.replace("RULE", "SM-14")
    assert key in SET, "add a value that is not its default to SET"
    config = config_of(assignment(f"{key}={SET[key]}"))
    assert (config == Config()) is (key == "version")
    assert [row[0] for row in changed_keys(Config(), config)] == ([] if key in WITHOUT_EFFECT else [key])


WITHOUT_EFFECT = {"version", "crawl.processes", "http.engine"}
RETIRED = [
    # id, file, flags, warnings
    ("not set", "crawl: {max-pages: 7}", [], ()),
    ("in the file", "crawl:\n  processes: 4", [], (f"{F}:2:14: crawl.processes has no effect any more, and may be left out: one process fetches the pages of a crawl and reads them",)),
    ("its default", "http: {engine: auto}", [], (f"{F}:1:16: http.engine has no effect any more, and may be left out: libcurl sends every request",)),
    ("a flag", "", ["http.engine=httpx"], ("--set: http.engine has no effect any more, and may be left out: libcurl sends every request",)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "flags", "warnings"), [row[1:] for row in RETIRED], ids=[row[0] for row in RETIRED])
def test_a_retired_key_is_accepted_with_a_warning(text: str, flags: list[str], warnings: tuple[str, ...]) -> None:
    config = parsed(text, *map(assignment, flags))
    assert config.warnings == warnings
    assert replace(config, warnings=()) == (Config() if warnings else config)


def test_the_value_of_a_retired_key_is_still_checked() -> None:
    assert problems("http: {engine: wget}") == [f'{F}:1:16: http.engine: "wget" is not one of auto, libcurl, httpx']


@pytest.mark.parametrize("name", INPUTS)
def test_every_input_sets_its_option(name: str) -> None:
    value = SET[INPUTS[name]]
    expected = config_of(assignment(f"{INPUTS[name]}={value}"))
    assert config_of(*inputs({name: value})) == config_of(flag(name, value)) == expected


@pytest.mark.attack("bytes")
@given(st.text(max_size=100))
def test_any_text(text: str) -> None:
    assert all(line.startswith("f:") for line in reported_problems(file_of(text)))


TOKENS = st.sampled_from([*SET, *SET.values(), *(key.partition(".")[2] for key in SET), "x", "policy", *"[{}]", "''"])
LINES = st.builds(lambda indent, key, value: f"{'  ' * indent}{key}: {value}", st.integers(0, 2), TOKENS, TOKENS)


@pytest.mark.attack("bytes")
@given(st.lists(LINES, max_size=12).map("\n".join))
def test_any_config(text: str) -> None:
    assert all(line.startswith("f:") for line in reported_problems(file_of(text)))


# Bytes of a command line that are not UTF-8 arrive as lone surrogates.
ARGUMENT_TEXT = st.text(st.characters(codec=None), max_size=60)


@pytest.mark.attack("bytes")
@given(st.sampled_from([*SET, "policy", "x"]), ARGUMENT_TEXT | TOKENS)
def test_any_setting(key: str, value: str) -> None:
    layer = Setting(Origin.COMMAND_LINE, "--set", key, value)
    assert all(line.startswith("--set: ") for line in reported_problems(layer))
