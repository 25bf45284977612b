"""Why each known URL is, or is not, an entry of the sitemap."""

from msgspec.structs import replace

from sitemap_action.config.schema import Noindex, Orphans
from sitemap_action.decide.entries import CarriedOver, MadeEntries
from sitemap_action.decide.policy import SelectPolicy
from sitemap_action.decide.redirects import MAX_HOPS, RedirectChain, Redirects
from sitemap_action.decide.spelling import SpellingChoice, canonical_fault, hides_series
from sitemap_action.html import directives
from sitemap_action.html.directives import canonical_targets
from sitemap_action.html.soft404 import says_error, stub_key
from sitemap_action.model.page import Directive, Facts, Page, PageKind
from sitemap_action.model.site import Absent, CanonicalFault, Content, DeindexedBy, Listed, Reason, Site, Verdict
from sitemap_action.model.sitemap import Entry
from sitemap_action.web.media import HTML_TYPES, has_type, is_page_name
from sitemap_action.web.patterns import compile_patterns, filter_query
from sitemap_action.web.redirect_walk import ChainEnd
from sitemap_action.web.urls import origin, why_unlistable

_SITE_URL = "site-url"
_REPEATED = "answers 200 with the same error page as other URLs"


class Selector:
    """Decides over one URL at a time; pure, so any URL may be decided again."""

    def __init__(self, site: Site, policy: SelectPolicy) -> None:
        self._site = site
        self._policy = policy
        self._origin = f"{origin(policy.site_url)}/"
        self._disputed = {one.file: one.disagreement for one in policy.stated if one.disagreement}
        self._include = compile_patterns(policy.select.include)
        self._redirects = Redirects(site, policy.select, policy.robots)
        self._keep = compile_patterns(policy.output.keep)
        self._carried_over = CarriedOver(site, policy)
        self._entries = MadeEntries(site, policy, self._carried_over)
        self._last_directives: tuple[Directive, ...] = ()  # of the last page
        self._last_noindex: Directive | None = None  # the one of them that is a noindex
        self._last_returning = ""  # URL of the last page whose canonical redirects back to it
        asked = policy.select.spelling_rules.any or policy.listed
        self._spellings = SpellingChoice(site, policy, self._redirects, self._listable_spelling) if asked else None

    def verdict(
        self, page: Page, committed: Entry | None, baseline: Entry | None = None, previous: Content | None = None
    ) -> Verdict:
        """`committed`: the URL's entry in the committed sitemap, whose fields are carried over.

        Without an answer the URL keeps its entry; no hand edit of the file removes one of the baseline (DIFF-20).
        """
        if committed is not None and not _is_invalid_url(page) and (pattern := self._keep.match(page.url)):
            return Listed(page, committed, f"output.keep has {pattern}")
        absent, known = self._absent(page), committed or baseline
        if absent is None:
            fault = CanonicalFault.RETURNS if page.url == self._last_returning else None
            spelling, other = self._spellings.find_state(page.url) if self._spellings is not None else (None, "")
            entry = self._entries.make_entry(page, committed, previous)
            return Listed(page, entry, canonical_fault=fault, spelling=spelling, other_spelling=other)
        if absent.reason is Reason.UNDETERMINED and known is not None:
            kept = self._carried_over.entry(page.url, known)
            return Listed(page, kept, absent.detail, unverified=True)  # NET-10, DIFF-20
        if absent.reason is Reason.UNDETERMINED and (same := self._file_in_dispute(page.twin or absent.redirect_to)):
            return replace(absent, reason=Reason.MERGED, detail=f"the same file as {same}", redirect_to=same)
        return self._with_canonical_fault(absent, page) if absent.reason is Reason.DEINDEXED else absent

    def _with_canonical_fault(self, absent: Absent, page: Page) -> Absent:
        if absent.by is not DeindexedBy.CANONICAL:
            targets = canonical_targets(page.facts.head.canonicals) if page.facts is not None else ()
            returns = len(targets) == 1 and targets[0] != page.url and self._is_of_same_page(targets[0], page)
            return replace(absent, canonical_fault=CanonicalFault.RETURNS) if returns else absent
        target = self._site.page(absent.redirect_to)
        if target is None:
            return absent
        fault = canonical_fault(target, self._absent(target), redirects=self._redirects.hop(target) is not None)
        if fault is None and hides_series(page, target):
            fault = CanonicalFault.SERIES
        return replace(absent, canonical_fault=fault)

    def _is_repeated_error(self, facts: Facts) -> bool:
        """HTML-71: of pages that share one error page it is not known which of them exist."""
        repeated = self._policy.repeated
        return bool(repeated) and says_error(facts) and stub_key(facts) in repeated

    def _absent(self, page: Page) -> Absent | None:
        if absent := self.whatever_it_answers(page):
            return absent
        match page.kind:
            case PageKind.PAGE | PageKind.FILE:
                return self._twin(page) if page.twin else self._document(page)
            case PageKind.UNDETERMINED:
                return Absent(page, Reason.UNDETERMINED, page.reason)
            case PageKind.GONE:
                return _cite_host(Absent(page, Reason.GONE, page.reason or f"answers {page.status}"))
            case PageKind.FOREIGN:
                return self._foreign(page)
            case PageKind.REDIRECT:
                moved = self._judge_redirect(page)
                return moved and _cite_host(moved)

    def is_inner_hop(self, page: Page) -> bool:
        """Whether the row of another URL, the first of an endless chain, has it too."""
        return self._redirects.is_inner_hop(page)

    def whatever_it_answers(self, page: Page) -> Absent | None:
        """Why the answer does not matter: the config, robots.txt (HTML-14), or a host that answers every URL so."""
        if excluded := self._find_exclusion(page):
            option, why = excluded
            return Absent(page, Reason.EXCLUDED, why, option=option)
        # Of another site, whose addresses may redirect to this one, the rules are not known.
        own = page.kind is not PageKind.FOREIGN and page.url.startswith(self._origin) and not page.unlisted
        if own and (blocked := self.find_block(page.url)):
            return Absent(page, Reason.DEINDEXED, blocked, by=DeindexedBy.ROBOTS)
        if unknown := self._policy.error_documents.explain_unknown(page):
            return Absent(page, Reason.UNDETERMINED, unknown)
        return None

    def _find_exclusion(self, page: Page) -> tuple[str, str] | None:
        return None if _is_invalid_url(page) else self._find_url_exclusion(page.url)

    def _find_url_exclusion(self, url: str) -> tuple[str, str] | None:
        """(Option of the config that excludes a URL, why as text)."""
        if excluded := self._redirects.find_exclusion(url):
            return ("select.exclude", excluded)
        if self._policy.versions and (folder := self._policy.versions.find_folder(url)):
            return ("versions", f"in {folder}, which versions has as old or a draft")
        if self._policy.select.include and self._include.match(url) is None:
            return ("select.include", "no pattern of select.include matches")
        _, question, query = url.partition("?")
        if question and filter_query(query, self._policy.select.query.allow, self._policy.select.drop_params) != query:
            why = f"the query ?{query} is not kept whole (select.query, select.drop-params)"
            return ("select.query", why)
        return None

    def _foreign(self, page: Page) -> Absent:
        """A URL of another origin or directory has the verdict of the same path below site-url (DIFF-11)."""
        counterpart = self._site.page(page.target) if page.target else None
        if counterpart is None:
            option = "" if page.reason else _SITE_URL
            return Absent(page, Reason.EXCLUDED, page.reason or f"not below {self._policy.site_url}", option=option)
        absent = self._absent(counterpart)
        if absent is None:
            return Absent(page, Reason.MERGED, f"listed as {counterpart.url}", counterpart.url)
        detail = f"{counterpart.url}: {absent.detail}"
        return replace(absent, page=page, detail=detail, hops=0, canonical_fault=None, respelled=False, dead_end=False)

    def _twin(self, page: Page) -> Absent | None:
        """One of two URLs for one file: the verdict over the other holds for it too.

        Rules about URLs are asked for the spelling that is listed: where the file names this one, not for the other.
        """
        twin = self._site.page(page.twin)
        if twin is None or twin.twin:
            return self._other_type(page, page.path, "this type of file")
        read = twin.kind is PageKind.PAGE and not self._policy.error_documents.explain_unknown(twin)
        named = self._document(twin) if read else None
        absent = named if named and named.redirect_to == page.url else self._absent(twin)
        if absent is None:
            return Absent(page, Reason.MERGED, f"the same file is listed as {twin.url}", twin.url)
        if absent.reason is Reason.MERGED and absent.redirect_to == page.url:
            return None  # the file names this spelling as its canonical (HTML-24), or the config asks for it
        return replace(absent, page=page, hops=0, canonical_fault=None, respelled=False, dead_end=False)

    def _judge_redirect(self, page: Page) -> Absent | None:
        if wall := self._redirects.find_wall(page):
            to = wall.target.partition("?")[0]
            return Absent(page, Reason.REDIRECT_BROKEN, f"requires a login: redirects to {to}, which returns to it", to)
        chain = self._redirects.follow(page)
        match chain.end:
            case ChainEnd.ARRIVED if chain.page is not None:
                return self._judge_arrival(page, chain, chain.page)
            case ChainEnd.LOOP | ChainEnd.TOO_LONG:
                loops = chain.end is ChainEnd.LOOP
                how = "in a loop, back to" if loops else f"more than {MAX_HOPS} times, on to"
                why = f"redirects {how} {chain.url}"
                return Absent(page, Reason.REDIRECT_BROKEN, why, chain.url, dead_end=True)
            case _:
                return self._judge_unknown_end(page, chain.url)

    def _judge_unknown_end(self, page: Page, url: str) -> Absent:
        """A redirect to a URL that has no answer, or is no way to a page."""
        if why := why_unlistable(url):
            return Absent(page, Reason.REDIRECT_BROKEN, f"redirects to {url}: {why}", url)
        if not url.startswith(self._policy.site_url):
            return Absent(page, Reason.MOVED_OFFSITE, f"redirects to {url}", url)
        excluded = self._find_url_exclusion(url)
        left_out = excluded[1] if excluded else self._redirects.find_skip_class(url)
        reason = Reason.EXCLUDED if left_out else Reason.DEINDEXED
        if why := left_out or self.find_block(url):
            return Absent(page, Reason.REDIRECT_BROKEN, f"redirects to {url}, which is {reason}: {why}", url)
        return Absent(page, Reason.UNDETERMINED, f"redirects to {url}, which was not fetched", url)

    def _judge_arrival(self, page: Page, chain: RedirectChain, target: Page) -> Absent | None:
        absent = self._absent(target)
        if absent is None or absent.reason is Reason.MERGED or self._is_query_of_listed(target, absent):
            to = target.url if absent is None else absent.redirect_to
            if to == page.url:
                return None  # the config asks for this spelling
            hops, reason = len(chain.hops), Reason.MOVED if chain.permanent else Reason.MOVED_TEMPORARY
            how = f"{'' if chain.permanent else 'temporarily '}{f'in {hops} hops ' if hops > 1 else ''}"
            return Absent(page, reason, f"redirects {how}to {to}", to, hops)
        reason = Reason.UNDETERMINED if absent.reason is Reason.UNDETERMINED else Reason.REDIRECT_BROKEN
        why = f"redirects to {target.url}, which is {absent.reason}: {absent.detail}"
        return Absent(page, reason, why, target.url, dead_end=absent.is_dead)

    def _is_query_of_listed(self, target: Page, absent: Absent) -> bool:
        """Whether a page with a query names its listed address with less of it: both are one page (HTML-24)."""
        if (
            absent.by is not DeindexedBy.CANONICAL
            or absent.redirect_to.partition("?")[0] != target.url.partition("?")[0]
        ):
            return False
        named = self._site.page(absent.redirect_to)
        return named is not None and self._absent(named) is None

    def _document(self, page: Page) -> Absent | None:
        """Why the host, robots.txt or the document itself excludes a page from the sitemap; None when nothing does."""
        if absent := self._not_of_site(page) or self._without_query(page):
            return absent
        facts = page.facts
        targets = canonical_targets(facts.head.canonicals) if facts is not None else ()
        if facts is not None:
            if self._redirects.hop(page) is not None:
                return self._judge_redirect(page)
            if absent := self._not_indexable(page, facts, targets):
                return absent
        if self._policy.select.orphans is Orphans.DROP and not page.inlinks and page.url != self._policy.site_url:
            return Absent(page, Reason.DROPPED, "no page links to it")
        named = targets[0] if targets and targets[0] != page.url and page.url != self._last_returning else ""
        if self._spellings is not None and (listed := self._spellings.choose(page, named)) != named:
            why = f"the same page is listed as {listed}, which the config asks for"
            return None if listed == page.url else Absent(page, Reason.MERGED, why, listed, respelled=True)
        return Absent(page, Reason.MERGED, f"the same file names {named} as its canonical", named) if named else None

    def _without_query(self, page: Page) -> Absent | None:
        """Why a URL with a query is no page of its own: a login in the place of another (G-05), a view (G-08)."""
        if "?" not in page.url:
            return None
        bare = self._site.page(page.url.partition("?")[0])
        if asked := self._redirects.find_page_behind(page):
            if bare is not None and self._absent(bare) is None:
                return Absent(page, Reason.MERGED, f"listed without its query, as {bare.url}", bare.url)
            return Absent(page, Reason.EXCLUDED, f"is shown in the place of {asked.url}, which requires a login")
        if bare is None or not _shows_the_same(page.facts, bare.facts):
            return None
        if (absent := self._absent(bare)) is not None:
            return replace(absent, page=page) if absent.reason is Reason.SOFT_404 else None
        return Absent(page, Reason.MERGED, f"a browser shows the same as at {bare.url}", bare.url)

    def _disagreement(self, page: Page) -> str:
        """HOST-01: why the address of a file is not known, as text; "" where it is. The start page has one address."""
        if not self._disputed or page.url == self._policy.site_url or not page.path.endswith(".html"):
            return ""
        return self._disputed.get("x/index.html" if page.path.endswith("/index.html") else "x.html", "")

    def _file_in_dispute(self, url: str) -> str:
        """The URL of a file whose address is not known, for which there is a row; "" for any other."""
        page = self._site.page(url) if url and self._disputed else None
        return url if page is not None and self._disagreement(page) else ""

    def _listable_spelling(self, other: Page) -> bool:
        """Whether nothing but the spelling decides about a URL of a page."""
        if self._find_exclusion(other) or self.find_block(other.url):
            return False
        has_document = other.kind is PageKind.PAGE and not other.twin and self._redirects.hop(other) is None
        return not has_document or self._absent(other) is None

    def _not_of_site(self, page: Page) -> Absent | None:
        """Why an existing document can be no entry of this sitemap."""
        if out_of_scope := self._out_of_scope(page):
            by_host, by_site = bool(page.unlisted), not page.url.startswith(self._policy.site_url)
            option = _SITE_URL if by_site and not by_host else ""
            return Absent(page, Reason.EXCLUDED, out_of_scope, option=option, cites_host=by_host)
        path = page.path or page.url.partition("?")[0]
        if page.media_type and not has_type(path, page.media_type, self._policy.select.types):
            return self._other_type(page, path, page.media_type)  # HTML-48
        return None

    def _out_of_scope(self, page: Page) -> str:
        """Why an existing document cannot be in this sitemap: a control file of the host, its directory."""
        if page.unlisted:
            return page.unlisted
        if "/_static/" in f"/{page.path}" and not page.inlinks:  # templates of themes, as webpack-macros.html
            return "no page links to it, in a folder of files that pages use (Sphinx)"
        if not page.url.startswith(self._policy.site_url):
            return f"not below {self._policy.site_url}"  # ENV-01
        return why_unlistable(page.url)

    def _other_type(self, page: Page, path: str, named: str) -> Absent:
        """A document of another type: excluded by the config where the name says so, else a page that is none now."""
        may_be_page = page.media_type not in HTML_TYPES and is_page_name(path, self._policy.select.types)
        if not path or not may_be_page or self._redirects.find_skip_class(page.url):
            return Absent(page, Reason.EXCLUDED, f"select.types does not have {named}", option="select.types")
        how = f"answers with {page.media_type}" if page.media_type else "its file has no extension of a page"
        return Absent(page, Reason.OTHER_TYPE, f"{how}, which select.types does not have")

    def _is_of_same_page(self, url: str, page: Page) -> bool:
        """Whether the canonical of a page is the page itself: another URL of its file, or one that redirects to it."""
        other = self._site.page(url)
        if other is None or self.find_block(url):
            return False
        if other.twin == page.url:
            return not self._find_exclusion(other)
        if not self._redirects.leads_back(other, page):
            return False
        self._last_returning = page.url
        return True

    def find_block(self, url: str, name: str = "") -> str:
        """RB-30: the first agent that may not fetch the URL, with the line that blocks it; "" for none."""
        return self._redirects.find_block(url, name)

    def _not_indexable(self, page: Page, facts: Facts, targets: tuple[str, ...]) -> Absent | None:
        """`targets`: its valid canonicals."""
        found = () if self._policy.select.noindex is Noindex.IGNORE else facts.head.directives
        found = directives.without_host(found, self._policy.host_directives)
        if found != self._last_directives:  # pages of a site mostly have the same
            self._last_directives = found
            self._last_noindex = directives.find_noindex(found, self._policy.select.agents, self._policy.now)
        if self._last_noindex is not None:
            by = DeindexedBy.META if self._last_noindex.source == "meta" else DeindexedBy.HEADER
            what = f"has {directives.source_text(self._last_noindex)}"
            absent = Absent(page, Reason.DEINDEXED, what, by=by, noindex=self._last_noindex)
            return _cite_host(absent) if by is DeindexedBy.HEADER else absent
        if len(targets) > 1:  # HTML-25
            why = f"names two canonicals: {targets[0]} and {targets[1]}"
            return Absent(page, Reason.DEINDEXED, why, by=DeindexedBy.CANONICAL)
        if targets and targets[0] != page.url and not self._is_of_same_page(targets[0], page):  # HTML-24
            if self._policy.error_documents.has(self._site.page(targets[0])):  # HTML-45
                why = f"answers 200, and names the error page {targets[0]} as its canonical"
                return Absent(page, Reason.SOFT_404, why, targets[0])
            why = f"names {targets[0]} as its canonical"
            absent = Absent(page, Reason.DEINDEXED, why, targets[0], by=DeindexedBy.CANONICAL)
            in_header = any(link.source == "header" for link in facts.head.canonicals)
            return _cite_host(absent) if in_header else absent
        # HTML-45, HTML-46: the start page is no error page.
        proof = "" if page.url == self._policy.site_url else self._policy.error_documents.soft404(facts)
        if proof:
            return Absent(page, Reason.SOFT_404, f"answers 200 {proof}")
        unknown = _REPEATED if self._is_repeated_error(facts) else self._disagreement(page)
        return Absent(page, Reason.UNDETERMINED, unknown) if unknown else None


def _shows_the_same(one: Facts | None, other: Facts | None) -> bool:
    """Whether a browser rendered two pages, and their content is the same (G-08)."""
    if one is None or other is None or one.rendering is None or other.rendering is None:
        return False
    return bool(one.fingerprint) and one.fingerprint == other.fingerprint


def _is_invalid_url(page: Page) -> bool:
    """Whether it is no URL that a sitemap can list, and perhaps none that a pattern can match."""
    return page.kind is PageKind.FOREIGN and bool(page.reason)


def _cite_host(absent: Absent) -> Absent:
    """The verdict, with the rule of the host that decided the answer."""
    evidence = absent.page.evidence
    return replace(absent, detail=f"{absent.detail} ({evidence})", cites_host=True) if evidence else absent
