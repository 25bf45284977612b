"""Scripts and style sheets that a page needs and the robots.txt of its site disallows (RB-36)."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from sitemap_action.model.page import Facts
from sitemap_action.robots.groups import Profile, Robots, parse

_KEPT = 20  # of one page: the rule is broken by the first


class BlockedResources(Struct, frozen=True):
    """The rules of one site, for every process that reads its pages."""

    robots: bytes = b""  # none: nothing is read for this rule
    agents: tuple[str, ...] = ()
    origin: str = ""  # of the site, with a slash: the robots.txt of another host is not known

    @property
    def any(self) -> bool:
        return b"disallow" in self.robots.lower()

    def judged(self, facts: Facts, urls: Iterable[str]) -> Facts:
        """The facts of a page with those of its scripts and style sheets that one of the agents may not fetch."""
        own = (url for url in dict.fromkeys(urls) if url.startswith(self.origin))
        found = tuple(url for url in own if _blocked(self.robots, self.agents, url))[:_KEPT]
        return facts if facts.blocked_resources == found else facts._replace(blocked_resources=found)


@lru_cache(maxsize=1)
def _rules(robots: bytes) -> Robots:
    return parse(robots, Profile.GOOGLE)


@lru_cache(maxsize=10_000)
def _blocked(robots: bytes, agents: Sequence[str], url: str) -> bool:
    """Every page of a site needs the same few files."""
    return _rules(robots).block(agents, url) is not None
