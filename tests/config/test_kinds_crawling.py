"""The kinds of values of a look over HTTP: sizes, times, rates, paths on a server, texts of a header."""

import pytest

from sitemap_action.config import values
from sitemap_action.config.problem import Bad, Mark
from sitemap_action.config.types import KnownNames, OptionType
from sitemap_action.config.yaml import read_value

KNOWN = KnownNames(frozenset(), frozenset(), ("xml",), ("generic",))

GOOD: list[tuple[OptionType[object], str, object]] = [
    # kind, YAML, value
    (values.size, "1", 1),
    (values.size, "15MiB", 15 * 1024 * 1024),
    (values.size, "15 MiB", 15 * 1024 * 1024),
    (values.size, "2KiB", 2048),
    (values.size, "7B", 7),
    (values.size, "5000000", 5_000_000),
    (values.seconds, "20", 20.0),
    (values.seconds, "0.5", 0.5),
    (values.seconds, "0", 0.0),
    (values.wait_seconds, "auto", None),
    (values.wait_seconds, "600", 600.0),
    (values.rate, "auto", None),
    (values.rate, "25", 25.0),
    (values.rate, "0.1", 0.1),
    (values.server_path, "/", "/"),
    (values.server_path, "/status.html?a=b", "/status.html?a=b"),
    (values.server_path, "/ü", "/ü"),
    (values.marker, "build 4711", "build 4711"),
    (values.marker, "4711", "4711"),
    (values.header_text, "docs-check/1.0 (me)", "docs-check/1.0 (me)"),
    (values.header_text, "x", "x"),
    (values.optional(values.header_text), "''", ""),
    (values.deployed, "auto", "auto"),
    (values.deployed, "https://X.com", "https://x.com/"),
    (values.deployed, "https://auto", "https://auto/"),
    (values.environment, "Preview – docs", "Preview – docs"),
    (values.environment, "7", "7"),
]


@pytest.mark.parametrize(("kind", "text", "value"), GOOD)
def test_good(kind: OptionType[object], text: str, value: object) -> None:
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

BAD: list[tuple[OptionType[object], str, str]] = [
    # kind, YAML, problem
    (values.size, "0", f'"0" is not {SIZE}'),  # nothing could be read
    (values.size, "15MB", f'"15MB" is not {SIZE}'),  # a million, or 1,048,576?
    (values.size, "1.5MiB", f'"1.5MiB" is not {SIZE}'),
    (values.size, "-1", f'"-1" is not {SIZE}'),
    (values.size, "1GiB", f'"1GiB" is not {SIZE}'),
    (values.size, "9" * 13, f'"{"9" * 13}" is not {SIZE}'),
    (values.seconds, "1m", f'"1m" is not {SECONDS}'),
    (values.seconds, "-1", f'"-1" is not {SECONDS}'),
    (values.seconds, "1e3", f'"1e3" is not {SECONDS}'),
    (values.seconds, "inf", f'"inf" is not {SECONDS}'),
    (values.seconds, "1:30", f'"1:30" is not {SECONDS}'),
    (values.wait_seconds, "never", f'"never" is not {WAIT}'),
    (values.rate, "0", f'"0" is not {RATE}'),
    (values.rate, "0.000", f'"0.000" is not {RATE}'),
    (values.rate, "none", f'"none" is not {RATE}'),
    (values.server_path, "status", f'"status" is not {PATH}'),
    (values.server_path, "https://x.com/", f'"https://x.com/" is not {PATH}'),
    (values.server_path, "/a b", f'"/a b" is not {PATH}'),
    (values.server_path, r"'/a\b'", rf'"/a\b" is not {PATH}'),
    (values.header_text, '"a\\r\\nX: y"', rf'"a\x0d\x0aX: y" is not {HEADER}'),  # would be a header of its own
    (values.header_text, "ü", f'"ü" is not {HEADER}'),
    (values.header_text, "' x'", f'" x" is not {HEADER}'),
    (values.header_text, "x" * 302, f'"{"x" * 59}…" is not {HEADER}'),
    (values.marker, '"a\\nb"', rf'"a\x0ab" is not {MARKER}'),
    (values.deployed, "Auto", f'"Auto" is not {DEPLOYED}'),
    (values.deployed, "automatic", f'"automatic" is not {DEPLOYED}'),
    (values.deployed, "https://a@b.com/", f'"https://…@b.com/" is not {DEPLOYED}'),
    (values.environment, '"a\\nb"', rf'"a\x0ab" is not {ENVIRONMENT}'),
    (values.environment, "' x'", f'" x" is not {ENVIRONMENT}'),
    (values.marker, "''", f"an empty text is not {MARKER}"),
]


@pytest.mark.parametrize(("kind", "text", "problem"), BAD)
def test_bad(kind: OptionType[object], text: str, problem: str) -> None:
    node = read_value(Mark("x"), text).root
    assert node is not None
    with pytest.raises(Bad) as caught:
        kind.read(node, "key", KNOWN)
    assert list(map(str, caught.value.problems)) == [f"x: key: {problem}"]
