"""What `explain` prints about a sitemap: whether it can be fetched and read, then what was seen."""

import json
from collections.abc import Iterator
from itertools import groupby

from sitemap_action.model.answers import SitemapAnswer, SitemapContent
from sitemap_action.model.sitemap import DocumentKind
from sitemap_action.web.printable import printable

_WIDTH = 11


def render_text(answer: SitemapAnswer) -> str:
    rows = "".join(f"  {name:<{_WIDTH}} {printable(value)}\n" for name, value in _rows(answer))
    return f"{printable(verdict(answer)[1])}\n\n{rows}"


def verdict(answer: SitemapAnswer) -> tuple[bool, str]:
    """(whether search engines can use it, the reason in one sentence)."""
    content = answer.content
    if answer.failure:
        return False, f"cannot be fetched: {answer.failure}"
    if content is None or content.kind is DocumentKind.UNKNOWN:
        why = content.damage if content is not None else "there is no document"
        return False, f"can be fetched, and is no sitemap: {why}"
    if (blocked := answer.disallowed) is not None:
        return False, f"cannot be fetched by {blocked.agent}: {answer.robots_name}:{blocked.line}: {blocked.rule}"
    read = "can be fetched" if answer.status else "can be read"
    if content.damage:
        return False, f"{read}, and is damaged: {content.damage}"
    if content.errors:
        return False, f"{read}, and is not valid: {content.first}"
    return True, f"{read}: {_kind(content)}"


def _kind(content: SitemapContent) -> str:
    noun = "sitemap" if content.kind is DocumentKind.INDEX else "URL"
    return f"{content.kind}, {content.entries:,} {noun}{'' if content.entries == 1 else 's'}"


def _rows(answer: SitemapAnswer) -> Iterator[tuple[str, str]]:
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
    for (allowed, line, rule), found in groupby(answer.robots, key=lambda one: one[1:]):
        agents = ", ".join(one.agent for one in found)
        why = f"{answer.robots_name}:{line}: {rule}" if line else f"no line of {answer.robots_name} forbids it"
        yield "robots.txt", f"{'allowed' if allowed else 'not allowed'} for {agents} ({why})"
    if answer.no_robots:
        yield "robots.txt", answer.no_robots
    for naming in answer.named:
        yield "named by", f"{naming.name}:{naming.line}"
    if not answer.named and answer.robots_name:
        yield "named by", "no line of robots.txt, and no index that was read"
    yield from (("not read", sentence) for sentence in answer.not_read)


def _content(answer: SitemapAnswer, content: SitemapContent) -> Iterator[tuple[str, str]]:
    useful, why = verdict(answer)
    if not useful and content.kind is not DocumentKind.UNKNOWN:
        yield "document", _kind(content)
    sent, decoded = answer.transferred or content.bytes, content.inflated if content.compressed else content.bytes
    yield "size", f"{sent:,} bytes{f', {decoded:,} inflated' if decoded != sent else ''}"
    if content.kind is not DocumentKind.UNKNOWN:
        yield "encoding", content.encoding
    if content.errors or content.warnings:
        counts = f"{content.errors:,} error{_s(content.errors)}, {content.warnings:,} warning{_s(content.warnings)}"
        stated = content.damage or content.first in why or content.kind is DocumentKind.UNKNOWN
        yield "findings", f"{counts}{'' if stated else f'; {content.first}'} (`sitemap-action validate` shows all)"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def render_json(answer: SitemapAnswer) -> str:
    content = answer.content
    useful, why = verdict(answer)
    document = {
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
        "named_by": [one._asdict() for one in answer.named],
        "not_read": answer.not_read,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
