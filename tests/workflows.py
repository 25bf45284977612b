"""Plays the steps of a workflow: commands in a real shell, the cache as folders, the action as the command line."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from sitemap_action.__main__ import run

_TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<word>[A-Za-z_][\w.-]*)|(?P<mark>==|!=|&&|\|\||[(),]))")
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)


@dataclass
class Runner:
    """One repository: its checkout, and the cache that outlives a run."""

    workspace: Path
    cache: dict[str, Path] = field(default_factory=dict)  # key → copy; the last one is the newest
    tools: Path | None = None  # folder whose programs stand for package managers

    def play(self, workflow: str, event: str, context: Mapping[str, str], *flags: str) -> list[int]:
        """Exit codes of the action, one for each of its steps; any other step that fails is an error.

        `context`: `github.sha` and what else expressions name. `flags`: of each check.
        """
        found = yaml.safe_load(workflow)
        assert event in found[True], f"no run for {event}"
        values = {"github.event_name": event, "github.workspace": str(self.workspace), **context}
        codes = []
        for step in found["jobs"]["sitemap"]["steps"]:
            if "if" in step and evaluate(step["if"], values, self.workspace) in ("", "false"):
                continue
            given = {name: self._text(value, values) for name, value in step.get("with", {}).items()}
            if "run" in step:
                self._shell(step, values)
            elif step["uses"].startswith("OWNER/sitemap-action@"):
                codes.append(run(["check", *(f"--{name}={value}" for name, value in given.items()), *flags]))
            elif step["uses"].startswith("actions/cache/save@"):
                self.cache[given["key"]] = self._copy(self.workspace / given["path"], f"cache-{len(self.cache)}")
            elif step["uses"].startswith("actions/cache/restore@"):
                self._restore(given)
            else:
                assert step["uses"].startswith("actions/checkout@"), step["uses"]
        return codes

    def _text(self, value: object, values: Mapping[str, str]) -> str:
        return _EXPRESSION.sub(lambda found: evaluate(found[1], values, self.workspace), str(value))

    def _shell(self, step: Mapping[str, Any], values: Mapping[str, str]) -> None:
        assert "${{" not in step["run"], "an expression in a script is an injection"
        given = {name: self._text(value, values) for name, value in step.get("env", {}).items()}
        path = f"{self.tools}{os.pathsep}{os.environ['PATH']}" if self.tools else os.environ["PATH"]
        subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.workspace / step.get("working-directory", "."),
            env={**os.environ, **given, "GITHUB_WORKSPACE": str(self.workspace), "PATH": path},
            check=True,
        )

    def _copy(self, source: Path, name: str) -> Path:
        place = self.workspace.parent / name
        shutil.copytree(source, place)
        return place

    def _restore(self, given: Mapping[str, str]) -> None:
        prefixes = [given["key"], *given.get("restore-keys", "").split()]
        found = next((key for prefix in prefixes for key in reversed(self.cache) if key.startswith(prefix)), None)
        if found is not None:
            shutil.copytree(self.cache[found], self.workspace / given["path"], dirs_exist_ok=True)


def evaluate(expression: str, values: Mapping[str, str], workspace: Path) -> str:
    """Of texts, names, `hashFiles`, `always`, `==`, `!=`, `&&` and `||`, as GitHub does it: the value that decides, as text."""
    tokens = [found.group().strip() for found in _TOKEN.finditer(expression)]
    assert "".join(tokens) == re.sub(r"\s+", "", expression), f"cannot evaluate {expression}"
    value = _Expression(tokens, values, workspace).either()
    assert not tokens, f"cannot evaluate {expression}"
    return value


@dataclass
class _Expression:
    tokens: list[str]  # those that are left
    values: Mapping[str, str]
    workspace: Path

    def either(self) -> str:
        left = self.both()
        while self._next("||"):
            right = self.both()
            left = left if left not in ("", "false") else right
        return left

    def both(self) -> str:
        left = self.compared()
        while self._next("&&"):
            right = self.compared()
            left = right if left not in ("", "false") else left
        return left

    def compared(self) -> str:
        left = self.operand()
        for mark in ("==", "!="):
            if self._next(mark):
                return str((left.lower() == self.operand().lower()) is (mark == "==")).lower()
        return left

    def operand(self) -> str:
        token = self.tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if token == "hashFiles":
            _, pattern, _ = (self.tokens.pop(0) for _ in range(3))
            return "hash" * any(path.is_file() for path in self.workspace.glob(pattern[1:-1]))
        if token == "always":
            del self.tokens[:2]
            return "true"
        return self.values[token]

    def _next(self, mark: str) -> bool:
        return bool(self.tokens and self.tokens[0] == mark and self.tokens.pop(0))


def package_manager(folder: Path, names: tuple[str, ...] = ("npm", "npx", "pnpm", "yarn", "bun")) -> Path:
    """Programs under these names that install nothing, and build by the script `build.sh` of the project."""
    folder.mkdir()
    for name in names:
        program = folder / name
        program.write_text('#!/bin/sh\ncase "$*" in ci|install*) exit 0 ;; esac\nexec sh ./build.sh\n')
        program.chmod(0o755)
    return folder
