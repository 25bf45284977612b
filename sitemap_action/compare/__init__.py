"""What differs between the site as it is and the sitemaps that speak of it."""
