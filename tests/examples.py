"""How many examples a random test draws: a fifth of them with each commit, all of them at night (`nightly.yml`)."""

import os

PERCENT = int(os.environ.get("SITEMAP_ACTION_EXAMPLES") or 20)


def share(every: int) -> int:
    return max(1, every * PERCENT // 100)
