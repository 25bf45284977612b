"""A build whose names are traps for a static host, and every way in which its paths may be asked for.

Each file says its own name, so that an answer tells which of them it is.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from sitemap_action.hosts.page_spellings import encoded_path

_PLACES = (  # places that are traps: every spelling
    "index.html",
    "404.html",
    "file.html",
    "folder/index.html",
    "folder/page.html",
    "folder/404.html",
    "both.html",  # a twin: a file and a folder
    "both/index.html",
    "half.html",  # a file, and a folder without an index
    "half/page.html",
    "bare/page.html",  # a folder without an index
    "deep/a/b/c/index.html",
    "index/index.html",  # a folder that is named like an index
    "dir.html/index.html",  # a folder that is named like a file
    "UPPER.HTML",
    "caps/INDEX.HTML",
    "legacy/index.htm",
    "plain",  # beside a page of the same name
    "plain.html",
)
_NAMES = (  # names that are traps: the usual spellings
    "index-of.html",
    "aindex.html",
    "two words.html",
    "new folder/index.html",
    "einführung.html",
    "日本/index.html",
    "100%.html",
    "50%25.html",  # an escape that is part of a name
    "what?.html",
    "no#1.html",
    "a+b.html",
    "a&b=c.html",
    "semi;colon.html",
    "it's (1).html",
    "[slug].html",
    "a:b.html",
    "@me.html",
    "v1.2.html",  # dots in names
    "v1.3/index.html",
    "name.min.js.html",
    "notes.md.html",
    "old.htm",
    "Mixed/Case.html",
    "license",  # a file without a suffix
    "data.json",
    "paper.pdf",
    ".well-known/page.html",
    "_under.html",
)
FILES = (*_PLACES, *_NAMES)
_NAMED = re.compile(rb"<!--file ([^>]*)-->")


def write(root: Path, files: Iterable[str] = FILES) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<!doctype html>\n<title>{encoded_path(name)}</title>\n<!--file {encoded_path(name)}-->\n")
    return root


def named(body: bytes) -> str:
    """The file, percent-encoded, that an answer shows; "" where it shows none."""
    found = _NAMED.search(body)
    return found[1].decode() if found else ""


def spellings(files: Iterable[str] = FILES) -> list[str]:
    """Every URL path that a link to one of these files or of their folders may have."""
    return sorted({path for name in files for path in _spellings(name)} | set(_ODD))


def _spellings(name: str) -> Iterator[str]:
    path = PurePosixPath(name)
    endings = _EVERY if name in _PLACES else _USUAL
    for place in (path, *path.parents):
        yield from _forms("" if place == PurePosixPath() else encoded_path(str(place)), endings)
    if path.suffix.lower() in {".html", ".htm"}:
        yield from _forms(encoded_path(str(path.with_suffix(""))), endings)


def _forms(stem: str, endings: tuple[str, ...]) -> Iterator[str]:
    yield from (f"{stem}{end}" for end in endings if stem or end.startswith("/"))


_EVERY = ("", "/", ".html", ".html/", ".htm", "/index", "/index/", "/index.html", "/index.html/", "/index.htm")
_USUAL = ("", "/", ".html", "/index.html")
_ODD = (
    "/%40me",  # escapes that nothing needs
    "/a%2Bb.html",
    "/none",
    "/none/",
    "/none.html",
    "/File.html",  # the case of letters counts
    "/FOLDER/",
    "/%66ile.html",
    "/%66older/",
    "/folder%2Fpage.html",
    "/v1",
    "/v1.3/none",
)
