"""Wheel and sdist, each built twice in other places at other times; they are kept only when the bytes agree."""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tree import RefusalError, Tree

_PARTS = ("pyproject.toml", "README.md", "LICENSE", "sitemap_action")
_BUILD = "import sys; from flit_core import buildapi as b; print(getattr(b, 'build_' + sys.argv[1])(sys.argv[2]))"


def build(root: Path, out: Path) -> None:
    """Of the files that git tracks; the time in them is that of the commit."""
    tree = Tree(root, dry=True)
    time = os.environ.get("SOURCE_DATE_EPOCH") or tree.git("log", "-1", "--format=%ct")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        one = _made("sdist", _copied(tree, place / "one"), place / "1", time)
        other = _made("sdist", _copied(tree, place / "a/longer/way"), place / "2", time)
        _require_same(one, other)
        with tarfile.open(one) as archive:
            archive.extractall(place / "unpacked", filter="data")
        (unpacked,) = (place / "unpacked").iterdir()
        wheel = _made("wheel", place / "one", place / "3", time)
        _require_same(wheel, _made("wheel", unpacked, place / "4", time))
        out.mkdir(parents=True, exist_ok=True)
        for path in (one, wheel):
            shutil.copy(path, out)
            line = f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
            sys.stdout.write(line)


def _copied(tree: Tree, place: Path) -> Path:
    for name in tree.git("ls-files", "-z", "--", *_PARTS).split("\0"):
        if name and (tree.root / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes((tree.root / name).read_bytes())
            (place / name).chmod(0o644)
    return place


def _made(kind: str, source: Path, out: Path, time: str) -> Path:
    out.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, kind, str(out)],
        cwd=source,
        env={**os.environ, "SOURCE_DATE_EPOCH": time},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RefusalError(f"the {kind} could not be built:\n{done.stderr.strip()[-2000:]}")
    return out / done.stdout.splitlines()[-1]


def _require_same(one: Path, other: Path) -> None:
    if one.read_bytes() != other.read_bytes():
        raise RefusalError(f"{one.name} has other bytes when it is built again")
