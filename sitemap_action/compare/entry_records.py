"""Entries as lines of bytes: equal lines are equal entries, so that two sitemaps are compared by the million."""

from sitemap_action.model.sitemap import Entry

# One line each, fields parted by tabs; a backslash stands before what would break that.
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_PLAIN = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def record(key: str, entry: Entry) -> bytes:
    """`key`: the identity of its URL. How the URL is spelled is no part of it (DIFF-01, DIFF-12)."""
    fields = (key, entry.lastmod, entry.changefreq, entry.priority, *entry.extensions)
    text = "\t".join(fields)
    if "\\" in text or text.count("\t") >= len(fields) or "\n" in text or "\r" in text:
        text = "\t".join(field.translate(_ESCAPES) for field in fields)
    return text.rstrip("\t").encode("utf-8", "surrogatepass")


def key_of(line: bytes) -> bytes:
    """The part of a record that says which page it is of."""
    return line.partition(b"\t")[0]


def entry(line: bytes) -> Entry:
    """What `compare.fields` looks at, under the identity of the URL."""
    key, lastmod, changefreq, priority, *extensions = _fields(line)
    return Entry(key, lastmod, changefreq, priority, extensions=tuple(extensions))


def _fields(line: bytes) -> list[str]:
    fields = line.decode("utf-8", "surrogatepass").split("\t")
    fields += [""] * (4 - len(fields))
    return [_unescaped(field) if "\\" in field else field for field in fields]


def _unescaped(field: str) -> str:
    parts, rest = [], field
    while rest:
        plain, slash, tail = rest.partition("\\")
        parts.append(plain)
        if slash:
            parts.append(_PLAIN[f"\\{tail[0]}"])
            tail = tail[1:]
        rest = tail
    return "".join(parts)
