"""The one table of options: key, values that it takes, help. A new option is a row here, and a field in `schema.py`."""

import json
from collections.abc import Mapping
from operator import attrgetter
from typing import get_args

from sitemap_action.config import values
from sitemap_action.config.schema import (
    BaselineDebt,
    Config,
    ExpectedRemoval,
    HtmlExtension,
    Lastmod,
    Noindex,
    OnLimit,
    Orphans,
    RatePer,
    RenderWhen,
    RobotsUnreachable,
    RuleSetting,
    ScopeOption,
    SectionPolicy,
    TrailingSlash,
    WaitUntil,
    Www,
)
from sitemap_action.config.types import (
    Json,
    Option,
    choice,
    list_of,
    map_of,
    name_choice,
    optional,
    plain_or_mapping,
    record_of,
    section_schema,
)
from sitemap_action.config.values import MAX_COUNT, whole_number
from sitemap_action.hosts.all import HOSTS
from sitemap_action.model.finding import Severity
from sitemap_action.model.site import Reason
from sitemap_action.sitemap.protocol import FREQUENCIES, Format

_SEVERITY = choice(Severity)
_PATTERNS = list_of(values.pattern)

_SECTIONS = {
    "source": "Where the pages come from.",
    "crawl": "How pages are crawled.",
    "crawl.wait": "What to wait for before the crawl.",
    "sitemaps": "The sitemaps that a site declares itself.",
    "http": "How requests are made.",
    "render": "How pages that scripts build are seen.",
    "render.detect": "When a document is a shell that scripts fill.",
    "select": "Which pages belong in the sitemap.",
    "output": "How the sitemap is written.",
    "output.news": "The publication of the news that output.extensions lists.",
    "policy": "What fails a check, and what stops a write.",
    "versions": "Versions of a documentation on one site.",
    "checks": "Severities of rules.",
}

_SECTION_POLICY = record_of(
    SectionPolicy, Option("max-removed", values.limit, "How many pages of this part may be lost.")
)
_EXPECTED_REMOVAL = record_of(
    ExpectedRemoval,
    Option("url", values.pattern, "Page or pages that are removed."),
    Option("class", choice(Reason), "Class of the removal; any when omitted.", "any", field="class_"),
    Option("reason", values.one_line, "Why, for the readers of the report."),
    Option("until", values.iso_date, "Last day on which this is expected."),
)
_RULE_SETTING = record_of(
    RuleSetting,
    Option("severity", _SEVERITY, "Severity of the findings there."),
    Option("paths", _PATTERNS, "Pages, or sitemap files by their path; everywhere when omitted."),
    Option("reason", optional(values.one_line), "Why, for the readers of the report."),
    Option("until", values.iso_date, "Last day on which this holds.", "no end"),
)

# fmt: off
TABLE = (
    # key, values, help, description of the default where no value can
    Option("version", values.version, "Version of the format of this file."),
    Option("site-url", optional(values.site_url), "Where the pages live: every listed URL is below it.",
           "of the directories that the sitemap's URLs share the one that fits the build"),
    Option("sitemap", optional(values.sitemap_file), "Sitemap or index that is judged: a file, or the URL of one.",
           "the committed one nearest to the build, else the one in the build"),
    Option("sitemap-url", optional(values.url), "Address of the sitemap on the site.",
           "site-url and the name of the file"),
    Option("baseline", values.baseline, "Sitemap to compare with: auto, committed, a path, a URL, or git:REF[:PATH]."),
    Option("source.path", optional(values.folder), "Folder of the built site.", "none"),
    Option("source.url", optional(values.deployment_url),
           "Address of the deployed site; auto, on GitHub, is where the deployment of this commit is served. "
           "With path: the deploy witness.", "none"),
    Option("source.environment", optional(values.environment), "Environment of that deployment, where url is auto.",
           "any"),
    Option("source.mount", optional(values.server_path),
           "Path on the deployed site that serves what production serves below site-url.",
           "the directory of source.url"),
    Option("source.host", name_choice(("auto", *HOSTS)), "Static host whose rules turn files into URLs."),
    Option("crawl.scope", choice(ScopeOption),
           "How far links are followed: below the start page, or on the whole origin."),
    Option("crawl.max-pages", whole_number(1, MAX_COUNT, 5_000),
           "Pages to fetch; those that a sitemap in the repository lists do not count."),
    Option("crawl.max-depth", whole_number(0, 10_000, 100), "Clicks from the start page."),
    Option("crawl.on-limit", choice(OnLimit),
           "Whether a reached limit makes the run incomplete, or is accepted as its scope."),
    Option("crawl.concurrency", whole_number(1, 256, 8), "Requests under way at one time.",
           field="http.concurrency"),
    Option("crawl.processes", values.processes,
           "Has no effect any more, and may be left out: one process fetches the pages of a crawl and reads them.",
           "auto", retired=True),
    Option("crawl.requests-per-second", values.rate, "Requests a second, adapted down when the server is slow.",
           "auto: no limit on loopback, 50 on a preview, 10 on the host of site-url",
           field="http.requests_per_second"),
    Option("crawl.rate-per", choice(RatePer),
           "Whether all shards of a run share requests-per-second, or each runner may use it whole.",
           field="http.rate_per"),
    Option("crawl.timeout", values.positive_seconds, "Seconds that one request may take.", "20",
           field="http.timeout"),
    Option("crawl.deadline", values.positive_seconds, "Seconds that the whole crawl may take.", "900"),
    Option("crawl.max-body", values.size, "Bytes of one document, unpacked.", "15MiB"),
    Option("crawl.robots-unreachable", choice(RobotsUnreachable),
           "A robots.txt that cannot be read stops the crawl, or allows everything."),
    Option("crawl.retry-after-max", values.seconds, "Longest Retry-After that is waited for, in seconds.", "60",
           field="http.retry_after_max"),
    Option("crawl.follow-nofollow", values.boolean, "Follow links that have nofollow."),
    Option("crawl.skip", list_of(values.skip_class, commas=True),
           "Kinds of files that are not requested at all: classes, extensions (.dwg) and media types."),
    Option("crawl.seeds", list_of(values.server_path), "Further paths to start from."),
    Option("crawl.www", choice(Www), "Whether www. and the bare domain are one site."),
    Option("crawl.wait.for", optional(values.marker), "Text that the deployed site serves once it is ready.", "none",
           field="crawl.wait_for"),
    Option("crawl.wait.path", values.server_path, "Page that serves it.", field="crawl.wait_path"),
    Option("crawl.wait.timeout", values.wait_seconds, "Seconds to wait for it.",
           "auto: 600 where crawl.wait.for is set", field="crawl.wait_timeout"),
    Option("crawl.robots", values.robots,
           "robots.txt that is obeyed, and decides what may be listed: the site's own (auto), or a file (file:PATH). "
           "ignore also fetches what the site's own forbids; the verdict still reads it."),
    Option("crawl.allow-undetermined", values.limit,
           "How many URLs of baseline and committed sitemap may stay without an answer: 1 to 50, or 0 for none."),
    Option("sitemaps.use", values.boolean, "Start from the sitemaps that robots.txt and the usual paths name."),
    Option("sitemaps.paths", list_of(values.server_path),
           "The usual paths, tried beside the sitemaps that robots.txt names."),
    Option("sitemaps.max-documents", whole_number(1, 100_000, 500), "Sitemaps to try, each attempt counted."),
    Option("sitemaps.max-depth", whole_number(0, 20, 5), "Indexes inside indexes; 0 is the first document alone."),
    Option("sitemaps.max-bytes", values.size, "Bytes of one sitemap on the wire.", "50MiB"),
    Option("sitemaps.max-inflated", values.size, "Bytes of one sitemap, unpacked.", "200MiB"),
    Option("sitemaps.search-console-submitted", values.boolean,
           "The sitemap was submitted in Search Console, so it may list what SM-29 forbids."),
    Option("http.retries", whole_number(0, 10, 2), "Retries after 408, 429, 500, 502, 503, 504 or no answer."),
    Option("http.backoff", values.seconds, "Seconds before the first retry, doubled each time.", "0.5"),
    Option("http.user-agent", optional(values.header_text), "User-Agent header.", "sitemap-action and its version"),
    Option("http.accept-language", optional(values.header_text), "Accept-Language header.", "none"),
    Option("http.engine", name_choice(("auto", "libcurl", "httpx")),
           "Has no effect any more, and may be left out: libcurl sends every request.", "auto", retired=True),
    Option("render.when", choice(RenderWhen),
           "Pages that a browser renders: shells, where a browser is installed (auto), none, or all."),
    Option("render.wait-until", choice(WaitUntil),
           "When a page is there: at its load event, once the document is parsed (domcontentloaded), or after half a "
           "second without a request of its own and without a change (networkidle)."),
    Option("render.wait-for", list_of(values.selector),
           "Selectors, of which one has to match before the page is read."),
    Option("render.wait-for-timeout", values.seconds, "Seconds to wait for them; then the page is read as it is.",
           "10"),
    Option("render.timeout", values.positive_seconds, "Seconds that one page may take in the browser.", "60"),
    Option("render.detect.content-length", whole_number(0, MAX_COUNT, 200),
           "Fewer characters of HTML are a hint at a shell."),
    Option("render.detect.child-nodes", whole_number(0, MAX_COUNT, 5), "Children of body that a shell has fewer of."),
    Option("render.detect.script-count", whole_number(0, MAX_COUNT, 10),
           "Scripts that a shell without a root has more of."),
    Option("render.detect.content-per-script", whole_number(0, MAX_COUNT, 1000),
           "Characters of HTML for each script that a shell has fewer of."),
    Option("render.detect.roots", list_of(values.selector), "Elements that an application fills."),
    Option("render.detect.loading", list_of(values.one_line), "Words of a notice that is all that a shell shows."),
    Option("render.detect.words", whole_number(1, MAX_COUNT, 50),
           "With so many words, or with a link, the root was filled on the server."),
    Option("select.include", _PATTERNS, "Only pages that match one of these patterns."),
    Option("select.exclude", _PATTERNS, "No page that matches one of these patterns."),
    Option("select.types", list_of(values.media_type, at_least=1, commas=True),
           "File types to list: html, pdf, another extension or a media type."),
    Option("select.query", values.query, "URLs with a query: keep them, drop the query, or allow some parameters."),
    Option("select.drop-params", list_of(values.parameter, commas=True),
           "Parameters to take out of every URL, such as utm_*."),
    Option("select.trailing-slash", choice(TrailingSlash),
           "Final slash of a page's URL: the spelling that answers 200 without redirect (verify), as in the committed "
           "sitemap (keep), or always with (add) or without it (remove)."),
    Option("select.html-extension", choice(HtmlExtension),
           "/x.html or /x for a page x.html: as the host serves it, the first (keep) or the second (drop)."),
    Option("select.agents", list_of(values.agent, at_least=1, commas=True),
           "Crawlers whose view counts: a page that one of them may not index is not listed."),
    Option("select.noindex", choice(Noindex),
           "noindex of a preview host: not counted where it is on every page (auto), respected, or ignored."),
    Option("select.orphans", choice(Orphans), "Pages of the baseline that no page links to any more."),
    Option("output.format", list_of(name_choice(get_args(Format)), at_least=1, commas=True), "Formats to write."),
    Option("output.gzip", values.boolean, "Write a compressed copy (.gz) of each file as well."),
    Option("output.urls-per-file", whole_number(1, 50_000, 50_000),
           "URLs in one file before an index with several is written."),
    Option("output.lastmod", list_of(choice(Lastmod), at_least=1, commas=True),
           "Dates: keep those of the committed sitemap, omit them, or take them from git, from the page, from HTTP, "
           "from fingerprint or from what fits (auto); of several the first that has one. Without a reliable date "
           "there is none."),
    Option("output.lastmod-map", values.lastmod_map,
           "Which source file makes which page, for lastmod: git: content/**.md: /blog/**. Other sources by the layout "
           "of the generator."),
    Option("output.fingerprints", optional(values.side_file),
           "File that is written with the sitemap, to be committed: fingerprint and lastmod of each page, for lastmod: "
           "fingerprint, DIFF-31 and DIFF-32.", "none"),
    Option("output.redirects", values.redirects,
           "Writing modes add the redirects of lost pages that are certain to the file of the host or generator "
           "(auto), or to this one."),
    Option("output.date-only", values.boolean, "Write dates without a time of day."),
    Option("output.extensions", values.extensions,
           "Extensions: keep those of the committed entries, or make the listed ones from what each page states.",
           "keep"),
    Option("output.news.name", optional(values.one_line),
           "Name of the publication, as on news.google.com; needed where output.extensions lists news.", "none",
           field="output.news_name"),
    Option("output.news.language", optional(values.language),
           "Language of the publication; needed where output.extensions lists news.", "none",
           field="output.news_language"),
    Option("output.changefreq", map_of(values.pattern, values.empty_or(name_choice(FREQUENCIES))),
           "changefreq by pattern, the first that matches; empty leaves it out. Other entries keep theirs."),
    Option("output.priority", values.priority,
           "priority by clicks from the start page (depth: 1.0, 0.9 … 0.1), by home (1.0, others 0.5), or by pattern: "
           "a number, depth or home, the first that matches; empty leaves it out. Other entries keep theirs."),
    Option("output.keep", _PATTERNS, "Entries of the committed sitemap that are never removed or rewritten."),
    Option("policy.fail-on", values.fail_on,
           "Rows of the comparison that fail the check; classes of removal by name; none.",
           "[stale, lost, invalid]; [invalid] when writing"),
    Option("policy.max-removed", values.limit, "How many pages may be lost; a number and a percentage both apply."),
    Option("policy.max-added", values.limit, "How many pages may be new."),
    Option("policy.min-urls", whole_number(0, MAX_COUNT, 1), "How many pages the sitemap lists at least."),
    Option("policy.min-share", values.share,
           "First run: listed pages among those that answer 200 with a wanted type and no noindex; 0 = off.", "50%"),
    Option("policy.required", _PATTERNS, "Patterns of which each must match a listed page."),
    Option("policy.sections", map_of(values.pattern, _SECTION_POLICY), "Limits for parts of the site, by pattern."),
    Option("policy.expected-removals", list_of(_EXPECTED_REMOVAL),
           "Announced removals, which do not count as lost, each with its last day."),
    Option("policy.redirect-required", values.boolean,
           "A removed page redirects to a listed one, or answers 410; when writing, a breach is a warning."),
    Option("policy.baseline-debt", choice(BaselineDebt),
           "Findings on the sitemap that the baseline already had: report or ignore them."),
    Option("policy.grace", map_of(values.grace_key, whole_number(1, 366, 14)),
           "Days for which a class of removal, or a rule, is a warning after it was first seen; needs a state."),
    Option("policy.accepted", values.list_file,
           "The list of accepted rows, where there is one: what `sitemap-action accept` writes fails nothing."),
    Option("policy.ledger", optional(values.list_file),
           "The ledger, such as .github/urls.txt: a check fails on each address that is dead, and not declared gone.",
           "none"),
    Option("policy.moved-from", list_of(values.site_url),
           "Old addresses of a site that moves; their redirects are requested, and what does not redirect is lost."),
    Option("versions.current", optional(values.version_folder),
           "Folder of the current version, below site-url, where there are others.", "site-url itself",
           field="select.current_version"),
    Option("versions.old", list_of(values.version_folders),
           "Folders of old versions, of which no page is listed; * stands for a part of one segment: /v*/.",
           field="select.old_versions"),
    Option("versions.drafts", list_of(values.version_folders), "Folders of drafts, of which no page is listed: /dev/.",
           field="select.draft_versions"),
    Option("checks.strict", values.boolean, "Warnings count as errors.", field="strict"),
    Option("checks.RULE", plain_or_mapping(_SEVERITY, _RULE_SETTING),
           "Severity of a rule, or of a family of rules; everywhere, or at some paths until a day.", "the rule's own",
           field="severities", names=values.rule_id),
)
# fmt: on
OPTIONS = {option.key: option for option in TABLE}
DEFAULTS = Config()


def option_rows() -> tuple[tuple[str, str, str, str], ...]:
    """Every key that a config file may have, what it takes, its default and help, in the order of the table."""
    return tuple(
        (option.key, option.value.takes, option.default_text or flow_text(_default(option)), option.help)
        for option in TABLE
    )


def json_schema() -> dict[str, Json]:
    """The schema of the config file. Only the syntax of rule ids is checked, so a new rule does not change it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of sitemap-action",
        **section_schema(OPTIONS, "", _default, _SECTIONS),
        "type": ["object", "null"],
    }


def json_text() -> str:
    """The file that ships with the package."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _default(option: Option) -> object:
    return None if option.retired else attrgetter(option.path)(DEFAULTS)


def flow_text(value: object) -> str:
    """A value as YAML in flow style."""
    match value:
        case bool() | None:
            return "" if value is None else str(value).lower()
        case frozenset():
            return f"[{', '.join(sorted(value))}]" if value else "none"
        case tuple():
            return f"[{', '.join(map(flow_text, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{key}: {flow_text(value[key])}' for key in sorted(value))}}}"
        case SectionPolicy() | ExpectedRemoval() | RuleSetting():
            values = ((name, flow_text(getattr(value, name))) for name in value.__struct_fields__)
            pairs = (f"{name.rstrip('_').replace('_', '-')}: {text}" for name, text in values if text)
            return f"{{{', '.join(pairs)}}}"
        case _:
            return str(value)
