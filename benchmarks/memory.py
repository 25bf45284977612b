"""Memory that writing keeps beside the bytes of the files, from 50,000 to 1,000,000 URLs: its ratio should be near 1.

Each row is a process of its own. The first row of a block is a first write, the second one writes what is committed in
files of 50,000 again. `tests/sitemap/test_split.py` asserts the same of smaller numbers.
"""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
COUNTS = (50_000, 1_000_000)


def main(*arguments: str) -> None:
    if arguments:
        from writing_memory import held

        print(*held(int(arguments[0]), again=arguments[1] == "again"))
        return
    print(f"{'URLs':>10}  {'':12}{'files':>12}{'beside them':>14}{'ratio':>8}")
    for how in ("first", "again"):
        base = 0.0
        for count in COUNTS:
            command = [sys.executable, __file__, str(count), how]
            most, size, _ = map(float, subprocess.run(command, check=True, capture_output=True).stdout.split())
            base = base or most
            print(f"{count:>10,}  {how:12}{size / 2**20:>8.1f} MiB{most / 2**20:>10.2f} MiB{most / base:>8.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
