"""The registry of static hosts."""

from sitemap_action.hosts.base import Host
from sitemap_action.hosts.generic import Generic

HOSTS: dict[str, Host] = {
    "generic": Generic(),
}


def choose(name: str) -> Host:
    """The profile of this name; `auto` is the generic one until another can be detected (HOST-01)."""
    return HOSTS.get(name, HOSTS["generic"])
