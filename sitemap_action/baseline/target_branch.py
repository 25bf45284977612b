"""The target branch of a pull request: the sitemap, config and policy to compare with (DIFF-22, POL-01)."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from sitemap_action.baseline.base_commit import BaseCommit, base_commit
from sitemap_action.baseline.judged import usual_places
from sitemap_action.baseline.resolve import Baseline, Choice, baseline_at
from sitemap_action.baseline.tracked import repository
from sitemap_action.config.changes import policy_changes
from sitemap_action.config.layers import ConfigReader
from sitemap_action.config.schema import Config
from sitemap_action.errors import BaselineError, ConfigError
from sitemap_action.loader.stores import GitTree, Store, Trees, git_tree, path_inside
from sitemap_action.model.context import Context, PullRequest
from sitemap_action.model.outcome import PolicyChange
from sitemap_action.model.wording import option
from sitemap_action.repo.remote import Remote

if TYPE_CHECKING:
    from sitemap_action.repo.git import Git


class TargetBranch(Struct, frozen=True):
    """The target branch at the commit where the change began; empty outside of pull requests."""

    description: str = ""  # of the pull request, for the report
    commit: BaseCommit | None = None
    trees: Trees | None = None
    sitemap: str = ""  # path of its sitemap; "" when it has none
    policy: tuple[PolicyChange, ...] = ()  # keys that the pull request changes
    notes: tuple[str, ...] = ()

    def baseline(self, choice: Choice) -> Baseline | None:
        """None outside of pull requests."""
        if self.commit is None or self.trees is None:
            return None
        return baseline_at(self.commit, self.sitemap or choice.sitemap, self.trees, choice)


def target_branch(config: Config, context: Context, reader: ConfigReader) -> TargetBranch:
    """Raises BaselineError when the baseline is to be read there and this clone does not have it."""
    pull_request = context.pull_request
    if pull_request is None:
        return TargetBranch()
    workspace = Path(context.workspace)
    git, remote = repository(workspace, config.sitemap, offline=context.access.offline), _remote(context)
    try:
        commit = base_commit(git, pull_request, remote)
    except BaselineError as error:
        if config.baseline == "auto":
            raise
        return TargetBranch(_describe(pull_request, ""), notes=(f"changes of policy are not shown: {error}",))
    store = _store(git, commit, context)
    base, note = (None, "") if not path_inside(git.top(), workspace, reader.path) else _config(reader, store)
    return TargetBranch(
        _describe(pull_request, commit.checked_out),
        commit,
        Trees(store, git_tree(git, "HEAD", workspace)),
        sitemap=_sitemap(config, base, store),
        policy=_policy(base, config, reader) if base else (),
        notes=(note,) if note else (),
    )


def target_config(context: Context, pull_request: PullRequest, path: str) -> tuple[bytes | None, str]:
    """(content, commit) of a file of the target branch, None where it has none; raises BaselineError."""
    git = repository(Path(context.workspace), path, offline=context.access.offline)
    commit = base_commit(git, pull_request, _remote(context))
    if not path_inside(git.top(), Path(context.workspace), path):
        hint = f"name a file of the checkout with {option('config')}, or set config-from to head"
        raise BaselineError(f"{path} is not in the repository, so the target branch has no copy", hint=hint)
    return _store(git, commit, context)(path), commit.id


def _store(git: "Git", commit: BaseCommit, context: Context) -> GitTree:
    return git_tree(git, commit.id, Path(context.workspace), _remote(context) if commit.remote else None)


def _policy(base: Config, config: Config, reader: ConfigReader) -> tuple[PolicyChange, ...]:
    """What the change's own copy would decide, also where the target branch's copy holds."""
    if reader.checkout is None:
        return policy_changes(base, config)
    try:
        return policy_changes(base, reader.config(reader.checkout()))
    except ConfigError as error:
        first = str(error).partition("\n")[0]
        return (PolicyChange(reader.path, "the target branch's copy, which holds", f"cannot be read: {first}"),)


def _remote(context: Context) -> Remote | None:
    if context.forge is None or context.access.offline:
        return None
    from sitemap_action.repo.github_api import Api  # noqa: PLC0415 - a whole clone needs no HTTP
    from sitemap_action.repo.github_branches import GitHub  # noqa: PLC0415

    return GitHub(Api(context.forge))


def _config(reader: ConfigReader, store: Store) -> tuple[Config | None, str]:
    """The target branch's config with this run's inputs, or why it cannot be read."""
    try:
        return reader.config(store(reader.path)), ""
    except (BaselineError, ConfigError) as error:
        first = str(error).partition("\n")[0]
        return None, f"changes of policy are not shown: the target branch's config cannot be read: {first}"


def _sitemap(config: Config, base: Config | None, store: GitTree) -> str:
    """A sitemap that the pull request moves is still the same: the target branch's config has its old path."""
    wanted = base.sitemap if base else config.sitemap
    places = [wanted] if wanted else usual_places((base or config).source.path)
    return store.first([path for path in (*places, config.sitemap) if path])


def _describe(pull_request: PullRequest, checked_out: str) -> str:
    what = "merge group" if pull_request.queued else str(pull_request.number or "pull request")
    into = f" into {pull_request.base_ref}" if pull_request.base_ref else ""
    return f"{what}{into}{f', checked out as {checked_out}' if checked_out else ''}"
