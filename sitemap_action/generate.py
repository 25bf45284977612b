"""Entries become the files that would be written: every requested format, and compressed copies."""

from sitemap_action.config.schema import OutputConfig
from sitemap_action.model.sitemap import Entry, SitemapFile
from sitemap_action.sitemap import write
from sitemap_action.sitemap.formats import formats_of
from sitemap_action.sitemap.split import Layout, Splitter


class SitemapGenerator:
    """Makes the files of all layouts while entries are added, so that memory holds no list of entries."""

    def __init__(self, output: OutputConfig, sitemap: str, address: str) -> None:
        """`sitemap`: path of the committed file; `address`: its URL on the site."""
        self._gzip = output.gzip
        self._splitters = [
            Splitter(Layout(sitemap, address, output.urls_per_file, format=name))
            for name in formats_of(sitemap, output.format)
        ]

    def add(self, entry: Entry) -> None:
        for splitter in self._splitters:
            splitter.add(entry)

    def finish(self) -> tuple[SitemapFile, ...]:
        """In the order in which they are safe to write; the first format is that of the committed sitemap."""
        files = [file for splitter in self._splitters for file in splitter.finish()]
        if self._gzip:
            files += [_compressed(file) for file in files if not file.path.endswith(".gz")]
        return tuple(files)


def _compressed(file: SitemapFile) -> SitemapFile:
    return SitemapFile(f"{file.path}.gz", write.gzipped(file.content), file.urls, file.format, copy=True)
