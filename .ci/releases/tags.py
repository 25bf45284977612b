"""The tag of a release, which never moves, and that of its major version, which always does."""

import re
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
        raise RefusalError(f"v{version} is released already, and never moves; release the next version")
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
    tree.act("fetch", "--quiet", "--depth=1", remote, f"refs/tags/v{version}")
    # Only from what was seen: two releases at once do not undo each other.
    tree.act(
        "push", "--quiet", f"--force-with-lease=refs/tags/v{major}:{before}", remote, f"{commit}:refs/tags/v{major}"
    )


def _tags(tree: Tree, remote: str) -> Mapping[str, str]:
    lines = tree.git("ls-remote", "--tags", remote).splitlines()
    return {name: commit for commit, name in (line.split("\t") for line in lines)}


def _released(name: str) -> tuple[int, int, int] | None:
    found = re.fullmatch(r"refs/tags/v(\d+)\.(\d+)\.(\d+)", name)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None
