"""The certificate authorities that are trusted: those that the environment names, else `certifi`'s (NET-14)."""

from collections.abc import Mapping

import certifi
from msgspec import Struct


class TrustStore(Struct, frozen=True):
    """Paths of a bundle and of a directory; "" for none."""

    file: str
    folder: str


def trust_store(environment: Mapping[str, str]) -> TrustStore:
    files = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE")
    file = next((path for name in files if (path := environment.get(name, ""))), "")
    folder = environment.get("SSL_CERT_DIR", "")
    return TrustStore(file or ("" if folder else certifi.where()), folder)
