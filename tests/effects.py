"""The effects of an action on a workspace, as the process with the token carries them out."""

from weakref import finalize

import pytest

from sitemap_action.cli.effects import OUTPUTS, LocalEffects
from sitemap_action.config.layers import Origin, Setting
from sitemap_action.errors import PublishError
from sitemap_action.model.context import Forge, Mode
from sitemap_action.model.step import Publishing
from sitemap_action.publish.apply import NO_AUTHORITY, Authority
from sitemap_action.repo.github_api import Api, ApiAnswer
from sitemap_action.runner.inputs import ActionInputs
from sitemap_action.sitemap.write import GENERATOR

__all__ = ["OUTPUTS", "LocalEffects", "PublishError"]

OURS = f"<?xml?>\n{GENERATOR}\n".encode()
"""A file that this program has written."""
TOKEN = "ghs_0aBcDeFgHiJkLmNoPqRsTuVwXyZ"
API = "https://api.github.example"
REPOSITORY = "octo-org/site"


def make_effects(
    *,
    writes: bool = True,
    sitemap: str = "",
    token: str = "",
    branch: str = "",
    serving: bool = False,
) -> LocalEffects:
    """`sitemap`: the input of that name; `token`: of the repository, without which there is no forge."""
    layers = (Setting(Origin.INPUT, "input sitemap", "sitemap", sitemap),) if sitemap else ()
    action = ActionInputs(Mode.WRITE, "", summary=True, report_path="reports", layers=layers)
    authority = Authority(Publishing(branch=branch), Forge(API, REPOSITORY, token)) if token else NO_AUTHORITY
    effects = LocalEffects(action, writes=writes, authority=authority, serving=serving)
    finalize(effects, effects.runner.close)  # a worker has a limit of open files
    return effects


def record_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that GitHub's API is asked for from now on; it answers each."""
    paths: list[str] = []
    monkeypatch.setattr(Api, "get", lambda _, path, __: (paths.append(path), ApiAnswer(200, "text/plain", b"x"))[1])
    return paths
