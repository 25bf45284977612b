"""What the data of an HTML report says."""

import json
import re
from typing import Any

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def html_data(page: str) -> dict[str, Any]:
    (data,) = _DATA.findall(page)
    return dict(json.loads(data))


def html_rows(page: str) -> set[str]:
    """The URL of each row of its table of pages."""
    table = html_data(page)["table"]
    return {f"{table['base']}{url[1:]}" if url.startswith("/") else url for url, *_ in table["rows"]}
