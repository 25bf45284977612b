"""docs/policies.md: what its commands print on a site with 40 faults is what the page shows."""

import re
from pathlib import Path

import pytest

from documents import text
from known_faults import ACCEPT, CHECK, LIST, LISTED, PAGES, files, put
from sitemap_action.__main__ import run

BLOCKS = re.findall(r"(?s)```text\n(.*?)```", text("docs/policies.md"))
DAY = re.compile(r"\t20\d\d-\d\d-\d\d\t")


def test_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    def printed(command: list[str]) -> str:
        run(command)
        return capsys.readouterr().out

    put(tmp_path, files())
    added, red, lines, pruned = BLOCKS
    assert printed(ACCEPT) == added
    assert "nothing to add" in printed(ACCEPT)
    listed = [DAY.sub("\t", line) for line in Path(LIST).read_text().splitlines()]
    assert {DAY.sub("\t", line) for line in lines.splitlines()} <= {*listed}
    shown = printed(CHECK).splitlines()
    assert shown[0] == "in-sync: no difference fails the check; 40 accepted (exit 0)"
    put(tmp_path, files((*PAGES, "new")))
    shown = printed(CHECK).splitlines()
    assert [line for line in red.splitlines() if line not in shown] == []
    put(tmp_path, files(listed=LISTED[:-2]))
    (tmp_path / "dist/new/index.html").unlink()
    assert printed([*ACCEPT, "--prune"]) == pruned
