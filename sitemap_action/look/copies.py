"""The files beside the judged sitemap as they are now: other formats, compressed copies (R-03), fingerprints."""

from collections.abc import Iterator, Sequence

from sitemap_action.config.schema import OutputConfig
from sitemap_action.errors import UsageError
from sitemap_action.look.documents import Store, digest
from sitemap_action.sitemap.fingerprint_file import is_fingerprint_file, read_fingerprints
from sitemap_action.sitemap.protocol import formats_of
from sitemap_action.sitemap.split import Layout
from sitemap_action.store.inventory import Inventory
from sitemap_action.web.urls import origin


def given_contents(path: str, sitemap: str, site_url: str, store: Store, inventory: Inventory) -> str:
    """The digest of the file, "" where it is missing. What it has of a page counts before what a state has."""
    if path == sitemap:
        raise UsageError(f"{path} is the sitemap", hint="name another file in output.fingerprints")
    content = store(path)
    if content is None:
        return ""
    if not is_fingerprint_file(content):
        hint = "name a file of its own in output.fingerprints, such as sitemap.fingerprints"
        raise UsageError(f"{path} is there, and is no file of fingerprints", hint=hint)
    inventory.give_contents(read_fingerprints(content, origin(site_url)))
    return digest(content)


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
