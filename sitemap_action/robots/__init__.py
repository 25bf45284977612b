"""robots.txt: lines, groups, and which rule decides."""
