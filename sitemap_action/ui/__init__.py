"""A screen on loopback that starts `check` and shows what it finds."""
