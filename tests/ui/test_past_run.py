"""What is shown of a run that has ended, by the files that it left."""

from pathlib import Path

import pytest

from sitemap_action.ui.session import PastRun, Status, read_files


@pytest.mark.parametrize("report", ["", "{}", "[]", '{"result": 1}', '{"result": "drift", "counts": []}'])
def test_a_report_that_is_damaged_is_said(report: str, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(report)
    (tmp_path / "report.html").touch()
    run = PastRun(1, "site", "2026-01-01T00:00:00+00:00", tmp_path)
    read_files(run, 1, [])
    assert run.status is Status.FAILED
    assert run.headline.startswith("the report cannot be read: ")
