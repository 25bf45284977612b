"""The ledger (policy.ledger): every address that was ever published, one a line; read, compared, added to.

A line is a root-relative address, alone or with `gone DAY REASON` behind it. Order, equal lines, empty lines, comments
(#) and CRLF mean nothing, so that two branches may both add lines (`merge=union`); a declaration beats the bare line of
its address. Anything else is a finding with its place (LED-03).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from sitemap_action.config.accepted import MARK, MOST, read_day, read_text, with_lines
from sitemap_action.errors import ConfigError
from sitemap_action.model.finding import Ledger, LedgerLine
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.outcome import PolicyChange
from sitemap_action.web.urls import MAX_LENGTH, are_normalized, normal_form, origin

LEDGER_NAME = "urls.txt"
"""Its usual name, and the only one under which a process that publishes for another writes it."""
MANY = 50_000
"""Lines above which each section of a site is to have a ledger of its own."""
_HEADER = b"# Every address that was published: `sitemap-action ledger` adds, and nothing is removed.\n"
_PLAIN = r"/(?:[!\"$-.0-~][!\"$-~]*)?"  # most addresses: in printable ASCII, without a fragment
_LINE = lazy_re(rf"({_PLAIN})(?: gone ([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}) ([\w,.;(/][\w ,.;()/-]*))?", re.ASCII)
_SHOWN = 20  # changes of a pull request


def read_ledger(path: str, content: bytes | None, site_url: str) -> Ledger:
    """Raises ConfigError for a file that is too large to be one."""
    if content is None:
        return Ledger(path)
    if len(content) > MOST:
        hint = "give each section of the site a config and a ledger of its own"
        raise ConfigError(f"{path}: it holds more than {MOST:,} bytes", hint=hint)
    lines, faults = [], []
    text = content.removeprefix(MARK).replace(b"\r\n", b"\n").decode("latin-1")  # one character for each byte
    rows = text.split("\n")
    for number, plain in enumerate(map(_LINE.fullmatch, rows), 1):
        try:
            if plain:
                address, day, reason = plain.groups("")
                lines.append(LedgerLine(address, _read_day(day) if day else None, reason.rstrip(), number))
            elif line := read_text(rows[number - 1].encode("latin-1")):
                lines.append(_read_line(line, number))
        except ValueError as error:
            faults.append((number, str(error)))
    found = _fold(lines, faults, origin(site_url))
    return Ledger(path, found, tuple(sorted(faults)), content)


_read_day = cache(read_day)


def _read_line(text: str, number: int) -> LedgerLine:
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


def remarks(ledger: Ledger) -> Iterator[str]:
    """Notes for a report."""
    if ledger.path and ledger.content is None:
        yield f"{ledger.path} (policy.ledger) does not exist: `sitemap-action ledger` makes it"
    if len(ledger.lines) > MANY:
        advice = "give each section of the site a config and a ledger of its own (docs/ledger.md)"
        yield f"{ledger.path} has {len(ledger.lines):,} addresses, more than {MANY:,}: {advice}"


def changes(theirs: Ledger, ours: Ledger) -> tuple[PolicyChange, ...]:
    """Lines of the target branch that a change takes away, or declares gone (POL-01)."""
    found = []
    for url, line in theirs.lines.items():
        mine = ours.lines.get(url)
        if mine is None or (mine.gone and not line.gone):
            found.append(PolicyChange(ours.path, str(line), str(mine) if mine else "not there"))
    more = len(found) - _SHOWN
    rest = [PolicyChange(ours.path, f"{more:,} more addresses", "not there, or gone")] if more > 0 else []
    return (*sorted(found, key=lambda row: row.base)[:_SHOWN], *rest)


def with_addresses(content: bytes | None, lines: Iterable[LedgerLine]) -> bytes:
    """The file with new lines where they sort, bytewise; every other line stays as it is."""
    return with_lines(content, lines, _HEADER)
