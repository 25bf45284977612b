"""The schemas of the package and the published ones give the same verdict on thousands of documents (SM-12).

`SITEMAP_ACTION_OFFICIAL_XSD` names a folder with sitemap.xsd and siteindex.xsd of https://www.sitemaps.org/schemas/sitemap/0.9/.
"""

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from sitemap.test_schema import EXTENDED, LOC, UNEXTENDED, index, long, url
from sitemap_action.sitemap.schema import schema_faults

DOCUMENTS = 6_000
FIELDS = {
    "loc": (LOC, LOC, LOC, "<loc> https://x.com/a\n</loc>", "<loc/>", "<loc>http://a.b/</loc>", "<loc>http://a.b/c</loc>", long(2048), long(2049), "<loc>javascript:alert(1)</loc>", "<loc>https://x.com/%zz</loc>", "<loc>https://x.com/ü ö</loc>", '<loc a="b">https://x.com/a</loc>', "<loc><b/>https://x.com/a</loc>", "<loc>https://[x</loc>"),
    "lastmod": tuple(f"<lastmod>{one}</lastmod>" for one in ("2024-01-01", "2024-01-01T00:00:00Z", "2024", "2024-01", "2024-01-01T00:00Z", "2024-02-30", " 2024-01-01 ", "", "2024-01-01T24:00:00Z", "-0001-01-01", "20240-01-01", "2024-01-01+14:00", "2024-01-01+15:00", "2024-01-01T10:00:00.123456789Z", "0000-01-01", "yesterday")),
    "changefreq": tuple(f"<changefreq>{one}</changefreq>" for one in ("daily", "never", "Daily", " daily", "", "often")),
    "priority": tuple(f"<priority>{one}</priority>" for one in ("0", "1", "0.5", ".5", "+0.5", "-0", "1.0000001", "-0.1", "1e-1", "0,5", "", " 0.5 ", "NaN", "0.")),
    "other": ("<!-- x -->", "<?p?>", "text", "<title/>", "<![CDATA[ ]]>", "<sitemap/>", "&#10;", "<url/>"),
}  # fmt: skip
ORDER = ("loc", "lastmod", "changefreq", "priority")
_EXTENSION = re.compile(r'<\w+:\w+ [^<>]*xmlns:\w+="(?!http://www\.sitemaps)')

DIFFERENCES = {
    # what the document has: why the two differ on purpose
    "extension": "The published schemas describe no extension and refuse every one (processContents=strict). Ours have schemas of"
    " their own for images, videos, news and language versions; elements of other namespaces are no fault, for the protocol"
    " may be extended.",
    "DOCTYPE": "A DOCTYPE is refused before validation (SM-13): an entity reference is an internal error of libxml2's validator.",
}
"""Each difference of intention, and its reason."""


def documents() -> Iterator[str]:
    """Entries of valid and invalid fields, mostly in order; then edits of the text."""
    yield from (document for document, _ in UNEXTENDED + EXTENDED)
    chance = random.Random(2008)
    while True:
        entries = [entry(chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))]
        document = (url if chance.random() < 0.75 else index)(entries[0])
        for one in entries[1:]:
            document = document.replace("</url>", f"</url><url>{one}</url>", 1)
        yield document if chance.random() < 0.7 else edited(document, chance)


def entry(chance: random.Random) -> str:
    names = [name for name in ORDER if name == "loc" or chance.random() < 0.5]
    fields = [FIELDS[name][0] if chance.random() < 0.6 else chance.choice(FIELDS[name]) for name in names]
    if chance.random() < 0.1:
        chance.shuffle(fields)
    if chance.random() < 0.1:
        fields.insert(chance.randrange(len(fields) + 1), chance.choice(FIELDS["other"]))
    if chance.random() < 0.05:
        fields.append(chance.choice(fields))
    if chance.random() < 0.05:
        fields.append('<x:y xmlns:x="urn:x">1</x:y>')
    return "".join(fields)


def edited(document: str, chance: random.Random) -> str:
    """An element or tag left out or doubled, a namespace changed, a DOCTYPE."""
    tags = [*re.finditer(r"<(\w+)>[^<>]*</\1>|<[^<>]+>", document)]
    match = chance.choice(tags)
    return chance.choice(
        (
            document[: match.start()] + document[match.end() :],
            document[: match.end()] + document[match.start() :],
            document.replace("http://www.sitemaps", "https://www.sitemaps", 1),
            document.replace(' xmlns="', ' version="1" xmlns="', 1),
            f"<!DOCTYPE urlset>{document}",
        )
    )


def difference(document: str) -> str:
    """The row of the table that a document falls under; "" for none."""
    if document.startswith("<!DOCTYPE"):
        return "DOCTYPE"
    return "extension" if _EXTENSION.search(document) else ""


OFFICIAL = os.environ.get("SITEMAP_ACTION_OFFICIAL_XSD")
if OFFICIAL:

    def test_SM_12_the_published_schemas_give_the_same_verdict() -> None:
        names = {"urlset": "sitemap.xsd", "sitemapindex": "siteindex.xsd"}
        published = {root: etree.XMLSchema(etree.parse(Path(str(OFFICIAL)) / name)) for root, name in names.items()}
        verdicts: Counter[bool] = Counter()
        different: Counter[str] = Counter()
        for _, document in zip(range(DOCUMENTS), documents(), strict=False):
            try:
                tree = etree.fromstring(document.encode())
            except etree.XMLSyntaxError:
                assert schema_faults(document.encode()), document
                continue
            theirs = published["sitemapindex" if "sitemapindex" in str(tree.tag) else "urlset"].validate(tree)
            verdicts[theirs] += 1
            if theirs != (not schema_faults(document.encode())):
                assert difference(document) in DIFFERENCES, document
                different[difference(document)] += 1
        assert min(verdicts.values()) > 1_000
        assert different.keys() == DIFFERENCES.keys()
