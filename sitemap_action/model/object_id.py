"""The ids that git gives to commits, trees and files."""

import re

OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""Whole, of SHA-1 or SHA-256."""
