"""What `explain` prints about a URL or a sitemap: the verdict in one sentence, then what decided and what was seen."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from sitemap_action.html.directives import canonical_targets, source_text
from sitemap_action.model.answers import PageRendering, SitemapAnswer, SitemapContent, UrlAnswer
from sitemap_action.model.finding import Place
from sitemap_action.model.page import DocumentSummary, RobotsLine
from sitemap_action.model.site import Reason
from sitemap_action.model.sitemap import DocumentKind
from sitemap_action.model.wording import plural
from sitemap_action.web.printable import printable, visible_json

_WIDTH = 11

Row: TypeAlias = tuple[str, str]  # name, value


def render_answer(answer: UrlAnswer | SitemapAnswer, form: str) -> str:
    """`form`: "json", or "text" for a person."""
    if form == "json":
        document = _url_document(answer) if isinstance(answer, UrlAnswer) else _sitemap_document(answer)
        return visible_json(document, indent=2) + "\n"
    if isinstance(answer, UrlAnswer):
        verdict, rows = _url_verdict(answer), _url_rows(answer)
    else:
        verdict, rows = _sitemap_verdict(answer)[1], _sitemap_rows(answer)
    lines = "".join(f"  {name:<{_WIDTH}} {printable(value)}\n" for name, value in rows)
    other = f"{printable(answer.seen.other_base)}\n" if isinstance(answer, UrlAnswer) and answer.seen.other_base else ""
    return f"{other}{printable(verdict)}\n\n{lines}"


def _url_verdict(answer: UrlAnswer) -> str:
    absent = answer.absent
    if absent is None:
        more = f": {answer.detail}" if answer.detail else ""
        missing = f", and {answer.judged} does not have it yet" if answer.judged and not answer.committed else ""
        return f"listed{missing}{more}"
    where = f", in {answer.place}" if answer.place else ""
    still = f"; {answer.judged} still lists it" if answer.committed else ""
    if answer.outside and absent.option == "site-url":
        return f"not listed: {answer.outside}{still}"
    outside = f"{answer.outside}; " if answer.outside else ""
    return f"not listed ({absent.reason}): {outside}{answer.detail}{where}{still}"


def _url_rows(answer: UrlAnswer) -> Iterator[Row]:
    """Each fact once; a row without a value is left out."""
    yield "url", answer.page.url
    if answer.links is not None:
        yield "found", _describe_links(answer, answer.links)
    if answer.seen.file and answer.seen.file != answer.found_on:
        yield "file", answer.seen.file
    yield from _responses(answer)
    if answer.seen.rendering is not None:
        yield ("rendered" if answer.seen.rendering.rendered else "shell"), _rendering(answer.seen.rendering)
        yield from zip(("as served", "by scripts"), map(_summary, answer.seen.rendering.documents), strict=False)
        if answer.seen.rendering.screenshot:
            yield "screenshot", answer.seen.rendering.screenshot
    yield from _url_rules(answer)
    if answer.judged:
        yield "sitemap", _name_line(answer.committed) or f"{answer.judged} does not name it"
    if answer.compared:
        yield "baseline", _name_line(answer.baseline) or f"{answer.compared} does not name it"
    yield from (("redirected", f"from {url}") for url in answer.redirected_from)
    yield from (("near", url) for url in answer.near)
    yield from (("not read", sentence) for sentence in answer.seen.not_read)


def _responses(answer: UrlAnswer) -> Iterator[Row]:
    for one in answer.hops:
        yield "redirect", f"{one.status if 300 <= one.status < 400 else 'refresh of the document'} to {one.to}"
    if answer.last.status:
        yield "answer", f"{answer.last.status}{f', {answer.last.media_type}' if answer.last.media_type else ''}"
    if answer.seen.blocker:
        yield "blocked", answer.seen.blocker
    for name, value in answer.seen.headers:
        if name != "content-type":  # in the row of the answer
            yield "header", f"{name}: {value}"


def _url_rules(answer: UrlAnswer) -> Iterator[Row]:
    yield from _robots_rows(answer.seen.robots, answer.robots)
    if not answer.robots and answer.seen.no_robots:
        yield "robots.txt", answer.seen.no_robots
    decided = answer.absent.noindex if answer.absent else None
    for one in answer.facts.head.directives:
        if (one.source == "meta" or not answer.seen.headers) and one != decided:
            yield "directive", source_text(one)
    for link in answer.facts.head.canonicals:
        yield "canonical", f"{link.url or link.href}{f' (does not count: {link.ignored})' if link.ignored else ''}"
    if answer.host and not (answer.absent and answer.absent.cites_host):
        yield "host", answer.host
    if answer.config and not (answer.place and answer.place in answer.config):
        yield "config", answer.config


def _describe_links(answer: UrlAnswer, links: int) -> str:
    seen = answer.seen
    if seen.referrer or (answer.found_on and answer.found_on != seen.file):
        place = f" ({seen.place.path}:{seen.place.line})" if seen.place.line else ""
        others = links - 1
        more = f" and {plural(others, 'more page')}" if others > 0 else ""
        return f"linked on {answer.found_on}{place}{more}"
    if links:
        return f"linked on {plural(links, 'page')}"
    if seen.file:
        return f"the file {seen.file}; no page links to it"
    return "no page links to it"


def _rendering(one: PageRendering) -> str:
    if not one.rendered:
        return f"only scripts make a page of what is served ({one.shell}), and it is not rendered here: {one.reason}"
    why = f": only scripts make a page of what is served ({one.shell})" if one.shell else ""
    return f"in {one.browser or 'a browser'}{why}"


def _summary(one: DocumentSummary) -> str:
    robots = ", ".join(one.robots) or "none"
    size = f"{plural(one.links, 'link')}, {plural(one.words, 'word')}"
    return f"title {one.title or 'none'!r}; canonical {one.canonical or 'none'}; robots {robots}; {size}"


def _robots_rows(name: str, lines: Sequence[RobotsLine]) -> Iterator[Row]:
    """What robots.txt says, once for agents that the same line decides about."""
    for (allowed, line, rule), found in groupby(lines, key=lambda one: one[1:]):
        agents = ", ".join(one.agent for one in found)
        why = f"{name}:{line}: {rule}" if line else f"no line of {name} forbids it"
        yield "robots.txt", f"{'allowed' if allowed else 'not allowed'} for {agents} ({why})"


def _name_line(named: Place | None) -> str:
    if named is None:
        return ""
    return f"{named.path}:{named.line}" if named.line else named.path


def _naming_document(named: Place | None) -> dict[str, Any] | None:
    return None if named is None else {"sitemap": named.path, "line": named.line}


def _rendering_document(one: PageRendering) -> dict[str, Any]:
    return one._asdict() | {"documents": [document._asdict() for document in one.documents]}


def _url_document(answer: UrlAnswer) -> dict[str, Any]:
    absent, canonicals = answer.absent, answer.facts.head.canonicals
    replaced = absent is not None and absent.reason in {Reason.MERGED, Reason.MOVED}
    return {
        "url": answer.page.url,
        "listed": absent is None,
        "reason": absent.reason.value if absent else "",
        "detail": answer.detail,
        "place": answer.place,
        "found_on": answer.found_on,
        "links": answer.links,
        "outside": answer.outside,
        "file": answer.seen.file,
        "rendering": answer.seen.rendering and _rendering_document(answer.seen.rendering),
        "hops": [one._asdict() for one in answer.hops],
        "status": answer.last.status,
        "media_type": answer.last.media_type,
        "headers": [list(pair) for pair in answer.seen.headers],
        "robots": [one._asdict() for one in answer.robots],
        "directives": [one._asdict() for one in answer.facts.head.directives],
        "canonical": next(iter(canonical_targets(canonicals)), ""),
        "canonicals": [
            {"href": one.href, "url": one.url, "source": one.source, "ignored": one.ignored} for one in canonicals
        ],
        "host": answer.host,
        "config": answer.config,
        "in": {
            "committed": _naming_document(answer.committed),
            "baseline": _naming_document(answer.baseline),
        },
        "near": answer.near,
        "redirected_from": answer.redirected_from,
        "listed_as": absent.redirect_to if absent and replaced else "",
        "not_read": answer.seen.not_read,
        "other_base": answer.seen.other_base,
    }


def _sitemap_verdict(answer: SitemapAnswer) -> tuple[bool, str]:
    """(whether search engines can use it, the reason in one sentence)."""
    content = answer.content
    if answer.failure:
        return False, f"cannot be fetched: {answer.failure}"
    if content is None or content.kind is DocumentKind.UNKNOWN:
        why = content.damage if content is not None else "there is no document"
        return False, f"can be fetched, and is no sitemap: {why}"
    if (blocked := answer.first_disallowed) is not None:
        return False, f"cannot be fetched by {blocked.agent}: {answer.robots_name}:{blocked.line}: {blocked.rule}"
    read = "can be fetched" if answer.status else "can be read"
    if content.damage:
        return False, f"{read}, and is damaged: {content.damage}"
    if content.errors:
        return False, f"{read}, and is not valid: {content.first}"
    return True, f"{read}: {_kind(content)}"


def _kind(content: SitemapContent) -> str:
    noun = "sitemap" if content.kind is DocumentKind.INDEX else "URL"
    return f"{content.kind}, {plural(content.entries, noun)}"


def _sitemap_rows(answer: SitemapAnswer) -> Iterator[Row]:
    content = answer.content
    yield ("url" if answer.status or answer.robots_name.startswith("http") else "file"), answer.address
    for one in answer.hops:
        yield "redirect", f"{one.status} to {one.to}"
    if answer.status:
        coding = f", Content-Encoding {answer.coding}" if answer.coding else ""
        yield "answer", f"{answer.status}{f', {answer.media_type}' if answer.media_type else ''}{coding}"
    if answer.remedy:
        yield "remedy", answer.remedy
    if content is not None:
        yield from _content(answer, content)
    yield from _robots_rows(answer.robots_name, answer.robots)
    if answer.no_robots:
        yield "robots.txt", answer.no_robots
    for naming in answer.named:
        yield "named by", f"{naming.path}:{naming.line}"
    if not answer.named and answer.robots_name:
        yield "named by", "no line of robots.txt, and no index that was read"
    yield from (("not read", sentence) for sentence in answer.not_read)


def _content(answer: SitemapAnswer, content: SitemapContent) -> Iterator[Row]:
    if not _sitemap_verdict(answer)[0] and content.kind is not DocumentKind.UNKNOWN:
        yield "document", _kind(content)
    sent, decoded = answer.transferred or content.bytes, content.inflated if content.compressed else content.bytes
    yield "size", f"{sent:,} bytes{f', {decoded:,} inflated' if decoded != sent else ''}"
    if content.kind is not DocumentKind.UNKNOWN:
        yield "encoding", content.encoding
    if content.errors or content.warnings:
        counts = f"{plural(content.errors, 'error')}, {plural(content.warnings, 'warning')}"
        named = content.errors and not answer.failure and answer.first_disallowed is None  # in the verdict
        stated = content.damage or named or content.kind is DocumentKind.UNKNOWN
        yield "findings", f"{counts}{'' if stated else f'; {content.first}'} (`sitemap-action validate` shows all)"


def _sitemap_document(answer: SitemapAnswer) -> dict[str, Any]:
    content = answer.content
    useful, why = _sitemap_verdict(answer)
    return {
        "sitemap": answer.address,
        "usable": useful,
        "reason": why,
        "hops": [one._asdict() for one in answer.hops],
        "status": answer.status,
        "media_type": answer.media_type,
        "content_encoding": answer.coding,
        "remedy": answer.remedy,
        "document": content
        and {
            "kind": str(content.kind),
            "entries": content.entries,
            "encoding": content.encoding,
            "bytes": content.bytes,
            "inflated": content.inflated,
            "damage": content.damage,
            "errors": content.errors,
            "warnings": content.warnings,
            "first": content.first,
        },
        "robots": [one._asdict() for one in answer.robots],
        "robots_txt": answer.no_robots or answer.robots_name,
        "named_by": [{"name": one.path, "line": one.line} for one in answer.named],
        "not_read": answer.not_read,
    }
