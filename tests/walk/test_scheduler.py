"""URLs are handed out in order, and never more than the page limit allows (NET-09, NET-16)."""

import asyncio

from sitemap_action.store.frontier import QueuedUrl
from sitemap_action.walk.frontier import LevelScheduler


def rows(*names: str) -> list[QueuedUrl]:
    """Names in capitals are required URLs."""
    return [QueuedUrl(number, name, "", name.isupper()) for number, name in enumerate(names)]


def level(limit: int, queued: list[QueuedUrl], *, too_deep: bool = False) -> LevelScheduler:
    scheduler = LevelScheduler(limit)
    scheduler.begin_level(iter(queued), too_deep=too_deep)
    return scheduler


async def taken(scheduler: LevelScheduler, times: int) -> list[str]:
    """The URLs that `next` returns without waiting."""
    found = []
    for _ in range(times):
        task = asyncio.create_task(scheduler.next())
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
    async def scenario() -> None:
        all_rows = rows("a", "b", "c", "d")
        scheduler = level(2, all_rows)
        assert await taken(scheduler, 9) == ["a", "b"]  # both may turn out to be pages
        scheduler.release(all_rows[0], page=False)
        assert await taken(scheduler, 9) == ["c"]
        scheduler.release(all_rows[1], page=True)
        assert await taken(scheduler, 9) == []
        scheduler.release(all_rows[2], page=True)
        assert await scheduler.next() is None
        assert not scheduler.pages_left

    asyncio.run(scenario())


def test_required_urls_need_no_budget() -> None:
    async def scenario() -> None:
        all_rows = rows("a", "B", "c", "D")
        scheduler = level(1, all_rows)
        assert await taken(scheduler, 9) == ["a", "B"]
        scheduler.release(all_rows[1], page=True)
        scheduler.release(all_rows[0], page=True)
        assert await taken(scheduler, 9) == ["D"]

    asyncio.run(scenario())


def test_a_level_that_is_too_deep_has_required_urls_only() -> None:
    async def scenario() -> None:
        scheduler = level(9, rows("a", "B", "c"), too_deep=True)
        assert await taken(scheduler, 9) == ["B"]

    asyncio.run(scenario())


def test_all_waiting_calls_are_woken() -> None:
    async def scenario() -> list[QueuedUrl | None]:
        all_rows = rows("a", "b", "c", "d")
        scheduler = level(1, all_rows)
        assert await scheduler.next() == all_rows[0]
        waiting = [asyncio.create_task(scheduler.next()) for _ in range(3)]
        await asyncio.sleep(0)
        scheduler.release(all_rows[0], page=True)
        return await asyncio.gather(*waiting)

    assert asyncio.run(scenario()) == [None, None, None]


def test_a_stopped_scheduler_hands_out_nothing() -> None:
    """Neither to later calls nor to waiting ones."""

    async def scenario() -> list[QueuedUrl | None]:
        all_rows = rows("a", "b", "C")
        scheduler = level(1, all_rows)
        assert await scheduler.next() == all_rows[0]
        waiting = asyncio.create_task(scheduler.next())
        await asyncio.sleep(0)
        scheduler.stop()
        scheduler.release(all_rows[0], page=False)
        return [await waiting, await scheduler.next()]

    assert asyncio.run(scenario()) == [None, None]
