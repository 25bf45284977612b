"""The result of a run from its findings, differences and policy."""
