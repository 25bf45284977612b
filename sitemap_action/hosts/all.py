"""The registry of static hosts."""

from collections.abc import Mapping
from functools import partial

from sitemap_action.hosts.azure_swa import serve_azure
from sitemap_action.hosts.base import HostProfile
from sitemap_action.hosts.cloudflare import serve_pages, serve_workers
from sitemap_action.hosts.detect import serve_detected
from sitemap_action.hosts.firebase import serve_firebase
from sitemap_action.hosts.netlify import serve_netlify
from sitemap_action.hosts.page_spellings import PLAIN_HOSTS, serve_plain
from sitemap_action.hosts.vercel import serve_vercel

HOSTS: Mapping[str, HostProfile] = {
    "generic": partial(serve_plain, PLAIN_HOSTS["generic"]),
    "github-pages": partial(serve_plain, PLAIN_HOSTS["github-pages"]),
    "netlify": serve_netlify,
    "netlify-plain": partial(serve_netlify, pretty=False),
    "vercel": serve_vercel,
    "cloudflare-pages": serve_pages,
    "cloudflare-workers": serve_workers,
    "s3-website": partial(serve_plain, PLAIN_HOSTS["s3-website"]),
    "firebase": serve_firebase,
    "nginx": partial(serve_plain, PLAIN_HOSTS["nginx"]),
    "nginx-clean": partial(serve_plain, PLAIN_HOSTS["nginx-clean"]),
    "render": partial(serve_plain, PLAIN_HOSTS["render"]),
    "azure-swa": serve_azure,
}


def choose_host(name: str) -> HostProfile:
    """The host of this name; `auto` is the one for which there is evidence (HOST-01)."""
    return partial(serve_detected, HOSTS) if name == "auto" else HOSTS[name]
