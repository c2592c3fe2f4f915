"""Taylor series for the built-in models: errors versus tolerances, and work compared with other explicit methods.

python -m tests.benchmarks.series_models [--error 1e-8] [--samples 5] [--models chain,rotor]

The first table has the largest error of q and of v (relative to the largest velocity) at the end, over the tolerance.
The second has the cheapest run of each method whose error is below the requested one, in CPU time of one thread, and
the break-even length of run beyond which series win: the additional time for derivation and compilation divided by the
time saved per second of motion. Everything is measured in one run, compilation without a cache.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import symlie as sl
from symlie.errors import SymlieError
from symlie.models import (
    flying_spaghetti,
    free_rigid_body,
    heavy_top,
    pendulum_chain,
    puma560,
    quadrotors,
    roll_up,
    rotor,
    slider_crank,
)

MODELS: dict[str, tuple[Callable[[], sl.Model], float]] = {
    "heavy_top S3": (lambda: heavy_top.build("S3"), 1.0),
    "heavy_top SO3xR3": (lambda: heavy_top.build("SO3xR3"), 1.0),
    "heavy_top SE3": (lambda: heavy_top.build("SE3"), 1.0),
    "heavy_top TSO3": (lambda: heavy_top.build(formulation="TSO3"), 1.0),
    "free_rigid_body": (lambda: free_rigid_body.build(attitude=True), 10.0),
    "pendulum_chain": (lambda: pendulum_chain.build(links=8), 2.0),
    "pendulum_chain hamiltonian": (lambda: pendulum_chain.build(links=8, formulation="hamiltonian"), 2.0),
    "quadrotors": (lambda: quadrotors.build(control="constant"), 2.0),
    "slider_crank": (slider_crank.build, 1.0),
    "rotor": (rotor.build, 0.01),
    "puma560": (puma560.build, 0.5),
    "roll_up": (lambda: roll_up.build(segments=8), 0.5),
    "flying_spaghetti": (lambda: flying_spaghetti.build(segments=8), 0.5),
}
"""Models with the length of a run, in s."""

OTHERS = ("rkmk_dopri5", "rkmk_rk67", "cf43", "half_explicit_5", "index1_dopri5")
FLOOR = 2.0**-51


@dataclass
class Run:
    """The end of a run with its CPU seconds."""

    q: np.ndarray
    v: np.ndarray
    steps: int
    seconds: float

    def error(self, other: Run) -> float:
        """The largest difference from another run."""
        of_v = np.abs(self.v - other.v).max(initial=0.0) / max(1.0, np.abs(other.v).max(initial=0.0))
        return float(max(np.abs(self.q - other.q).max(), of_v))


def run(system: sl.System, t_end: float, method: str, tolerance: float) -> Run:
    """One with adaptive steps."""
    found = sl.solve(system, t_end, method=method, rtol=tolerance, atol=tolerance, record_every=0)
    return Run(found.q[-1], found.v[-1], found.statistics.steps, found.statistics.cpu_seconds)


def cheapest(system: sl.System, t_end: float, method: str, exact: Run, error: float, samples: int) -> Run | None:
    """The run with the least time whose error is small enough."""
    for tolerance in 10.0 ** np.arange(-3, -15.5, -0.5):
        if tolerance <= FLOOR:
            break
        found = run(system, t_end, method, tolerance)
        if found.error(exact) <= error:
            found.seconds = min(found.seconds, *(run(system, t_end, method, tolerance).seconds for _ in range(samples)))
            return found
    return None


def first_run(build: Callable[[], sl.Model], method: str) -> float:
    """CPU seconds of this process and its compilers until a first step, with nothing cached."""
    before = os.times()
    with tempfile.TemporaryDirectory() as folder:
        kept = os.environ.get("SYMLIE_CACHE")
        os.environ["SYMLIE_CACHE"] = folder
        try:
            sl.solve(build().derive().compile(), 1e-6, method=method, rtol=1e-6, atol=1e-6)
        finally:
            os.environ.pop("SYMLIE_CACHE") if kept is None else os.environ.update(SYMLIE_CACHE=kept)
    return sum(after - was for after, was in zip(os.times()[:4], before[:4], strict=True))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--error", type=float, default=1e-8)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--models", default=",".join(MODELS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    digits = range(3, 16)
    rows, begin = [], time.perf_counter()
    print("| error over tolerance |" + "".join(f" 1e-{k} |" for k in digits))
    print("|---" * (len(digits) + 1) + "|")
    for name in given.models.split(","):
        build, t_end = MODELS[name]
        try:
            system = build().derive().compile()
            exact = run(system, t_end, "taylor", FLOOR)
            found = [run(system, t_end, "taylor", 10.0**-k).error(exact) * 10.0**k for k in digits]
        except SymlieError as error:
            print(f"| {name} | {error} |")
            continue
        print(f"| {name} |" + "".join(f" {x:.2g} |" for x in found), flush=True)
        series = cheapest(system, t_end, "taylor", exact, given.error, given.samples)
        others = {}
        for method in OTHERS:
            try:
                others[method] = cheapest(system, t_end, method, exact, given.error, given.samples)
            except SymlieError:  # methods that do not take the model
                continue
        best = min((m for m in others if others[m]), key=lambda m: others[m].seconds, default=None)
        if series is None or best is None:
            rows.append(f"| {name} | none reaches it |")
            continue
        other = others[best]
        more = first_run(build, "taylor") - first_run(build, best)
        saved = (other.seconds - series.seconds) / t_end
        wins = "never" if saved <= 0 else f"{more / saved:.2g} s" if more > 0 else "the first step"
        rows.append(
            f"| {name} | {series.steps} | {1e3 * series.seconds / t_end:.3g} | {best} | {other.steps} | "
            f"{1e3 * other.seconds / t_end:.3g} | {other.seconds / series.seconds:.1f} | {more:.1f} | {wins} |"
        )
    print(f"\nerror ≤ {given.error:.0e}\n")
    print("| model | steps | ms per s | best other method | steps | ms per s | ratio | first run, s more | wins from |")
    print("|---" * 9 + "|")
    print("\n".join(rows))
    print(f"\n{time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
