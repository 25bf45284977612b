"""Entries become the files that would be written: every format that is asked for, and compressed copies."""

from collections.abc import Iterable

from sitemap_action.config.schema import OutputConfig
from sitemap_action.model.sitemap import Entry, SitemapFile
from sitemap_action.sitemap import write
from sitemap_action.sitemap.split import Layout, split


def generate(entries: Iterable[Entry], output: OutputConfig, layouts: Iterable[Layout]) -> tuple[SitemapFile, ...]:
    """Files in the order in which they are safe to write; the first layout is that of the committed sitemap.

    Of one format the entries stream through; only several need them at once.
    """
    wanted = tuple(layouts)
    stream = entries if len(wanted) == 1 else tuple(entries)
    files = [file for layout in wanted for file in split(stream, layout)]
    if output.gzip:
        files += [_compressed(file) for file in files if not file.path.endswith(".gz")]
    return tuple(files)


def layouts(output: OutputConfig, sitemap: str, address: str) -> tuple[Layout, ...]:
    """`sitemap`: path of the committed file; `address`: its URL on the site."""
    return tuple(Layout(sitemap, address, output.urls_per_file, format=name) for name in output.format)


def _compressed(file: SitemapFile) -> SitemapFile:
    return SitemapFile(f"{file.path}.gz", write.gzipped(file.content), file.urls)
