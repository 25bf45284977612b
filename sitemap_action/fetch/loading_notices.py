"""Words and names by which a page says that it is not there yet, in the languages of most sites."""

import re
from collections.abc import Iterable

_WORDS = (
    *("loading", "please wait", "one moment", "just a moment", "fetching", "initializing"),
    *("wird geladen", "werden geladen", "lädt", "bitte warten", "einen moment"),
    *("chargement", "veuillez patienter", "un instant"),
    *("cargando", "espere", "espera", "un momento"),
    *("carregando", "a carregar", "aguarde", "um momento"),
    *("caricamento", "attendere", "attendi", "un attimo"),
    *("bezig met laden", "wordt geladen", "even geduld", "een ogenblik"),
    *("laddar", "läser in", "vänta", "indlæser", "vent venligst", "laster inn", "vennligst vent"),
    *("ladataan", "odota hetki"),
    *("ładowanie", "wczytywanie", "proszę czekać", "načítání", "načítá se", "čekejte prosím", "načítava sa"),
    *("betöltés", "kérem várjon", "se încarcă", "vă rugăm așteptați", "učitavanje", "nalaganje"),
    *("загрузка", "загружается", "подождите", "завантаження", "зачекайте", "зареждане"),
    *("φόρτωση", "παρακαλώ περιμένετε", "yükleniyor", "lütfen bekleyin"),
    *("memuat", "mohon tunggu", "đang tải", "vui lòng chờ"),
    *("טוען", "אנא המתן", "جار التحميل", "جارٍ التحميل", "جاري التحميل", "يرجى الانتظار", "در حال بارگذاری"),
    *("लोड हो रहा", "कृपया प्रतीक्षा करें"),
)
_UNSPACED = (
    *("読み込み中", "読込中", "ロード中", "お待ちください"),
    *("加载中", "正在加载", "请稍候", "请稍等", "載入中", "正在載入", "請稍候"),
    *("로딩", "불러오는 중", "로드 중", "잠시만 기다려"),
    *("กำลังโหลด", "โปรดรอ", "กรุณารอ"),
)
"""Of languages that write without spaces between words, or add endings."""
_NAME = "(?<![a-z])(?:loading|loader)(?![a-z])|spinner|skeleton|shimmer"


def text_expression(words: Iterable[str] = ()) -> str:
    """An expression of JavaScript (flags `iu`) that finds a notice in a short text; with more words of the config."""
    spaced = "|".join(map(_literal, dict.fromkeys((*_WORDS, *(word.lower() for word in words)))))
    return rf"(?<!\p{{L}})(?:{spaced})(?!\p{{L}})|{'|'.join(map(_literal, _UNSPACED))}"


def name_expression(words: Iterable[str] = ()) -> str:
    """One that finds it in classes and ids."""
    return "|".join((_NAME, *(f"(?<![a-z]){_literal(word.lower())}(?![a-z])" for word in words)))


def _literal(text: str) -> str:
    """JavaScript with the flag `u` takes no escape that is needless."""
    return re.sub(r"[\\^$.*+?()\[\]{}|/]", r"\\\g<0>", text)
