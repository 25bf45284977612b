"""Times robots.txt verdicts against urllib.robotparser and protego, and a hostile pattern as it grows."""

import importlib
import statistics
import time
from collections.abc import Callable
from functools import partial
from urllib.robotparser import RobotFileParser

from sitemap_action.robots.groups import Profile, parse

ROUNDS = 5
URLS = 20_000


def realistic() -> str:
    """A `*` group of 150 directories and 15 patterns, and groups for three crawlers."""
    any_agent = [f"Disallow: /internal/tool-{number}/" for number in range(150)]
    any_agent += [f"Disallow: /*/print-{number}/*.html$" for number in range(10)]
    any_agent += [
        "Disallow: /*?sort=",
        "Disallow: /*&sid=",
        "Disallow: /cgi-bin/",
        "Allow: /cgi-bin/map",
        "Disallow: *.cgi$",
    ]
    specific = [f"User-agent: crawler-{name}\nDisallow: /\n" for name in ("a", "b", "c")]
    return "\n".join(["User-agent: *", *any_agent, "", *specific, "Sitemap: https://www.example.com/sitemap.xml", ""])


def urls() -> list[str]:
    paths = (
        "docs/guide-{}/install/",
        "shop/item-{}.html?page=2",
        "internal/tool-{}/x",
        "news/2026/10/story-{}",
        "a/b?sort={}",
    )
    return ["https://www.example.com/" + paths[number % len(paths)].format(number) for number in range(URLS)]


def competitors(text: str) -> dict[str, Callable[[str], bool]]:
    rfc, google = parse(text.encode(), Profile.RFC), parse(text.encode(), Profile.GOOGLE)
    stdlib = RobotFileParser()
    stdlib.parse(text.splitlines())
    found: dict[str, Callable[[str], bool]] = {
        "ours, rfc": lambda url: rfc.verdict("examplebot", url).allowed,
        "ours, google": lambda url: google.verdict("examplebot", url).allowed,
        "urllib.robotparser": lambda url: stdlib.can_fetch("examplebot", url),
    }
    try:
        protego = importlib.import_module("protego").Protego.parse(text)
        found["protego"] = lambda url: bool(protego.can_fetch(url, "examplebot"))
    except ImportError:
        print("protego is not installed: left out")
    return found


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def verdicts(call: Callable[[str], bool], urls: list[str]) -> list[bool]:
    return [call(url) for url in urls]


def time_verdicts() -> None:
    requested, calls = urls(), competitors(realistic())
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(seconds(partial(verdicts, call, requested)))
    ours = statistics.median(times["ours, rfc"])
    for name, values in times.items():
        value = statistics.median(values)
        refused = verdicts(calls[name], requested).count(False)
        print(
            f"{name:20}{value / URLS * 1e6:8.2f} us a URL{URLS / value:12,.0f} a second"
            f"{value / ours:8.1f} x ours{refused:8} refused"
        )


def time_parsing() -> None:
    text = realistic().encode()
    value = statistics.median(seconds(lambda: parse(text, Profile.RFC)) for _ in range(ROUNDS))
    print(f"parsing {len(text):,} bytes: {value * 1000:.2f} ms")


def time_hostile() -> None:
    """Pattern and path both ten times longer; a backtracking matcher takes a hundred times as long, or never ends."""
    times = []
    for length in (800, 8000):
        robots = parse(f"User-agent: *\nDisallow: /{'*a' * length}b".encode(), Profile.RFC)
        url = "https://www.example.com/" + "a" * length
        robots.verdict("examplebot", url)
        times.append(min(seconds(partial(robots.verdict, "examplebot", url)) for _ in range(50)))
    print(f"hostile pattern, 10 times longer: {times[1] / times[0]:.1f} times the time ({times[1] * 1e6:.0f} us)")


if __name__ == "__main__":
    time_verdicts()
    time_parsing()
    time_hostile()
