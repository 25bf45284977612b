"""Entries become the files that would be written: every requested format, and compressed copies."""

from urllib.parse import urlsplit

from msgspec.structs import replace

from sitemap_action.config.schema import OutputConfig
from sitemap_action.model.site import KnownUrl, Listed, Verdict
from sitemap_action.model.sitemap import Entry, SitemapFile
from sitemap_action.model.wording import FILE_NAME
from sitemap_action.sitemap import write
from sitemap_action.sitemap.committed_files import NOTHING_COMMITTED, CommittedSitemap
from sitemap_action.sitemap.protocol import formats_of
from sitemap_action.sitemap.split import Layout, Splitter
from sitemap_action.sitemap.write import FingerprintFile, JsonFile


class SitemapGenerator:
    """Makes the files of all layouts while entries are added, so that memory holds no list of entries."""

    def __init__(
        self, output: OutputConfig, sitemap: str, address: str, committed: CommittedSitemap = NOTHING_COMMITTED
    ) -> None:
        """`sitemap`: path of the committed file; `address`: its URL on the site."""
        self._gzip = output.gzip
        layouts = [
            Layout(sitemap, address, output.urls_per_file, format=name) for name in formats_of(sitemap, output.format)
        ]
        split = [layout for layout in layouts if layout.format != "json"]
        self._formats = [layout.format for layout in layouts]
        self._splitter = Splitter(*split, committed=committed) if split else None
        self._fingerprints = FingerprintFile(output.fingerprints) if output.fingerprints else None
        self._json = next((JsonFile(layout.target) for layout in layouts if layout.format == "json"), None)

    def on_url(self, row: KnownUrl, verdict: Verdict) -> None:
        """Every known URL, in order."""
        file = row.committed.file if row.committed is not None else 0
        if isinstance(verdict, Listed):
            self.add(verdict.entry, file)
            if self._fingerprints is not None and (content := _fingerprint(row, verdict)):
                self._fingerprints.add(row.page.url, content, verdict.entry.lastmod)
        elif file and self._splitter is not None:
            self._splitter.leave_out(file)

    def add(self, entry: Entry, file: int = 0) -> None:
        """`file`: number of the committed document that lists the URL."""
        if self._splitter is not None:
            self._splitter.add(entry, file)
        if self._json is not None:
            self._json.add(entry)

    def finish(self) -> tuple[SitemapFile, ...]:
        """The files in the order in which they are safe to write; the first format is that of the committed sitemap."""
        files = list(self._splitter.finish()) if self._splitter is not None else []
        if self._json is not None:
            files.append(self._json.finish())
        files.sort(key=lambda file: self._formats.index(file.format))  # type: ignore[arg-type]
        if self._gzip:
            files += [_compress(file) for file in files if not file.path.endswith(".gz")]
        if self._fingerprints is not None:
            files.insert(0, self._fingerprints.finish())
        return tuple(files)


def name_uploads(files: tuple[SitemapFile, ...]) -> tuple[SitemapFile, ...]:
    """The files of a served sitemap, whose paths are URLs, by the names under which a person may keep them here."""
    paths = [urlsplit(file.path).path.strip("/") for file in files]
    names = [path.rpartition("/")[2] for path in paths]
    if len(set(names)) < len(names):
        names = [path.replace("/", "-") for path in paths]
    others = ["sitemap.xml"] if len(files) == 1 else [f"sitemap-{number}.xml" for number in range(1, len(files) + 1)]
    usable = [name if FILE_NAME.fullmatch(name) else other for name, other in zip(names, others, strict=True)]
    return tuple(replace(file, path=name) for file, name in zip(files, usable, strict=True))


def _fingerprint(row: KnownUrl, verdict: Listed) -> str:
    """The fingerprint of a page; of one without an answer, that of an earlier run."""
    facts = None if verdict.unverified else row.page.facts
    before = row.previous.fingerprint if row.previous is not None else ""
    return (facts.fingerprint if facts is not None else "") or before


def _compress(file: SitemapFile) -> SitemapFile:
    return SitemapFile(f"{file.path}.gz", write.compress(file.content), file.urls, file.format, copy=True)
