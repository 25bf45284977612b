"""The tag of a release, which never moves, and that of its major version, which always does."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping

import changelog
import pins
import version as versions
from tree import RefusalError, Tree


def tag(tree: Tree, version: str, remote: str) -> None:
    """The commit is on no branch: there the action builds its own image, here it names one that exists."""
    versions.parsed(version)
    if (stated := versions.current(tree)) != version:
        raise RefusalError(f"the files name version {stated}, not {version}; python .ci/releases prepare {version}")
    changelog.section(tree.read("CHANGELOG.md"), version)
    pins.require_pins(tree, version)
    changed = set(tree.git("diff", "--name-only", "HEAD").splitlines())
    if other := changed - set(pins.FILES):
        raise RefusalError(
            f"a release changes {', '.join(pins.FILES)} and nothing else, but also {', '.join(sorted(other))}"
        )
    if f"refs/tags/v{version}" in _tags(tree, remote):
        if not _is_this(tree, version, remote):
            raise RefusalError(f"v{version} is released already, and never moves; release the next version")
        sys.stdout.write(f"v{version} is there, and is this release\n")  # of a run that failed after it
        return
    tree.act("checkout", "--quiet", "--detach")
    if changed:
        tree.act("commit", "--quiet", "--message", f"Release {version}", "--", *sorted(changed))
    tree.act("tag", "--annotate", "--message", f"sitemap-action {version}", f"v{version}")
    tree.act("push", "--quiet", remote, f"refs/tags/v{version}")


def move(tree: Tree, version: str, remote: str) -> None:
    """`v1` leads to the newest release of its major version, also when an older line gets a fix."""
    major = versions.parsed(version)[0]
    there = _tags(tree, remote)
    released = sorted(filter(None, (_released(name) for name in there)))
    if versions.parsed(version) not in released:
        raise RefusalError(f"v{version} is not released; python .ci/releases tag {version}")
    newest = max(one for one in released if one[0] == major)
    if newest != versions.parsed(version):
        raise RefusalError(f"v{major} stays at v{'.'.join(map(str, newest))}, which comes after v{version}")
    commit = there.get(f"refs/tags/v{version}^{{}}") or there[f"refs/tags/v{version}"]
    before = there.get(f"refs/tags/v{major}", "")
    if before == commit:
        return
    tree.git("fetch", "--quiet", "--depth=1", remote, f"refs/tags/v{version}")
    for image in sorted(pins.images(lambda file: _file(tree, file))):
        _pull(tree, image)
    # Only from what was seen: two releases at once do not undo each other.
    tree.act(
        "push", "--quiet", f"--force-with-lease=refs/tags/v{major}:{before}", remote, f"{commit}:refs/tags/v{major}"
    )


def base(tree: Tree, version: str, remote: str) -> str:
    """The digest of the base image that this release has: of its tag, else of the checkout; "" before the first run."""
    text = tree.read("Dockerfile")
    if f"refs/tags/v{version}" in _tags(tree, remote):
        tree.git("fetch", "--quiet", "--depth=1", remote, f"refs/tags/v{version}")
        text = _file(tree, "Dockerfile")
    return pins.base_digest(text)


def _is_this(tree: Tree, version: str, remote: str) -> bool:
    """Whether the tag has these files, on this commit: what a run that is repeated would make again."""
    tree.git("fetch", "--quiet", "--depth=1", remote, f"refs/tags/v{version}")
    header = tree.git("cat-file", "commit", "FETCH_HEAD^{commit}").partition("\n\n")[0]
    here = tree.git("rev-parse", "HEAD")
    same = here == tree.git("rev-parse", "FETCH_HEAD^{commit}") or f"parent {here}" in header.splitlines()
    files = [name for name in pins.FILES if (tree.root / name).exists()]
    return same and all(_file(tree, name) == tree.read(name).strip() for name in files)


def _file(tree: Tree, name: str) -> str:
    """Of the tag that was fetched; "" where it has none."""
    return tree.git("show", f"FETCH_HEAD:{name}") if tree.git("ls-tree", "FETCH_HEAD", name) else ""


def _pull(tree: Tree, image: str) -> None:
    """As somebody does who has no account: a package is private until its owner has changed that."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["skopeo", "copy", "--quiet", "--src-no-creds", f"docker://{image}", f"dir:{folder}/image"]
        sys.stdout.write(f"{' '.join(command)}\n")
        if not tree.dry:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                why = done.stderr.strip().rpartition("\n")[2]
                raise RefusalError(
                    f"nobody else can pull {image}: {why}; make the package public, and run this job again"
                )


def _tags(tree: Tree, remote: str) -> Mapping[str, str]:
    lines = tree.git("ls-remote", "--tags", remote).splitlines()
    return {name: commit for commit, name in (line.split("\t") for line in lines)}


def _released(name: str) -> tuple[int, int, int] | None:
    found = re.fullmatch(r"refs/tags/v(\d+)\.(\d+)\.(\d+)", name)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None
