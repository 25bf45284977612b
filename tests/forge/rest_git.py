"""REST: the repository, its git database, files, branches and rules.

https://docs.github.com/en/rest/git, https://docs.github.com/en/rest/repos
"""

import base64
import binascii
import json
import time
from typing import Any

from forge import shapes
from forge.call import Call, RefusalError, guard, not_found
from forge.repository import NOTHING, Entry, ObjectError, Person
from forge.server import Answer

GITHUB = Person("GitHub", "noreply@github.com")
_MOST_IN_JSON = 1_000_000  # bytes of a file: above it `contents` is empty
_MOST_AS_FILE = 100_000_000
_RAW = {"Content-Type": "application/vnd.github.raw+json; charset=utf-8"}


def now(person: Person) -> Person:
    return person._replace(date=f"{int(time.time())} +0000")


def repository(call: Call) -> Any:
    shown = shapes.repository(call.hub, call.repository)
    may = call.token and call.token.contents == "write"
    return {**shown, "permissions": {"admin": False, "push": bool(may), "pull": True}}


def branch(call: Call) -> Any:
    name = call.parameters["branch"]
    if not (head := call.repository.head(name)):
        raise RefusalError(404, "Branch not found")
    rule = call.repository.protected.get(name)
    shown = shapes.commit(call.hub, call.repository, head)
    url = f"{call.url}/branches/{name}"
    return {
        "name": name,
        "commit": shown,
        "protected": rule is not None,
        "protection": {"enabled": bool(rule and not rule.ruleset)},
        "protection_url": f"{url}/protection",
        "_links": {"html": f"{call.repository.web}/tree/{name}", "self": url},
    }


def protection(call: Call) -> Any:
    rule = call.repository.protected.get(call.parameters["branch"])
    if not rule or rule.ruleset:
        raise RefusalError(404, "Branch not protected")
    return {"url": f"{call.url}/branches/{call.parameters['branch']}/protection"}


def rules(call: Call) -> Answer:
    """What rulesets and branch protection ask of this branch."""
    rule = call.repository.protected.get(call.parameters["branch"])
    of = {"ruleset_source_type": "Repository", "ruleset_source": call.repository.full_name, "ruleset_id": 42}
    return call.page([{"type": "non_fast_forward", **of}] if rule and rule.ruleset else [])


# References


def reference(call: Call) -> Any:
    name = f"refs/{call.parameters['ref']}"
    if not (target := call.repository.refs(name).get(name)):
        raise not_found()
    return shapes.reference(call.hub, call.repository, name, target)


def matching_references(call: Call) -> Any:
    wanted = f"refs/{call.parameters['ref']}"
    found = call.repository.refs("refs/")
    return [
        shapes.reference(call.hub, call.repository, name, target)
        for name, target in found.items()
        if name.startswith(wanted)
    ]


def create_reference(call: Call) -> Any:
    name, sha = call.body["ref"], call.body["sha"]
    if not name.startswith("refs/") or name.count("/") < 2 or not call.repository.ask("check-ref-format", "--normalize", name):  # fmt: skip
        raise RefusalError(422, f"Reference name must start with 'refs/' and be valid: {name}")
    if not call.repository.kind(sha):
        raise RefusalError(422, "Object does not exist")
    guard(call, name, sha, created=True)
    return shapes.reference(call.hub, call.repository, name, sha)


def update_reference(call: Call) -> Any:
    name, sha = f"refs/{call.parameters['ref']}", call.body["sha"]
    if not call.repository.kind(sha):
        raise RefusalError(422, "Object does not exist")
    guard(call, name, sha, force=call.body.get("force", False))
    return shapes.reference(call.hub, call.repository, name, sha)


def delete_reference(call: Call) -> None:
    guard(call, f"refs/{call.parameters['ref']}", NOTHING)


# Objects


def create_blob(call: Call) -> Any:
    content = call.body["content"]
    if call.body.get("encoding", "utf-8") == "base64":
        try:
            data = base64.b64decode(content)
        except binascii.Error:
            raise RefusalError(422, "content is not valid Base64") from None
    else:
        data = content.encode()
    name = call.repository.make_blob(data)
    return {"sha": name, "url": f"{call.url}/git/blobs/{name}"}


def blob(call: Call) -> Any:
    name = call.parameters["file_sha"]
    if call.repository.kind(name) != "blob":
        raise not_found()
    data = call.repository.blob(name)
    if call.accepts("raw"):
        return Answer(200, data, _RAW)
    shown = base64.encodebytes(data).decode()
    return {
        "sha": name,
        "content": shown,
        "encoding": "base64",
        "size": len(data),
        "url": f"{call.url}/git/blobs/{name}",
    }


def create_tree(call: Call) -> Any:
    base = call.body.get("base_tree", "")
    if base and call.repository.kind(base) != "tree":
        raise RefusalError(
            422, "base_tree is not a valid tree oid" if call.repository.kind(base) else "Tree SHA does not exist"
        )
    known = {one.path for one in call.repository.tree(base, recursive=True)} if base else set()
    entries = [_tree_entry(call, given, known) for given in call.body["tree"]]
    try:
        name = call.repository.make_tree(base, entries)
    except ObjectError:
        raise RefusalError(422, "tree contains a path that is malformed") from None
    return _tree(call, name, recursive=False)


def _tree_entry(call: Call, given: dict[str, Any], known: set[str]) -> Entry:
    path, mode = given["path"], given.get("mode", "100644")
    if "content" in given:
        return Entry(path, call.repository.make_blob(given["content"].encode()), mode)
    name = given.get("sha")
    if name is None and path not in known:
        raise RefusalError(422, "GitRPC::BadObjectState")
    if name is not None and not call.repository.kind(name):
        raise RefusalError(422, f"tree.sha {name} is not a valid blob")
    return Entry(path, name, mode)


def tree(call: Call) -> Any:
    name = call.repository.ask("rev-parse", "--verify", "--quiet", f"{call.parameters['tree_sha']}^{{tree}}")
    if not name:
        raise not_found()
    return _tree(call, name, recursive="recursive" in call.request.query)


def _tree(call: Call, name: str, *, recursive: bool) -> Any:
    entries = [
        {"path": one.path, "mode": one.mode, "type": call.repository.kind(one.name or ""), "sha": one.name}
        for one in call.repository.tree(name, recursive=recursive)
    ]
    return {"sha": name, "url": f"{call.url}/git/trees/{name}", "tree": entries, "truncated": False}


def create_commit(call: Call) -> Any:
    """Signed only for a bot that names neither author nor committer."""
    given, token = call.body, call.speaker
    parents = given.get("parents", [])
    if call.repository.kind(given["tree"]) != "tree":
        raise RefusalError(422, "Tree SHA does not exist")
    if any(call.repository.kind(parent) != "commit" for parent in parents):
        raise RefusalError(422, "Parent SHA does not exist or is not a commit object")
    signed = token.kind.installation and not given.keys() & {"author", "committer"}
    author = Person(given["author"]["name"], given["author"]["email"]) if "author" in given else token.person
    committer = Person(given["committer"]["name"], given["committer"]["email"]) if "committer" in given else author
    name = call.repository.make_commit(
        given["tree"], parents, given["message"], now(author), now(GITHUB if signed else committer), signed=signed
    )
    return shapes.git_commit(call.hub, call.repository, name)


def git_commit(call: Call) -> Any:
    name = call.parameters["commit_sha"]
    if call.repository.kind(name) != "commit":
        raise not_found()
    return shapes.git_commit(call.hub, call.repository, name)


# History and files


def commit(call: Call) -> Any:
    name = call.repository.commit_of(call.parameters["ref"])
    if not name:
        raise RefusalError(422, f"No commit found for SHA: {call.parameters['ref']}")
    if call.accepts("sha"):
        return Answer(200, name.encode(), {"Content-Type": "application/vnd.github.sha; charset=utf-8"})
    return shapes.commit(call.hub, call.repository, name)


def commits(call: Call) -> Any:
    """Newest first, from one commit back; those that changed a path."""
    name = call.repository.commit_of(call.request.query.get("sha", call.repository.default_branch))
    if not name:
        raise not_found()
    path = [
        f"--max-count={call.request.query.get('per_page', '30')}",
        name,
        "--",
        *filter(None, [call.request.query.get("path", "")]),
    ]
    return [shapes.commit(call.hub, call.repository, one) for one in call.repository.log(*path)]


def compare(call: Call) -> Any:
    one, dots, other = call.parameters["basehead"].partition("...")
    base, head = (call.repository.commit_of(side.partition(":")[2] or side) for side in (one, other))
    merge_base = call.repository.ask("merge-base", base, head) if base and head else ""
    if not dots or not merge_base:
        raise not_found()
    ahead, behind = call.repository.log(f"{base}..{head}"), call.repository.log(f"{head}..{base}")
    status = "diverged" if ahead and behind else "ahead" if ahead else "behind" if behind else "identical"
    show = [shapes.commit(call.hub, call.repository, name) for name in (base, merge_base, *reversed(ahead))]
    return {
        "status": status,
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "base_commit": show[0],
        "merge_base_commit": show[1],
        "commits": show[2:],
        "files": [_changed_file(call, line) for line in call.repository.ask("diff", "--name-status", "--no-renames", merge_base, head).splitlines()],
    }  # fmt: skip


def _changed_file(call: Call, line: str) -> dict[str, Any]:
    letter, _, path = line.partition("\t")
    words = {"A": "added", "D": "removed", "M": "modified"}
    return {
        "sha": None,
        "filename": path,
        "status": words.get(letter, "changed"),
        "additions": 1,
        "deletions": 1,
        "changes": 2,
    }


def contents(call: Call) -> Any:
    path = call.parameters["path"].strip("/")
    ref = call.request.query.get("ref", call.repository.default_branch)
    commit = call.repository.commit_of(ref)
    if not commit:
        raise RefusalError(404, f"No commit found for the ref {ref}")
    entry = call.repository.entry(commit, path)
    if not entry or not entry.name:
        raise not_found()
    if call.repository.kind(entry.name) == "tree":
        inside = [_file(call, one._replace(path=f"{path}/{one.path}"), ref) for one in call.repository.tree(entry.name)]
        return _object({**_file(call, entry, ref), "entries": inside}) if call.accepts("object") else inside
    if call.accepts("raw"):
        return Answer(200, call.repository.blob(entry.name), _RAW)
    data = call.repository.blob(entry.name)
    if len(data) > _MOST_AS_FILE:
        words = "This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API"
        raise RefusalError(403, words, [{"resource": "Blob", "field": "data", "code": "too_large"}])
    inline = len(data) <= _MOST_IN_JSON
    content = {
        "content": base64.encodebytes(data).decode() if inline else "",
        "encoding": "base64" if inline else "none",
    }
    shown = {**_file(call, entry, ref), **content}
    return _object(shown) if call.accepts("object") else shown


def _object(shown: dict[str, Any]) -> Answer:
    return Answer(
        200, json.dumps(shown).encode(), {"Content-Type": "application/vnd.github.object+json; charset=utf-8"}
    )


def _file(call: Call, entry: Entry, ref: str) -> dict[str, Any]:
    name = entry.name or ""
    kind = "dir" if call.repository.kind(name) == "tree" else "file"
    url = f"{call.url}/contents/{entry.path}?ref={ref}"
    size = 0 if kind == "dir" else int(call.repository.ask("cat-file", "-s", name))
    links = {"self": url, "git": None, "html": f"{call.repository.web}/blob/{ref}/{entry.path}"}
    return {"type": kind, "name": entry.path.rpartition("/")[2], "path": entry.path, "sha": name, "size": size, "url": url, "_links": links, "git_url": None, "html_url": links["html"], "download_url": None}  # fmt: skip
