"""The variant on the runner's network, as a runner plays its one step: it reaches a server that listens on loopback."""

from pathlib import Path

from composite import docker, play
from containers import Engine, Runner
from servers import serve

HOST = Path(__file__).parents[2] / "host"
PAGE = "<!doctype html><html lang=en><title>A page</title><a href=/a/>a</a><p>" + "some words " * 60


def test_a_server_of_an_earlier_step_is_reached(engine: Engine, runner: Runner, tmp_path: Path) -> None:
    assert engine.image
    runner.own()
    path = docker(tmp_path / "bin")
    with serve({"/": PAGE, "/a/": PAGE, "*": 404}) as site:
        ran = play(HOST, runner, path, mode="write", url=site.url, site_url="https://www.example.com/")
        assert {"/", "/a/", "/robots.txt"} <= set(site.paths)
    assert ran.code == 0, ran.log
    assert (ran.outputs["result"], ran.outputs["changed"], ran.outputs["url-count"]) == ("drift", "true", "2")
    assert "https://www.example.com/a/" in (ran.workspace / ran.outputs["sitemap-path"]).read_text()
    assert ran.summary.startswith("### ")
    assert "::add-mask::a-token-that-only-reads\n" in ran.log
    assert "In a container localhost is the container itself" not in ran.log
