"""Signals in one document that it is an error page in spite of status 200 (HTML-45, HTML-71)."""

import re
from collections.abc import Iterable, Mapping

import re2

from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.page import Facts, Soft404

FEW_WORDS = 50
MANY_URLS = 5  # with one short document (HTML-71)
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
_PHRASE = lazy_re("|".join(map(re.escape, sorted(PHRASES, key=len, reverse=True))))
_WORD = lazy_re(r"\w+")
_NUMBER = r"(?:^|[^\d.,])(?:404|410)(?:$|[^\d.,]|[.,](?:$|\D))"
_NOT_FOUND = re2.Set.SearchSet()  # of one pattern: a set builds no match object
_NOT_FOUND.Add("|".join((*map(re.escape, PHRASES), _NUMBER)).encode())
_NOT_FOUND.Compile()
_NUMBER_ALONE = lazy_re(r"(?<![\d.,])(?:404|410)(?![\d.,]*\d)")
_SEPARATOR = lazy_re(r"\s[|\-–—·•:»«/~]+\s|:\s|\||::")  # between the title of a page and the name of its site
# Words beside a phrase that do not make another title of it, and numbers of errors.
_FILLERS = frozenset(
    """
    oops ooops ops ups uh oh uhoh sorry whoops error http status code the this that we a an it looks like sadly
    fehler die diese dieser erreur la cette désolé oups error lo sentimos esta errore questa erro fout deze błąd
    ошибка 错误 错误代码 エラー は が を gone
    """.split()  # noqa: SIM905 - as text it is easier to read
)
_ERROR_TITLES = (
    "application error",
    "internal server error",
    "bad gateway",
    "service unavailable",
    "under maintenance",
)
_HOME_OR_404 = lazy_re(r"https?://[^/]+/(?:404(?:\.html?|/)?)?")


def signals(headings: Iterable[str], words: int, canonicals: Iterable[str], page: str) -> tuple[Soft404, ...]:
    """The signals: a heading of an error page, few words, a canonical that names the home page or /404."""
    found = []
    if is_not_found(headings):
        found.append(Soft404.TITLE)
    if words < FEW_WORDS:
        found.append(Soft404.FEW_WORDS)
    if any(url != page and _HOME_OR_404.fullmatch(url) for url in canonicals):
        found.append(Soft404.CANONICAL)
    return tuple(found)


def is_not_found(headings: Iterable[str]) -> bool:
    """Whether a title or heading, without the name of the site, is a phrase for a missing page."""
    texts = [" ".join(heading[:_MAX_LENGTH].lower().replace("’", "'").split()) for heading in headings]
    if _NOT_FOUND.Match("\n".join(texts).encode(errors="replace")) is None:
        return False
    return any(_is_phrase(part) for text in texts for part in _titles(text))


def says_error(facts: Facts) -> bool:
    """Whether the title or heading of a page is that of an error page: its text alone proves nothing (HTML-71)."""
    return is_error_title(facts.head.title) or Soft404.TITLE in facts.soft404


def is_error_title(title: str) -> bool:
    """Whether a title is that of a server or an application that failed (HTML-71)."""
    lowered = title[:_MAX_LENGTH].lower()
    return any(phrase in lowered for phrase in _ERROR_TITLES)


def document_key(facts: Facts) -> str:
    """Equal for the same document, one without any text is told apart by its title; "" without a fingerprint."""
    if not facts.fingerprint:
        return ""
    return facts.fingerprint if facts.words else f"{facts.fingerprint} {facts.head.title}"


def stub_key(facts: Facts) -> str:
    """Equal for pages that are one short document or one error page, "" for every other page (HTML-71).

    Shells of client-rendered pages and redirect stubs are short by their nature, a page without any text may be an
    image.
    """
    if not facts.fingerprint or facts.refresh is not None:
        return ""
    by_its_nature = facts.words >= FEW_WORDS or facts.needs_scripts or (facts.size and not facts.words)
    if by_its_nature and not is_error_title(facts.head.title):
        return ""
    return f"{facts.fingerprint} {facts.head.title}"


def is_empty(facts: Facts) -> bool:
    """Whether there is nothing to see or to follow, and no script that adds any (HTML-45): a failed build."""
    seen = facts.head.title or facts.words or facts.links.urls or facts.refresh is not None
    return not (seen or facts.shell or facts.script_redirect or facts.links.hash_routes)


def find_repeated(stubs: Mapping[str, int]) -> frozenset[str]:
    """Keys of the documents that many URLs share, of keys with the number of their URLs."""
    return frozenset(key for key, count in stubs.items() if count >= MANY_URLS)


def _titles(text: str) -> Iterable[str]:
    """The text, and its first and last part: one of them may be the name of the site."""
    parts = [part for part in _SEPARATOR.split(text) if part.strip()]
    return {text, *parts[:1], *parts[-1:]}


def _is_phrase(text: str) -> bool:
    """Whether nothing but phrases, numbers of errors and filling words make the text."""
    rest = _PHRASE.sub(" ", _NUMBER_ALONE.sub(" ", text))
    return rest != text and all(word in _FILLERS for word in _WORD.findall(rest))
