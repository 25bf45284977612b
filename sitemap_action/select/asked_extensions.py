"""Verdicts with extensions from what the pages state, where the config asks for any (`output.extensions`)."""

from collections.abc import Callable, Iterator

from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.select.criteria import SelectPolicy


def with_extensions(
    policy: SelectPolicy, decided: Callable[[], Iterator[tuple[KnownUrl, Verdict]]]
) -> Iterator[tuple[KnownUrl, Verdict]]:
    """`decided` yields every known URL with its verdict, and is called twice where an extension depends on all."""
    if not policy.output.extensions:
        return decided()
    from sitemap_action.select.page_extensions import PageExtensions  # noqa: PLC0415 - few configs ask for any

    extensions = PageExtensions(policy, (verdict for _, verdict in decided()))
    return ((row, extensions.applied(verdict)) for row, verdict in decided())
