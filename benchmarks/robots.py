"""robots.txt verdicts beside urllib.robotparser and protego, and the cost of a hostile pattern as it grows."""

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
    """Everybody's group of 150 directories and 15 patterns, and three crawlers with groups of their own."""
    everybody = [f"Disallow: /internal/tool-{number}/" for number in range(150)]
    everybody += [f"Disallow: /*/print-{number}/*.html$" for number in range(10)]
    everybody += [
        "Disallow: /*?sort=",
        "Disallow: /*&sid=",
        "Disallow: /cgi-bin/",
        "Allow: /cgi-bin/map",
        "Disallow: *.cgi$",
    ]
    own = [f"User-agent: crawler-{name}\nDisallow: /\n" for name in ("a", "b", "c")]
    return "\n".join(["User-agent: *", *everybody, "", *own, "Sitemap: https://www.example.com/sitemap.xml", ""])


def urls() -> list[str]:
    kinds = (
        "docs/guide-{}/install/",
        "shop/item-{}.html?page=2",
        "internal/tool-{}/x",
        "news/2026/10/story-{}",
        "a/b?sort={}",
    )
    return ["https://www.example.com/" + kinds[number % len(kinds)].format(number) for number in range(URLS)]


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


def ask(call: Callable[[str], bool], asked: list[str]) -> list[bool]:
    return [call(url) for url in asked]


def verdicts() -> None:
    asked, calls = urls(), competitors(realistic())
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(seconds(partial(ask, call, asked)))
    ours = statistics.median(times["ours, rfc"])
    for name, values in times.items():
        value = statistics.median(values)
        refused = ask(calls[name], asked).count(False)
        print(
            f"{name:20}{value / URLS * 1e6:8.2f} us a URL{URLS / value:12,.0f} a second"
            f"{value / ours:8.1f} x ours{refused:8} refused"
        )


def reading() -> None:
    text = realistic().encode()
    value = statistics.median(seconds(lambda: parse(text, Profile.RFC)) for _ in range(ROUNDS))
    print(f"reading {len(text):,} bytes: {value * 1000:.2f} ms")


def hostile() -> None:
    """Pattern and path both ten times longer; a matcher that goes back needs a hundred times as long, or for ever."""
    times = []
    for length in (800, 8000):
        robots = parse(f"User-agent: *\nDisallow: /{'*a' * length}b".encode(), Profile.RFC)
        url = "https://www.example.com/" + "a" * length
        robots.verdict("examplebot", url)
        times.append(min(seconds(partial(robots.verdict, "examplebot", url)) for _ in range(50)))
    print(f"hostile pattern, 10 times longer: {times[1] / times[0]:.1f} times the time ({times[1] * 1e6:.0f} us)")


if __name__ == "__main__":
    verdicts()
    reading()
    hostile()
