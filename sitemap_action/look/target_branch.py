"""The target branch of a pull request: the commit, sitemap, config and policy to compare with (DIFF-22, POL-01)."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.layers import ConfigReader, policy_changes
from sitemap_action.config.schema import Config
from sitemap_action.errors import BaselineError, ConfigError
from sitemap_action.look.baseline import Baseline, Choice
from sitemap_action.look.collect import collect_stored
from sitemap_action.look.documents import GitTree, Store, Trees, git_tree, path_inside, same_bytes
from sitemap_action.look.judged_sitemap import repository, usual_places
from sitemap_action.model.context import Context, PullRequest
from sitemap_action.model.outcome import PolicyChange
from sitemap_action.model.wording import option
from sitemap_action.repo.remote import Remote

if TYPE_CHECKING:
    from sitemap_action.repo.git import Git


_DEEPER = "check out with fetch-depth: 0, or set baseline to git:REF, a path or committed"


class BaseCommit(Struct, frozen=True):
    """A commit whose files can be read."""

    id: str
    relation: str  # to this change, for the report
    checked_out: str  # what HEAD is, for the report
    remote: bool = False  # its files are not in this clone; the remote has them


def base_commit(git: "Git", pull_request: PullRequest, remote: Remote | None = None) -> BaseCommit:
    """Raises BaselineError, with the remedy, when neither this clone nor the remote has it.

    A merge commit as GitHub makes it has the target branch as its first parent, and that parent is exact: the event's
    payload may name an older commit of the target branch. A depth-1 clone knows the parent's id alone: the remote has
    its files, or it is fetched alone.
    """
    head = git.commit("HEAD")
    if head is None:
        hint = "check the repository out first (actions/checkout), or set baseline to a path or to committed"
        why = f": {refusal}" if (refusal := git.refusal()) else ""
        raise BaselineError(f"{git.directory} is not a git checkout, so the target branch is unknown{why}", hint=hint)
    parents = git.parents(head)
    if pull_request.queued:
        return _queued(git, pull_request, head, parents, remote)
    merged = len(parents) > 1 and (head == pull_request.merge or parents[1] == pull_request.head)
    if merged:
        relation = "the first parent of the merge commit"
        return _present(git, BaseCommit(parents[0], relation, f"merge commit {head[:12]}"), remote)
    left = _merge_base(git, pull_request, head, remote)
    return _present(git, BaseCommit(left, "the merge base with the target branch", head[:12]), remote)


def _queued(git: "Git", group: PullRequest, head: str, parents: tuple[str, ...], remote: Remote | None) -> BaseCommit:
    """A group may be several commits, so the event knows better than HEAD what it builds on."""
    relation = "the base of the merge group"
    base = group.base or next(iter(parents), "")
    return _present(git, BaseCommit(base, relation, head[:12]), remote)


def _present(git: "Git", base: BaseCommit, remote: Remote | None) -> BaseCommit:
    """From the object store, else from the remote, else fetched alone."""
    commit = base.id
    if commit and git.has(commit):
        return base
    if commit and remote is not None and remote.has(commit):
        return replace(base, remote=True)
    if commit and git.fetch(commit) and git.has(commit):
        return base
    what = f"{commit[:12]}, {base.relation}," if commit else base.relation
    hint = "check out with fetch-depth: 2 or 0, or set baseline to git:REF, a path or committed"
    raise BaselineError(f"{what} is not in this clone and cannot be fetched", hint=hint)


def _merge_base(git: "Git", pull_request: PullRequest, head: str, remote: Remote | None) -> str:
    """Of HEAD and every known state of the target branch: the newest commit they share is where the change began.

    A branch that was merged meanwhile shares everything; then the event's older state of the target branch counts.
    """
    tracked = git.commit(f"refs/remotes/origin/{pull_request.base_ref}") if pull_request.base_ref else None
    given = git.commit(pull_request.base) if pull_request.base else None
    found = git.merge_base(head, *filter(None, (tracked, given)))
    if found == head and given:
        found = git.merge_base(head, given)
    if found is None and remote is not None and (base := pull_request.base_ref or pull_request.base):
        found = remote.merge_base(base, pull_request.head or head)
    if found is None:
        branch = pull_request.base_ref or "the target branch"
        why = "the clone is shallow" if git.shallow() else "this clone has no commit of it"
        raise BaselineError(f"cannot find the merge base of {head[:12]} and {branch}: {why}", hint=_DEEPER)
    return found


def baseline_at(commit: BaseCommit, sitemap: str, trees: Trees, choice: Choice) -> Baseline:
    """The sitemap of the commit that a pull request is measured against."""
    documents = collect_stored(trees.then, sitemap, choice.folder)
    description = f"{sitemap if documents else f'no {sitemap}'} at {commit.id[:12]}, {commit.relation}"
    same = bool(documents) and same_bytes(documents, choice.committed)
    return Baseline(description, f"{commit.id[:12]}:{sitemap}", documents, same, trees)


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
