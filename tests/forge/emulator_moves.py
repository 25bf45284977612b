"""What the emulator lacks of GraphQL: the repository's id, and moves of branches from where they were seen.

Each move becomes a REST request to the emulator. https://docs.github.com/en/graphql/reference/mutations#updaterefs
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx

from forge.emulator import REPOSITORY, TOKEN
from forge.server import Answer, Request, listening

_NOTHING = "0" * 40
_ID = "R_site"


@contextmanager
def moves(emulator: str) -> Iterator[str]:
    """The address of a GraphQL that moves branches of the emulator at this address."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=f"{emulator}/repos/{REPOSITORY}/git/", headers=headers) as client:

        def answer(request: Request) -> Answer:
            asked = request.json()
            if "updateRefs" not in asked["query"]:
                return Answer(200, {"data": {"repository": {"id": _ID}}})
            given = asked["variables"]["input"]
            assert given["repositoryId"] == _ID
            if any(_head(client, one["name"]) != one["beforeOid"] for one in given["refUpdates"]):
                return Answer(200, {"errors": [{"type": "UNPROCESSABLE", "message": "a branch is elsewhere"}]})
            for one in given["refUpdates"]:
                _move(client, one)
            return Answer(200, {"data": {"updateRefs": {"clientMutationId": None}}})

        with listening(answer) as address:
            yield address


def _head(client: httpx.Client, reference: str) -> str:
    found = client.get(reference.replace("refs/", "ref/", 1))
    return str(found.json()["object"]["sha"]) if found.status_code == 200 else _NOTHING


def _move(client: httpx.Client, update: Mapping[str, str]) -> None:
    if update["afterOid"] == _NOTHING:
        client.delete(update["name"]).raise_for_status()
    elif update["beforeOid"] == _NOTHING:
        client.post("refs", json={"ref": update["name"], "sha": update["afterOid"]}).raise_for_status()
    else:
        client.patch(update["name"], json={"sha": update["afterOid"], "force": True}).raise_for_status()
