"""Judge many mistakes: ``python -m tests.mistakes.run --count 1000 --seed 1``.

Case k is drawn from the seed ``SEED:k``, so any range of them can be judged alone: ``--first 500 --count 100``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from tests.mistakes.draw import drawn_case
from tests.mistakes.judge import judge


def findings(seed: int, first: int, count: int) -> Iterator[str]:
    """Problems of the cases ``seed:first`` … ``seed:first+count-1``."""
    for number in range(first, first + count):
        case = drawn_case(seed, number)
        found = judge(case)
        if found is not None:
            words = " ".join(word if len(word) < 80 else f"{word[:40]}…" for word in case.words)
            yield f"{seed}:{number} {words!r}: {found}"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    words = parser.parse_args()
    start, found = time.process_time(), 0
    for finding in findings(words.seed, words.first, words.count):
        found += 1
        print(finding, flush=True)
    print(f"{words.count} cases, {found} findings, {time.process_time() - start:.0f} s", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
