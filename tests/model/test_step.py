"""Steps as frames of bytes and back; frames that are none are refused."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemap_action.model.publication import CommitFiles, Counts, SubmitUrls, SyncPullRequest, UpsertComment
from sitemap_action.model.step import CODECS, DeleteFile, Step, WriteFile, decode, encode, written_paths

paths = st.text() | st.binary().map(lambda name: name.decode(errors="surrogateescape"))  # a file name may not be UTF-8
encodable = paths.filter(lambda path: path.encode(errors="surrogateescape").decode(errors="surrogateescape") == path)
numbers = st.integers(0, 2**53)
counts = st.builds(Counts, numbers, numbers, numbers)
steps = (
    st.builds(WriteFile, encodable, st.binary())
    | st.builds(DeleteFile, encodable)
    | st.builds(CommitFiles, counts=counts)
    | st.builds(SyncPullRequest, counts=counts)
    | st.builds(UpsertComment, number=numbers)
    | st.from_type(SubmitUrls)
)


@given(st.lists(steps))
def test_what_was_encoded_is_decoded(plan: list[Step]) -> None:
    assert list(decode(encode(plan))) == plan


def test_a_deleted_file_is_not_a_written_one() -> None:
    plan = (WriteFile("a.xml", b""), DeleteFile("a-2.xml"), WriteFile("b.xml", b"x"))
    assert list(written_paths(plan)) == ["a.xml", "b.xml"]


def test_every_kind_of_step_has_one_codec() -> None:
    assert sorted(codec.type.__name__ for codec in CODECS.values()) == sorted(kind.__name__ for kind in get_args(Step))


@pytest.mark.attack("root")
@given(st.lists(st.sampled_from([*CODECS, b"0", b"1", b"2", b"-1", b"\xff"]) | st.binary(max_size=3)))
def test_any_frames_are_decoded_or_refused(frames: list[bytes]) -> None:
    try:
        found = list(decode(frames))
    except ValueError:
        return
    assert list(decode(encode(found))) == found


@pytest.mark.attack("root")
@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ([b"run"], "unknown kind of step"),
        ([b"write-file"], "fields of a step that has 2"),
        ([b"write-file", b"x", b"", b""], "fields of a step that has 2"),
        ([b"write-file", b"-1"], "fields of a step that has 2"),
        ([b"write-file", b"2", b"a.xml"], "1 of 2 fields"),
        ([b"write-file", b"02", b"a.xml", b""], "fields of a step that has 2"),
        ([b"delete-file", b"1", b"x" * 20_000], "a path of 20,000 bytes"),
        ([b"write-file", b"1", b"a.xml"], "fields of a step that has 2"),
        ([b"delete-file", b"2", b"a.xml", b"x"], "fields of a step that has 1"),
        ([b"commit-files", b"1", b"\xc1"], "no CommitFiles"),
        ([b"sync-pull-request", b"1", b"\x80"], "no SyncPullRequest"),
        ([b"upsert-comment", b"1", b""], "no UpsertComment"),
        ([b"submit-urls", b"1", b"\x82\xa8site_url\xa1x\xa4urls\x01"], "no SubmitUrls"),
    ],
)
def test_frames_that_are_no_steps(frames: list[bytes], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(decode(frames))
