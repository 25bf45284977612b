"""Entries as lines of bytes: equal lines are equal entries, so that sitemaps of millions of URLs can be compared."""

from sitemap_action.model.sitemap import Entry

# One line each, fields separated by tabs, which are escaped in values, as are line ends and the backslash.
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_UNESCAPES = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def encode_entry(key: str, decode_entry: Entry) -> bytes:
    """`key`: the URL in normal form. Its spelling is not compared (DIFF-01, DIFF-12)."""
    fields = (key, decode_entry.lastmod, decode_entry.changefreq, decode_entry.priority, *decode_entry.extensions)
    text = "\t".join(fields)
    if "\\" in text or text.count("\t") >= len(fields) or "\n" in text or "\r" in text:
        text = "\t".join(field.translate(_ESCAPES) for field in fields)
    return text.rstrip("\t").encode("utf-8", "surrogatepass")


def key_of_record(line: bytes) -> bytes:
    """The key of a record, encoded."""
    return line.partition(b"\t")[0]


def decode_entry(line: bytes) -> Entry:
    """The fields that `compare.changed_fields` compares, with the key as URL."""
    key, lastmod, changefreq, priority, *extensions = _fields(line)
    return Entry(key, lastmod, changefreq, priority, extensions=tuple(extensions))


def _fields(line: bytes) -> list[str]:
    fields = line.decode("utf-8", "surrogatepass").split("\t")
    fields += [""] * (4 - len(fields))
    return [_unescaped(field) if "\\" in field else field for field in fields]


def _unescaped(field: str) -> str:
    parts, rest = [], field
    while rest:
        unescaped, slash, tail = rest.partition("\\")
        parts.append(unescaped)
        if slash:
            parts.append(_UNESCAPES[f"\\{tail[0]}"])
            tail = tail[1:]
        rest = tail
    return "".join(parts)
