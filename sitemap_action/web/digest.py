"""Whether two documents are the same bytes: a hash that is fast and no secret one."""

from xxhash import xxh3_128_hexdigest


def digest(data: bytes) -> str:
    """32 hexadecimal digits. Who makes two of his own documents collide hides that one of them changed, no more."""
    return xxh3_128_hexdigest(data)
