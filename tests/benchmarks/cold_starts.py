"""CPU time of a first run, including child processes of the compiler, compared with an older commit.

git worktree add ../before 2f8272e
python tests/benchmarks/cold_starts.py [../before] [--rounds 3]

Each run has an empty cache and takes a few steps. The two versions alternate; the minimum over all rounds counts.
Python files are compiled to bytecode beforehand, as installers do.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = {
    "heavy top on SE(3)": ["heavy_top", "-o", "group=SE3"],
    "flying spaghetti": ["flying_spaghetti"],
}
"""Words after ``symlie run``."""

T_END = "0.01"
"""In s."""


def children_seconds() -> float:
    """CPU time of ended children and of theirs, in s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def first_run(side: Path, words: list[str], bytecode: str) -> float:
    """Seconds of a run in which nothing is cached."""
    with tempfile.TemporaryDirectory() as folder:
        own = {"PYTHONPATH": str(side), "PYTHONPYCACHEPREFIX": bytecode, "SYMLIE_CACHE": str(Path(folder, "cache"))}
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | own
        command = [sys.executable, "-m", "symlie", "run", *words, "--t-end", T_END]
        before = children_seconds()
        subprocess.run(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, check=True)
        return children_seconds() - before


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?", type=Path, help="working tree of an older commit")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    sides = {"now": Path(__file__).resolve().parents[2]}
    if arguments.before:
        sides = {"before": arguments.before.resolve(), **sides}
    with tempfile.TemporaryDirectory() as bytecode:
        for side in sides.values():
            first_run(side, next(iter(RUNS.values())), bytecode)
        print("| CPU time of a first run, s |" + "".join(f" {name} |" for name in sides))
        print("|---" * (1 + len(sides)) + "|")
        for name, words in RUNS.items():
            rounds = [[first_run(s, words, bytecode) for s in sides.values()] for _ in range(arguments.rounds)]
            print(f"| {name} |" + "".join(f" {min(found):.1f} |" for found in zip(*rounds, strict=True)), flush=True)


if __name__ == "__main__":
    main()
