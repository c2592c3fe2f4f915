"""Compare random models with their transformations: ``python -m tests.metamorphic.run --seeds 0:2000 --out FILE``.

Every seed adds a line of JSON to the file; seeds that it contains already are left out, so that a run can be resumed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from tests.flags import set_flags
from tests.metamorphic.comparing import Judge
from tests.metamorphic.transformations import TRANSFORMATIONS

EVERY = 10
"""Single transformations are applied to each n-th seed; all at once to every seed."""


AT_REST = 4
"""Equilibria are compared under each n-th transformation of a seed; of small mechanisms under all."""


def applied(seed: int) -> list[str]:
    """Names of the transformations of a seed."""
    return [name for k, name in enumerate(TRANSFORMATIONS) if name == "everything" or (seed + k) % EVERY == 0]


def judged(seed: int, names: list[str] | None = None) -> dict[str, Any]:
    """All verdicts on a seed."""
    begin = time.process_time()
    line: dict[str, Any] = {"seed": seed, "disagreements": {}}
    judge = Judge(seed)
    for k, name in enumerate(applied(seed) if names is None else names):
        try:
            verdict = judge.judge(name, at_rest=judge.mechanism.is_small or (seed + k) % AT_REST == 0)
        except Exception as error:
            line["disagreements"][name] = [f"{type(error).__name__}: {error}"[:300], traceback.format_exc()[-600:]]
            continue
        line.setdefault("worst", {})[name] = float(f"{verdict.worst:.2g}")
        line["refused"] = verdict.is_refused
        if verdict.equilibria:
            line.setdefault("equilibria", {})[name] = [verdict.equilibria, float(f"{verdict.worst_at_rest:.2g}")]
        if verdict.disagreements:
            line["disagreements"][name] = verdict.disagreements[:6]
    return line | {"seconds": round(time.process_time() - begin, 2)}


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:2000", help="first seed, and the one after the last, as in 0:2000")
    parser.add_argument("--out", type=Path, required=True, help="file of JSON lines")
    parser.add_argument("--only", nargs="*", choices=list(TRANSFORMATIONS), help="transformations; all by default")
    options = parser.parse_args()
    set_flags(as_users=False)
    first, end = (int(x) for x in options.seeds.split(":"))
    lines = [json.loads(text) for text in options.out.read_text().splitlines()] if options.out.exists() else []
    done = {line["seed"] for line in lines}
    for seed in range(first, end):
        if seed in done:
            continue
        lines.append(line := judged(seed, options.only))
        with options.out.open("a") as file:
            file.write(json.dumps(line) + "\n")
        if line["disagreements"]:
            print(json.dumps(line), file=sys.stderr, flush=True)
    lines = [line for line in lines if first <= line["seed"] < end]
    failed = Counter(name for line in lines for name in line["disagreements"])
    print(f"{sum(not line['disagreements'] for line in lines)} of {len(lines)} models agree; {dict(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
