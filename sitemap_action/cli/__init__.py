"""The command line: what can be asked, and where the answers go."""
