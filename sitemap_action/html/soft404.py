"""Signs in one document that it is an error page although it answers 200 (HTML-45)."""

import re
from collections.abc import Iterable

import re2

from sitemap_action.model.page import CANONICAL_TO_HOME

_FEW_WORDS = 50
_LONGEST = 300  # characters of a title that are looked at

# Lower case; each is how error pages of that language are headed, and hardly anything else.
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
_SAYS_SO = re2.Set.SearchSet()  # of one pattern: it says whether, and builds no match
_SAYS_SO.Add("|".join((*map(re.escape, PHRASES), _NUMBER)).encode())
_SAYS_SO.Compile()
_HOME = re.compile(r"https?://[^/]+/(?:404(?:\.html?|/)?)?")


def signals(headings: Iterable[str], words: int, canonicals: Iterable[str], page: str) -> tuple[str, ...]:
    """Names of the signs: title or first heading says so, few words, and a canonical that leads home or to /404."""
    found = []
    if _says_so("\n".join([heading[:_LONGEST] for heading in headings])):
        found.append("says not found")
    if words < _FEW_WORDS:
        found.append("few words")
    if any(url != page and _HOME.fullmatch(url) for url in canonicals):
        found.append(CANONICAL_TO_HOME)
    return tuple(found)


def _says_so(headings: str) -> bool:
    said = " ".join(headings.lower().replace("’", "'").split())
    return _SAYS_SO.Match(said.encode(errors="replace")) is not None
