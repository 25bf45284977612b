"""Carries out the steps of a plan, one kind each."""
