"""Text that a site, a file name or a pull request may bring, and an outcome that holds it wherever such text stands."""

from datetime import date

from msgspec.structs import replace

from fakes import at, run_info
from sitemap_action.checks.all import SITE_RULES
from sitemap_action.model.context import RunIdentity
from sitemap_action.model.finding import AcceptedLine, AcceptedList, Finding, Needs, NotChecked, Rule, Severity
from sitemap_action.model.outcome import (
    Accepted,
    Acknowledged,
    Added,
    Cause,
    CauseKind,
    Changed,
    Diff,
    Flip,
    LedgerDifference,
    Links,
    Outcome,
    Removed,
    RenderedRow,
    ReportDetails,
    Result,
    Skipped,
)
from sitemap_action.model.page import DocumentSummary
from sitemap_action.model.site import ProposalKind, ProposedRedirect, Reason
from sitemap_action.model.sitemap import FileVersions, SitemapFile

HOSTILE = (
    "`code` and ``more``",
    "```",
    "ends with a backslash\\",
    "a|b\\|c || d",
    "<script>alert(1)</script>",
    "</code></summary></details><img src=x onerror=alert(1)>",
    "<!-- hidden",
    "@maintainer please look",
    "octo/repo#1 #123 GH-1 deadbeef1 0123456",
    "[a link](https://evil.example/) ![picture](https://evil.example/p.png)",
    "[reference][1]\n\n[1]: https://evil.example/",
    "https://evil.example/ http://evil.example www.evil.example mailto:a@evil.example a@evil.example",
    "<https://evil.example/>",
    "**bold** _em_ ~~gone~~ *x*",
    "# heading",
    "- [x] done",
    "> quote",
    "    indented code",
    "&lt;b&gt; &#60;b&#62;",
    "##[error]planted",
    "text ##[error]planted",
    "::error::planted",
    "  ::set-output name=x::y",
    "line\nbreak\r\n::error::planted\n| a | b |\n|---|---|",
    "\x1b[31mred\x07",
    "right\u202eto left\u2028separator",
    "a \udcff file name that is not UTF-8",
    "",
    " ",
)

RULE = Rule("SM-40", Severity.ERROR, Needs.FILE, "a date", "a source", "a pass", "a fail", "Correct it.")


def _flip(text: str) -> Flip:
    pages = ((at("/a/"), at("/a")), (at("/b/"), at("/b")))
    return Flip((text,), pages, 1, (Removed(text, Reason.GONE, text),))


def _acknowledged(text: str) -> Acknowledged:
    line = AcceptedLine("gone", text, date(2026, 11, 24), text, 3)
    rows = (
        Removed(text, Reason.GONE, text, line=7, path=text),
        Finding(RULE, Severity.ERROR, text, text, text, 7),
        text,
    )
    return Acknowledged(rows=tuple(Accepted(line, row) for row in rows))


def _proposal(text: str) -> ProposedRedirect:
    others = ((text, 0.5),)
    return ProposedRedirect(at("/lost"), text, ProposalKind.CHOOSE, 0.75, text, others, text, 7, text)


def _ledger(text: str) -> LedgerDifference:
    row = Removed(text, Reason.GONE, text, line=7, path=text, since="2026-01-31", broken_by=text)
    return LedgerDifference(text, 9, dead=(replace(row, proposal=_proposal(text)),), long_ways=(row,))


def everything(text: str) -> Outcome:
    """One row of every kind, each with this text in every place that is not ours."""
    run = run_info(
        location=text,
        sitemap=text,
        baseline=text,
        same_baseline=False,
        incomplete=(f"{text} reason",),
        notes=(text,),
    )
    known = RunIdentity("2026-01-31T12:30:00Z", text, text, text, 7, text, text, text)
    return Outcome(
        result=Result.DRIFT,
        exit_code=1,
        run=replace(run, baseline=replace(run.baseline, accepted=AcceptedList(text)), identity=known),
        diff=Diff(
            missing=(text,),
            extra=(Removed(text, Reason.GONE, text, line=7, path=text),),
            added=(Added(text, text),),
            removed=(
                Removed(text, Reason.GONE, text, text, 404, 7, text, links=Links(text, 3, text, 7)),
                Removed(at("/bare"), Reason.MOVED),
            ),
            changed=(Changed(text, (("lastmod", text, text),)),),
            skipped=(
                Skipped(text, Reason.DEINDEXED, text, text),
                Skipped(text, Reason.GONE, text, text, Links(text, 1, text, 7)),
            ),
            undetermined=(Skipped(text, Reason.UNDETERMINED, text, text),),
            listed=9,
            stale_flips=(_flip(text),),
            flips=(_flip(text),),
            acknowledged=_acknowledged(text),
            ledger=_ledger(text),
        ),
        causes=(Cause(CauseKind.GUARD, text, "policy.required"),),
        guards=(Cause(CauseKind.GUARD, text, "policy.required"),),
        findings=(
            Finding(RULE, Severity.ERROR, text, text, text, 7),
            Finding(RULE, Severity.ERROR, text, count=5, examples=(text, text)),
            Finding(RULE, Severity.WARNING, text),
            Finding(SITE_RULES["LED-01"], Severity.ERROR, text, count=2),
            Finding(SITE_RULES["HTML-73"], Severity.WARNING, text, text, text, 7),
        ),
        not_checked=(NotChecked("SM-30", "robots.txt", text),),
        files=(SitemapFile("sitemap.xml", b"", 9),),
        blocked=Cause(CauseKind.GUARD, text),
        details=ReportDetails(
            patch=(FileVersions(text, b"a\n", f"{text}\n".encode(errors="replace")),),
            rendered=(RenderedRow(text, *(DocumentSummary(text * n, text, (text,), n, n) for n in (1, 2))),),
        ),
    )
