"""The file of fingerprints: one line for a page, and what a merge leaves of it."""

from sitemap_action.model.site import Content
from sitemap_action.sitemap.write import FingerprintFile, is_fingerprint_file, read_fingerprints

ORIGIN = "https://www.example.com"
A, B = "0123456789abcdef", "fedcba9876543210"


def made(*rows: tuple[str, str, str]) -> bytes:
    file = FingerprintFile("sitemap.fingerprints")
    for path, fingerprint, lastmod in rows:
        file.add(f"{ORIGIN}{path}", fingerprint, lastmod)
    return file.finish().content


def read(content: bytes) -> dict[str, Content]:
    return {url.removeprefix(ORIGIN): found for url, found in read_fingerprints(content, ORIGIN)}


def test_a_line_for_each_page() -> None:
    content = made(("/", A, "2026-05-03T10:00:00+02:00"), ("/a?b=c", B, ""))
    assert content.decode().splitlines()[1:] == [f"/ {A} 2026-05-03T10:00:00+02:00", f"/a?b=c {B} -"]
    assert read(content) == {"/": Content(A, "2026-05-03T10:00:00+02:00", ""), "/a?b=c": Content(B, "", "")}


def test_what_a_merge_leaves_is_passed_over() -> None:
    head, row = made(("/", A, "")).splitlines()
    lines = [b"<<<<<<< HEAD", head, row, b"=======", b"/a short -", b"/b " + B.encode() + b" -", b">>>>>>> x", b"\xff"]
    for end in (b"\n", b"\r\n"):
        assert read(end.join(lines)) == {"/": Content(A, "", ""), "/b": Content(B, "", "")}


def test_another_format_says_nothing() -> None:
    other = made(("/", A, "")).replace(b"format 1", b"format 2")
    assert read(other) == {}
    assert is_fingerprint_file(other)


def test_what_may_be_replaced() -> None:
    assert is_fingerprint_file(made())
    assert is_fingerprint_file(b"\n")
    assert not is_fingerprint_file(b"flask==3.0\n")
