"""Lines of the repository's workflows and npm scripts that ping search engines about a sitemap (SM-69)."""

import re
from collections.abc import Iterator
from pathlib import Path

from sitemap_action.model.source import Ping
from sitemap_action.walk.repository import Repository

_PING = re.compile(
    rb"\b(google|bing)\.[a-z.]{2,6}/(?:webmasters?/(?:tools/|sitemaps/)?)?ping(?:\.aspx)?\?sitemap=", re.IGNORECASE
)
_SCRIPTS = "package.json"


def pings(workspace: Path) -> tuple[Ping, ...]:
    """The lines in order of file and line; a comment of a workflow is none."""
    repository = Repository(workspace, ".")
    files = [*repository.workflows(), *filter(None, [repository.find(_SCRIPTS)])]
    return tuple(found for file in files for found in _in_file(file.path, file.content))


def _in_file(path: str, content: bytes) -> Iterator[Ping]:
    if b"ping" not in content:
        return
    for number, line in enumerate(content.splitlines(), 1):
        if (found := _PING.search(line)) and not line.lstrip().startswith(b"#"):
            yield Ping(path, number, found[1].decode().lower())
