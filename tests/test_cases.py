"""Stories as folders: a site, a config, a committed sitemap, a command, and the expected result.

    tests/cases/NAME/
      story.md       the situation
      command        arguments of the program, one line
      site/          the build                      config.yml     → .github/sitemap.yml
      committed/     files of the work tree; the build ships its sitemaps
      baseline.xml   → baseline.xml
      expected/      exit, report.txt, stderr.txt, a report in every other format, after/ (files that the command must
                     leave behind); of the HTML report its data, report.html.json

A new story needs no Python: lay out the folder, run `SITEMAP_ACTION_UPDATE_CASES=1 pytest tests/test_cases.py`, and
read what was written to `expected/` before committing it.
"""

import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from html_reports import html_data, html_rows
from sitemap_action.__main__ import run
from sitemap_action.reports.all import REPORT_FORMATS
from sitemap_action.web.printable import printable

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.parent.name for path in CASES.glob("*/story.md"))
HOW = "is it meant? run SITEMAP_ACTION_UPDATE_CASES=1 pytest tests/test_cases.py, and review what it writes"
UPDATE = bool(os.environ.get("SITEMAP_ACTION_UPDATE_CASES"))
REPORTS = {
    row.name: row.file for row in REPORT_FORMATS if row.name not in {"text", "patch", "badge"}
}  # a patch repeats the files
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((Path(__file__).parents[1] / "sitemap_action/reports/report.schema.json").read_text())
)


def lay_out(case: Path, workspace: Path) -> None:
    if (case / "site").is_dir():
        shutil.copytree(case / "site", workspace / "site")
    if (case / "committed").is_dir():
        shutil.copytree(case / "committed", workspace, dirs_exist_ok=True)
        for file in (case / "committed").rglob("sitemap*") if (workspace / "site").is_dir() else ():
            shutil.copy(file, workspace / "site")
    if (case / "baseline.xml").is_file():
        shutil.copy(case / "baseline.xml", workspace)
    if (case / "config.yml").is_file():
        (workspace / ".github").mkdir()
        shutil.copy(case / "config.yml", workspace / ".github/sitemap.yml")


def urls_of(report: dict[str, Any]) -> set[str]:
    rows = [row for name in ("added", "removed", "changed", "skipped", "undetermined") for row in report[name]]
    return {
        printable(url)
        for url in (*report["stale"]["missing"], *report["stale"]["extra"], *(row["url"] for row in rows))
    }


def sitemaps(folder: Path) -> dict[str, str]:
    """The files that a command may touch."""
    return {path.name: path.read_text() for path in sorted(folder.glob("sitemap*.xml"))} if folder.is_dir() else {}


def data_of(page: str) -> str:
    """What the page shows, a part a line: style and script around it are the same in each."""
    parts = html_data(page).items()
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(part)}" for name, part in parts) + "\n}\n"


@pytest.mark.parametrize("name", NAMES)
def test_case(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    case = CASES / name
    lay_out(case, tmp_path)
    before = sitemaps(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_EVENT_NAME", "push")  # else nothing says whether removals are judged (I-09)
    asked = [part for name, file in REPORTS.items() for part in ("--report", f"{name}={file}")]
    code = run([*shlex.split((case / "command").read_text()), *asked])
    printed = capsys.readouterr()
    found = {"exit": f"{code}\n", "report.txt": printed.out, "stderr.txt": printed.err}
    found |= {file: Path(file).read_text() for file in REPORTS.values() if Path(file).exists()}
    if "report.json" in found:
        VALIDATOR.validate(json.loads(found["report.json"]))
        page = found.pop("report.html")
        found["report.html.json"] = data_of(page)
        missing_rows = urls_of(json.loads(found["report.json"])) - html_rows(page)
        assert missing_rows == set(), "the HTML report has a row for every URL of the JSON report"
    after = sitemaps(tmp_path)
    if UPDATE:
        update(case / "expected", found, after if after != before else {})
    expected = {path.name: path.read_text() for path in (case / "expected").iterdir() if path.is_file()}
    assert {file: text for file, text in found.items() if text} == expected, HOW
    assert after == (sitemaps(case / "expected/after") or before), HOW


def update(folder: Path, found: dict[str, str], after: dict[str, str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file, text in found.items():
        if text:
            (folder / file).write_text(text)
    for file, text in after.items():
        (folder / "after").mkdir(exist_ok=True)
        (folder / "after" / file).write_text(text)


def test_every_result_and_exit_code_has_a_story() -> None:
    codes = {(CASES / name / "expected/exit").read_text().strip() for name in NAMES}
    results = {
        json.loads((CASES / name / "expected/report.json").read_text())["result"]
        for name in NAMES
        if (CASES / name / "expected/report.json").exists()
    }
    assert {"0", "1", "2", "3"} <= codes
    assert results == {"invalid", "drift", "inconclusive", "in-sync"}
