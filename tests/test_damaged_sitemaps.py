"""No damaged sitemap is a bug in `read`, `validate`, `diff` or `write`: each ends with a documented exit code.

A sitemap that can be read to its end is repaired by `write`, and is valid after that.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from damages import DAMAGES, KINDS, PAGES, SITE
from examples import PERCENT, some
from sitemap_action.__main__ import run

WITHOUT_LINE = {
    # rules that speak of the whole document
    "SM-01": "it is empty",
    "SM-03": "its first bytes",
    "SM-05": "it is no sitemap",
    "SM-09": "it has no entries",
    "SM-10": "its compression",
    "SM-50": "how many entries have a field",
}


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in PAGES:
        page = tmp_path / "dist" / (name or "index.html")
        page.parent.mkdir(exist_ok=True)
        links = "".join(f'<a href="/{one}">{one}</a>' for one in PAGES)
        page.write_text(f"<!doctype html><title>{name}</title><p>{f'The page {name} has words. ' * 20}</p>{links}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def validated(capsys: pytest.CaptureFixture[str], sitemap: str) -> tuple[int, bool, list[dict[str, Any]]]:
    """(exit code, whether every document was read to its end, findings)."""
    capsys.readouterr()
    code = run(["validate", sitemap, "--format", "json"])
    sets = json.loads(capsys.readouterr().out)
    complete = all(file["complete"] for one in sets for file in one["files"])
    return code, complete, [finding for one in sets for finding in one["findings"]]


def written(sitemap: str) -> int:
    return run(["write", "--path", "dist", "--offline", "--site-url", SITE, "--sitemap", sitemap])


@pytest.mark.attack("bytes")
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_no_damage_is_a_bug(build: Path, capsys: pytest.CaptureFixture[str], kind: str, damage: str) -> None:
    name, files = KINDS[kind]
    root = next(iter(files))
    (build / "whole").mkdir()
    for path, content in files.items():
        (build / "whole" / path).write_bytes(content)
    repaired = 0
    for number, damaged in enumerate(some(DAMAGES[damage](files[name]), part=2)):
        for path, content in files.items():
            Path(path).write_bytes(content)
        Path(name).write_bytes(damaged)
        where = f"{kind}, {damage} {number}"
        code, complete, findings = validated(capsys, root)
        assert code in {0, 1, 3}, where
        assert [one for one in findings if not one["line"] and one["rule"] not in WITHOUT_LINE] == [], where
        assert run(["read", root]) in {0, 3}, where
        assert run(["diff", f"whole/{root}", root]) in {0, 1, 2}, where
        assert written(root) == (0 if complete else 2), where
        repaired += complete
        if complete and Path(root).read_bytes() != files[root]:  # else it is the whole one again
            code, complete, findings = validated(capsys, root)
            assert (code, complete) == (0, True), (where, findings)
    assert repaired or PERCENT < 100 or damage == "cut" or (kind, damage) in {("gz", "flipped"), ("text", "elements")}
