"""What pages had when the sitemap was last written, from the file that `output.fingerprints` names."""

from sitemap_action.errors import UsageError
from sitemap_action.loader.documents import digest
from sitemap_action.loader.stores import Store
from sitemap_action.sitemap.fingerprint_file import is_fingerprint_file, read_fingerprints
from sitemap_action.store.inventory import Inventory
from sitemap_action.web.urls import origin


def given_contents(path: str, sitemap: str, site_url: str, store: Store, inventory: Inventory) -> str:
    """The digest of the file, "" where it is missing. What it has of a page counts before what a state has."""
    if path == sitemap:
        raise UsageError(f"{path} is the sitemap", hint="name another file in output.fingerprints")
    content = store(path)
    if content is None:
        return ""
    if not is_fingerprint_file(content):
        hint = "name a file of its own in output.fingerprints, such as sitemap.fingerprints"
        raise UsageError(f"{path} is there, and is no file of fingerprints", hint=hint)
    inventory.give_contents(read_fingerprints(content, origin(site_url)))
    return digest(content)
