"""The formats that a sitemap is written in."""

from typing import Literal

Format = Literal["xml", "text", "json"]
