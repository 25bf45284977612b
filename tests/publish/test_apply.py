"""Each step reaches its publisher, steps of one kind in one call; a step without publisher stops the plan."""

from pathlib import Path
from typing import get_args

import pytest
from msgspec import Struct

from sitemap_action.model.step import DeleteFile, Step, WriteFile
from sitemap_action.publish import files
from sitemap_action.publish.apply import apply


def test_files_are_handed_over_in_one_call_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[list[Step], Path]] = []
    monkeypatch.setattr(files, "publish", lambda steps, workspace: calls.append((list(steps), workspace)))
    steps = (WriteFile("a.xml", b"x"), DeleteFile("b.xml"), WriteFile("c.xml", b"y"))
    apply(steps, tmp_path)
    assert calls == [(list(steps), tmp_path)]


def test_an_empty_plan_calls_no_publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "publish", lambda *_: pytest.fail("was called"))
    apply((), tmp_path)


def test_an_unknown_step_stops_the_plan_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        apply([WriteFile("a.xml", b"x"), object()], tmp_path)  # type: ignore[list-item]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", get_args(Step))
def test_every_kind_of_step_has_a_publisher(
    kind: type[Struct], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[Step] = []
    monkeypatch.setattr(files, "publish", lambda steps, _: published.extend(steps))
    step = kind(*("x" for _ in kind.__struct_fields__))
    apply([step], tmp_path)
    assert published == [step]
