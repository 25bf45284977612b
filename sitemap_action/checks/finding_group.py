"""Findings that several pages share: one finding with a count, examples and the commonest causes."""

from collections import Counter

from msgspec import Struct, field

from sitemap_action.model.finding import Finding

GROUP_SIZE = 5
"""From this many on, findings of one code are one finding with a count and as many examples (spec section 0)."""

_NAMED, _COUNTED = 3, 1_000  # causes


class FindingGroup(Struct):
    """Findings of one code, in one accepted corner or outside of all."""

    first: list[Finding] = field(default_factory=list)
    count: int = 0
    causes: Counter[str] = field(default_factory=Counter)

    def count_one(self, cause: str) -> None:
        """`cause`: "" where the finding has none that another page may share."""
        self.count += 1
        if cause and (cause in self.causes or len(self.causes) < _COUNTED):
            self.causes[cause] += 1

    def commonest_causes(self) -> tuple[tuple[str, int], ...]:
        """Of equally many pages, that which came first."""
        return tuple(sorted(self.causes.items(), key=lambda one: -one[1])[:_NAMED])
