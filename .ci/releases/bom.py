"""The bill of materials of an image: that of the locked packages, and the Debian packages that the image lists."""

import json
import re
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pins
from tree import RefusalError, Tree

# `dpkg-query --show --showformat '${Package}\t${Version}\t${Architecture}\n'`
_LINE = re.compile(r"([a-z0-9][a-z0-9.+-]+)\t([0-9A-Za-z.+~:-]+)\t([a-z0-9-]+)")


def document(tree: Tree, version: str, digest: str, listed: str) -> str:
    """Without a time; the same image gives the same bytes."""
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        raise RefusalError(f"{digest!r} is no digest of an image")
    found: dict[str, Any] = json.loads(tree.read("sbom.cdx.json"))
    program = found["metadata"]["component"]
    debian = [_component(line) for line in sorted(filter(None, listed.splitlines()))]
    if not debian:
        raise RefusalError("the list of Debian packages is empty")
    name = pins.reference(tree, version, "image").partition(":")[0]
    image = {
        "type": "container",
        "name": name,
        "version": version,
        "bom-ref": f"{name}@{digest}",
        "hashes": [{"alg": "SHA-256", "content": digest.removeprefix("sha256:")}],
    }
    found["metadata"]["component"] = image
    found["components"] = [program, *debian, *found["components"]]
    parts = [program["bom-ref"], *(one["bom-ref"] for one in debian)]
    found["dependencies"] = [
        {"ref": image["bom-ref"], "dependsOn": sorted(parts)},
        *found["dependencies"],
        *({"ref": one["bom-ref"]} for one in debian),
    ]
    found["serialNumber"] = f"urn:uuid:{uuid5(NAMESPACE_URL, json.dumps(found, sort_keys=True))}"
    return json.dumps(found, indent=2, sort_keys=True) + "\n"


def _component(line: str) -> dict[str, str]:
    found = _LINE.fullmatch(line)
    if not found:
        raise RefusalError(f"{line!r} is no line of dpkg-query")
    name, version, architecture = found.groups()
    purl = f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={architecture}"
    return {"type": "library", "name": name, "version": version, "purl": purl, "bom-ref": purl}
