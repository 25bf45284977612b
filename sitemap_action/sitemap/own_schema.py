"""A user's own XML Schema, besides those of the package: local files alone, never the network or an entity."""

from collections.abc import Callable
from typing import TypeAlias

from lxml import etree

from sitemap_action.errors import UsageError

Schema: TypeAlias = etree.XMLSchema

_HINT = "name a valid XML Schema; it includes and imports local files alone"


def own_schema(path: str, load: Callable[[str], bytes]) -> Schema:
    """`load`: the content of a local file, which raises OSError. Raises UsageError with the line of what is broken."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    resolver = _Resolver(load)
    parser.resolvers.add(resolver)
    try:
        return etree.XMLSchema(etree.fromstring(load(path), parser, base_url=path))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", hint="name a file that can be read") from error
    except etree.XMLSyntaxError as error:
        raise UsageError(f"{path}:{error.lineno or 1}: {error.msg}", hint=_HINT) from error
    except etree.XMLSchemaParseError as error:
        if resolver.refused:
            raise UsageError(f"{path}: it asks for {resolver.refused}", hint=_HINT) from error
        first = next(iter(error.error_log), None)
        raise UsageError(_cited(path, first) if first is not None else f"{path}: {error}", hint=_HINT) from error


def _cited(path: str, error: etree._LogEntry) -> str:
    name = error.filename if error.filename and error.filename != "<string>" else path
    return f"{name}:{error.line}: {error.message}" if error.line > 0 else f"{name}: {error.message}"


class _Resolver(etree.Resolver):
    """Answers for every file that a schema includes or imports: nothing is opened by the parser itself."""

    def __init__(self, load: Callable[[str], bytes]) -> None:
        self._load = load
        self.refused = ""

    def resolve(self, system_url: str | None, _public_id: str | None, context: object) -> object:  # type: ignore[override]
        url = system_url or ""
        try:
            content = b"" if "://" in url else self._load(url)
        except OSError:
            content = b""
        self.refused = self.refused or ("" if content else url)
        return self.resolve_string(content, context, base_url=url)
