"""One URL in, one answer out: the only port to pages, whatever holds them."""
