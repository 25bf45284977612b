"""Every sitemap document, from wherever it is kept: the one reader."""
