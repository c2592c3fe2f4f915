"""Taylor series of rods: CPU time for a final error, compared with half-explicit methods.

python -m tests.benchmarks.taylor_rods [--segments 16] [--end 5] [--error 1e-8] [--samples 3]

A free rod of ten metres as in `symlie.models.flying_spaghetti`, driven by smooth loads at its end. For each method the
cheapest run is shown whose largest error of q is below the requested one, relative to a run by series with a tolerance
of 1e-13; samples alternate in one process, and the minimum of each counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

import symlie as sl

LENGTH = 10.0


def driven_rod(segments: int, constraint: str) -> sl.Model:
    """The rod."""
    model = sl.Model("driven_rod")
    rod = sl.CosseratRod(
        model,
        "rod",
        segments=segments,
        length=LENGTH,
        stiffness=[500, 500, 500, 1e4, 1e4, 1e4],
        inertia=[10, 10, 10, 1, 1, 1],
        position=lambda s: (6 - 6 * s / LENGTH, 8 * s / LENGTH, 0),
        orientation=(0.5**0.5, -0.8 * 0.5**0.5, -0.6 * 0.5**0.5, 0),
        constraint=constraint,
    )
    load = 200 * sl.sin(sl.pi * model.time / 5) ** 2
    end = sl.ElementType("end", first=sl.S3sR3)
    end.force(load * sl.vector(0.1, 0, 0), at=end.first.x)
    end.torque(load * sl.vector(0, -0.5, -1), on=end.first)
    model.add(end, [(rod.nodes[0],)])
    return model


def runs(system: sl.System, end: float, expected: np.ndarray, largest: float) -> dict[str, dict[str, object]]:
    """Of each method the options of its cheapest run that is accurate."""
    tolerances = [10.0 ** (-k / 2) for k in range(10, 26)]
    found: dict[str, dict[str, object]] = {}
    for method, orders in (("taylor", (None, 12, 16, 20, 24, 30)), ("half_explicit_5", (None,))):
        least = float("inf")
        for order in orders:
            for rtol in tolerances:
                options: dict[str, object] = {"method": method, "rtol": rtol, "atol": rtol, "record_every": 0}
                if order is not None:
                    options["method_options"] = {"order": order}
                run = sl.solve(system, end, **options)
                error = float(np.abs(run.q[-1] - expected).max())
                if error <= largest:
                    if run.statistics.cpu_seconds < least:
                        least, found[method] = run.statistics.cpu_seconds, {**options, "error": error}
                    break
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=16)
    parser.add_argument("--end", type=float, default=5.0)
    parser.add_argument("--error", type=float, default=1e-8)
    parser.add_argument("--samples", type=int, default=3)
    given = parser.parse_args(arguments)
    print("| constraint | method | tolerance | order | steps | error | s | ratio |\n|---|---|---|---|---|---|---|---|")
    for constraint in ("none", "kirchhoff", "inextensible"):
        system = driven_rod(given.segments, constraint).derive().compile()
        expected = sl.solve(system, given.end, method="taylor", rtol=1e-13, atol=1e-13, record_every=0).q[-1]
        chosen = runs(system, given.end, expected, given.error)
        errors = {method: options.pop("error") for method, options in chosen.items()}
        seconds, steps = {m: float("inf") for m in chosen}, dict[str, int]()
        for _ in range(given.samples):
            for method, options in chosen.items():
                run = sl.solve(system, given.end, **options)
                seconds[method] = min(seconds[method], run.statistics.cpu_seconds)
                steps[method] = run.statistics.steps
        for method, options in chosen.items():
            order = options.get("method_options", {"order": ""})["order"]
            ratio = seconds[method] / seconds["half_explicit_5"]
            print(
                f"| {constraint} | {method} | {options['rtol']:.0e} | {order} | {steps[method]} | {errors[method]:.0e} "
                f"| {seconds[method]:.3f} | {ratio:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
