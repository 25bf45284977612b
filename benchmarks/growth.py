"""CPU time of hostile inputs at 1x and 10x, by part of a name or all; a ratio of 10 is linear, one of 100 quadratic."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))


def main(part: str = "") -> None:
    from growth_inputs import rows, seconds

    print(f"{'what':<50}{'1x ms':>10}{'10x ms':>10}{'ratio':>8}")
    for name, work, parts, make in rows():
        if part in name:
            one, ten = seconds(work, make(parts), 5), seconds(work, make(10 * parts), 3)
            print(f"{name:<50}{one * 1000:>10.1f}{ten * 1000:>10.1f}{ten / one:>8.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
