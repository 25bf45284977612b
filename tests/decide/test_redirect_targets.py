"""Where a lost page is redirected to: what is certain, what a person chooses, and what nobody knows."""

import random

import pytest

from fakes import at
from outcomes import removed
from sitemap_action.decide.changes import _MOST_RUNS, TargetEvidence, TextIndex, needs_redirect, propose_targets
from sitemap_action.model.site import ProposedRedirect

OLD, NEW, OTHER = at("/old/"), at("/new/"), at("/other/")
WORDS = [f"word{number}" for number in range(400)]


def text(*numbers: int) -> str:
    """A text of passages that share no run of words."""
    return " ".join(" ".join(f"{word}x{number}" for word in WORDS[:40]) for number in numbers)


def propose(known: TargetEvidence, *, allowed: frozenset[str] = frozenset({NEW, OTHER})) -> ProposedRedirect:
    (found,) = propose_targets([OLD], known, allowed.__contains__)
    return found


# evidence, kind and target
EVIDENCE = [
    (TargetEvidence(), "none", ""),
    (TargetEvidence(moved={OLD: NEW}), "certain", NEW),
    (TargetEvidence(renamed={OLD: NEW}), "certain", NEW),
    (TargetEvidence(same={OLD: NEW}), "certain", NEW),
    # the surest counts
    (TargetEvidence(moved={OLD: NEW}, renamed={OLD: OTHER}), "certain", NEW),
    (TargetEvidence(renamed={OLD: NEW}, same={OLD: OTHER}), "certain", NEW),
    # what may be no target is none: the start page, a page that redirects or is not listed, the page itself
    (TargetEvidence(moved={OLD: at("/")}, renamed={OLD: OTHER}), "certain", OTHER),
    (TargetEvidence(renamed={OLD: at("/")}), "none", ""),
    (TargetEvidence(renamed={OLD: OLD}), "none", ""),
    # the text: at least 0.4 of the old page
    (TargetEvidence(old_texts={OLD: text(1, 2)}, new_texts={NEW: text(1)}), "choose", NEW),
    (TargetEvidence(old_texts={OLD: text(1, 2, 3)}, new_texts={NEW: text(1)}), "none", ""),
    (TargetEvidence(old_texts={OLD: text(1, 2)}, new_texts={at("/"): text(1, 2), NEW: text(1)}), "choose", NEW),
    # the second at most 0.8 of the first
    (TargetEvidence(old_texts={OLD: text(1, 2, 3)}, new_texts={NEW: text(1, 2, 3), OTHER: text(1, 2)}), "choose", NEW),
    (TargetEvidence(old_texts={OLD: text(1, 2)}, new_texts={NEW: text(1, 2), OTHER: text(1, 2)}), "none", ""),
    # a heading alone proves nothing
    (TargetEvidence(old_texts={OLD: "one two three four five six"}, new_texts={NEW: text(1)}), "none", ""),
    # certain knowledge beside a text
    (TargetEvidence(renamed={OLD: NEW}, old_texts={OLD: text(1)}, new_texts={OTHER: text(1)}), "certain", NEW),
]


@pytest.mark.parametrize(("known", "kind", "target"), EVIDENCE)
def test_the_surest_evidence_counts(known: TargetEvidence, kind: str, target: str) -> None:
    found = propose(known)
    assert (found.kind, found.target) == (kind, target)
    assert found.why


def test_further_candidates_are_named_with_their_shares() -> None:
    new = {NEW: text(1, 2, 3, 4), OTHER: text(1, 2, 3), at("/third/"): text(5, 9)}
    found = propose(TargetEvidence(old_texts={OLD: text(1, 2, 3, 4)}, new_texts=new))
    assert (found.target, round(found.share, 1)) == (NEW, 1.0)
    assert [(url, round(share, 1)) for url, share in found.others] == [(OTHER, 0.7)]
    assert found.describe().startswith(f"it may be redirected to {NEW}: 100% of its text is there; or to {OTHER} (")


def test_why_nothing_is_known_is_said() -> None:
    assert propose(TargetEvidence(unread="there is no git repository here")).why == "there is no git repository here"
    assert (
        "several pages"
        in propose(TargetEvidence(old_texts={OLD: text(1)}, new_texts={NEW: text(1), OTHER: text(1)})).why
    )


def test_runs_that_many_pages_share_are_boilerplate() -> None:
    pages = {at(f"/{number}/"): f"{text(0)} {text(number)}" for number in range(1, 200)}
    ((best, share), *_) = TextIndex(pages).find(f"{text(0)} {text(7)}")
    assert (best, share > 0.8) == (at("/7/"), True)


def test_of_long_texts_a_part_counts_and_finds_the_same_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemap_action.decide.changes._MOST_RUNS", _MOST_RUNS // 10)
    numbers = random.Random(40)
    pages = {at(f"/{one}/"): " ".join(f"w{numbers.random()}" for _ in range(2_000)) for one in range(100)}
    index = TextIndex(pages, 1_000_000)
    assert index.find(pages[at("/64/")])[0] == (at("/64/"), 1.0)
    assert len(index._pages) < 100 * 2_000 // 2


# class of a lost page, whether it may get a redirect: what is there, or redirects, is a person's to change
CLASSES = [
    ("gone", True),
    ("soft-404", True),
    ("redirect-broken", False),
    ("moved-home", False),
    ("moved-temporary", False),
    ("moved", False),
    ("deindexed", False),
    ("dropped", False),
    ("undetermined", False),
]


@pytest.mark.parametrize(("reason", "needed"), CLASSES)
def test_a_page_at_which_nothing_answers_needs_one(reason: str, needed: bool) -> None:
    assert needs_redirect(removed("/old/", reason)) is needed


def test_what_is_declared_gone_needs_none() -> None:
    assert not needs_redirect(removed("/old/", "gone", status=410))
    assert not needs_redirect(removed("/old/", "gone", acknowledged="the sale is over"))
