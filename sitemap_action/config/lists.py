"""The two lists that a config names, one line a row: accepted rows (policy.accepted) and the ledger (policy.ledger).

A line of accepted rows is CLASS or RULE, URL or path, day and reason, with tabs between. A line of the ledger, which
has every address that was ever published, is a root-relative address, alone or with `gone DAY REASON` behind it; a
declaration beats the bare line of its address. Order, equal lines, empty lines, comments (#) and CRLF mean nothing, so
that two branches may both add lines (`merge=union`). Whatever else is there was written by a pull request: it is an
error, or of the ledger a finding (LED-03), with its place. Lines that stay are not touched.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from itertools import takewhile

from sitemap_action.config.types import RuleNames, did_you_mean
from sitemap_action.errors import ConfigError
from sitemap_action.model.finding import AcceptedLine, Ledger, LedgerLine
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import PolicyChange
from sitemap_action.model.site import Reason
from sitemap_action.web.printable import printable
from sitemap_action.web.urls import MAX_LENGTH, BadUrl, are_normalized, normal_form, origin

MISSING = "missing"
"""The name of a page that belongs in the sitemap and is not there."""
WHOLE_SITE = "."
"""The subject of a finding on no page and no file."""
CLASSES = frozenset(reason.value for reason in Reason if reason is not Reason.UNDETERMINED) | {MISSING}

MARK = b"\xef\xbb\xbf"
_HEADER = b"# Known faults, which fail no check: `sitemap-action accept` adds, `accept --prune` removes.\n"
MOST = 20_000_000  # bytes of a list: some 200,000 lines
_LONGEST = 8_192  # characters of a line
_SHOWN = 50  # problems
_TABS = lazy_re(r"\t+")
_CONFLICT = lazy_re(r"(?:<{7}|\|{7}|={7}|>{7})(?: |$)")
_DAY = lazy_re(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_HINT = "correct these lines: CLASS or RULE, URL or path, day and reason, with a tab between each"


def read_accepted(path: str, content: bytes | None, rules: RuleNames) -> tuple[AcceptedLine, ...]:
    """Every line, equal ones too; `rules`: ids that may be accepted. Raises ConfigError, with each bad line's place."""
    if content is None:
        return ()
    _refuse_large(path, content, "mend what is wrong, then prune the list")
    found, problems = [], []
    for number, raw in enumerate(content.removeprefix(MARK).split(b"\n"), 1):
        try:
            if (line := _read_line(raw, number, rules)) is not None:
                found.append(line)
        except ValueError as error:
            problems.append(f"{path}:{number}: {error}")
    if problems:
        more = len(problems) - _SHOWN
        shown = [*problems[:_SHOWN], *([f"and {more:,} more problems"] if more > 0 else [])]
        raise ConfigError("\n".join(shown), hint=_HINT)
    return tuple(found)


def _refuse_large(path: str, content: bytes, hint: str) -> None:
    if len(content) > MOST:
        raise ConfigError(f"{path}: it holds more than {MOST:,} bytes", hint=hint)


def _read_text(raw: bytes) -> str:
    """The text of a line of a list; "" for an empty line and a comment. Raises ValueError with what is wrong."""
    if len(raw) > _LONGEST * 4:
        raise ValueError(f"a line holds at most {_LONGEST:,} characters")
    try:
        text = raw.decode().removesuffix("\r")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    if _CONFLICT.match(text):
        raise ValueError("a merge conflict is not resolved")
    if len(text) > _LONGEST:
        raise ValueError(f"a line holds at most {_LONGEST:,} characters")
    if printable(bare := text.replace("\t", " ")) != bare:
        raise ValueError(f"it has a character that nobody sees: {printable(bare)[:100]}")
    return "" if text.lstrip().startswith("#") else text.strip()


def _read_line(raw: bytes, number: int, rules: RuleNames) -> AcceptedLine | None:
    """None where a line says nothing. Raises ValueError."""
    if not (text := _read_text(raw)):
        return None
    parts = [part.strip() for part in _TABS.split(text, maxsplit=3)]
    if len(parts) < 4 or not all(parts):
        raise ValueError(f"a line has four columns with tabs between, and this one has {len(parts)}: {text[:100]}")
    name, subject, day, reason = parts
    if name not in CLASSES and name not in rules:
        asked = did_you_mean(name[:100], [*CLASSES, *rules])
        raise ValueError(f"{name[:100]} is no class of removal, not {MISSING}, and no rule that can be accepted{asked}")
    return AcceptedLine(name, subject, read_day(day), reason, number)


@cache
def read_day(text: str) -> date:
    """Raises ValueError."""
    if not _DAY.fullmatch(text):
        raise ValueError(f"{text[:40]} is no day such as 2026-11-24")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text} is no day of the calendar") from None


def index(lines: Iterable[AcceptedLine], site_url: str) -> Mapping[tuple[str, str], AcceptedLine]:
    """The lines by name and each spelling of the subject; of those for one row the oldest counts."""
    found: dict[tuple[str, str], AcceptedLine] = {}
    for line in sorted(lines, key=lambda one: (one.day, one.reason, one.subject)):
        for subject in spellings(line.subject, site_url):
            found.setdefault((line.name, subject), line)
    return found


def spellings(subject: str, site_url: str) -> Iterator[str]:
    """The subject as it is written, and as the URL in normal form that it stands for."""
    yield subject
    whole = subject
    if subject.startswith("/"):
        try:
            whole = origin(site_url) + subject
        except BadUrl:
            return
    if (normal := normal_form(whole)) and normal != subject:
        yield normal


# --- the file as it will be ---


def with_lines(content: bytes | None, lines: Iterable[AcceptedLine | LedgerLine], header: bytes = _HEADER) -> bytes:
    """The file with new lines, each before the first that sorts behind it; a comment stays with the line below it."""
    mark = MARK if content and content.startswith(MARK) else b""
    old = (header if content is None else content.removeprefix(mark)).splitlines(keepends=True)
    ending = b"\r\n" if old and old[0].endswith(b"\r\n") else b"\n"
    if old and not old[-1].endswith(b"\n"):
        old[-1] += ending
    new = sorted(str(line).encode() for line in lines)
    made: list[bytes] = [*takewhile(_is_comment, old)]  # of the whole file
    above: list[bytes] = []  # comments on the next line
    place = 0
    for raw in old[len(made) :]:
        if _is_comment(raw):
            above.append(raw)
            continue
        while raw.strip() and place < len(new) and new[place] < raw.strip():
            made.append(new[place] + ending)
            place += 1
        made += [*above, raw]
        above = []
    return mark + b"".join([*made, *above, *(one + ending for one in new[place:])])


def _is_comment(line: bytes) -> bool:
    return line.lstrip().startswith(b"#")


def without_lines(content: bytes, numbers: Collection[int]) -> bytes:
    """The file without the lines of these numbers."""
    rows: Sequence[bytes] = content.split(b"\n")
    kept = [row for number, row in enumerate(rows, 1) if number not in numbers]
    return b"\n".join(kept)


# --- the ledger ---

LEDGER_NAME = "urls.txt"
"""Its usual name, and the only one under which a process that publishes for another writes it."""
MANY = 50_000
"""Lines above which each section of a site is to have a ledger of its own."""
_LEDGER_HEADER = b"# Every address that was published: `sitemap-action ledger` adds, and nothing is removed.\n"
_PLAIN = r"/(?:[!\"$-.0-~][!\"$-~]*)?"  # most addresses: in printable ASCII, without a fragment
_LEDGER_LINE = lazy_re(rf"({_PLAIN})(?: gone ([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}) ([\w,.;(/][\w ,.;()/-]*))?", re.ASCII)
_SHOWN_CHANGES = 20  # changes of a pull request


def read_ledger(path: str, content: bytes | None, site_url: str) -> Ledger:
    """Raises ConfigError for a file that is too large to be one."""
    if content is None:
        return Ledger(path)
    _refuse_large(path, content, "give each section of the site a config and a ledger of its own")
    lines, faults = [], []
    text = content.removeprefix(MARK).replace(b"\r\n", b"\n").decode("latin-1")  # one character for each byte
    rows = text.split("\n")
    for number, plain in enumerate(map(_LEDGER_LINE.fullmatch, rows), 1):
        try:
            if plain:
                address, day, reason = plain.groups("")
                lines.append(LedgerLine(address, read_day(day) if day else None, reason.rstrip(), number))
            elif line := _read_text(rows[number - 1].encode("latin-1")):
                lines.append(_read_ledger_line(line, number))
        except ValueError as error:
            faults.append((number, str(error)))
    found = _fold(lines, faults, origin(site_url))
    return Ledger(path, found, tuple(sorted(faults)), content)


def _read_ledger_line(text: str, number: int) -> LedgerLine:
    address, *declared = text.split(maxsplit=3)
    if not address.startswith("/") or address.startswith("//") or "#" in address:
        raise ValueError(f"it is no root-relative address such as /old/: {address[:100]}")
    if not declared:
        return LedgerLine(address, line=number)
    if len(declared) < 3 or declared[0] != "gone":
        raise ValueError(f"behind an address stands `gone DAY REASON`, or nothing: {text[:100]}")
    return LedgerLine(address, read_day(declared[1]), declared[2], number)


def _fold(lines: Sequence[LedgerLine], faults: list[tuple[int, str]], base: str) -> dict[str, LedgerLine]:
    """Each URL with the line that counts."""
    urls = [base + line.address for line in lines]
    text = "".join([f"{url}\n" for url in urls])
    plain = max(map(len, urls), default=0) <= MAX_LENGTH and are_normalized(text.encode())
    urls = urls if plain else list(map(normal_form, urls))
    found = dict(zip(urls, lines, strict=True))
    if len(found) < len(lines) or "" in found:
        found = {}
        for url, line in zip(urls, lines, strict=True):
            if not url:
                faults.append((line.line, f"it is no address: {line.address[:100]}"))
            elif (known := found.get(url)) is None or known.gone is None:
                found[url] = line
            elif line.gone is not None and (known.gone, known.reason) != (line.gone, line.reason):
                faults.append((line.line, f"{line.address} is declared otherwise in line {known.line}"))
    return found


def ledger_remarks(ledger: Ledger) -> Iterator[str]:
    """Notes for a report."""
    if ledger.path and ledger.content is None:
        yield f"{ledger.path} (policy.ledger) does not exist: `sitemap-action ledger` makes it"
    if len(ledger.lines) > MANY:
        advice = "give each section of the site a config and a ledger of its own (docs/ledger.md)"
        yield f"{ledger.path} has {len(ledger.lines):,} addresses, more than {MANY:,}: {advice}"


def ledger_changes(theirs: Ledger, ours: Ledger) -> tuple[PolicyChange, ...]:
    """Lines of the target branch that a change takes away, or declares gone (POL-01)."""
    found = []
    for url, line in theirs.lines.items():
        mine = ours.lines.get(url)
        if mine is None or (mine.gone and not line.gone):
            found.append(PolicyChange(ours.path, str(line), str(mine) if mine else "not there"))
    more = len(found) - _SHOWN_CHANGES
    rest = [PolicyChange(ours.path, f"{more:,} more addresses", "not there, or gone")] if more > 0 else []
    return (*sorted(found, key=lambda row: row.base)[:_SHOWN_CHANGES], *rest)


def with_addresses(content: bytes | None, lines: Iterable[LedgerLine]) -> bytes:
    """The file with new lines where they sort, bytewise; every other line stays as it is."""
    return with_lines(content, lines, _LEDGER_HEADER)
