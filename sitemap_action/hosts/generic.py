"""The plain web server: `index.html` answers for its directory, every other file under its own name (HOST-01)."""

from collections.abc import Container
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from sitemap_action.hosts.base import HostAnswer, Missing, Redirect, Serve

_INDEX = ("index.html", "index.htm")
_SAFE = "/!$&'()*+,;=:@-._~[]"  # unescaped in a path by the URL standard: link and file have one identity


@dataclass(frozen=True, slots=True)
class Generic:
    """Meets the `Host` protocol."""

    name: str = "generic"

    def address(self, path: str) -> str:
        """Percent-encode each segment of the file name (HOST-11); an index file becomes its directory (HOST-02)."""
        directory, _, base = path.rpartition("/")
        if base in _INDEX:
            path = f"{directory}/" if directory else ""
        return "/" + quote(path, safe=_SAFE)

    def answer(self, url_path: str, files: Container[str]) -> HostAnswer:
        try:
            path = unquote_to_bytes(url_path).decode().lstrip("/")
        except UnicodeDecodeError:
            return Missing()
        if path in files:
            return Serve(path)
        directory = f"{path.rstrip('/')}/" if path else ""
        for index in _INDEX:
            if directory + index in files:
                return Serve(directory + index) if path == directory else Redirect(url_path + "/", 301)
        return Missing()
