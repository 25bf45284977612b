"""Makes recordings for `replay.py` of what tests start: run once, when the net should hold more.

    PYTHONPATH=tests:tests/net NET_RAW=FOLDER python -m pytest -p record tests/cli/test_read.py …
    python tests/net/record.py FOLDER      keeps what replays to the same bytes, one of each kind, in tests/net/*.json

The first command writes down what a user would have given: arguments, environment, files before each run, what servers
on loopback answered. The second one replays it twice, with another folder for temporary files, and takes what came out as expected.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import replay
from replay import encode, is_repository, split

Json = Any
MOST_FILES, MOST_BYTES, MOST_RUNS = 400, 300_000, 6
SLOWEST, LARGEST, PER_TEST = 1.0, 40_000, 6  # seconds, characters, recordings of one table
SHORT = 60  # characters of a file that is not shared
REPOSITORY = Path(__file__).parents[2]
IGNORED = {"PYTEST_CURRENT_TEST", "PWD", "OLDPWD", "COV_CORE_SOURCE", "SITEMAP_ACTION_TEST_BROWSER", "_"}
NEVER = re.compile(
    r"(^|/)(hooks/[\w-]+\.sample|logs/.*|description|info/exclude|objects/.*|index|COMMIT_EDITMSG|FETCH_HEAD)$"
)


class UnrecordableError(Exception):
    """The test has something that a recording cannot hold."""


class Recorder:
    """What one test has started so far."""

    def __init__(self) -> None:
        self.name = ""
        self.root: Path | None = None
        self.runs: list[Json] = []
        self.last: dict[str, Json] = {}
        self.reason = ""
        self.sites: list[Any] = []
        self.base: dict[str, str] = {}
        self.running = False

    def begin(self, name: str) -> None:
        self.__init__()  # type: ignore[misc]
        self.name = name

    def before(self, arguments: list[str], environment: dict[str, str], folder: Path, stdin: bytes) -> None:
        try:
            if self.reason or len(self.runs) >= MOST_RUNS:
                return
            self._locate(folder)
            found = snapshot(self.root)
            run: Json = {"command": shlex.join(map(str, arguments))}
            if folder != self.root:
                run["folder"] = str(folder.relative_to(self.root))
            changed = {
                name: value
                for name, value in environment.items()
                if self.base.get(name) != value and name not in IGNORED
            }
            run |= {"env": changed} if changed else {}
            run |= {"stdin": encode(stdin)} if stdin else {}
            run |= delta(self.last, found)
            run["sites"] = [site for site in self.sites if site.url]
            for site in run["sites"]:
                site.observed = {}
            self.runs.append(run)
        except UnrecordableError as error:
            self.reason = str(error)

    def after(self) -> None:
        if self.reason or not self.runs:
            return
        try:
            self.last = snapshot(self.root)
            run = self.runs[-1]
            if "sites" in run:
                run["servers"] = [table_of(site) for site in run["sites"]]
                run["urls"] = [site.url for site in run.pop("sites")]
        except UnrecordableError as error:
            self.reason = str(error)

    def _locate(self, folder: Path) -> None:
        if self.root is None or not folder.is_relative_to(self.root):
            if self.runs:
                raise UnrecordableError("another folder")
            if folder.is_relative_to(REPOSITORY) or not folder.is_relative_to(Path(tempfile.gettempdir()).resolve()):
                raise UnrecordableError("a run in the repository")
            self.root = folder

    def finished(self) -> Json:
        """The recording, with marks in the place of names of this machine."""
        if self.reason:
            raise UnrecordableError(self.reason)
        urls: list[str] = []
        for run in self.runs:
            urls += [url for url in run.pop("urls", []) if url not in urls]
        text = json.dumps({"name": self.name, "runs": self.runs}, ensure_ascii=False)
        text = text.replace(json.dumps(str(self.root))[1:-1], "{tmp}")
        for number, url in enumerate(urls, 1):
            text = text.replace(f":{url.rstrip('/').rpartition(':')[2]}", f":{{port{number}}}")
        return json.loads(text)


def snapshot(root: Path | None) -> dict[str, Json]:
    """Every file, link and empty folder; of a repository its objects and its index as text."""
    assert root is not None
    found: dict[str, Json] = {}
    size = 0
    for place, folders, files in os.walk(root):
        here = Path(place)
        if is_repository(str(here)):
            folders[:] = [name for name in folders if name != "objects"]
            found["\0" + str(here.relative_to(root))] = repository(here)
        if not folders and not files and here != root:
            found[str(here.relative_to(root))] = {"folder": True}
        for name in [*files, *(one for one in folders if (here / one).is_symlink())]:
            path = str((here / name).relative_to(root))
            if any(NEVER.search(path) for one in (here, *here.parents) if is_repository(str(one))):
                continue
            found[path] = entry(here / name)
            size += len(json.dumps(found[path]))
        if len(found) > MOST_FILES or size > MOST_BYTES:
            raise UnrecordableError("too much")
    return found


def entry(file: Path) -> Json:
    if file.is_symlink():
        return {"link": os.readlink(file)}
    if not file.is_file():
        raise UnrecordableError("a special file")
    if file.stat().st_size > MOST_BYTES:
        raise UnrecordableError("a large file")
    value, mode = encode(file.read_bytes()), file.stat().st_mode & 0o777
    return value if mode == 0o644 else {"of": value, "mode": f"{mode:o}"}


def repository(folder: Path) -> Json:
    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", f"--git-dir={folder}", *arguments], check=True, capture_output=True).stdout

    objects, rest = [], git("cat-file", "--batch-all-objects", "--batch")
    while rest:
        head, _, rest = rest.partition(b"\n")
        _, kind, size = head.decode().split()
        body, rest = rest[: int(size)], rest[int(size) + 1 :]
        objects.append([kind, split("\n".join(tree_rows(body))) if kind == "tree" else encode(body)])
    index = git("ls-files", "--stage").decode() if (folder / "index").exists() else ""
    return {"objects": objects, "index": split(index)}


def tree_rows(body: bytes) -> Iterator[str]:
    while body:
        head, _, rest = body.partition(b"\0")
        number, body = rest[:20], rest[20:]
        mode, name = head.decode().split(" ", 1)
        yield f"{mode} {number.hex()} {name}"


def delta(last: dict[str, Json], found: dict[str, Json]) -> Json:
    new = {path: value for path, value in found.items() if last.get(path) != value}
    files = {path: value for path, value in new.items() if not path.startswith("\0")}
    deleted = [path for path in last if path not in found and not path.startswith("\0")]
    repositories = {path[1:]: value for path, value in new.items() if path.startswith("\0")}
    known = {path: [json.dumps(one) for one in last.get("\0" + path, {}).get("objects", [])] for path in repositories}
    objects = {
        path: [one for one in value["objects"] if json.dumps(one) not in known[path]]
        for path, value in repositories.items()
    }
    index = {path: value["index"] for path, value in repositories.items() if value["index"]}
    parts = {
        "files": files,
        "deleted": deleted,
        "objects": {path: one for path, one in objects.items() if one},
        "index": index,
    }
    return {name: part for name, part in parts.items() if part}


# Servers


def table_of(site: Any) -> Json:
    """What the server answers for each path: as its routes say, and where they look at a request, as they answered."""
    if site.url.startswith("https"):
        raise UnrecordableError("a server with TLS")
    table = dict(site.observed)
    for path, route in site.routes.items():
        if isinstance(route, str | bytes | int) or type(route).__name__ == "Reply":
            table[f"* {path}"] = [reply_of(route)]
    return table


def reply_of(answer: Any) -> Json:
    import servers

    if not isinstance(answer, str | bytes | int | servers.Reply):
        raise UnrecordableError("a server that breaks off")
    reply = servers._whole(answer)
    if reply.delay > 0.2:
        raise UnrecordableError("a slow server")
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    if len(body) > MOST_BYTES:
        raise UnrecordableError("a large answer")
    pairs = list(reply.headers.items() if hasattr(reply.headers, "items") else reply.headers)
    headers = [f"Content-Type: {reply.type}"] * bool(reply.type) + [f"{name}: {value}" for name, value in pairs]
    found: Json = {"status": reply.status} if reply.status != 200 else {}
    found |= {"headers": headers} if headers != [f"Content-Type: {servers.HTML}"] else {}
    return found | ({"body": encode(body)} if body else {})


def watch_servers() -> None:
    import servers

    made, answered = servers.Site.__init__, servers.Site.answer

    def init(self: Any, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        self.observed = {}
        RECORDER.sites.append(self)

    def answer(self: Any, asked: Any) -> Any:
        found = answered(self, asked)
        path = asked.path if asked.path in self.routes else asked.path.partition("?")[0]
        route = self.routes.get(path, self.routes.get("*", 404))
        if RECORDER.running and (isinstance(route, list) or hasattr(route, "answer")):
            try:
                replies = self.observed.setdefault(f"{asked.method} {asked.path}", [])
                reply = reply_of(found)
                if not replies or replies[-1] != reply or isinstance(route, list):
                    replies.append(reply)
            except UnrecordableError as error:
                RECORDER.reason = str(error)
        return found

    servers.Site.__init__, servers.Site.answer = init, answer  # type: ignore[method-assign]


# The plugin


RECORDER = Recorder()
RAW = os.environ.get("NET_RAW", "")


def wrap_program() -> None:
    import sitemap_action.__main__ as program

    run = program.run

    def recorded(arguments: list[str], **options: Any) -> int:
        if RECORDER.running or not RECORDER.name:
            return run(arguments, **options)
        RECORDER.before(arguments, dict(os.environ), Path.cwd(), b"")
        RECORDER.running = True
        try:
            return run(arguments, **options)
        finally:
            RECORDER.running = False
            RECORDER.after()

    program.run = recorded


def wrap_processes() -> None:
    run = subprocess.run

    def recorded(command: Any, *rest: Any, **options: Any) -> Any:
        arguments = program_arguments(command)
        if arguments is None or RECORDER.running or not RECORDER.name:
            return run(command, *rest, **options)
        given = options.get("input") or b""
        stdin = given.encode() if isinstance(given, str) else given
        RECORDER.before(
            arguments, dict(options.get("env") or os.environ), Path(options.get("cwd") or Path.cwd()), stdin
        )
        RECORDER.running = True
        try:
            return run(command, *rest, **options)
        finally:
            RECORDER.running = False
            RECORDER.after()

    subprocess.run = recorded  # type: ignore[assignment]


def program_arguments(command: Any) -> list[str] | None:
    if not isinstance(command, list | tuple) or not command:
        return None
    words = [str(word) for word in command]
    if Path(words[0]).name == "sitemap-action":
        return words[1:]
    for start in (["-m", "sitemap_action"], ["-P", "-m", "sitemap_action"]):
        if words[0] == sys.executable and words[1 : 1 + len(start)] == start:
            return words[1 + len(start) :]
    return None


def pytest_sessionstart() -> None:
    wrap_program()
    wrap_processes()
    watch_servers()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    base = dict(os.environ)
    RECORDER.begin(item.nodeid.removeprefix("tests/"))
    RECORDER.base = base
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    if (place := getattr(item, "funcargs", {}).get("tmp_path")) is not None:
        RECORDER.root = place.resolve()
    try:
        return (yield)
    finally:
        write_recording()


def write_recording() -> None:
    try:
        if RECORDER.runs:
            found = RECORDER.finished()
            folder = Path(RAW)
            number = sum(1 for _ in folder.iterdir())
            (folder / f"{number:05}-{os.getpid()}.json").write_text(json.dumps(found))
        elif RECORDER.reason:
            raise UnrecordableError(RECORDER.reason)  # noqa: TRY301 - as below
    except UnrecordableError as error:
        with (Path(RAW) / "../net-reasons").open("a") as log:
            log.write(f"{RECORDER.name}: {error}\n")
    RECORDER.name = ""


# What stays


def observe(files: list[Path]) -> None:
    """Prints what each recording does here, and how much time of a core it took."""
    replay.stay_on_this_machine()
    servers = replay.Servers()
    for file in files:
        began = sum(os.times()[:4])
        results = replay.replay(json.loads(file.read_text()), {}, servers)
        print(json.dumps([file.name, results, sum(os.times()[:4]) - began]), flush=True)


def replayed(files: list[Path], folder: str, cores: set[int]) -> dict[str, tuple[Json, float]]:
    command = [sys.executable, __file__, "--observe", *map(str, files)]
    environment = os.environ | {"TMPDIR": folder}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        os.sched_setaffinity(process.pid, cores)
        assert process.stdout is not None
        rows = [json.loads(line) for line in process.stdout]
    return {name: (results, seconds) for name, results, seconds in rows}


def kind(recording: Json) -> str:
    """Equal for recordings that show the same: the options of each run, and the shape of what came out."""
    shapes = []
    for run in recording["runs"]:
        words = [word.partition("=")[0] for word in shlex.split(run["command"])]
        options = [words[0] if words else "", *sorted({word for word in words if word.startswith("-")})]
        lines = {
            re.sub(r"https?://\S+|[\w./*{}-]*[/.][\w./*{}-]*|\"[^\"]*\"|`[^`]*`|'[^']*'|\d+", "…", line).strip()[:60]
            for text in replay.flat(run["expected"]).values()
            for line in text.split("\n")[:300]
        }
        shapes.append([options, run["expected"].get("exit"), sorted(run["expected"].get("files", {})), sorted(lines)])
    return json.dumps(shapes)


def share_texts(recordings: list[Json]) -> Json:
    """A file body longer than a line stands once."""
    texts: Json = {}

    def shared(value: Json) -> Json:
        if isinstance(value, dict) and "of" in value:
            return value | {"of": shared(value["of"])}
        if len(json.dumps(value)) <= SHORT or (isinstance(value, dict) and "base64" not in value):
            return value
        name = hashlib.sha256(json.dumps(value).encode()).hexdigest()[:10]
        texts[name] = value
        return {"text": name}

    for recording in recordings:
        for run in recording["runs"]:
            if "files" in run:
                run["files"] = {path: shared(value) for path, value in run["files"].items()}
            for objects in run.get("objects", {}).values():
                objects[:] = [[what, value if what == "tree" else shared(value)] for what, value in objects]
            for table in run.get("servers", ()):
                for replies in table.values():
                    replies[:] = [one | ({"body": shared(one["body"])} if "body" in one else {}) for one in replies]
    return {"recordings": recordings, "texts": texts}


def keep(folder: Path) -> None:
    """The files of the net, of what replays to the same bytes in two different places."""
    files = sorted(folder.resolve().glob("*.json"))
    first = replayed(files, "/tmp", {0, 1})
    second = replayed(files, "/var/tmp", {0})
    modules: dict[str, list[Json]] = {}
    seen: set[str] = set()
    tables: Counter[str] = Counter()
    for file in files:
        if file.name not in first or file.name not in second:
            print("not replayed", file.name)
            continue
        recording, (results, seconds) = json.loads(file.read_text()), first[file.name]
        if results != second[file.name][0] or seconds > SLOWEST:
            print(
                f"dropped {recording['name']} {seconds:.1f} s",
                *list(map(replay.differences, results, second[file.name][0]))[:3],
                sep="\n",
            )
            continue
        for run, result in zip(recording["runs"], results, strict=True):
            run["expected"] = result
        table = recording["name"].partition("[")[0]
        if (this := kind(recording)) not in seen and tables[table] < PER_TEST and len(json.dumps(recording)) < LARGEST:
            seen.add(this)
            tables[table] += 1
            modules.setdefault(recording["name"].partition(".py")[0].replace("/", "-"), []).append(recording)
    for module, recordings in modules.items():
        replay.save(Path(__file__).parent / f"{module}.json", share_texts(recordings))


if __name__ == "__main__":
    if sys.argv[1] == "--observe":
        observe([Path(name) for name in sys.argv[2:]])
    else:
        keep(Path(sys.argv[1]))
