"""What ends a run from outside of it, as a sentence: memory, open files, processes, a folder that is gone."""

import errno
import os

from sitemap_action.errors import SitemapActionError, UnreachableError, UsageError, first_leaf

_MEMORY = (
    "the memory that this run may use is not enough",
    "give the job more memory, or divide the site between runners (check --shard)",
)
_FILES = ("this run may open no more files", "raise the limit (ulimit -n)")
_PROCESSES = ("this run may start no more processes or threads", "raise the limit (ulimit -u)")
_LIMITS = {
    errno.ENOMEM: _MEMORY,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.EAGAIN: _PROCESSES,
}


def machine_limit(error: Exception) -> SitemapActionError | None:
    """None for any other error, which is a bug."""
    if isinstance(error, ExceptionGroup):
        error = first_leaf(error)
    if isinstance(error, FileNotFoundError) and _folder_is_gone():
        hint = "change to a folder that is there"
        return UsageError("the current folder does not exist any more", hint=hint)
    limit = _limit(error)
    return UnreachableError(f"no verdict: {limit[0]}", hint=limit[1]) if limit else None


def _limit(error: Exception) -> tuple[str, str] | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return _PROCESSES
    return _LIMITS.get(error.errno or 0) if isinstance(error, OSError) else None


def _folder_is_gone() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - it is only asked whether there is one
    except FileNotFoundError:
        return True
    return False
