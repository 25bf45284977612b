"""A build directory as a site."""
