"""How much a rule matters: its severity as the option `checks` sets it, also in one corner of the site; and why.

The reason is for the page of the rule: one sentence or two, which say to whom it matters.
"""

from collections.abc import Iterable, Mapping
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from sitemap_action.config.schema import RuleSetting
from sitemap_action.model.finding import NOTHING_ACCEPTED, AcceptedList, Finding, Severity
from sitemap_action.model.lazy_re import lazy_re
from sitemap_action.model.wording import plural
from sitemap_action.web.patterns import Patterns, compile_patterns
from sitemap_action.web.urls import BadUrl

_FAMILY = lazy_re(r"[A-Z]+")
_NO_HOST = "https://path.invalid/"  # of a file, so that a pattern over paths can be compared with its path


class Corner(Struct, frozen=True):
    """A part of the site in which a rule has another severity, and what the report says about it."""

    severity: Severity
    accepted: str  # the reason and the last day, as text
    paths: Patterns  # of pages or of sitemap files; none: everywhere

    def holds(self, url: str, path: str) -> bool:
        """`url`: of the page; `path`: of the sitemap file, which is a URL where it was fetched."""
        file = path if path.startswith(("http://", "https://")) else _NO_HOST + path.removeprefix("./").lstrip("/")
        return not self.paths.patterns or self._matches(url) or (bool(path) and self._matches(file))

    def _matches(self, url: str) -> bool:
        try:
            return bool(url) and self.paths.match(url) is not None
        except BadUrl:
            return False


class Corners:
    """The corners that the config accepts, by rule or family; `expired`: the settings whose last day has passed."""

    def __init__(
        self,
        settings: Mapping[str, Severity | RuleSetting],
        today: date,
        accepted: AcceptedList = NOTHING_ACCEPTED,
        *,
        every: bool = False,
    ) -> None:
        """`accepted`: findings that are known one by one; `every`: each finding stands alone."""
        self.accepted, self.every = accepted, every
        found = {name: setting for name, setting in settings.items() if isinstance(setting, RuleSetting)}
        self.expired = tuple(
            f"checks.{name}, until {setting.until}"
            for name, setting in sorted(found.items())
            if setting.until and setting.until < today
        )
        self._plain = settings.keys() - found.keys()
        self._corners = {
            name: Corner(setting.severity, _accepted_text(name, setting), compile_patterns(setting.paths))
            for name, setting in found.items()
            if not setting.until or setting.until >= today
        }

    def find(self, rule: str, url: str, path: str) -> Corner | None:
        """The corner that a finding is in: one of the rule, else one of its family, unless the rule has a severity."""
        for name in (rule, family(rule)) if self._corners else ():
            corner = self._corners.get(name)
            if corner and corner.holds(url, path):
                return corner
            if name in self._plain:
                break
        return None


NO_CORNERS = Corners({}, date.min)


def _accepted_text(name: str, setting: RuleSetting) -> str:
    until = f", until {setting.until}" if setting.until else ""
    return f"{setting.reason or f'checks.{name}'}{until}"


def family(rule: str) -> str:
    """`SM-14` → `SM`."""
    found = _FAMILY.match(rule)
    return found[0] if found else rule


def families(rules: Iterable[str]) -> frozenset[str]:
    return frozenset(map(family, rules))


_WARNED = frozenset({Severity.WARNING})
_OF_GENERATORS = {"SM-14": _WARNED, "SM-29": _WARNED, "SM-46": _WARNED, "SM-51": _WARNED | {Severity.ERROR}}


def adjust_severities(
    findings: Iterable[Finding],
    settings: Mapping[str, Severity | RuleSetting],
    *,
    strict: bool,
    generated: bool = False,
) -> tuple[Finding, ...]:
    """A setting of a rule beats one of its family, both set all cases of the rule; `strict` makes warnings errors.

    A finding in an accepted corner has its severity from there already (`Report`). `generated`: the files are those
    that a generator writes with each build. What its code does there on every site is a hint to the author of this one:
    the order of elements, the place of the files of languages, dates of the build and of an index (U-28).
    """
    hints = _OF_GENERATORS if generated and not strict else {}
    return tuple(
        replace(finding, severity=severity)
        for finding in findings
        if (severity := _severity(finding, settings, hints, strict=strict)) is not Severity.OFF
    )


def accepted_notes(findings: Iterable[Finding]) -> tuple[str, ...]:
    """One sentence for each rule that is off in an accepted corner where it has findings."""
    counts: dict[tuple[str, str], int] = {}
    for one in findings:
        if one.accepted and one.severity is Severity.OFF:
            counts[one.rule.id, one.accepted] = counts.get((one.rule.id, one.accepted), 0) + one.count
    return tuple(
        f"{rule}: {plural(count, 'finding')} accepted ({accepted})"
        for (rule, accepted), count in sorted(counts.items())
    )


def _severity(
    finding: Finding,
    settings: Mapping[str, Severity | RuleSetting],
    hints: Mapping[str, frozenset[Severity]],
    *,
    strict: bool,
) -> Severity:
    severity = finding.severity
    if not finding.accepted:
        rule = finding.rule.id
        if severity in hints.get(rule, ()):
            severity = Severity.INFO
        plain = (settings.get(name) for name in (rule, family(rule)))
        severity = next((setting for setting in plain if isinstance(setting, Severity)), severity)
    return Severity.ERROR if strict and severity is Severity.WARNING else severity


_UNREAD = "A parser stops at the fault, so search engines read nothing of the file, or only what comes before it."
_REFUSED = "Search Console and Bing refuse the file with an error, and none of its URLs is taken from it."
_ENTRY = "Search engines skip the entry: the page is found through links alone, later or never."
_DATE = "A date that is not reliable makes Google and Bing ignore all dates of the site, and changes are found late."
_IGNORED = "Search engines ignore the value; it costs bytes, and readers of the file take it for something that counts."
_TWINS = "Search engines index one page under two addresses, and its links and signals are split between them."
_INDEX_FILES = "Search engines do not read the files behind it, with every page that they list."
_VERSIONS = "Google ignores the link, so that readers may get the page in another language than theirs."
_MEDIA = "Google leaves the image, video or article out of its results; the page itself is not affected."
_CANONICAL = "Search engines choose the address themselves: another page may be indexed in place of the listed one."
_ROBOTS = "Crawlers read robots.txt another way than its author: pages stay blocked, or open, unnoticed."
_MOVED = "Visitors and search engines that know the old address lose the page; its links and rank are lost with it."
_LEAK = "Search engines are sent to a host that is not for them, and the pages of the site are not indexed."
_UNSEEN = (
    "Search engines get nothing, or not what a visitor gets: the page is indexed without its content, or not at all."
)
_HOST = "The build answers another way on its host than its files suggest, so listed addresses may not exist."
_DEPLOYED = "Search engines see what is served, not what was built: a green build says nothing of it."
_POLICY = "It concerns whoever reviews the change: the check accepts what it did not accept before."

_RULES = {
    _UNREAD: "SM-01 SM-02 SM-03 SM-04 SM-10 SM-13",
    _REFUSED: "SM-05 SM-06 SM-07 SM-09 SM-11 SM-12 SM-14 SM-15 SM-16 SM-17 SM-65 SM-67 EXT-01",
    _ENTRY: "SM-20 SM-21 SM-22 SM-23 SM-24 SM-25 SM-26 SM-27 SM-28 SM-29 SM-30 SM-32 SM-33 SM-34",
    _DATE: "SM-40 SM-41 SM-42 SM-44 SM-45 SM-46 SM-51",
    _IGNORED: "SM-48 SM-49 SM-50",
    _TWINS: "SM-31 HOST-03",
    _INDEX_FILES: "SM-60 SM-61 SM-62 SM-63 SM-64 SM-68 RB-31 RB-32",
    _CANONICAL: "HTML-21 HTML-23 HTML-24 HTML-25 HTML-26 HTML-27 HTML-28 HTML-29 HTML-30 HTML-31",
    _LEAK: "ENV-03 ENV-06 ENV-07 ENV-08",
    _VERSIONS: "DIFF-14",
    _POLICY: "POL-01 POL-03 DIFF-42",
    _MOVED: "POL-02 LED-01",
}
_FAMILIES = {
    "DIFF": _MOVED,
    "HL": _VERSIONS,
    "HOST": _HOST,
    "HTML": _UNSEEN,
    "IMG": _MEDIA,
    "NEWS": _MEDIA,
    "RB": _ROBOTS,
    "RT": _MOVED,
    "URL": _TWINS,
    "AGT": "A language model that follows the address gets an error page, and answers without this page.",
    "VER": "Search engines show a page of an old version, or split what is worth of one page between several.",
    "VID": _MEDIA,
    "WIT": _DEPLOYED,
}
_OTHERS = {
    "DIFF-30": _DATE,
    "DIFF-31": _DATE,
    "DIFF-32": _DATE,
    "DIFF-33": _DATE,
    "HTML-06": "Search engines ignore the directive, and the page stays in their results after its day.",
    "HTML-44": "The request travels unprotected, and Google may index the http address.",
    "HTML-64": "No crawler requests what is behind `#`, so these pages do not exist for search engines.",
    "HTML-68": "Search engines find the page through the sitemap alone, visitors not at all.",
    "HTML-72": "Search engines read the served head first, and the scripts later or never: what it states decides.",
    "HTML-73": "Visitors and crawlers end at an error page.",
    "LED-02": "Every hop costs time and can break: one that breaks loses the visitors of all before it.",
    "LED-03": "The address behind the line is not watched, or nobody knows which declaration holds.",
    "LED-04": "The next time that the page vanishes nobody is told.",
    "POL-04": "A line that stays would hide the same fault when it comes back.",
    "RB-35": "The pages vanish from search results within days, and the change of one line says nothing of it.",
    "RB-36": "Google renders the page without them, and may see an empty or broken one.",
    "SM-03": "Some parsers take the mark for text before the document and stop.",
    "SM-16": "A validator may check the file against the wrong schema; search engines ignore it.",
    "SM-23": "Yandex drops the URL; other search engines read it.",
    "SM-24": "Search engines request another address, which the site does not have.",
    "SM-30": "Google takes URLs of another host only where that host names the sitemap; else it drops them.",
    "SM-34": "Whoever reads the sitemap gets the password, and search engines drop the URL.",
    "SM-69": "The endpoints are gone since 2022 (Bing) and 2023 (Google): the request does nothing.",
    "URL-24": "Every visit has an address of its own: search engines find the same page without end.",
    "URL-26": "Some servers answer for it and others do not; search engines take it for another page.",
    "URL-28": "Every link takes a redirect, and crawlers may take the other spelling for another site.",
}
_BY_RULE = {rule: text for text, rules in _RULES.items() for rule in rules.split()} | _OTHERS


def consequence(rule: str) -> str:
    """What a breach costs, and whom; "" where nothing is known of the rule."""
    return _BY_RULE.get(rule) or _FAMILIES.get(family(rule), "")
