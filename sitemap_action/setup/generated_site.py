"""What is known of a site that a generator builds: its files, how they are made, and where they are served."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from sitemap_action.config.values import parse_site_url
from sitemap_action.setup.packages import BuildCommands, NodePackages
from sitemap_action.setup.project import ConfigValues, Fact, Project, SourceFile

PLAIN = "plain HTML"


class OwnSitemap(Struct, frozen=True):
    """A sitemap that the generator writes into the build."""

    name: str
    where: str  # what makes it do so


class GeneratedSite(Struct, frozen=True):
    """What is known of a site that a generator builds; paths are those of the repository."""

    generator: str
    where: str  # the file that tells
    output: Fact  # the folder of the build; `where` is "" for the generator's default
    build: BuildCommands
    addresses: tuple[Fact, ...] = ()  # of the site, as the generator's config states them
    computed: tuple[str, ...] = ()  # sentences on what only a program knows
    sitemap: OwnSitemap | None = None
    advice: str = ""  # how the generator would write one
    copied: str | None = None  # folder whose files the build gets as they are; None: not known
    refusal: str = ""  # why there is no folder of files


class Match(NamedTuple):
    """A generator's traces in a project."""

    project: Project
    packages: NodePackages | None
    file: SourceFile | None
    values: ConfigValues

    def dependency(self, *names: str) -> str:
        return self.packages.dependency(*names) if self.packages else ""


Adapt: TypeAlias = Callable[[Match, GeneratedSite], GeneratedSite | None]
"""Completes a site; None where it is none of this generator."""


class Generator(Struct, frozen=True, kw_only=True):
    """A row. Keys are those of the config, with dots; folders are those of the project."""

    name: str
    configs: tuple[str, ...] | Callable[[Match], SourceFile | None] = ()  # the first that is there
    package: str = ""  # of package.json
    needs: Literal["config", "package", "either", "both"] = "config"
    command: str = ""  # of the generator, where Node.js runs it
    runs: str = ""  # expression of a script that builds the site; that of `command` by default
    output: str  # folder of the build
    output_key: tuple[str, ...] = ()  # with -- an option of the command, which comes first
    url: tuple[str, ...] = ()
    base: str = ""  # the path of the site below its host
    computed: tuple[str, ...] = ()  # keys that are reported where only a program knows them
    plugins: tuple[str, ...] = ()  # packages that write a sitemap
    sitemap: str = "sitemap.xml"  # which they write
    advice: str = ""  # {} is the config
    copied: str | None = None
    adapt: Adapt | None = None


def join_address(address: Fact | None, path: Fact | None) -> tuple[Fact, ...]:
    """The address of a site that is below a path of its host."""
    if address is None:
        return ()
    if path is None or not path.value.strip("/."):
        return (address,)
    where = address.where if path.where == address.where else f"{address.where} and {path.where}"
    return (Fact(f"{address.value.rstrip('/')}/{path.value.strip('/')}/", where),)


def describe_computed(values: ConfigValues, keys: Iterable[str]) -> tuple[str, ...]:
    """Sentences on the keys that only running the config would tell."""
    places = ((key, values.is_computed(key)) for key in keys)
    return tuple(f"{place}: {key} is computed, and a config is not run" for key, place in places if place)


# --- where a site is served, under the same rules as `site-url` ---

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
    found: Fact | None = None
    for candidate in _address_candidates(project, site, packages, remote, host):
        url, why = _check_address(candidate.value)
        if why:
            refused.append(f"{candidate.where}: {why}")
        elif found is None:
            found = Fact(url, candidate.where)
        elif urlsplit(found.value).hostname != urlsplit(url).hostname:
            refused.append(f"{candidate.where} states {url}, and does not count beside {found.where}")
    return PublicAddress(*(found or ("", "")), tuple(refused))


def _address_candidates(
    project: Project, site: GeneratedSite, packages: NodePackages | None, remote: str, host: str
) -> Iterator[Fact]:
    """The best first."""
    yield from site.addresses
    domain = _find_cname(project, site)
    if domain:
        yield domain
    if packages and (homepage := packages.values.get("homepage")) and not _SOURCE_CODE.match(homepage.value):
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
