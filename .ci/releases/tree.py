"""The files of the repository: read, and replaced, or with a dry run shown as the difference."""

import difflib
import subprocess
import sys
from pathlib import Path


class RefusalError(Exception):
    """Something is not as a release needs it; says what to do."""


class Tree:
    def __init__(self, root: Path, *, dry: bool) -> None:
        self.root = root
        self.dry = dry

    def read(self, name: str) -> str:
        try:
            return (self.root / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise RefusalError(f"{name} is missing in {self.root}") from None

    def write(self, name: str, text: str) -> None:
        before = self.read(name)
        if text == before:
            return
        if self.dry:
            lines = difflib.unified_diff(before.splitlines(), text.splitlines(), name, name, lineterm="", n=0)
            sys.stdout.writelines(f"{line}\n" for line in lines)
        else:
            (self.root / name).write_text(text, encoding="utf-8")
            sys.stdout.write(f"changed {name}\n")

    def git(self, *arguments: str) -> str:
        """What git prints; raises RefusalError with what it says."""
        done = subprocess.run(["git", "-C", str(self.root), *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RefusalError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def act(self, *arguments: str) -> None:
        """A command of git that changes something."""
        sys.stdout.write(f"git {' '.join(arguments)}\n")
        if not self.dry:
            self.git(*arguments)
