"""Repositories with a history, in which each commit has dates of its own."""

import os
import subprocess
from pathlib import Path


class History:
    """A repository in which each commit has dates of its own: the author's, and a later one of the committer."""

    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.clock = 0

    def git(self, *arguments: str, at: int = 0, author: str = "") -> str:
        date = f"{1_577_836_800 + at * 86_400} +0200"
        who = {"NAME": "A", "EMAIL": "a@example.com"}
        names = {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in who.items()}
        dates = {"GIT_AUTHOR_DATE": author or date, "GIT_COMMITTER_DATE": f"{1_577_836_800 + at * 86_400 + 7200} +0000"}
        allowed = ["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *allowed, *arguments], cwd=self.top, env={**os.environ, **names, **dates}, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, files: dict[str, str] | None = None, *, author: str = "") -> None:
        self.clock += 1
        for path, text in (files or {}).items():
            (self.top / path).parent.mkdir(parents=True, exist_ok=True)
            (self.top / path).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"c{self.clock}", at=self.clock, author=author)

    def step(self, *arguments: str) -> None:
        """A command that makes a commit."""
        self.clock += 1
        self.git(*arguments, at=self.clock)

    def followed(self, path: str) -> str:
        return self.git("log", "--follow", "-1", "--format=%aI", "--", path).strip()

    def files(self) -> list[str]:
        rows = self.git("ls-files", "-s", "-z").split("\0")
        return sorted(row.partition("\t")[2] for row in rows if row.startswith("100"))


def text(name: str) -> str:
    return "".join(f"line {number} of {name}\n" for number in range(40))


def make(top: Path) -> History:
    """Renames, a moved layout, merges with and without a conflict, a side that lost, a revert, a submodule, a link."""
    inner = History(top.parent / f"{top.name}-inner")
    inner.commit({"inside.md": text("inside")})
    made = History(top)
    made.commit(
        {f"docs/{name}.md": text(name) for name in ("a", "b", "c", "d", "e", "f", "untouched", "old/x", "old/y")}
    )
    made.commit({"docs/a.md": text("a") + "edited\n"})
    made.step("submodule", "--quiet", "add", str(inner.top), "docs/theme")
    made.commit()
    made.git("mv", "docs/b.md", "docs/renamed.md")
    made.commit()
    made.git("switch", "-q", "-c", "side")
    made.commit({"docs/c.md": text("c") + "side\n", "docs/on-side.md": text("on side")})
    made.commit({"docs/f.md": text("f") + "lost\n"})
    made.git("switch", "-q", "main")
    made.commit({"docs/d.md": text("d") + "main\n"})
    made.step("merge", "-q", "--no-ff", "-m", "merge", "side")
    made.commit({"docs/e.md": text("e") + "wrong\n"})
    made.step("revert", "--no-edit", "HEAD")
    made.git("switch", "-q", "-c", "other")
    made.commit({"docs/f.md": text("f") + "other\n"})
    made.git("switch", "-q", "main")
    made.commit({"docs/f.md": text("f") + "ours\n"})
    made.step("merge", "-q", "--no-ff", "-s", "ours", "-m", "ours", "other")
    made.git("mv", "docs/old", "content")
    made.commit({"content/über uns.md": text("ü"), "content/é\tb.md": text("tab")})
    made.commit({"content/x.md": text("x") + "after the move\n"}, author="1600000000 -0730")
    made.git("switch", "-q", "-c", "moved")
    made.git("mv", "docs/a.md", "docs/moved.md")
    made.commit()
    made.git("switch", "-q", "main")
    made.commit({"docs/a.md": text("a") + "edited\nbefore a merge\n"})
    made.step("merge", "-q", "--no-ff", "-m", "moved", "moved")
    (made.top / "content/link.md").symlink_to("x.md")
    made.commit({"content/deleted.md": "x"})
    (made.top / "content/deleted.md").unlink()
    made.commit()
    made.commit({"content/deleted.md": "again"}, author="1500000000 +0000")
    return made
