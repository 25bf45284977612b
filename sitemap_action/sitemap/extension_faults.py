"""Faults of images, videos, news and language versions: what the rules report, and what no written sitemap has (R-09).

A fault is a code of a rule's case and a detail. An element that has one is left out of a sitemap that is written, as a
whole: nothing in it is corrected, shortened or guessed.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.sitemap.extensions import MARK, ExtensionNode, parse_extension, unescape
from sitemap_action.sitemap.protocol import EXTENSIONS, SITEMAP, date_fault, is_misspelled, parse_date
from sitemap_action.sitemap.schema import schema_faults
from sitemap_action.web.spellings import leaks
from sitemap_action.web.urls import normal_form

_LANGUAGES = """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
    en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it
    iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt
    my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk
    sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi
    yo za zh zu
"""
_SCRIPTS = """
    Adlm Afak Aghb Ahom Arab Aran Armi Armn Avst Bali Bamu Bass Batk Beng Berf Bhks Blis Bopo Brah Brai Bugi
    Buhd Cakm Cans Cari Cham Cher Chis Chrs Cirt Copt Cpmn Cprt Cyrl Cyrs Deva Diak Dogr Dsrt Dupl Egyd Egyh
    Egyp Elba Elym Ethi Gara Geok Geor Glag Gong Gonm Goth Gran Grek Gujr Gukh Guru Hanb Hang Hani Hano Hans
    Hant Hatr Hebr Hira Hluw Hmng Hmnp Hntl Hrkt Hung Inds Ital Jamo Java Jpan Jurc Kali Kana Kawi Khar Khmr
    Khoj Kitl Kits Knda Kore Kpel Krai Kthi Lana Laoo Latf Latg Latn Leke Lepc Limb Lina Linb Lisu Loma Lyci
    Lydi Mahj Maka Mand Mani Marc Maya Medf Mend Merc Mero Mlym Modi Mong Moon Mroo Mtei Mult Mymr Nagm Nand
    Narb Nbat Newa Nkdb Nkgb Nkoo Nshu Ogam Olck Onao Orkh Orya Osge Osma Ougr Palm Pauc Pcun Pelm Perm Phag
    Phli Phlp Phlv Phnx Piqd Plrd Prti Psin Ranj Rjng Rohg Roro Runr Samr Sara Sarb Saur Seal Sgnw
    Shaw Shrd Shui Sidd Sidt Sind Sinh Sogd Sogo Sora Soyo Sund Sunu Sylo Syrc Syre Syrj Syrn Tagb Takr Tale
    Talu Taml Tang Tavt Tayo Telu Teng Tfng Tglg Thaa Thai Tibt Tirh Tnsa Todr Tols Toto Tutg Ugar Vaii Visp
    Vith Wara Wcho Wole Xpeo Xsux Yezi Yiii Zanb Zinh Zmth Zsye Zsym Zxxx Zyyy Zzzz
"""
_REGIONS = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
    BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK
    FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR
    IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
    ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
    PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF
    TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
"""

LANGUAGES = frozenset(_LANGUAGES.split())
"""ISO 639-1."""

SCRIPTS = frozenset(_SCRIPTS.split())
"""ISO 15924."""

REGIONS = frozenset(_REGIONS.split())
"""ISO 3166-1 alpha-2."""

_CODE = lazy_re(r"([a-z]{2})(?:-([a-z]{4}))?(?:-([a-z]{2}))?", re.IGNORECASE)


@lru_cache(maxsize=1024)
def is_hreflang(text: str) -> bool:
    """A language with or without script and region, or x-default (HL-05)."""
    if text.lower() == "x-default":
        return True
    match = _CODE.fullmatch(text)
    if match is None:
        return False
    language, script, region = match.groups()
    return (
        language.lower() in LANGUAGES
        and (not script or script.capitalize() in SCRIPTS)
        and (not region or region.upper() in REGIONS)
    )


def normal_hreflang(text: str) -> str:
    """The code where it is one, also of a locale's spelling (`en_US` is en-US); "" for another (HL-05).

    `en-UK`, `es-419` and `fil` are no spellings of a code: which one is meant is not certain.
    """
    code = text.strip().replace("_", "-")
    return code if is_hreflang(code) else ""


ElementFaults: TypeAlias = Iterator[tuple[str, str]]

MAX_IMAGES = 1_000
"""Of one entry (IMG-02)."""

_LOC_ALONE = lazy_re(r"<image:image [^<>]*><image:loc>([^<>]+)</image:loc></image:image>")
_REQUIRED = ("video:thumbnail_loc", "video:title", "video:description")
_MEDIA_URLS = ("video:content_loc", "video:player_loc")
_ADDRESSES = frozenset(("video:thumbnail_loc", *_MEDIA_URLS))
_ABSOLUTE = lazy_re(r"\s*[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/?#]")
_REPEATABLE = frozenset(("video:tag", "video:id", "video:price", "video:content_segment_loc"))
_MAX_TAGS = 32
_LENGTHS = {"video:description": 2048, "video:uploader": 255}
_NUMBER = lazy_re(r"[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}")
_NEWS_LANGUAGE = lazy_re(r"[a-z]{2,3}|zh-cn|zh-tw")


def image_faults(image: str) -> ElementFaults:
    """IMG-01."""
    loc_alone = _LOC_ALONE.fullmatch(image)  # nearly every image; parsing takes ten times as long
    texts = [unescape(loc_alone[1])] if loc_alone else [one.text for one in parse_extension(image).all("image:loc")]
    if len(texts) != 1 or not normal_form(texts[0]) or len(texts[0].split()) != 1:
        yield "image-loc", ""


def video_faults(video: ExtensionNode, page: str) -> ElementFaults:
    """VID-01 to VID-06; `page`: URL of the entry."""
    counts = Counter(child.name for child in video.children)
    empty = {child.name for child in video.children if not child.text.strip()} - _ADDRESSES
    missing = [name for name in _REQUIRED if name not in counts or name in empty]
    if counts.keys().isdisjoint(_MEDIA_URLS):
        missing.append("video:content_loc or video:player_loc")
    if missing:
        yield "video-missing", ", ".join(missing)
    if counts["video:tag"] > _MAX_TAGS:
        yield "video-long", f"{counts['video:tag']} video:tag"
    repeated = sorted(name for name, count in counts.items() if count > 1 and name not in _REPEATABLE)
    if repeated:
        yield "video-repeated", ", ".join(repeated)
    for child in video.children:
        yield from video_value_faults(child, page)


def video_value_faults(child: ExtensionNode, page: str) -> ElementFaults:
    """Invalid text or attributes of one element of a video."""
    name, text = child.name, child.text
    if name in _ADDRESSES and not _ABSOLUTE.match(text):
        yield "video-url", f"{name}: {text}"
    if len(text) > _LENGTHS.get(name, len(text)):
        yield "video-long", f"{name} has {len(text):,} characters"
    is_valid = _VALUES.get(name)
    if is_valid and not is_valid(text):
        yield "video-value", f"{name}: {text}"
    allowed, values = _LISTS.get(name), text.split()
    if allowed and (child.get("relationship") not in {"allow", "deny"} or not values or not allowed.issuperset(values)):
        yield "video-restriction", f"{name}: {text}"
    if name in _MEDIA_URLS and (url := normal_form(text)) and url == normal_form(page):
        yield "video-same-loc", name
    if name in {"video:publication_date", "video:expiration_date"} and date_fault(text) is not None:
        yield "video-date", f"{name}: {text}"


def _is_duration(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= 28_800


def _is_rating(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and float(text) <= 5


def _is_yes_or_no(text: str) -> bool:
    return text.lower() in {"yes", "no"}


_VALUES = {
    "video:duration": _is_duration,
    "video:rating": _is_rating,
    "video:live": _is_yes_or_no,
    "video:requires_subscription": _is_yes_or_no,
    "video:family_friendly": _is_yes_or_no,
}
_LISTS = {"video:restriction": REGIONS, "video:platform": frozenset(("web", "mobile", "tv"))}


def news_faults(news: ExtensionNode) -> ElementFaults:
    """NEWS-01, NEWS-04, NEWS-05."""
    publication = news.first("news:publication")
    language, date = publication.first("news:language"), news.first("news:publication_date")
    required = (publication.first("news:name"), language, date, news.first("news:title"))
    if missing := [one.name for one in required if not one.text.strip()]:
        yield "news-missing", ", ".join(missing)
    if language.text and not _NEWS_LANGUAGE.fullmatch(language.text):
        yield "news-language", language.text
    found = parse_date(date.text)
    if date.text and (found is None or not found.day or (date_fault(date.text) and not found.timed)):
        yield "news-date", date.text


def link_faults(link: ExtensionNode) -> ElementFaults:
    """HL-01, HL-05; a link without an hreflang names no language version."""
    code = link.get("hreflang")
    if code is None:
        return
    complete = "alternate" in (link.get("rel") or "").lower().split() and code and link.get("href")
    if not complete or not normal_form((link.get("href") or "").strip()):
        yield "hreflang-link", ""
    elif not is_hreflang(code.strip()):
        yield "hreflang-code", code


_DECLARATION = lazy_re(r' xmlns:[^\s="]+="([^"]*)"')
_OUTERMOST = lazy_re(r"<([^\s:<>/]+:[^\s:<>/]+)")
_MOST = {"image:image": MAX_IMAGES, "news:news": 1}


def valid_extensions(extensions: tuple[str, ...], page: str) -> tuple[str, ...]:
    """The elements of an entry that have no fault and that the schema accepts, as many as an entry may have.

    `page`: URL of the entry, in normal form. Of two links with one hreflang the first counts (HL-06).
    """
    counts: Counter[str] = Counter()
    kept = []
    for one in extensions:
        if (kind := _valid_kind(one, page)) and counts[kind] < _MOST.get(kind, len(extensions)):
            counts[kind] += 1
            kept.append(one)
    return tuple(kept)


def _valid_kind(element: str, page: str) -> str:
    """What an entry may have a limited number of, of which this is one; "" for an element that is not valid."""
    root = _OUTERMOST.match(element)
    namespaces = [unescape(uri) for uri in _DECLARATION.findall(element)]
    if root is None or any(uri.startswith(MARK) or is_misspelled(uri) for uri in namespaces):
        return ""
    if root[1].partition(":")[0] not in EXTENSIONS:
        return element  # the protocol may be extended
    node = parse_extension(element)
    match root[1]:
        case "image:image":
            faults = image_faults(element)
        case "video:video":
            faults = video_faults(node, page)
        case "news:news":
            faults = news_faults(node)
        case "xhtml:link":
            faults = _written_link_faults(node, page)
        case _:
            return ""
    if next(faults, None) or not _fits_schema(element):
        return ""
    code = node.get("hreflang")
    return root[1] if code is None else f"{root[1]} {code.strip().lower()}"


def _written_link_faults(link: ExtensionNode, page: str) -> ElementFaults:
    """The faults of a link, and ENV-06: a version on a host that is not public."""
    yield from link_faults(link)
    if link.get("hreflang") and leaks(normal_form((link.get("href") or "").strip()), page):
        yield "leaked-version", ""


@lru_cache(maxsize=4096)
def _fits_schema(element: str) -> bool:
    """Whether the schema gate accepts an entry with this element."""
    document = f'<urlset xmlns="{SITEMAP}"><url><loc>https://www.example.com/</loc>{element}</url></urlset>'
    return not schema_faults(document.encode("utf-8", "replace"))
