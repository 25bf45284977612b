"""The registry of static hosts; only the one that a run needs is imported, because a short run is mostly start-up."""

from collections.abc import Callable, Mapping

from sitemap_action.hosts.base import HostProfile


def _plain(name: str) -> HostProfile:
    from sitemap_action.hosts.unconfigured import PlainProfile  # noqa: PLC0415

    return PlainProfile(name)


def _netlify(name: str) -> HostProfile:
    from sitemap_action.hosts.netlify import Netlify  # noqa: PLC0415

    return Netlify(name, pretty=name == "netlify")


def _vercel(_name: str) -> HostProfile:
    from sitemap_action.hosts.vercel.vercel_json import Vercel  # noqa: PLC0415

    return Vercel()


def _pages(_name: str) -> HostProfile:
    from sitemap_action.hosts.cloudflare.profiles import CloudflarePages  # noqa: PLC0415

    return CloudflarePages()


def _workers(_name: str) -> HostProfile:
    from sitemap_action.hosts.cloudflare.profiles import CloudflareWorkers  # noqa: PLC0415

    return CloudflareWorkers()


def _firebase(_name: str) -> HostProfile:
    from sitemap_action.hosts.firebase import Firebase  # noqa: PLC0415

    return Firebase()


def _azure(_name: str) -> HostProfile:
    from sitemap_action.hosts.azure_swa import AzureStaticWebApps  # noqa: PLC0415

    return AzureStaticWebApps()


HOSTS: Mapping[str, Callable[[str], HostProfile]] = {
    "generic": _plain,
    "github-pages": _plain,
    "netlify": _netlify,
    "netlify-plain": _netlify,
    "vercel": _vercel,
    "cloudflare-pages": _pages,
    "cloudflare-workers": _workers,
    "s3-website": _plain,
    "firebase": _firebase,
    "nginx": _plain,
    "nginx-clean": _plain,
    "render": _plain,
    "azure-swa": _azure,
}


def choose(name: str) -> HostProfile:
    """The profile of this name; `auto` is the one for which there is evidence (HOST-01)."""
    if name == "auto":
        from sitemap_action.hosts.detect import AutoProfile  # noqa: PLC0415

        return AutoProfile(HOSTS)
    return HOSTS[name](name)
