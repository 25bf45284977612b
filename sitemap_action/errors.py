"""Every way to stop a run early: what happened, where, what to do, and the exit code."""

TOGETHER = 1.0  # seconds in which several signals are one wish


class SitemapActionError(Exception):
    """A failed run. `str()` is what happened and where; `hint` is what to do; `exit_code` ends the process."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(SitemapActionError):
    """The command, an option or a path given on it cannot be used."""


class ConfigError(SitemapActionError):
    """The config file, an input or `--set` has one or more problems; the message holds one line each."""


class BaselineError(SitemapActionError):
    """The committed sitemap or the baseline exists but cannot be read (DIFF-21)."""


class ForgeError(BaselineError):
    """The server of the repository does not answer, or refuses, what a run needs to read there (W-07)."""

    exit_code = 4


class PublishError(SitemapActionError):
    """A file could not be written: no permission, disk full. The verdict of the run stands."""

    exit_code = 4


class UnreachableError(SitemapActionError):
    """A document that everything depends on has no usable response, so nothing can be concluded."""

    exit_code = 3


def first_leaf(group: ExceptionGroup[Exception]) -> Exception:
    """The error that ended a group of tasks, such as a full disk, for callers that handle its type."""
    error = group.exceptions[0]
    return first_leaf(error) if isinstance(error, ExceptionGroup) else error
