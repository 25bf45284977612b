"""The report as one HTML file: the data of a run as JSON in a page of fixed markup, style and script.

Text of a site stands nowhere but in the JSON, of which the script makes text nodes; the policy of the page allows this
script and this style by their hashes, and nothing from outside.
"""

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

from sitemap_action.model.outcome import Outcome
from sitemap_action.reports.html.report_data import document

_FILES = Path(__file__).parent
_POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_ESCAPES = str.maketrans(_ESCAPED)


def render(outcome: Outcome) -> str:
    return _page().substitute(result=outcome.result.value, data=as_json(document(outcome)))


def as_json(value: object) -> str:
    """JSON that ends no element, starts no comment and holds no workflow command; any encoder accepts it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)
    return text.encode(errors="backslashreplace").decode().replace("##[", r"#\u0023[")


@cache
def _page() -> Template:
    """The page with its style and script; what differs from run to run is left open."""
    script, style = _text("report.js"), _text("report.css")
    policy = _POLICY.format(script=_hash(script), style=_hash(style))
    fixed = {"policy": policy, "style": style.replace("$", "$$"), "script": script.replace("$", "$$")}
    return Template(Template(_text("report.html")).safe_substitute(fixed))


def _text(name: str) -> str:
    return (_FILES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


_page()  # with the module: after root is given up no file is read
