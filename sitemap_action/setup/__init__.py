"""What `init` makes of a repository: which generator builds it, and the config and workflow that check it."""
