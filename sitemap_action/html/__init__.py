"""One document → facts: what a page says about itself and where it links."""
