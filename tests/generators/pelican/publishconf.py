import os
import sys

sys.path.append(os.curdir)
from pelicanconf import *  # noqa: F403

SITEURL = "https://pelican.example.com"
RELATIVE_URLS = False
PLUGINS = ["pelican.plugins.sitemap"]
SITEMAP = {"format": "xml"}
