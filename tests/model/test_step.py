"""Steps as msgpack and back: whatever else is decoded is refused."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import MsgspecError, msgpack

from sitemap_action.model.step import (
    CommitFiles,
    Counts,
    FileChange,
    Step,
    SubmitUrls,
    SyncPullRequest,
    UpsertComment,
    written_paths,
)

numbers = st.integers(0, 2**53)
counts = st.builds(Counts, numbers, numbers, numbers)
steps = st.deferred(  # characters are classified when a test needs them
    lambda: (
        st.builds(FileChange, st.text(), st.binary())
        | st.builds(FileChange, st.text(), st.none())
        | st.builds(CommitFiles, counts=counts)
        | st.builds(SyncPullRequest, counts=counts)
        | st.builds(UpsertComment, number=numbers)
        | st.from_type(SubmitUrls)
    )
)


@given(st.lists(steps))
def test_what_was_encoded_is_decoded(plan: list[Step]) -> None:
    assert msgpack.decode(msgpack.encode(plan), type=list[Step]) == plan


def test_a_deleted_file_is_not_a_written_one() -> None:
    plan = (FileChange("a.xml", b""), FileChange("a-2.xml", None), FileChange("b.xml", b"x"))
    assert list(written_paths(plan)) == ["a.xml", "b.xml"]


def test_every_kind_of_step_has_a_tag_of_its_own() -> None:
    tags = [kind.__struct_config__.tag for kind in get_args(Step)]
    assert sorted(tags) == sorted({kind.__name__ for kind in get_args(Step)})


@pytest.mark.attack("root")
@given(st.binary(max_size=40))
def test_any_bytes_are_decoded_or_refused(data: bytes) -> None:
    try:
        found = msgpack.decode(data, type=list[Step])
    except MsgspecError:
        return
    assert msgpack.decode(msgpack.encode(found), type=list[Step]) == found
