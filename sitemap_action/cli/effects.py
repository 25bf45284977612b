"""The effects of a run on files, outputs and summary, in one place: a process that gave root up requests them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sitemap_action.console.runner_files import write_outputs, write_summary
from sitemap_action.errors import PublishError
from sitemap_action.model.step import Step
from sitemap_action.publish.apply import apply
from sitemap_action.publish.files import replace_text
from sitemap_action.reports.all import report_format
from sitemap_action.runner.event import ActionInputs

OUTPUTS = (
    "result",
    "changed",
    "complete",
    "url-count",
    "stale-count",
    "added-count",
    "removed-count",
    "changed-count",
    "error-count",
    "sitemap-path",
    "report-json",
)
_UNKNOWN = {"changed": "false", "complete": "false"}  # of a run that reached no verdict


class Effects(Protocol):
    def apply(self, steps: Sequence[Step]) -> None:
        """Raises PublishError."""

    def report(self, text: str) -> str:
        """Write the JSON report; returns its path. Raises PublishError."""

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        """The summary that the runner shows, and the outputs that later steps read. Raises PublishError."""


@dataclass(slots=True)
class LocalEffects:
    """Carried out in this process, which trusts no request: paths and mode are those of the inputs."""

    action: ActionInputs
    writes: bool
    published: bool = False
    stopped: bool = False

    def stop(self) -> None:
        self.stopped = True

    def apply(self, steps: Sequence[Step]) -> None:
        if steps and not self.writes:
            raise PublishError("a check writes no sitemap", hint="set the input mode to write")
        if self.stopped:
            raise PublishError("the run was stopped, and nothing is written after that")
        apply(steps, Path.cwd())

    def report(self, text: str) -> str:
        folder = self.action.report_path
        replace_text(Path(folder, ".gitignore"), "*\n")  # no report is committed
        file = report_format("json").file
        replace_text(Path(folder, file), text)
        return f"{folder}/{file}"

    def publish_outputs(self, summary: str, outputs: Mapping[str, str]) -> None:
        self.published = True
        if self.action.summary:
            write_summary(os.environ, summary)
        write_outputs(os.environ, {name: outputs.get(name, _UNKNOWN.get(name, "")) for name in OUTPUTS})

    def finish(self) -> None:
        if not self.published:
            publish_no_outputs()


def publish_no_outputs() -> None:
    """Set outputs for a run without a verdict: they are set on every exit, for later steps that test them."""
    write_outputs(os.environ, {name: _UNKNOWN.get(name, "") for name in OUTPUTS})
