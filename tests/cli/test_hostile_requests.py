"""A reader that a page has taken over, hostile in every request: its publisher neither fails nor does what is not allowed."""

import socket
import struct
import tempfile
import threading
from collections.abc import Callable
from contextlib import chdir, closing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import msgpack

import isolation
from effects import OURS, OUTPUTS, LocalEffects, make_effects
from examples import share
from runner_model import outputs
from sitemap_action.cli.isolate import (
    Answer,
    answer_request,
)
from sitemap_action.model.step import FileChange

EXAMPLES = share(200)
USERS = {
    "package.json": b"{}",
    "robots.txt": b"User-agent: *",
    "sitemap-1.xml": b"<urlset/>",
    ".git/config": b"[core]",
    ".github/workflows/ci.yml": b"on: push",
    "sub/.git/config": b"[core]",
}


class Place:
    """A workspace, and beside it what no request may reach."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.outside = folder / "outside"
        for name, content in USERS.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(content)
        (self.root / "ours-1.xml").write_bytes(OURS)
        self.outside.mkdir()
        (self.outside / "s.xml").write_bytes(OURS)
        (self.root / "link").symlink_to(self.outside)
        (self.root / "link.xml").symlink_to(self.outside / "s.xml")
        self.output, self.summary = folder / "output", folder / "summary"

    def effects(self) -> LocalEffects:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("GITHUB_OUTPUT", str(self.output))
            environment.setenv("GITHUB_STEP_SUMMARY", str(self.summary))
            return make_effects(serving=True)

    def check(self) -> None:
        """Only sitemaps and the report are new, only what is ours is gone, and nothing else has changed."""
        assert [path.name for path in self.outside.rglob("*")] == ["s.xml"]
        assert (self.outside / "s.xml").read_bytes() == OURS
        for name, content in USERS.items():
            if "sitemap" not in name:
                assert (self.root / name).read_bytes() == content
        assert (self.root / "sitemap-1.xml").exists()
        assert (self.root / "link").is_symlink()
        assert (self.root / "link.xml").is_symlink()
        for path in self.root.rglob("*"):
            name = str(path.relative_to(self.root))
            if path.is_file() and name not in {*USERS, "ours-1.xml", "link.xml"} and not name.startswith("link/"):
                assert "sitemap" in path.name.casefold() or name in {
                    "reports/report.json",
                    "reports/report.html",
                    "reports/.gitignore",
                }, name
                assert not {".git", ".github"} & {part.casefold() for part in path.parts}
        text = self.output.read_text(encoding="utf-8") if self.output.exists() else ""
        assert set(outputs(text)) <= set(OUTPUTS)


def in_a_place(work: Callable[[LocalEffects], None]) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Place(Path(name))
        local = place.effects()
        with chdir(place.root), closing(local.runner):
            work(local)
            local.finish("")
            place.check()


def serve(sent: bytes) -> Callable[[LocalEffects], None]:
    def work(local: LocalEffects) -> None:
        here, there = socket.socketpair()
        with here:
            writer = threading.Thread(target=_send_all, args=(here, sent))
            writer.start()
            isolation.serve(there, local)
            writer.join(60)
            assert not writer.is_alive()

    return work


def _send_all(end: socket.socket, sent: bytes) -> None:
    try:
        end.sendall(sent)
        end.shutdown(socket.SHUT_WR)
        while end.recv(65_536):
            pass
    except OSError:
        return  # the parent has stopped listening


def encode(request: object) -> bytes:
    """As a hostile child may: what is no text is sent as if it were."""
    try:
        return msgpack.encode(request)
    except UnicodeEncodeError:
        return b"\xc1"


def message(encoded: bytes) -> bytes:
    return struct.pack(">Q", len(encoded)) + encoded


PATHS = st.sampled_from(
    [
        "sitemap.xml",
        "a/b/sitemap.xml",
        "../outside/sitemap.xml",
        "../outside/s.xml",
        "a/../../outside/sitemap.xml",
        "/sitemap-of-a-test/no-such-folder/sitemap.xml",
        "link/s.xml",
        "link/sitemap.xml",
        "link.xml",
        "link/../sitemap.xml",
        ".git/sitemap.xml",
        ".GIT/sitemap.xml",
        ".git./sitemap.xml",
        "sub/.git/sitemap.xml",
        ".github/sitemap.xml",
        ".github/workflows/sitemap.json",
        "package.json",
        "robots.txt",
        "pom.xml",
        "a\0sitemap.xml",
        "sitemap.xml/sitemap.xml",
        "sitemap.xml\n::error::x",
        "sitemap" + "x" * 300 + ".xml",
        "d/" * 3_000 + "sitemap.xml",
        "",
        ".",
        "..",
        "/",
        "~/sitemap.xml",
        "C:\\sitemap.xml",
        "\udcffsitemap.xml",
        "ours-1.xml",
        "sitemap-1.xml",
        ".gitignore",
        "reports/.gitignore",
        ".sitemap-action-notes.md",
    ]
) | st.text(max_size=20).map(lambda text: f"{text}.xml")
STEPS = st.lists(
    st.one_of(st.builds(FileChange, PATHS, st.binary(max_size=20)), st.builds(FileChange, PATHS, st.none())), max_size=4
).map(tuple)
VALUES = st.sampled_from(["in-sync", "true", "7", "LD_PRELOAD", "a\nb", "", "json", "html"]) | st.text(max_size=40)
REQUESTS = st.one_of(
    st.tuples(st.just("apply"), st.tuples(STEPS)),
    st.tuples(st.just("keep"), st.tuples(STEPS)),
    st.tuples(st.just("report"), st.tuples(VALUES, VALUES)),
    st.tuples(
        st.just("publish_outputs"),
        st.tuples(VALUES, st.dictionaries(st.sampled_from(sorted(OUTPUTS)) | VALUES, VALUES, max_size=4)),
    ),
    st.tuples(st.just("read"), st.tuples(VALUES, VALUES)),
)
ENCODED = REQUESTS.map(encode) | st.recursive(
    st.none() | st.integers(-(2**60), 2**60) | st.sampled_from(["type", "apply", "FileChange", "keep", "path"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["type", "path"]), inner),
).map(msgpack.encode)


@pytest.mark.attack("root")
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.binary(max_size=200))
@example(b"\xff" * 64)
@example(b"\0" * 7 + b"\7" + b"\xff" * 7)
def test_S_02_S_10_raw_bytes(sent: bytes) -> None:
    in_a_place(serve(sent))


@pytest.mark.attack("root")
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(ENCODED, max_size=5), st.integers(0, 400), st.binary(max_size=4))
def test_S_02_S_10_requests_with_damage(requests: list[bytes], where: int, damage: bytes) -> None:
    sent = b"".join(map(message, requests))
    in_a_place(serve(sent[:where] + damage + sent[where + len(damage) :] if damage else sent))


@pytest.mark.attack("root")
@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=3))
@example([(FileChange("package.json", None),)])
@example([(FileChange("package.json", b'{"scripts": {}}'),)])
@example([(FileChange("sitemap.xml", b"x"), FileChange("sitemap.xml", None))])
@example([(FileChange("sitemap.xml", b"x"),) * 3])
def test_S_02_S_10_steps_with_hostile_values(plans: list[tuple[FileChange, ...]]) -> None:
    in_a_place(serve(b"".join(message(encode(("apply", (steps,)))) for steps in plans)))


@pytest.mark.attack("root")
@settings(max_examples=EXAMPLES, deadline=None)
@given(ENCODED | st.binary(max_size=40))
def test_S_10_every_request_has_an_answer(sent: bytes) -> None:
    def work(local: LocalEffects) -> None:
        answer = answer_request(local, sent)
        assert msgpack.decode(msgpack.encode(answer), type=Answer) == answer

    in_a_place(work)


@pytest.mark.attack("root")
def test_S_10_endless_requests_are_not_answered() -> None:
    in_a_place(serve(message(encode(("report", ("html", "{}")))) * 1_000))
    in_a_place(serve(message(encode(("publish_outputs", ("# text", {})))) * 1_000))
