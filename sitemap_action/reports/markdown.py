"""The report for a job summary or a comment: Markdown that nothing from a site can break out of."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from shlex import quote

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import Outcome, RenderedRow, Result
from sitemap_action.model.wording import file_name, json_report, plural
from sitemap_action.reports.advice import advice, causes, counts, describe_counts, facts, identity, notes, verdict
from sitemap_action.reports.item_lists import Section, sections
from sitemap_action.reports.items import Item
from sitemap_action.reports.picture import page_history, site_picture
from sitemap_action.web.printable import printable

_MOST = 50  # rows of one section
_LONG = 20  # rows of one section, that is folded where it has more
_BUDGET = 60_000  # bytes: a comment holds 65,536 characters
_MOST_RENDERED, _SHORT = 10, 120  # pages as served and as rendered, and characters of a value
_SUMMARY_MOST = 1_000
_SUMMARY_BUDGET = 900 * 1024  # bytes: past 1 MiB the runner drops the whole summary of a step
_FOOT = 2_000  # bytes kept for what comes after the sections
_LONGEST = 500  # characters of one code span; the JSON report has them all
# A word that mixes letters and digits may be an issue or a commit (GH-1, 0a1b2c3).
_WORD = r"(?:[^\W\d_]+(?:[-’'][^\W\d_]+)*|\d{1,6}(?:,\d{3})*%?)"
_PLAIN = lazy_re(rf"{_WORD}\)?[.,:;!?]?|\({_WORD}\)?[.,:;]?|[→–…%,;.()-]")
_QUOTED = lazy_re(r"(?<!\S)(`[^`]+`[.,:;]*)(?!\S)")
_ADDRESS = lazy_re(r"https?://[A-Za-z0-9.:-]+(?:/[A-Za-z0-9_.-]+)+")
_BACKTICKS = lazy_re("`+")
_BETWEEN = lazy_re(r"([,;] )")


def render(outcome: Outcome) -> str:
    """The report for a comment."""
    return _fit_sections(outcome, _BUDGET, _MOST, json_report())


def summary(outcome: Outcome, kept: str = "", action: str = "", reports: Sequence[str] = ()) -> str:
    """The report for the summary of a job, which holds more.

    `kept`: folder of the generated sitemap, `action`: owner/name, `reports`: paths of the files with the full report.
    """
    where = " or ".join(reports) or json_report()
    text = _fit_sections(outcome, _SUMMARY_BUDGET, _SUMMARY_MOST, where)
    full = f"**Full report:** {', '.join(map(code, reports))} in the workspace of this job.\n" if reports else ""
    return "\n".join(filter(None, (text, full, _how_to_write(outcome, kept, action) if kept else "")))


def _how_to_write(outcome: Outcome, kept: str, action: str) -> str:
    """How to get the files without a run of one's own (B-07)."""
    run, repository = outcome.run, f"https://github.com/{action}"
    source = "--path" if run.source.kind == "folder" else "--url"
    sitemap = file_name(run.sitemap)
    flags = (source, run.source.location, "--site-url", run.site_url, "--sitemap", sitemap)
    write = " ".join(("write", *(quote(printable(flag)) for flag in flags)))
    when = "failure" if outcome.exit_code else "always"
    upload = f"a later step with actions/upload-artifact, if: {when}() and include-hidden-files: true, offers it"
    return (
        f"**The sitemap as it should be** is in {code(kept)} of this job: {inline(upload)}; "
        f"or write {code(sitemap)} yourself, with one of\n\n"
        f"```sh\npipx run --spec git+{repository} sitemap-action {write}\n"
        f'docker run --rm -v "$PWD:/site" -w /site "$(docker build -q {repository}.git)" {write}\n```\n'
    )


def failure(message: str, hint: str) -> str:
    """The summary of a run that reached no verdict."""
    lines = [*message.splitlines()[:_MOST], *([f"What to do: {hint}"] if hint else [])]
    return "### ❌ Sitemap: it could not be checked\n\n" + "".join(f"- {inline(line)}\n" for line in lines)


def _fit_sections(outcome: Outcome, budget: int, most: int, where: str) -> str:
    """Sections in order as long as there is room, each cut at a row; `where`: what has all rows."""
    parts, last = _head(outcome), _comparison(outcome) + _identity(outcome)
    room = budget - sum(map(_size, (*parts, last))) - _FOOT
    found = sections(outcome)
    for index, section in enumerate(found):
        part = _section(section, room, most, where)
        if not part:
            parts.append(f"… and {len(found) - index} more sections: the full list is in {inline(where)}.\n")
            break
        room -= _size(part)
        parts.append(part)
    parts += _rendered_block(outcome, room, where)
    return "\n".join([*parts, last])


def _head(outcome: Outcome) -> list[str]:
    """Result and counts in one line, why, and each count in a table."""
    beside = f" ({describe_counts(outcome)})" if describe_counts(outcome) else ""
    parts = [f"### {_sign(outcome)} Sitemap: {inline(verdict(outcome))}{beside}\n"]
    if explained := causes(outcome):
        parts.append("\n".join(f"- {inline(cause)}" for cause in explained) + "\n")
    names, numbers = zip(*counts(outcome), strict=True)
    rule = "|".join("---" for _ in names)
    parts.append(f"| {' | '.join(names)} |\n|{rule}|\n| {' | '.join(f'{number:,}' for number in numbers)} |\n")
    parts += [*_picture(outcome), *([f"{inline(past)}\n"] if (past := page_history(outcome)) else [])]
    if shown := [_linked(inline(note), outcome.published.url) for note in notes(outcome)]:
        parts.append("".join(f"> {'- ' if len(shown) > 1 else ''}{note}\n" for note in shown))
    return [*parts, *([f"**What to do:** {inline(todo)}\n"] if (todo := advice(outcome)) else [])]


def _picture(outcome: Outcome) -> list[str]:
    """The sections with a difference, before and after, as a table of bars; nothing where there is none."""
    whole = site_picture(outcome)
    rows = [row for row in whole if row.differences]
    if not rows or sum(row.level == 1 for row in whole) < 2:
        return []
    most = max(row.kept + row.differences for row in rows[1:])
    lines = [
        f"| {'whole site' if not row.level else code(row.path) if row.path else plural(row.sections, 'other section')} "
        f"| {row.pages_before:,} | {row.pages_after:,} | {code(row.bar(most)) if row.level else ''} |"
        for row in rows
    ]
    head = "| section | pages before | after | ■ kept ~ moved - removed + added ? no answer |\n|---|--:|--:|---|"
    return [f"{head}\n" + "\n".join(lines) + "\n"]


def _linked(text: str, url: str) -> str:
    """With the address of our pull request as a link: it comes from the forge, not from the site."""
    return text.replace(code(url), url) if _ADDRESS.fullmatch(url) else text


def _comparison(outcome: Outcome) -> str:
    rows = "\n".join(f"- {name}: {code(value)}" for name, value in facts(outcome))
    return f"<details><summary>What was compared</summary>\n\n{rows}\n\n</details>\n"


def _identity(outcome: Outcome) -> str:
    """Which run the report is of, in one line; "" where only the tool is known."""
    if not outcome.run.identity.date:
        return ""
    shown = [value if name == "log" else f"{name} {code(value)}" for name, value in identity(outcome)]
    return f"\n{' · '.join(shown)}\n"


def _size(text: str) -> int:
    return len(text.encode()) + 1  # the line break between parts


def _sign(outcome: Outcome) -> str:
    if outcome.exit_code == 0 and not outcome.in_issue:
        return "✅"
    return "❔" if outcome.result is Result.INCONCLUSIVE else "❌"


def _section(section: Section, room: int, most: int, where: str) -> str:
    """A folded block: the empty line between its summary and the rows turns Markdown on again.

    "" where not even one row has room.
    """
    fold = " open" if section.open and len(section.rows) <= _LONG else ""
    shared = f": {_title(_clip(section.shared))}" if section.shared else ""
    title = f"<b>{_title(section.title)} ({len(section.rows):,})</b>{shared}"
    lines = [f"<details{fold}><summary>{title}</summary>\n"]
    tip = [f"\n{inline(section.tip)}"] if section.tip else []
    room -= sum(map(_size, (*lines, *tip, where))) + 200  # for the rest of the block
    shown = list(_fitting(map(_row, section.rows[:most]), room))
    if not shown:
        return ""
    if len(section.rows) > len(shown):
        tip = [f"- … and {len(section.rows) - len(shown):,} more: the full list is in {inline(where)}", *tip]
    return "\n".join([*lines, *shown, *tip, "\n</details>\n"])


def _rendered_block(outcome: Outcome, room: int, where: str) -> list[str]:
    """Pages as served and as rendered, a line each with what differs; nothing where none does, or there is no room."""
    rows = outcome.details.rendered
    head = f"<details><summary><b>Rendered pages ({len(rows):,})</b>: as served → as rendered</summary>\n"
    shown = list(_fitting(map(_rendered_row, rows[:_MOST_RENDERED]), room - _size(head) - len(where) - 100))
    if not shown:
        return []
    rest = [f"- … and {len(rows) - len(shown):,} more: {inline(where)}"] if len(rows) > len(shown) else []
    return ["\n".join([head, *shown, *rest, "\n</details>\n"])]


def _rendered_row(row: RenderedRow) -> str:
    changes = [
        f"{name} {code(before[:_SHORT]) if before else 'none'} → {code(after[:_SHORT]) if after else 'none'}"
        for name, before, after in row.values()
        if before != after
    ]
    return f"- {code(row.url)} {', '.join(changes)}"


def _fitting(rows: Iterable[str], room: int) -> Iterator[str]:
    for row in rows:
        room -= _size(row)
        if room < 0:
            return
        yield row


def _title(title: str) -> str:
    """What `inline` does, in a line of HTML, where Markdown is off and mentions are not."""
    return printable(" ".join(map(_title_word, title.split())))


def _title_word(word: str) -> str:
    if _is_plain(word):
        return escape(word)
    bare = word.rstrip(".,:;")
    return f"<code>{escape(bare)}</code>{word[len(bare) :]}"


def _row(row: Item) -> str:
    place = f" {code(row.place)}" if row.place else ""
    detail = f" {inline(row.explanation)}" if row.explanation else ""
    tip = f"<br>{inline(row.tip)}" if row.tip else ""
    subject = inline(row.subject) if row.mark == "?" else code(row.subject)  # a sentence, or a URL
    return f"- {subject}{detail}{place}{tip}"


def inline(text: str) -> str:
    """Plain words as they are, all others as code: the result contains no link, mention, tag or emphasis."""
    pieces = _QUOTED.split(printable(text))  # every second one is quoted
    parts = [_code_words(piece) if index % 2 else _words(piece) for index, piece in enumerate(pieces)]
    return " ".join(filter(None, parts))


def _words(text: str) -> str:
    parts: list[str] = []
    for plain, words in groupby(text.split(), key=_is_plain):
        run = " ".join(words)
        spans = [run] if plain or "`" in run else _BETWEEN.split(run)  # every second one is what separates two values
        parts.append(
            run if plain else "".join(one if index % 2 else _code_words(one) for index, one in enumerate(spans))
        )
    return " ".join(parts)


def _is_plain(word: str) -> bool:
    return len(word) <= _LONGEST and _PLAIN.fullmatch(word) is not None


def _code_words(run: str) -> str:
    """A code span; text in backticks gets no second pair, and final punctuation stays outside."""
    bare = run.rstrip(".,:;")
    quoted = bare.count("`") == 2 and bare.startswith("`") and bare.endswith("`")
    return code(bare.strip("`") if quoted else bare) + run[len(bare) :] if bare else run


def code(text: str) -> str:
    """A code span whose fence is longer than any run of backticks inside."""
    text = _clip(printable(text)) or " "
    runs = _BACKTICKS.findall(text)
    fence = "`" * (max(map(len, runs)) + 1 if runs else 1)
    return f"{fence} {text} {fence}" if runs else f"{fence}{text}{fence}"


def _clip(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
