"""A site in two languages, with the sitemap of django.contrib.sitemaps; its answers are written to the folder OUTPUT."""

import os
from datetime import date
from pathlib import Path

import django
from django.conf import settings
from django.conf.urls.i18n import i18n_patterns
from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import index, sitemap
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path, reverse, translate_url
from django.utils import translation

HOST = "library.example.com"
settings.configure(
    ALLOWED_HOSTS=[HOST],
    INSTALLED_APPS=["django.contrib.sitemaps"],
    LANGUAGES=[("en", "English"), ("de", "Deutsch"), ("pt-br", "Português")],
    LANGUAGE_CODE="en",
    MIDDLEWARE=["django.middleware.locale.LocaleMiddleware"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="for this build alone",
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    USE_I18N=True,
)
BOOKS = {"moby-dick": date(2025, 2, 1), "walden": date(2025, 3, 1)}


def page(request: HttpRequest, book: str = "") -> HttpResponse:
    language = translation.get_language()
    links = "".join(f'<a href="{reverse("book", args=[name])}">{name}</a> ' for name in BOOKS)
    links += "".join(f'<a href="{translate_url(request.path, code)}">{name}</a> ' for code, name in settings.LANGUAGES)
    return HttpResponse(
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{book or "Library"} {language}</title>'
        f'<link rel="canonical" href="https://{HOST}{request.path}"></head><body><nav>{links}</nav>'
        f'<a href="{reverse("home")}">Library</a><h1>{book or "Open every day"}</h1></body></html>'
    )


class Pages(Sitemap):
    protocol = "https"
    i18n = True
    alternates = True
    x_default = True
    changefreq = "monthly"

    def items(self) -> list[str]:
        return ["home"]

    def location(self, item: str) -> str:
        return reverse(item)


class Books(Pages):
    priority = 0.8

    def items(self) -> list[str]:
        return sorted(BOOKS)

    def location(self, item: str) -> str:
        return reverse("book", args=[item])

    def lastmod(self, item: str) -> date:
        return BOOKS[item]


SITEMAPS = {"pages": Pages, "books": Books}
urlpatterns = [
    path("sitemap.xml", index, {"sitemaps": SITEMAPS, "sitemap_url_name": "section"}),
    path("sitemap-<section>.xml", sitemap, {"sitemaps": SITEMAPS}, name="section"),
    *i18n_patterns(
        path("", page, name="home"), path("books/<book>/", page, name="book"), prefix_default_language=False
    ),
]


def main() -> None:
    django.setup()
    out, client = Path(os.environ["OUTPUT"]), Client(SERVER_NAME=HOST)
    prefixes = ("/", "/de/", "/pt-br/")
    paths = ["/sitemap.xml", "/sitemap-pages.xml", "/sitemap-books.xml"]
    paths += [f"{prefix}{place}" for prefix in prefixes for place in ("", *(f"books/{name}/" for name in BOOKS))]
    for one in paths:
        answer = client.get(one, secure=True)
        assert answer.status_code == 200, (one, answer.status_code)
        file = out / (one + "index.html" if one.endswith("/") else one)[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(answer.content)


main()
