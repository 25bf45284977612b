"""Which Chromium renders pages, and whether a file can be run at all: nothing is started here."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "SITEMAP_ACTION_BROWSER"
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser(environment: Mapping[str, str] = os.environ) -> str:
    """The path of a Chromium; "" where none is installed. `SITEMAP_ACTION_BROWSER` names another one, or `none`.

    A program that is named and cannot be run is returned as named: `unusable` says why.
    """
    if sys.platform == "win32":
        return ""  # the pipe needs descriptors that a child inherits by their number
    if named := environment.get(VARIABLE):
        return "" if named == "none" else shutil.which(named) or named
    return next(filter(None, map(shutil.which, _NAMES)), "")


def unusable(program: str) -> str:
    """Why a program cannot be run, as far as its file tells; "" where it can."""
    if shutil.which(program):
        return ""
    path = Path(program)
    if path.is_dir():
        return "it is a folder"
    return "it is not executable" if path.is_file() else "there is no such program"
