"""Layers: a location replaces an earlier one, and keys of sections inside sections."""

import pytest

from configs import config_of, refusal
from sitemap_action.config.layers import File, Layer, assignment, flag, inputs
from sitemap_action.config.schema import Config

X = "https://x.com/"
FOLDER = File("f", b"source: {path: dist, host: generic}")
ADDRESS = File("f", b"source: {url: https://y.com/, mount: /m/}")

LOCATIONS = [
    # id, layers, (path, url)
    ("none", [], ("", "")),
    ("a folder", [FOLDER], ("dist", "")),
    ("an address", [ADDRESS], ("", "https://y.com/")),
    ("an input replaces the folder of the file", [FOLDER, *inputs({"url": X})], ("", X)),
    ("an input replaces the address of the file", [ADDRESS, *inputs({"path": "out"})], ("out", "")),
    ("a flag replaces the address of an input", [*inputs({"url": X}), flag("path", "out")], ("out", "")),
    ("a flag replaces the folder of an input", [*inputs({"path": "out"}), flag("url", X)], ("", X)),
    ("--set as well", [FOLDER, assignment(f"source.url={X}")], ("", X)),
    ("an empty input replaces nothing", [FOLDER, *inputs({"url": ""})], ("dist", "")),
    ("an address over an address", [ADDRESS, flag("url", X)], ("", X)),
]  # fmt: skip


@pytest.mark.parametrize(("layers", "location"), [pytest.param(*row[1:], id=row[0]) for row in LOCATIONS])
def test_locations(layers: list[Layer], location: tuple[str, str]) -> None:
    source = config_of(*layers).source
    assert (source.path, source.url) == location


def test_a_replaced_url_keeps_the_mount() -> None:
    """The URL of a preview is an input of each run; the path where it is mounted is in the file."""
    source = config_of(ADDRESS, *inputs({"url": X})).source
    assert (source.url, source.mount) == (X, "/m/")


WITNESSES: list[tuple[str, list[Layer], tuple[str, str, str]]] = [
    # id, layers, path, url, address of the deploy witness
    ("of a file", [File("f", b"source: {path: dist, url: https://x.com/}")], ("dist", "", X)),
    ("of inputs", [*inputs({"path": "dist", "url": X})], ("dist", "", X)),
    ("inputs over a file", [FOLDER, *inputs({"path": "out", "url": X})], ("out", "", X)),
    ("of flags", [flag("url", X), assignment("source.path=dist")], ("dist", "", X)),
    ("an input alone", [File("f", b"source: {path: dist, url: https://x.com/}"), *inputs({"path": "out"})], ("out", "", "")),
    ("a flag alone", [*inputs({"path": "dist", "url": X}), flag("url", X)], ("", X, "")),
]  # fmt: skip


@pytest.mark.parametrize(("layers", "places"), [pytest.param(*row[1:], id=row[0]) for row in WITNESSES])
def test_a_folder_and_an_address_of_one_origin_are_the_deploy_witness(
    layers: list[Layer], places: tuple[str, str, str]
) -> None:
    source = config_of(*layers).source
    assert (source.path, source.url, source.witness) == places


KEYS = [
    # id, key, value, attribute of the config
    ("top level", "baseline", "committed", lambda config: config.baseline),
    ("a section", "crawl.max-pages", "7", lambda config: config.crawl.max_pages),
    ("a section in a section", "crawl.wait.for", "build 7", lambda config: config.crawl.wait_for),
    ("a number there", "crawl.wait.timeout", "7", lambda config: config.crawl.wait_timeout),
    ("a list by commas", "crawl.skip", "media, feeds", lambda config: config.crawl.skip),
    ("a list by lines", "crawl.seeds", "/a\n/b", lambda config: config.crawl.seeds),
    ("the id of a rule", "checks.SM-14", "off", lambda config: str(config.severities["SM-14"])),
]  # fmt: skip
VALUES = ["committed", 7, "build 7", 7.0, ("media", "feeds"), ("/a", "/b"), "off"]


@pytest.mark.parametrize(
    ("key", "text", "read", "value"),
    [pytest.param(*row[1:], value, id=row[0]) for row, value in zip(KEYS, VALUES, strict=True)],
)
def test_keys(key: str, text: str, read: "object", value: object) -> None:
    assert callable(read)
    assert read(config_of(assignment(f"{key}={text}"))) == value


UNKNOWN = [
    ("crawl.wait.fr", "crawl.wait.fr is not a known key"),
    ("crawl.wait.for.x", "crawl.wait.for"),
    ("crawl.wate.for", "crawl.wate"),
    ("crawl.", "crawl. is not a known key"),
    ("crawl.wait.", "crawl.wait. is not a known key"),
    ("crawl.wait", "crawl.wait: "),
    (".crawl", "is not a known key"),
    ("crawl..wait", "crawl."),
]


@pytest.mark.parametrize(("key", "message"), UNKNOWN)
def test_unknown_keys(key: str, message: str) -> None:
    assert message in str(refusal(lambda: config_of(assignment(f"{key}=7"))))


def test_inputs_of_the_marker() -> None:
    settings = inputs({"wait-for": "build 7", "wait-path": "/status", "wait-timeout": "60"})
    crawl = config_of(*settings).crawl
    assert (crawl.wait_for, crawl.wait_path, crawl.wait_timeout) == ("build 7", "/status", 60.0)


def test_defaults_of_a_crawl() -> None:
    """As documented (NET-04, NET-05, NET-09, NET-11)."""
    crawl, sitemaps, http = Config().crawl, Config().sitemaps, Config().http
    assert (crawl.max_pages, crawl.max_depth, http.concurrency, http.requests_per_second) == (5_000, 100, 8, None)
    assert (http.timeout, crawl.deadline, crawl.max_body, http.retry_after_max) == (20, 900, 15 << 20, 60)
    assert (crawl.robots, crawl.robots_unreachable, crawl.on_limit, crawl.www) == (
        "auto",
        "fail",
        "incomplete",
        "strict",
    )
    assert (crawl.wait_for, crawl.wait_path, crawl.wait_timeout) == ("", "/", None)
    assert set(crawl.skip) == {"media", "archives", "documents", "assets", "feeds"}
    assert (sitemaps.max_documents, sitemaps.max_depth, sitemaps.max_bytes, sitemaps.max_inflated) == (
        500,
        5,
        50 << 20,
        200 << 20,
    )
    assert (http.retries, http.backoff) == (2, 0.5)
