"""How the packages of a site are installed and its build is run, in the versions that the repository states."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.setup.project import ConfigValues, Fact, Project, safe_path, safe_word


class BuildCommands(Struct, frozen=True):
    """Commands of a shell in the project's folder, each made of safe words alone."""

    lines: tuple[str, ...]
    where: str  # files that tell

    def then(self, line: str) -> "BuildCommands":
        return BuildCommands((*self.lines, line), self.where)


# --- Node.js ---

_LOCKS = {  # in the order in which they count
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
_MANAGER = lazy_re(r"(npm|pnpm|yarn|bun)@(\d{1,6}(?:\.\d{1,6}){0,2})(?:[+-].*)?")
_SECTIONS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_EXECUTE = {"npm": "npx --no-install", "pnpm": "pnpm exec", "yarn": "yarn run", "bun": "bun x"}


class NodePackages(Struct, frozen=True):
    """One package.json, and the manager that installs what it names."""

    values: ConfigValues
    manager: str
    where: str  # what tells the manager
    install: tuple[str, ...]

    def dependency(self, *names: str) -> str:
        """The line of the first of these packages that is needed; "" where none is."""
        keys = (f"{section}.{name}" for name in names for section in _SECTIONS)
        return next((self.values.place(key) for key in keys if key in self.values.values), "")

    def script(self, runs: str) -> Fact | None:
        """The name of the script whose command matches, `build` before others.

        Where none does, `build` may do it by commands that are not known here.
        """
        scripts = {name: text for name, text in self._scripts() if safe_word(name)}
        matching = [name for name in sorted(scripts) if re.search(runs, scripts[name][:2000])]
        others = [name for name in matching if not name.startswith(("pre", "post", "dev", "start"))]
        name = next((name for name in ("build", *others) if name in matching), "build" if "build" in scripts else "")
        return Fact(name, self.values.place(f"scripts.{name}")) if name else None

    def script_command(self, runs: str) -> str:
        """The command of that script; "" without one."""
        found = self.script(runs)
        return self.values.text(f"scripts.{found.value}") if found else ""

    def script_option(self, runs: str, option: str) -> Fact | None:
        """An option of that script's command."""
        found, value = self.script(runs), option_value(self.script_command(runs), option) if option else ""
        return Fact(value, found.where) if found and value else None

    def any_script(self, text: str) -> bool:
        return any(text in command for _, command in self._scripts())

    def build(self, runs: str, command: str) -> BuildCommands:
        """The build by the script that matches `runs`, else by the generator's own command."""
        if found := self.script(runs):
            return BuildCommands((*self.install, f"{self.manager} run {found.value}"), f"{found.where}, {self.where}")
        return BuildCommands((*self.install, self.execute(command)), f"{self.where}, no script runs {command}")

    def execute(self, command: str) -> str:
        """A command of an installed package."""
        return f"{_EXECUTE[self.manager]} {command}"

    def _scripts(self) -> Iterator[tuple[str, str]]:
        start = "scripts."
        return ((key[len(start) :], text) for key, text in self.values.values.items() if key.startswith(start))


def option_value(command: str, option: str) -> str:
    """The value of an option of a command line; "" where it has none."""
    found = re.search(rf"(?:^|\s){re.escape(option)}(?:=|\s+)([^\s;&|]+)", command[:2000])
    return found[1].strip("\"'") if found else ""


def node_packages(project: Project) -> NodePackages:
    """What package.json names, if there is one; the lock file of a workspace is at the top of the repository."""
    values = project.values(project.first("package.json"))
    if values.problem or not values.file.path:
        return NodePackages(ConfigValues(), "npm", "", ())
    stated = values.get("packageManager")
    named = _MANAGER.fullmatch(stated.value) if stated else None
    folder, lock = _find_lock(project, named[1] if named else "")
    manager = named[1] if named else _LOCKS.get(lock, "npm")
    where = f"{folder}/{lock}" if folder else lock or "no lock file"
    install = _install_commands(project, manager, named[2] if named else "", locked=bool(lock))
    if lock and folder != project.folder:
        install = tuple(f'(cd "$GITHUB_WORKSPACE" && {line})' for line in install)
    return NodePackages(values, manager, f"{stated.where}, {where}" if stated and named else where, install)


def _find_lock(project: Project, manager: str) -> tuple[str, str]:
    """Folder and name of the lock file: in the project, else at the top; of several the one of the named manager."""
    for place in (project, project.top()):
        found = [name for name, owner in _LOCKS.items() if place.has(name) and manager in ("", owner)]
        if len({_LOCKS[name] for name in found}) > 1:
            project.report(f"several lock files: {', '.join(found)}; {found[0]} counts")
        if found:
            return place.folder, found[0]
    return "", ""


def _install_commands(project: Project, manager: str, version: str, *, locked: bool) -> tuple[str, ...]:
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


# --- Python: uv, Poetry, or pip in a virtual environment ---

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
_PROGRAMS = '"$RUNNER_TEMP/venv/bin/{}"'
_MAKE, _PIP = 'python3 -m venv "$RUNNER_TEMP/venv"', f"{_PROGRAMS.format('pip')} install"


def python_build(project: Project, package: str, command: str, otherwise: tuple[str, ...]) -> BuildCommands:
    """`package` is the generator; `otherwise`: what pip installs where no file names packages."""
    places = (project, project.top())
    for here in places:
        if here.has("uv.lock"):
            # One command: it runs below the folder of the lock file too.
            run = f"uv run --all-extras --all-groups {command}"
            return BuildCommands(("pipx install uv", run), here.join("uv.lock"))
        if here.has("poetry.lock"):
            install = ("pipx install poetry", "poetry install --all-extras")
            return BuildCommands((*install, f"poetry run {command}"), here.join("poetry.lock"))
    program, _, arguments = command.partition(" ")
    run = f"{_PROGRAMS.format(program)} {arguments}"
    for here in places:
        up = "../" * (project.folder.count("/") + 1) if here.folder != project.folder else ""
        if found := _find_requirements(here, package) or _find_extra(here, package):
            what, where = found
            packages = f"-r {up}{what}" if what.endswith(".txt") else f"'{up or './'}{what}'"
            return BuildCommands((_MAKE, f"{_PIP} {packages}", run), where)
    return BuildCommands((_MAKE, *(f"{_PIP} {one}" for one in otherwise), run), "no file names the packages")


def _find_requirements(project: Project, package: str) -> Fact | None:
    """The file that names the generator."""
    pattern = re.compile(rf"^[ \t]*{re.escape(package)}\b", re.MULTILINE | re.IGNORECASE)
    for name in _REQUIREMENTS:
        file = project.first(name)
        if file and (found := pattern.search(file.text)):
            return Fact(name, file.line(found.start()))
    return None


def _find_extra(project: Project, package: str) -> Fact | None:
    """The optional dependencies of pyproject.toml that name the generator."""
    values, start = project.values(project.first("pyproject.toml")), "project.optional-dependencies."
    for key in sorted(values.items):
        extra = safe_word(key.removeprefix(start)) if key.startswith(start) else ""
        if extra and any(item.lower().startswith(package) for item in values.items[key]):
            return Fact(f"[{extra}]", f"{values.file.path}, extra {extra}")
    return None


# --- Jekyll, and Hugo and mdBook, which are one program each ---

_GEM = lazy_re(r"""^[ \t]*+gem[ \t]*+(?:\([ \t]*+)?["'](jekyll|github-pages)["']""", re.MULTILINE)
_BUNDLER = ('bundle config set --local path "$RUNNER_TEMP/bundle"', "bundle install", "bundle exec jekyll build")
_GEMS = (
    "gem install --user-install --no-document github-pages",
    """"$(ruby -e 'puts Gem.user_dir')/bin/jekyll" build""",
)

_STATED = r"""_VERSION\b["']?\s*[:=]\s*["']?v?(\d{1,3}\.\d{1,4}(?:\.\d{1,4})?)\b"""
_HUGO_VERSION, _MDBOOK_VERSION = lazy_re(rf"\bHUGO{_STATED}"), lazy_re(rf"\bMDBOOK{_STATED}")
_HUGO_DEB = "https://github.com/gohugoio/hugo/releases/download/v{0}/hugo_extended_{0}_linux-amd64.deb"


def hugo_binary(project: Project) -> tuple[tuple[str, ...], str]:
    """The version that the repository states is installed, else the newest."""
    if found := _stated_version(project, _HUGO_VERSION):
        package = '"$RUNNER_TEMP/hugo.deb"'
        fetch = "curl --fail --silent --show-error --location --output"
        lines = (f"{fetch} {package} {_HUGO_DEB.format(found.value)}", f"sudo dpkg --install {package}")
        return lines, f"Hugo {found.value}, {found.where}"
    return ("sudo snap install hugo",), "no file states the version of Hugo: the newest"


def mdbook_version(project: Project) -> tuple[str, str]:
    """The version as the argument of cargo has it; "" is the newest."""
    if found := _stated_version(project, _MDBOOK_VERSION):
        return f"@{found.value}", f"mdBook {found.value}, {found.where}"
    return "", "no file states the version of mdBook: the newest"


def _stated_version(project: Project, pattern: re.Pattern[str]) -> Fact | None:
    """The version that the environment of a build or workflow names."""
    top = project.top()
    files = (top.first(path) for path in ("netlify.toml", *top.workflows()))
    found = ((file, pattern.search(file.text)) for file in files if file)
    return next((Fact(one[1], file.line(one.start())) for file, one in found if one), None)


def jekyll_build(project: Project) -> BuildCommands:
    file = project.first("Gemfile")
    if file and _GEM.search(file.text):
        return BuildCommands(_BUNDLER, file.path)
    return BuildCommands(_GEMS, "no Gemfile names Jekyll: the version of GitHub Pages")


# --- steps that set Node.js, Python and Ruby up ---

_USES = lazy_re(r"""^\s*(?:-\s+)?uses:\s*["']?([\w.-]+/[\w./-]+)@([\w.-]{1,64})["']?\s*(?:\#.*)?$""", re.ASCII)
_VERSION = lazy_re(
    r"""^\s*(?:with:\s*\{\s*)?(?:node|python|ruby)-version:\s*"""
    r"""["']?(\d[\w.]{0,15}|lts/(?:\*|[a-z]{1,15})|latest|node)["']?\s*(?:[,}\#].*)?$""",
    re.ASCII,
)
_VERSION_FILE = lazy_re(r"""^\s*(?:node|python)-version-file:\s*["']?([\w./-]{1,100})["']?\s*(?:\#.*)?$""", re.ASCII)
_CHECKS = lazy_re(r"[\w.-]+/sitemap-action(?:/\w+)?")
_KNOWN = frozenset({"actions/cache", "actions/setup-node", "actions/setup-python", "ruby/setup-ruby"})


# Commands that need a tool; its action, and the input of that for a version, with -file for a file that states it; the
# files that do, in the order in which they count; a commit and tag, where the repository has no version of its own.
_TOOLS: tuple[tuple[str, str, str, tuple[str, ...], str], ...] = (
    (
        r"\b(?:npm|pnpm|yarn|bun|npx)\b",
        "actions/setup-node",
        "node-version",
        (".nvmrc", ".node-version"),
        "48b55a011bda9f5d6aeb4c2d9c7362e8dae4041e # v6.4.0",
    ),
    (
        r"\b(?:python3|pipx)\b",
        "actions/setup-python",
        "python-version",
        (".python-version",),
        "a309ff8b426b58ec0e2a45f0f869d46889d02405 # v6.2.0",
    ),
    (r"\b(?:bundle|gem)\b", "ruby/setup-ruby", "ruby-version", (), ""),  # reads .ruby-version itself
)


class ToolStep(NamedTuple):
    """A step of a workflow that sets a tool up."""

    uses: str  # the action with its branch, tag or commit
    where: str  # the workflow that has it alike; "" for none
    input: str = ""  # "" where no version is stated
    value: str = ""  # a version, or the path of a file that states it


def own_workflows(project: Project) -> tuple[Mapping[str, ToolStep], tuple[str, ...]]:
    """The first use of each known action in the repository's workflows, and the lines that run this action already.

    Expressions are not evaluated.
    """
    top = project.top()
    setups: dict[str, ToolStep] = {}
    inputs = {action: version for _, action, version, *_ in _TOOLS}
    checks: list[str] = []
    for path in top.workflows():
        file = top.first(path)
        lines = file.text.split("\n") if file else []
        for number, line in enumerate(lines, 1):
            if len(line) > 500 or not (found := _USES.match(line)):
                continue
            action = found[1].removesuffix("/restore").removesuffix("/save")
            if _CHECKS.fullmatch(action):
                checks.append(f"{path}:{number}")
            if action in _KNOWN and action not in setups:
                rest = lines[number : number + 12]  # of the same step
                name, value = inputs.get(action, ""), _step_input(_VERSION, rest)
                if not value and (file_path := safe_path(_step_input(_VERSION_FILE, rest))) and top.has(file_path):
                    name, value = f"{name}-file", file_path
                setups[action] = ToolStep(f"{action}@{found[2]}", f"{path}:{number}", name if value else "", value)
    return setups, tuple(checks)


def _step_input(pattern: re.Pattern[str], lines: list[str]) -> str:
    for line in lines:
        if re.match(r"\s*-\s", line):
            break
        if len(line) < 500 and (found := pattern.match(line)):
            return found[1]
    return ""


def tool_steps(commands: Iterable[str], project: Project, setups: Mapping[str, ToolStep]) -> Iterator[ToolStep]:
    """Tools as the repository's workflows set them up, else with a version that a file states."""
    text = "\n".join(commands)
    for programs, action, version, files, latest in _TOOLS:
        own, file = setups.get(action), _version_file(action, files, project)
        if not re.search(programs, text) or (own is None and not (latest and file)):
            continue
        step = own or ToolStep(f"{action}@{latest}", "")
        yield step if step.value or not file else step._replace(input=f"{version}-file", value=file)


def _version_file(action: str, files: tuple[str, ...], project: Project) -> str:
    """The file of the repository that states a tool's version, nearest to the project first; "" where none does."""
    for place in (project, project.top()):
        if found := next((name for name in files if place.has(name)), ""):
            return place.join(found)
    if action == "actions/setup-node":  # reads package.json too
        values = project.values(project.first("package.json"))
        return values.file.path if values.get("volta.node", "engines.node") else ""
    return ""
