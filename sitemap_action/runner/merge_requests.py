"""Merge and pull requests on CIs other than GitHub's: the one table of their documented variables."""

from collections.abc import Mapping

from msgspec import Struct

from sitemap_action.model.context import PullRequest, RunIdentity
from sitemap_action.model.lazy_re import lazy_re

_COMMIT = lazy_re(r"[0-9a-f]{12,64}")  # Bitbucket may give the first twelve digits alone
MERGE_REF = lazy_re(r"refs/pull/([0-9]{1,18})/merge")
_NUMBER = lazy_re(r"[0-9]{1,18}\Z")


class Variables(Struct, frozen=True):
    """The variables of one CI; "" for what it has none for."""

    ci: str
    documentation: str
    number: str  # is set for a merge or pull request alone: its number, or its address, which ends with that
    target: str = ""  # name of the target branch; without one it is the remote's default branch
    base: str = ""  # commit of the target branch
    head: str = ""  # last commit of the change
    merge: str = ""  # merge commit of the two, where `ref` says that one is checked out
    ref: str = ""
    start: str = ""  # the commit that the change is compared with, unless a merge commit is checked out
    repository: str = ""  # address that it was cloned from
    commit: str = ""  # that is checked out; this and what follows are set for branches too
    branch: str = ""
    run: str = ""  # address of the run
    deeper: str = ""  # how its checkout gets the whole history


TABLE = (
    Variables(
        ci="GitLab CI/CD",
        documentation="https://docs.gitlab.com/ci/variables/predefined_variables/",
        number="CI_MERGE_REQUEST_IID",
        target="CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
        base="CI_MERGE_REQUEST_TARGET_BRANCH_SHA",  # these two in merged results pipelines and merge trains alone
        head="CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
        start="CI_MERGE_REQUEST_DIFF_BASE_SHA",
        repository="CI_REPOSITORY_URL",
        commit="CI_COMMIT_SHA",
        branch="CI_COMMIT_REF_NAME",
        run="CI_JOB_URL",
        deeper='GIT_DEPTH: "0"',
    ),
    Variables(  # checks out the source with the target merged in
        ci="Bitbucket Pipelines",
        documentation="https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/",
        number="BITBUCKET_PR_ID",
        target="BITBUCKET_PR_DESTINATION_BRANCH",
        start="BITBUCKET_PR_DESTINATION_COMMIT",
        repository="BITBUCKET_GIT_HTTP_ORIGIN",
        commit="BITBUCKET_COMMIT",
        branch="BITBUCKET_BRANCH",
        deeper="clone: {depth: full}",
    ),
    Variables(  # checks out a merge commit, whose first parent is the target branch
        ci="Azure Pipelines",
        documentation="https://learn.microsoft.com/azure/devops/pipelines/build/variables",
        number="SYSTEM_PULLREQUEST_PULLREQUESTID",
        target="SYSTEM_PULLREQUEST_TARGETBRANCH",
        head="SYSTEM_PULLREQUEST_SOURCECOMMITID",
        merge="BUILD_SOURCEVERSION",
        ref="BUILD_SOURCEBRANCH",
        repository="BUILD_REPOSITORY_URI",
        commit="BUILD_SOURCEVERSION",
        branch="BUILD_SOURCEBRANCH",
        deeper="fetchDepth: 0",
    ),
    Variables(
        ci="CircleCI",
        documentation="https://circleci.com/docs/reference/variables/",
        number="CIRCLE_PULL_REQUEST",
        head="CIRCLE_SHA1",
        repository="CIRCLE_REPOSITORY_URL",
        commit="CIRCLE_SHA1",
        branch="CIRCLE_BRANCH",
        run="CIRCLE_BUILD_URL",
        deeper="checkout: {method: full}",
    ),
    Variables(
        ci="Jenkins",
        documentation="https://www.jenkins.io/doc/book/pipeline/multibranch/",
        number="CHANGE_ID",
        target="CHANGE_TARGET",
        repository="GIT_URL",
        commit="GIT_COMMIT",
        branch="BRANCH_NAME",
        run="BUILD_URL",
        deeper="a clone that is not shallow",
    ),
)


def read_merge_request(environment: Mapping[str, str]) -> PullRequest | None:
    """The merge or pull request of the first CI whose variables say that there is one."""
    if (row := _find_row(environment)) is None:
        return None
    number = _NUMBER.search(environment[row.number])
    return PullRequest(
        number=int(number[0]) if number else 0,
        base_ref=environment.get(row.target, "").removeprefix("refs/heads/"),
        base=_commit(environment, row.base),
        head=_commit(environment, row.head),
        merge=_commit(environment, row.merge) if MERGE_REF.fullmatch(environment.get(row.ref, "")) else "",
        start=_commit(environment, row.start),
        deeper=row.deeper,
    )


def read_branch_run(environment: Mapping[str, str]) -> RunIdentity:
    """Which run of the first CI whose variables name a commit; without date and number."""
    row = next((row for row in TABLE if environment.get(row.commit)), None)
    if row is None:
        return RunIdentity()
    change = read_merge_request(environment)
    return RunIdentity(
        event=row.ci,
        commit=(change.head if change else "") or _commit(environment, row.commit),
        branch=environment.get(row.branch, "").removeprefix("refs/heads/"),
        pull_request=change.number if change else 0,
        link=environment.get(row.run, ""),
        repository=environment.get(row.repository, ""),
    )


def repository_of_request(environment: Mapping[str, str]) -> str:
    """The address that the CI names for the repository of a merge request; "" where it names none (S-17)."""
    row = None if environment.get("GITHUB_EVENT_NAME") else _find_row(environment)
    return environment.get(row.repository, "") if row else ""


def _find_row(environment: Mapping[str, str]) -> Variables | None:
    return next((row for row in TABLE if environment.get(row.number)), None)


def _commit(environment: Mapping[str, str], name: str) -> str:
    text = environment.get(name, "")
    return text if _COMMIT.fullmatch(text) else ""
