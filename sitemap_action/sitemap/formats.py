"""The formats that a sitemap is written in; the suffix of a sitemap's name is that of its format."""

from collections.abc import Sequence
from typing import Literal

Format = Literal["xml", "text", "json"]


def format_of(path: str) -> Format:
    """XML for every name that does not end in .txt or .json, compressed or not."""
    name = path.removesuffix(".gz")
    return "text" if name.endswith(".txt") else "json" if name.endswith(".json") else "xml"


def without_suffix(path: str) -> str:
    """Equal for the formats of one sitemap: /sitemap.xml, /sitemap.xml.gz, /sitemap.txt."""
    return path.partition("?")[0].removesuffix(".gz").removesuffix(".xml").removesuffix(".txt")


def formats_of(path: str, configured: Sequence[Format]) -> tuple[Format, ...]:
    """Those of a sitemap and the files beside it: that of its own name first, and XML only where it is asked for."""
    own = format_of(path)
    others = [one for one in configured if one != own]
    if own == "xml":
        return tuple(configured)
    return (own,) if others == ["xml"] and len(configured) == 1 else (own, *others)
