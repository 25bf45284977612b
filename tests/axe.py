"""axe-core (`make axe`), which looks for barriers in a page that the browser has open."""

from pathlib import Path

import pytest

from browser import Browser

AXE = Path(__file__).parents[1] / "build/axe"


def barriers(tab: Browser) -> list[object]:
    """What axe-core finds in the open page."""
    if not (AXE / ".lock").exists():
        pytest.skip("axe-core is not installed: run `make axe`, which needs npm")
    tab.run((AXE / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8"))
    found = tab.run("axe.run().then(({violations}) => violations.map(one => [one.impact, one.id, one.nodes.slice(0, 3).map(node => node.html + ' ' + node.failureSummary)]))")  # fmt: skip
    assert isinstance(found, list)
    return found
