"""Sets of language versions from what pages name: those that are valid, and why another is not (HL-01…06)."""

import pytest

from fakes import at
from sitemap_action.decide.extensions import PageVersions
from sitemap_action.model.page import Alternate

Named = dict[str, str]  # "code path, code path" by path
BOTH = "en /en, de /de"
ALL = f"{BOTH}, fr /fr"


def versions(stated: Named, *fixed: str) -> PageVersions:
    found = PageVersions()
    for path, named in stated.items():
        pairs = (one.split(" ") for one in named.split(", "))
        found.add(at(path), tuple(Alternate(code, at(to)) for code, to in pairs), fixed=path in fixed)
    found.complete()
    return found


def sets(stated: Named, *fixed: str) -> Named:
    """Those that are written."""
    found = versions(stated, *fixed)
    written = {path: found.find_versions(at(path))[0].items() for path in stated}
    return {
        path: ", ".join(f"{code} /{url.partition('.com/')[2]}" for code, url in items)
        for path, items in written.items()
        if items
    }


# id, what pages name, sets that are written, the page whose row says why, what it says
ROWS: list[tuple[str, Named, Named, str, str]] = [
    ("mutual", {"/de": BOTH, "/en": BOTH}, {"/de": BOTH, "/en": BOTH}, "/de", ""),
    ("in another order", {"/de": BOTH, "/en": "de /de, en /en"}, {"/de": BOTH, "/en": BOTH}, "/en", ""),
    ("with x-default", {"/de": f"{BOTH}, x-default /en", "/en": f"{BOTH}, x-default /en"}, dict.fromkeys(("/de", "/en"), f"{BOTH}, x-default /en"), "/en", ""),
    ("the spelling of a locale", {"/de": "en_GB /en, de /de", "/en": "en-GB /en, de /de"}, dict.fromkeys(("/de", "/en"), "en-GB /en, de /de"), "/de", ""),
    ("HL-01 another spelling of a URL", {"/de": BOTH, "/en": "en /./en, de HTTPS://WWW.EXAMPLE.COM/de"}, {"/de": BOTH, "/en": BOTH}, "/en", ""),
    ("HL-02 without itself", {"/de": "en /en", "/en": BOTH}, {"/de": BOTH, "/en": BOTH}, "/de", ""),
    ("HL-02 neither names itself", {"/de": "en /en", "/en": "de /de"}, {"/de": BOTH, "/en": BOTH}, "/de", ""),
    ("HL-02 its code has another page", {"/de": "en /en, de /en", "/en": BOTH}, {}, "/de", "the page does not name itself"),
    ("itself alone", {"/en": "en /en, x-default /en"}, {}, "/en", ""),
    ("HL-03 one way", {"/de": "de /de, fr /fr", "/en": BOTH, "/fr": "fr /fr, de /de"}, dict.fromkeys(("/de", "/fr"), "de /de, fr /fr"), "/en", "de: https://www.example.com/de does not link back"),
    ("HL-03 one of three", {"/de": ALL, "/en": ALL, "/fr": "fr /fr"}, {"/de": BOTH, "/en": BOTH}, "/de", "fr: https://www.example.com/fr does not link back"),
    ("HL-03 not listed", {"/de": ALL, "/en": ALL}, {"/de": BOTH, "/en": BOTH}, "/en", "fr: https://www.example.com/fr is not listed, or names no version"),
    ("another site", {"/en": "en /en, de https://www.example.de/"}, {}, "/en", "de: https://www.example.de/ is not listed, or names no version"),
    ("HL-04 part of a set", {"/de": ALL, "/en": BOTH, "/fr": "de /de, fr /fr"}, {}, "/de", "https://www.example.com/en does not name the same versions"),
    ("HL-04 another code", {"/de": BOTH, "/en": "en-GB /en, de /de"}, {}, "/de", "https://www.example.com/en does not name the same versions"),
    ("HL-05 no code", {"/de": f"{BOTH}, en-UK /uk", "/en": f"{BOTH}, en-UK /uk"}, {"/de": BOTH, "/en": BOTH}, "/de", "en-UK is no code of a language"),
    ("HL-06 two URLs", {"/de": f"{BOTH}, de /fr", "/en": f"{BOTH}, de /fr"}, {}, "/en", "de is https://www.example.com/de and https://www.example.com/fr"),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "written", "path", "why"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_sets(stated: Named, written: Named, path: str, why: str) -> None:
    assert sets(stated) == written
    assert versions(stated).find_versions(at(path))[1] == why


def test_an_entry_that_is_not_rewritten_is_a_statement_as_it_is() -> None:
    assert sets({"/de": "en /en", "/en": BOTH}, "/de") == {}
    assert sets({"/de": BOTH, "/en": BOTH}, "/de") == {"/de": BOTH, "/en": BOTH}


def test_a_row_names_a_few_faults() -> None:
    named = ", ".join(f"{code} /{code}" for code in ("en", "de", "fr", "es", "it", "pt"))
    assert versions({"/en": named}).find_versions(at("/en"))[1].endswith("; and 2 more")
