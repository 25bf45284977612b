"""Findings, differences and policy become one result."""
