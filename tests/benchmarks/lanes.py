"""SIMD lanes: throughput relative to sequential members, with bit-identical results.

python -m tests.benchmarks.lanes [--samples 5] [--lanes 4]

CPU time of the compiled loops in one thread, least of alternating samples. For registers of AVX2 on a processor with
AVX-512: CC="gcc -mno-avx512f" python -m tests.benchmarks.lanes
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import symlie as sl
from symlie.compile.compiler import vector_numbers
from symlie.models import flying_spaghetti, heavy_top, pendulum_chain
from symlie.runtime.methods.library import method as method_of_name

MEMBERS = 64

CASES: list[tuple[str, Callable[[], sl.Model], str, str, float, float]] = [
    ("heavy top on S³×R³", lambda: heavy_top.build("S3xR3"), "half_explicit_5", "mass", 1.0, 1e-8),
    ("heavy top on S³", lambda: heavy_top.build("S3"), "rkmk_dopri5", "mass", 1.0, 1e-8),
    ("chain of 16 links", lambda: pendulum_chain.build(16), "rkmk_dopri5", "gravity", 1.0, 1e-8),
    ("rod of 16 segments", lambda: flying_spaghetti.build(16), "half_explicit_5", "bending_stiffness", 0.5, 1e-6),
    ("heavy top on S³×R³", lambda: heavy_top.build("S3xR3"), "generalized_alpha", "mass", 1.0, 1e-5),
    ("heavy top on SE(3)", lambda: heavy_top.build("SE3"), "generalized_alpha_index2", "mass", 1.0, 1e-5),
    ("heavy top on S³×R³", lambda: heavy_top.build("S3xR3"), "bdf", "mass", 1.0, 1e-5),
    ("heavy top on T*SO(3)", lambda: heavy_top.build(formulation="TSO3"), "symplectic_theta", "mgl", 1.0, 1e-5),
    ("rod of 16 segments", lambda: flying_spaghetti.build(16), "generalized_alpha", "bending_stiffness", 0.25, 1e-4),
    ("rod of 16 segments", lambda: flying_spaghetti.build(16), "rattlie", "bending_stiffness", 0.25, 1e-4),
]
"""Model, method, the parameter that members differ in, end time in s, and the tolerance of adaptive steps."""

MODIFIED = ("generalized_alpha",)
"""Methods that are also measured with modified Newton."""

STEP = 2.0**-10


def measured(system: sl.System, span: float, lanes: int, words: dict[str, Any]) -> tuple[float, str]:
    """CPU seconds of the loops, and what identifies the bits of the results."""
    result = sl.ensemble(system, span, lanes=lanes, workers=1, **words)
    digest = hashlib.sha256()
    for name, values in result.arrays.items():
        if name not in ("cpu_seconds", "sentence", "exception"):
            digest.update(values.tobytes())
    return float(result.arrays["cpu_seconds"].sum()), digest.hexdigest()


def runs_of(method: str, rtol: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """Fixed and adaptive steps, as far as the method has them, and modified Newton."""
    chosen = method_of_name(method)
    fixed: dict[str, Any] = {"h": STEP, "record_every": 0}
    if not chosen.chooses_order:
        yield "fixed", fixed
    if method in MODIFIED:
        yield "fixed, modified Newton", {**fixed, "method_options": {"newton": "modified"}}
    if chosen.has_estimate:
        yield "adaptive", {"rtol": rtol}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--lanes", type=int, default=vector_numbers("default"))
    given = parser.parse_args()
    print(f"| | steps | throughput of {given.lanes} lanes / one lane | results |\n|---|---|---|---|")
    for name, build, method, parameter, span, rtol in CASES:
        system = build().derive().compile("c")
        stated = system.parameters[system.layout.parameters[parameter][0]]
        values = stated * np.random.default_rng(0).uniform(0.8, 1.2, (MEMBERS, 1))
        for what, steps in runs_of(method, rtol):
            words = {"parameters": {parameter: values}, "method": method, **steps}
            found: dict[int, list[float]] = {1: [], given.lanes: []}
            digests = set()
            for _ in range(given.samples + 1):
                for lanes, times in found.items():
                    seconds, digest = measured(system, span, lanes, words)
                    times.append(seconds)
                    digests.add(digest)
            ratio = min(found[1]) / min(found[given.lanes])
            results = "bit-identical" if len(digests) == 1 else "different"
            print(f"| {name}, {method} | {what} | {ratio:.2f} | {results} |", flush=True)


if __name__ == "__main__":
    main()
