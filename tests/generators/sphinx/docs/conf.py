project = "Lighthouse"
extensions = ["sphinx_sitemap"]
html_baseurl = "https://lighthouse.example.com/"
html_theme = "alabaster"
sitemap_url_scheme = "{link}"
sitemap_show_lastmod = False
