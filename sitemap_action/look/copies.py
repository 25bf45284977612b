"""The files that are written beside the judged sitemap, as they are now: other formats, compressed copies (R-03)."""

from collections.abc import Iterator, Sequence

from sitemap_action.config.schema import OutputConfig
from sitemap_action.loader.documents import digest
from sitemap_action.loader.stores import Store
from sitemap_action.sitemap.protocol import formats_of
from sitemap_action.sitemap.split import Layout


def digests_of_copies(output: OutputConfig, sitemap: str, paths: Sequence[str], store: Store) -> dict[str, str]:
    """Path → digest, "" for a file that is missing. `paths`: of the documents of the judged sitemap."""
    found = {path: store(path) for path in _candidates(output, sitemap, paths)}
    return {path: "" if content is None else digest(content) for path, content in found.items()}


def _candidates(output: OutputConfig, sitemap: str, paths: Sequence[str]) -> Iterator[str]:
    own, *others = (Layout(sitemap, "", format=name) for name in formats_of(sitemap, output.format))
    beside = [path for layout in others for path in _of_format(layout, own, paths)]
    yield from beside
    if output.gzip:
        yield from (f"{path}.gz" for path in (*paths, *beside) if not path.endswith(".gz"))


def _of_format(layout: Layout, own: Layout, paths: Sequence[str]) -> Iterator[str]:
    """The same numbered files, or the one, in another format."""
    shards = [path for path in paths if path != own.target and path.endswith(own.suffix)]
    if layout.format == "json" or not shards:
        yield layout.target
        return
    yield from (path.removesuffix(own.suffix) + layout.suffix for path in shards)
    yield layout.index
