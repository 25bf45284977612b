"""Rules, findings, rules that were not checked, the list of what is known and accepted, and the ledger."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import date
from enum import StrEnum
from heapq import nlargest
from typing import NamedTuple

from msgspec import Struct, field


class Place(NamedTuple):
    """Where a link or a rule is written."""

    path: str
    line: int = 0  # 0 where it was not found

    def __str__(self) -> str:
        return f"{self.path} line {self.line}" if self.line else self.path


class Severity(StrEnum):
    """`error` fails by default, `warning` fails only under strict, `info` never fails."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"


class Needs(StrEnum):
    """The input that a rule needs (spec section 0)."""

    FILE = "file"  # the bytes of one sitemap
    SET = "set"  # all its files
    SITE = "site"  # the pages of the crawl or the build
    LIVE = "live"  # responses of the production host
    BASELINE = "baseline"
    STATE = "state"


class Case(NamedTuple):
    """What a fault code of a rule stands for."""

    severity: Severity
    message: str


class Rule(Struct, frozen=True):
    """One rule as data; the id is stable within a major version."""

    id: str
    severity: Severity  # of its most severe case
    needs: Needs
    summary: str  # one sentence: what must hold
    source: str  # document and section, with address where public
    passes: str  # an example that must pass
    fails: str  # an example that must be reported
    tip: str = ""  # what to do about a finding
    cases: Mapping[str, Case] = field(default_factory=dict)  # by fault code


class AcceptedLine(Struct, frozen=True):
    """One row that is known: a line of the list at policy.accepted."""

    name: str  # a class of removal, `missing`, or the id of a rule
    subject: str  # URL, root-relative path, path of a file, or "." for the whole site
    day: date  # on which it was accepted
    reason: str
    line: int = 0  # its number in the file

    def __str__(self) -> str:
        return f"{self.name}\t{self.subject}\t{self.day}\t{self.reason}"


class AcceptedList(Struct, frozen=True):
    """The lines that hold, by name and each spelling of the subject."""

    path: str = ""
    rows: Mapping[tuple[str, str], AcceptedLine] = {}
    base: AbstractSet[tuple[str, str]] | None = None  # those of the target branch; None where `rows` are the base's

    def find(self, name: str, subject: str) -> AcceptedLine | None:
        return self.rows.get((name, subject)) if self.rows else None

    def known_before(self, name: str, subject: str) -> bool:
        """Whether the target branch knows a row that `find` has."""
        return self.base is None or (name, subject) in self.base


NOTHING_ACCEPTED = AcceptedList()


class LedgerLine(Struct, frozen=True, gc=False):
    """One address that was published: a line of the ledger (policy.ledger)."""

    address: str  # root-relative, as it is written
    gone: date | None = None  # the day on which it was declared gone
    reason: str = ""
    line: int = 0  # its number in the file; 0 where it may become one

    def __str__(self) -> str:
        return f"{self.address} gone {self.gone} {self.reason}" if self.gone else self.address


class Ledger(Struct, frozen=True):
    """Every address that was published, by its URL in normal form; of equal ones the declaration counts."""

    path: str = ""  # "" where there is no ledger
    lines: Mapping[str, LedgerLine] = {}
    faults: tuple[tuple[int, str], ...] = ()  # number of a line, and what is wrong with it (LED-03)
    content: bytes | None = None  # of the file

    def open_addresses(self) -> Iterator[str]:
        """URLs that a check has to resolve: of what is declared gone a listed page is known by itself."""
        return (url for url, line in self.lines.items() if not line.gone)

    def requested_addresses(self) -> Iterator[str]:
        """URLs that are asked for at a served site: of what is declared gone the newest declarations (LED-04)."""
        yield from self.open_addresses()
        gone = ((line.gone, url) for url, line in self.lines.items() if line.gone)
        yield from (url for _, url in nlargest(_ASKED, gone))


_ASKED = 100  # addresses that are declared gone: most sites have fewer, and each is a request
NO_LEDGER = Ledger()


class Finding(Struct, frozen=True):
    """One violation of a rule. `count` pages share it; `examples` names some of them."""

    rule: Rule
    severity: Severity
    message: str
    url: str = ""
    path: str = ""
    line: int = 0
    count: int = 1
    examples: tuple[str, ...] = ()
    causes: tuple[tuple[str, int], ...] = ()  # the commonest of the pages that share it, with their numbers
    accepted: str = ""  # why, and until when, the config accepts it with this severity (`checks`)
    acknowledged: AcceptedLine | None = None  # by which it fails nothing

    @property
    def explanation(self) -> str:
        """The message, with the commonest causes where pages share it, and their numbers where these differ."""
        left = self.count - sum(count for _, count in self.causes)
        if not self.causes or (len(self.causes) == 1 and not left):
            return ": ".join((self.message, *(cause for cause, _ in self.causes)))
        stated = "; ".join(f"{cause} ({count:,})" for cause, count in self.causes)
        return f"{self.message}: {stated}{f'; other causes ({left:,})' if left else ''}"

    @property
    def place(self) -> str:
        """`path:line`, as far as it is known."""
        return f"{self.path}:{self.line}" if self.path and self.line else self.path

    @property
    def subject(self) -> str:
        """The pages that it is about; "" when it is about a whole file or site."""
        return ", ".join(self.examples) or self.url

    @property
    def full_message(self) -> str:
        """The message with its causes, the number of pages that share it and why it is accepted."""
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{self.explanation}{times}{f' (accepted: {self.accepted})' if self.accepted else ''}"

    @property
    def sentence(self) -> str:
        return f"{self.full_message}: {self.subject}" if self.subject else self.full_message


class NotChecked(Struct, frozen=True):
    """A rule that this run could not check, and the input that it needs."""

    rule: str
    needs: str
    hint: str
