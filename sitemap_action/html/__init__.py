"""One document → facts: directives, canonicals, links, dates, fingerprint and the other facts of a page."""
