"""robots.txt: lines, groups, and the rule that applies."""
