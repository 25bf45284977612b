"""Measured fast paths of reading, each held to the parser by a property test."""
