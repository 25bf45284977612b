"""Of several spellings that a host serves alike, the one that a site uses: in its sitemap, else in its first pages."""

from collections.abc import Iterable, Sequence

from sitemap_action.folder.reader import read_all
from sitemap_action.folder.served_build import Build
from sitemap_action.hosts.base import Host

_START = "index.html"
_NEAR = 20  # pages that the start page links to, where it links to folders only


def as_used(build: Build, seeds: Iterable[str], files: Sequence[str]) -> Host:
    """`seeds`: URLs of the sitemap; `files`: pages of the build."""
    host = build.host
    if host.preferring(()) is host:
        return host
    own = _paths(build, [url for url in seeds if url.startswith(build.base) and "?" not in url])
    others = [path for path in own if path != "/" and host.answer(path).status == 200]
    if others or _START not in files:
        return host.preferring(own)
    links = _links(build, [_START])
    shown = {host.answer(path).file for path in links}
    if all(file.endswith("/" + _START) for file in shown - {"", _START}):
        links += _links(build, sorted(shown & set(files) - {_START})[:_NEAR])
    return host.preferring(links)


def _links(build: Build, files: list[str]) -> list[str]:
    return [path for batch in read_all(build, files) for path in _paths(build, batch.links)] if files else []


def _paths(build: Build, urls: Iterable[str]) -> list[str]:
    return [url[len(build.base) - 1 :].partition("?")[0] for url in urls]
