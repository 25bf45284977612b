"""The branch that a commit or a pull request is for: its sitemap is judged, whatever the work tree has."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from sitemap_action.config.schema import AUTO, Config
from sitemap_action.errors import BaselineError, UsageError
from sitemap_action.look.documents import Documents, GitTree, digest, path_inside
from sitemap_action.look.judged_sitemap import Judged, build_folder, find_judged, repository, usual_places
from sitemap_action.model.context import Context
from sitemap_action.model.sitemap import SitemapFile
from sitemap_action.model.step import FileChange, source_of
from sitemap_action.model.wording import option
from sitemap_action.repo.git import Git
from sitemap_action.repo.github_api import Api
from sitemap_action.repo.github_branches import GitHub
from sitemap_action.repo.remote import Branches
from sitemap_action.sitemap.split import Layout, is_generated, is_shard


class BranchTip(Struct, frozen=True):
    """One commit of the branch, and its files."""

    branch: str
    commit: str
    tree: GitTree
    branches: Branches
    source: str = ""  # object id of the commit that is built or deployed; "" for a site that is served

    def judged(self, config: Config, context: Context, theirs: str) -> Judged:
        """The sitemap that the branch has, or where a first one goes. Raises UsageError for a built one."""
        if config.sitemap:
            found = find_judged(config, context, config.sitemap if self.tree(config.sitemap) is not None else theirs)
        else:
            places = usual_places(build_folder(config, context).inside)
            path = self.tree.first(places)
            found = Judged(path) if path else find_judged(config, context, theirs)
        if found.built:
            hint = "use mode write, which repairs it before the upload; or name a committed one in sitemap"
            raise UsageError(f"{found.path} is made by the build, and is not committed", hint=hint)
        if not self.inside(found.path):
            raise UsageError(f"{found.path} is outside of the repository", hint="name another place in sitemap")
        return found

    def inside(self, path: str) -> str:
        """The path in the repository."""
        return path_inside(self.tree.top, self.tree.workspace, path)

    def superseded(self, sitemap: str) -> str:
        """Why this run commits nothing: the branch has the sitemap of a newer build; "" where it has not."""
        if not self.source or self.source == self.commit:
            return ""
        last = self.branches.last_change(self.commit, self.inside(sitemap))
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
        stale = sorted({*shards} - {file.path for file in files})
        return (
            *(FileChange(self.inside(file.path), file.content) for file in written),
            *(FileChange(self.inside(path), None) for path in stale),
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
        hint = "correct the branch; a token that may not see the repository gets the same answer"
        raise UsageError(f"{branches.api.name} has no branch {branch}", hint=hint)
    served = bool(config.source.url) and config.source.url != AUTO
    source = "" if served else context.publishing.source
    return BranchTip(branch, commit, _tree(context, commit, branches), branches, source)


def _tree(context: Context, commit: str, branches: Branches) -> GitTree:
    """Files of the commit: from the checkout where it has them, else from GitHub; without a checkout, as paths are."""
    workspace = Path(context.workspace)
    git = repository(workspace, "")
    try:
        top = git.top()
        here = top is not None and git.has(commit)
    except BaselineError:  # no git is installed
        top, here = None, False
    return GitTree(git if here else Git(workspace), commit, workspace, top or workspace, None if here else branches)


def own_shards(documents: Documents, sitemap: str) -> tuple[str, ...]:
    """Numbered files of the branch's sitemap, ours by name and by comment (SM-08)."""
    layout = Layout(sitemap, "")
    return tuple(
        one.path for one in documents if is_shard(one.path.rpartition("/")[2], layout) and is_generated(one.content)
    )
