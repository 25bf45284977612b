"""A short hash of a page's content that does not change while only volatile parts do (DIFF-31, DIFF-32)."""

import html
from collections.abc import Iterable
from typing import Any

import re2
from xxhash import xxh3_64, xxh3_64_intdigest

_SPACE = b"\t\n\v\f\r "

# Bytes of UTF-8 by class. Japanese and Chinese have no space between words, so letters are counted; those of
# U+3000–U+9FFF start with E3–E9.
_CLASSES = bytes(0x20 if byte in _SPACE else 0x63 if 0xE3 <= byte <= 0xE9 else 0x78 for byte in range(256))
_LETTERS_PER_WORD = 2
COUNTED = 1_024  # bytes of main text whose words are counted: enough to detect an empty page
_MAX_CACHED = 20_000  # links
_MAX_LENGTH = 512  # characters; a longer link is not cached
_BITS = (1 << 64) - 1


class LinkHashes:
    """The hash that each link adds to a page's fingerprint, cached for the other pages of an origin.

    A link to that origin is hashed without it, because a preview has another; hashes of assets, cache busters, tokens
    and session ids are left out.
    """

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self._cache: dict[str, int] = {}

    def total(self, links: set[str]) -> int:
        """The sum of the hashes, which does not depend on the order of the links."""
        cache = self._cache
        new = [link for link in links if link not in cache]
        total = sum(map(cache.__getitem__, links.difference(new)))
        return (total + self._add(new) if new else total) & _BITS

    def _add(self, new: list[str]) -> int:
        lines = "\n".join(["", *(link.replace("\n", "") for link in new)])
        stable = stable_links(lines.replace(f"\n{self.origin}/", "\n/").encode(errors="replace"))
        hashes = list(map(xxh3_64_intdigest, stable.split(b"\n")[1:]))
        if len(self._cache) >= _MAX_CACHED:
            self._cache.clear()
        self._cache.update((link, digest) for link, digest in zip(new, hashes, strict=True) if len(link) <= _MAX_LENGTH)
        return sum(hashes)


def fingerprint(text: bytes, link_total: int, json_ld: Iterable[str]) -> str:
    """A hash of main text in UTF-8, the sum of its links' hashes, and JSON-LD blocks; 16 hexadecimal digits.

    Line breaks and the order of links do not matter. The hash is fast and not cryptographic: a site that makes two
    texts collide only hides a change of its own page.
    """
    data = "".join("".join(json_ld).split()).encode(errors="replace")
    digest = xxh3_64(join_lines(stable_text(text)))
    digest.update(b"\n%016x\n" % link_total + stable_links(data))
    return digest.hexdigest()


def join_lines(text: bytes) -> bytes:
    """Text with one space for a line break and the white space around it: its layout is no content."""
    if b"\n" in text or b"\r" in text:
        text = b" ".join(filter(None, map(bytes.strip, text.splitlines())))
    return text


def count_words(text: bytes) -> int:
    """Words of UTF-8 text; of Japanese and Chinese, one for every two letters."""
    classes = text.translate(_CLASSES)
    letters = 0 if text.isascii() else classes.count(b"c")
    return classes.count(b" x") + classes.startswith(b"x") + (letters + 1) // _LETTERS_PER_WORD


# Volatile parts: they change from build to build while the content stays the same (DIFF-31).
# Every pattern runs over UTF-8 in linear time; \w, \d and \b match ASCII alone. A match in text has a digit within its
# first _BEFORE bytes, and another one within every _AFTER: only text near digits is searched.
_BEFORE, _AFTER, _STRIDE = 512, 384, 128
_YEAR = r"(?:19|20)\d\d"

_STAMPS = (  # phrases before a generated date
    r"last\s{1,9}(?:updated|modified|edited|changed|revised|reviewed|generated|built|checked)",
    r"(?:updated|modified|generated|rendered|built|retrieved)\s{0,9}(?:on\b|at\b|:)",
    r"(?:zuletzt|letzte)\s{1,9}(?:aktualisiert|aktualisierung|geändert|änderung|bearbeitet|bearbeitung)",
    r"aktualisiert\s{1,9}am|\bstand:",
    r"mise?\s{1,9}à\s{1,9}jour|dernière\s{1,9}modification|modifiée?\s{1,9}le",
    r"última\s{1,9}(?:actualización|modificación|atualização|modificação)|actualizado\s{1,9}el|atualizado\s{1,9}em",
    r"ultim[oa]\s{1,9}(?:aggiornamento|modifica)|aggiornato\s{1,9}il",
    r"laatst\s{1,9}(?:bijgewerkt|gewijzigd)|bijgewerkt\s{1,9}op",
    r"ostatni[ao]\s{1,9}(?:aktualizacja|modyfikacja|zaktualizowano)|zaktualizowano",
    r"последн(?:ее|яя)\s{1,9}(?:обновление|изменение)|обновлено",
    r"最終更新(?:日時|日)?|更新日時|更新日|最后更新|最近更新|更新时间|最後更新",
)
_DATES = (
    rf"\d{{1,2}}[^\d\n]{{1,20}}(?:\d{{1,2}}[^\d\n]{{1,3}})?{_YEAR}",  # 3 May 2026, May 3, 2026, 03.05.2026
    rf"{_YEAR}(?:[^\d\n]{{1,3}}\d{{1,2}}(?:[^\d\n]{{1,3}}\d{{1,2}}(?:日|T)?)?)?",  # 2026-05-03T, 2026年5月3日, 2026
    r"\d{1,2}:\d\d(?::\d\d)?",
    r"\d+\s{1,9}(?:second|minute|hour|day|week|month|year)s?(?:\s{1,9}ago)?",
)
_TIME = r"(?:[^\d\n]{0,8}\d{1,2}[:.h]\d\d(?:[:.]\d\d)?)?"
_AGES = (
    r"\d+\s{1,9}(?:second|minute|hour|day|week|month|year)s?\s{1,9}ago",
    r"vor\s{1,9}\d+\s{1,9}(?:Sekunde|Minute|Stunde|Tag|Woche|Monat|Jahr)e?n?\b",
    r"il\s{1,9}y\s{1,9}a\s{1,9}\d+\s{1,9}(?:seconde|minute|heure|jour|semaine|mois|an)s?\b",
    r"hace\s{1,9}\d+\s{1,9}(?:segundo|minuto|hora|día|semana|mes|año)",
    r"\d+\s{1,9}(?:second|minut|or|giorn|settiman|mes|ann)[aeio]\s{1,9}fa\b",
    r"há\s{1,9}\d+\s{1,9}(?:segundo|minuto|hora|dia|semana|mês|mes|ano)",
    r"\d+\s{1,9}(?:seconden?|minuut|minuten|uur|uren|dag|dagen|week|weken|maanden|maand|jaar)\s{1,9}geleden",
    r"\d+\s{1,9}(?:sekund|minut|godzin|dzień|dni|tydzień|tygodni|miesi|rok|lat)\S{0,8}\s{1,9}temu",
    r"\d+\s{1,9}(?:секунд|минут|час|день|дн|недел|месяц|год|лет)\S{0,12}\s{1,9}назад",
    r"\d+\s{0,9}(?:秒|分钟|分|小时|時間|天|日|周|週間|个月|か月|年)前",
)
# Hexadecimal with a digit among the first seven characters, as all but one in a thousand have: not "defaced".
_HASHES = [rf"[a-f]{{{k}}}\d[0-9a-f]{{{6 - k},{63 - k}}}" for k in range(7)]
_TEXT = (
    rf"(?:{'|'.join(_STAMPS)})[^\d]{{0,30}}(?:{'|'.join(_DATES)}){_TIME}",
    rf"(?:©|\(c\)|copyright)[^\d\n]{{0,24}}{_YEAR}(?:\s{{0,9}}[^\w\s]{{1,3}}\s{{0,9}}{_YEAR})*",
    rf"{_YEAR}\s{{0,9}}(?:©|\(c\))",
    r"(?:generated|rendered|loaded|built)\s{1,9}in\s{1,9}\d[\d.,]{0,30}\s{0,9}(?:s|ms|sec|seconds|milliseconds)\b",
    rf"\b(?:build|commit|revision|request\s{{1,9}}id|trace\s{{1,9}}id|ray\s{{1,9}}id)\b[^\w\n]{{1,3}}(?:{'|'.join(_HASHES)})\b",
    *_AGES,
)
_ASSET = r"(?:avif|css|gif|ico|jpe?g|js|json|map|mjs|mp4|png|svg|ttf|wasm|webm|webp|woff2?|pdf|zip)"
_PARAMETERS = r"_|cb|ts|timestamp|nonce|_?token|_?csrf[\w-]*|authenticity_token|_?xsrf[\w-]*|\w*sess(?:ion)?_?id|sid"
_KEYS = "dateModified|sdDatePublished|copyrightYear|nonce|buildId"  # of JSON, written without white space
_LINK = (
    rf"[.\-_][0-9a-f]{{8,64}}\.{_ASSET}\b",  # app.3f2a9c1b.css
    r"-[\w-]{8}\.(?:css|m?js)\b",  # index-BkX3a9Qz.js
    rf"\.{_ASSET}\?[\w.=-]+",  # app.css?v=41
    r"/_next/(?:static|data)/[\w-]+",
    rf"[?&;](?:{_PARAMETERS})=[^&;#\"\n]*",
    rf'"(?:{_KEYS})":(?:"[^"\n]*"|\d+)',
)


def _compile(patterns: tuple[str, ...]) -> Any:
    return re2.compile(f"(?i)(?:{'|'.join(patterns)})".encode())


_IN_TEXT = _compile(_TEXT)
_DIGITS = [b"%d" % digit for digit in range(10)]
_IN_LINK = _compile(_LINK)


def stable_text(text: bytes) -> bytes:
    """Text without dates of the last change, copyright years, ages, build ids and rendering times."""
    return _remove_spans(text, [at for part in _near_digits(text) for at in _spans(_IN_TEXT, text, *part)])


def _near_digits(text: bytes) -> list[tuple[int, int]]:
    """Spans of the text around its digits, in order; all of it, when that is most."""
    digits = []
    for digit in _DIGITS:
        at = text.find(digit)
        while at >= 0:
            digits.append(at)
            at = text.find(digit, at + _STRIDE)
    if len(digits) * _STRIDE > len(text):
        return [(0, len(text))]
    parts: list[tuple[int, int]] = []
    for at in sorted(digits):
        start, stop = max(0, at - _BEFORE), at + _AFTER
        if parts and start <= parts[-1][1]:
            start, _ = parts.pop()
        parts.append((start, stop))
    return parts


def stable_links(text: bytes) -> bytes:
    """URLs, one a line or inside JSON, without hashes of assets, cache busters, tokens and session ids."""
    return _remove_spans(text, _spans(_IN_LINK, text, 0, len(text)))


def _spans(pattern: Any, text: bytes, start: int, stop: int) -> list[tuple[int, int]]:
    """Spans of the pattern's matches in a part of the text."""
    found = (match.span() for match in pattern.finditer(text[start:stop]))
    return [(start + first, start + end) for first, end in found]


def _remove_spans(text: bytes, spans: list[tuple[int, int]]) -> bytes:
    if not spans:
        return text
    parts, end = [], 0
    for start, stop in spans:
        parts.append(text[end:start])
        end = stop
    return b"".join((*parts, text[end:]))


# An edge may hide e-mail addresses from spam robots, under another key in each answer.
_HIDDEN = re2.compile(
    r'(data-cfemail="([0-9a-f]{4,400})"[^<>]{0,200}>)\[email[^<>\]]{1,9}protected\]'
    r"|/cdn-cgi/l/email-protection(?:#([0-9a-f]{4,400}))?"
)
HIDDEN_ADDRESS = "/cdn-cgi/l/email-protection"


def show_addresses(markup: str) -> str:
    """Markup with the e-mail addresses that Cloudflare's e-mail obfuscation has hidden in it."""
    return str(_HIDDEN.sub(_replace_hidden, markup)) if HIDDEN_ADDRESS in markup else markup


def _replace_hidden(match: Any) -> str:
    before, text, link = match.groups()
    return f"mailto:{_decode(link or '')}" if text is None else f"{before}{html.escape(_decode(text))}"


def _decode(hidden: str) -> str:
    """The first byte is the key that each other one is combined with."""
    key, *coded = bytes.fromhex(hidden[: len(hidden) // 2 * 2]) or b"\0"
    return bytes(byte ^ key for byte in coded).decode(errors="replace")
