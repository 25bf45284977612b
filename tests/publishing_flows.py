"""Each flow that publishes, played on a GitHub of its own beside what belongs to others, with a fault at one request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from forge import faults
from forge.hub import Hub
from forge.indexnow import IndexNow
from forge.repository import Repository
from forge.server import Answer
from forge.tokens import Kind, Token
from sitemap_action.model.context import Forge
from sitemap_action.model.mask import Access
from sitemap_action.model.step import (
    CommitFiles,
    CommitMethod,
    Counts,
    FileChange,
    IssueState,
    Operation,
    Published,
    Publishing,
    RequestOptions,
    SiteMark,
    Step,
    SubmitUrls,
    SyncIssue,
    SyncPullRequest,
    UpsertComment,
)
from sitemap_action.publish import indexnow
from sitemap_action.publish.apply import Authority, apply

PATH, THEIRS, UPDATE, KEY = "public/sitemap.xml", "somebody/branch", "sitemap-action/update", "0123456789abcdef"
MARK = SiteMark("https://www.example.com/", PATH)
MARKER = "<!-- sitemap-action:sitemap -->\n"
OPTIONS = RequestOptions(
    labels=("seo",), reviewers=("hubot", "octo-org/docs"), assignees=("mona",), auto_merge="squash"
)
PLAIN = Publishing(branch="main", pr_branch=UPDATE, request=RequestOptions(draft=True), run="command-line")
FULL = Publishing(branch="main", pr_branch=UPDATE, request=OPTIONS, run="command-line", sign_off=True)


def answered_by_outage(carry_out: Callable[[], Answer]) -> Answer:
    """It is done, and the load balancer answers all the same."""
    carry_out()
    return faults.outage()(carry_out)


FAULTS: dict[str, Callable[[], faults.Play]] = {
    "502 before": faults.outage,
    "502 after": lambda: answered_by_outage,
    "drop before": faults.dropped,
    "drop after": faults.lost,
    "403 limit": lambda: faults.secondary_limit(1),
    "429": lambda: faults.secondary_limit(1, 429),
    "403": lambda: faults.answers(403, "Resource not accessible by integration"),
    "409": lambda: faults.answers(409, "Git Repository is empty."),
    "422": lambda: faults.answers(422, "Validation Failed"),
}
PASSING = tuple(FAULTS)[:6]  # which the run itself outlasts; a refusal is said


class Who(NamedTuple):
    """How is written: the token, another one for the branch, and the method."""

    token: Token
    branch_token: Token | None = None
    method: CommitMethod = CommitMethod.API


WORKFLOW, PERSON = Token("ghs_forge"), Token("ghp_octocat", login="octocat", kind=Kind.CLASSIC)
WHO = {
    "workflow": Who(WORKFLOW),
    "person": Who(PERSON),
    "branch-token": Who(WORKFLOW, branch_token=PERSON),
    "git": Who(WORKFLOW, method=CommitMethod.GIT),
}


@dataclass
class World:
    """A repository with a branch, a request, a comment and an issue of somebody, and what a flow wants of it."""

    hub: Hub
    site: Repository
    who: Who
    number: int  # of somebody's request
    engine: IndexNow

    def carry_out(self, step: Step, publishing: Publishing = PLAIN) -> Published:
        hub, token, branch_token = self.hub, self.who.token.value, self.who.branch_token
        forge = Forge(hub.api_url, self.site.full_name, token, hub.graphql_url, hub.server_url)
        authority = Authority(publishing, forge, branch_token=branch_token.value if branch_token else "")
        return apply([step], Path.cwd(), authority)

    def others(self) -> tuple[object, ...]:
        """What is somebody else's: it never changes."""
        name = self.site.full_name
        pulls = [(one.state, one.title, one.body) for one in self.hub.pulls[name] if one.head == THEIRS]
        said = [(one.issue, one.body) for one in self.hub.comments[name] if one.login == "mona"]
        issues = [(one.state, one.title, one.body) for one in self.hub.issues[name] if one.login == "mona"]
        kept = self.site.read("person.md", UPDATE) if self.site.head(UPDATE) else None
        return (self.site.head(THEIRS), pulls, said, issues, kept)

    def leftovers(self) -> list[str]:
        """Branches that are neither a person's nor that of the request."""
        return sorted({*self.site.refs("refs/heads/")} - {f"refs/heads/{name}" for name in ("main", THEIRS, UPDATE)})

    @property
    def pulls(self) -> list[Any]:
        return [one for one in self.hub.pulls[self.site.full_name] if one.head == UPDATE]

    @property
    def comments(self) -> list[str]:
        return [one.body for one in self.hub.comments[self.site.full_name] if one.login == self.who.token.login]

    @property
    def issues(self) -> list[str]:
        return [one.state for one in self.hub.issues[self.site.full_name] if one.login == self.who.token.login]


_NUMBERS = count()
Act = Callable[[World], Published]
Checks = Mapping[str, bool]  # what may be wrong → whether it is
Ends = Callable[[World, Published], Checks]


def world(hub: Hub, who: str, engine: IndexNow, earlier: tuple[Act, ...] = ()) -> World:
    """One in which these acts were done: made once, and copied."""
    made = WHO[who]
    hub.tokens |= {token.value: token for token in (made.token, made.branch_token) if token}
    name = f"octo-org/{'-'.join(['site', who, *(act.__name__ for act in earlier)])}"
    if not (kept := hub.repositories.get(name)):
        kept = hub.repository(name)
        kept.commit({PATH: "old"})
        kept.commit({"notes.md": "theirs"}, THEIRS)
        pull = hub.open_pull(kept, THEIRS, title="Theirs", body="Theirs")
        hub.open_issue(kept, "Sitemap", f"Theirs\n\n{MARK.lines('x')}")
        hub.comment(kept, pull.number, f"{MARKER}Theirs")
        for act in earlier:
            act(World(hub, kept, made, pull.number, engine))
    (number,) = (one.number for one in hub.pulls[name] if one.head == THEIRS)
    return World(hub, hub.copy(kept, f"{name}-{next(_NUMBERS)}"), made, number, engine)


# --- what is done ---


def commit(at: World) -> Published:
    step = CommitFiles("main", at.site.head(), Counts(1, 0, 0), MARK, (FileChange(PATH, b"new"),))
    return at.carry_out(step, Publishing(branch="main", run="command-line", method=at.who.method))


def request(at: World, contents: str = "", options: Publishing = PLAIN) -> Published:
    changes = (FileChange(PATH, contents.encode()),) if contents else ()
    step = SyncPullRequest(UPDATE, "main", at.site.head(), Counts(1, 0, 0), MARK, "The report", changes)
    return at.carry_out(step, replace(options, method=at.who.method))


def person_commits(at: World) -> Published:
    at.site.commit({"person.md": "a person's"}, UPDATE)
    return Published()


def base_changes(at: World) -> Published:
    at.site.commit({PATH: "other"})
    return Published()


def comment(at: World, text: str = "The report") -> Published:
    return at.carry_out(UpsertComment(at.number, "sitemap", text, create=True), Publishing(number=at.number))


def two_comments(at: World) -> Published:
    """As two jobs at once leave them."""
    for _ in range(2):
        at.hub.comment(at.site, at.number, f"{MARKER}Earlier", login=at.who.token.login)
    return Published()


def issue(at: World, text: str = "The report", state: IssueState = IssueState.OPEN) -> Published:
    return at.carry_out(SyncIssue(MARK, "Sitemap", text, state), Publishing(issue=True))


def two_issues(at: World) -> Published:
    for _ in range(2):
        at.hub.open_issue(at.site, "Sitemap", f"Earlier\n\n{MARK.lines('x')}", login=at.who.token.login)
    return Published()


def submit(at: World) -> Published:
    step = SubmitUrls(f"{at.engine.origin}/", (f"{at.engine.origin}/a/", f"{at.engine.origin}/b/"))
    access = Access(allow_private_hosts=("127.0.0.1",))
    return indexnow.submit_urls(step, KEY, access, endpoint=at.engine.url)


# --- how it ends ---


def committed(at: World, done: Published) -> Checks:
    return {
        "the file": at.site.read(PATH) != b"new",
        "the commit": done.commit != at.site.head(),
        "a second commit": len(at.site.log("main")) != 3,
    }


def requested(text: str, operation: Operation, commits: int = 1) -> Ends:
    def ends(at: World, done: Published) -> Checks:
        return {
            "the request": [one.state for one in at.pulls] != ["open"],
            "the file": at.site.read(PATH, UPDATE) != text.encode(),
            "the commit": done.commit != at.site.head(UPDATE),
            "the commits": len(at.site.log(f"main..{UPDATE}")) != commits,
            "the outputs": (done.number, done.operation, done.branch) != (at.pulls[0].number, operation, UPDATE),
        }

    return ends


def with_options(at: World, done: Published) -> Checks:
    (pull,) = at.pulls
    return {
        **requested("new", Operation.CREATED)(at, done),
        "labels": pull.labels != ["seo"],
        "assignees": pull.assignees != ["mona"],
        "reviewers": pull.reviewers != ["hubot", "octo-org/docs"],
        "auto-merge": pull.auto_merge != "squash",
        "signature": "\nSigned-off-by: " not in at.site.message(at.site.head(UPDATE)),
    }


def closed(at: World, done: Published) -> Checks:
    return {
        "the request": [one.state for one in at.pulls] != ["closed"],
        "the branch": bool(at.site.head(UPDATE)),
        "the outputs": (done.number, done.operation) != (at.pulls[0].number, Operation.CLOSED),
    }


def commented(at: World, _: Published) -> Checks:
    return {"the comment": at.comments != [f"{MARKER}The report"]}


def reported(*states: str) -> Ends:
    return lambda at, done: {"the issue": sorted(at.issues) != [*states], "its number": not done.issue}


def submitted(at: World, done: Published) -> Checks:
    wanted = {f"{at.engine.origin}/a/", f"{at.engine.origin}/b/"} - {*done.pending}
    return {"the URLs": {*at.engine.submitted} < wanted, "a URL that nobody took": bool(done.pending)}


class Flow(NamedTuple):
    """`acts`: what is there already, and last what meets the fault."""

    says: str  # for the table
    acts: tuple[Act, ...]
    ends: Ends
    who: tuple[str, ...] = ("workflow",)


_CREATED, _UPDATED, EVERYBODY = Operation.CREATED, Operation.UPDATED, tuple(WHO)


def opens(at: World) -> Published:
    return request(at, "new")


def updates(at: World) -> Published:
    return request(at, "newer")


def opens_with_all(at: World) -> Published:
    return request(at, "new", FULL)


def comments_earlier(at: World) -> Published:
    return comment(at, "Earlier")


def reports_earlier(at: World) -> Published:
    return issue(at, "Earlier")


def reports_in_sync(at: World) -> Published:
    return issue(at, state=IssueState.CLOSED)


FLOWS = {
    "commit": Flow("commit", (commit,), committed, ("workflow", "git")),
    "open": Flow("pull request, new", (opens,), requested("new", _CREATED), EVERYBODY),
    "options": Flow("pull request, with every option", (opens_with_all,), with_options, EVERYBODY),
    "update": Flow("pull request, updated", (opens, updates), requested("newer", _UPDATED), ("workflow", "person", "git")),
    "kept": Flow("pull request, updated over a commit of a person", (opens, person_commits, updates), requested("newer", _UPDATED, 3), ("workflow", "git")),
    "conflict": Flow("pull request, in conflict with its base", (opens, base_changes, opens), requested("new", _UPDATED), ("workflow", "person", "git")),
    "close": Flow("pull request, closed", (opens, request), closed, ("workflow", "branch-token", "git")),
    "comment": Flow("comment, new", (comment,), commented),
    "update-comment": Flow("comment, updated", (comments_earlier, comment), commented),
    "two-comments": Flow("comment, one of two", (two_comments, comment), commented),
    "issue": Flow("issue, new", (issue,), reported("open")),
    "update-issue": Flow("issue, updated", (reports_earlier, issue), reported("open")),
    "close-issue": Flow("issue, closed", (issue, reports_in_sync), reported("closed")),
    "reopen-issue": Flow("issue, opened again", (issue, reports_in_sync, issue), reported("open")),
    "two-issues": Flow("issue, one of two", (two_issues, issue), reported("closed", "open")),
    "index-now": Flow("IndexNow", (submit,), submitted),
}  # fmt: skip
COMBINATIONS = [(name, who) for name, flow in FLOWS.items() for who in flow.who]


# --- a row ---


class Played(NamedTuple):
    done: Published
    wrong: str  # "" for nothing
    requests: int  # that the flow made

    @property
    def failed(self) -> bool:
        """Whether a step was not carried out, which is said."""
        return bool(self.done.error or self.done.pending or any("not up to date" in note for note in self.done.notes))


def play(hub: Hub, engine: IndexNow, name: str, who: str, fault: str = "", skip: int = 0) -> Played:
    """Play a flow: the request after so many others meets the fault, then the next run repairs what is left."""
    flow = FLOWS[name]
    *earlier, last = flow.acts
    at = world(hub, who, engine, tuple(earlier))
    engine.batches.clear()
    before, target = at.others(), engine if name == "index-now" else hub
    asked = _asked(target)
    if fault:
        target.fail(FAULTS[fault](), on="*", skip=skip)
    done = last(at)
    requests = _asked(target) - asked
    hub._planned.clear()
    engine.planned.clear()
    played = Played(done, "", requests)
    wrong = _wrong(at, flow, played, before)
    if (
        fault in PASSING and played.failed and (fault, name) != ("403 limit", "index-now")
    ):  # its 403 has another meaning
        wrong.append(f"it passes, and the flow failed: {done.error or done.notes}")
    if played.failed and not wrong:
        wrong += [f"next run: {what}" for what in wrong_after(at, name, last(at), before)]
    return played._replace(wrong="; ".join(wrong))


def _asked(target: "Hub | IndexNow") -> int:
    return len(target.log if isinstance(target, Hub) else target.asked)


def wrong_after(at: World, name: str, done: Published, before: tuple[object, ...]) -> list[str]:
    """What is wrong after the run that follows one that has failed, or was killed."""
    played = Played(done, "", 0)
    failed = [str(done.error or done.notes)] if played.failed else []
    return failed + _wrong(at, FLOWS[name], played, before, again=True)


def _wrong(at: World, flow: Flow, played: Played, before: tuple[object, ...], *, again: bool = False) -> list[str]:
    """What is wrong after a run, whether or not it has failed. Of the next run, outputs may say that it had less to do."""
    done, ours = played.done, [body for body in at.comments if body.startswith(MARKER)]
    checks = {
        "something of others has changed": at.others() != before,
        "a branch is left over": bool(at.leftovers()),
        "two requests": len(at.pulls) > 1,
        "two comments": len(ours) > max(1, 2 * (flow.acts[0] is two_comments)) or len(at.comments) - len(ours) > 1,
        "two open issues": at.issues.count("open") > max(1, 2 * (flow.acts[0] is two_issues)),
    }
    if played.failed:
        numbers = {0, *(one.number for one in at.pulls)}
        checks |= {
            "a commit that is not there": bool(done.commit) and not at.site.kind(done.commit),
            "a request that is not there": done.number not in numbers,
            "a failure without a step": bool(done.steps) and all(one.done for one in done.steps),
        }
    else:
        checks["a step that is not done"] = not all(one.done for one in done.steps)
        checks |= flow.ends(at, done)
    outputs = {"the outputs", "the commit", "its number", "the request that was closed"} if again else set()
    return [what for what, wrong in checks.items() if wrong and what not in outputs]
