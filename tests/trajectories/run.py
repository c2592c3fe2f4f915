"""Judge random models against the oracle: ``python -m tests.trajectories.run --seeds 0:1000 --out FILE``.

Every seed adds a line of JSON to the file; seeds that it has already are left out, so that a run can be resumed. Every
fifth seed is judged in C, too. ``--summary FILE`` writes what became of all of them.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import symlie as sl
from tests import tolerances
from tests.trajectories.draw import draw
from tests.trajectories.judge import judge

COMPILED = 5
"""Every how many seeds are judged in C, too."""


def judged(seed: int) -> dict[str, Any]:
    """Result of a seed."""
    begin = time.process_time()
    line: dict[str, Any] = {"seed": seed}
    try:
        drawn = draw(seed)
        line |= {"drawn": drawn.seed, "categories": sorted(drawn.categories), "c": seed % COMPILED == 0}
        verdict = judge(drawn, compiled=seed % COMPILED == 0)
        line |= {"differences": {k: float(f"{d:.2g}") for k, d in verdict.differences.items()}}
        line |= {"backends": float(f"{verdict.backends:.2g}"), "refined": verdict.refined}
        line["disagreements"] = verdict.disagreements(tolerances.TRAJECTORY)
    except Exception as error:
        line["error"] = f"{type(error).__name__}: {error}"[:500]
        line["where"] = traceback.format_exc()[-600:]
    return line | {"seconds": round(time.process_time() - begin, 2)}


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts by category, and the worst cases."""
    worst: dict[str, float] = {}
    for line in lines:
        for name, difference in line.get("differences", {}).items():
            worst[name] = max(worst.get(name, 0.0), difference)
    seeds = sorted(line["seed"] for line in lines)
    kinds = Counter(c for line in lines for c in line.get("categories", ()))
    return {
        "seeds": f"{seeds[0]}:{seeds[-1] + 1}",
        "models": len(lines),
        "in_c": sum(bool(line.get("c")) for line in lines),
        "agreed": sum("error" not in line and not line["disagreements"] for line in lines),
        "disagreements": [line["seed"] for line in lines if line.get("disagreements")],
        "errors": {str(line["seed"]): line["error"] for line in lines if "error" in line},
        "run_again_finer": sum(bool(line.get("refined")) for line in lines),
        "worst_differences": dict(sorted(worst.items())),
        "worst_c_against_numpy": max((line.get("backends", 0.0) for line in lines), default=0.0),
        "allowed": tolerances.TRAJECTORY,
        "versions": {"symlie": sl.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "categories": dict(sorted(kinds.items())),
    }


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:1000", help="first and behind the last, as in 0:1000")
    parser.add_argument("--out", type=Path, required=True, help="file of JSON lines")
    parser.add_argument("--summary", type=Path, help="file for the summary of all lines")
    words = parser.parse_args()
    first, end = (int(x) for x in words.seeds.split(":"))
    done = {json.loads(line)["seed"] for line in words.out.read_text().splitlines()} if words.out.exists() else set()
    for seed in range(first, end):
        if seed in done:
            continue
        line = judged(seed)
        with words.out.open("a") as file:
            file.write(json.dumps(line) + "\n")
        if "error" in line or line["disagreements"]:
            print(json.dumps(line), file=sys.stderr, flush=True)
    lines = [json.loads(text) for text in words.out.read_text().splitlines()]
    lines = [line for line in lines if first <= line["seed"] < end]
    found = summary(lines)
    if words.summary:
        words.summary.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    print(f"{found['agreed']} of {found['models']} models agree; {len(found['errors'])} errors")
    return 0 if found["agreed"] == found["models"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
