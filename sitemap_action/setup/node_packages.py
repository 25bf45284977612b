"""package.json: what a site is built with, and the commands of its package manager."""

import re

from msgspec import Struct

from sitemap_action.setup.generated_site import BuildCommands, stated_values
from sitemap_action.setup.project import Project, Stated, safe_word
from sitemap_action.setup.stated_values import StatedValues

_LOCKS = {  # in the order in which they count
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
_MANAGER = re.compile(r"(npm|pnpm|yarn|bun)@(\d{1,6}(?:\.\d{1,6}){0,2})(?:[+-].*)?")
_SECTIONS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_EXECUTE = {"npm": "npx --no-install", "pnpm": "pnpm exec", "yarn": "yarn run", "bun": "bun x"}


class NodePackages(Struct, frozen=True):
    """One package.json, and the manager that installs what it names."""

    values: StatedValues
    manager: str
    where: str  # what tells the manager
    install: tuple[str, ...]

    def dependency(self, *names: str) -> str:
        """The line of the first of these packages that is needed; "" where none is."""
        keys = (f"{section}.{name}" for name in names for section in _SECTIONS)
        return next((self.values.place(key) for key in keys if key in self.values.values), "")

    def script(self, runs: str) -> Stated | None:
        """The script whose command matches: `build` before others; one that only begins `build` may do it by others.

        The value is its name.
        """
        scripts = {
            key.removeprefix("scripts."): text
            for key, text in self.values.values.items()
            if key.startswith("scripts.") and safe_word(key.removeprefix("scripts."))
        }
        matching = [name for name in sorted(scripts) if re.search(runs, scripts[name][:2000])]
        others = [name for name in matching if not name.startswith(("pre", "post", "dev", "start"))]
        name = next((name for name in ("build", *others) if name in matching), "") or (
            "build" if "build" in scripts else ""
        )
        return Stated(name, self.values.place(f"scripts.{name}")) if name else None

    def command(self, script: str) -> str:
        return self.values.values.get(f"scripts.{script}", "")

    def build(self, runs: str, command: str) -> BuildCommands:
        """By the script that matches `runs`, else by the generator's own command."""
        if found := self.script(runs):
            return BuildCommands((*self.install, f"{self.manager} run {found.value}"), f"{found.where}, {self.where}")
        return BuildCommands((*self.install, self.execute(command)), f"{self.where}, no script runs {command}")

    def execute(self, command: str) -> str:
        """A command of an installed package."""
        return f"{_EXECUTE[self.manager]} {command}"


def node_packages(project: Project) -> NodePackages | None:
    file = project.first("package.json")
    if file is None:
        return None
    values = stated_values(project, file)
    if values.problem:
        return None
    manager, where, install = _manager(project, values)
    return NodePackages(values, manager, where, install)


def _manager(project: Project, values: StatedValues) -> tuple[str, str, tuple[str, ...]]:
    """Name, what tells it, commands. The lock file of a workspace is at the top of the repository."""
    stated = values.get("packageManager")
    named = _MANAGER.fullmatch(stated.value) if stated else None
    folder, lock = _lock(project, named[1] if named else "")
    manager = named[1] if named else _LOCKS.get(lock, "npm")
    told = [stated.where] if stated and named else []
    told.append((f"{folder}/{lock}" if folder else lock) if lock else "no lock file")
    commands = _commands(project, manager, named[2] if named else "", locked=bool(lock))
    if lock and folder != project.folder:
        commands = tuple(f'(cd "$GITHUB_WORKSPACE" && {line})' for line in commands)
    return manager, ", ".join(told), commands


def _lock(project: Project, manager: str) -> tuple[str, str]:
    """Folder and name of the lock file: in the project, else at the top; of several the one of the named manager."""
    for place in (project, project.top()):
        found = [name for name, owner in _LOCKS.items() if place.has(name) and manager in ("", owner)]
        if len({_LOCKS[name] for name in found}) > 1:
            project.report(f"several lock files: {', '.join(found)}; {found[0]} counts")
        if found:
            return place.folder, found[0]
    return "", ""


def _commands(project: Project, manager: str, version: str, *, locked: bool) -> tuple[str, ...]:
    if manager == "npm":
        return ("npm ci" if locked else "npm install",)
    frozen = " --frozen-lockfile"
    if manager == "bun":
        return (f"npm install --global bun{f'@{version}' if version else ''}", f"bun install{frozen if locked else ''}")
    modern = manager == "pnpm" or project.has(".yarnrc.yml") or bool(version and not version.startswith("1"))
    if manager == "yarn" and modern:
        frozen = " --immutable"
    # Corepack installs the version that package.json names.
    return (*(("corepack enable",) if modern else ()), f"{manager} install{frozen if locked else ''}")
