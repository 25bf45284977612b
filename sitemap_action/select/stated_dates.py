"""Dates that pages state about their media, in the form of a sitemap."""

from sitemap_action.sitemap.dates import normal_date
from sitemap_action.web.iso_time import parse_iso_time


def sitemap_date(text: str) -> str:
    """A day, or a time with its zone; of a time without one the day alone; "" for what is no date."""
    if found := normal_date(text):
        return found
    try:
        instant = parse_iso_time(text)
    except ValueError:
        return ""
    if instant.tzinfo is None:
        return instant.date().isoformat()
    return normal_date(instant.replace(microsecond=0).isoformat())
