"""What `explain` prints about a URL: the verdict in one sentence, then what decided and what was seen."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from sitemap_action.html import canonical
from sitemap_action.html.directives import source_text
from sitemap_action.model.answers import NamedIn, PageRendering, RobotsLine, UrlAnswer
from sitemap_action.model.site import Reason
from sitemap_action.web.printable import printable

_WIDTH = 11


def render_text(answer: UrlAnswer) -> str:
    rows = "".join(f"  {name:<{_WIDTH}} {printable(value)}\n" for name, value in _rows(answer))
    return f"{printable(_verdict(answer))}\n\n{rows}"


def _verdict(answer: UrlAnswer) -> str:
    absent = answer.absent
    if absent is None:
        more = f": {answer.detail}" if answer.detail else ""
        missing = f", and {answer.judged} does not have it yet" if answer.judged and not answer.committed else ""
        return f"listed{missing}{more}"
    where = f", in {answer.place}" if answer.place else ""
    still = f"; {answer.judged} still lists it" if answer.committed else ""
    outside = f"{answer.outside}; " if answer.outside and absent.option != "site-url" else ""
    return f"not listed ({absent.reason}): {outside}{answer.detail}{where}{still}"


def _rows(answer: UrlAnswer) -> Iterator[tuple[str, str]]:
    """Each fact once; a row without a value is left out."""
    yield "url", answer.page.url
    if answer.links is not None:
        yield "found", _found(answer, answer.links)
    if answer.seen.file and answer.seen.file != answer.found_on:
        yield "file", answer.seen.file
    yield from _responses(answer)
    if answer.seen.rendering is not None:
        yield ("rendered" if answer.seen.rendering.rendered else "shell"), _rendering(answer.seen.rendering)
    yield from _rules(answer)
    if answer.judged:
        yield "sitemap", _named(answer.committed) or f"{answer.judged} does not name it"
    if answer.compared:
        yield "baseline", _named(answer.baseline) or f"{answer.compared} does not name it"
    yield from (("redirected", f"from {url}") for url in answer.redirected_from)
    yield from (("near", url) for url in answer.near)
    yield from (("not read", sentence) for sentence in answer.seen.not_read)


def _responses(answer: UrlAnswer) -> Iterator[tuple[str, str]]:
    for one in answer.hops:
        yield "redirect", f"{one.status if 300 <= one.status < 400 else 'refresh of the document'} to {one.to}"
    if answer.last.status:
        yield "answer", f"{answer.last.status}{f', {answer.last.media_type}' if answer.last.media_type else ''}"
    if answer.seen.blocker:
        yield "blocked", answer.seen.blocker
    for name, value in answer.seen.headers:
        if name != "content-type":  # in the row of the answer
            yield "header", f"{name}: {value}"


def _rules(answer: UrlAnswer) -> Iterator[tuple[str, str]]:
    for (allowed, line, rule), found in groupby(answer.robots, key=lambda one: one[1:]):
        yield (
            "robots.txt",
            _robots(answer.seen.robots, [one.agent for one in found], RobotsLine("", allowed, line, rule)),
        )
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


def _found(answer: UrlAnswer, links: int) -> str:
    seen = answer.seen
    if seen.referrer or (answer.found_on and answer.found_on != seen.file):
        place = f" ({seen.place.path}:{seen.place.line})" if seen.place.line else ""
        others = links - 1
        more = f" and {others:,} more page{'' if others == 1 else 's'}" if others > 0 else ""
        return f"linked on {answer.found_on}{place}{more}"
    if links:
        return f"linked on {links:,} page{'' if links == 1 else 's'}"
    if seen.file:
        return f"the file {seen.file}; no page links to it"
    return "no page links to it"


def _rendering(one: PageRendering) -> str:
    if not one.rendered:
        return f"only scripts make a page of what is served ({one.shell}), and it is not rendered here: {one.reason}"
    why = f": only scripts make a page of what is served ({one.shell})" if one.shell else ""
    return f"in {one.browser or 'a browser'}{why}"


def _robots(name: str, agents: Sequence[str], one: RobotsLine) -> str:
    word = "allowed" if one.allowed else "not allowed"
    why = f"{name}:{one.line}: {one.rule}" if one.line else f"no line of {name} forbids it"
    return f"{word} for {', '.join(agents)} ({why})"


def _named(named: NamedIn | None) -> str:
    if named is None:
        return ""
    return f"{named.sitemap}:{named.line}" if named.line else named.sitemap


def render_json(answer: UrlAnswer) -> str:
    absent, canonicals = answer.absent, answer.facts.head.canonicals
    replaced = absent is not None and absent.reason in {Reason.MERGED, Reason.MOVED}
    document = {
        "url": answer.page.url,
        "listed": absent is None,
        "reason": absent.reason.value if absent else "",
        "detail": answer.detail,
        "place": answer.place,
        "found_on": answer.found_on,
        "links": answer.links,
        "outside": answer.outside,
        "file": answer.seen.file,
        "rendering": answer.seen.rendering and answer.seen.rendering._asdict(),
        "hops": [one._asdict() for one in answer.hops],
        "status": answer.last.status,
        "media_type": answer.last.media_type,
        "headers": [list(pair) for pair in answer.seen.headers],
        "robots": [one._asdict() for one in answer.robots],
        "directives": [one._asdict() for one in answer.facts.head.directives],
        "canonical": next(iter(canonical.targets(canonicals)), ""),
        "canonicals": [one._asdict() for one in canonicals],
        "host": answer.host,
        "config": answer.config,
        "in": {
            "committed": answer.committed and answer.committed._asdict(),
            "baseline": answer.baseline and answer.baseline._asdict(),
        },
        "near": answer.near,
        "redirected_from": answer.redirected_from,
        "listed_as": absent.redirect_to if absent and replaced else "",
        "not_read": answer.seen.not_read,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
