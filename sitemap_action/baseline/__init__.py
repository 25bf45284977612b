"""What the site is compared with: the committed sitemap, and the baseline."""
