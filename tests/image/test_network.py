"""The input `network`: `host` reaches a server that an earlier step started on loopback, `bridge` does not."""

from containers import Runner
from servers import serve

PAGE = "<!doctype html><html lang=en><title>A page</title><a href=/a/>a</a><p>" + "some words " * 60


def test_a_server_of_an_earlier_step(runner: Runner) -> None:
    runner.own()
    given = {"mode": "write", "site_url": "https://www.example.com/"}
    with serve({"/": PAGE, "/a/": PAGE, "*": 404}) as site:
        bridge = runner.run(network="bridge", url=site.url, **given)
        assert site.paths == []
        ran = runner.run(network="host", url=site.url, **given)
        assert {"/", "/a/", "/robots.txt"} <= set(site.paths)
    assert bridge.code == 3, bridge.log
    assert "set the input network to host" in bridge.log
    assert ran.code == 0, ran.log
    assert (ran.outputs["result"], ran.outputs["changed"], ran.outputs["url-count"]) == ("drift", "true", "2")
    assert "https://www.example.com/a/" in (ran.workspace / ran.outputs["sitemap-path"]).read_text()
    assert ran.summary.startswith("### ")
    assert "::add-mask::a-token-that-only-reads\n" in ran.log
    assert "In a container localhost is the container itself" not in ran.log
