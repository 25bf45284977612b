"""CPU time of hostile inputs at 1x and 10x, by part of a name or all; a ratio of 10 is linear, one of 100 quadratic.

The process has the memory limit of the tests. Times of a few milliseconds are noise; a row above 12 is marked.
"""

import resource
import sys
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

_NOISE = 0.02  # seconds


def main(part: str = "") -> None:
    import growth_inputs
    import growth_readers

    resource.setrlimit(resource.RLIMIT_AS, (growth_inputs.MEMORY, growth_inputs.MEMORY))
    print(f"memory limit: {growth_inputs.MEMORY / 2**20:,.0f} MiB of address space\n")
    print(f"{'what':<50}{'1x':>10}{'1x ms':>10}{'10x ms':>10}{'ratio':>8}")
    for name, work, parts, make in chain(growth_inputs.rows(), growth_readers.rows()):
        if part in name:
            work(make(1))
            one, ten = (growth_inputs.seconds(work, make(count), 3) for count in (parts, 10 * parts))
            mark = "  over 12" if ten > 12 * max(one, _NOISE) else ""
            print(f"{name:<50}{parts:>10,}{one * 1000:>10.1f}{ten * 1000:>10.1f}{ten / one:>8.1f}{mark}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
