"""The registry of static hosts, and which of them a build is made for (HOST-01)."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from urllib.parse import urlsplit

from sitemap_action.hosts.azure_swa import serve_azure
from sitemap_action.hosts.base import BuildFiles, ControlFile, HostProfile, ServedBuild
from sitemap_action.hosts.cloudflare import find_wrangler, read_wrangler, serve_pages, serve_workers
from sitemap_action.hosts.control_files import Value, read_yaml
from sitemap_action.hosts.firebase import serve_firebase
from sitemap_action.hosts.netlify import serve_netlify
from sitemap_action.hosts.page_spellings import PLAIN_HOSTS, UNKNOWN_HOST, serve_plain
from sitemap_action.hosts.vercel import serve_vercel
from sitemap_action.model.lazy_re import lazy_re

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


UNKNOWN = "host unknown: pages are listed under the addresses that the site itself uses; name it in source.host"

_DOMAINS = {
    ".github.io": "github-pages",
    ".netlify.app": "netlify",
    ".vercel.app": "vercel",
    ".pages.dev": "cloudflare-pages",
    ".workers.dev": "cloudflare-workers",
    ".web.app": "firebase",
    ".firebaseapp.com": "firebase",
    ".onrender.com": "render",
    ".azurestaticapps.net": "azure-swa",
}
_FILES = {  # in the order of the evidence that they are
    "netlify.toml": "netlify",
    "vercel.json": "vercel",
    "vercel.ts": "vercel",
    "vercel.mts": "vercel",
    "vercel.toml": "vercel",
    "firebase.json": "firebase",
    "staticwebapp.config.json": "azure-swa",
}
CONTROL_FILES = ("_redirects", *_FILES)
"""Files that redirects are written in."""
_OF_BUILD = {
    "_worker.js": "cloudflare-pages",
    "_routes.json": "cloudflare-pages",
    "_redirects": "netlify",
    "_headers": "netlify",
    "CNAME": "github-pages",
}
_STEPS = lazy_re(
    r"""^(?!\s*\#).*?(?:
    (?P<github_pages>actions/deploy-pages@|peaceiris/actions-gh-pages@|JamesIves/github-pages-deploy-action@
      |mkdocs\ gh-deploy)
    |(?P<cloudflare_pages>cloudflare/pages-action@|\bpages\ (?:deploy|publish)\b)
    |(?P<netlify>netlify/actions/cli@|nwtgck/actions-netlify@|\bnetlify(?:-cli)?\ deploy\b)
    |(?P<vercel>amondnet/vercel-action@|\bvercel\ (?:deploy|--prod)\b)
    |(?P<firebase>FirebaseExtended/action-hosting-deploy@|\bfirebase(?:-tools)?\ deploy\b)
    |(?P<azure_swa>Azure/static-web-apps-deploy@|\bswa\ deploy\b)
    )""",
    re.MULTILINE | re.VERBOSE,
)


_WRANGLER_KEYS = {"pages_build_output_dir": "cloudflare-pages", "assets": "cloudflare-workers"}


def serve_detected(hosts: Mapping[str, HostProfile], found: BuildFiles) -> ServedBuild:
    """A build on the host for which there is evidence, else on one that serves the addresses that the site uses."""
    evidence = list(host_evidence(found))
    if not evidence:
        return serve_plain(UNKNOWN_HOST, found)._replace(notes=(UNKNOWN,), known=False)
    served = hosts[evidence[0][0]](found)
    return served._replace(notes=(_note(evidence), *served.notes))


def hosts_listing(file: str, url_path: str) -> tuple[str, ...]:
    """The values of source.host under which this file can be listed at this path, where no control file says more."""
    build = BuildFiles(frozenset((file, "404.html")), lambda _: None)
    hosts = ((name, serve(build).host) for name, serve in HOSTS.items())
    return tuple(sorted(name for name, host in hosts if host.preferring([url_path]).address(file) == url_path))


def _note(evidence: list[tuple[str, str]]) -> str:
    best, why = evidence[0]
    others = {host: what for host, what in reversed(evidence) if host != best}
    but = "".join(f"; {what} would mean {host}, and does not count" for host, what in reversed(others.items()))
    return f"the build is addressed as on {best}, by {why}{but}; source.host names another host"


def host_evidence(found: BuildFiles) -> Iterator[tuple[str, str]]:
    """(Host, what speaks for it), the best first."""
    host = urlsplit(found.site_url).hostname or ""
    yield from ((profile, f"the host {host}") for end, profile in _DOMAINS.items() if host.endswith(end))
    files = [(file, profile) for name, profile in _FILES.items() if (file := found.find(name))]
    files += _by_content(found)
    yield from ((profile, file.path) for file, profile in sorted(files, key=lambda one: one[0].distance))
    yield from _by_workflows(found)
    for name, profile in _OF_BUILD.items():
        if name in found.files:
            yield profile, f"{name} of the build"


def _by_content(found: BuildFiles) -> Iterator[tuple[ControlFile, str]]:
    """Files that only some of their content makes evidence."""
    wrangler = find_wrangler(found)
    if wrangler and any(key.encode() in wrangler.content for key in _WRANGLER_KEYS):  # few of them are read
        settings = read_wrangler(wrangler)
        yield from [(wrangler, host) for key, host in _WRANGLER_KEYS.items() if key in settings][:1]
    if (file := found.find("render.yaml")) and any(map(_is_static, _services(read_yaml(file)))):
        yield file, "render"


def _services(blueprint: Value) -> Iterator[Value]:
    """The services of a blueprint of Render: its own, and those of the environments of its projects."""
    if isinstance(blueprint, dict):
        for key in ("services", "projects", "environments"):
            for one in blueprint.get(key) or ():
                yield from (one,) if key == "services" else _services(one)


def _is_static(service: Value) -> bool:
    return isinstance(service, dict) and "static" in (service.get("runtime"), service.get("env"))


def _by_workflows(found: BuildFiles) -> Iterator[tuple[str, str]]:
    for file in found.workflows():
        for place, text in file.lines():
            if len(text) < 1000 and (step := _STEPS.match(text)):
                yield str(step.lastgroup).replace("_", "-"), str(place)
