"""Branches that a run reads: the one that a pull request goes into (DIFF-22, POL-01), and the one that is committed to.

A pull request is measured against the target branch at the commit where the change began: its sitemap, its config and
its policy. A run that publishes judges the sitemap of the branch that it publishes to, whatever the work tree has.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.checks.all import RULES as FILE_RULES
from sitemap_action.checks.all import SITE_RULES
from sitemap_action.checks.severity import family
from sitemap_action.config.layers import ConfigReader, policy_changes
from sitemap_action.config.lists import index, ledger_changes, read_accepted, read_ledger, spellings
from sitemap_action.config.schema import AUTO, Config
from sitemap_action.errors import BaselineError, ConfigError, PublishError, UsageError
from sitemap_action.look.documents import Documents, digest
from sitemap_action.look.judged_sitemap import Judged, build_folder, find_judged, usual_places
from sitemap_action.look.places import GitTree, path_inside, repository
from sitemap_action.model.context import OBJECT_ID, Context, PullRequest
from sitemap_action.model.finding import NO_LEDGER, AcceptedLine, AcceptedList, Ledger, Needs
from sitemap_action.model.outcome import PolicyChange
from sitemap_action.model.sitemap import SitemapFile
from sitemap_action.model.step import FileChange, source_of
from sitemap_action.model.wording import option
from sitemap_action.repo.git import Git
from sitemap_action.repo.github import GitHub
from sitemap_action.repo.github_api import Api
from sitemap_action.sitemap.split import Layout, is_generated, is_shard
from sitemap_action.walk.folders import Store, WorkTree

ACCEPTABLE = frozenset(
    name
    for name, rule in {**FILE_RULES, **SITE_RULES}.items()
    if rule.needs is not Needs.BASELINE and family(name) != "POL"
)
"""Rules that are not about a change: what a pull request does is no fault of old."""
_POINTER = b"version https://git-lfs.github.com/spec/"


def base_tree(git: Git, workspace: Path, pull_request: PullRequest, remote: GitHub | None = None) -> GitTree:
    """The commit that a change is measured against.

    Raises BaselineError, with the remedy, when neither this clone nor the remote has it.

    A merge commit as a forge makes it has the target branch as its first parent, and that parent is exact: the event
    may name an older commit of the target branch. A depth-1 clone knows the parent's id alone: the remote has its
    files, or it is fetched alone.
    """
    head = git.commit("HEAD")
    if head is None:
        hint = (
            f"check the repository out first (actions/checkout), or set {option('baseline')} to a path or to committed"
        )
        why = f": {refusal}" if (refusal := git.refusal()) else ""
        raise BaselineError(f"{git.directory} is not a git checkout, so the target branch is unknown{why}", hint=hint)
    return _ChangeStart(GitTree(git, head, workspace, git.top(), head=head[:12]), pull_request, remote).find()


class _ChangeStart:
    """Where the change of a pull request begins; `here`: what is checked out."""

    def __init__(self, here: GitTree, pull_request: PullRequest, remote: GitHub | None) -> None:
        self._here, self._git, self._head = here, here.git, here.commit
        self._parents = here.git.parents(here.commit)
        self._pull_request, self._remote = pull_request, remote

    def find(self) -> GitTree:
        """The commit with its files: from the object store, else from the remote, else fetched alone."""
        base, git, remote = self._find_commit(), self._git, self._remote
        commit = base.commit
        if commit and git.has(commit):
            return base
        if commit and remote is not None and remote.has(commit):
            return replace(base, remote=remote)
        if commit and git.fetch(commit) and git.has(commit):
            return base
        what = f"{commit[:12]}, {base.relation}," if commit else base.relation
        raise BaselineError(f"{what} is not in this clone and cannot be fetched", hint=self._remedy("2 or "))

    def _find_commit(self) -> GitTree:
        here, pull_request, parents = self._here, self._pull_request, self._parents
        if pull_request.queued:  # a group may be several commits, so the event knows better than HEAD what it builds on
            base = pull_request.base or next(iter(parents), "")
            return replace(here, commit=base, relation="the base of the merge group")
        built = parents[1:2] == (pull_request.head,) and (not pull_request.guarded or parents[0] == pull_request.base)
        if len(parents) > 1 and (self._head == pull_request.merge or built):
            relation = "the first parent of the merge commit"
            return replace(here, commit=parents[0], relation=relation, head=f"merge commit {self._head[:12]}")
        if pull_request.start:
            relation = f"where the change into {pull_request.base_ref or 'its target'} begins"
            return replace(here, commit=self._whole_id(), relation=relation)
        branch = "the target branch" if pull_request.base_ref or pull_request.base else "the default branch"
        return replace(here, commit=self._merge_base(), relation=f"the merge base with {branch}")

    def _whole_id(self) -> str:
        """The object id that begins as the event says, of the commits that the change may start from."""
        start = self._pull_request.start
        if OBJECT_ID.fullmatch(start):
            return start
        known = (self._git.commit(start), *self._parents)
        here = next((one for one in known if one and one.startswith(start)), None)
        commit = here or self._git.branch_tip(self._pull_request.base_ref) or ""
        return commit if commit.startswith(start) else start

    def _remedy(self, enough: str = "") -> str:
        """`enough`: a depth that suffices, too."""
        deeper = self._pull_request.deeper.replace("fetch-depth: ", f"fetch-depth: {enough}")
        return f"check out with {deeper}, or set {option('baseline')} to git:REF, a path or committed"

    def _merge_base(self) -> str:
        """The newest commit that HEAD and every known state of the target branch share.

        Of an unknown target branch, the remote's default one counts. Raises BaselineError.
        """
        pull_request, git = self._pull_request, self._git
        branch = pull_request.base_ref or git.branches()[0]
        found = self._merge_base_of_event() if pull_request.guarded else self._merge_base_here(branch)
        if found is None:
            what = branch or f"the {'target' if pull_request.base else 'default'} branch"
            why = "the clone is shallow" if git.shallow() else "this clone has no commit of it"
            what = f"cannot find the merge base of {self._head[:12]} and {what}: {why}"
            raise BaselineError(what, hint=self._remedy())
        return found

    def _merge_base_here(self, branch: str) -> str | None:
        """A branch that was merged meanwhile shares everything; then the event's older state of the target counts.

        A parent of HEAD that is such a state needs no history.
        """
        pull_request, git, remote, head = self._pull_request, self._git, self._remote, self._head
        tracked = git.commit(f"refs/remotes/origin/{branch}") if branch else None
        given = git.commit(pull_request.base) if pull_request.base else None
        fetched = None if tracked or pull_request.base or remote else git.branch_tip(branch)
        tips = [tip for tip in (tracked, given, fetched) if tip]
        found = next((parent for parent in self._parents if parent in tips), None) or git.merge_base(head, *tips)
        if found == head and given:
            found = git.merge_base(head, given)
        return found or self._remote_merge_base(pull_request.head or head)

    def _merge_base_of_event(self) -> str | None:
        """The checkout is not asked, for a step of the change may have rewritten its history and names (S-14).

        Of a CI that names no commit of the target branch, the remote is asked for it.
        """
        pull_request, git, head = self._pull_request, self._git, self._pull_request.head
        found = self._remote_merge_base(head) if head else None
        if found or pull_request.base or self._remote:
            return found or git.proven_merge_base(head, pull_request.base)
        newest, head = git.branch_tip(pull_request.base_ref), head or self._head
        return newest if newest in git.parents(head) else git.proven_merge_base(head, newest)

    def _remote_merge_base(self, head: str) -> str | None:
        """The remote's answer for the branch; for the event's commit, where the branch has another name by now."""
        if (remote := self._remote) is None:
            return None
        tips = (self._pull_request.base_ref, self._pull_request.base)
        return next((found for tip in tips if tip and (found := remote.merge_base(tip, head))), None)


class TargetBranch(Struct, frozen=True):
    """The target branch at the commit where the change began; of `workflow_run` its workflow's commit, else empty."""

    description: str = ""  # of the pull request, for the report
    tree: GitTree | None = None
    sitemap: str = ""  # path of its sitemap; "" when it has none
    policy: tuple[PolicyChange, ...] = ()  # keys that the pull request changes
    notes: tuple[str, ...] = ()


def target_branch(config: Config, context: Context, reader: ConfigReader) -> TargetBranch:
    """Raises BaselineError when the baseline is to be read there and this clone does not have it."""
    pull_request = context.pull_request
    if pull_request is None:
        return _workflow_commit(config, context, reader)
    workspace = Path(context.workspace)
    git, remote = repository(workspace, config.sitemap, offline=context.access.offline), _remote(context)
    try:
        tree = base_tree(git, workspace, pull_request, remote)
    except BaselineError as error:
        if config.baseline == "auto":
            raise
        return TargetBranch(_describe(pull_request, ""), notes=(f"changes of policy are not shown: {error}",))
    base, note = (None, "") if not path_inside(tree.top, workspace, reader.path) else _base_config(reader, tree)
    return TargetBranch(
        _describe(pull_request, tree.head),
        tree,
        sitemap=_base_sitemap(config, base, tree),
        policy=_policy_changes(base, config, reader) if base else (),
        notes=(note,) if note else (),
    )


def _workflow_commit(config: Config, context: Context, reader: ConfigReader) -> TargetBranch:
    """The commit that the config is read at on other events with secrets: the work tree's copy is no baseline (S-14).

    A run that publishes asks the branch that it publishes to.
    """
    tree = reader.holder
    if context.mode.publishes or not isinstance(tree, GitTree):
        return TargetBranch()
    tree = replace(tree, relation="the commit of the workflow")
    return TargetBranch("", tree, sitemap=_base_sitemap(config, None, tree))


def target_tree(context: Context, pull_request: PullRequest, path: str) -> GitTree:
    """The files of the target branch, of which the config at a path is one; raises BaselineError."""
    workspace = Path(context.workspace)
    git = repository(workspace, path, offline=context.access.offline)
    tree = base_tree(git, workspace, pull_request, _remote(context))
    if not path_inside(tree.top, workspace, path):
        hint = f"name a file of the checkout with {option('config')}, or set config-from to head"
        raise BaselineError(f"{path} is not in the repository, so the target branch has no copy", hint=hint)
    return tree


def _policy_changes(base: Config, config: Config, reader: ConfigReader) -> tuple[PolicyChange, ...]:
    """What the change's own copy would decide, also where the target branch's copy holds."""
    if reader.checkout is None:
        return policy_changes(base, config)
    try:
        return policy_changes(base, reader.config(reader.checkout()))
    except ConfigError as error:
        first = str(error).partition("\n")[0]
        return (PolicyChange(reader.path, "the target branch's copy, which holds", f"cannot be read: {first}"),)


def accepted_list(  # noqa: PLR0913, PLR0917 - what holds, and what it is compared with
    config: Config, context: Context, reader: ConfigReader, target: TargetBranch, base: GitTree | None, site_url: str
) -> tuple[AcceptedList, TargetBranch]:
    """The list of accepted rows, and the target branch with what the change adds to it (POL-01).

    It is read where the config that holds is from; what it says of lost pages is asked of the target branch, or of the
    commit that the site is compared with (`base`). A pull request whose target is not known has no list that could hide
    one. Raises BaselineError, ConfigError.
    """
    path, here, tree = config.policy.accepted, WorkTree(Path(context.workspace)), target.tree or base
    lines = read_accepted(path, (reader.holder or here)(path), ACCEPTABLE)
    rows = index(lines, site_url)
    if tree is None:
        return AcceptedList(path, rows, None if context.pull_request is None else set()), target
    theirs, problem = _read_copy(f"{tree.commit[:12]}:{path}", tree, path)
    known = index(theirs, site_url).keys()
    found = AcceptedList(path, rows, known)
    if context.pull_request is None:
        return found, target
    if reader.checkout is not None and not problem:
        lines, problem = _read_copy(path, here, path)
    added = {
        PolicyChange(path, "not there", f"{line.name} {line.subject}")
        for line in lines
        if known.isdisjoint((line.name, one) for one in spellings(line.subject, site_url))
    }
    unread = [PolicyChange(path, "not compared", problem)] if problem else []
    return found, replace(target, policy=(*target.policy, *unread, *sorted(added, key=lambda one: one.head)))


def find_ledger(  # noqa: PLR0913, PLR0917 - what holds, and what it is compared with
    config: Config,
    context: Context,
    reader: ConfigReader,
    target: TargetBranch,
    tip: "BranchTip | None",
    site_url: str,
) -> tuple[Ledger, TargetBranch]:
    """The ledger, and the target branch with what the change takes away from it (POL-01).

    It is read where the config that holds is from, and where a run publishes, from the branch that it publishes to.
    Raises BaselineError, ConfigError.
    """
    path, here = config.policy.ledger, WorkTree(Path(context.workspace))
    if not path:
        return NO_LEDGER, target
    store: Store = reader.holder or (tip.tree if tip else here)
    ledger = read_ledger(path, store(path), site_url)
    if context.pull_request is None or target.tree is None:
        return ledger, target
    try:
        own = read_ledger(path, here(path), site_url) if reader.holder else ledger
        found = ledger_changes(read_ledger(path, target.tree(path), site_url), own)
    except (BaselineError, ConfigError) as error:
        found = (PolicyChange(path, "not compared", str(error).partition("\n")[0]),)
    return ledger, replace(target, policy=(*target.policy, *found))


def _read_copy(name: str, store: Store, path: str) -> tuple[tuple[AcceptedLine, ...], str]:
    """The lines of a copy of the list that does not hold; or none, and why."""
    try:
        return read_accepted(name, store(path), ACCEPTABLE), ""
    except (BaselineError, ConfigError) as error:
        return (), str(error).partition("\n")[0]


def _remote(context: Context) -> GitHub | None:
    if context.forge is None or context.access.offline:
        return None
    return GitHub(Api(context.forge))


def _base_config(reader: ConfigReader, store: Store) -> tuple[Config | None, str]:
    """The target branch's config with this run's inputs, or why it cannot be read."""
    try:
        return reader.config(store(reader.path)), ""
    except (BaselineError, ConfigError) as error:
        first = str(error).partition("\n")[0]
        return None, f"changes of policy are not shown: the target branch's config cannot be read: {first}"


def _base_sitemap(config: Config, base: Config | None, store: GitTree) -> str:
    """A sitemap that the pull request moves is still the same: the target branch's config has its old path."""
    wanted = base.sitemap if base else config.sitemap
    places = [wanted] if wanted else usual_places((base or config).source.path)
    return store.find_first([path for path in (*places, config.sitemap) if path])


def _describe(pull_request: PullRequest, checked_out: str) -> str:
    what = "merge group" if pull_request.queued else f"request {pull_request.number or ''}".rstrip()
    into = f" into {pull_request.base_ref}" if pull_request.base_ref else ""
    return f"{what}{into}{f', checked out as {checked_out}' if checked_out else ''}"


class BranchTip(Struct, frozen=True):
    """One commit of the branch, and its files."""

    branch: str
    tree: GitTree
    branches: GitHub
    source: str = ""  # object id of the commit that is built or deployed; "" for a site that is served
    shards: tuple[str, ...] = ()  # numbered files of earlier runs, ours by name and by comment
    superseded: str = ""  # why nothing is committed: the branch has the sitemap of a newer build; "" where it has not

    def find_judged(self, config: Config, context: Context, theirs: str) -> Judged:
        """The sitemap that the branch has, or where a first one goes. Raises UsageError for a built one."""
        if config.sitemap:
            found = find_judged(config, context, config.sitemap if self.tree(config.sitemap) is not None else theirs)
        else:
            places = usual_places(build_folder(config, context).inside)
            path = self.tree.find_first(places)
            found = Judged(path) if path else find_judged(config, context, theirs)
        if found.built:
            hint = "use mode write, which repairs it before the upload; or name a committed one in sitemap"
            raise UsageError(f"{found.path} is made by the build, and is not committed", hint=hint)
        if not self.path_inside(found.path):
            raise UsageError(f"{found.path} is outside of the repository", hint="name another place in sitemap")
        if (self.tree(found.path) or b"").startswith(_POINTER):
            hint = "take it out of Git LFS (.gitattributes), which no search engine reads"
            raise UsageError(f"{found.path} is kept in Git LFS: {self.branch} has a pointer to it", hint=hint)
        return found

    def path_inside(self, path: str) -> str:
        """The path in the repository."""
        return path_inside(self.tree.top, self.tree.workspace, path)

    def why_superseded(self, sitemap: str) -> str:
        """Why this run commits nothing: the branch has the sitemap of a newer build; "" where it has not."""
        if not self.source or self.source == self.tree.commit:
            return ""
        last = self.branches.last_change(self.tree.commit, self.path_inside(sitemap))
        if last is None:
            return ""
        commit, message = last
        theirs = source_of(message)
        theirs = commit if theirs in ("", "served") else theirs
        if theirs == self.source or self.branches.merge_base(theirs, self.source) != self.source:
            return ""  # an older one, or of a history that this commit is no part of
        return f"{self.branch} has a newer {sitemap}, of {theirs[:12]}: this build of {self.source[:12]} commits none"

    def changes(
        self, files: Sequence[SitemapFile], digests: Mapping[str, str], shards: Sequence[str]
    ) -> tuple[FileChange, ...]:
        """`digests`: of the branch's documents; `shards`: those that were generated, numbered."""
        written = [file for file in files if digests.get(file.path) != digest(file.content)]
        for path in [file.path for file in written if file.path not in digests]:
            if (theirs := self.tree(path)) is not None and not is_generated(theirs):
                hint = f"rename it, or name another place in {option('sitemap')}"
                raise PublishError(f"{self.branch} has {path}, which this generator did not write", hint=hint)
        stale = sorted({*shards} - {file.path for file in files})
        return (
            *(FileChange(self.path_inside(file.path), file.content, file.redirects) for file in written),
            *(FileChange(self.path_inside(path), None) for path in stale),
        )


def branch_tip(config: Config, context: Context) -> BranchTip | None:
    """None where nothing is published. Raises UsageError when there is no such branch, or no token."""
    if not context.mode.publishes:
        return None
    if context.forge is None:
        hint = f"give {option('token')}; on a command line GITHUB_REPOSITORY (owner/name) names the repository"
        raise UsageError(f"mode {context.mode} writes to GitHub, and there is no token for it", hint=hint)
    branches, branch = GitHub(Api(context.forge)), context.publishing.branch
    commit = context.judged_at or branches.head(branch)
    if not commit:
        hint = "correct the branch, or its new name; a token that may not see the repository gets the same answer"
        raise UsageError(f"{branches.api.name} has no branch {branch}", hint=hint)
    served = bool(config.source.url) and config.source.url != AUTO
    source = "" if served else context.publishing.source
    return BranchTip(branch, _branch_tree(config, context, commit, branches), branches, source)


def _branch_tree(config: Config, context: Context, commit: str, branches: GitHub) -> GitTree:
    """Files of the commit: from the checkout where it has them, else from GitHub; without a checkout, as paths are."""
    workspace = Path(context.workspace)
    git = _holding_checkout(workspace, config)
    try:
        top = git.top()
        here = top is not None and git.has(commit)
    except BaselineError:  # no git is installed
        top, here = None, False
    if top is not None and not here:
        _require_same_repository(git, top, branches.api)
    return GitTree(git if here else Git(workspace), commit, workspace, top or workspace, None if here else branches)


def _holding_checkout(workspace: Path, config: Config) -> Git:
    """The checkout that holds the sitemap, else the one that holds the build, else that of the workspace (W-02)."""
    inputs = (config.sitemap, "" if config.source.url else f"{config.source.path}/file")
    for path in filter(None, inputs):
        for folder in (workspace / path).parents:
            if folder == workspace:
                break
            if folder.is_dir() and folder.resolve().is_relative_to(workspace.resolve()):
                git = Git(folder, ceiling=workspace)
                if git.top() is not None:
                    return git
                break
    return repository(workspace, "")


def _require_same_repository(git: Git, top: Path, api: Api) -> None:
    """Raises UsageError for the checkout of another repository: its files are no files of the branch."""
    parts = git.origin().rstrip("/").removesuffix(".git").replace(":", "/").split("/")
    name, wanted = "/".join(parts[-2:]), api.forge.repository
    if len(parts) > 1 and name.casefold() != wanted.casefold():
        hint = "run the action in a job of that repository, or check this one out"
        raise UsageError(f"{top} is a checkout of {name}, and the run writes to {wanted}", hint=hint)


def branch_shards(documents: Documents, sitemap: str) -> tuple[str, ...]:
    """Numbered files of the branch's sitemap, ours by name and by comment (SM-08)."""
    layout = Layout(sitemap, "")
    return tuple(
        one.path for one in documents if is_shard(one.path.rpartition("/")[2], layout) and is_generated(one.content)
    )
