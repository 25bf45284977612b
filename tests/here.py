"""The command line in this process: a start of Python costs more than most runs do."""

from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess

from sitemap_action.__main__ import run


def run_in(folder: Path, *arguments: str) -> CompletedProcess[str]:
    with TextIOWrapper(BytesIO(), "utf-8") as out, TextIOWrapper(BytesIO(), "utf-8") as err:
        with chdir(folder), redirect_stdout(out), redirect_stderr(err):
            code = run([*arguments])
        for stream in (out, err):
            stream.seek(0)
        return CompletedProcess(arguments, code, out.read(), err.read())
