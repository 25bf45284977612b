"""The JSON Schema and the rows of the option table; `PYTHONPATH=tests python tests/config/test_export.py` writes it."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import sitemap_action
from configs import HOST_NAMES, config_of, file_of, plain_tree, reported_problems
from sitemap_action.config.options import json_schema, json_text, option_rows
from sitemap_action.config.yaml import ScalarNode, read_file

FILE = Path(sitemap_action.__file__).parent / "config" / "sitemap.schema.json"
VALIDATOR = Draft202012Validator(json_schema())


def test_the_packaged_schema_is_current() -> None:
    assert FILE.read_text(encoding="utf-8") == json_text(), "run: PYTHONPATH=tests python tests/config/test_export.py"


def test_the_schema_is_valid() -> None:
    Draft202012Validator.check_schema(json_schema())


def instance(text: str) -> object:
    """YAML as an editor reads it: the core schema of YAML 1.2, as far as configs need it."""
    return plain_tree(read_file("f", text.encode())[0], _typed)


def _typed(node: ScalarNode) -> object:
    text = node.text
    if not node.plain:
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text in ("", "~", "null"):
        return None
    if re.fullmatch(r"[-+]?[0-9]+", text):
        return int(text)
    return float(text) if re.fullmatch(r"[-+]?[0-9]+\.[0-9]*", text) else text


GOOD = (
    "",
    "# nothing",
    "policy:\nchecks:\nsource:",
    "version: 1",
    "site-url: https://www.example.com/docs",
    "site-url: HTTP://localhost:8000",
    "{site-url: '', sitemap: '', sitemap-url: '', source: {path: ''}}",
    "sitemap: public/sitemap.xml.gz",
    "sitemap: docs/.well-known/sitemap.txt",
    "sitemap-url: https://x.com/a.xml?b=c",
    "baseline: auto",
    "baseline: old/sitemap.xml",
    "baseline: https://x.com/a.xml",
    "baseline: git:origin/main:public/sitemap.xml",
    "source: {path: ., host: auto}",
    "source: {path: ./a b/ü, host: generic}",
    "source: {path: 2024}",
    "crawl: {robots: auto, allow-undetermined: 1%}",
    "crawl: {robots: 'file:a/robots.txt', allow-undetermined: 5}",
    "select: {include: [], exclude: /a/**}",
    "select: {include: [/a, 're:^/b', https://x.com/c]}",
    "select: {types: [html, application/pdf, 7z]}",
    "select: {query: keep, drop-params: ['utm_*', gclid]}",
    "select: {query: {allow: [page]}, agents: Googlebot, orphans: drop}",
    "select: {query: {allow: page}}",
    "output: {lastmod: [page, git], lastmod-map: {content/**.md: /blog/**}}",
    "output: {format: xml, gzip: true, urls-per-file: 50000, lastmod: omit, keep: [/a]}",
    "output: {format: [xml, text, json], gzip: FALSE}",
    "policy: {fail-on: none, max-removed: none, max-added: 0, min-urls: 0}",
    "policy: {fail-on: [none], max-removed: 5 or 2%, max-added: '5'}",
    "policy: {fail-on: [], max-removed: 0.5%, max-added: 100%}",
    "policy: {fail-on: [stale, soft-404, errors], required: /}",
    "policy: {sections: {}, expected-removals: []}",
    "policy: {sections: {/a/**: {max-removed: 5}}}",
    "policy: {expected-removals: [{url: /a, class: gone, reason: sold, until: 2027-01-31}]}",
    "policy: {expected-removals: {url: /a, reason: 2027, until: 2027-01-31}}",
    "checks: {strict: true, SM-14: off, SM: warning}",
    "checks: {SM-14: {severity: info, paths: [/old/**], reason: the archive, until: 2027-01-31}}",
    "checks: {SM: {severity: off, paths: /old/**}, SM-14: {severity: error}}",
)

BAD = (
    "- a",
    "policy",
    "colour: red",
    "version: 2",
    "version: '1'",
    "version:",
    "site-url: www.example.com",
    "site-url: https://u:p@x.com/",
    "site-url: https://x.com/?a",
    "'site-url': 'https://x.com/#a'",
    "site-url: [https://x.com/]",
    "sitemap: a.yml",
    "sitemap: ../a.xml",
    "sitemap: .github/a.xml",
    "sitemap: a/.GIT/b.xml",
    "sitemap: /a.xml",
    "sitemap: a.xml/b",
    "sitemap-url: /sitemap.xml",
    "sitemap-url: 'https://x.com/a.xml#b'",
    "baseline: ''",
    "baseline: 'git:'",
    "baseline: git:-x",
    "baseline: git:main:../a",
    "baseline: ftp://x.com/a.xml",
    "baseline: {git: main}",
    "source: dist",
    "source: {path: ../dist}",
    "source: {path: C:/dist}",
    'source: {path: "a\\\\b"}',
    "source: {path: [a]}",
    "source: {host: apache}",
    "render: {when: sometimes}",
    "crawl: {robots: allow}",
    "crawl: {robots: 'file:'}",
    "crawl: {robots: 'file:../a'}",
    "crawl: {allow-undetermined: some}",
    "crawl: {max-pages: 0}",
    "select: {include: blog}",
    "select: {include: [/a, /a]}",
    "select: {include: {/a: /b}}",
    "select: {include: [[/a]]}",
    "select: {include: 5}",
    "select: {types: []}",
    "select: {types: .pdf}",
    "select: {query: strip}",
    "select: {query: {}}",
    "select: {query: {allow: []}}",
    "select: {query: {allow: [a], deny: [b]}}",
    "select: {drop-params: ['a=b']}",
    "select: {agents: []}",
    "select: {agents: Mozilla/5.0}",
    "select: {orphans: off}",
    "output: {format: yaml}",
    "output: {format: []}",
    "output: {gzip: yes}",
    "output: {gzip: 1}",
    "output: {gzip: 'true'}",
    "output: {urls-per-file: 0}",
    "output: {urls-per-file: 50001}",
    "output: {urls-per-file: 5.5}",
    "output: {urls-per-file: '5'}",
    "output: {lastmod: gut}",
    "output: {lastmod: []}",
    "output: {lastmod: [git, git]}",
    "output: {lastmod-map: {a.md: b}}",
    "policy: {fail-on: all}",
    "policy: {fail-on: [none, stale]}",
    "policy: {fail-on: [stale, stale]}",
    "policy: {max-removed: 101%}",
    "policy: {max-removed: -1}",
    "policy: {max-removed: 1.5}",
    "policy: {max-removed: 5 and 2%}",
    "policy: {max-removed: true}",
    "policy: {min-urls: -1}",
    "policy: {min-urls: none}",
    "policy: {min-urls:}",
    "policy: {sections: {a: {max-removed: 5}}}",
    "policy: {sections: {/a: 5}}",
    "policy: {sections: {/a: {}}}",
    "policy: {sections: {/a: {max-added: 5}}}",
    "policy: {expected-removals: [/a]}",
    "policy: {expected-removals: [{url: /a, class: gone, reason: sold}]}",
    "policy: {expected-removals: [{url: /a, class: sold, reason: sold, until: 2027-01-31}]}",
    "policy: {expected-removals: [{url: /a, reason: '', until: 2027-01-31}]}",
    "policy: {expected-removals: [{url: /a, reason: x, until: 31.01.2027}]}",
    "policy: {expected-removals: [{url: /a, reason: x, until: 2027-01-31, by: me}]}",
    "checks: {SM-14: fatal}",
    "checks: {SM-14: true}",
    "checks: {strict: off}",
    "checks: {'SM 14': off}",
    "checks: off",
    "checks: {SM-14: {paths: [/old/**]}}",
    "checks: {SM-14: [off]}",
    "checks: {SM-14: {severity: fatal, paths: [/old/**]}}",
    "checks: {SM-14: {severity: off, paths: [old]}}",
    "checks: {SM-14: {severity: off, until: tomorrow}}",
    "checks: {SM-14: {severity: off, why: known}}",
)


@pytest.mark.parametrize("text", GOOD)
def test_parser_and_schema_accept(text: str) -> None:
    assert reported_problems(file_of(text)) == []
    assert [error.message for error in VALIDATOR.iter_errors(instance(text))] == []


@pytest.mark.parametrize("text", BAD)
def test_parser_and_schema_refuse(text: str) -> None:
    assert reported_problems(file_of(text))
    assert not VALIDATOR.is_valid(instance(text))


def test_every_option_is_described() -> None:
    """Each row of the table is in the schema, with the same help; the parser accepts each default as written."""
    schema = json.loads(json_text())
    for key, takes, default, text in option_rows():
        properties = schema
        for name in key.split("."):
            properties = properties["properties"][name] if name != "RULE" else properties["additionalProperties"]
        assert properties["description"] == text
        assert text.endswith(".")
        assert takes
        assert default
        if "default" in properties:
            value = properties["default"]
            for name in reversed(key.split(".")):
                value = {name: value}
            assert config_of(file_of(json.dumps(value))) == config_of()


def test_rows_of_the_table() -> None:
    rows = {key: (takes, default) for key, takes, default, _ in option_rows()}
    assert list(rows)[:6] == ["version", "site-url", "sitemap", "sitemap-url", "baseline", "source.path"]
    assert rows["output.gzip"] == ("true or false (also True, TRUE, False, FALSE)", "false")
    assert rows["select.agents"] == ("a list, each item the name of a crawler", "[Googlebot, Bingbot]")
    assert rows["source.host"] == (f"one of {HOST_NAMES}", "auto")
    assert rows["policy.max-removed"][1] == "20%"
    assert rows["policy.sections"][1] == "{}"
    assert rows["policy.fail-on"][1] == "[stale, lost, invalid]; [invalid] when writing"
    assert rows["checks.RULE"] == (
        "one of error, warning, info, off, or {severity, paths, reason, until}",
        "the rule's own",
    )


if __name__ == "__main__":
    FILE.write_text(json_text(), encoding="utf-8", newline="\n")
