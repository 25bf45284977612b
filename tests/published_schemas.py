"""The published schemas of report formats, which `.ci/schemas` fetches."""

import hashlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_FETCHED = ROOT / "build/schemas"


def published_schema(name: str) -> bytes:
    """One of sarif.json and junit.xsd; a test without it is skipped."""
    made = _FETCHED / ".sources"
    wanted = hashlib.sha256((ROOT / ".ci/schemas").read_bytes()).hexdigest()
    if not (made.exists() and made.read_text().startswith(wanted)):
        pytest.skip("the published schemas of report formats are not there: run `make schemas`, which needs npm")
    return (_FETCHED / name).read_bytes()
