"""Values of a batch of entries that cannot be used: they are read as absent, and counted (SM-40, SM-48, SM-49)."""

import re

from sitemap_action.sitemap.dates import parse_date
from sitemap_action.sitemap.protocol import FREQUENCIES, is_priority
from sitemap_action.store.listed import EntryBatch

# Valid in any year; what is not matched is parsed.
_DAY = r"(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31"
_TIME = r"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d)"
_DATES = re.compile(rf"(?:(?:[12]\d{{3}}-(?:{_DAY})(?:{_TIME})?+)?+\n)*+", re.ASCII)


def value_faults(part: EntryBatch) -> dict[str, int]:
    """Fault code -> number of entries; one pass over each column, and a second one only where that finds a fault."""
    found = {}
    if part.dates and not _DATES.fullmatch(f"{part.dates}\n"):
        found["date"] = sum(1 for text in part.dates.split("\n") if text and parse_date(text) is None)
    if part.frequencies:
        words = part.frequencies.split("\n")
        unknown = set(words).difference(FREQUENCIES, ("",))
        found["changefreq"] = sum(1 for text in words if text in unknown) if unknown else 0
    if part.priorities:
        numbers = part.priorities.split("\n")
        wrong = {text for text in set(numbers) if text and not is_priority(text)}
        found["priority"] = sum(1 for text in numbers if text in wrong) if wrong else 0
    return {code: many for code, many in found.items() if many}
