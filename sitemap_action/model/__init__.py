"""The values that every other part speaks in: no behaviour, no effects."""
