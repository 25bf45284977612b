"""The values that every other room shares: no behaviour, no effects."""
