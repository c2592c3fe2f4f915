"""Taylor series: CPU time for an error at the end of a motion, beside other methods and, where installed, heyoka.

python -m tests.benchmarks.taylor [heyoka] [--samples 20] [--error 1e-10]

Of each method the cheapest run is shown whose largest error of the quaternion is below the one asked for. CPU time of
the loops in one thread, least of samples that alternate; heyoka integrates the free top in unit quaternions.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import symlie as sl
from symlie.models import heavy_top
from tests.benchmarks.ensemble_peers import MASS, START, rates
from tests.systems import heavy_top_reference

GRAVITY = 9.81
TOLERANCES = [10.0 ** (-k / 2) for k in range(12, 31)]


@dataclass
class Run:
    """A run that can be repeated: it gives its CPU seconds, its quaternion at the end, and its steps."""

    name: str
    sample: Callable[[], tuple[float, np.ndarray, int]]


def of_symlie(system: sl.System, method: str, rtol: float, order: int | None = None) -> Run:
    """One by a method of symlie with adaptive steps."""
    options = {"order": order} if method == "taylor" else None

    def sample() -> tuple[float, np.ndarray, int]:
        found = sl.solve(system, 1.0, method=method, method_options=options, rtol=rtol, atol=rtol, record_every=0)
        return found.statistics.cpu_seconds, found.q[-1][:4], found.statistics.steps

    return Run(f"{method}, {rtol:.0e}" + (f", order {order}" if order else ""), sample)


def of_heyoka(tolerance: float) -> Run:
    """The free top in heyoka."""
    import heyoka

    names = heyoka.make_vars("w", "x", "y", "z", "a", "b", "c")
    found = rates(np.array(names, dtype=object), MASS * GRAVITY)
    integrator = heyoka.taylor_adaptive(list(zip(names, found, strict=True)), START, tol=tolerance)

    def sample() -> tuple[float, np.ndarray, int]:
        integrator.time, integrator.state[:] = 0.0, START
        begin = time.thread_time()
        steps = integrator.propagate_until(1.0)[3]
        return time.thread_time() - begin, integrator.state[:4].copy(), steps

    return Run(f"heyoka, {tolerance:.0e}", sample)


def cheapest(runs: list[Run], expected: np.ndarray, largest: float) -> tuple[Run, float, int] | None:
    """The run with the least time of those that are accurate, with its error and steps."""
    found = []
    for run in runs:
        _, p, steps = run.sample()
        error = min(float(np.abs(p - sign * expected).max()) for sign in (1, -1))
        if error <= largest:
            found.append((run, min(run.sample()[0] for _ in range(5)), error, steps))
    best = min(found, key=lambda row: row[1], default=None)
    return None if best is None else (best[0], best[2], best[3])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peers", nargs="*", choices=["heyoka"])
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--error", type=float, default=1e-10)
    given = parser.parse_args()
    expected = heavy_top_reference("1.0")["quaternion"]
    systems = {
        "S³": heavy_top.build("S3"),
        "S³×R³, x - R X": heavy_top.build("S3xR3", constraint_frame="space"),
        "S³×R³, Rᵀx - X": heavy_top.build("S3xR3"),
    }
    cases: dict[str, list[Run]] = {}
    if "heyoka" in given.peers:
        cases["heyoka, free top"] = [of_heyoka(rtol) for rtol in TOLERANCES]
    for name, model in systems.items():
        system = model.derive().compile()
        orders = (None, 20, 24, 28, 32, 36)
        cases[f"taylor, {name}"] = [of_symlie(system, "taylor", rtol, n) for rtol in TOLERANCES for n in orders]
        other = "rkmk_dopri5" if name == "S³" else "half_explicit_5"
        cases[f"{other}, {name}"] = [of_symlie(system, other, rtol) for rtol in TOLERANCES]
    chosen = {name: cheapest(runs, expected, given.error) for name, runs in cases.items()}
    seconds = {name: float("inf") for name in cases}
    for _ in range(given.samples):
        for name, row in chosen.items():
            if row is not None:
                seconds[name] = min(seconds[name], row[0].sample()[0])
    first = next(iter(seconds.values()))
    print(f"error at t = 1 s below {given.error:.0e}\n")
    print("| | tolerance | steps | error | µs | ratio |\n|---|---|---|---|---|---|")
    for name, row in chosen.items():
        if row is None:
            print(f"| {name} | none reaches it | | | | |")
            continue
        tolerance = ",".join(row[0].name.split(",")[1:])
        time_of = seconds[name]
        print(f"| {name} |{tolerance} | {row[2]} | {row[1]:.0e} | {1e6 * time_of:.1f} | {time_of / first:.2f} |")


if __name__ == "__main__":
    main()
