"""The registry of static hosts."""

from collections.abc import Mapping

from sitemap_action.hosts.azure_swa import AzureStaticWebApps
from sitemap_action.hosts.base import HostProfile
from sitemap_action.hosts.cloudflare import CloudflarePages, CloudflareWorkers
from sitemap_action.hosts.detect import AutoProfile
from sitemap_action.hosts.firebase import Firebase
from sitemap_action.hosts.netlify import Netlify
from sitemap_action.hosts.page_spellings import PlainProfile
from sitemap_action.hosts.vercel import Vercel

_PROFILES: tuple[HostProfile, ...] = (
    PlainProfile("generic"),
    PlainProfile("github-pages"),
    Netlify(),
    Netlify("netlify-plain", pretty=False),
    Vercel(),
    CloudflarePages(),
    CloudflareWorkers(),
    PlainProfile("s3-website"),
    Firebase(),
    PlainProfile("nginx"),
    PlainProfile("nginx-clean"),
    PlainProfile("render"),
    AzureStaticWebApps(),
)
HOSTS: Mapping[str, HostProfile] = {profile.name: profile for profile in _PROFILES}


def choose(name: str) -> HostProfile:
    """The profile of this name; `auto` is the one for which there is evidence (HOST-01)."""
    return AutoProfile(HOSTS) if name == "auto" else HOSTS[name]
