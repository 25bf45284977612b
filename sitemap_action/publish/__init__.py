"""Carries out the steps of a plan, one module for each kind."""
