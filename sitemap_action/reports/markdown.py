"""The report for a job summary or a comment: Markdown that nothing from a site can break out of."""

import re
from html import escape
from itertools import groupby

from sitemap_action.model.outcome import Outcome, Result
from sitemap_action.reports.base import Row, Section, advice, facts, headline, notes, sections
from sitemap_action.web.printable import printable

_MOST = 50  # rows of one section
_BUDGET = 60_000  # bytes: a comment holds 65,536 characters, a summary more
_LONGEST = 500  # characters of one code span; the JSON report has them all
# A word of letters and digits may be an issue or a commit (GH-1, 0a1b2c3), so the two do not mix.
_WORD = r"(?:[^\W\d_]+(?:[-’'][^\W\d_]+)*|\d{1,6}(?:,\d{3})*%?)"
_PLAIN = re.compile(rf"{_WORD}[.,:;!?)]?|\({_WORD}\)?[.,:;]?|[→–…%,;.()-]")
_BACKTICKS = re.compile("`+")


def render(outcome: Outcome) -> str:
    parts = [f"### {_sign(outcome)} Sitemap: {headline(outcome)}\n"]
    if outcome.causes:
        parts.append("\n".join(f"- {inline(cause)}" for cause in outcome.causes) + "\n")
    rows = (f"| {name} | {_cell(value)} |" for name, value in facts(outcome))
    parts.append("\n".join(["| | |", "|---|---|", *rows]) + "\n")
    parts += [f"> {inline(note)}\n" for note in notes(outcome)]
    found = sections(outcome)
    size = sum(len(part.encode()) for part in parts)
    for index, section in enumerate(found):
        part = _section(section)
        size += len(part.encode())
        if size > _BUDGET:
            parts.append(f"… and {len(found) - index} more sections: the JSON report has everything.\n")
            break
        parts.append(part)
    if todo := advice(outcome):
        parts.append(f"**What to do:** {inline(todo)}\n")
    return "\n".join(parts)


def _sign(outcome: Outcome) -> str:
    if outcome.exit_code == 0:
        return "✅"
    return "❔" if outcome.result is Result.INCONCLUSIVE else "❌"


def _section(section: Section) -> str:
    """A folded block: between its summary and the rows stands the empty line that turns Markdown on again."""
    fold = " open" if section.open else ""
    lines = [f"<details{fold}><summary>{_title(section.title)} ({len(section.rows):,})</summary>\n"]
    lines += [_row(row) for row in section.rows[:_MOST]]
    if len(section.rows) > _MOST:
        lines.append(f"- … and {len(section.rows) - _MOST:,} more")
    if section.tip:
        lines.append(f"\n{inline(section.tip)}")
    return "\n".join([*lines, "\n</details>\n"])


def _title(title: str) -> str:
    """What `inline` does, in a line of HTML: Markdown is off there, mentions are not."""
    words = (escape(word) if _PLAIN.fullmatch(word) else f"<code>{escape(word)}</code>" for word in title.split())
    return printable(" ".join(words))


def _row(row: Row) -> str:
    place = f" {code(row.place)}" if row.place else ""
    detail = f" {inline(row.detail)}" if row.detail else ""
    tip = f"<br>{inline(row.tip)}" if row.tip else ""
    return f"- {code(row.subject)}{detail}{place}{tip}"


def inline(text: str) -> str:
    """Plain words as they are, all others as code: no link, mention, tag or emphasis can come of it."""
    parts: list[str] = []
    for plain, words in groupby(printable(text).split(), key=lambda word: _PLAIN.fullmatch(word) is not None):
        run = " ".join(words)
        parts.append(run if plain else _coded(run))
    return " ".join(parts)


def _coded(run: str) -> str:
    """What already stands in backticks needs no second pair, and a final full stop or comma stays outside."""
    bare = run.rstrip(".,:;")
    quoted = bare.count("`") == 2 and bare.startswith("`") and bare.endswith("`")
    return code(bare.strip("`") if quoted else bare) + run[len(bare) :] if bare else run


def _cell(text: str) -> str:
    """A bare pipe would end the cell, in code too."""
    return code(text).replace("|", "\\|")


def code(text: str) -> str:
    """A code span whose fence is longer than any run of backticks inside."""
    text = printable(text) or " "
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    runs = _BACKTICKS.findall(text)
    fence = "`" * (max(map(len, runs)) + 1 if runs else 1)
    return f"{fence} {text} {fence}" if runs else f"{fence}{text}{fence}"
