"""The kinds of values of a look over HTTP: sizes, times, rates, paths on a server, texts of a header."""

import pytest

from sitemap_action.config import kinds
from sitemap_action.config.marks import read_value
from sitemap_action.config.problem import Bad, Mark
from sitemap_action.config.shapes import Kind, Known

KNOWN = Known(frozenset(), frozenset(), ("xml",), ("generic",))

GOOD: list[tuple[Kind[object], str, object]] = [
    # kind, YAML, value
    (kinds.size, "1", 1),
    (kinds.size, "15MiB", 15 * 1024 * 1024),
    (kinds.size, "15 MiB", 15 * 1024 * 1024),
    (kinds.size, "2KiB", 2048),
    (kinds.size, "7B", 7),
    (kinds.size, "5000000", 5_000_000),
    (kinds.seconds, "20", 20.0),
    (kinds.seconds, "0.5", 0.5),
    (kinds.seconds, "0", 0.0),
    (kinds.wait_seconds, "auto", None),
    (kinds.wait_seconds, "600", 600.0),
    (kinds.rate, "auto", None),
    (kinds.rate, "25", 25.0),
    (kinds.rate, "0.1", 0.1),
    (kinds.server_path, "/", "/"),
    (kinds.server_path, "/status.html?a=b", "/status.html?a=b"),
    (kinds.server_path, "/ü", "/ü"),
    (kinds.marker, "build 4711", "build 4711"),
    (kinds.marker, "4711", "4711"),
    (kinds.header_text, "docs-check/1.0 (me)", "docs-check/1.0 (me)"),
    (kinds.header_text, "x", "x"),
    (kinds.optional(kinds.header_text), "''", ""),
    (kinds.deployed, "auto", "auto"),
    (kinds.deployed, "https://X.com", "https://x.com/"),
    (kinds.deployed, "https://auto", "https://auto/"),
    (kinds.environment, "Preview – docs", "Preview – docs"),
    (kinds.environment, "7", "7"),
]


@pytest.mark.parametrize(("kind", "text", "value"), GOOD)
def test_good(kind: Kind[object], text: str, value: object) -> None:
    node = read_value(Mark("x"), text).root
    assert node is not None
    assert kind.read(node, "key", KNOWN) == value


SIZE = "a number of bytes, perhaps with KiB or MiB; for example 15MiB"
SECONDS = "a number of seconds; for example 20"
WAIT = "auto or a number of seconds; for example 600"
RATE = "auto or a number of requests a second, above 0; for example 25"
PATH = "a path on the server that begins with /; for example /status.html"
HEADER = "a text that fits in a header; for example docs-check/1.0"
DEPLOYED = "auto, or an http or https URL without user name and fragment; for example https://preview.example.net/"
ENVIRONMENT = "the name of an environment; for example Preview"
MARKER = "a text of one line; for example build 4711"

BAD: list[tuple[Kind[object], str, str]] = [
    # kind, YAML, problem
    (kinds.size, "0", f'"0" is not {SIZE}'),  # nothing could be read
    (kinds.size, "15MB", f'"15MB" is not {SIZE}'),  # a million, or 1,048,576?
    (kinds.size, "1.5MiB", f'"1.5MiB" is not {SIZE}'),
    (kinds.size, "-1", f'"-1" is not {SIZE}'),
    (kinds.size, "1GiB", f'"1GiB" is not {SIZE}'),
    (kinds.size, "9" * 13, f'"{"9" * 13}" is not {SIZE}'),
    (kinds.seconds, "1m", f'"1m" is not {SECONDS}'),
    (kinds.seconds, "-1", f'"-1" is not {SECONDS}'),
    (kinds.seconds, "1e3", f'"1e3" is not {SECONDS}'),
    (kinds.seconds, "inf", f'"inf" is not {SECONDS}'),
    (kinds.seconds, "1:30", f'"1:30" is not {SECONDS}'),
    (kinds.wait_seconds, "never", f'"never" is not {WAIT}'),
    (kinds.rate, "0", f'"0" is not {RATE}'),
    (kinds.rate, "0.000", f'"0.000" is not {RATE}'),
    (kinds.rate, "none", f'"none" is not {RATE}'),
    (kinds.server_path, "status", f'"status" is not {PATH}'),
    (kinds.server_path, "https://x.com/", f'"https://x.com/" is not {PATH}'),
    (kinds.server_path, "/a b", f'"/a b" is not {PATH}'),
    (kinds.server_path, r"'/a\b'", rf'"/a\b" is not {PATH}'),
    (kinds.header_text, '"a\\r\\nX: y"', rf'"a\x0d\x0aX: y" is not {HEADER}'),  # would be a header of its own
    (kinds.header_text, "ü", f'"ü" is not {HEADER}'),
    (kinds.header_text, "' x'", f'" x" is not {HEADER}'),
    (kinds.header_text, "x" * 302, f'"{"x" * 59}…" is not {HEADER}'),
    (kinds.marker, '"a\\nb"', rf'"a\x0ab" is not {MARKER}'),
    (kinds.deployed, "Auto", f'"Auto" is not {DEPLOYED}'),
    (kinds.deployed, "automatic", f'"automatic" is not {DEPLOYED}'),
    (kinds.deployed, "https://a@b.com/", f'"https://…@b.com/" is not {DEPLOYED}'),
    (kinds.environment, '"a\\nb"', rf'"a\x0ab" is not {ENVIRONMENT}'),
    (kinds.environment, "' x'", f'" x" is not {ENVIRONMENT}'),
    (kinds.marker, "''", f"an empty text is not {MARKER}"),
]


@pytest.mark.parametrize(("kind", "text", "problem"), BAD)
def test_bad(kind: Kind[object], text: str, problem: str) -> None:
    node = read_value(Mark("x"), text).root
    assert node is not None
    with pytest.raises(Bad) as caught:
        kind.read(node, "key", KNOWN)
    assert list(map(str, caught.value.problems)) == [f"x: key: {problem}"]
