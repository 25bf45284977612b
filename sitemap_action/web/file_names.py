"""Names of files as some file systems take them."""

import unicodedata


def as_seen(name: str) -> str:
    """Without letter case, final dots and spaces, streams and invisible characters."""
    visible = "".join(one for one in name if unicodedata.category(one) != "Cf") if not name.isascii() else name
    return visible.partition(":")[0].rstrip(". ").casefold()
