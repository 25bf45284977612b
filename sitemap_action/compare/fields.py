"""Which fields of an entry changed their meaning."""

from sitemap_action.model.sitemap import Entry


def changes(old: Entry, new: Entry) -> tuple[tuple[str, str, str], ...]:
    """(field, old, new) for each field whose meaning differs (DIFF-13).

    How `loc` is spelled is no change (DIFF-12). changefreq and priority count only when the new entry states them:
    leaving out what no engine reads is none either (SM-50).
    """
    pairs = [
        ("lastmod", old.lastmod, new.lastmod),
        ("changefreq", old.changefreq if new.changefreq else "", new.changefreq),
        ("priority", old.priority if new.priority else "", new.priority),
        ("extensions", "\n".join(sorted(old.extensions)), "\n".join(sorted(new.extensions))),
    ]
    return tuple((name, before, after) for name, before, after in pairs if before != after)
