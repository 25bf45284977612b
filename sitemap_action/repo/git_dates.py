"""When each file was last changed, in one pass over the history: what `git log --follow -1` tells of it (DIFF-34)."""

import os
import re
from collections.abc import Iterable
from contextlib import closing

from sitemap_action.repo.git import Git

# As `git log --follow` walks: from HEAD, newest commit first, no path left out of the walk, and no merge shown. Of the
# newest change of a file its name is enough, so that a rename needs no search: it is a change of the new name.
_LOG = (
    *("log", "-z", "--no-merges", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-notes"),
    *("--no-show-signature", "--no-color", "--no-decorate", "--format=%x01%aI", "HEAD", "--"),
)
_COMMIT = b"\x01"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)", re.ASCII)


def git_dates(git: Git, paths: Iterable[str]) -> dict[str, str]:
    """Author date of the newest change, by path in the repository; "" for one that no calendar has.

    Raises BaselineError for a history that cannot be read.
    """
    wanted = {os.fsencode(path): path for path in paths}
    found: dict[str, str] = {}
    if not wanted:
        return found
    date = ""
    with closing(git.records(*_LOG)) as records:
        for record in records:
            if record.startswith(_COMMIT):
                text = record[1:].decode(errors="replace")
                date = text if _DATE.fullmatch(text) else ""
            elif (path := wanted.pop(record.removeprefix(b"\n"), None)) is not None:
                found[path] = date
                if not wanted:
                    break
    return found
