"""Where a site is served: the address that its files state, under the same rules as `site-url`."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from sitemap_action.config.values import parse_site_url
from sitemap_action.setup.generated_site import GeneratedSite
from sitemap_action.setup.node_packages import NodePackages
from sitemap_action.setup.project import Project, Stated

_PLACEHOLDERS = frozenset(
    {"example.com", "example.org", "example.net", "your-domain.com", "your-docusaurus-site.example.com"}
)
_LOCAL = (".localhost", ".local", ".test", ".invalid", ".internal")
_SOURCE_CODE = re.compile(r"https?://(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|npmjs\.com)\b")
_DOMAIN = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}", re.IGNORECASE)
_SITEMAP_LINE = re.compile(r"^[ \t]*sitemap[ \t]*:[ \t]*(https?://\S+)", re.MULTILINE | re.IGNORECASE)
_GITHUB = re.compile(
    r"(?:https://github\.com/|(?:ssh://)?git@github\.com[:/])([\w-]+)/([\w.-]+?)(?:\.git)?/?", re.ASCII
)


class PublicAddress(NamedTuple):
    """`url` is "" where no file states a usable one."""

    url: str
    where: str
    refused: tuple[str, ...] = ()  # sentences on addresses that do not count


def public_address(
    project: Project, site: GeneratedSite, packages: NodePackages | None, *, remote: str = "", host: str = ""
) -> PublicAddress:
    """The first usable one. `remote`: address of the repository; `host`: the static host, where it is known."""
    refused: list[str] = []
    found: Stated | None = None
    for candidate in _candidates(project, site, packages, remote, host):
        url, why = _usable(candidate.value)
        if why:
            refused.append(f"{candidate.where}: {why}")
        elif found is None:
            found = Stated(url, candidate.where)
        elif urlsplit(found.value).hostname != urlsplit(url).hostname:
            refused.append(f"{candidate.where} states {url}, and does not count beside {found.where}")
    return PublicAddress(*(found or ("", "")), tuple(refused))


def _candidates(
    project: Project, site: GeneratedSite, packages: NodePackages | None, remote: str, host: str
) -> Iterator[Stated]:
    """The best first."""
    yield from site.addresses
    domain = _cname(project, site)
    if domain:
        yield domain
    if packages and (homepage := packages.values.get("homepage")) and not _SOURCE_CODE.match(homepage.value):
        yield homepage
    yield from _robots(project, site)
    if host == "github-pages" and not domain and (found := _GITHUB.fullmatch(remote)):
        owner, name = found[1].lower(), found[2]
        where = "the address that GitHub Pages gives this repository, by its remote origin"
        yield Stated(f"https://{owner}.github.io/{'' if name.lower() == f'{owner}.github.io' else f'{name}/'}", where)


def _cname(project: Project, site: GeneratedSite) -> Stated | None:
    """The domain of GitHub Pages, in the folder of the site or in one that the build gets as it is."""
    for place in (project, project.top(), *([project.top().inside(site.copied)] if site.copied else [])):
        if file := place.first("CNAME"):
            domain = file.text.strip()
            if _DOMAIN.fullmatch(domain):
                return Stated(f"https://{domain}/", file.path)
            project.report(f"{file.path} is not used: it holds no domain name")
    return None


def _robots(project: Project, site: GeneratedSite) -> Iterator[Stated]:
    """The directory of the sitemap that robots.txt names."""
    place = project.top().inside(site.copied) if site.copied is not None else project
    if (file := place.first("robots.txt")) and (found := _SITEMAP_LINE.search(file.text)):
        yield Stated(found[1].rpartition("/")[0] + "/", file.line(found.start(1)))


def _usable(text: str) -> tuple[str, str]:
    """(site-url in normal form, ""), or ("", why this text is none)."""
    try:
        url = parse_site_url(text.strip())
    except ValueError as error:
        return "", str(error) or "the address there is no http or https URL of a site"
    host = urlsplit(url).hostname or ""
    if host in _PLACEHOLDERS:
        return "", f"{host} is the placeholder of a new project"
    if "." not in host or host.endswith(_LOCAL) or host.startswith("[") or host.replace(".", "").isdigit():
        return "", f"{host} is no public host"
    return url, ""
