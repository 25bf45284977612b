"""The registry of report formats."""

from sitemap_action.reports import json, markdown, text
from sitemap_action.reports.base import Format

FORMATS: dict[str, Format] = {
    "text": text.render,
    "json": json.render,
    "markdown": markdown.render,
}
