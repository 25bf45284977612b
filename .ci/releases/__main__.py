"""The parts of a release that need no GitHub: `python .ci/releases COMMAND --help`; --dry-run changes nothing."""

import argparse
import datetime as dt
import os
import sys
from pathlib import Path

import archives
import bom
import changelog
import pins
import provenance
import references
import tags
import version
from tree import RefusalError, Tree


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python .ci/releases", description=__doc__)
    found.add_argument("--root", type=Path, default=Path(__file__).parents[2], help="repository to work on")
    commands = found.add_subparsers(dest="command", required=True)

    def command(name: str, text: str, *arguments: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        if "version" in arguments:
            made.add_argument("version", help="such as 1.2.3")
        if "dry" in arguments:
            made.add_argument("--dry-run", action="store_true", help="print what would be changed or run")
        return made

    prepare = command("prepare", "name a version everywhere; unreleased changes become its section", "version", "dry")
    prepare.add_argument("--date", default=dt.datetime.now(dt.UTC).date().isoformat())
    command("owner", "put an account in the place of the placeholder", "dry").add_argument("name")
    pin = command("pin", "write digests, each made from the index that the registry served", "version", "dry")
    for name in ("base", "image", "browser"):
        pin.add_argument(f"--{name}", type=Path, metavar="FILE", help="index, as the registry served it")
    for name, text in (("tag", "commit the pins and push their tag"), ("move", "move the tag of the major version")):
        command(name, text, "version", "dry").add_argument("--remote", default="origin")
    command(
        "base", "digest of the base image that a release has; nothing where it is to be resolved", "version"
    ).add_argument("--remote", default="origin")
    built = command("archives", "build wheel and sdist twice, and keep them when their bytes agree")
    built.add_argument("--out", type=Path, default=Path("dist"))
    materials = command("bom", "bill of materials of an image; standard input: its Debian packages", "version")
    materials.add_argument("--digest", required=True)
    command("provenance", "predicate of SLSA provenance, from the variables of a workflow run")
    command("notes", "the changelog's section of a version", "version")
    return found


def run(given: argparse.Namespace) -> None:
    tree = Tree(given.root.resolve(), dry=getattr(given, "dry_run", True))
    match given.command:
        case "prepare":
            version.prepare(tree, given.version, given.date)
        case "owner":
            references.set_owner(tree, given.name)
        case "pin":
            pins.pin(tree, given.version, base=given.base, image=given.image, browser=given.browser)
        case "tag":
            tags.tag(tree, given.version, given.remote)
        case "move":
            tags.move(tree, given.version, given.remote)
        case "archives":
            archives.build(tree.root, given.out)
        case _:
            sys.stdout.write(_text(tree, given))


def _text(tree: Tree, given: argparse.Namespace) -> str:
    """What a command prints that does nothing else."""
    match given.command:
        case "base":
            return f"{tags.base(tree, given.version, given.remote)}\n"
        case "bom":
            return bom.document(tree, given.version, given.digest, sys.stdin.read())
        case "provenance":
            return provenance.predicate(os.environ)
        case _:
            return changelog.section(tree.read("CHANGELOG.md"), given.version)


if __name__ == "__main__":
    try:
        run(parser().parse_args())
    except RefusalError as refusal:
        sys.exit(f"release: {refusal}")
