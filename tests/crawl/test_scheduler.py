"""Whose turn it is: never more under way than the page limit can count (NET-09, NET-16)."""

import asyncio

from sitemap_action.crawl.scheduler import LevelScheduler, PageBudget
from sitemap_action.crawl.site_walls import FirewallDetector
from sitemap_action.inventory.frontier import QueuedUrl


def rows(*names: str) -> list[QueuedUrl]:
    """Names in capitals are listed by a sitemap of the repository."""
    return [QueuedUrl(number, name, "", name.isupper()) for number, name in enumerate(names)]


async def taken(turns: LevelScheduler, times: int) -> list[str]:
    """What is to be had without waiting for anybody."""
    found = []
    for _ in range(times):
        task = asyncio.create_task(turns.next())
        await asyncio.sleep(0)
        if not task.done():
            task.cancel()
            break
        row = task.result()
        if row is None:
            break
        found.append(row.url)
    return found


def test_urls_under_way_are_reserved() -> None:
    async def story() -> None:
        budget, all_rows = PageBudget(2), rows("a", "b", "c", "d")
        turns = LevelScheduler(iter(all_rows), budget, too_deep=False)
        assert await taken(turns, 9) == ["a", "b"]  # both may turn out to be pages
        turns.done(all_rows[0], page=False)
        assert await taken(turns, 9) == ["c"]
        turns.done(all_rows[1], page=True)
        assert await taken(turns, 9) == []
        turns.done(all_rows[2], page=True)
        assert await turns.next() is None
        assert budget.exhausted

    asyncio.run(story())


def test_named_urls_need_no_budget() -> None:
    async def story() -> None:
        all_rows = rows("a", "B", "c", "D")
        turns = LevelScheduler(iter(all_rows), PageBudget(1), too_deep=False)
        assert await taken(turns, 9) == ["a", "B"]
        turns.done(all_rows[1], page=True)
        turns.done(all_rows[0], page=True)
        assert await taken(turns, 9) == ["D"]

    asyncio.run(story())


def test_a_level_that_is_too_deep_has_named_urls_alone() -> None:
    async def story() -> None:
        turns = LevelScheduler(iter(rows("a", "B", "c")), PageBudget(9), too_deep=True)
        assert await taken(turns, 9) == ["B"]

    asyncio.run(story())


def test_everybody_who_waits_is_woken() -> None:
    async def story() -> list[QueuedUrl | None]:
        all_rows = rows("a", "b", "c", "d")
        turns = LevelScheduler(iter(all_rows), PageBudget(1), too_deep=False)
        assert await turns.next() == all_rows[0]
        waiting = [asyncio.create_task(turns.next()) for _ in range(3)]
        await asyncio.sleep(0)
        turns.done(all_rows[0], page=True)
        return await asyncio.gather(*waiting)

    assert asyncio.run(story()) == [None, None, None]


def test_after_the_end_nobody_has_a_turn() -> None:
    """Neither who asks then nor who has been waiting."""

    async def story() -> list[QueuedUrl | None]:
        all_rows = rows("a", "b", "C")
        turns = LevelScheduler(iter(all_rows), PageBudget(1), too_deep=False)
        assert await turns.next() == all_rows[0]
        waiting = asyncio.create_task(turns.next())
        await asyncio.sleep(0)
        turns.stop()
        turns.done(all_rows[0], page=False)
        return [await waiting, await turns.next()]

    assert asyncio.run(story()) == [None, None]


def test_HTML_40_refusals_count_in_the_order_of_asking() -> None:
    refused = FirewallDetector()
    for url in "abcde":
        refused.requested(url)
    assert refused.answered("d", 403) == ""
    assert refused.answered("c", 403) == ""
    assert refused.answered("e", 403) == ""  # three have come, but who knows what `b` will say
    assert refused.answered("b", 200) == ""
    assert refused.answered("a", 403) == "3 pages that the sitemap lists answered 403 one after the other, the last e"
