"""Whether a source gives its page another address than its place in the layout does (DIFF-34)."""

import re

from sitemap_action.web.source_pages import page_key

HEAD = 4_096  # bytes of a source that are looked at

_OPENING = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(---|\+\+\+|(?=\{))")
# Of each generator, the keys that set the address of a page.
_KEYS = {
    "Docusaurus": "slug|id",
    "Hugo": "url|slug",
    "Jekyll": "permalink|slug",
    "Eleventy": "permalink",
    "Astro": "slug|permalink",
}
OWN_ADDRESSES = {
    generator: re.compile(rf"""^([ \t]*)["']?(?:{keys})["']?[ \t]*[:=][ \t]*(.*)$""".encode(), re.MULTILINE)
    for generator, keys in _KEYS.items()
}


def has_own_address(head: bytes, generator: str, page: str) -> bool:
    """`head`: the beginning of the source; `page`: the key of the page that the layout gives it."""
    address, opening = OWN_ADDRESSES.get(generator), _OPENING.match(head)
    if address is None or opening is None:
        return False
    fence = opening[1]
    block = head[opening.end() :]
    if fence:
        block = block.partition(b"\n" + fence)[0]
    # What is indented belongs to another key, but in JSON.
    stated = (found[2] for found in address.finditer(block) if not (fence and found[1]))
    return any(not _is_same(value.strip().strip(b",").strip(b"\"'").decode(errors="replace"), page) for value in stated)


def _is_same(value: str, page: str) -> bool:
    """A whole path, or the last name of one."""
    key = page_key(f"/{value.strip('/')}")
    return bool(value) and (page == key or page.endswith(key))
