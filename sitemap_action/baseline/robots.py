"""The robots.txt of the baseline (RB-35), and the findings that its sitemap already had (DIFF-43)."""

from pathlib import PurePosixPath

from msgspec.structs import replace

from sitemap_action.checks.all import check_set
from sitemap_action.checks.base import FileOptions
from sitemap_action.config.schema import Config
from sitemap_action.errors import BaselineError
from sitemap_action.loader.documents import Documents
from sitemap_action.loader.stores import Store, Trees
from sitemap_action.model.finding import Finding

_NAME = "robots.txt"
_FOLDERS = ("public", "static", "docs", "")  # whose files generators copy into the build


def baseline_robots(config: Config, sitemap: str, served: bytes | None, trees: Trees) -> bytes | None:
    """The robots.txt of the baseline's commit; b"" when it had none, None when that is not known.

    A build contains a copy. Its source is the file of the repository with the same bytes, whose older version is read.
    """
    places = _places(config, sitemap)
    now = {path: _read(trees.now, path) for path in places}
    if served is None:
        return next(
            (found for path in places if now[path] is None and (found := _read(trees.then, path)) is not None), None
        )
    source = next((path for path in places if now[path] == served), None)
    return None if source is None else _read(trees.then, source) or b""


def _places(config: Config, sitemap: str) -> list[str]:
    if config.crawl.robots.startswith("file:"):
        return [config.crawl.robots.removeprefix("file:")]
    folders = [str(PurePosixPath(sitemap).parent), *_FOLDERS, *([config.source.path] if config.source.path else [])]
    return list(dict.fromkeys(str(PurePosixPath(folder) / _NAME) for folder in folders))


def _read(store: Store, path: str) -> bytes | None:
    try:
        return store(path)
    except BaselineError:
        return None


def debt(documents: Documents, address: str, options: FileOptions) -> tuple[Finding, ...]:
    """Findings of the rules over sitemap files on the baseline."""
    addressed = (replace(document, address=document.address or address) for document in documents)
    return check_set(addressed, options).findings
