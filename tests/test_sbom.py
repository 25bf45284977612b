"""The bill of materials is that of the lock: valid by its schema, the same bytes each time, with the licences stated."""

import json
import re
from importlib.metadata import metadata
from typing import Any

import pytest
from cyclonedx.validation.json import JsonStrictValidator
from packaging.utils import canonicalize_name

import sbom
from sitemap_action import __version__

TEXT = sbom.FILE.read_text(encoding="utf-8")
BOM: dict[str, Any] = json.loads(TEXT)
COMPONENTS: dict[str, dict[str, Any]] = {one["name"]: one for one in BOM["components"]}


def test_it_is_made_from_the_lock() -> None:
    assert sbom.rendered() == TEXT, "run: make sbom"


def test_two_runs_give_the_same_bytes() -> None:
    assert sbom.rendered() == sbom.rendered()
    assert "timestamp" not in BOM["metadata"]


def test_it_meets_the_schema_of_cyclonedx() -> None:
    assert JsonStrictValidator(sbom.VERSION).validate_str(TEXT) is None


@pytest.mark.attack("supply chain")
@pytest.mark.parametrize(("old", "new"), [('"SHA-256"', '"SHA-255"'), ('"MPL-2.0"', '"MPL-2"'), ('"library"', '"x"')])
def test_the_schema_is_applied(old: str, new: str) -> None:
    assert old in TEXT
    assert JsonStrictValidator(sbom.VERSION).validate_str(TEXT.replace(old, new)) is not None


def test_it_equals_the_lock() -> None:
    """Read here in another way than there: versions and hashes, nothing more and nothing less."""
    found: dict[str, tuple[str, set[str]]] = {}
    name = ""
    for line in sbom.LOCK.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([\w.-]+)==([^\s;]+)", line):
            name = canonicalize_name(match[1])
            found[name] = (match[2], set())
        if match := re.search(r"--hash=sha256:(\w+)", line):
            found[name][1].add(match[1])
    stated = {name: (one["version"], {each["content"] for each in one["hashes"]}) for name, one in COMPONENTS.items()}
    assert stated == found
    assert {one["purl"] for one in COMPONENTS.values()} == {f"pkg:pypi/{name}@{row[0]}" for name, row in found.items()}


@pytest.mark.attack("supply chain")
def test_a_change_of_the_lock_is_noticed(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = sbom.LOCK.read_text(encoding="utf-8")
    lock = tmp_path / "requirements.txt"
    monkeypatch.setattr(sbom, "LOCK", lock)
    for changed in (text.replace("click==", "click==9"), re.sub(r"(sha256:)\w{4}", r"\g<1>0000", text, count=1)):
        lock.write_text(changed, encoding="utf-8")
        assert sbom.rendered() != TEXT
        assert json.loads(sbom.rendered())["serialNumber"] != BOM["serialNumber"]


def test_every_package_is_reached_from_the_program() -> None:
    edges = {one["ref"]: one.get("dependsOn", []) for one in BOM["dependencies"]}
    reached, left = set(), [BOM["metadata"]["component"]["bom-ref"]]
    while left:
        if (ref := left.pop()) not in reached:
            reached.add(ref)
            left += edges[ref]
    assert reached == {one["bom-ref"] for one in COMPONENTS.values()} | {BOM["metadata"]["component"]["bom-ref"]}
    assert BOM["metadata"]["component"]["version"] == __version__


@pytest.mark.parametrize("name", sorted(COMPONENTS))
def test_the_licence_is_the_one_that_the_release_states(name: str) -> None:
    (entry,) = COMPONENTS[name]["licenses"]
    stated = metadata(name)
    expression = stated.get("License-Expression") or stated.get("License") or ""
    assert sbom.LICENSES[name] == (entry.get("expression") or entry["license"]["id"])
    if expression:
        assert expression == sbom.LICENSES[name]
    else:
        family = sbom.LICENSES[name].partition("-")[0]
        assert any(family in one for one in stated.get_all("Classifier", []) if one.startswith("License ::"))


def test_no_licence_is_kept_for_a_package_that_is_gone() -> None:
    assert set(sbom.LICENSES) == set(COMPONENTS)
