"""One finding as every report shows it; each format lays its parts out."""

from collections.abc import Iterable

from msgspec import Struct

from sitemap_action.model.finding import Finding, NotChecked, Severity


class FindingRecord(Struct, frozen=True):
    """Every part may be hostile text but `rule`, `severity` and `tip`: to be escaped by the format."""

    rule: str
    severity: Severity
    message: str
    url: str
    path: str
    line: int
    count: int
    examples: tuple[str, ...]
    tip: str
    accepted: str = ""
    causes: tuple[tuple[str, int], ...] = ()

    @property
    def explained(self) -> str:
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
    def counted(self) -> str:
        """The message with its causes, the number of pages that share it and why it is accepted."""
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{self.explained}{times}{f' (accepted: {self.accepted})' if self.accepted else ''}"

    @property
    def sentence(self) -> str:
        return f"{self.counted}: {self.subject}" if self.subject else self.counted


def record(found: Finding) -> FindingRecord:
    return FindingRecord(
        rule=found.rule.id,
        severity=found.severity,
        message=found.message,
        url=found.url,
        path=found.path,
        line=found.line,
        count=found.count,
        examples=found.examples,
        tip=found.rule.tip,
        accepted=found.accepted,
        causes=found.causes,
    )


def unchecked(rows: Iterable[NotChecked]) -> list[tuple[str, str]]:
    """(rules, what they need and how they get it): rules that need the same are one row."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(f"needs {row.needs}: {row.hint}", []).append(row.rule)
    return [(", ".join(rules), text) for text, rules in found.items()]
