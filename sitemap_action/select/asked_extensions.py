"""Verdicts with extensions from what the pages state, where the config asks for any (`output.extensions`)."""

from collections.abc import Callable, Iterator

from sitemap_action.config.entry_extensions import Extension
from sitemap_action.config.writing import OutputConfig
from sitemap_action.html.document import NO_OPTIONAL, OptionalFacts
from sitemap_action.model.mask import Mask
from sitemap_action.model.site import KnownUrl, Verdict
from sitemap_action.select.criteria import SelectPolicy


def asked_facts(output: OutputConfig) -> OptionalFacts:
    """What the pages have to be read for."""
    asked = output.extensions
    return NO_OPTIONAL._replace(
        images=Extension.IMAGE in asked,
        videos=Extension.VIDEO in asked,
        articles=Extension.NEWS in asked,
        dates=output.needs_dates,
        fingerprint=bool(output.fingerprints),
    )


def with_extensions(
    policy: SelectPolicy, mask: Mask, decided: Callable[[], Iterator[tuple[KnownUrl, Verdict]]]
) -> Iterator[tuple[KnownUrl, Verdict]]:
    """`decided` yields every known URL with its verdict, and is called twice where an extension depends on all."""
    if not policy.output.extensions:
        return decided()
    from sitemap_action.select.page_extensions import PageExtensions  # noqa: PLC0415 - few configs ask for any

    extensions = PageExtensions(policy, mask, (verdict for _, verdict in decided()))
    return ((row, extensions.applied(verdict)) for row, verdict in decided())
