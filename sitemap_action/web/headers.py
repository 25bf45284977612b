"""Response headers about a document: Content-Type, Link, others; its encoding, as browsers find it (HTML-50)."""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from sitemap_action.model.lazy_re import lazy_re

Headers: TypeAlias = Sequence[tuple[str, str]]
"""Names in lower case; a repeated header is repeated here, never joined by a comma (HTML-12)."""

_CHARSET = lazy_re(r""";\s*charset\s*=\s*(?:"([^"]*+)|([^\s;"]*+))""", re.IGNORECASE)
_TYPE = lazy_re(r"\s*[\w!#$%&'*+.^`|~-]+/[\w!#$%&'*+.^`|~-]+\s*(?:;|\Z)", re.ASCII)
_TARGET = lazy_re(r"[\s,]*+<([^>]*+)>")
_PARAMETER = lazy_re(
    r"""\s*+;\s*+([^\s=;,"]*+)\s*+(?:=\s*+(?:"((?:[^"\\]|\\.)*+)"?|([^\s;,"]*+)))?""",
    re.DOTALL,
)
_ESCAPED = lazy_re(r"\\(.)", re.DOTALL)


def header_values(headers: Headers, name: str) -> list[str]:
    return [value for key, value in headers if key == name]


def content_type(headers: Headers) -> tuple[str, str]:
    """Media type in lower case and charset label, each "" if missing; of several the last (Fetch standard).

    Also of several in one header, as a proxy joins them.
    """
    found = header_values(headers, "content-type")
    return _content_type(found[-1]) if found else ("", "")


def header_links(headers: Headers) -> list[tuple[str, Mapping[str, str]]]:
    """(href, parameters) of the links of all Link headers, in order (HTML-33, RFC 8288 §3).

    Names of parameters are in lower case, and of equal ones the first counts.
    """
    return [link for value in header_values(headers, "link") for link in _links(value)]


@lru_cache(maxsize=64)
def _content_type(value: str) -> tuple[str, str]:
    if "," in value:
        value = next((one for one in reversed(value.split(",")[1:]) if _TYPE.match(one)), value)
    charset = _CHARSET.search(value)
    return value.partition(";")[0].strip().lower(), (charset[1] or charset[2] or "") if charset else ""


def _links(value: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """RFC 8288 appendix B.2: a comma inside `<…>` or quotes is no separator; an unclosed quote runs to the end."""
    at = 0
    while (target := _TARGET.match(value, at)) is not None:
        at = target.end()
        parameters: dict[str, str] = {}
        while (parameter := _PARAMETER.match(value, at)) is not None:
            at = parameter.end()
            quoted, token = parameter[2], parameter[3]
            text = token or "" if quoted is None else _ESCAPED.sub(r"\1", quoted)
            parameters.setdefault(parameter[1].lower(), text)
        yield target[1].strip(), parameters
        if (at := value.find(",", at)) < 0:
            return


_PRESCAN = 1024
"""Bytes; a declaration that starts later is ignored (WHATWG HTML, prescan a byte stream)."""

# WHATWG Encoding §4.2, one encoding a line: name, Python's codec, labels beside the name. Python's own registry is not
# used for labels from a page: it has `hex`, `utf-7` and `rot13`, and maps `latin1` to ISO-8859-1.
_ENCODINGS = """
utf-8 utf_8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8
ibm866 cp866 866 cp866 csibm866
iso-8859-2 iso8859_2 csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso-8859-3 iso8859_3 csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso-8859-4 iso8859_4 csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso-8859-5 iso8859_5 csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988
iso-8859-6 iso8859_6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i \
iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso-8859-7 iso8859_7 csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7 \
iso_8859-7:1987 sun_eu_greek
iso-8859-8 iso8859_8 csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 \
iso_8859-8:1988 visual
iso-8859-8-i iso8859_8 csiso88598i logical
iso-8859-10 iso8859_10 csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-13 iso8859_13 iso8859-13 iso885913
iso-8859-14 iso8859_14 iso8859-14 iso885914
iso-8859-15 iso8859_15 csisolatin9 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16 iso8859_16
koi8-r koi8_r cskoi8r koi koi8 koi8_r
koi8-u koi8_u koi8-ru
macintosh mac_roman csmacintosh mac x-mac-roman
windows-874 cp874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620
windows-1250 cp1250 cp1250 x-cp1250
windows-1251 cp1251 cp1251 x-cp1251
windows-1252 cp1252 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 \
iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252 x-user-defined
windows-1253 cp1253 cp1253 x-cp1253
windows-1254 cp1254 cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 \
latin5 x-cp1254
windows-1255 cp1255 cp1255 x-cp1255
windows-1256 cp1256 cp1256 x-cp1256
windows-1257 cp1257 cp1257 x-cp1257
windows-1258 cp1258 cp1258 x-cp1258
x-mac-cyrillic mac_cyrillic x-mac-ukrainian
gbk gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk
gb18030 gb18030
big5 big5hkscs big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp euc_jp cseucpkdfmtjapanese x-euc-jp
iso-2022-jp iso2022_jp csiso2022jp
shift_jis cp932 csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis
euc-kr cp949 cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
replacement ascii csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr
utf-16be utf_16_be unicodefffe
utf-16le utf_16_le csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16
"""
_CODECS: dict[str, str] = {}  # name → Python's codec
_NAMES: dict[str, str] = {}  # label → name
for _name, _codec, *_labels in map(str.split, _ENCODINGS.strip().splitlines()):
    _CODECS[_name] = _codec
    _NAMES |= dict.fromkeys([_name, *_labels], _name)

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16be"), (codecs.BOM_UTF16_LE, "utf-16le"))
_BOM_STARTS = frozenset(mark[:1] for mark, _ in _BOMS)
_XML = lazy_re(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']""")
_TAG = lazy_re(rb"<(?:(?P<comment>!--)|(?P<meta>meta(?=[\t\n\f\r /]))|/?[a-z][^\t\n\f\r >]*+|(?P<other>[!/?]))")
# Fast path, for the start of nearly every page: nothing in it that the prescan would read differently.
_S = rb"[\t\n\f\r ]"
_USUAL_START = lazy_re(
    rb"%b*+(?:<!doctype html>%b*+)?(?:<html(?:%b++[a-z:_-]++(?:=(?:\"[^\"<>]*+\"|[a-z0-9-]++))?)*+%b*+>%b*+)?"
    rb"<head>%b*+<meta%b++charset=(?:\"utf-8\"|utf-8)%b*+/?>" % ((_S,) * 8),
    re.IGNORECASE,
)
_ATTRIBUTE = lazy_re(
    rb"""[\t\n\f\r /]*+(?:(>)|([^\t\n\f\r />][^\t\n\f\r />=]*+)"""
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"([^"]*+)"|'([^']*+)'|([^\t\n\f\r >]*+)))?)"""
)
_CONTENT = lazy_re(rb"""charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"']+))""")


def decode_html(body: bytes, label: str) -> tuple[str, str]:
    """The text without byte order mark, and the name of its encoding; `label` is the charset of Content-Type, or ""."""
    if body[:1] in _BOM_STARTS:
        for mark, name in _BOMS:
            if body.startswith(mark):
                return body[len(mark) :].decode(_CODECS[name], "replace"), name
    name = (label and encoding_of_label(label)) or declared_encoding(body)
    if name:
        return body.decode(_CODECS[name], "replace"), name
    try:
        # Not final: a document truncated inside a character is still UTF-8.
        return codecs.utf_8_decode(body, "strict", False)[0], "utf-8"
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace"), "windows-1252"


def encoding_of_label(label: str) -> str:
    """The encoding of a label, "" for an unknown one (WHATWG Encoding, get an encoding)."""
    return _NAMES.get(label.strip("\t\n\f\r ").lower(), "")


def declared_encoding(body: bytes) -> str:
    """The encoding in a <meta> of the first 1,024 bytes, else in the XML declaration; "" without either."""
    if _USUAL_START.match(body, 0, _PRESCAN):
        return "utf-8"
    start = body[:_PRESCAN]
    lower = start.lower()
    if b"charset" not in lower and not start.startswith(b"<?xml"):
        return ""
    for attributes in _metas(lower):
        if name := _meta_encoding(attributes):
            # A declaration in ASCII bytes cannot be in UTF-16 (WHATWG HTML, prescan step for UTF-16 labels).
            return "utf-8" if name.startswith("utf-16") else name
    xml = _XML.match(start)
    return encoding_of_label(xml[1].decode("ascii", "replace")) if xml else ""


def _metas(data: bytes) -> Iterator[dict[bytes, bytes]]:
    """Attributes of every <meta> outside of comments and other tags; the first of equal names counts."""
    at = 0
    while (tag := _TAG.search(data, at)) is not None:
        at = tag.end()
        if tag["comment"] or tag["other"]:
            end = b"-->" if tag["comment"] else b">"
            at = data.find(end, tag.start() + 2)
        else:
            at, attributes = _attributes(data, at)
            if at >= 0 and tag["meta"]:
                yield attributes
        if at < 0:
            return


def _attributes(data: bytes, at: int) -> tuple[int, dict[bytes, bytes]]:
    """The position after a tag, -1 when the data ends first, and its attributes."""
    found: dict[bytes, bytes] = {}
    while (match := _ATTRIBUTE.match(data, at)) is not None:
        at = match.end()
        if match[1]:
            return at, found
        if at == len(data):
            break
        found.setdefault(match[2], match[3] or match[4] or match[5] or b"")
    return -1, found


def _meta_encoding(attributes: dict[bytes, bytes]) -> str:
    """The encoding in `charset`, or in `content` beside http-equiv=content-type."""
    label = attributes.get(b"charset")
    if label is None and attributes.get(b"http-equiv") == b"content-type":
        found = _CONTENT.search(attributes.get(b"content", b""))
        label = found and (found[1] or found[2] or found[3])
    return encoding_of_label(label.decode("ascii", "replace")) if label else ""
