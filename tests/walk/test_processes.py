"""Cores that a run may use: those of its affinity, as far as its control group pays for them."""

import sys
from pathlib import Path

import pytest

from sitemap_action.walk import document_pool
from sitemap_action.walk.document_pool import available_cores, pool_size, process_pool


@pytest.mark.parametrize(
    ("quota", "period", "most"),
    [
        ("100000 100000", "", 1),
        ("150000 100000", "", 2),
        ("50000", "100000", 1),
        ("max 100000", "", 99),
        ("-1", "1", 99),
    ],
)
def test_a_container_pays_for_a_part_of_the_cores(
    quota: str, period: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "quota").write_text(f"{quota}\n")
    (tmp_path / "period").write_text(period)
    monkeypatch.setattr(
        document_pool, "_QUOTAS", ((str(tmp_path / "quota"), str(tmp_path / "period") if period else ""),)
    )
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert available_cores() == min(8, most)


def test_a_machine_without_control_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_pool, "_QUOTAS", ((str(tmp_path / "none"), ""),))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {1, 5}, raising=False)
    assert available_cores() == 2


def test_a_large_machine_has_more_cores_than_a_pool_has_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they have read is stored by one process, and each of them takes its memory."""
    for cores, processes in ((1, 1), (4, 4), (96, 8)):
        monkeypatch.setattr(document_pool, "available_cores", lambda cores=cores: cores)
        assert pool_size() == processes


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process of a pool is a program of its own")
def test_a_process_of_a_pool_imports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Python does by default: what stands in this process, and in no file, is there."""
    monkeypatch.setattr(document_pool, "_MOST", -1)
    with process_pool(1) as pool:
        assert pool.submit(pool_size).result() == -1
