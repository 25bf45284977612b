"""Values that name a place: URLs, paths inside the workspace, paths on the server, revisions of git."""

import re
from pathlib import PurePosixPath

from sitemap_action.config.problem import quoted
from sitemap_action.config.values import matching
from sitemap_action.web.urls import BadUrl, normal

AUTO = "auto"
"""In place of an address: where the deployment of a commit is served."""

# As in values.py, grammars keep to what Python and ECMAScript read alike.
_INSIDE = r"(?!/|~/|[A-Za-z]:)(?!(?:.*/)?\.\.(?:/|$))(?!.*://)[^\\\x00-\x1f\x7f]+"
_NOT_GIT = r"(?!(?:.*/)?\.[gG][iI][tT](?:[hH][uU][bB])?(?:/|$))"
_URL = r"[hH][tT][tT][pP][sS]?://[^\s/?#@\\]+"
_ADDRESS = rf"{_URL}(?:[/?][^\s#\\]*)?"


def _address(text: str) -> str:
    try:
        return normal(text)
    except BadUrl as error:
        raise ValueError(f"{quoted(text)} cannot be used: {error}") from None


def _directory(text: str) -> str:
    url = _address(text)
    return url if url.endswith("/") else f"{url}/"


def _path(text: str) -> str:
    return str(PurePosixPath(text))


def _baseline(text: str) -> str:
    if re.match(_URL, text):
        return _address(text)
    if not text.startswith("git:"):
        return _path(text)
    reference, colon, path = text.removeprefix("git:").partition(":")
    return f"git:{reference}{colon}{_path(path) if path else ''}"


def _robots(text: str) -> str:
    return f"file:{_path(text.removeprefix('file:'))}" if text.startswith("file:") else text


site_url = matching(
    "an http or https URL without user name, query and fragment",
    "https://www.example.com/docs/",
    rf"{_URL}(?:/[^\s?#\\]*)?",
    _directory,
)

address = matching(
    "an http or https URL without user name and fragment",
    "https://www.example.com/sitemap.xml",
    _ADDRESS,
    _address,
)

deployed = matching(
    "auto, or an http or https URL without user name and fragment",
    "https://preview.example.net/",
    rf"{AUTO}|{_ADDRESS}",
    lambda text: text if text == AUTO else _address(text),
)

folder = matching("a path inside the workspace, parts joined by /", "dist", _INSIDE, _path, numeric=True)

sitemap_file = matching(
    "a path inside the workspace, not below .git or .github, that ends in .xml, .txt or .json, perhaps with .gz",
    "public/sitemap.xml",
    rf"{_NOT_GIT}(?=.*\.(?:xml|txt|json)(?:\.gz)?$){_INSIDE}",
    _path,
)

baseline = matching(
    "auto, committed, git:REF, git:REF:PATH, an http or https URL or a path inside the workspace",
    "git:origin/main",
    rf"git:[^\s:\\-][^\s:\\]*(?::{_INSIDE})?|{_URL}(?:[/?][^\s#\\]*)?|(?!git:){_INSIDE}",
    _baseline,
)

robots = matching("auto, ignore, or file: and a path", "file:robots.txt", rf"auto|ignore|file:{_INSIDE}", _robots)

server_path = matching("a path on the server that begins with /", "/status.html", r"/[^\s\\\x00-\x1f\x7f]*", str)
