"""Run quick tests with mutations of symlie: ``python -m tests.mutations.run --seeds 0:200 --out FILE``.

First, one run of the quick tests records the tests that reach each mutation. Every mutation then adds a line of JSON
to the file; those that it contains already are left out, so that a run can be resumed. Tests that reach the changed
code run first, then files that share most words with it. ``--again`` repeats undetected mutations with more tests.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import hashlib
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.mutations.attempts import first_failure, load_packages
from tests.mutations.drawing import mutation as drawn
from tests.mutations.mutation import Mutation
from tests.mutations.reach import Reach, record
from tests.mutations.selection import similar_tests
from tests.mutations.workplace import Workplace, workplace


@dataclasses.dataclass(frozen=True)
class Allowance:
    """Largest number of tests that reach a mutation, and of similar files, each with a processor time in s."""

    tests: int
    tests_time: float
    files: int
    files_time: float


FIRST = Allowance(40, 20.0, 3, 6.0)
AGAIN = Allowance(600, 120.0, 30, 60.0)

KEEPS_MODELS = (
    *(f"symlie/{name}/" for name in ("runtime", "ensembles", "importing", "cli", "export", "certify")),
    *(f"templates/c/{name}/" for name in ("driver", "implicit", "linear", "methods", "adjoint", "export")),
)
"""Code that changes neither derived nor emitted models, so that models of other mutations are used."""


def keeps_models(mutation: Mutation) -> bool:
    """Return whether derived and emitted models are the same with a mutation."""
    return mutation.path.startswith(KEEPS_MODELS) or (
        mutation.path.startswith("templates/c/") and mutation.path.endswith(".h") and "interface" not in mutation.path
    )


def outcome(
    place: Workplace, cache: Path, mutation: Mutation, reached: Callable[[list[str]], list[str]], *, again: bool = False
) -> dict[str, Any]:
    """Return a mutation and the test that detects it, if any.

    Parameters
    ----------
    place
        Copy of the repository.
    cache
        Cache of models that mutations keep.
    mutation
        Change of a file.
    reached
        Function that returns the tests that reach the mutation, in the order of the given files.
    again
        Whether more tests are run.
    """
    begin = time.perf_counter()
    source = (place.root / mutation.path).read_bytes()
    line = mutation.line(source)
    result: dict[str, Any] = {
        "kind": mutation.kind,
        "path": mutation.path,
        "line": line,
        "change": f"{mutation.before} -> {mutation.after}",
        "text": source.splitlines()[line - 1].decode().strip(),
    }
    own = place.scratch / "cache"
    files = similar_tests(place.root, mutation, source)
    tests = reached(files)
    allowance = AGAIN if again else FIRST
    attempts = [
        (tests[: allowance.tests], allowance.tests_time),
        (files[: allowance.files], allowance.files_time),
    ]
    result |= {"reached": len(tests), "detected": None}
    kept = keeps_models(mutation)
    digest = "unmodified" if kept else hashlib.sha256(repr(mutation).encode()).hexdigest()[:16]
    with place.changed(mutation, digest):
        environment = place.environment(cache if kept else own)
        for names, seconds in attempts:
            if not names:
                continue
            found = first_failure(place.root, environment, ["--covering", *names], seconds, place.scratch / "log")
            if found is not None:
                result["detected"] = dataclasses.asdict(found)
                break
    shutil.rmtree(own, ignore_errors=True)
    return result | {"seconds": round(time.perf_counter() - begin, 1)}


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:200", help="first mutation, and the one after the last, as in 0:200")
    parser.add_argument("--out", type=Path, required=True, help="file of JSON lines")
    parser.add_argument(
        "--reach", type=Path, default=Path(".mutations.reach"), help="file of tests that reach mutations"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="processes of the run that records them")
    parser.add_argument("--cache", type=Path, default=Path(".mutations"), help="cache of models that mutations keep")
    parser.add_argument("--again", action="store_true", help="repeat undetected mutations with more tests")
    options = parser.parse_args()
    first, end = (int(x) for x in options.seeds.split(":"))
    texts = options.out.read_text().splitlines() if options.out.exists() else []
    lines = {line["seed"]: line for line in map(json.loads, texts)}
    load_packages()
    with workplace() as place:
        if not options.reach.exists():
            mutations = {seed: drawn(place.root, seed) for seed in range(first, end)}
            record(place, mutations, options.reach.absolute(), options.processes)
        reach = Reach.read(options.reach)
        for seed in range(first, end):
            known = lines.get(seed)
            if known is not None and not (options.again and known["detected"] is None):
                continue
            reached = functools.partial(reach.ordered, seed)
            found = outcome(place, options.cache.absolute(), drawn(place.root, seed), reached, again=options.again)
            lines[seed] = {"seed": seed, **found}
            with options.out.open("a") as file:
                file.write(json.dumps(lines[seed]) + "\n")
    chosen = [line for seed, line in lines.items() if first <= seed < end]
    for tree in ("symlie", "templates"):
        drawn_here = [line for line in chosen if line["path"].startswith(tree)]
        for state, counted in (("drawn", drawn_here), ("detected", [x for x in drawn_here if x["detected"]])):
            print(f"{tree}, {state}: {len(counted)} {dict(Counter(line['kind'] for line in counted))}")
    for line in chosen:
        if line["detected"] is None:
            print(f"undetected: {line['seed']} {line['path']}:{line['line']}: {line['change']}: {line['text']}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
