"""Who fetches the images of a site."""

from collections.abc import Sequence

from sitemap_action.robots.groups import Robots

_IMAGES = "googlebot-image"


def image_agents(robots: Robots, agents: Sequence[str]) -> tuple[str, ...]:
    """Google's crawler of images obeys its own group, where there is one, and else that of Googlebot."""
    own = (name for name in robots.agents if name.lower() == _IMAGES and "googlebot" in map(str.lower, agents))
    return (*agents, *own)
