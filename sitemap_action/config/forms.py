"""Options that have a form of their own: `select.query` and `policy.fail-on`."""

from collections.abc import Mapping as Map
from dataclasses import dataclass

from sitemap_action.config.nodes import Mapping, Node
from sitemap_action.config.problem import Bad, Problem
from sitemap_action.config.types import Json, KnownNames, ListOf, OneOf
from sitemap_action.config.values import parameter
from sitemap_action.model.site import Reason

_ROWS = ("stale", "lost", "invalid", "added", "changed", "errors", *Reason)


@dataclass(frozen=True, slots=True)
class QuerySetting:
    """Which parameters of a query belong to a page's URL: None = all, () = none of them."""

    allow: tuple[str, ...] | None = None

    def __str__(self) -> str:
        if self.allow is None:
            return "keep"
        return f"{{allow: [{', '.join(self.allow)}]}}" if self.allow else "drop"


class QueryKind:
    """`keep`, `drop` or `{allow: [names]}`."""

    _named = OneOf(lambda _known: {"keep": QuerySetting(), "drop": QuerySetting(())})
    _allowed = ListOf(parameter, at_least=1, commas=True)

    def words(self, _known: KnownNames) -> str:
        return "keep, drop or {allow: [names of parameters]}"

    def read(self, node: Node, key: str, known: KnownNames) -> QuerySetting:
        if not isinstance(node, Mapping):
            return self._named.read(node, key, known)
        if [entry.key.text for entry in node.entries] != ["allow"]:
            raise Bad(Problem(node.mark, f"{key}: a mapping has the one key allow here; for example {{allow: [page]}}"))
        return QuerySetting(self._allowed.read(node.entries[0].value, f"{key}.allow", known))

    def schema(self, known: KnownNames) -> Map[str, Json]:
        allowed: Map[str, Json] = {
            "type": "object",
            "properties": {"allow": self._allowed.schema(known)},
            "required": ["allow"],
            "additionalProperties": False,
        }
        return {"anyOf": [self._named.schema(known), allowed]}


class FailOnKind:
    """Rows of the comparison, or `none` alone."""

    _rows = ListOf(OneOf(lambda _known: {str(row): str(row) for row in _ROWS}))
    _all = ListOf(OneOf(lambda _known: {str(row): str(row) for row in (*_ROWS, "none")}), commas=True)
    commas = True

    def words(self, known: KnownNames) -> str:
        return self._all.words(known)

    def read(self, node: Node, key: str, known: KnownNames) -> frozenset[str]:
        rows = self._all.read(node, key, known)
        if "none" in rows and len(rows) > 1:
            raise Bad(Problem(node.mark, f"{key}: none stands alone; remove it or the others"))
        return frozenset(rows) - {"none"}

    def schema(self, known: KnownNames) -> Map[str, Json]:
        return {"anyOf": [self._rows.schema(known), {"enum": ["none", ["none"]]}]}
