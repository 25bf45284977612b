"""How the packages of a site that Python builds are installed: uv, Poetry, or pip in a virtual environment."""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from sitemap_action.setup.generated_site import BuildCommands, stated_values
from sitemap_action.setup.project import Project, safe_word

_REQUIREMENTS = (
    "requirements.txt",
    "docs/requirements.txt",
    "doc/requirements.txt",
    "requirements-docs.txt",
    "docs-requirements.txt",
    "requirements/docs.txt",
    "requirements_docs.txt",
    "requirements-dev.txt",
)
# Outside of the checkout, where no generator takes its files for sources.
_PROGRAMS = '"$RUNNER_TEMP/venv/bin/{}" '
_MAKE, _PIP = 'python3 -m venv "$RUNNER_TEMP/venv"', _PROGRAMS.format("pip") + "install "


class PythonPackages(Struct, frozen=True):
    install: tuple[str, ...]
    run: str  # {} is the program
    where: str

    def build(self, program: str, arguments: str) -> BuildCommands:
        return BuildCommands((*self.install, self.run.format(program) + arguments), self.where)


def python_packages(project: Project, package: str, otherwise: tuple[str, ...]) -> PythonPackages:
    """`package` is the generator; `otherwise`: what pip installs where no file names packages."""
    top = project.top()
    for here in (project, top):
        if here.has("uv.lock"):
            # One command: it runs below the folder of the lock file too.
            return PythonPackages(("pipx install uv",), "uv run --all-extras --all-groups {} ", here.at("uv.lock"))
        if here.has("poetry.lock"):
            install = ("pipx install poetry", "poetry install --all-extras")
            return PythonPackages(install, "poetry run {} ", here.at("poetry.lock"))
    for here in (project, top):
        up = "../" * (project.folder.count("/") + 1) if here.folder != project.folder else ""
        if found := _requirements(here, package) or _extra(here, package):
            what, where = found
            arguments = f"-r {up}{what}" if what.endswith(".txt") else f"'{up or './'}{what}'"
            return PythonPackages((_MAKE, _PIP + arguments), _PROGRAMS, where)
    lines = (_MAKE, *(_PIP + one for one in otherwise))
    return PythonPackages(lines, _PROGRAMS, "no file names the packages")


def _requirements(project: Project, package: str) -> tuple[str, str] | None:
    """The file that names the generator."""
    pattern = re.compile(rf"^[ \t]*{re.escape(package)}\b", re.MULTILINE | re.IGNORECASE)
    for name in _REQUIREMENTS:
        file = project.first(name)
        if file and (found := pattern.search(file.text)):
            return name, file.line(found.start())
    return None


def _extra(project: Project, package: str) -> tuple[str, str] | None:
    """The optional dependencies of pyproject.toml that name the generator."""
    file = project.first("pyproject.toml")
    if file is None:
        return None
    items = stated_values(project, file).items
    for extra in _names(items, "project.optional-dependencies."):
        if any(item.lower().startswith(package) for item in items[f"project.optional-dependencies.{extra}"]):
            return f"[{extra}]", f"{file.path}, extra {extra}"
    return None


def _names(items: Iterable[str], prefix: str) -> Iterator[str]:
    yield from (name for key in sorted(items) if key.startswith(prefix) and (name := safe_word(key[len(prefix) :])))
