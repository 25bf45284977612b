"""Signals in one document that it is an error page in spite of status 200 (HTML-45)."""

import re
from collections.abc import Iterable

import re2

from sitemap_action.model.page import CANONICAL_TO_HOME

_FEW_WORDS = 50
_MAX_LENGTH = 300  # characters of a heading that are compared

# Lower case; headings of error pages in one language, and hardly ever of other pages.
PHRASES = (
    *("page not found", "not found", "page cannot be found", "page can't be found", "page could not be found"),
    *("page doesn't exist", "page does not exist", "page no longer exists", "nothing here", "nothing found"),
    *("seite nicht gefunden", "nicht gefunden", "seite existiert nicht", "seite wurde nicht gefunden"),
    *("page introuvable", "page non trouvée", "page inexistante", "page n'existe pas"),
    *("página no encontrada", "no se encontró la página", "no se ha encontrado la página", "la página no existe"),
    *("pagina non trovata", "pagina inesistente", "la pagina non esiste"),
    *("página não encontrada", "página não existe", "pagina não encontrada", "página inexistente"),
    *("pagina niet gevonden", "niet gevonden", "pagina bestaat niet"),
    *("nie znaleziono strony", "strona nie istnieje", "strony nie znaleziono", "nie odnaleziono"),
    *("ページが見つかりません", "見つかりませんでした", "お探しのページ", "ページは存在しません"),
    *("页面不存在", "找不到页面", "页面未找到", "未找到页面", "找不到网页", "頁面不存在", "找不到頁面"),
    *("страница не найдена", "не найдено", "страницы не существует", "страница не существует"),
    *("sidan hittades inte", "siden blev ikke fundet", "sivua ei löytynyt", "stránka nenalezena", "sayfa bulunamadı"),
)
_NUMBER = r"(?:^|[^\d.,])(?:404|410)(?:$|[^\d.,]|[.,](?:$|\D))"
_NOT_FOUND = re2.Set.SearchSet()  # of one pattern: a set builds no match object
_NOT_FOUND.Add("|".join((*map(re.escape, PHRASES), _NUMBER)).encode())
_NOT_FOUND.Compile()
_HOME_OR_404 = re.compile(r"https?://[^/]+/(?:404(?:\.html?|/)?)?")


def signals(headings: Iterable[str], words: int, canonicals: Iterable[str], page: str) -> tuple[str, ...]:
    """Names of the signals: a heading of an error page, few words, a canonical that names the home page or /404."""
    found = []
    if _has_not_found("\n".join([heading[:_MAX_LENGTH] for heading in headings])):
        found.append("says not found")
    if words < _FEW_WORDS:
        found.append("few words")
    if any(url != page and _HOME_OR_404.fullmatch(url) for url in canonicals):
        found.append(CANONICAL_TO_HOME)
    return tuple(found)


def _has_not_found(headings: str) -> bool:
    text = " ".join(headings.lower().replace("’", "'").split())
    return _NOT_FOUND.Match(text.encode(errors="replace")) is not None
