"""Parts of a page that change from build to build while it says the same: what a fingerprint leaves out (DIFF-31)."""

from typing import Any

import re2

# Every pattern runs over UTF-8, in time linear in it; \w, \d and \b know ASCII alone.
_YEAR = r"(?:19|20)\d\d"

_STAMPS = (  # what introduces a date that the machinery of a site wrote
    r"last\s+(?:updated|modified|edited|changed|revised|reviewed|generated|built|checked)",
    r"(?:updated|modified|generated|rendered|built|retrieved)\s*(?:on\b|at\b|:)",
    r"(?:zuletzt|letzte)\s+(?:aktualisiert|aktualisierung|geändert|änderung|bearbeitet|bearbeitung)",
    r"aktualisiert\s+am|\bstand:",
    r"mise?\s+à\s+jour|dernière\s+modification|modifiée?\s+le",
    r"última\s+(?:actualización|modificación|atualização|modificação)|actualizado\s+el|atualizado\s+em",
    r"ultim[oa]\s+(?:aggiornamento|modifica)|aggiornato\s+il",
    r"laatst\s+(?:bijgewerkt|gewijzigd)|bijgewerkt\s+op",
    r"ostatni[ao]\s+(?:aktualizacja|modyfikacja|zaktualizowano)|zaktualizowano",
    r"последн(?:ее|яя)\s+(?:обновление|изменение)|обновлено",
    r"最終更新(?:日時|日)?|更新日時|更新日|最后更新|最近更新|更新时间|最後更新",
)
_DATES = (
    rf"\d{{1,2}}[^\d\n]{{1,20}}(?:\d{{1,2}}[^\d\n]{{1,3}})?{_YEAR}",  # 3 May 2026, May 3, 2026, 03.05.2026
    rf"{_YEAR}(?:[^\d\n]{{1,3}}\d{{1,2}}(?:[^\d\n]{{1,3}}\d{{1,2}}(?:日|T)?)?)?",  # 2026-05-03T, 2026年5月3日, 2026
    r"\d{1,2}:\d\d(?::\d\d)?",
    r"\d+\s+(?:second|minute|hour|day|week|month|year)s?(?:\s+ago)?",
)
_TIME = r"(?:[^\d\n]{0,8}\d{1,2}[:.h]\d\d(?:[:.]\d\d)?)?"
_AGES = (
    r"\d+\s+(?:second|minute|hour|day|week|month|year)s?\s+ago",
    r"vor\s+\d+\s+(?:Sekunde|Minute|Stunde|Tag|Woche|Monat|Jahr)e?n?\b",
    r"il\s+y\s+a\s+\d+\s+(?:seconde|minute|heure|jour|semaine|mois|an)s?\b",
    r"hace\s+\d+\s+(?:segundo|minuto|hora|día|semana|mes|año)",
    r"\d+\s+(?:second|minut|or|giorn|settiman|mes|ann)[aeio]\s+fa\b",
    r"há\s+\d+\s+(?:segundo|minuto|hora|dia|semana|mês|mes|ano)",
    r"\d+\s+(?:seconden?|minuut|minuten|uur|uren|dag|dagen|week|weken|maanden|maand|jaar)\s+geleden",
    r"\d+\s+(?:sekund|minut|godzin|dzień|dni|tydzień|tygodni|miesi|rok|lat)\S{0,8}\s+temu",
    r"\d+\s+(?:секунд|минут|час|день|дн|недел|месяц|год|лет)\S{0,12}\s+назад",
    r"\d+\s*(?:秒|分钟|分|小时|時間|天|日|周|週間|个月|か月|年)前",
)
_TEXT = (
    rf"(?:{'|'.join(_STAMPS)})[^\d]{{0,30}}(?:{'|'.join(_DATES)}){_TIME}",
    rf"(?:©|\(c\)|copyright)[^\d\n]{{0,24}}{_YEAR}(?:\s*[^\w\s]{{1,3}}\s*{_YEAR})*",
    rf"{_YEAR}\s*(?:©|\(c\))",
    r"(?:generated|rendered|loaded|built)\s+in\s+[\d.,]+\s*(?:s|ms|sec|seconds|milliseconds)\b",
    r"\b(?:build|commit|revision|request\s+id|trace\s+id)\b[^\w\n]{1,3}[0-9a-f]{7,64}\b",
    *_AGES,
)
_ASSET = r"(?:avif|css|gif|ico|jpe?g|js|json|map|mjs|mp4|png|svg|ttf|wasm|webm|webp|woff2?|pdf|zip)"
_PARAMETERS = r"_|cb|ts|timestamp|nonce|_?token|_?csrf[\w-]*|authenticity_token|_?xsrf[\w-]*|\w*sess(?:ion)?_?id|sid"
_KEYS = "dateModified|sdDatePublished|copyrightYear|nonce|buildId"  # of JSON, written without white space
_ADDRESS = (
    rf"[.\-_][0-9a-f]{{8,64}}\.{_ASSET}\b",  # app.3f2a9c1b.css
    r"-[\w-]{8}\.(?:css|m?js)\b",  # index-BkX3a9Qz.js
    rf"\.{_ASSET}\?[\w.=-]+",  # app.css?v=41
    r"/_next/(?:static|data)/[\w-]+",
    rf"[?&;](?:{_PARAMETERS})=[^&;#\"\n]*",
    rf'"(?:{_KEYS})":(?:"[^"\n]*"|\d+)',
)


def _compiled(patterns: tuple[str, ...]) -> Any:
    return re2.compile(f"(?i)(?:{'|'.join(patterns)})".encode())


_IN_TEXT = _compiled(_TEXT)
_NOT_PLAIN = _compiled((*_TEXT, r"\s\s", r"[\x{3000}-\x{9fff}]"))
_IN_ADDRESS = _compiled(_ADDRESS)


def is_plain(text: bytes) -> bool:
    """Whether nothing in the text is volatile, words stand one space apart, and no letter needs a count of its own.

    One pass answers for three, because most text is plain; see `fingerprint.weigh`.
    """
    return _NOT_PLAIN.search(text) is None


def steady_text(text: bytes) -> bytes:
    """Text without dates of the last change, copyright years, ages, build ids and rendering times."""
    steady: bytes = _IN_TEXT.sub(b"", text)
    return steady


def steady_addresses(text: bytes) -> bytes:
    """URLs, one a line or inside JSON, without hashes of assets, cache busters, tokens and session ids."""
    steady: bytes = _IN_ADDRESS.sub(b"", text)
    return steady
