"""Digests of images. One is never typed: it is the hash of the index that a registry has served."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import references
from tree import RefusalError, Tree

PINNED = {"action.yml": "image", "host/action.yml": "image", "browser/action.yml": "browser"}
FILES = ("Dockerfile", *PINNED)
_PLATFORMS = {("linux", "amd64"), ("linux", "arm64")}
_KINDS = {"application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json"}
_DIGEST = r"sha256:[0-9a-f]{64}"
_BASE = re.compile(rf"(?mi)^(FROM )(python:[\w.-]+)(?:@({_DIGEST}))?(?=\s|$)")
# `image:` of a container action, and the line of a composite one's script.
_USED = re.compile(r"(?m)^(  image: |        image=)(\S+|\$\(docker build .*\))$")


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
            pinned = f"{reference(tree, version, kind)}@{digest(index)}"
            for file in (file for file, wanted in PINNED.items() if wanted == kind and (tree.root / file).exists()):
                tree.write(file, _used(tree.read(file), file, pinned))


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


def _used(text: str, file: str, pinned: str) -> str:
    if len(_USED.findall(text)) != 1:
        raise RefusalError(f"{file}: the one line that names its image is not found")
    return _USED.sub(lambda found: f"{found[1]}{'docker://' if 'image:' in found[1] else ''}{pinned}", text)


def images(read: Callable[[str], str]) -> set[str]:
    """REFERENCE@DIGEST of every file of a release; raises RefusalError for one that names none."""
    found = set()
    for file in PINNED:
        if text := read(file):
            named = re.search(rf"(?m)^(?:  image: docker://|        image=)(\S+@{_DIGEST})$", text)
            if named is None:
                raise RefusalError(f"{file} names no image by digest")
            found.add(named[1])
    return found


def base_digest(dockerfile: str) -> str:
    return next((found for _, _, found in _BASE.findall(dockerfile) if found), "")


def require_pins(tree: Tree, version: str) -> None:
    """Raises RefusalError where a file of the release does not name its image by digest."""
    for image, found in ((image, found) for _, image, found in _BASE.findall(tree.read("Dockerfile"))):
        if not found:
            raise RefusalError(f"Dockerfile: {image} has no digest")
    for file, kind in PINNED.items():
        if not (tree.root / file).exists():
            continue
        wanted = re.escape(reference(tree, version, kind))
        if not re.search(rf"(?m)^(?:  image: docker://|        image=){wanted}@{_DIGEST}$", tree.read(file)):
            raise RefusalError(f"{file} does not name {reference(tree, version, kind)} by digest")
