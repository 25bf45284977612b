"""Digests of images. One is never typed: it is the hash of the index that a registry has served."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import references
from tree import RefusalError, Tree

VARIABLES = {"image": "IMAGE", "browser": "IMAGE_BROWSER"}  # of the one step of action.yml
ACTION = "action.yml"
FILES = ("Dockerfile", ACTION)
_PLATFORMS = {("linux", "amd64"), ("linux", "arm64")}
_KINDS = {"application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json"}
_DIGEST = r"sha256:[0-9a-f]{64}"
_BASE = re.compile(rf"(?mi)^(FROM )(python:[\w.-]+)(?:@({_DIGEST}))?(?=\s|$)")


def digest(index: Path) -> str:
    """Of the bytes; raises RefusalError where they are not an index of the platforms that the action runs on."""
    try:
        content = index.read_bytes()
        found = json.loads(content)
        platforms = {(one["platform"]["os"], one["platform"]["architecture"]) for one in found["manifests"]}
        digests = [one["digest"] for one in found["manifests"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RefusalError(
            f"{index} is no index of an image: {error!r}; take it from the registry: .ci/images index"
        ) from None
    if found.get("mediaType") not in _KINDS or not all(re.fullmatch(_DIGEST, str(one)) for one in digests):
        raise RefusalError(f"{index} is no index of an image that a registry has served")
    if missing := _PLATFORMS - platforms:
        raise RefusalError(f"{index} has no image for {', '.join('/'.join(one) for one in sorted(missing))}")
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def reference(tree: Tree, version: str, kind: str) -> str:
    """Without the digest. A registry has names in lower case."""
    owner, name = references.require_owner(tree)
    return f"ghcr.io/{owner}/{name}:v{version}{'-browser' if kind == 'browser' else ''}".lower()


def pin(tree: Tree, version: str, *, base: Path | None, image: Path | None, browser: Path | None) -> None:
    if base:
        _pin_base(tree, digest(base))
    for kind, index in (("image", image), ("browser", browser)):
        if index:
            tree.write(ACTION, _used(tree.read(ACTION), kind, f"{reference(tree, version, kind)}@{digest(index)}"))


def _pin_base(tree: Tree, found: str) -> None:
    text = tree.read("Dockerfile")
    for _, image, before in _BASE.findall(text):
        if before and before != found:
            raise RefusalError(
                f"Dockerfile: {image} is pinned to {before}, and the registry serves {found}; which of them is it?"
            )
    if not _BASE.search(text):
        raise RefusalError("Dockerfile names no base image python:…")
    tree.write("Dockerfile", _BASE.sub(rf"\g<1>\g<2>@{found}", text))


def _used(text: str, kind: str, pinned: str) -> str:
    line = re.compile(rf"(?m)^( {{8}}{VARIABLES[kind]}: )\S+$")
    if len(line.findall(text)) != 1:
        raise RefusalError(f"{ACTION}: the one line that names {VARIABLES[kind]} is not found")
    return line.sub(lambda found: f"{found[1]}{pinned}", text)


def images(read: Callable[[str], str]) -> set[str]:
    """REFERENCE@DIGEST of every image of a release; raises RefusalError where one is not named."""
    found = set()
    for variable in VARIABLES.values():
        named = re.search(rf"(?m)^ {{8}}{variable}: (\S+@{_DIGEST})$", read(ACTION))
        if named is None:
            raise RefusalError(f"{ACTION} names no {variable} by digest")
        found.add(named[1])
    return found


def base_digest(dockerfile: str) -> str:
    return next((found for _, _, found in _BASE.findall(dockerfile) if found), "")


def require_pins(tree: Tree, version: str) -> None:
    """Raises RefusalError where a file of the release does not name its image by digest."""
    for image, found in ((image, found) for _, image, found in _BASE.findall(tree.read("Dockerfile"))):
        if not found:
            raise RefusalError(f"Dockerfile: {image} has no digest")
    for kind, variable in VARIABLES.items():
        wanted = re.escape(reference(tree, version, kind))
        if not re.search(rf"(?m)^ {{8}}{variable}: {wanted}@{_DIGEST}$", tree.read(ACTION)):
            raise RefusalError(f"{ACTION} does not name {reference(tree, version, kind)} by digest")
