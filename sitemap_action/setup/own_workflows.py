"""What a repository's own workflows already do: which tools they set up, in which version, and whether they check."""

import re
from collections.abc import Mapping

from msgspec import Struct, field

from sitemap_action.setup.project import Project, safe_path

_USES = re.compile(r"""^\s*(?:-\s+)?uses:\s*["']?([\w.-]+/[\w./-]+)@([\w.-]{1,64})["']?\s*(?:\#.*)?$""", re.ASCII)
_VERSION = re.compile(
    r"""^\s*(?:node|python|ruby)-version:\s*["']?(\d[\w.]{0,15}|lts/(?:\*|[a-z]{1,15})|latest|node)["']?\s*(?:\#.*)?$""",
    re.ASCII,
)
_VERSION_FILE = re.compile(r"""^\s*(?:node|python)-version-file:\s*["']?([\w./-]{1,100})["']?\s*(?:\#.*)?$""", re.ASCII)
_CHECKS = re.compile(r"[\w.-]+/sitemap-action(?:/\w+)?")
_KNOWN = frozenset({"actions/cache", "actions/setup-node", "actions/setup-python", "ruby/setup-ruby"})
_MAX = 100  # workflows
_LOOKAHEAD = 12  # lines of one step


class SetupStep(Struct, frozen=True):
    """A step that sets a tool up."""

    reference: str  # branch, tag or commit of the action
    version: str  # of the tool; "" where it is not stated
    where: str
    version_file: str = ""  # that states it: a path in the repository


class OwnWorkflows(Struct, frozen=True):
    """The first use of each known action; `checks`: lines that run this action already."""

    setups: Mapping[str, SetupStep] = field(default_factory=dict)
    checks: tuple[str, ...] = ()


def own_workflows(project: Project) -> OwnWorkflows:
    """Of the whole repository; expressions are not evaluated."""
    top = project.top()
    names = sorted(name for name in top.names(".github/workflows") if name.endswith((".yml", ".yaml")))
    setups: dict[str, SetupStep] = {}
    checks: list[str] = []
    for name in names[:_MAX]:
        file = top.first(f".github/workflows/{name}")
        lines = file.text.split("\n") if file else []
        for number, line in enumerate(lines, 1):
            if len(line) > 500 or not (found := _USES.match(line)):
                continue
            where = f".github/workflows/{name}:{number}"
            action = found[1].removesuffix("/restore").removesuffix("/save")
            if _CHECKS.fullmatch(action):
                checks.append(where)
            if action in _KNOWN and action not in setups:
                rest = lines[number : number + _LOOKAHEAD]
                stated = safe_path(_stated(_VERSION_FILE, rest))
                version_file = stated if stated and top.has(stated) else ""
                setups[action] = SetupStep(found[2], _stated(_VERSION, rest), where, version_file)
    return OwnWorkflows(setups, tuple(checks))


def _stated(pattern: re.Pattern[str], lines: list[str]) -> str:
    """Of the same step."""
    for line in lines:
        if re.match(r"\s*-\s", line):
            break
        if len(line) < 500 and (found := pattern.match(line)):
            return found[1]
    return ""
