"""What a crawler knows: URLs, patterns, robots.txt, HTML, headers. No effects."""
