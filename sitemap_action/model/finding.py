"""Rules, and what they found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """`error` fails by default, `warning` fails only under strict, `info` never fails."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"


class Needs(StrEnum):
    """What a rule must see to be checked (spec section 0)."""

    FILE = "file"  # the bytes of one sitemap
    SET = "set"  # all files of it
    SITE = "site"  # what the crawl or the build shows
    LIVE = "live"  # answers of the production host
    BASELINE = "baseline"
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule as data; the id is stable within a major version."""

    id: str
    severity: Severity  # of its gravest case
    needs: Needs
    summary: str  # one sentence: what must hold
    source: str  # document and section, with address where public
    passes: str  # an example that must pass
    fails: str  # an example that must be reported
    tip: str = ""  # what to do about a finding
    cases: Mapping[str, Severity] = field(
        default_factory=dict
    )  # fault code → severity, where it differs from `severity`


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a rule found. `count` pages share it; `examples` names some of them."""

    rule: Rule
    severity: Severity
    message: str
    url: str = ""
    path: str = ""
    line: int = 0
    count: int = 1
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A rule that could not be checked in this run, and what would let it."""

    rule: str
    needs: str
    hint: str
