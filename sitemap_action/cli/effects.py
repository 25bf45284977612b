"""The effects of an action on files, outputs and summary, carried out in the process that may, and judged there.

Outputs and job summary of a step are files that are appended to and read by the GitHub runner. They are opened before a
site is read, and never again by their path: later their folder may be under the control of a page that took the reading
process over.
"""

import os
import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path, PurePosixPath
from typing import Protocol, assert_never

from msgspec.structs import replace

from sitemap_action.config.lists import LEDGER_NAME, MOST, read_ledger
from sitemap_action.disk.folder import FORGE, path_names
from sitemap_action.errors import BaselineError, PublishError, UsageError
from sitemap_action.hosts.redirect_files import is_redirect_edit
from sitemap_action.model.context import OBJECT_ID
from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.outcome import Result
from sitemap_action.model.step import (
    CommitFiles,
    FileChange,
    Operation,
    Published,
    Step,
    SubmitUrls,
    SyncIssue,
    SyncPullRequest,
    UpsertComment,
    file_changes,
)
from sitemap_action.publish.apply import NO_AUTHORITY, Authority, apply
from sitemap_action.publish.files import WRITTEN, delete_reports, find_place, write_kept, write_report
from sitemap_action.repo.github import GitHub
from sitemap_action.repo.github_api import Api
from sitemap_action.reports.all import report_format
from sitemap_action.runner.inputs import ActionInputs
from sitemap_action.walk.folders import WorkTree

_COUNT, _BOOLEAN, _PATH = r"[0-9]{0,15}", "true|false", r"[^\x00-\x1f\x7f]{0,16384}"
OUTPUTS = {  # name → what its values look like
    "result": "|".join(Result),
    "changed": _BOOLEAN,
    "complete": _BOOLEAN,
    "url-count": _COUNT,
    "stale-count": _COUNT,
    "added-count": _COUNT,
    "removed-count": _COUNT,
    "changed-count": _COUNT,
    "error-count": _COUNT,
    "sitemap-path": _PATH,
    "report-json": _PATH,
    "report-sarif": _PATH,
    "report-html": _PATH,
    "commit-sha": OBJECT_ID.pattern,
    "issue-number": _COUNT,
    "pull-request-branch": _PATH,
    "pull-request-number": _COUNT,
    "pull-request-url": r"https?://[^\x00-\x20\x7f]{1,2000}",
    "pull-request-operation": "|".join(Operation),
}
KEPT_FORMATS = ("json", "sarif", "html")
"""What the action puts into the folder of the reports."""
_UNKNOWN = {
    "changed": "false",
    "complete": "false",
    "pull-request-operation": "none",
}  # of a run that reached no verdict


class Effects(Protocol):
    def apply(self, steps: Sequence[Step]) -> Published:
        """Raises PublishError."""

    def report(self, form: str, text: str) -> str:
        """Write a report of one of KEPT_FORMATS; returns its path. Raises PublishError."""

    def keep(self, files: Sequence[Step]) -> str:
        """Put the sitemap, as it should be, beside the report; returns its folder. Raises PublishError."""

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        """The summary that the runner shows, and the outputs that later steps read. Raises PublishError."""


class LocalEffects:
    """Carried out in this process, which trusts no request: paths and mode are those of the inputs.

    `serving`: requests come from another process, which could do none of it: of files it may name sitemaps alone.
    """

    def __init__(
        self,
        action: ActionInputs,
        *,
        writes: bool,
        mask: Mask = NO_MASK,
        authority: Authority = NO_AUTHORITY,
        serving: bool = False,
    ) -> None:
        self.action, self.writes, self.mask, self.authority = action, writes, mask, authority
        self.serving = serving
        self.result = Published()
        self.published = self.stopped = False
        self.runner = RunnerFiles(os.environ, summary=action.summary)

    def stop(self) -> None:
        self.stopped = True

    def apply(self, steps: Sequence[Step]) -> Published:
        if self.stopped:
            raise PublishError("the run was stopped, and nothing is written after that")
        if not self.writes and any(isinstance(step, FileChange) for step in steps):
            raise PublishError("a check writes no sitemap", hint="set the input mode to write")
        self._require_sitemaps(steps)
        found = apply([self._mask_body(step) for step in steps], Path.cwd(), self.authority)
        self.result = self.result.and_then(found)
        return found

    def _mask_body(self, step: Step) -> Step:
        """What is published as text leaves as every other text does."""
        match step:
            case SyncPullRequest() | UpsertComment() | SyncIssue():
                return replace(step, body=self.mask(step.body))
            case FileChange() | CommitFiles() | SubmitUrls():
                return step
            case _:
                assert_never(step)

    def _require_sitemaps(self, steps: Sequence[Step]) -> None:
        """Require that steps change sitemaps, ledger and redirects alone, of a branch too: the rest may be run."""
        for step in steps:
            for one in file_changes(step):
                find_place(Path.cwd(), one)
                if self.serving and not self._is_sitemap(one.path) and not self._is_addition(one):
                    hint = "name it in the input sitemap: a config file alone may name no such file"
                    raise PublishError(f"the name of {one.path} is not that of a sitemap", hint=hint)

    def _is_addition(self, one: FileChange) -> bool:
        """Whether a file is a list of redirects or addresses to which rows are added, and nothing else is done."""
        if one.content is None or not (one.redirects or one.path.endswith(".txt")):
            return False
        try:
            before = self._known_copy(one.path)
        except BaselineError as error:
            raise PublishError(f"{one.path} is not written: {error}", hint=error.hint) from None
        if one.redirects:
            return is_redirect_edit(one.path, before, one.content)
        return _is_ledger(one.path, before, one.content)

    def _known_copy(self, path: str) -> bytes | None:
        """The file as it is on the branch that is published to, else in the work tree. Raises BaselineError."""
        forge, branch = self.authority.forge, self.authority.publishing.branch
        if forge is None or not branch:
            return WorkTree(Path.cwd())(path)
        remote = GitHub(Api(forge))
        head = remote.head(branch)
        return remote.blob(head, path) if head else None

    def _is_sitemap(self, path: str) -> bool:
        """Whether a name is a sitemap's; what builds and package managers execute, as package.json, has another."""
        name = PurePosixPath(path).name
        if not FORGE.isdisjoint(PurePosixPath(path.casefold()).parts):
            return False
        given = [layer.text for layer in self.action.layers if layer.key == "sitemap"]
        return "sitemap" in name.casefold() or any(
            name.startswith(PurePosixPath(one).name.partition(".")[0]) for one in given
        )

    def report(self, form: str, text: str) -> str:
        if form not in KEPT_FORMATS:
            raise PublishError(f"a report of the format {form[:40]!r} is not written")
        return write_report(Path.cwd(), self.action.report_path, report_format(form).file, self.mask(text))

    def keep(self, files: Sequence[Step]) -> str:
        written = [
            (step.path, step.content) for step in files if isinstance(step, FileChange) and step.content is not None
        ]
        if self.stopped or len(written) != len(files):
            raise PublishError("nothing is kept beside the report")
        self._require_sitemaps(files)
        return write_kept(Path.cwd(), self.action.report_path, written)

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        if self.published:
            raise PublishError("the outputs of this step are set already")
        self.published = True
        values = _all_outputs({**outputs, **_publication_outputs(self.result)})
        self.runner.write_outputs({name: self.mask(value) for name, value in values.items()})
        self.runner.write_summary(self.mask(summary))

    @staticmethod
    def require_outputs(outputs: Mapping[str, str]) -> None:
        """Raises ValueError for what no run sets."""
        for name, value in outputs.items():
            if name not in OUTPUTS or not (value == "" or re.fullmatch(OUTPUTS[name], value)):
                raise ValueError(f"{name[:40]!r} has no value like {value[:40]!r}")

    def finish(self, summary: str) -> None:
        """Outputs are set on every exit, for later steps that test them; `summary`: of a run without a result."""
        with closing(self.runner):
            if not self.published:
                self.runner.write_outputs(_all_outputs(_publication_outputs(self.result)))
                self.runner.write_summary(summary)


def _publication_outputs(result: Published) -> Mapping[str, str]:
    """Outputs that the process which publishes knows best."""
    return {
        "commit-sha": result.commit,
        "issue-number": str(result.issue) if result.issue else "",
        "pull-request-branch": result.branch,
        "pull-request-number": str(result.number) if result.number else "",
        "pull-request-url": result.url,
        "pull-request-operation": result.operation.value,
    }


def _is_ledger(path: str, before: bytes | None, content: bytes) -> bool:
    """Whether a file has addresses alone, and those that it had: no line of it is a command.

    A new one has the usual name, for a tool may read a line that it finds in a file of another one.
    """
    if len(content) > MOST or read_ledger(path, content, _ANY_SITE).faults:
        return False
    if PurePosixPath(path).name == LEDGER_NAME:
        return True
    known, lines = read_ledger(path, before, _ANY_SITE), iter(content.splitlines())
    return bool(known.lines) and not known.faults and all(one in lines for one in (before or b"").splitlines())


_ANY_SITE = "https://example.invalid/"


def require_report_path(place: str) -> None:
    """Raises UsageError where no report may be written, before anything is read."""
    try:
        path_names(place, Path.cwd(), WRITTEN)
    except OSError as error:
        hint = "name a folder of the workspace, not below .git or .github"
        raise UsageError(f"input report-path: {place} cannot be used: {error.strerror}", hint=hint) from None


def forget_reports(place: str) -> None:
    """A run that fails leaves none of an earlier run; that none can be written is said when this one's are."""
    with suppress(PublishError):
        delete_reports(Path.cwd(), place, [report_format(form).file for form in KEPT_FORMATS])


def _all_outputs(outputs: Mapping[str, str]) -> Mapping[str, str]:
    return {name: outputs.get(name, _UNKNOWN.get(name, "")) for name in OUTPUTS}


def publish_failure(summary: str) -> None:
    """Outputs and summary of a run whose inputs cannot be used (U-13)."""
    with closing(RunnerFiles(os.environ)) as runner:
        runner.write_outputs(_all_outputs({}))
        runner.write_summary(summary)


# --- the files of the runner ---

_MAX_SUMMARY = 1024 * 1024  # bytes; past it the runner drops the whole summary of a step
_FLAGS = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe without a reader would wait for ever
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_HINT = "start the container as root, as GitHub does, or as the user of the runner"


class RunnerFile:
    """Open for appending; one that the environment does not name swallows what it is given."""

    def __init__(self, path: str) -> None:
        """An error is kept until something is to be written: a verdict comes first."""
        self.path, self.problem = path, ""
        self.descriptor: int | None = None
        try:
            self.descriptor = os.open(path, _FLAGS, 0o666) if path else None
        except (OSError, ValueError) as error:
            self.problem = getattr(error, "strerror", None) or str(error)
        if self.descriptor is not None and not stat.S_ISREG(os.fstat(self.descriptor).st_mode):
            self.close()
            self.problem = "it is no regular file"

    def size(self) -> int:
        return os.fstat(self.descriptor).st_size if self.descriptor is not None else 0

    def append(self, text: str) -> None:
        """Writes UTF-8, which the runner reads; names of files may have characters that UTF-8 cannot encode."""
        problem = self.problem
        if self.descriptor is not None:
            rest = memoryview(text.encode(errors="replace"))
            try:
                while rest:
                    rest = rest[os.write(self.descriptor, rest) :]
            except OSError as error:
                problem = error.strerror or str(error)
        if problem:
            raise PublishError(f"cannot write {self.path} for the runner: {problem}", hint=_HINT)

    def close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


class RunnerFiles:
    """Those of the environment; `summary`: whether one is wanted."""

    def __init__(self, environment: Mapping[str, str], *, summary: bool = True) -> None:
        self._output = RunnerFile(environment.get("GITHUB_OUTPUT", ""))
        self._summary = RunnerFile(environment.get("GITHUB_STEP_SUMMARY", "") if summary else "")

    def write_outputs(self, values: Mapping[str, str]) -> None:
        """Every record has a random delimiter, so that no value can end it and begin another."""
        records = []
        for name, value in values.items():
            delimiter = f"end-{os.urandom(16).hex()}"
            records.append(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")
        self._output.append("".join(records))

    def write_summary(self, markdown: str) -> None:
        """Appends to the summary; a text that would make it too large is left out."""
        if self._summary.size() + len(markdown.encode(errors="replace")) <= _MAX_SUMMARY:
            self._summary.append(markdown)

    def close(self) -> None:
        self._output.close()
        self._summary.close()
