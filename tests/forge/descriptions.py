"""GitHub's published descriptions of its API, which `.ci/forge` fetches: what a request and an answer must be."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from forge.server import Answer, Request

if TYPE_CHECKING:
    from graphql import GraphQLSchema
    from openapi_core import OpenAPI

ROOT = Path(__file__).parents[2]
FETCHED = ROOT / "build/forge"
MISSING = (
    "GitHub's descriptions of its API are not there, or not the ones that are wanted: run `make forge`, which needs npm"
)
_HOST = "https://api.github.com"
_PLAIN = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}
_FORMATS = {"uri": "https://filled-in.invalid/", "date-time": "2026-11-20T12:00:00Z", "email": "filled@in.invalid"}
_UNDESCRIBED = re.compile(r"\$(\[\d+\])?\.head\.repo")  # null once the fork of a pull request is deleted


def fetched() -> Path:
    """The folder of the descriptions; without it the test is skipped."""
    if not _current():
        pytest.skip(MISSING)
    return FETCHED


@cache
def _current() -> bool:
    """They were made from the sources as they are now (`.ci/forge`)."""
    sources = [ROOT / ".ci/forge", *sorted(Path(__file__).parent.glob("packages/*"))]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()
    made = FETCHED / ".sources"
    return made.exists() and made.read_text().startswith(digest)


@cache
def openapi() -> "Description":
    text = (fetched() / "openapi.json").read_bytes()
    return Description(json.loads(text, object_hook=_without_discriminator))


@cache
def graphql_schema() -> "GraphQLSchema":
    from graphql import build_schema

    return build_schema((fetched() / "schema.graphql").read_text(encoding="utf-8"), no_location=True, assume_valid=True)


@cache
def webhooks() -> "Description":
    """The payloads of events, as a JSON schema."""
    return Description(json.loads((fetched() / "webhooks.json").read_bytes()))


def load() -> None:
    """What takes seconds, before a client waits for an answer."""
    openapi().load()
    graphql_schema()


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    template: str  # "/repos/{owner}/{repo}/git/ref/{ref}"

    def url(self, parameters: Mapping[str, str]) -> str:
        """With every value as one segment: a slash in a reference or path would not match."""
        return self.template.format(**{name: quote(value, safe="") for name, value in parameters.items()})


class Description:
    """An OpenAPI description (3.0)."""

    def __init__(self, source: dict[str, Any]) -> None:
        self.source = source
        self._filled: dict[str, Any] = {}
        self._right: set[tuple[object, ...]] = set()  # what was checked and found right

    @cached_property
    def _checker(self) -> "OpenAPI":
        from openapi_core import Config, OpenAPI

        return OpenAPI.from_dict(self.source, config=Config(spec_validator_cls=None))

    def load(self) -> None:
        import openapi_core.testing

        assert self._checker
        assert openapi_core.testing

    # What was sent

    def faults_of_request(self, operation: Operation, parameters: Mapping[str, str], request: Request) -> list[str]:
        """Why GitHub's description does not allow it, and what in it means nothing to GitHub."""
        key = (operation, _alike(operation.url(parameters)), request.query_string, _alike(request.body.decode()))
        return self._once(key, lambda: self._faults_of_request(operation, parameters, request))

    def faults_of_answer(self, operation: Operation, parameters: Mapping[str, str], request: Request, answer: Answer) -> list[str]:  # fmt: skip
        """Why GitHub does not answer so."""
        key = (operation, answer.status, answer.headers.get("Content-Type"), _skeleton(answer.body))
        return self._once(key, lambda: self._faults_of_answer(operation, parameters, request, answer))

    def _once(self, key: tuple[object, ...], check: Callable[[], Iterator[str]]) -> list[str]:
        """A race of a hundred runs sends thousands that differ in nothing that is described."""
        found = [] if key in self._right else list(check())
        if not found:
            self._right.add(key)
        return found

    def _faults_of_request(
        self, operation: Operation, parameters: Mapping[str, str], request: Request
    ) -> Iterator[str]:
        described = self._described(operation)
        known = {
            found["name"] for found in map(self._resolved, described.get("parameters", [])) if found["in"] == "query"
        }
        for name in request.query.keys() - known:
            yield f"the query parameter {name} is not described"
        body = self._body(described)
        if isinstance(sent := _json(request.body), dict) and body:
            properties = self._properties(body)
            for name in sent.keys() - properties if properties else ():
                yield f"the property {name} is not described"
        elif request.body and not body:
            yield "a body is not described"
        try:
            self._checker.validate_request(self._request(operation, parameters, request))
        except Exception as error:  # noqa: BLE001  (whatever it finds)
            yield from _reasons(error)

    def _faults_of_answer(self, operation: Operation, parameters: Mapping[str, str], request: Request, answer: Answer) -> Iterator[str]:  # fmt: skip
        from openapi_core.testing import MockResponse

        body, headers = answer.sent()
        described = self._described(operation)["responses"]
        media = headers.get("Content-Type", "application/json").partition(";")[0]
        if str(answer.status) not in described:
            return
        content = self._resolved(described[str(answer.status)]).get("content", {})
        if media != "application/json" or media not in content:
            return
        response = MockResponse(body, status_code=answer.status, content_type=media)
        try:
            self._checker.validate_response(self._request(operation, parameters, request), response)
        except Exception as error:  # noqa: BLE001  (whatever it finds)
            yield from _reasons(error)

    @staticmethod
    def _request(operation: Operation, parameters: Mapping[str, str], request: Request) -> Any:
        from openapi_core.testing import MockRequest

        return MockRequest(
            _HOST,
            operation.method.lower(),
            operation.url(parameters),
            args=request.query,
            data=request.body or None,
            content_type="application/json",
        )

    # What is answered

    def complete(self, operation: Operation, status: int, value: Any) -> Any:
        """The value, with every property that GitHub always sends; what the fake does not know is recognisably made up."""
        answer = self._resolved(self._described(operation)["responses"][str(status)])
        schema = answer.get("content", {}).get("application/json", {}).get("schema")
        return self._complete(schema, value) if schema else value

    def event(self, name: str, value: dict[str, Any]) -> dict[str, Any]:
        """A payload, completed; without what the schema, unlike REST, does not have."""
        from jsonschema import Draft7Validator

        reference = {"$ref": f"#/definitions/{name}"}
        made: dict[str, Any] = self._complete(reference, value)
        found = [
            f"{one.json_path}: {one.message}"[:300]
            for one in Draft7Validator({**self.source, **reference, "oneOf": [{}]}).iter_errors(made)
        ]
        assert not found, found
        return made

    def _complete(self, schema: Mapping[str, Any], value: Any) -> Any:
        schema = self._fitting(schema, value)
        if isinstance(value, list):
            return [self._complete(schema.get("items", {}), one) for one in value]
        if not isinstance(value, dict):
            return value
        properties = schema.get("properties", {})
        closed = schema.get("additionalProperties") is False
        kept = {key: one for key, one in value.items() if key in properties or not closed}
        given = {key: self._complete(properties.get(key, {}), one) for key, one in kept.items()}
        missing = (name for name in schema.get("required", ()) if name not in given)
        return {**{name: self._default(properties.get(name, {})) for name in missing}, **given}

    def _fitting(self, schema: Mapping[str, Any], value: Any) -> Mapping[str, Any]:
        """Of several alternatives the first that is of the value's type; of several parts, all of them in one."""
        schema = self._resolved(schema)
        wanted = "array" if isinstance(value, list) else "object"
        if alternatives := schema.get("oneOf") or schema.get("anyOf"):
            fitting = [self._fitting(one, value) for one in alternatives]
            return next((one for one in fitting if one.get("type", "object") == wanted), schema)
        if parts := schema.get("allOf"):
            found = [self._fitting(one, value) for one in parts]
            properties = {key: one for part in found for key, one in part.get("properties", {}).items()}
            required = [name for part in found for name in part.get("required", ())]
            return {"type": "object", "properties": properties, "required": required}
        return schema

    def _default(self, schema: Mapping[str, Any]) -> Any:
        reference = schema.get("$ref", "")
        if reference not in self._filled:
            made = self._made_up(schema)
            if not reference:
                return made
            self._filled[reference] = made
        return self._filled[reference]

    def _made_up(self, schema: Mapping[str, Any]) -> Any:
        schema = self._resolved(schema)
        kinds = schema.get("type", "object")
        if schema.get("nullable") or "null" in kinds:
            return None
        if fixed := schema.get("enum", [schema["const"]] if "const" in schema else []):
            return fixed[0]
        if alternatives := schema.get("oneOf") or schema.get("anyOf"):
            return self._default(alternatives[0])
        kind = kinds if isinstance(kinds, str) else kinds[0]
        if kind == "object":
            return self._complete(schema, {})
        return _FORMATS.get(schema.get("format", ""), _PLAIN[kind]) if kind == "string" else _PLAIN[kind]

    # The description

    def _described(self, operation: Operation) -> dict[str, Any]:
        return self.source["paths"][operation.template][operation.method.lower()]

    def _body(self, described: Mapping[str, Any]) -> Mapping[str, Any]:
        body = self._resolved(described.get("requestBody", {}))
        return body.get("content", {}).get("application/json", {}).get("schema", {})

    def _properties(self, schema: Mapping[str, Any]) -> set[str]:
        schema = self._resolved(schema)
        found = set(schema.get("properties", ()))
        for part in (*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
            found |= self._properties(part)
        return found

    def _resolved(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in value:
            found: Any = self.source
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            value = found
        return value


def _without_discriminator(found: dict[str, Any]) -> dict[str, Any]:
    """GitHub states one for values that are lists, too, where no validator finds its property."""
    return {key: value for key, value in found.items() if key != "discriminator"} if "oneOf" in found else found


def _reasons(error: Exception) -> Iterator[str]:
    """One for each place, or what the library says."""
    found = getattr(error.__cause__, "schema_errors", None) or ()
    for one in found:
        if _UNDESCRIBED.fullmatch(one.json_path) and one.instance is None:
            continue
        if "default" in one.schema and one.schema["default"] == one.instance:
            continue  # the description's own default: "" for addresses
        inner = [f" {deeper.json_path}: {deeper.message}"[:300] for deeper in one.context or ()]
        yield "".join((f"{one.json_path}: {one.message}"[:300], *inner))
    if not found:
        yield f"{error.__cause__ or error}"[:500]


def _alike(text: str) -> str:
    """Without what no description limits: names of objects, and content."""
    return re.sub(r"\b[0-9a-f]{40}\b", "NAME", re.sub(r"[A-Za-z0-9+/=]{200,}", "CONTENT", text))


def _skeleton(value: Any) -> object:
    """Properties and types; a string of one word, such as a state, is kept, for there are lists of these."""
    if isinstance(value, dict):
        return tuple((key, _skeleton(one)) for key, one in sorted(value.items()))
    if isinstance(value, list):
        return frozenset(_skeleton(one) for one in value), "list"
    return value if isinstance(value, str) and re.fullmatch(r"[A-Za-z_]{0,20}", value) else type(value)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
