"""Judge many random models: ``python -m tests.random.run --count 2000 --seed 1``.

Model k is drawn from the seed ``SEED:k``, so any range of them can be judged alone: ``--first 500 --count 100``.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field

from symlie.errors import SymlieError
from tests.random.generator import random_model
from tests.random.judge import KINDS, judge, judge_run


@dataclass
class Outcome:
    """Results of some models."""

    models: int = 0
    compiled: int = 0
    run: int = 0
    disagreements: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Named errors."""
    crashes: list[str] = field(default_factory=list)
    """Any other exception, with its traceback."""
    kinds: Counter[str] = field(default_factory=Counter)


def judge_many(
    seed: int, first: int, count: int, *, compile_every: int, run_every: int, states: int, tell: bool = False
) -> Outcome:
    """Judge the models ``seed:first`` … ``seed:first+count-1``."""
    outcome = Outcome()
    start = time.process_time()
    for k in range(first, first + count):
        name = f"{seed}:{k}"
        source = random.Random(name)
        try:
            outcome.models += 1
            drawn = random_model(source)
            outcome.kinds.update(set(drawn.notes))
            label = f"{name} ({', '.join(drawn.notes)})"
            kinds = [list(KINDS)[(k + j) % len(KINDS)] for j in range(0, 2 * states, 2)] if states < 4 else list(KINDS)
            compiles = compile_every > 0 and k % compile_every == 0
            findings = judge(drawn, source, kinds=kinds, compile_kernels=compiles)
            outcome.compiled += compiles
            outcome.disagreements += [f"{label}: {finding}" for finding in findings]
            if run_every > 0 and k % run_every == 0:
                outcome.run += 1
                outcome.disagreements += [f"{label}: {finding}" for finding in judge_run(drawn)]
        except SymlieError as error:
            outcome.refused.append(f"{name}: {type(error).__name__}: {error}")
        except Exception:
            outcome.crashes.append(f"{name}:\n{traceback.format_exc()}")
        if tell and (k + 1 - first) % 50 == 0:
            print(f"{k + 1 - first} of {count}, {time.process_time() - start:.0f} s, "
                  f"{len(outcome.disagreements)} disagreements, {len(outcome.refused)} refused, "
                  f"{len(outcome.crashes)} crashes", file=sys.stderr, flush=True)  # fmt: skip
    return outcome


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--compile-every", type=int, default=4, help="share of models whose kernels are compiled")
    parser.add_argument("--run-every", type=int, default=40, help="share of models that take steps in both backends")
    parser.add_argument("--states", type=int, default=2, help="states per model")
    words = parser.parse_args()
    outcome = judge_many(
        words.seed, words.first, words.count, compile_every=words.compile_every, run_every=words.run_every,
        states=words.states, tell=True,
    )  # fmt: skip
    for line in (*outcome.disagreements, *outcome.refused, *outcome.crashes):
        print(line)
    print(
        f"{outcome.models} models (seed {words.seed}, from {words.first}): {outcome.compiled} compiled, "
        f"{outcome.run} run; {len(outcome.disagreements)} disagreements, {len(outcome.refused)} refused, "
        f"{len(outcome.crashes)} crashes"
    )
    for kind, number in sorted(outcome.kinds.items(), key=lambda item: -item[1]):
        print(f"  {number:5d} {kind}")
    return 1 if outcome.disagreements or outcome.crashes or outcome.refused else 0


if __name__ == "__main__":
    raise SystemExit(main())
