"""A site with 40 faults of old: 22 listed pages that are gone, 12 that are not listed, 6 dates that are none."""

from pathlib import Path

SITE = "https://www.example.com/"
LIST = ".github/sitemap-accepted.txt"
GIVEN = ["--path", "dist", "--site-url", SITE, "--sitemap", "sitemap.xml", "--no-progress"]
CHECK, ACCEPT = ["check", *GIVEN], ["accept", *GIVEN]
PAGES = tuple(f"p{number:02}" for number in range(60))
LISTED = (*PAGES[:48], *(f"old{number:02}" for number in range(22)))
BAD_DATES = frozenset(PAGES[:6])


def html(name: str, links: tuple[str, ...] = ()) -> str:
    body = "".join(f'<a href="/{link}/">{link}</a>' for link in links)
    words = f"{name} has words enough to be taken for a page that people read. " * 5
    return f"<!doctype html><html lang=en><title>{name or 'Home'}</title><h1>{name}</h1><p>{words}</p>{body}"


def sitemap(listed: tuple[str, ...] = LISTED, bad: frozenset[str] = BAD_DATES) -> str:
    rows = "".join(
        f"<url><loc>{SITE}{name}{'/' if name else ''}</loc>{'<lastmod>yesterday</lastmod>' if name in bad else ''}</url>\n"
        for name in ("", *listed)
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{rows}</urlset>\n"


def files(
    pages: tuple[str, ...] = PAGES, listed: tuple[str, ...] = LISTED, bad: frozenset[str] = BAD_DATES
) -> dict[str, str]:
    """A work tree: the build, and the committed sitemap, of which the build has a copy."""
    built = {f"dist/{name}/index.html": html(name) for name in pages}
    text = sitemap(listed, bad)
    return {**built, "dist/index.html": html("", pages), "dist/sitemap.xml": text, "sitemap.xml": text}


def put(folder: Path, contents: dict[str, str]) -> None:
    for name, text in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
