"""Sixty thousand strings against a model of the runner: no text of a site becomes a command or an output."""

import io
import json
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from examples import few
from hostile import everything
from runner_model import Command, commands, outputs
from sitemap_action.cli.effects import RunnerFiles
from sitemap_action.console.streams import Console, PrintableStream, ProgressLog
from sitemap_action.errors import UsageError
from sitemap_action.model.observer import Event
from sitemap_action.reports.all import FORMATS, render
from sitemap_action.reports.markdown import summary
from sitemap_action.runner.job_log import MAX_MESSAGE, command, escape_commands, printable_message
from sitemap_action.web.printable import printable

MANY, RENDERED = few(60_000), few(300)
NAMES = ("error", "set-output", "add-mask", "stop-commands", "SET-ENV", "endgroup")
PIECES = (
    *("::", ":", "##[", "##", "#", "[", "]", "]x", "%0A", "%0D", "%25", "%", "%3A", "\\", "\\[", "=", "<<", "EOF", ";", ","),
    *("\n", "\r", "\r\n", "\t", " ", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2028", "\u2029", "\u3000", "\0", "\x1b[0m"),
    *("\u200b", "\u200d", "\u2060", "\ufeff", "\xad", "\u034f", "\ufe0f", "\u3164", "\U000e0101", "\u202e", "\ud800", "\udfff"),
    *("\uff1a\uff1a", "\uff03\uff03\uff3b", "é", "日本", "🙂", "a", "changed", "true", "result", "|", "`", "<b>", "@x", "https://x/"),
    *(f"::{name}::" for name in NAMES),
    *(f"::{name} name=x::" for name in NAMES),
    *(f"##[{name}]" for name in NAMES),
    *(f"##[{name} name=x]y" for name in NAMES),
)  # fmt: skip


def strings(count: int, seed: int = 6) -> Iterator[str]:
    """Mostly of pieces with a meaning to a runner, some of any characters."""
    chance = random.Random(seed)
    for _ in range(count):
        length = chance.randrange(1, 9)
        pieces = [chance.choice(PIECES) if chance.random() < 0.9 else chr(chance.randrange(0x110000)) for _ in range(length)]  # fmt: skip
        yield "".join(pieces)


def test_the_model_finds_the_commands_that_a_runner_finds() -> None:
    heard = (
        "::error::a\n  ::warning file=x,line=3::b%0Ac\rtext ##[set-output name=x]y\n#\ufe0f#[add-mask]z\n::nothing::"
    )
    assert commands(heard) == [
        Command("error", {}, "a"),
        Command("warning", {"file": "x", "line": "3"}, "b\nc"),
        Command("set-output", {}, "y"),
        Command("add-mask", {}, "z"),
    ]
    assert sum(bool(commands(text)) for text in strings(2_000)) > 500, "the strings are not hostile enough"


@pytest.mark.attack("injection", tried=MANY)
def test_no_line_of_a_log_is_a_command() -> None:
    for text in strings(MANY):
        line = printable(text)
        assert "\n" not in line
        assert not commands(line), ascii(text)
        assert not commands(f"  + {line}  [{line}:3]"), ascii(text)


@pytest.mark.attack("injection", tried=MANY)
def test_a_command_has_its_text_and_nothing_else() -> None:
    for text in strings(MANY):
        line = command("error", printable_message(text), title=printable(text), file=printable(text), line="3")
        (heard,) = commands(line)
        assert heard.name == "error"
        assert heard.data == printable_message(text)
        assert set(heard.properties) <= {"title", "file", "line"}
        assert heard.properties["line"] == "3"
        assert heard.properties.get("title", "").strip() == printable(text).strip()


@pytest.mark.attack("injection", tried=MANY)
def test_a_secret_is_masked_unchanged() -> None:
    for text in strings(MANY):
        (heard,) = commands(command("add-mask", text)) or [Command("add-mask", {}, text)]
        assert (heard.name, heard.data) == ("add-mask", text.encode(errors="replace").decode())


@pytest.mark.attack("injection", tried=MANY)
def test_no_data_report_has_a_command() -> None:
    """JSON stays the same JSON."""
    for text in strings(MANY):
        for ascii_only in (True, False):
            plain = json.dumps({text: [text]}, indent=1, ensure_ascii=ascii_only)
            shown = escape_commands(plain)
            assert not commands(shown), ascii(text)
            assert json.loads(shown) == json.loads(plain)
        assert not commands(escape_commands(text)), ascii(text)


@pytest.mark.attack("injection", tried=MANY)
def test_no_line_of_standard_error_is_a_command() -> None:
    """In whatever pieces it is written."""
    chance = random.Random(7)
    for text in strings(MANY):
        stream = io.StringIO()
        printable_stream = PrintableStream(stream)
        cut = chance.randrange(len(text) + 1)
        printable_stream.write(text[:cut])
        printable_stream.write(text[cut:])
        printable_stream.finish()
        assert not commands(stream.getvalue()), ascii(text)


@pytest.mark.attack("injection", tried=MANY)
def test_no_value_forges_an_output(tmp_path: Path) -> None:
    file = tmp_path / "output"
    environment = {"GITHUB_OUTPUT": str(file)}
    several = list(strings(MANY))
    for begin in range(0, MANY, 1_000):
        file.unlink(missing_ok=True)
        given = {f"name-{number}": text for number, text in enumerate(several[begin : begin + 1_000])}
        with closing(RunnerFiles(environment)) as runner:
            runner.write_outputs(given)
        read = outputs(file.read_bytes().decode())
        assert read == {name: text.encode(errors="replace").decode() for name, text in given.items()}


@pytest.mark.attack("injection")
def test_no_log_line_is_a_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    console = Console({"GITHUB_ACTIONS": "true"})
    for text in strings(3_000):
        console.log(text)
        console.log_error(UsageError(text, hint=text))
        with console.group(text):
            pass
    printed = capsys.readouterr()
    assert printed.err == ""
    assert [one.name for one in commands(printed.out)] == ["error", "group", "endgroup"] * 3_000


@pytest.mark.attack("injection")
def test_no_event_is_a_command() -> None:
    stream = io.StringIO()
    progress_log = ProgressLog(None, stream)
    for text in strings(3_000):
        progress_log.event(Event("page", text))
    assert not commands(stream.getvalue())


@pytest.mark.attack("injection", tried=RENDERED)
@pytest.mark.parametrize("form", FORMATS)
def test_no_report_has_a_command_from_its_data(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    console = Console({"GITHUB_ACTIONS": "true"})
    for text in strings(RENDERED):
        console.write_report(render(form, everything(text)), commands=form == "annotations")
        heard = commands(capsys.readouterr().out)
        assert {one.name for one in heard} <= ({"error", "warning", "notice"} if form == "annotations" else set())
        for one in heard:
            assert set(one.properties) <= {"title", "file", "line"}
            assert len(one.data) <= MAX_MESSAGE + 1


def test_the_summary_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    environment = {"GITHUB_STEP_SUMMARY": str(file)}
    text = summary(everything("é" * 1_000))
    with closing(RunnerFiles(environment)) as runner:
        for _ in range(3):
            runner.write_summary(text)
        runner.write_summary("x" * (1024 * 1024 + 1))
    assert file.read_text(encoding="utf-8") == text * 3
