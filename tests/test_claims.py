"""U-37: what README and docs claim, as quoted here, is held by a value of the code or by a test; names in them exist."""

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from documents import DOCUMENTS, ROOT, text
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
    ("docs/deployed-site.md", "{} a second on a preview and {} on production", "walk.start:_PREVIEW_RATE", "fetch.options:PRODUCTION_RATE"),
    ("docs/deployed-site.md", "`Crawl-delay` (at most {} seconds)", "fetch.policies:MAX_DELAY"),
    ("docs/deployed-site.md", "at most `wait-timeout` seconds ({})", "look.deployment:TIMEOUT"),
    ("docs/deployed-site.md", "above {} of them a sample", "look.witness:_SAMPLE"),
    ("docs/deployed-site.md", "{} addresses that do not exist, and one with letters of the other case", "look.witness:_MADE_UP"),
    ("docs/hosts.md", "through {} redirects at most", "decide.redirects:MAX_HOPS"),
    ("docs/hosts.md", "Cloudflare takes {} rules without a placeholder and {} with one", "hosts.cloudflare:_MAX_STATIC", "hosts.cloudflare:_MAX_DYNAMIC"),
    ("docs/how-it-works.md", "Where nine tenths of them, and {} at least, are for another base", "decide.stated_base:MIN_STATED"),
    ("docs/how-it-works.md", "one of {} or more pages with a permanent redirect to the start page", "decide.compare:_MANY"),
    ("docs/hosts.md", "A folder of {} pages or more that moved whole", "decide.changes:_MIN_MOVED"),
    ("docs/ledger.md", "the hundred newest declarations (LED-04)", "model.finding:_ASKED/100"),
    ("docs/ledger.md", "Above {} addresses", "config.ledger:MANY"),
    ("docs/policies.md", "at least {} % of the old source", "decide.changes:_LEAST/0.01"),
    ("docs/publishing.md", "tried again as long as the server asks for, a minute at most", "repo.github_api:_LONGEST_PAUSE/60"),
    ("docs/reports.md", "at most {} rows of each kind", "reports.text:_MOST"),
    ("docs/reports.md", "in at most {} KB", "reports.markdown:_BUDGET/1000"),
    ("docs/reports.md", "one for each cause, at most {} of a level", "reports.annotations:_SHOWN"),
    ("docs/reports.md", "past {} rows or {} MB", "reports.item_lists:MOST", "reports.item_lists:MOST_BYTES/1000000"),
    ("docs/reports.md", "Above {} addresses the table", "decide.page_table:MOST"),
    ("docs/reports.md", "Above {} URLs the last row", "decide.page_table:MOST_OF_ALL"),
    ("docs/rendering.md", "or {} % of the pages, are shells", "walk.reader:_SHELL_SHARE"),
    ("docs/rendering.md", "at most {} requests and {} MiB for a page", "browser.requests:MAX_REQUESTS", f"browser.requests:MAX_BYTES/{MIB}"),
    ("docs/rendering.md", "nothing in its document changed for {} seconds of its time", "browser.page:_STILL"),
    ("docs/rendering.md", "A browser that ends is started again {} times", "browser.pool:_STARTS"),
    ("docs/rendering.md", "more a second, {} side by side", "browser.pool:PAGES"),
    ("docs/rules.md", "before {} or more findings become one with a count", "checks.base:GROUP_SIZE"),
    ("docs/state.md", "the last {} days with a whole run", "run:_DAYS"),
    ("docs/writing.md", "up to {} KiB each and {} MiB in one file", "sitemap.committed_files:_LONGEST/1024", f"sitemap.committed_files:_MOST/{MIB}"),
    ("docs/writing.md", "at most {} of a page: `<img>`", "sitemap.extension_faults:MAX_IMAGES"),
    ("docs/writing.md", "within {} days before the run, the newest {}", f"decide.extensions:_NEWS_AGE/{DAY}", "sitemap.protocol:MAX_NEWS"),
    ("docs/writing.md", "Up to {} URLs (`output.urls-per-file`) and {} MiB", "sitemap.protocol:MAX_URLS", f"sitemap.protocol:MAX_BYTES/{MIB}"),
    ("docs/writing.md", "nearly every page the same day ({} %)", "decide.entries:_STAMPED/0.01"),
]  # fmt: skip
# page, the sentence, and the test that holds it
TESTED = [
    ("README.md", "An empty build, a firewall, an unreadable folder: no verdict, and nothing is written.", "test_an_empty_build_concludes_nothing", "test_an_unreadable_folder_is_not_an_empty_one"),
    ("README.md", "what reads a site has neither root nor token", "test_S_02_the_reader_has_neither_token_nor_file_of_the_runner"),
    ("README.md", "Same input, same bytes.", "test_the_same_outcome_gives_the_same_bytes", "test_SM_70_equal_entries_give_equal_bytes"),
    ("README.md", "It replaces no file.", "test_nothing_is_replaced"),
    ("docs/quick-start.md", "runs none of them, and connects to nothing", "test_other_people_s_tools_find_nothing"),
    ("docs/quick-start.md", "`--dry-run` prints them.", "test_a_dry_run_prints_the_files_and_writes_nothing"),
    ("docs/built-sitemap.md", "git does not track, is *built*, not committed, whatever its folder is called", "test_B_02_git_decides_and_never_the_name_of_a_folder"),
    ("docs/built-sitemap.md", "The site cannot be read, or serves no whole sitemap: `inconclusive`, exit code 3.", "test_B_01_production_that_cannot_be_read_is_inconclusive"),
    ("docs/built-sitemap.md", "The site answers 404 or 410: a first deployment.", "test_B_01_the_first_deployment_is_said"),
    ("docs/built-sitemap.md", "`write` repairs a built sitemap in its place", "test_B_01_write_repairs_what_the_generator_wrote_in_its_place"),
    ("docs/commands.md", "70 is a bug in the program; 130 and 143, a signal.", "test_a_bug_is_told_from_a_verdict", "test_W_08_a_signal_and_a_bug_too"),
    ("docs/commands.md", "The exit code of `explain` is 0 whatever the answer is, and 2 where there is none.", "test_a_site_that_is_down_is_an_answer_too", "test_what_is_no_url_is_a_sentence"),
    ("docs/commands.md", "`diff` with 1 where the two differ, `robots` with 1 where a URL is not allowed", "test_diff", "test_robots_names_the_line_that_decided"),
    ("docs/deployed-site.md", "A page limit selects the same pages, whatever the latencies.", "test_NET_16_five_runs_with_other_latencies_at_a_page_limit_are_equal"),
    ("docs/deployed-site.md", "A production site with `Disallow: /` fails every check.", "test_V_02_production_that_blocks_everything_never_passes"),
    ("docs/deployed-site.md", "never appear in logs, reports or state", "test_S_08_on_the_command_line", "test_S_08_in_the_action"),
    ("docs/deployed-site.md", "Nothing is said of what edges rightly change", "test_what_an_edge_rightly_changes_is_silent"),
    ("docs/deployed-site.md", "Of a site below a path (`https://www.example.com/docs/`) only entries below it are judged.", "test_I_05_of_a_host_s_sitemap_only_the_part_of_the_site_is_judged"),
    ("docs/how-it-works.md", "`policy.max-removed` counts, beside lost pages, every old URL that was not seen to redirect", "test_I_01_what_was_not_requested_is_not_proven"),
    ("docs/how-it-works.md", "none is left half-written", "test_S_02_S_10_a_race_with_the_owner_of_the_folder"),
    ("docs/ledger.md", "the hundred newest declarations (LED-04)", "test_LED_04_what_is_declared_gone_is_requested_of_a_served_site"),
    ("docs/ledger.md", "git may merge it by itself", "test_branches_that_each_add_lines_merge_to_their_union"),
    ("docs/library.md", "A consumer that is killed at any moment gets on the next run what it had not acknowledged, and nothing else again.", "test_killed_at_twenty_random_points_nothing_is_lost_or_read_twice"),
    ("docs/publishing.md", "where `pr-branch` is somebody else's, or their request comes from it, the run ends with exit 4", "test_W_01_a_branch_of_somebody_else_ends_the_run", "test_W_01_a_request_of_somebody_else_ends_the_run"),
    ("docs/publishing.md", "the sitemap is committed on top of it", "test_a_commit_to_other_files_meanwhile"),
    ("docs/publishing.md", "Where the token may not write, the run goes on with a warning.", "test_a_comment_that_may_not_be_written_is_a_warning"),
    ("docs/publishing.md", "a run that no pull request is behind keeps one issue", "test_a_scheduled_run_keeps_one_issue", "test_a_pull_request_opens_no_issue"),
    ("docs/publishing.md", "A run that ends anywhere in between is repaired by the next one", "test_kills"),
    ("docs/reports.md", "no formula", "test_no_cell_is_computed_whichever_separator_the_reader_takes"),
    ("docs/reports.md", "All of it works from the keyboard and with a screen reader", "test_a_row_opens_by_keyboard_to_all_that_is_known", "test_axe_finds_no_barrier"),
    ("docs/rendering.md", "A served `noindex` holds, whatever a script does later; one that a script adds holds too.", "test_HTML_72_a_served_noindex_holds_whatever_a_script_does", "test_HTML_72_a_noindex_that_a_script_adds_counts"),
    ("docs/rendering.md", "a slow API decides nothing", "test_G_01_the_speed_of_an_interface_decides_nothing"),
    ("docs/rendering.md", "**A page that is not finished is undetermined**", "test_G_01_a_page_without_its_data_is_undetermined"),
    ("docs/rendering.md", "**It has no port and no rights.**", "test_a_browser_has_no_rights_and_no_port"),
    ("docs/rendering.md", "A page is rendered in every run, with a [state](state.md) too", "test_with_a_state_every_page_is_rendered_again"),
    ("docs/security.md", "connect to nothing", "test_nothing_is_connected_to"),
    ("docs/security.md", "A URL that contains a user or password is refused.", "test_S_08_credentials_in_a_url"),
    ("docs/security.md", "`config-from: base` ignores them all", "test_S_05_config_from_base", "test_S_05_config_from_base_never_falls_back"),
    ("docs/state.md", "a tracked or linked state is not used, nor one on a fork's pull request", "test_S_06_a_state_that_is_not_used", "test_S_06_the_state_of_a_fork"),
    ("docs/state.md", "A page that it confirms (304) is not sent and not parsed.", "test_a_later_run_sends_conditional_requests"),
    ("docs/state.md", "The merged report is that of one run.", "test_stories_of_a_build", "test_stories_that_are_served"),
    ("docs/workflows.md", "Outputs are set on every exit", "test_W_08_every_exit_has_outputs_and_summary"),
    ("docs/writing.md", "A shallow clone would give one date to every file, so dates are refused there, with a note", "test_a_shallow_clone_is_refused_and_keeps_what_is_committed"),
    ("docs/writing.md", "what is valid is carried over", "test_R_09_what_is_valid_stays_and_what_is_not_goes"),
    ("docs/hosts.md", "Each spelling of a file, as `/x`, `/x/` and `/x.html`, is its page, and never `gone`.", "test_I_03_another_spelling_of_a_file_is_that_page_and_never_gone"),
    ("docs/hosts.md", "Where the site does not agree, the result is `inconclusive`", "test_I_03_where_the_site_disagrees_no_page_is_lost_and_nothing_is_written"),
    ("docs/hosts.md", "an error where a page of the baseline needs it", "test_RT_04_a_url_without_an_answer_needs_a_rule_that_is_never_served"),
    ("docs/hosts.md", "where it catches nothing that did not move", "test_a_folder_is_one_rule_where_all_that_it_catches_agrees"),
    ("docs/state.md", "**Refused**, with exit code 3 and a sentence", "test_a_shard_that_does_not_belong_is_refused", "test_every_shard_has_to_be_there"),
    ("docs/state.md", "is resumed by the next run of the same commit, options and address, within a day", "test_a_killed_run_is_resumed_within_a_day"),
    ("docs/policies.md", "It never hides what a change does itself", "test_no_page_that_the_baseline_lists_is_accepted_away"),
    ("docs/policies.md", "from then on the check fails on new faults only", "test_accepted_faults_hide_no_new_one"),
    ("docs/reports.md", "where a guard stops the write, the redirects alone", "test_where_a_guard_stops_the_write_the_patch_has_the_redirects_and_says_so"),
    ("docs/publishing.md", "has GitHub make the commit: it is signed", "test_a_commit_is_real_and_signed"),
    ("docs/publishing.md", "the request is closed with a comment, and its branch deleted", "test_a_pull_request_is_opened_updated_and_closed"),
    ("docs/workflows.md", "its first line says why", "test_without_an_engine_the_log_says_which_wall_is_missing"),
    ("docs/built-sitemap.md", "A first `write` goes into the folder that the generator copies", "test_B_06_a_first_sitemap_goes_where_the_generator_copies_from"),
    ("docs/rules.md", "`check`, `write` and `validate` read `checks`", "test_check_and_validate", "test_write_carries_on_in_an_accepted_corner"),
    ("docs/quick-start.md", "one line marked `FILL IN`", "test_U_25_a_generator_that_is_not_known_gets_one_line_to_fill_in"),
    ("docs/rendering.md", "**The browser has no network.**", "test_a_page_reaches_nothing_but_its_site"),
    ("docs/security.md", "nothing of the checkout is run or imported", "test_S_01_no_setting_of_the_checkout_runs_a_command", "test_S_11_python_m_imports_nothing_from_a_checkout"),
    ("docs/security.md", "no repository of another owner is used", "test_S_01_nothing_above_the_workspace_of_the_runner_counts"),
    ("docs/other-ci.md", "A shallow clone suffices", "test_I_09_a_shallow_clone_whose_parent_is_the_target_needs_no_history"),
    ("docs/how-it-works.md", "A **move** is believed where the build itself states the new address", "test_I_01_an_announced_move_is_believed"),
    ("docs/how-it-works.md", "where the site contradicts `site-url`, it comes first", "test_I_01_a_wrong_site_url"),
    ("docs/commands.md", "With `--state FILE` nothing is requested", "test_a_state_answers_without_a_request"),
    ("docs/configuration.md", "All problems are reported at once, each with its line and the nearest known name.", "test_problems", "test_layers_are_all_reported"),
    ("docs/configuration.md", "the command line overrides both", "test_the_order_of_precedence"),
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
    assert sentence.format(*numbers) in flat(page) or sentence.format(*in_words).lower() in flat(page).lower(), numbers


@cache
def names_of_tests() -> set[str]:
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        found |= {one.name for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("row", TESTED, ids=lambda row: row[1])
def test_a_sentence_of_a_page_has_its_test(row: tuple[str, ...]) -> None:
    page, sentence, *names = row
    assert sentence in flat(page)
    assert names
    assert {*names} <= names_of_tests()


def test_every_page_has_a_claim_here_or_a_test_of_its_own() -> None:
    own = {"docs/troubleshooting.md"}
    assert {row[0] for row in (*NUMBERS, *TESTED)} | own == {*PAGES}


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
