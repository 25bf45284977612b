"""The repository: git as a process."""
