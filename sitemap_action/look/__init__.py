"""The look phase: everything that is asked of the world, in order."""
