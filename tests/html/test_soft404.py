"""Signals of an error page in one document (HTML-45)."""

import pytest

from sitemap_action.html import extract, soft404

ERROR_HEADINGS = [
    ("en", "Page not found"),
    ("en", "Oops! That page can’t be found."),
    ("en number", "404"),
    ("en number", "Error 404 – Example"),
    ("en number", "410 Gone"),
    ("en number", "404 Not Found"),
    ("en number", "Page not found (404)"),
    ("site first", "Example | Page not found"),
    ("site last", "Page Not Found | My Site"),
    ("site last", "404: Not found – Example"),
    ("de", "Seite nicht gefunden | Beispiel"),
    ("fr", "Page introuvable"),
    ("fr", "Cette page n’existe pas"),
    ("es", "PÁGINA NO ENCONTRADA"),
    ("it", "Pagina non trovata"),
    ("pt", "Página não encontrada"),
    ("nl", "Pagina niet gevonden"),
    ("pl", "Nie znaleziono strony"),
    ("ja", "ページが見つかりません"),
    ("ja", "お探しのページは見つかりませんでした"),
    ("zh", "页面不存在"),
    ("zh-Hant", "找不到頁面"),
    ("ru", "Страница не найдена"),
    ("sv", "Sidan hittades inte"),
]
OTHER_HEADINGS = [
    "Welcome",
    "Model 1404",
    "4041 things to do",
    "Version 4.404.1",
    "Lost and found",
    "Peugeot 4040",
    "Peugeot 404 Cabriolet",  # V-09, as those that follow
    "Room 404",
    "Room 404 | Hotel",
    "Module not found",
    "Compiler: Module not found in project",
    "404 things to do",
    "Lost and not found | Stories",
    "",
]


@pytest.mark.parametrize(("language", "heading"), ERROR_HEADINGS)
def test_headings_of_error_pages(language: str, heading: str) -> None:
    assert soft404.signals([heading], 500, (), "https://x.com/a") == ("a title for missing pages",)
    assert soft404.signals(["Example", heading], 500, (), "https://x.com/a") == ("a title for missing pages",)


@pytest.mark.parametrize("heading", OTHER_HEADINGS)
def test_other_headings(heading: str) -> None:
    assert soft404.signals([heading], 500, (), "https://x.com/a") == ()


ROWS = [
    ("HTML-45 thin but real: one sign", ["About"], 49, [], ("few words",)),
    ("HTML-45 enough words", ["About"], 50, [], ()),
    ("HTML-45 canonical leads home", ["About"], 500, ["https://x.com/"], ("canonical leads home",)),
    ("HTML-45 canonical leads to /404", ["About"], 500, ["https://x.com/404"], ("canonical leads home",)),
    ("HTML-45 canonical leads to /404.html", ["About"], 500, ["https://x.com/404.html"], ("canonical leads home",)),
    ("HTML-45 canonical leads elsewhere", ["About"], 500, ["https://x.com/404-errors"], ()),
    ("HTML-45 title and heading are one sign", ["Not found", "404"], 500, [], ("a title for missing pages",)),
    ("HTML-45 all", ["404"], 3, ["https://x.com/"], ("a title for missing pages", "few words", "canonical leads home")),
]


@pytest.mark.parametrize(
    ("headings", "words", "canonicals", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_signals(headings: list[str], words: int, canonicals: list[str], expected: tuple[str, ...]) -> None:
    assert soft404.signals(headings, words, canonicals, "https://x.com/deep/page") == expected


def test_home_may_name_itself() -> None:
    assert soft404.signals(["Home"], 500, ["https://x.com/"], "https://x.com/") == ()


def test_title_and_first_heading_of_a_document_are_read() -> None:
    markup = b"<title>Example</title><h1>Page <em>not</em> found</h1><h1>ok</h1>"
    assert extract.read(markup, (), "https://x.com/a").facts.soft404 == ("a title for missing pages", "few words")
