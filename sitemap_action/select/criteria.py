"""Input of a verdict beside the site."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sitemap_action.config.schema import OutputConfig, SelectConfig
from sitemap_action.model.page import Directive, Page
from sitemap_action.robots.groups import Robots


@dataclass(frozen=True, slots=True)
class SelectPolicy:
    """What the config, robots.txt and the answers for random paths decide for every page."""

    site_url: str
    select: SelectConfig
    output: OutputConfig
    robots: Robots | None
    now: datetime
    soft404_fingerprints: frozenset[str] = frozenset()  # of documents that the host serves for random paths (HTML-46)
    host_directives: frozenset[Directive] = frozenset()  # of a preview host, not the site's (ENV-03)


def soft404_fingerprints(probes: Iterable[Page]) -> frozenset[str]:
    """Fingerprints of documents that a host serves for random paths (HTML-46)."""
    found = (probe.facts.fingerprint for probe in probes if probe.facts is not None)
    return frozenset(filter(None, found))  # a file that is not parsed has none
