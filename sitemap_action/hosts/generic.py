"""The plain web server: `index.html` answers for its directory, every other file under its own name (HOST-01)."""

from collections.abc import Container
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from sitemap_action.hosts.base import HostResponse, ReadFile

_INDEX = "index.html"  # no other: nginx, for one, serves no directory by its index.htm
_SAFE = "/!$&'()*+,;=:@-._~[]"  # unescaped in a path by the URL standard: link and file have one identity


@dataclass(frozen=True, slots=True)
class Generic:
    """Implements `HostProfile`; this host has no control files."""

    name: str = "generic"

    def build(self, files: Container[str], _read: ReadFile, /) -> "GenericHost":
        return GenericHost(files)


@dataclass(frozen=True, slots=True)
class GenericHost:
    """Implements `Host`."""

    files: Container[str]

    def address(self, path: str, /) -> str:
        """Percent-encode each segment of the file name (HOST-11); an index file becomes its directory (HOST-02)."""
        directory, _, base = path.rpartition("/")
        if base == _INDEX:
            path = f"{directory}/" if directory else ""
        return "/" + quote(path, safe=_SAFE)

    def answer(self, url_path: str, /) -> HostResponse:
        try:
            path = unquote_to_bytes(url_path).decode().lstrip("/")
        except UnicodeDecodeError:
            return HostResponse(404)
        if path in self.files:
            return HostResponse(200, path)
        directory = f"{path.rstrip('/')}/" if path else ""
        if directory + _INDEX not in self.files:
            return HostResponse(404)
        if path == directory:
            return HostResponse(200, directory + _INDEX)
        return HostResponse(301, location=url_path + "/")
