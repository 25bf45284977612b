"""S-07: in the action a private address is requested only where an input names it, however it is spelled (NET-13)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers import Reply, Site, redirect, serve
from sitemap_action.__main__ import run

pytestmark = pytest.mark.attack("addresses")

SITE = "https://www.example.com/"
PAGE = "<!doctype html><html lang=en><title>A page</title><a href=/a/>a</a><p>" + "some words " * 60

SPELLINGS = [
    # what it is, host
    ("the address", "127.0.0.1"),
    ("decimal", "2130706433"),
    ("octal", "0177.0.0.1"),
    ("hexadecimal", "0x7f.0.0.1"),
    ("hexadecimal, one number", "0x7f000001"),
    ("short", "127.1"),
    ("percent-encoded", "%31%32%37.0.0.1"),
    ("full-width digits", "１２７.0.0.1"),
    ("a full stop of another script", "127。0。0。1"),
    ("a final dot", "127.0.0.1."),
    ("another loopback address", "127.0.0.2"),
    ("unspecified", "0.0.0.0"),
    ("zero", "0"),
    ("IPv4-mapped", "[::ffff:127.0.0.1]"),
    ("IPv4-mapped, hexadecimal", "[::ffff:7f00:1]"),
    ("IPv4-compatible", "[::127.0.0.1]"),
    ("IPv6 loopback", "[::1]"),
    ("NAT64", "[64:ff9b::7f00:1]"),
    ("a name", "localhost"),
    ("a name in capitals", "LocalHost"),
    ("link-local", "169.254.1.1"),
    ("metadata", "169.254.169.254"),
    ("private", "10.0.0.1"),
]


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({"/": PAGE, "/a/": PAGE, "*": 404}) as found:
        yield found


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "workspace"
    (found / ".github").mkdir(parents=True)
    monkeypatch.chdir(found)
    for name, value in {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "INPUT_SITE-URL": SITE,
    }.items():
        monkeypatch.setenv(name, value)
    return found


def config(*lines: str) -> None:
    quick = ["http: {retries: 0}", "crawl: {timeout: 2}"]
    Path(".github/sitemap.yml").write_text("\n".join((*lines, *quick)), encoding="utf-8")


def report() -> dict[str, object]:
    found: dict[str, object] = json.loads(Path(".sitemap-action/report.json").read_text())
    return found


@pytest.mark.parametrize("host", [row[1] for row in SPELLINGS], ids=[row[0] for row in SPELLINGS])
def test_S_07_a_config_file_names_no_private_target(site: Site, host: str, capsys: pytest.CaptureFixture[str]) -> None:
    port = site.origin.rpartition(":")[2]
    config(f'source: {{url: "http://{host}:{port}/"}}')
    assert run(["run"]) in {2, 3}
    assert site.asked == []
    assert "address" in capsys.readouterr().out


def test_S_07_the_sentence_names_the_remedy(site: Site) -> None:
    for host, subject in (("127.0.0.1", "127.0.0.1 is"), ("localhost", "localhost resolves to")):
        config(f'source: {{url: "{site.url.replace("127.0.0.1", host)}"}}')
        assert run(["run"]) == 3
        assert site.asked == []
        incomplete = str(report()["incomplete"])
        assert subject in incomplete
        remedy = "name the host with the input allow-private-hosts, or give the address with the input url"
        assert f"loopback address; if that is intended, {remedy}" in incomplete
        assert "server is up" not in incomplete


def test_S_07_an_input_names_one(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    config('source: {url: "https://www.example.com/"}')
    monkeypatch.setenv("INPUT_URL", site.url)
    assert run(["run"]) == 1
    assert "/a/" in site.paths


@pytest.mark.parametrize("allowed", ["127.0.0.1", "127.0.0.0/8", "localhost"])
def test_S_07_an_input_permits_one(site: Site, allowed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config(
        f'source: {{url: "{site.url.replace("127.0.0.1", "localhost" if allowed == "localhost" else "127.0.0.1")}"}}'
    )
    monkeypatch.setenv("INPUT_ALLOW-PRIVATE-HOSTS", allowed)
    assert run(["run"]) == 1
    assert "/a/" in site.paths


OTHERS = [
    # what names the second server, config lines, answer for /, /robots.txt
    ("a redirect", (), redirect("{other}"), 404),
    ("a link", (), PAGE.replace("/a/", "{other}a/"), 404),
    ("a canonical", (), PAGE.replace("<title>", "<link rel=canonical href={other}><title>"), 404),
    ("a refresh", (), PAGE.replace("<title>", "<meta http-equiv=refresh content='0; url={other}'><title>"), 404),
    ("robots.txt", (), PAGE, Reply("Sitemap: {other}sitemap.xml\n", type="text/plain")),
    ("a robots.txt that moved", (), PAGE, redirect("{other}robots.txt")),
    ("the baseline", ('baseline: "{other}sitemap.xml"',), PAGE, 404),
    ("site-url", ('site-url: "{other}"',), PAGE, 404),
    ("sitemap-url", ('sitemap-url: "{other}sitemap.xml"',), PAGE, 404),
    ("a path of sitemaps", ('sitemaps: {paths: ["//{host}/sitemap.xml"]}',), PAGE, 404),
    ("a seed", ('crawl: {timeout: 2, seeds: ["//{host}/a/"]}',), PAGE, 404),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "home", "robots"), [pytest.param(*row[1:], id=row[0]) for row in OTHERS])
def test_S_07_nothing_else_names_one(
    site: Site, lines: tuple[str, ...], home: object, robots: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first server is the input; a second one, on another port, is what a file, an answer or a page names."""
    with serve({"*": PAGE}) as other:

        def named(value: object) -> object:
            match value:
                case Reply():
                    headers = {key: str(named(text)) for key, text in dict(value.headers).items()}
                    return Reply(named(value.body), value.status, headers=headers, type=value.type)  # type: ignore[arg-type]
                case str():
                    return value.replace("{other}", other.url).replace("{host}", other.url.split("/")[2])
            return value

        site.routes.update({"/": named(home), "/robots.txt": named(robots)})  # type: ignore[dict-item]
        monkeypatch.setenv("INPUT_URL", site.url)
        if any(line.startswith("site-url") for line in lines):
            monkeypatch.delenv("INPUT_SITE-URL")
        quick = [] if any(line.startswith("crawl") for line in lines) else ["crawl: {timeout: 2}"]
        text = [str(named(line)) for line in lines]
        Path(".github/sitemap.yml").write_text("\n".join([*text, "http: {retries: 0}", *quick]))
        run(["run"])
        assert other.asked == []


def test_S_07_a_deployment_is_no_input(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`url: auto` is an input, and what it finds is not: whoever reports a deployment chooses its address."""
    event = {
        "deployment": {"sha": "c" * 40, "environment": "Preview"},
        "deployment_status": {"state": "success", "environment_url": site.url},
    }
    (tmp_path / "event.json").write_text(json.dumps(event))
    monkeypatch.setenv("GITHUB_EVENT_NAME", "deployment_status")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    monkeypatch.setenv("GITHUB_SHA", "c" * 40)
    monkeypatch.setenv("INPUT_URL", "auto")
    assert run(["run"]) == 3
    assert site.asked == []
    monkeypatch.setenv("INPUT_ALLOW-PRIVATE-HOSTS", "127.0.0.1")
    assert run(["run"]) == 1
    assert site.asked


def test_S_07_on_the_command_line_a_config_file_may_name_one(site: Site) -> None:
    config(f"site-url: {SITE}", f'source: {{url: "{site.url}"}}')
    assert run(["check"]) == 1
    assert "/a/" in site.paths
