"""The registry of static hosts."""

from sitemap_action.hosts.base import HostProfile
from sitemap_action.hosts.generic import Generic

HOSTS: dict[str, HostProfile] = {
    "generic": Generic(),
}


def choose(name: str) -> HostProfile:
    """The profile of this name; `auto` is the generic one until another can be detected (HOST-01)."""
    return HOSTS["generic" if name == "auto" else name]
