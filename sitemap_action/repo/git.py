"""Git's plumbing commands, started without hooks, prompts or the user's configuration getting in the way."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from sitemap_action.errors import BaselineError

_TIMEOUT = 120  # seconds, one command
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Git:
    """One work tree. Every method that cannot answer says so with None; only a missing git is an error."""

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

    def merge_base(self, first: str, second: str) -> str | None:
        answer = self._run("merge-base", first, second)
        return answer.decode().split()[0] if answer else None

    def has(self, commit: str) -> bool:
        return self._run("cat-file", "-e", f"{commit}^{{commit}}") is not None

    def blob(self, commit: str, path: str) -> bytes | None:
        """The content of a file at a commit; None when there is no such file."""
        return self._run("cat-file", "blob", f"{commit}:{path}")

    def fetch(self, commit: str) -> bool:
        """Bring one commit, without its history, from where this clone came from."""
        if not _OBJECT_ID.fullmatch(commit):
            return False
        return self._run("fetch", "--quiet", "--no-tags", "--depth=1", "origin", commit) is not None

    def _run(self, *arguments: str) -> bytes | None:
        """What the command printed; None when it failed."""
        settings = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"]
        command = [
            "git",
            "--no-replace-objects",
            "--no-optional-locks",
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
