"""Steps that set Node.js, Python and Ruby up for a build, in the version that the repository states."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sitemap_action.setup.node_packages import NodePackages
from sitemap_action.setup.own_workflows import OwnWorkflows
from sitemap_action.setup.project import Project


class _Tool(NamedTuple):
    commands: str  # expression of the commands that need it
    action: str
    version: str  # the action's input; with -file the one that names a file
    files: tuple[str, ...] = ()  # that state a version, in the order in which they count
    reference: str = ""  # commit and tag, where the repository has no version of its own


_TOOLS = (
    _Tool(
        r"\b(?:npm|pnpm|yarn|bun|npx)\b",
        "actions/setup-node",
        "node-version",
        (".nvmrc", ".node-version"),
        "48b55a011bda9f5d6aeb4c2d9c7362e8dae4041e # v6.4.0",
    ),
    _Tool(
        r"\b(?:python3|pipx)\b",
        "actions/setup-python",
        "python-version",
        (".python-version",),
        "a309ff8b426b58ec0e2a45f0f869d46889d02405 # v6.2.0",
    ),
    _Tool(r"\b(?:bundle|gem)\b", "ruby/setup-ruby", "ruby-version"),  # reads .ruby-version itself
)
_STATED = ("volta.node", "engines.node")  # in package.json, which setup-node reads too


class ToolStep(NamedTuple):
    uses: str  # the action with its reference
    where: str  # the workflow that has it alike; "" for none
    input: str  # "" where no version is stated
    value: str  # a version, or the path of a file that states it


def version_files(project: Project, packages: NodePackages | None) -> dict[str, str]:
    """Action → the file of the repository that states its tool's version, nearest to the project first."""
    found: dict[str, str] = {}
    for tool in _TOOLS:
        paths = [place.at(name) for place in (project, project.top()) for name in tool.files if place.has(name)]
        if not paths and tool.action == "actions/setup-node" and packages and packages.values.get(*_STATED):
            paths = [project.at("package.json")]
        if paths:
            found[tool.action] = paths[0]
    return found


def tool_steps(commands: Iterable[str], workflows: OwnWorkflows, files: Mapping[str, str]) -> Iterator[ToolStep]:
    """As the repository's own workflows have them; else where a file states a version. The runner has the rest."""
    text = "\n".join(commands)
    for tool in _TOOLS:
        own, file = workflows.setups.get(tool.action), files.get(tool.action, "")
        reference = own.reference if own else tool.reference if file else ""
        if not reference or not re.search(tool.commands, text):
            continue
        name, value = f"{tool.version}-file", file
        if own and own.version:
            name, value = tool.version, own.version
        elif own and own.version_file:
            value = own.version_file
        yield ToolStep(f"{tool.action}@{reference}", own.where if own else "", name if value else "", value)
