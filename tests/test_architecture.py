"""The rules of the house, read from the source with `ast`; every rule is also shown to fail on a planted violation.

A rule takes a source tree as data (path → text), so the same code reads the package and the plants.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

from sources import ONE_PROCESS, nodes, parse

PACKAGE = "sitemap_action"
MAX_FILE, MAX_FUNCTION = 500, 40

# Who stands on whom: an import leads to a lower number, or stays inside its own room.
LAYERS = {
    **dict.fromkeys(("__main__", "cli"), 13),
    **dict.fromkeys(("run", "ui", "sitemaps"), 12),
    **dict.fromkeys(("look", "publish", "console"), 11),
    "walk": 10,
    "browser": 9,
    **dict.fromkeys(("fetch", "repo", "store", "disk"), 8),
    **dict.fromkeys(("plan", "reports", "setup"), 7),
    **dict.fromkeys(("decide", "checks"), 6),
    "runner": 5,
    "config": 4,
    **dict.fromkeys(("sitemap", "hosts"), 3),
    **dict.fromkeys(("html", "robots"), 2),
    "web": 1,
    **dict.fromkeys(("model", "errors"), 0),
    "__init__": -1,  # the version, nothing else
}
ROOMS = frozenset(f"{PACKAGE}.{name}" for name in LAYERS)
FIRST_EFFECTS = 8  # the line: layers below this number compute, and nothing else
SIDEWAYS = {("__main__", "cli")}  # the process and its command line are one room in two files

# Everything from outside the standard library, by room.
THIRD_PARTY = {
    "__main__": {"click"},
    "cli": {"click"},
    "fetch": {"certifi", "pycurl"},
    "repo": {"httpx"},
    "publish": {"httpx"},
    "config": {"turbohtml", "yaml"},
    "sitemap": {"lxml", "re2", "xmlschema"},
    "look": {"xxhash"},
    "sitemaps": {"xxhash"},
    "walk": {"xxhash"},
    "hosts": {"re2", "yaml"},
    "html": {"re2", "turbohtml", "xxhash"},
    "web": {"ada_url", "re2"},
    "ui": {"starlette", "uvicorn"},
}

RECORDS = "msgspec"  # of every room

# What is imported late, for start-up: (module or room, what). A package name stands for all of it.
LATE = {
    (f"{PACKAGE}.sitemap.schema", "xmlschema"),  # half of all start-up time, needed only for a broken file
    (f"{PACKAGE}.cli", PACKAGE),  # the screen, whose packages are those of an extra
    (f"{PACKAGE}.cli", "asyncio"),  # sitemaps on disk are read without
    (f"{PACKAGE}.__main__", "difflib"),  # only a guess needs it
    (f"{PACKAGE}.config.types", "difflib"),
    (f"{PACKAGE}.config.yaml", "yaml"),  # flags alone need no YAML parser
    (f"{PACKAGE}.config.values", "turbohtml"),  # few configs have a selector
    (f"{PACKAGE}.walk.built_site", PACKAGE),  # a build without a shell needs no browser
    (f"{PACKAGE}.store.state", "shutil"),  # only `explain` copies a state
    (f"{PACKAGE}.store.state", "tempfile"),
    (f"{PACKAGE}.store.inventory", "tempfile"),  # the library has no inventory
    (f"{PACKAGE}.sitemap.feed", "email"),  # dates as only a feed writes them
    (f"{PACKAGE}.html.directives", "email"),  # dates as few pages write them
    (f"{PACKAGE}.hosts.control_files", "tomllib"),  # few builds have a control file in TOML
    (f"{PACKAGE}.hosts.control_files", "yaml"),  # few repositories have a render.yaml
    (f"{PACKAGE}.hosts.literals", "yaml"),  # nor is a redirect added by many runs
    (f"{PACKAGE}.walk.document_pool", "concurrent"),  # a small site starts no process
    (f"{PACKAGE}.walk.document_pool", "multiprocessing"),
    (f"{PACKAGE}.walk.document_pool", "threading"),
    (f"{PACKAGE}.look.old_site", "asyncio"),  # few sites move
    (f"{PACKAGE}.look.web_sitemaps", "asyncio"),  # few runs fetch a baseline
    (f"{PACKAGE}.walk.start", "asyncio"),  # of the first requests of a crawl, whose rules a baseline needs too
    (f"{PACKAGE}.walk.agent_files", "asyncio"),  # a build is asked without
    (f"{PACKAGE}.walk.frontier", "asyncio"),  # whose filter the first requests have, too
    (f"{PACKAGE}.walk.sitemap_loading", "asyncio"),  # nor does a file
    (f"{PACKAGE}.sitemaps", "asyncio"),
    (f"{PACKAGE}.walk.sitemap_stream", "asyncio"),
    (f"{PACKAGE}.walk.sitemap_stream", "threading"),
    (f"{PACKAGE}.look.source", PACKAGE),  # a folder needs no HTTP
    (f"{PACKAGE}.repo.git_directory", "_winapi"),  # Windows alone has it
    (f"{PACKAGE}.repo.github_api", "httpx"),  # few runs ask GitHub
    (f"{PACKAGE}.publish.indexnow", "httpx"),  # nor do many submit to a search engine
    (f"{PACKAGE}.publish.indexnow", "asyncio"),
    (f"{PACKAGE}.fetch.policies", PACKAGE),  # libcurl, which a check of a folder does not load
    (f"{PACKAGE}.fetch", "asyncio"),  # nor that, nor what is trusted
    (f"{PACKAGE}.fetch.base", "certifi"),
    (f"{PACKAGE}.fetch.policies", "email"),  # few answers have a date in Retry-After
    (f"{PACKAGE}.__main__", "traceback"),  # a bug
}

# Rooms of plug-ins, with the registries that import them. A plug-in imports `base`, and no other plug-in.
REGISTRIES = {
    "checks": ("all",),
    "reports": ("all",),
    "publish": ("apply",),
    "hosts": ("all", "redirect_files"),
}
SHARED = {
    # What the config makes of a finding of any check, and why a rule matters.
    "checks": {"severity"},
    # the outcome in words; the one list; it in order, for people and for programs; sections before and after, lines
    "reports": {"advice", "items", "item_lists", "picture", "sitemap_files"},
    # the host table; rules over paths; a host with rules and headers; JSON and TOML
    # redirects that are added: edits, and literals with their places
    "hosts": {"page_spellings", "routes", "ruled_host", "control_files", "redirect_edits", "literals"},
}

# Module names that occur in several rooms, and the one thing that each of them means.
MEANINGS = {
    "all": "the registry of a room's plug-ins",
    "answers": "what `explain` answers",
    "base": "what the plug-ins of a room share",
    "document": "one document of a sitemap",
    "explain": "why one URL is, or is not, in the sitemap",
    "entries": "what a sitemap lists",
    "extensions": "hreflang, images, videos and news of entries",
    "frontier": "the URLs of a crawl that are known and not yet fetched",
    "page": "one page: what is known of it, and how the browser shows it",
    "options": "what a command line is told",
    "read": "reading a sitemap",
    "media": "what pages hold besides text: images, videos",
    "robots": "robots.txt",
    "schema": "what an input must conform to",
    "shards": "parts of a site that several runners look at",
    "source": "where a run reads pages from",
    "state": "the file at `--state`",
}

# All of the standard library that computes and does nothing else; a name may be a module or one thing of it.
_PURE = """
    __future__ abc array ast base64 binascii bisect codecs collections contextlib copy csv dataclasses datetime decimal
    difflib email.utils enum fnmatch.fnmatchcase
    fractions functools graphlib hashlib heapq hmac html io.BytesIO io.StringIO ipaddress
    itertools json keyword math operator pathlib.PurePath pathlib.PurePosixPath posixpath.dirname posixpath.join
    posixpath.normpath re shlex.quote statistics string struct sys.intern sys.maxsize textwrap tomllib types typing unicodedata
    urllib.parse weakref xml.parsers.expat xml.sax.saxutils zlib
"""
_USES = """
    datetime.datetime.now datetime.datetime.utcnow datetime.datetime.today datetime.date.today
    email.utils.formatdate email.utils.localtime email.utils.make_msgid codecs.open lxml.etree.parse lxml.html.parse
"""
_METHODS = """
    open read_text read_bytes write_text write_bytes iterdir rglob mkdir rmdir unlink touch chmod lstat is_file is_dir
    is_symlink exists expanduser samefile symlink_to hardlink_to now utcnow today
"""
PURE = frozenset(_PURE.split())
EFFECT_USES = frozenset(_USES.split())
EFFECT_METHODS = frozenset(_METHODS.split())
EFFECT_BUILTINS = frozenset({"open", "print", "input", "breakpoint", "exec", "eval", "compile", "__import__"})

# Modules that may load the data packaged beside them, and what they may do for it.
PACKAGED = {
    f"{PACKAGE}/sitemap/schema.py",
    f"{PACKAGE}/reports/html/report_page.py",
}
LOADS = ("importlib.resources", "pathlib.Path", "lxml.etree.parse", ".read_text()", ".read_bytes()")

FORKS = frozenset({f"{PACKAGE}.walk.document_pool"})  # processes of a run, which end there
EXITS = frozenset({"sys.exit", "os._exit", "SystemExit", "exit", "quit"})

# Names of texts that are meant for people, and where one is compared nevertheless.
SENTENCES = frozenset({"sentence", "message", "detail", "headline", "hint", "why", "tip", "advice"})
SENTENCES_COMPARED = {
    "fault.detail == 'loc'": "the detail of a fault of a missing element is its name",
}

LONG_TABLES: frozenset[str] = frozenset()  # files over 500 lines that are one table of data


@dataclass(frozen=True, slots=True)
class Import:
    target: str  # module, or module.name when that name is a module
    name: str  # module.name as written
    alias: str  # the local name, "" when that is the module's own
    line: int
    late: bool  # inside a function
    relative: bool


@dataclass(frozen=True)
class Module:
    path: str
    text: str
    modules: frozenset[str]  # dotted names of the whole tree

    @cached_property
    def name(self) -> str:
        return dotted(self.path)

    @cached_property
    def room(self) -> str:
        return room(self.name)

    @cached_property
    def tree(self) -> ast.Module:
        return parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        return nodes(self.tree)

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        return tuple(self._imports(self.tree, late=False))

    def _imports(self, node: ast.AST, *, late: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for name in child.names:
                    yield Import(name.name, name.name, name.asname or "", child.lineno, late, relative=False)
            elif isinstance(child, ast.ImportFrom):
                for name in child.names:
                    full = f"{child.module}.{name.name}"
                    target = full if full in self.modules or full in ROOMS else str(child.module)
                    yield Import(target, full, name.asname or name.name, child.lineno, late, bool(child.level))
            inner = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from self._imports(child, late=inner)

    @cached_property
    def uses(self) -> tuple[tuple[str, int], ...]:
        """(dotted name, line) of every name read, local aliases spelled out."""
        aliases = {found.alias: found.name for found in self.imports if found.alias}
        found = []
        for node in self.nodes:
            name = spelled(node)
            if name:
                first, dot, rest = name.partition(".")
                found.append((aliases.get(first, first) + dot + rest, node.lineno))  # type: ignore[attr-defined]
        return tuple(found)


House = Mapping[str, Module]


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def spelled(node: ast.AST) -> str:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return node.id
    if isinstance(node, ast.Attribute) and (base := spelled(node.value)):
        return f"{base}.{node.attr}"
    return ""


def ours(target: str) -> bool:
    return target.partition(".")[0] == PACKAGE


def pure(module: Module) -> bool:
    return LAYERS.get(module.room, FIRST_EFFECTS) < FIRST_EFFECTS


def house(tree: Mapping[str, str]) -> House:
    names = frozenset(dotted(path) for path in tree)
    return {path: Module(path, text, names) for path, text in tree.items()}


def every_room_has_a_layer(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        if module.room not in LAYERS:
            yield f"{path}:1: no layer for {module.room}: give it a row in LAYERS and in {PACKAGE}/README.md"


def imports_lead_down(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        for found in module.imports:
            here, there = module.room, room(found.target)
            if not ours(found.target) or found.relative or here == there or (here, there) in SIDEWAYS:
                continue
            if LAYERS.get(there, 99) >= LAYERS.get(here, 99):
                way = "sideways" if LAYERS.get(there) == LAYERS.get(here) else "upward"
                yield f"{path}:{found.line}: {way} import: {here} → {there}"


def imports_are_absolute(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        yield from (f"{path}:{found.line}: relative import" for found in module.imports if found.relative)


def no_import_cycle(modules: House) -> Iterator[str]:
    edges = {
        module.name: sorted({found.target for found in module.imports if found.target in module.modules})
        for module in modules.values()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> Iterator[str]:
        if name in trail:
            yield "import cycle: " + " → ".join((*trail[trail.index(name) :], name))
        elif name not in done:
            for target in edges[name]:
                yield from visit(target, (*trail, name))
            done.add(name)

    for name in sorted(edges):
        yield from visit(name, ())


def third_party_has_a_room(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        for found in module.imports:
            top = found.target.split(".")[0]
            if found.relative or ours(top) or top in sys.stdlib_module_names or top == RECORDS:
                continue
            if top not in THIRD_PARTY.get(module.room, set()):
                yield f"{path}:{found.line}: {module.room} may not import {top}"


def late_imports_are_listed(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        for found in module.imports:
            what = found.target.partition(".")[0]
            if found.late and not LATE & {(module.name, what), (f"{PACKAGE}.{module.room}", what)}:
                yield f"{path}:{found.line}: import inside a function: {found.target}"


def plug_ins_keep_apart(modules: House) -> Iterator[str]:
    """A plug-in is imported by the registries of its room, and by its own files when it is a folder."""
    for path, module in modules.items():
        for found in module.imports:
            there, _, inner = found.target.removeprefix(f"{PACKAGE}.").partition(".")
            plug_in = inner.split(".")[0]
            if not ours(found.target) or not is_plug_in(there, plug_in):
                continue
            own = module.name.split(".")[2:3] if module.room == there else []
            if own not in ([plug_in], *([name] for name in REGISTRIES[there])) and module.room != "cli":
                yield f"{path}:{found.line}: only {there}/{REGISTRIES[there][0]}.py imports the plug-in {found.target}"


def is_plug_in(room: str, name: str) -> bool:
    return room in REGISTRIES and name not in {"", "base", *REGISTRIES[room], *SHARED.get(room, ())}


def no_plug_in_knows_its_registry(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        registries = {f"{PACKAGE}.{module.room}.{name}" for name in REGISTRIES.get(module.room, ())}
        if is_plug_in(module.room, "".join(module.name.split(".")[2:3])):
            yield from (
                f"{path}:{found.line}: imports its registry" for found in module.imports if found.target in registries
            )


def nothing_below_the_line_has_effects(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        if pure(module):
            yield from (f"{path}:{line}: effect below the line: {what}" for what, line in sorted(effects(module)))


def effects(module: Module) -> Iterator[tuple[str, int]]:
    for what, line in (*effect_imports(module), *effect_uses(module), *effect_nodes(module)):
        if module.path not in PACKAGED or not what.startswith(LOADS):
            yield what, line


def effect_imports(module: Module) -> Iterator[tuple[str, int]]:
    for found in module.imports:
        standard = found.target.split(".")[0] in sys.stdlib_module_names
        if standard and not found.relative and not covered(found.target) and not covered(found.name):
            yield found.name, found.line


def effect_uses(module: Module) -> Iterator[tuple[str, int]]:
    yield from (use for use in module.uses if use[0] in EFFECT_BUILTINS | EFFECT_USES)


def effect_nodes(module: Module) -> Iterator[tuple[str, int]]:
    for node in module.nodes:
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield "waiting (async)", node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EFFECT_METHODS:
            yield f".{node.func.attr}()", node.lineno


def covered(name: str) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:length]) in PURE for length in range(1, len(parts) + 1))


def only_the_process_exits(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        if module.room not in ("__main__", "cli") and module.name not in FORKS:
            yield from (f"{path}:{line}: ends the process: {name}" for name, line in module.uses if name in EXITS)


def sql_lives_in_the_store(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        if module.room != "store":
            yield from (
                f"{path}:{found.line}: SQL outside store" for found in module.imports if found.target == "sqlite3"
            )


def class_names_occur_once(modules: House) -> Iterator[str]:
    """Whoever greps for a class finds one."""
    seen: dict[str, str] = {}
    for path, module in modules.items():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef) and seen.setdefault(node.name, path) != path:
                yield f"{path}:{node.lineno}: the class {node.name} is also in {seen[node.name]}"


def module_names_mean_one_thing(modules: House) -> Iterator[str]:
    rooms: dict[str, list[str]] = {}
    for path, module in modules.items():
        name = module.name.rpartition(".")[2]
        if not path.endswith("__init__.py") and name != module.room and name not in MEANINGS:
            rooms.setdefault(name, []).append(path)
    for name, paths in rooms.items():
        if len(paths) > 1:
            yield f"{paths[1]}:1: {name} is also {paths[0]}: another name, or a row in MEANINGS"


def files_are_short(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        lines = len(module.text.splitlines())
        if lines > MAX_FILE and path not in LONG_TABLES:
            yield f"{path}:{lines}: a file of {lines} lines asks for a room of its own"


def functions_are_short(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_FUNCTION:
                    yield f"{path}:{node.lineno}: {node.name}() has {lines} lines"


def modules_open_with_a_sentence(modules: House) -> Iterator[str]:
    for path, module in modules.items():
        first = (ast.get_docstring(module.tree) or "").partition("\n\n")[0]
        if not first.endswith((".", ":", "?")):
            yield f"{path}:1: does not open with a sentence"


def constant_patterns_are_lazy(modules: House) -> Iterator[str]:
    """A start compiles no pattern: one run uses a tenth of them."""
    for path, module in modules.items():
        inside = {
            below
            for node in module.nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for below in ast.walk(node)
        }
        for node in module.nodes:
            if isinstance(node, ast.Call) and node not in inside and ast.unparse(node.func) == "re.compile":
                yield f"{path}:{node.lineno}: a pattern is compiled by each start: write lazy_re"


def no_decision_hangs_on_a_sentence(modules: House) -> Iterator[str]:
    """What a sentence says is for people: code asks for a kind, so that rewording changes no behaviour."""
    for path, line, text in compared_sentences(modules):
        if text not in SENTENCES_COMPARED:
            yield f"{path}:{line}: compares a sentence: {text}"


def compared_sentences(modules: House) -> Iterator[tuple[str, int, str]]:
    for path, module in modules.items():
        yield from ((path, line, text) for line, text in _compared_in(module))


@cache
def _compared_in(module: Module) -> tuple[tuple[int, str], ...]:
    found = []
    for node in module.nodes:
        if isinstance(node, ast.Compare):
            sides = [_is_sentence(side) for side in (node.left, node.comparators[0])]
            # Two details that are the same are grouped; one that has this or that text is a decision.
            codes = any(isinstance(side, ast.Attribute) and side.attr.isupper() for side in node.comparators)
            compared = isinstance(node.ops[0], ast.Eq | ast.NotEq) and any(sides) and not (all(sides) or codes)
            is_one = compared or (isinstance(node.ops[0], ast.In | ast.NotIn) and sides[1])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_one = node.func.attr in {"startswith", "endswith"} and _is_sentence(node.func.value)
        else:
            continue
        if is_one:
            found.append((node.lineno, ast.unparse(node)))
    return tuple(found)


def _is_sentence(node: ast.AST) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in SENTENCES


RULES: tuple[Callable[[House], Iterator[str]], ...] = (
    every_room_has_a_layer,
    imports_lead_down,
    imports_are_absolute,
    no_import_cycle,
    third_party_has_a_room,
    late_imports_are_listed,
    plug_ins_keep_apart,
    no_plug_in_knows_its_registry,
    nothing_below_the_line_has_effects,
    only_the_process_exits,
    sql_lives_in_the_store,
    class_names_occur_once,
    module_names_mean_one_thing,
    files_are_short,
    functions_are_short,
    modules_open_with_a_sentence,
    constant_patterns_are_lazy,
    no_decision_hangs_on_a_sentence,
)


@cache
def package() -> House:
    root = Path(__file__).parents[1]
    paths = sorted((root / PACKAGE).rglob("*.py"))
    return house({path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths})


@ONE_PROCESS
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_package_keeps(rule: Callable[[House], Iterator[str]]) -> None:
    modules = package()
    assert len(modules) > 20, "the package was not found"
    problems = list(rule(modules))
    assert not problems, "\n" + "\n".join(problems)


def exceptions(modules: House) -> Iterator[tuple[str, bool]]:
    """(an exception that a table grants, whether the code still needs it)."""
    paths = {module.name: module for module in modules.values()}
    names = [module.name.rpartition(".")[2] for module in modules.values()]
    uses = {(module.room, found.target.partition(".")[0]) for module in modules.values() for found in module.imports}
    late = [(module, found.target) for module in modules.values() for found in module.imports if found.late]
    yield from (
        (f"THIRD_PARTY {room}: {name}", (room, name) in uses) for room in THIRD_PARTY for name in THIRD_PARTY[room]
    )
    for where, what in LATE:
        needed = [who for who, target in late if who.name.startswith(where) and (target + ".").startswith(f"{what}.")]
        yield f"LATE {where}: {what}", bool(needed)
    for room, shared in SHARED.items():
        for name in shared:
            yield f"{room}: {name}", f"{PACKAGE}.{room}.{name}" in paths
            users = {
                who.name
                for who in modules.values()
                for found in who.imports
                if found.target == f"{PACKAGE}.{room}.{name}"
            }
            yield f"SHARED {room}: {name}", len(users) > 1
    yield from ((f"PACKAGED {path}", path in modules) for path in PACKAGED)
    compared = {text for *_, text in compared_sentences(modules)}
    yield from ((f"SENTENCES_COMPARED {text}", text in compared) for text in SENTENCES_COMPARED)
    yield from ((f"LONG_TABLES {path}", len(modules[path].text.splitlines()) > MAX_FILE) for path in LONG_TABLES)
    yield from ((f"MEANINGS {name}", names.count(name) > 1) for name in MEANINGS)
    yield from ((f"LAYERS {name}", any(module.room == name for module in modules.values())) for name in LAYERS)


@ONE_PROCESS
def test_no_exception_is_stale() -> None:
    assert [what for what, needed in exceptions(package()) if not needed] == []


def test_a_stale_exception_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for table, key, value in ((SHARED, "checks", {"nothing"}), (LAYERS, "attic", 3), (MEANINGS, "attic", "old things")):
        with monkeypatch.context() as patch:
            patch.setitem(table, key, value)  # type: ignore[arg-type]
            stale = [what for what, needed in exceptions(package()) if not needed]
            assert any("attic" in what or "nothing" in what for what in stale), table
    monkeypatch.setattr(sys.modules[__name__], "LATE", {*LATE, (f"{PACKAGE}.run", "json")})
    assert f"LATE {PACKAGE}.run: json" in [what for what, needed in exceptions(package()) if not needed]


def plant(path: str, code: str) -> dict[str, str]:
    return {f"{PACKAGE}/{path}": f'"""A sentence."""\n{code}\n'}


def function(lines: int) -> str:
    return "def f():\n" + "    x = 1\n" * (lines - 1)


# rule, what is planted, what the rule says
PLANTS: tuple[tuple[Callable[[House], Iterator[str]], dict[str, str], str], ...] = (
    (every_room_has_a_layer, plant("misc.py", ""), "no layer for misc"),
    (
        imports_lead_down,
        plant("web/a.py", "from sitemap_action.sitemap.read import read"),
        "upward import: web → sitemap",
    ),
    (imports_lead_down, plant("web/a.py", "import sitemap_action.config.schema"), "upward import: web → config"),
    (
        imports_lead_down,
        plant("decide/verdict.py", "from sitemap_action.checks import base"),
        "sideways import: decide → checks",
    ),
    (imports_lead_down, plant("model/a.py", "from sitemap_action.errors import UsageError"), "sideways"),
    (
        imports_lead_down,
        plant("run.py", "def f():\n    from sitemap_action.cli import main"),
        "upward import: run → cli",
    ),
    (imports_lead_down, plant("web/a.py", "if TYPE_CHECKING:\n    from sitemap_action.run import run"), "upward"),
    (imports_lead_down, plant("web/a.py", "from sitemap_action import run"), "upward import: web → run"),
    (imports_are_absolute, plant("web/a.py", "from . import b"), "relative import"),
    (imports_are_absolute, plant("web/a.py", "from .b import c"), "relative import"),
    (
        no_import_cycle,
        plant("web/a.py", "from sitemap_action.web import b") | plant("web/b.py", "from sitemap_action.web.a import x"),
        "sitemap_action.web.a → sitemap_action.web.b → sitemap_action.web.a",
    ),
    (
        no_import_cycle,  # three long, closed by a late import
        plant("web/a.py", "from sitemap_action.web import b")
        | plant("web/b.py", "from sitemap_action.web import c")
        | plant("web/c.py", "def f():\n    import sitemap_action.web.a"),
        "import cycle",
    ),
    (third_party_has_a_room, plant("model/a.py", "import lxml.etree"), "model may not import lxml"),
    (third_party_has_a_room, plant("sitemap/a.py", "from yaml import load"), "sitemap may not import yaml"),
    (late_imports_are_listed, plant("sitemap/a.py", "def f():\n    import lxml"), "inside a function: lxml"),
    (
        late_imports_are_listed,
        plant("web/a.py", "class A:\n    def f(self):\n        import re"),
        "inside a function: re",
    ),
    (plug_ins_keep_apart, plant("checks/a.py", "import sitemap_action.checks.b"), "only checks/all.py"),
    (
        plug_ins_keep_apart,
        plant("publish/a.py", "from sitemap_action.publish import b") | plant("publish/b.py", ""),
        "only publish/apply.py",
    ),
    (
        plug_ins_keep_apart,
        plant("run.py", "from sitemap_action.hosts.netlify import Netlify"),
        "only hosts/all.py",
    ),
    (
        plug_ins_keep_apart,
        plant("reports/base.py", "from sitemap_action.reports.json import write"),
        "only reports/all.py",
    ),
    (
        no_plug_in_knows_its_registry,
        plant("checks/a.py", "from sitemap_action.checks.all import RULES"),
        "registry",
    ),
    (nothing_below_the_line_has_effects, plant("web/a.py", "text = open('x').read()"), "open"),
    (nothing_below_the_line_has_effects, plant("decide/a.py", "def f(say=print): say(1)"), "print"),
    (nothing_below_the_line_has_effects, plant("plan.py", "name = input()"), "input"),
    (nothing_below_the_line_has_effects, plant("plan.py", "import os"), ": os"),
    (nothing_below_the_line_has_effects, plant("plan.py", "from os.path import exists"), "os.path.exists"),
    (nothing_below_the_line_has_effects, plant("plan.py", "from posixpath import exists"), ": posixpath"),
    (nothing_below_the_line_has_effects, plant("hosts/a.py", "from pathlib import Path"), ": pathlib"),
    (nothing_below_the_line_has_effects, plant("hosts/a.py", "import pathlib"), "pathlib"),
    (nothing_below_the_line_has_effects, plant("hosts/a.py", "def f(path): return path.read_text()"), ".read_text()"),
    (nothing_below_the_line_has_effects, plant("hosts/a.py", "def f(path): return path.exists()"), ".exists()"),
    (nothing_below_the_line_has_effects, plant("hosts/a.py", "import subprocess"), ": subprocess"),
    (nothing_below_the_line_has_effects, plant("web/a.py", "import socket"), ": socket"),
    (nothing_below_the_line_has_effects, plant("web/a.py", "from urllib import request"), ": urllib"),
    (nothing_below_the_line_has_effects, plant("web/a.py", "import urllib.request"), ": urllib.request"),
    (nothing_below_the_line_has_effects, plant("web/a.py", "import http.client"), ": http.client"),
    (nothing_below_the_line_has_effects, plant("web/a.py", "import logging"), ": logging"),
    (nothing_below_the_line_has_effects, plant("web/a.py", "import random"), ": random"),
    (nothing_below_the_line_has_effects, plant("web/a.py", "from time import time"), ": time"),
    (nothing_below_the_line_has_effects, plant("web/a.py", "def f():\n    import sqlite3"), ": sqlite3"),
    (
        nothing_below_the_line_has_effects,
        plant("decide/verdict.py", "from datetime import datetime as clock\nx = clock.now"),
        "datetime.datetime.now",
    ),
    (
        nothing_below_the_line_has_effects,
        plant("decide/verdict.py", "import datetime\nx = datetime.date.today()"),
        "today",
    ),
    (nothing_below_the_line_has_effects, plant("decide/verdict.py", "def f(clock): return clock.now()"), ".now()"),
    (nothing_below_the_line_has_effects, plant("config/a.py", "from importlib import resources"), ": importlib"),
    (nothing_below_the_line_has_effects, plant("sitemap/schema.py", "import importlib"), ": importlib"),
    (
        nothing_below_the_line_has_effects,
        plant("sitemap/a.py", "from lxml import etree\nx = etree.parse('f')"),
        "etree.parse",
    ),
    (nothing_below_the_line_has_effects, plant("checks/a.py", "async def f(): pass"), "waiting"),
    (nothing_below_the_line_has_effects, plant("reports/a.py", "async def f(x): await x"), "waiting"),
    (only_the_process_exits, plant("run.py", "import sys\nsys.exit(1)"), "sys.exit"),
    (only_the_process_exits, plant("console/a.py", "from sys import exit as leave\nleave()"), "sys.exit"),
    (only_the_process_exits, plant("fetch/a.py", "raise SystemExit(1)"), "SystemExit"),
    (sql_lives_in_the_store, plant("walk/a.py", "import sqlite3"), "SQL outside store"),
    (
        class_names_occur_once,
        plant("web/a.py", "class Batch: pass") | plant("html/b.py", "class Batch: pass"),
        "class Batch is also in sitemap_action/web/a.py",
    ),
    (module_names_mean_one_thing, plant("web/a.py", "") | plant("html/a.py", ""), "a is also sitemap_action/web/a.py"),
    (constant_patterns_are_lazy, plant("web/a.py", "import re\n_A = re.compile('a')"), "write lazy_re"),
    (
        constant_patterns_are_lazy,
        plant("web/a.py", "import re\nclass A:\n    a = {1: re.compile('a')}"),
        "write lazy_re",
    ),
    (
        no_decision_hangs_on_a_sentence,
        plant("reports/x.py", "def f(row): return 'blocks' in row.detail"),
        "compares a sentence: 'blocks' in row.detail",
    ),
    (
        no_decision_hangs_on_a_sentence,
        plant("reports/x.py", "def f(cause): return cause.sentence.startswith('robots.txt ')"),
        "compares a sentence",
    ),
    (no_decision_hangs_on_a_sentence, plant("decide/x.py", "def f(a, why): return a == why"), "compares a sentence"),
    (files_are_short, plant("web/a.py", "x = 1\n" * MAX_FILE), "asks for a room of its own"),
    (functions_are_short, plant("web/a.py", function(MAX_FUNCTION + 1)), "f() has 41 lines"),
    (functions_are_short, plant("web/a.py", "async " + function(MAX_FUNCTION + 1)), "f() has 41 lines"),
    (modules_open_with_a_sentence, {f"{PACKAGE}/web/a.py": "x = 1\n"}, "does not open with a sentence"),
    (modules_open_with_a_sentence, {f"{PACKAGE}/web/__init__.py": ""}, "does not open with a sentence"),
    (modules_open_with_a_sentence, {f"{PACKAGE}/web/a.py": '"""URLs"""\n'}, "does not open with a sentence"),
)


@pytest.mark.parametrize(("rule", "tree", "says"), PLANTS)
def test_a_plant_is_found(rule: Callable[[House], Iterator[str]], tree: dict[str, str], says: str) -> None:
    problems = list(rule(house(tree)))
    assert len(problems) >= 1
    assert any(says in problem for problem in problems), problems


def test_every_rule_has_a_plant() -> None:
    assert {rule.__name__ for rule in RULES} == {rule.__name__ for rule, _, _ in PLANTS}


# Neighbours of the plants that every rule lets pass.
ALLOWED = (
    plant("web/a.py", "import re\nfrom urllib.parse import urlsplit\nfrom sitemap_action.model.page import Facts"),
    plant("web/a.py", "import urllib.parse\nimport ada_url"),
    plant("__main__.py", "import sys\nfrom sitemap_action.cli import main\nsys.exit(main())"),
    plant("cli.py", "import click\ndef f():\n    from sitemap_action.reports.json import write"),
    plant("walk/document_pool.py", "def f():\n    import concurrent.futures"),
    plant("sitemap/schema.py", "from importlib import resources\nx = resources.files('x').joinpath('y').read_bytes()"),
    plant("checks/all.py", "import sitemap_action.checks.a")
    | plant("checks/a.py", "import sitemap_action.checks.base"),
    plant("reports/html/page.py", "import sitemap_action.reports.html.row"),  # a plug-in may be a folder
    plant("reports/a.py", "class Section:\n    open: bool = True\n    print = 1"),  # names of fields, not uses
    plant(
        "run.py", "from sitemap_action.checks.all import check\nfrom sitemap_action.look.committed_sitemap import find"
    ),
    plant("store/inventory.py", "import sqlite3, time, os"),
    plant("fetch/a.py", "async def f(x): await x"),
    plant(
        "config/a.py", "from pathlib import PurePosixPath\nfrom io import BytesIO\nfrom datetime import datetime, UTC"
    ),
    plant("decide/verdict.py", "from sitemap_action import __version__"),
    plant("web/a.py", "import re\ndef f(x): return re.compile(x)"),
    plant("web/a.py", function(MAX_FUNCTION)),
    plant("web/a.py", "x = 1\n" * (MAX_FILE - 2)),
)


@pytest.mark.parametrize("tree", ALLOWED)
def test_a_neighbour_passes(tree: dict[str, str]) -> None:
    assert [problem for rule in RULES for problem in rule(house(tree))] == []
