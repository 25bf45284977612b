"""The look phase: everything that is read from files, git and the web, in order; nothing is decided."""
