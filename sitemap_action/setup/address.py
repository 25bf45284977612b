"""Where a site is served, as the files of its repository state it, under the same rules as `site-url`."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from sitemap_action.config.values import parse_site_url
from sitemap_action.setup.generator_configs import GeneratedSite
from sitemap_action.setup.packages import NodePackages
from sitemap_action.setup.project import Fact, Project

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


def public_address(
    project: Project, site: GeneratedSite, packages: NodePackages, *, remote: str = "", host: str = ""
) -> tuple[Fact, tuple[str, ...]]:
    """The first usable address, or an empty text, and sentences on addresses that do not count.

    `remote`: address of the repository; `host`: the static host, where it is known.
    """
    refused: list[str] = []
    found: Fact | None = None
    for candidate in _address_candidates(project, site, packages, remote, host):
        url, why = _check_address(candidate.value)
        if why:
            refused.append(f"{candidate.where}: {why}")
        elif found is None:
            found = Fact(url, candidate.where)
        elif urlsplit(found.value).hostname != urlsplit(url).hostname:
            refused.append(f"{candidate.where} states {url}, and does not count beside {found.where}")
    return found or Fact("", ""), tuple(refused)


def _address_candidates(
    project: Project, site: GeneratedSite, packages: NodePackages, remote: str, host: str
) -> Iterator[Fact]:
    """The best first."""
    yield from site.addresses
    domain = _find_cname(project, site)
    if domain:
        yield domain
    if (homepage := packages.values.get("homepage")) and not _SOURCE_CODE.match(homepage.value):
        yield homepage
    yield from _find_robots_sitemap(project, site)
    if host == "github-pages" and not domain and (found := _GITHUB.fullmatch(remote)):
        owner, name = found[1].lower(), found[2]
        where = "the address that GitHub Pages gives this repository, by its remote origin"
        yield Fact(f"https://{owner}.github.io/{'' if name.lower() == f'{owner}.github.io' else f'{name}/'}", where)


def _find_cname(project: Project, site: GeneratedSite) -> Fact | None:
    """The domain of GitHub Pages, in the folder of the site or in one that the build gets as it is."""
    for place in (project, project.top(), *([project.top().inside(site.copied)] if site.copied else [])):
        if file := place.first("CNAME"):
            domain = file.text.strip()
            if _DOMAIN.fullmatch(domain):
                return Fact(f"https://{domain}/", file.path)
            project.report(f"{file.path} is not used: it holds no domain name")
    return None


def _find_robots_sitemap(project: Project, site: GeneratedSite) -> Iterator[Fact]:
    """The directory of the sitemap that robots.txt names."""
    place = project.top().inside(site.copied) if site.copied is not None else project
    if (file := place.first("robots.txt")) and (found := _SITEMAP_LINE.search(file.text)):
        yield Fact(found[1].rpartition("/")[0] + "/", file.line(found.start(1)))


def _check_address(text: str) -> tuple[str, str]:
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
