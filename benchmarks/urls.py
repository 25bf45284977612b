"""Resolution of links: `resolve` against the libraries that join URLs, in microseconds a link."""

import importlib
import random
import statistics
import time
from collections.abc import Callable
from urllib.parse import urljoin

import ada_url

from sitemap_action.web.urls import join, normalize, resolve

ROUNDS = 5
BASES = [f"https://www.example.com/docs/part-{number}/page.html" for number in range(400)]
# Weights as on documentation, shop and news sites: most links are in normal form and internal.
SHAPES: list[tuple[int, Callable[[int], str]]] = [
    (40, lambda n: f"/docs/guide-{n}/installing-the-thing/"),
    (18, lambda n: f"https://www.example.com/shop/category-{n}/product-name.html"),
    (10, lambda n: f"https://other-{n}.example.org/some/page"),
    (10, lambda n: f"page-{n}.html"),
    (8, lambda n: f"../part-{n}/index.html"),
    (6, lambda n: f"#section-{n}"),
    (3, lambda n: f"/search?q=term+{n}&page=2"),
    (2, lambda n: f"/stra%C3%9Fe/{n}"),
    (1, lambda n: f"/größe/{n}"),
    (1, lambda n: f" //cdn.example.com/a/../{n} "),
    (1, lambda n: f"mailto:someone{n}@example.com"),
]


def links(count: int) -> list[tuple[str, str]]:
    generator = random.Random(1)
    makers = [make for _, make in SHAPES]
    weights = [weight for weight, _ in SHAPES]
    return [(BASES[n * len(BASES) // count], generator.choices(makers, weights)[0](n)) for n in range(count)]


def full(base: str, href: str) -> str | None:
    """`resolve` without its fast path."""
    try:
        return normalize(join(base, href) or "")
    except ValueError:
        return None


def competitors() -> dict[str, Callable[[str, str], object]]:
    found: dict[str, Callable[[str, str], object]] = {
        "resolve (join and normal form)": resolve,
        "join, then normal": full,
        "ada_url.join_url (join only)": ada_url.join_url,
        "urllib.parse.urljoin (join only)": urljoin,
    }
    for module, name, call in (
        ("httpx", "httpx.URL.join (join only)", lambda httpx: lambda base, href: httpx.URL(base).join(href)),
        ("yarl", "yarl.URL.join (join only)", lambda yarl: lambda base, href: yarl.URL(base).join(yarl.URL(href))),
    ):
        try:
            found[name] = call(importlib.import_module(module))
        except ImportError:
            print(f"{module} is not installed: left out")
    return found


def microseconds(call: Callable[[str, str], object], pairs: list[tuple[str, str]]) -> float:
    start = time.perf_counter()
    for base, href in pairs:
        call(base, href)
    return (time.perf_counter() - start) / len(pairs) * 1e6


def main() -> None:
    pairs, calls = links(20_000), competitors()
    for base, href in pairs:
        assert resolve(base, href) == full(base, href)
    sample = pairs[::10]  # for slow libraries
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(microseconds(call, sample if name.startswith("httpx") else pairs))
    ours = statistics.median(times["resolve (join and normal form)"])
    for name, values in times.items():
        value = statistics.median(values)
        print(f"{name:36}{value:9.2f} us a link{value / ours:9.1f} x ours")


if __name__ == "__main__":
    main()
