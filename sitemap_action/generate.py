"""The files to write for a list of entries: every format of the config, and compressed copies."""

from collections.abc import Iterable

from sitemap_action.config.schema import OutputConfig
from sitemap_action.model.sitemap import Entry, SitemapFile
from sitemap_action.sitemap import write
from sitemap_action.sitemap.split import Layout, split


def generate(entries: Iterable[Entry], output: OutputConfig, layouts: Iterable[Layout]) -> tuple[SitemapFile, ...]:
    """Files in the order in which they are safe to write; the first layout is that of the committed sitemap.

    With one format the entries stream; several formats need them in memory.
    """
    every = tuple(layouts)
    stream = entries if len(every) == 1 else tuple(entries)
    files = [file for layout in every for file in split(stream, layout)]
    if output.gzip:
        files += [_compressed(file) for file in files if not file.path.endswith(".gz")]
    return tuple(files)


def layouts(output: OutputConfig, sitemap: str, address: str) -> tuple[Layout, ...]:
    """`sitemap`: path of the committed file; `address`: its URL on the site."""
    return tuple(Layout(sitemap, address, output.urls_per_file, format=name) for name in output.format)


def _compressed(file: SitemapFile) -> SitemapFile:
    return SitemapFile(f"{file.path}.gz", write.gzipped(file.content), file.urls)
