"""The image extension (IMG-01…03)."""

import re

from sitemap_action.checks.base import ERROR, GOOGLE, WARNING, FileCheck, rule
from sitemap_action.model.sitemap import Entry
from sitemap_action.sitemap.escape import unescape
from sitemap_action.sitemap.extensions import parse_extension
from sitemap_action.web.urls import BadUrl, normalize

_RULES = (
    rule(
        "IMG-01",
        {"image-loc": (ERROR, "an image does not have exactly one image:loc with an absolute URL")},
        summary="Every image has one image:loc, an absolute URL.",
        source=f"{GOOGLE}image-sitemaps",
        passes="<image:image><image:loc>https://x.com/p.jpg</image:loc></image:image>",
        fails="<image:image/>",
        tip="Write one <image:loc> with the whole address of the image, or remove the <image:image>.",
    ),
    rule(
        "IMG-02",
        {"image-many": (ERROR, "an entry has more than 1,000 images")},
        summary="An entry has at most 1,000 images.",
        source=f"{GOOGLE}image-sitemaps",
        passes="1,000 <image:image>",
        fails="1,001 <image:image>",
        tip="List the first 1,000 images; the others are found on the page.",
    ),
    rule(
        "IMG-03",
        {"image-deprecated": (WARNING, "an image has elements that Google no longer reads")},
        summary="caption, geo_location, title and license are left out; Google has not read them since August 2022.",
        source=f"{GOOGLE}image-sitemaps; Google Search Central Blog, May 2022",
        passes="image:loc alone",
        fails="<image:title>",
        tip="Remove the element; a title or caption belongs on the page, a licence into its structured data.",
    ),
)
_IMAGE = "<image:image"
_DEPRECATED = ("<image:caption", "<image:geo_location", "<image:title", "<image:license")
_LOC_ALONE = re.compile(r"<image:image [^<>]*><image:loc>([^<>]+)</image:loc></image:image>")
_MAX = 1000


class ImagesCheck(FileCheck):
    """Extensions are canonical, so a tag can be found by text search."""

    rules = _RULES

    def on_extensions(self, entry: Entry) -> None:
        images = [one for one in entry.extensions if one.startswith(_IMAGE)]
        if len(images) > _MAX:
            self.report.add("image-many", entry.loc, entry.line, f"{len(images):,}")
        for number, one in enumerate(images, 1):
            if not _has_one_loc(one):
                self.report.add("image-loc", entry.loc, entry.line, f"image {number}" if len(images) > 1 else "")
        found = sorted({tag[1:] for one in images for tag in _DEPRECATED if tag in one})
        if found:
            self.report.add("image-deprecated", entry.loc, entry.line, ", ".join(found))


def _has_one_loc(image: str) -> bool:
    loc_alone = _LOC_ALONE.fullmatch(image)  # nearly every image; parsing takes ten times as long
    texts = [unescape(loc_alone[1])] if loc_alone else [one.text for one in parse_extension(image).all("image:loc")]
    try:
        return len(texts) == 1 and bool(normalize(texts[0]))
    except BadUrl:
        return False
