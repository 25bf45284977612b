"""Options of rendering: which pages a browser sees, what it waits for, and which documents are shells."""

from enum import StrEnum

from msgspec import Struct

from sitemap_action.config import values
from sitemap_action.config.fields import option, section
from sitemap_action.config.types import ListOf, choice
from sitemap_action.html.shell_thresholds import DEFAULT_THRESHOLDS, ShellThresholds

DEFAULT_WAIT_FOR = ("a[href]",)
"""A page without any link need not have one: only this selector is given up early."""


class RenderWhen(StrEnum):
    """Which pages a browser renders."""

    AUTO = "auto"
    NEVER = "never"
    ALWAYS = "always"


class WaitUntil(StrEnum):
    """When a page counts as loaded."""

    LOAD = "load"
    DOM_CONTENT_LOADED = "domcontentloaded"
    NETWORK_IDLE = "networkidle"


class DetectConfig(Struct, frozen=True, kw_only=True):
    """When a document is a shell that scripts fill (HTML-70)."""

    content_length: int = option(
        DEFAULT_THRESHOLDS.content_length,
        values.whole_number(0, values.MAX_COUNT, 200),
        "Fewer characters of HTML are a hint at a shell.",
    )
    child_nodes: int = option(
        DEFAULT_THRESHOLDS.child_nodes,
        values.whole_number(0, values.MAX_COUNT, 5),
        "Children of body that a shell has fewer of.",
    )
    script_count: int = option(
        DEFAULT_THRESHOLDS.script_count,
        values.whole_number(0, values.MAX_COUNT, 10),
        "Scripts that a shell without a root has more of.",
    )
    content_per_script: int = option(
        DEFAULT_THRESHOLDS.content_per_script,
        values.whole_number(0, values.MAX_COUNT, 1000),
        "Characters of HTML for each script that a shell has fewer of.",
    )
    roots: tuple[str, ...] = option(
        DEFAULT_THRESHOLDS.roots, ListOf(values.selector), "Elements that an application fills."
    )
    loading: tuple[str, ...] = option(
        DEFAULT_THRESHOLDS.loading, ListOf(values.one_line), "Words of a notice that is all that a shell shows."
    )
    words: int = option(
        DEFAULT_THRESHOLDS.words,
        values.whole_number(1, values.MAX_COUNT, 50),
        "With so many words, or with a link, the root was filled on the server.",
    )

    @property
    def thresholds(self) -> ShellThresholds:
        return ShellThresholds(
            content_length=self.content_length,
            child_nodes=self.child_nodes,
            script_count=self.script_count,
            content_per_script=self.content_per_script,
            roots=self.roots,
            loading=self.loading,
            words=self.words,
        )


class RenderConfig(Struct, frozen=True, kw_only=True):
    """How pages that scripts build are seen."""

    when: RenderWhen = option(
        RenderWhen.AUTO,
        choice(RenderWhen),
        "Pages that a browser renders: shells, where a browser is installed (auto), none, or all.",
    )
    wait_until: WaitUntil = option(
        WaitUntil.NETWORK_IDLE,
        choice(WaitUntil),
        "When a page is there: at its load event, once the document is parsed (domcontentloaded), or after half a "
        "second with at most two requests open (networkidle).",
    )
    wait_for: tuple[str, ...] = option(
        DEFAULT_WAIT_FOR, ListOf(values.selector), "Selectors, of which one has to match before the page is read."
    )
    wait_for_timeout: float = option(
        10.0, values.seconds, "Seconds to wait for them; then the page is read as it is.", default_text="10"
    )
    timeout: float = option(
        60.0, values.positive_seconds, "Seconds that one page may take in the browser.", default_text="60"
    )
    detect: DetectConfig = section(DetectConfig, "When a document is a shell that scripts fill.")
