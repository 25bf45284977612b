"""The types of values that name a place: URLs, paths in the workspace or on the server, git revisions."""

import re
from pathlib import PurePosixPath

from sitemap_action.config.problem import quoted
from sitemap_action.config.values import matching
from sitemap_action.web.urls import BadUrl, normalize

AUTO = "auto"
"""Instead of a URL: where the deployment of the commit is served."""

# Grammars as in values.py: only syntax that means the same in Python and ECMAScript.
_RELATIVE_PATH = r"(?!/|~/|[A-Za-z]:)(?!(?:.*/)?\.\.(?:/|$))(?!.*://)[^\\\x00-\x1f\x7f]+"
_NOT_GIT = r"(?!(?:.*/)?\.[gG][iI][tT](?:[hH][uU][bB])?(?:/|$))"
_ORIGIN = r"[hH][tT][tT][pP][sS]?://[^\s/?#@\\]+"
_URL_WITH_PATH = rf"{_ORIGIN}(?:[/?][^\s#\\]*)?"


def _normal_url(text: str) -> str:
    try:
        return normalize(text)
    except BadUrl as error:
        raise ValueError(f"{quoted(text)} cannot be used: {error}") from None


def _directory(text: str) -> str:
    url = _normal_url(text)
    return url if url.endswith("/") else f"{url}/"


def _path(text: str) -> str:
    return str(PurePosixPath(text))


def _baseline(text: str) -> str:
    if re.match(_ORIGIN, text):
        return _normal_url(text)
    if not text.startswith("git:"):
        return _path(text)
    reference, colon, path = text.removeprefix("git:").partition(":")
    return f"git:{reference}{colon}{_path(path) if path else ''}"


def _robots(text: str) -> str:
    return f"file:{_path(text.removeprefix('file:'))}" if text.startswith("file:") else text


site_url = matching(
    "an http or https URL without user name, query and fragment",
    "https://www.example.com/docs/",
    rf"{_ORIGIN}(?:/[^\s?#\\]*)?",
    _directory,
)

url = matching(
    "an http or https URL without user name and fragment",
    "https://www.example.com/sitemap.xml",
    _URL_WITH_PATH,
    _normal_url,
)

deployment_url = matching(
    "auto, or an http or https URL without user name, query and fragment",
    "https://preview.example.net/",
    rf"{AUTO}|{_ORIGIN}(?:/[^\s?#\\]*)?",
    lambda text: text if text == AUTO else _normal_url(text),
)

folder = matching("a path inside the workspace, parts joined by /", "dist", _RELATIVE_PATH, _path, numeric=True)

sitemap_file = matching(
    "a path inside the workspace, not below .git or .github, that ends in .xml, .txt or .json, perhaps with .gz",
    "public/sitemap.xml",
    rf"{_NOT_GIT}(?=.*\.(?:xml|txt|json)(?:\.gz)?$){_RELATIVE_PATH}",
    _path,
)

side_file = matching(
    "a path inside the workspace, not below .git or .github, that ends in .fingerprints or .txt",
    "sitemap.fingerprints",
    rf"{_NOT_GIT}(?=.*\.(?:fingerprints|txt)$){_RELATIVE_PATH}",
    _path,
)

baseline = matching(
    "auto, committed, git:REF, git:REF:PATH, an http or https URL or a path inside the workspace",
    "git:origin/main",
    rf"git:[^\s:\\-][^\s:\\]*(?::{_RELATIVE_PATH})?|{_URL_WITH_PATH}|(?!git:){_RELATIVE_PATH}",
    _baseline,
)

robots = matching(
    "auto, ignore, or file: and a path", "file:robots.txt", rf"auto|ignore|file:{_RELATIVE_PATH}", _robots
)

server_path = matching("a path on the server that begins with /", "/status.html", r"/[^\s\\\x00-\x1f\x7f]*", str)
