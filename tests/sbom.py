"""The bill of materials of what a run imports, made from requirements.txt; `python tests/sbom.py` writes it anew."""

import json
import re
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.bom_ref import BomRef
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FILE = ROOT / "sbom.cdx.json"
LOCK = ROOT / "requirements.txt"
VERSION = SchemaVersion.V1_6

# As the releases state them; google-re2 states BSD only, and its LICENSE file has three clauses.
LICENSES = {
    "ada-url": "Apache-2.0",
    "anyio": "MIT",
    "certifi": "MPL-2.0",
    "cffi": "MIT-0",
    "click": "BSD-3-Clause",
    "elementpath": "MIT",
    "google-re2": "BSD-3-Clause",
    "h11": "MIT",
    "httpcore": "BSD-3-Clause",
    "httpx": "BSD-3-Clause",
    "idna": "BSD-3-Clause",
    "lxml": "BSD-3-Clause",
    "msgspec": "BSD-3-Clause",
    "pycparser": "BSD-3-Clause",
    "pycurl": "LGPL-2.1-only OR MIT",
    "pyyaml": "MIT",
    "turbohtml": "MIT",
    "typing-extensions": "PSF-2.0",
    "xmlschema": "MIT",
    "xxhash": "BSD-2-Clause",
}
_LOCKED = re.compile(r"(?m)^([\w.-]+)==([^\s;]+)(?: ; ([^\\\n]+?))?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$")


def locked(text: str) -> list[tuple[str, str, str, list[str]]]:
    """(name, version, marker, SHA-256 of each file of the release) of every package of a lock."""
    rows = [(m[1], m[2], m[3] or "", re.findall(r"sha256:(\w{64})", m[4])) for m in _LOCKED.finditer(text)]
    assert len(rows) == len(re.findall(r"(?m)^[\w.-]+==", text)), "a line of the lock has another form"
    return [(canonicalize_name(name), *rest) for name, *rest in rows]


def document() -> dict[str, Any]:
    """Without a time, and with a serial number that follows from the content: the same lock gives the same bytes."""
    text = LOCK.read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    components = {row[0]: _component(*row) for row in locked(text)}
    root = _library(project["name"], project["version"], ComponentType.APPLICATION, project["license"])
    bom = Bom(components=components.values(), serial_number=_serial(text, root))
    bom.metadata.component = root
    bom.register_dependency(root, [components[name] for name in _names(project["dependencies"])])
    for name, component in components.items():
        bom.register_dependency(
            component, [components[other] for other in _names(requires(name)) if other in components]
        )
    found: dict[str, Any] = json.loads(make_outputter(bom, OutputFormat.JSON, VERSION).output_as_string())
    del found["metadata"]["timestamp"]
    return found


def _names(lines: list[str] | None) -> list[str]:
    """Of requirements, without those of extras."""
    found = [one for one in map(Requirement, lines or ()) if "extra" not in str(one.marker)]
    return sorted({canonicalize_name(one.name) for one in found})


def _serial(lock: str, root: Component) -> UUID:
    return uuid5(NAMESPACE_URL, f"{root.purl}\n{json.dumps(LICENSES, sort_keys=True)}\n{lock}")


def _component(name: str, version: str, marker: str, hashes: list[str]) -> Component:
    component = _library(name, version, ComponentType.LIBRARY, LICENSES.get(name, ""))
    component.hashes.update(HashType(alg=HashAlgorithm.SHA_256, content=content) for content in hashes)
    if marker:
        component.properties.add(Property(name="python:marker", value=marker))
    return component


def _library(name: str, version: str, kind: ComponentType, license_: str) -> Component:
    purl = PackageURL("pypi", name=name, version=version)
    component = Component(name=name, version=version, type=kind, purl=purl, bom_ref=BomRef(str(purl)))
    if license_:
        several = " " in license_
        component.licenses.add(LicenseExpression(license_) if several else DisjunctiveLicense(id=license_))
    return component


def rendered() -> str:
    return json.dumps(document(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    FILE.write_text(rendered(), encoding="utf-8")
    sys.stdout.write(f"{FILE.name}\n")
