"""Redirects that are added to hundreds of random files, judged by the vendors' own parsers and servers.

Each file is parsed without an error, each redirect that was added is served with its target, and each rule that was
there is served as before, or leads where the redirect that it led to leads now.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from host_judges import node
from hosts.judges.test_netlify import SITE
from redirect_tables import COUNT, Edited, Rules, add_to, random_table
from sitemap_action.hosts.redirect_edits import RedirectFormat, RedirectPlace
from sitemap_action.hosts.routes import location as normal

PERMANENT = {301, 308}


def edited(form: RedirectFormat, host: str, write: Callable[[random.Random, Rules], str]) -> list[Edited]:
    place = RedirectPlace(form, str(form), "a test", host=host)
    found = [add_to(place, random_table(f"{form} {host}", number, write)) for number in range(COUNT)]
    assert sum(len(one.edits.added) for one in found) > COUNT, "too few paths can be written"
    assert sum(len(one.edits.compacted) for one in found) > COUNT // 10
    return found


def paths(one: Edited) -> list[str]:
    return [*(path for path, _ in one.table.rules), *(new.source for new in one.edits.added)]


def wrong(one: Edited, answers: Mapping[str, Any]) -> Iterator[str]:
    """What the host answers otherwise than it should; `answers`: status and target by path."""
    short = {row.source: target for row, target in one.edits.compacted}
    wanted = {path: short.get(path, target) for path, target in one.table.rules}
    wanted |= {new.source: new.target for new in one.edits.added}
    for path, target in wanted.items():
        status, location, *_ = answers[path]
        location = (
            location.removesuffix("&") if "?" in target else location
        )  # superstatic adds the query of the request
        if status not in PERMANENT or normal(location) != normal(target):
            yield f"{path}: {status} {location}, not {target}, of\n{one.text}"


def all_wrong(found: list[Edited], answers: list[Mapping[str, Any]]) -> list[str]:
    return [line for one, answer in zip(found, answers, strict=True) for line in wrong(one, answer)]


def lines(chance: random.Random, rules: Rules) -> str:
    rows: list[str] = []
    for path, target in rules:
        row = f"{path}{chance.choice([' ', '   ', chr(9)])}{target} 301{chance.choice(['', ' # why'])}"
        rows += [row] if chance.random() < 0.7 else ["", "# rule", row]
    end = chance.choice([[], ["/w/* /z/:splat 302"], ["# the rest", "/w/:id /z 301", "/w/* /z/:splat 301"]])
    return "\n".join([*rows, *end]) + chance.choice(["", "\n"])


def test_lines_of_netlify(tmp_path: Path) -> None:
    assert judge_netlify(tmp_path, edited(RedirectFormat.REDIRECTS, "netlify", lines), "_redirects") == []


def tables(chance: random.Random, rules: Rules) -> str:
    indent = chance.choice(["", "  ", "\t"])
    blocks = ["[build]\npublish = 'dist'\n"]
    for path, target in [*rules, *chance.choice([[], [("/w/*", "/z/:splat")]])]:
        quote = chance.choice("\"'")
        rows = [f"from = {quote}{path}{quote}", f"to = {quote}{target}{quote}", "status = 301"]
        chance.shuffle(rows)
        more = chance.choice(["", "", f"{indent}[redirects.headers]\n{indent}X-From = 'Netlify'\n"])
        blocks.append("[[redirects]] # rule\n" + "".join(f"{indent}{row}\n" for row in rows) + more)
    headers = '# headers\n[[headers]]\nfor = "/*"\n[headers.values]\nX-A = """\n[x]\n"""\n'
    return "\n".join([*blocks, *chance.choice([[], [headers]])])


def test_tables_of_netlify(tmp_path: Path) -> None:
    assert judge_netlify(tmp_path, edited(RedirectFormat.NETLIFY, "netlify", tables), "netlify.toml") == []


def judge_netlify(folder: Path, found: list[Edited], name: str) -> list[str]:
    questions = []
    for number, one in enumerate(found):
        (folder / str(number)).mkdir()
        (folder / str(number) / name).write_text(one.text, newline="")
        questions.append({"folder": str(folder / str(number)), "host": SITE, "paths": paths(one)})
    answers = node("netlify.mjs", questions)["answers"]
    assert [one["errors"] for one in answers if one["errors"]] == []
    matches = [one["matches"] for one in answers]
    served = [{path: (row["status"], row["to"]) if row else (404, "") for path, row in one.items()} for one in matches]
    return all_wrong(found, served)


@pytest.mark.parametrize("host", ["cloudflare-pages", "cloudflare-workers"])
def test_lines_of_cloudflare(host: str) -> None:
    found = edited(RedirectFormat.REDIRECTS, host, lines)
    same = {"pages": host == "cloudflare-pages", "headers": "", "files": ["index.html", "404.html"]}
    questions = [{**same, "redirects": one.text, "paths": paths(one)} for one in found]
    assert all_wrong(found, node("cloudflare.cjs", questions)["answers"]) == []


def json_file(chance: random.Random, keys: tuple[str, ...], rows: list[dict[str, object]]) -> str:
    indent = chance.choice([None, 2, 4, "\t"])
    inner: dict[str, object] = {keys[-1]: rows}
    if not rows and chance.random() < 0.5:
        inner = {}
    if len(keys) > 1:
        inner = {keys[0]: {"public": ".", **inner}}
    text = json.dumps(inner, indent=indent)
    text = text.replace("{\n" + " " * 6, "{ ") if chance.random() < 0.3 else text
    return text + chance.choice(["", "\n"])


def vercel(chance: random.Random, rules: Rules) -> str:
    rows: list[dict[str, object]] = [{"source": path, "destination": to, "permanent": True} for path, to in rules]
    rows += chance.choice([[], [{"source": "/w/:path*", "destination": "/z/:path*", "statusCode": 302}]])
    return json_file(chance, ("redirects",), rows)


def test_vercel() -> None:
    found = edited(RedirectFormat.VERCEL, "vercel", vercel)
    questions = [{"config": json.loads(one.text), "paths": paths(one)} for one in found]
    answers = node("vercel.cjs", questions)["answers"]
    assert [(one["error"], row.text) for one, row in zip(answers, found, strict=True) if one["error"]] == []
    served = [
        {path: answer["redirects"].get(path, (404, "")) for path in paths(one)}
        for one, answer in zip(found, answers, strict=True)
    ]
    assert all_wrong(found, served) == []


def firebase(chance: random.Random, rules: Rules) -> str:
    rows: list[dict[str, object]] = [{"source": path, "destination": to, "type": 301} for path, to in rules]
    rows += chance.choice([[], [{"source": "/w/:rest*", "destination": "/z/:rest", "type": 302}]])
    text = json_file(chance, ("hosting", "redirects"), rows)
    return text.replace("{\n", "{ // ours\n", 1) if chance.random() < 0.3 else text


def test_firebase(tmp_path: Path) -> None:
    found = edited(RedirectFormat.FIREBASE, "firebase", firebase)
    (tmp_path / "404.html").write_text("nothing")
    settings = [json.loads(one.text.replace("{ // ours", "{"))["hosting"] for one in found]
    questions = [
        {"settings": site, "folder": str(tmp_path), "paths": paths(one)}
        for one, site in zip(found, settings, strict=True)
    ]
    assert all_wrong(found, node("firebase.cjs", questions)["answers"]) == []


def azure(chance: random.Random, rules: Rules) -> str:
    rows: list[dict[str, object]] = [{"route": path, "redirect": to, "statusCode": 301} for path, to in rules]
    last: list[dict[str, object]] = [{"route": "/w/*", "redirect": "/z", "statusCode": 302}]
    rows += chance.choice([[], last, [{"route": "/*", "headers": {"X": "y"}}]])
    return json_file(chance, ("routes",), rows)


def test_azure(tmp_path: Path) -> None:
    found = edited(RedirectFormat.AZURE, "azure-swa", azure)
    questions = [{"config": json.loads(one.text), "folder": str(tmp_path), "paths": paths(one)} for one in found]
    assert all_wrong(found, node("azure.mjs", questions)["answers"]) == []
