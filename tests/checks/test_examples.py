"""One test for every rule of the sheet: its passing and its failing example run, through the real code.

Where an example stands, by id: a site in `example_sites.py`, which the whole program reads; a sitemap in a row of
`test_file_rules.py`; pages with what only a served site, a baseline or a run can show in a row of `site_rows.py`.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from checks import test_file_rules as files
from checks.example_sites import EXAMPLES, SITE, Build
from checks.site_rows import TABLES
from checks.test_rule_sheet import BEHAVIOURS, FINDINGS, MISSING, OWN, ROWS, ids
from sitemap_action.__main__ import run
from sitemap_action.cli.options import RULES
from sitemap_action.model.finding import Finding, Severity

# Rules whose examples are tests of their own: they concern a served site, or what is sent after the run.
ELSEWHERE = {
    "ENV-05": "tests/walk/test_start.py and tests/walk/test_site_walls.py",
    "URL-33": "tests/walk/test_traps.py",
    "IN-02": "tests/runner/test_index_now_key.py",
    "IN-03": "tests/publish/test_indexnow.py",
}
HOW = (
    "add a pair of builds to tests/checks/example_sites.py, or rows to a table of test_file_rules.py (sitemaps) or "
    "site_rows.py (pages, robots.txt, baselines): one that passes, one that fails"
)

Run = Callable[[], list[Finding]]
Row = tuple[str, Severity | None, Run]  # rule, severity of its finding (None: it passes), the run


def _of_pages() -> Iterator[Row]:
    for table, run_row in TABLES:
        for row in table:
            yield row[0], row[-2], partial(run_row, row)


def _of_files() -> Iterator[Row]:
    for rule, code, content, options in files.ALL:
        severity = files.CASES[code][1].severity if code else None
        yield rule, severity, lambda content=content, options=options: list(files.check(content, options))


def _first(rows: Iterator[Row]) -> dict[str, tuple[Run, Run]]:
    """The first row of each rule that passes, and the first one that fails with the severity of the rule."""
    passing: dict[str, Run] = {}
    failing: dict[str, Run] = {}
    for rule, severity, run_it in rows:
        if severity is None:
            passing.setdefault(rule, run_it)
        elif severity is RULES[rule].severity:
            failing.setdefault(rule, run_it)
    return {rule: (passing[rule], failing[rule]) for rule in passing.keys() & failing.keys()}


OF_FILES = _first(_of_files())  # which test_file_rules.py plays
IN_ROWS = {**_first(_of_pages()), **OF_FILES}
SHEET = sorted(ids(FINDINGS) | (ids(BEHAVIOURS) & RULES.keys()) | OWN)


def lay_out(build: Build) -> None:
    """In the current folder."""
    every = tuple("/" + path.removesuffix("index.html") for path in build.files if path.endswith(".html"))
    listed = build.listed or tuple(path for path in every if not build.config.startswith("source"))
    listed = listed or tuple(path.removesuffix(".html") for path in every)
    for name, text in {**{f"dist/{name}": text for name, text in build.files.items()}, **build.more}.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    Path(".github").mkdir(exist_ok=True)
    Path(".github/sitemap.yml").write_text(f"site-url: {SITE}/\n{build.config}")
    Path("sitemap.xml").write_text(sitemap(listed))
    Path("baseline.xml").write_text(sitemap((*listed, *build.removed)))


def sitemap(paths: tuple[str, ...]) -> str:
    urls = (path if path.startswith("http") else SITE + path for path in paths)
    rows = "".join(f"<url><loc>{url}</loc></url>\n" for url in urls)
    return f'<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'


def reported(rule: str, build: Build, folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the whole program says it: as a finding, as the class of a row, or in the words of the report."""
    monkeypatch.chdir(folder)
    lay_out(build)
    run(
        ["check", "--path", "dist", "--sitemap", "sitemap.xml", "--baseline", "baseline.xml", "--report", "json=r.json"]
    )
    text = Path("r.json").read_text()
    report = json.loads(text)
    if rule in RULES:
        return rule in {one["rule"] for one in report["findings"]}
    if rule in ROWS:
        rows = [*report["removed"], *report["stale"]["extra"], *report["skipped"]]
        classes = {row.get("class") or row.get("reason") for row in rows if isinstance(row, dict)}
        return ROWS[rule].value in classes or rule in text
    return EXAMPLES[rule][1].says in text


@pytest.mark.parametrize("rule", [rule for rule in SHEET if rule in EXAMPLES])
def test_the_examples_of_a_rule_as_a_site(rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("passes", "fails"):
        folder = tmp_path / name
        folder.mkdir()
        assert reported(rule, EXAMPLES[rule][name == "fails"], folder, monkeypatch) is (name == "fails"), name


@pytest.mark.parametrize("rule", [rule for rule in SHEET if rule in IN_ROWS and rule not in OF_FILES])
def test_the_examples_of_a_rule(rule: str) -> None:
    passes, fails = IN_ROWS[rule]
    assert rule not in {one.rule.id for one in passes()}
    assert rule in {one.rule.id for one in fails()}


def test_every_rule_has_examples_that_run(capsys: pytest.CaptureFixture[str]) -> None:
    """The coverage, printed; what is not built yet is named in MISSING of test_rule_sheet.py."""
    wanted = [rule for rule in SHEET if rule not in MISSING]
    run_here = [rule for rule in wanted if rule in EXAMPLES or rule in IN_ROWS]
    lacking = [rule for rule in wanted if rule not in run_here and rule not in ELSEWHERE]
    with capsys.disabled():
        whole = sum(rule in EXAMPLES for rule in wanted)
        print(  # noqa: T201 - the number is asked for
            f"\nrules with a passing and a failing example that run: {len(wanted) - len(lacking)} of {len(wanted)} "
            f"({whole} as whole sites, {len(wanted) - len(run_here)} in tests of their own), {len(MISSING)} not built"
        )
    assert not lacking, f"{', '.join(lacking)}: {HOW}"
    assert not EXAMPLES.keys() - set(SHEET), "examples of what is no rule"
    assert not ELSEWHERE.keys() & set(run_here)
