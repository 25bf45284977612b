"""A state as it was left, for `explain`: a copy is read, and the file stays as it is."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import copyfile

from sitemap_action.errors import UsageError
from sitemap_action.inventory.checkpoints import LAYOUT, require_own_urls, translated_errors
from sitemap_action.inventory.state_file import open_sound
from sitemap_action.inventory.store import Inventory
from sitemap_action.model.mask import NO_MASK, Mask
from sitemap_action.model.wording import option


@contextmanager
def stored_state(path: Path, mask: Mask = NO_MASK) -> Iterator[Inventory]:
    """The pages of the run that wrote it, without the entries of its sitemaps. Raises UsageError."""
    with tempfile.TemporaryDirectory(prefix="sitemap-action-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / path.name
        with translated_errors(path):
            for side in ("", "-wal"):
                if (found := path.with_name(path.name + side)).is_file():
                    copyfile(found, copy.with_name(copy.name + side))
            if not copy.exists():
                hint = f"name the file that a run of check with {option('state')} wrote"
                raise UsageError(f"there is no state at {path}", hint=hint)
            opened = open_sound(copy, LAYOUT, require_own_urls, mask)
        with closing(Inventory(opened.database)) as inventory:
            if opened.note:
                hint = "run check with it once more, which makes it anew, or leave it out"
                raise UsageError(f"the state {path} is damaged", hint=hint)
            yield inventory
