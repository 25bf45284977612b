"""Git's plumbing commands, started without hooks, prompts or the user's configuration getting in the way."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from sitemap_action.errors import BaselineError

_TIMEOUT = 120  # seconds, one command
_SYMLINK = "120000"
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Git:
    """One work tree. Unknown names give None; a missing git, or a file that cannot be read, is an error."""

    directory: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    def top(self) -> Path | None:
        """The root of the work tree; None outside of one."""
        answer = self._run("rev-parse", "--show-toplevel")
        return Path(os.fsdecode(answer.rstrip(b"\n"))) if answer else None

    def commit(self, name: str) -> str | None:
        """The object id of a commit; None when the name is unknown here. A name that starts with `-` is no name."""
        if name.startswith("-"):
            return None
        answer = self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return answer.decode().strip() if answer else None

    def parents(self, commit: str) -> tuple[str, ...]:
        """The parents as the commit itself states them, so that a depth-1 clone still knows them."""
        text = self._run("cat-file", "commit", commit) or b""
        header = text.partition(b"\n\n")[0].decode(errors="replace")
        return tuple(line[7:] for line in header.splitlines() if line.startswith("parent "))

    def merge_base(self, commit: str, *others: str) -> str | None:
        """The newest commit that `commit` shares with any of the others; None when none is known here."""
        answer = self._run("merge-base", commit, *others) if others else None
        return answer.decode().split()[0] if answer else None

    def shallow(self) -> bool:
        """History is cut off somewhere."""
        return self._run("rev-parse", "--is-shallow-repository") == b"true\n"

    def has(self, commit: str) -> bool:
        return self._run("cat-file", "-e", f"{commit}^{{commit}}") is not None

    def blob(self, commit: str, path: str) -> bytes | None:
        """The content of a file at a commit; None when there is no such file.

        Raises BaselineError for what is there and cannot be read: taken for absence, it would hide every removal.
        """
        listing = self._run("ls-tree", "-z", "--full-tree", commit, "--", path)
        if listing == b"":
            return None
        mode, kind, name = (listing or b"").partition(b"\t")[0].decode().split() or ("", "", "")
        if kind == "blob" and mode == _SYMLINK:
            hint = "name the file that it points to: --sitemap, or sitemap in the config"
            raise BaselineError(f"{path} is a symbolic link at {commit[:12]}, and git does not follow it", hint=hint)
        content = self._run("cat-file", "blob", name) if kind == "blob" else None
        if content is None:
            hint = "check out with history and files (actions/checkout without filter), or set baseline to a file"
            raise BaselineError(f"git cannot read {path} at {commit[:12]}", hint=hint)
        return content

    def fetch(self, commit: str) -> bool:
        """Fetch one commit from `origin`; a shallow clone gets no more history by it.

        Nothing but the object store changes, and that by whole packs: a loose object would leave a directory behind
        that a later step under another user cannot write to.
        """
        if not _OBJECT_ID.fullmatch(commit):
            return False
        depth = ["--depth=1"] if self.shallow() else []
        pack = ["-c", "fetch.unpackLimit=1", "-c", "fetch.recurseSubmodules=false", "-c", "maintenance.auto=false"]
        command = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", *depth, "origin", commit]
        return self._run(*pack, *command) is not None

    def _run(self, *arguments: str) -> bytes | None:
        """What the command printed; None when it failed."""
        settings = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"]
        command = [
            "git",
            "--no-replace-objects",
            "--no-optional-locks",
            "--literal-pathspecs",
            *settings,
            "-C",
            str(self.directory),
            *arguments,
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, check=False, env=self._quiet(), stdin=subprocess.DEVNULL, timeout=_TIMEOUT
            )
        except FileNotFoundError:
            raise BaselineError("git is not installed", hint="install git, or set baseline to a file") from None
        except subprocess.TimeoutExpired:
            return None
        return done.stdout if done.returncode == 0 else None

    def _quiet(self) -> dict[str, str]:
        """No prompt, plain messages, and trust in a work tree that belongs to another user, for this process alone."""
        count = int(self.environment.get("GIT_CONFIG_COUNT") or 0)
        trust = {
            "GIT_CONFIG_COUNT": str(count + 1),
            f"GIT_CONFIG_KEY_{count}": "safe.directory",
            f"GIT_CONFIG_VALUE_{count}": "*",
        }
        return {**self.environment, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **trust}
