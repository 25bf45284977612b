"""Published test data of other packages, read by them and by this one: every disagreement, with who is right and why.

    build/crawlers/bin/python benchmarks/peers.py FOLDER…    # `make crawlers` installs the others

A folder holds unpacked sources: the `tests` of protego, advertools, ultimate-sitemap-parser and sitemap.js. The data is
no part of this repository. A robots.txt is asked for the paths of its own rules; disagreements of one kind are counted.
"""

import contextlib
import gzip
import io
import logging
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import warnings

from sitemap_action import sitemaps
from sitemap_action.robots.groups import Profile, parse
from sitemap_action.web.urls import normal_form

HOST = "https://www.example.com"
AGENTS = ("googlebot", "somebot")
RULE = re.compile(r"\s*(user-?agent|allow|disallow)\s*:", re.IGNORECASE)
SHOWN = 3  # examples of a kind
RULES = 60  # lines of a robots.txt whose paths are asked for

BYTE_ORDER_MARK = "the first line is behind a byte order mark: ours, as Google's parser; protego loses the line"
CAUSES: tuple[tuple[re.Pattern[bytes], str], ...] = (  # of any other one, by what the file has: the first counts
    (
        re.compile(rb"(?m)(\xc2\xa0|\xe2\x80.)\s*$|(?i:sitemap:)\s*\xc2\xa0"),
        "a space that is not ASCII around a value: ours: octets count (RFC 9309 §2.2.2), and it is none to strip",
    ),
    (
        re.compile(rb"(?i)/index\.html?\s"),
        "ours, as Google's parser: a rule for index.htm is one for its directory, too",
    ),
    (
        re.compile(rb"(?im)^user-agent: google\s*$"),
        "ours: `google` is not the product token of googlebot (RFC 9309 §2.2.1); protego takes a prefix",
    ),
    (
        re.compile(rb"(?im)^sitemap\s+http"),
        "both: no colon behind `sitemap`; `//host/path` is left, as Google's parser has it",
    ),
    (
        re.compile(rb"[\x80-\xff]"),
        "both: the file is no UTF-8, and what is replaced in it for protego is not compared here",
    ),
)
ONE_GROUP = (
    "a line that is no rule (Noindex, Crawl-delay) between User-agent lines: ours, as Google's parser, takes them for "
    "one group; protego ends the group, which RFC 9309 §2.2.1 leaves open"
)

FEED = "ours: feeds are sitemaps for Google, too (sitemaps.org, other formats); this one reads the protocol's XML alone"
# What a disagreement is, and who is right: the first row whose words are all in the text of the disagreement.
VERDICTS = (
    (("scrapy lacks", "atom"), FEED),
    (("scrapy lacks", "rss"), FEED),
    (("advertools: IndexError", "atom"), FEED),
    (("advertools: IndexError", "rss"), FEED),
    (
        ("usp: EOFError",),
        "ours: the archive is cut; what stands before that is read, and `unavailable` has the document and the reason",
    ),
    (("bad-tag-sitemap", "advertools: IndexError"), "ours: an unknown element is ignored"),
    (
        ("index", "advertools: IndexError"),
        "ours: an index with CDATA or with an unknown element is one, and none of its children is a page",
    ),
    (
        ("usp lacks", "bad-tag"),
        "ours: an unknown element is ignored (a finding of validate); sitemap.js refuses the file, usp drops every URL",
    ),
    (
        ("scrapy has", "unescaped-lt"),
        "ours: `always<` is no XML, and the host `example.com&><'\"` is none; scrapy repairs and hands it out",
    ),
    (
        ("advertools: ParseError", "ours: 0 URLs"),
        "both: it is no XML; here a value (`unavailable`), there an exception",
    ),
)


def ours(path: Path) -> list[str]:
    reading = sitemaps.read(path.read_bytes() if path.name != "robots.txt" else path)
    return [entry.loc for entry in reading]


def usp(path: Path) -> list[str]:
    from usp.tree import sitemap_from_str

    return [page.url for page in sitemap_from_str(text(path)).all_pages()]


def scrapy(path: Path) -> list[str]:
    from scrapy.utils.sitemap import Sitemap

    found = Sitemap(unpacked(path))
    return [] if found.type == "sitemapindex" else [row["loc"] for row in found]


def advertools(path: Path) -> list[str]:
    import advertools as adv

    found = adv.sitemap_to_df(path.resolve().as_uri(), recursive=False)
    return [*found["loc"].dropna()] if "loc" in found and "sitemapindex" not in text(path) else []


READERS: dict[str, Callable[[Path], list[str]]] = {"usp": usp, "scrapy": scrapy, "advertools": advertools}


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def text(path: Path) -> str:
    return unpacked(path).decode(errors="replace")


def attempt(reader: Callable[[Path], list[str]], path: Path) -> list[str] | str:
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return reader(path)
    except Exception as error:  # noqa: BLE001 - whatever another package raises is its answer
        return f"{type(error).__name__}: {str(error)[:90]}"


def keys(urls: Iterable[str]) -> set[str]:
    return {normal_form(url) or url for url in urls}


def compare_sitemaps(path: Path) -> Iterator[str]:
    mine = attempt(ours, path)
    for name, reader in READERS.items():
        if name != "usp" and path.name.endswith((".txt", ".txt.gz")):
            continue  # these read XML alone
        theirs = attempt(reader, path)
        if isinstance(theirs, str) or isinstance(mine, str):
            if theirs != mine:
                yield f"{path.name}: {name}: {describe(theirs)}; ours: {describe(mine)}"
        elif more := keys(theirs) - keys(mine):
            yield f"{path.name}: {name} has {len(more)} more URLs, such as {min(more)[:90]}"
        elif less := keys(mine) - keys(theirs):
            yield f"{path.name}: {name} lacks {len(less)} of {len(keys(mine))} URLs, such as {min(less)[:90]}"


def describe(found: list[str] | str) -> str:
    return found if isinstance(found, str) else f"{len(found)} URLs"


def compare_robots(path: Path, kinds: dict[str, list[str]], counts: Counter[str]) -> None:
    from protego import Protego

    body = path.read_bytes()
    content = body.decode(errors="replace")
    robots, other = parse(body, Profile.GOOGLE), Protego.parse(content)
    marked = body.startswith(b"\xef\xbb\xbf")
    rules_alone = Protego.parse("".join(one for one in content.splitlines(keepends=True) if RULE.match(one)))
    kind = BYTE_ORDER_MARK if marked else next((why for one, why in CAUSES if one.search(body)), "to be judged")
    if [one for _, one in robots.sitemaps] != [*other.sitemaps]:
        kinds.setdefault(kind, []).append(f"{path.name}: {[*other.sitemaps][:2]} / {robots.sitemaps[:2]}")
    for line in content.splitlines()[:RULES]:
        name, colon, value = line.partition("#")[0].partition(":")
        rule = value.strip()
        if not colon or name.strip().lower() not in {"allow", "disallow"} or not rule.startswith("/"):
            continue
        url = HOST + rule.replace("*", "x").rstrip("$")
        for agent in AGENTS:
            counts["verdicts"] += 1
            if robots.verdict(agent, url).allowed != other.can_fetch(url, agent):
                counts["disagreements"] += 1
                joined = robots.verdict(agent, url).allowed == rules_alone.can_fetch(url, agent)
                kinds.setdefault(kind if marked or not joined else ONE_GROUP, []).append(
                    f"{path.name}: {agent} {url[len(HOST) :][:80]} ({rule[:60]})"
                )


def verdict(said: str) -> str:
    return next((why for words, why in VERDICTS if all(word in said for word in words)), "to be judged")


def main(folders: list[str]) -> None:
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    files = [one for folder in folders for one in sorted(Path(folder).rglob("*")) if one.is_file()]
    kinds: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    for path in files:
        if path.name.endswith((".xml", ".xml.gz", ".txt", ".txt.gz")) and path.name != "robots.txt":
            for said in compare_sitemaps(path):
                print(f"{said}\n    {verdict(said)}")
        elif "test_data" in path.parts or path.name == "robots.txt":
            counts["files"] += 1
            compare_robots(path, kinds, counts)
    print(f"\nrobots.txt: {dict(counts)}")
    for kind, found in sorted(kinds.items()):
        print(f"  {kind}: {len(found)}, such as")
        for one in found[:SHOWN]:
            print(f"    {one}")


if __name__ == "__main__":
    main(sys.argv[1:])
