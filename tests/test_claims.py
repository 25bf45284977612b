"""U-37: each statement of README and docs is held: by a value of the code, by a test, or by the page that it links.

`tests/claims/PAGE.yml` has a line for each: some words of it that no other statement of the page has, and what holds it:
the name of a test, or several; `guide`, where it asserts nothing of the program (what to do, where to read on); or the
address of the page of GitHub, a host or a standard that says so. `python tests/test_claims.py` prints what nothing holds.
"""

import re
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from documents import DOCUMENTS, ROOT, prose, text
from sitemap_action.cli.options import RULES
from sitemap_action.config.options import option_rows
from test_docs import SHOWN

PAGES = ["README.md", *(name for name in DOCUMENTS if name.startswith("docs/"))]
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
MIB = 1024 * 1024
DAY = 86_400
# page, the sentence with {} for each number, and where the program has it: module:name, or module:name/unit
NUMBERS = [
    ("README.md", "{} generators", "setup.generators:GENERATORS"),
    ("docs/built-sitemap.md", "by the build's own `robots.txt`, else as `{}`, `{}` or `{}`", "look.judged_sitemap:NAMES"),
    ("docs/commands.md", "up to {} known URLs that may have been meant", "web.spellings:_MOST"),
    ("docs/configuration.md", "at most {} addresses that the crawl has not seen", "walk.agent_files:_REQUESTS"),
    ("docs/deployed-site.md", "{} a second on a preview and {} on production", "walk.start:_PREVIEW_RATE", "fetch.base:PRODUCTION_RATE"),
    ("docs/deployed-site.md", "`Crawl-delay` (at most {} seconds)", "fetch.policies:MAX_DELAY"),
    ("docs/deployed-site.md", "at most `wait-timeout` seconds ({})", "walk.start:TIMEOUT"),
    ("docs/deployed-site.md", "above {} of them a sample", "look.witness:_SAMPLE"),
    ("docs/deployed-site.md", "{} addresses that do not exist, and one with letters of the other case", "look.witness:_MADE_UP"),
    ("docs/hosts.md", "through {} redirects at most", "decide.redirects:MAX_HOPS"),
    ("docs/hosts.md", "Cloudflare takes {} rules without a placeholder and {} with one", "hosts.cloudflare:_MAX_STATIC", "hosts.cloudflare:_MAX_DYNAMIC"),
    ("docs/how-it-works.md", "Where nine tenths of them, and {} at least, are for another base", "decide.stated_base:MIN_STATED"),
    ("docs/how-it-works.md", "one of {} or more pages with a permanent redirect to the start page", "decide.compare:_MANY"),
    ("docs/hosts.md", "A folder of {} pages or more that moved whole", "decide.changes:_MIN_MOVED"),
    ("docs/ledger.md", "the hundred newest declarations (LED-04)", "model.finding:_ASKED/100"),
    ("docs/ledger.md", "Above {} addresses", "config.lists:MANY"),
    ("docs/library.md", "at {} MiB on the wire and at {} MiB unpacked", f"fetch.base:MAX_SITEMAP/{MIB}", f"sitemap.protocol:MAX_INFLATED/{MIB}"),
    ("docs/policies.md", "at least {} % of the old source", "decide.changes:_LEAST/0.01"),
    ("docs/publishing.md", "tried again as long as the server asks for, a minute at most", "repo.github_api:_LONGEST_PAUSE/60"),
    ("docs/reports.md", "at most {} rows of each kind", "reports.text:_MOST"),
    ("docs/reports.md", "in at most {} KB", "reports.markdown:_BUDGET/1000"),
    ("docs/reports.md", "one for each cause, at most {} of a level", "reports.annotations:_SHOWN"),
    ("docs/reports.md", "past {} rows or {} MB", "reports.item_lists:MOST", "reports.item_lists:MOST_BYTES/1000000"),
    ("docs/reports.md", "Above {} addresses the table", "decide.page_table:MOST"),
    ("docs/reports.md", "Above {} URLs the last row", "decide.page_table:MOST_OF_ALL"),
    ("docs/rendering.md", "for the first {} pages, the reports show both", "decide.page_table:_MOST_RENDERED"),
    ("docs/rendering.md", "and words of the first KiB", "html.fingerprint:COUNTED/1024"),
    ("docs/rendering.md", "or {} % of the pages, are shells", "walk.reader:_SHELL_SHARE"),
    ("docs/rendering.md", "at most {} requests and {} MiB for a page", "browser.requests:MAX_REQUESTS", f"browser.requests:MAX_BYTES/{MIB}"),
    ("docs/rendering.md", "nothing in its document changed for {} seconds of its time", "browser.page:_STILL"),
    ("docs/rendering.md", "A browser that ends is started again {} times", "browser.pool:_STARTS"),
    ("docs/rendering.md", "more a second, {} side by side", "browser.pool:PAGES"),
    ("docs/rules.md", "before {} or more findings become one with a count", "checks.base:GROUP_SIZE"),
    ("docs/state.md", "the last {} days with a whole run", "run:_DAYS"),
    ("docs/writing.md", "up to {} KiB each and {} MiB in one file", "sitemap.write:_LONGEST/1024", f"sitemap.write:_MOST/{MIB}"),
    ("docs/writing.md", "at most {} of a page: `<img>`", "sitemap.extension_faults:MAX_IMAGES"),
    ("docs/writing.md", "within {} days before the run, the newest {}", f"decide.extensions:_NEWS_AGE/{DAY}", "sitemap.protocol:MAX_NEWS"),
    ("docs/writing.md", "Up to {} URLs (`output.urls-per-file`) and {} MiB", "sitemap.protocol:MAX_URLS", f"sitemap.protocol:MAX_BYTES/{MIB}"),
    ("docs/writing.md", "nearly every page the same day ({} %)", "decide.entries:_STAMPED/0.01"),
]  # fmt: skip
OF_OTHERS = {
    "--spec",
    "--help",
    "--network",
    "--read-only",
    "--cap-drop",
    "--user",
    "--require-hashes",
    "--only-binary",
}


@cache
def flat(page: str) -> str:
    """The text of a page on one line."""
    return " ".join(text(page).split())


def value(place: str) -> list[str]:
    """What the program has at a place of NUMBERS, as the pages may write it."""
    place, _, unit = place.partition("/")
    module, _, name = place.partition(":")
    found = vars(import_module(f"sitemap_action.{module}"))[name]
    if isinstance(found, tuple):
        return [*map(str, found)]
    number = len(found) if hasattr(found, "keys") else getattr(found, "total_seconds", lambda: found)()
    return [f"{round(number / float(unit or 1)):,}"]


@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: row[1])
def test_a_number_of_a_page_is_that_of_the_code(row: tuple[str, ...]) -> None:
    page, sentence, *places = row
    numbers = [one for place in places for one in value(place)]
    if not sentence.count("{}"):
        assert numbers == ["1"]
    in_words = [WORDS[int(one)] if one.isdigit() and int(one) < len(WORDS) else one for one in numbers]
    assert sentence.format(*numbers) in flat(page) or sentence.format(*in_words).lower() in flat(page).lower(), (
        f"{page} says another number than {', '.join(places)}: {numbers}"
    )


@cache
def names_of_tests() -> set[str]:
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        found |= {*re.findall(r"(?m)^ *def (\w+)", path.read_text())}
    return found


def statements(page: str) -> list[str]:
    """Each sentence of a page, and each row of its tables, on one line; without code blocks, headings and generated parts."""
    kept = re.sub(r"(?s)<!-- ([\w -]+) -->\n.*?\n<!-- /\1 -->|<!--.*?-->", "", prose(page))
    found: list[str] = []
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*] |\d+\. |\|))", kept):
        line = " ".join(part.split())
        if line.startswith("|"):
            found += [line] * (not re.match(r"\|[\s:|-]+$", line))
        elif line and not re.match(r"#|\[!\[|!\[", line):
            found += re.split(
                r"(?:(?<=[.!?])|(?<=[.!?]\*\*)) (?=[\[A-Z0-9`*“\"(])", re.sub(r"^(?:[-*]|\d+\.) ", "", line)
            )
    return found


@cache
def held(page: str) -> dict[str, list[str]]:
    """Words of a statement, and what holds it."""
    file = ROOT / "tests/claims" / f"{Path(page).stem.lower()}.yml"
    rows = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {words: [given] if isinstance(given, str) else given for words, given in rows.items()}


def unheld(page: str) -> list[str]:
    numbers = [re.escape(sentence).replace(r"\{\}", ".+?") for where, sentence, *_ in NUMBERS if where == page]
    return [
        one
        for one in statements(page)
        if not any(words in one for words in held(page))
        and not any(re.search(number, one, re.IGNORECASE) for number in numbers)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_statement_is_held(page: str) -> None:
    assert unheld(page) == [], (
        f"add a row to tests/claims/{Path(page).stem.lower()}.yml; test_claims.py says of what form"
    )


@pytest.mark.parametrize("page", PAGES)
def test_what_holds_a_statement_is_there(page: str) -> None:
    """A row is of one statement; a test has that name; an address is linked by the page."""
    every = statements(page)
    assert {words: count for words in held(page) if (count := sum(words in one for one in every)) != 1} == {}
    names = {name for given in held(page).values() for name in given} - {"guide"}
    addresses = {name for name in names if name.startswith("https://")}
    assert names - addresses <= names_of_tests()
    assert {one for one in addresses if f"]({one})" not in text(page)} == set()


def test_what_the_pages_name_is_there() -> None:
    """Keys of the config, options, rules, files of the repository: in code spans of README and docs."""
    keys = {key for key, *_ in option_rows()}
    sections = {key.partition(".")[0] for key in keys if "." in key}
    options = {name for one in SHOWN.values() for given in one.params for name in (*given.opts, *given.secondary_opts)}
    unknown = []
    for page in PAGES:
        for span in re.findall(r"`([^`\n]+)`", text(page)):
            key = re.match(r"([a-z]+)\.[a-z][a-z.-]*", span)
            if key and key[1] in sections and Path(key[0]).suffix[1:] not in ("md", "html", "json", "xml"):
                unknown += [(page, span)] * (not any(one.startswith(key[0]) for one in keys))
            unknown += [
                (page, one) for one in re.findall(r"(?<![\w-])--[a-z][\w-]+", span) if one not in options | OF_OTHERS
            ]
            if re.match(r"(?:tests|examples|sitemap_action|benchmarks|\.ci)/[\w./-]+$", span):
                unknown += [(page, span)] * (not (ROOT / span).exists())
        unknown += [(page, one) for one in re.findall(r"\b[A-Z]{2,4}-\d\d\b", text(page)) if one not in RULES]
    assert [one for one in unknown if one[1] != "output.html.cname"] == [], "of mdBook is output.html.cname"


def test_inputs_and_outputs_that_the_pages_name_are_those_of_the_action() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    named = {one for page in PAGES for one in re.findall(r"steps\.ID\.outputs\.([\w-]+)", text(page))}
    assert {"report-html", "report-sarif"} <= named <= {*action["outputs"]}
    inputs = {one for page in PAGES for one in re.findall(r"(?:[Tt]he )?inputs? `([a-z-]+)`", text(page))}
    assert len(inputs) > 5
    assert inputs <= {*action["inputs"]}


def test_dependencies_are_looked_after_with_a_week_s_delay() -> None:
    assert "with a week's delay" in flat("docs/security.md")
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text(encoding="utf-8"))["updates"]
    assert {one["package-ecosystem"]: one["cooldown"]["default-days"] for one in updates} == {
        "pip": 7,
        "docker": 7,
        "github-actions": 7,
    }


if __name__ == "__main__":
    for name in PAGES:
        sys.stdout.writelines(f"{name}: {one}\n" for one in unheld(name))
