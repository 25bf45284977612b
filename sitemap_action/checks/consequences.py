"""Why a rule matters and to whom, for the page of the rule: one sentence or two for rules that have one reason."""

from sitemap_action.checks.severity import family

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
    _MOVED: "POL-02",
}
_FAMILIES = {
    "DIFF": _MOVED,
    "HL": _VERSIONS,
    "HOST": _HOST,
    "HTML": _UNSEEN,
    "IMG": _MEDIA,
    "NEWS": _MEDIA,
    "RB": _ROBOTS,
    "URL": _TWINS,
    "VID": _MEDIA,
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
