"""When a document is a shell that scripts fill: the numbers and names of HTML-70."""

from msgspec import Struct
from msgspec.structs import replace


class ShellThresholds(Struct, frozen=True):
    """Named as in `render.detect`."""

    content_length: int = 200  # characters of HTML
    child_nodes: int = 5
    script_count: int = 10
    content_per_script: int = 1000  # characters of HTML
    roots: tuple[str, ...] = ("#root", "#__next", "#app")
    loading: tuple[str, ...] = ("loading", "spinner")
    words: int = 50

    @property
    def after_scripts(self) -> "ShellThresholds":
        """For a rendered document: of that only what is seen tells whether something is missing."""
        return replace(self, content_length=0, child_nodes=0, roots=())


DEFAULT_THRESHOLDS = ShellThresholds()
