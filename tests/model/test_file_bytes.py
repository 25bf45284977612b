"""The bytes of a file come back as they were, whether they are kept as they are or compressed."""

import pytest

from sitemap_action.model.sitemap import BlockList, BlockStore

BLOCK = "<url><loc>https://www.example.com/a-page-ä/</loc></url>\n" * 2_000


@pytest.mark.parametrize("blocks", [0, 1, 100])
def test_bytes_come_back(blocks: int) -> None:
    store = BlockStore()
    one, other = BlockList(store), BlockList(store)
    for number in range(blocks):
        one.add(f"{number}{BLOCK}")
        other.add(f"{BLOCK}{number}")
    expected = b"head" + "".join(f"{number}{BLOCK}" for number in range(blocks)).encode() + b"foot"
    found = one.frame(b"head", b"foot")
    assert (bytes(found), len(found)) == (expected, len(expected))
    assert bytes(other.frame(b"", b"")) == "".join(f"{BLOCK}{number}" for number in range(blocks)).encode()


def test_files_of_one_sitemap_share_the_room_for_what_is_not_compressed() -> None:
    store = BlockStore()
    files = [BlockList(store) for _ in range(20)]
    for file in files:
        for _ in range(5):
            file.add(BLOCK)
    kept = [block for file in files for block in file.frame(b"", b"").blocks]
    plain = sum(len(data) for data, packed in kept if not packed)
    assert sum(len(data) for data, packed in kept if packed) < 0.1 * len(kept) * len(BLOCK)
    assert 3 * 2**20 < plain <= 4 * 2**20
