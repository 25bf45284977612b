"""Sitemaps of this machine as a fetcher: files by their name, and what an index lists by the file beside it.

Only who starts the program names a file. A sitemap names URLs, and these are looked for beside the first file, by path;
nothing in a sitemap reaches any other file, and a sitemap of the web reaches none.
"""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.fetch.base import Answer, Request, Response, Skip
from sitemap_action.loader.documents import beside, work_tree
from sitemap_action.robots.groups import Profile, parse

STANDARD_INPUT = "-"
_MOST = 512_000  # bytes of robots.txt (RB-18)


class LocalFetcher:
    """Answers for the seeds by name, and for URLs with files below the directory of the first."""

    def __init__(self, directory: Path, seeds: dict[str, bytes]) -> None:
        self._store = work_tree(directory)
        self._seeds = seeds

    async def fetch(self, request: Request) -> Answer:
        url = request.url
        if (content := self._seeds.get(url)) is not None:
            return Response(url, 200, body=content)
        try:
            found = beside("", url, self._store)
        except BaselineError as error:
            return Skip(url, str(error))
        if found is None:
            return Skip(url, "no such file is beside the index")
        return Response(url, 200, body=found.content, path=found.path)


def local(source: str, standard_input: bytes = b"", paths: tuple[str, ...] = ()) -> tuple[LocalFetcher, list[str]]:
    """The fetcher and the seeds of a path, a `file:` URL, a folder or `-`. Raises UsageError."""
    if source == STANDARD_INPUT:
        return LocalFetcher(Path(), {source: standard_input}), [source]
    path = Path(_path(source))
    try:
        if path.is_dir():
            return _folder(source, path, paths)
        return LocalFetcher(path.parent, {source: path.read_bytes()}), [source]
    except OSError as error:
        hint = "name a sitemap, a folder that holds one, the URL of a site or of its sitemap, or - for standard input"
        raise UsageError(f"cannot read {source}: {error.strerror}", hint=hint) from None


def _path(source: str) -> str:
    return unquote(urlsplit(source).path) if source.lower().startswith("file:") else source


def _folder(source: str, folder: Path, paths: tuple[str, ...]) -> tuple[LocalFetcher, list[str]]:
    """What a site that is built there would declare: its robots.txt, else the first usual path."""
    robots = folder / "robots.txt"
    lines = parse(robots.read_bytes()[:_MOST], Profile.GOOGLE).sitemaps if robots.is_file() else ()
    if lines:
        return LocalFetcher(folder, {}), [text for _, text in lines]
    for name in paths:
        path = folder / name.lstrip("/")
        if path.is_file():
            return LocalFetcher(path.parent, {str(path): path.read_bytes()}), [str(path)]
    raise UsageError(
        f"{source}: no sitemap is in this folder",
        hint=f"it holds neither a robots.txt with Sitemap lines nor {', '.join(name.lstrip('/') for name in paths)}",
    )
