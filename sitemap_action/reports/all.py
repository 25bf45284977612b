"""The registry of report formats; the one that is asked for is imported, because a short run is mostly start-up."""

from sitemap_action.model.outcome import Outcome

FORMATS = ("text", "json", "markdown", "annotations")


def render(form: str, outcome: Outcome) -> str:
    """`form`: one of FORMATS."""
    match form:
        case "json":
            from sitemap_action.reports import json  # noqa: PLC0415

            return json.render(outcome)
        case "markdown":
            from sitemap_action.reports import markdown  # noqa: PLC0415

            return markdown.render(outcome)
        case "annotations":
            from sitemap_action.reports import annotations  # noqa: PLC0415

            return annotations.render(outcome)
        case _:
            from sitemap_action.reports import text  # noqa: PLC0415

            return text.render(outcome)


def summary(outcome: Outcome) -> str:
    """The report of a job: Markdown as a comment has it, with room for more rows."""
    from sitemap_action.reports import markdown  # noqa: PLC0415

    return markdown.summary(outcome)


def failure(message: str, hint: str) -> str:
    """The summary of a job whose run came to no verdict."""
    from sitemap_action.reports import markdown  # noqa: PLC0415

    return markdown.failure(message, hint)
