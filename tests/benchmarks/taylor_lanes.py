"""Taylor series in SIMD lanes, compared with sequential members and, if installed, heyoka.

python -m tests.benchmarks.taylor_lanes [heyoka] [--samples 20] [--error 1e-10] [--members 64] [--lanes 8]

Tops with a fixed point in unit quaternions, each with a different moment of gravity: the model of the library, with
gravity and lever as vector parameters, and one formulated as for heyoka, with a scalar moment and numbers. For each
program the cheapest run whose largest error of all quaternions is below the requested one is selected over tolerances
and, for symlie, orders; all then alternate. CPU time of the loops in one thread per member, minimum of all samples.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import symlie as sl
from symlie.compile.compiler import vector_numbers
from symlie.models import heavy_top
from tests.benchmarks.ensemble_peers import INERTIA, MASS, SPIN, START, rates

GRAVITY = 9.81
ORDERS = (None, 20, 24, 28, 32, 36)
TOLERANCES = [10.0 ** (-k / 2) for k in range(14, 25)]


@dataclass
class Run:
    """A run that can be repeated: it gives CPU seconds and the quaternions at the end."""

    name: str
    sample: Callable[[], tuple[float, NDArray[np.float64]]]


def top_with_a_moment() -> sl.Model:
    """The top whose only parameter is its moment of gravity."""
    model = sl.Model("top_with_a_moment")
    moment = model.parameter("moment", MASS * GRAVITY, unit="N m")
    q = model.node("top", "S3")
    model.kinetic_energy(q.Omega.dot(sl.diag(sl.vector(*INERTIA)) * q.Omega) / 2)
    model.potential_energy(moment * (q.R * sl.vector(0, 1, 0))[2])
    model.initial(q, Omega=SPIN)
    return model


def of_symlie(
    system: sl.System, parameters: dict[str, NDArray[np.float64]], lanes: int, rtol: float, order: int | None
) -> Run:
    """Members with so many lanes."""
    words = {
        "parameters": parameters,
        "method": "taylor",
        "method_options": {"order": order} if order else None,
        "rtol": rtol,
        "atol": rtol,
        "t_eval": [1.0],
        "record": ["top"],
        "workers": 1,
    }

    def sample() -> tuple[float, NDArray[np.float64]]:
        found = sl.ensemble(system, 1.0, lanes=lanes, **words)
        return float(found.arrays["cpu_seconds"].sum()), found.arrays["top.p"][:, 0]

    return Run(f"{rtol:.0e}" + (f", order {order}" if order else ""), sample)


def of_heyoka(gravity: NDArray[np.float64], lanes: int) -> list[Run]:
    """Batches of so many members, for all tolerances."""
    import heyoka

    names = heyoka.make_vars("w", "x", "y", "z", "a", "b", "c")
    equations = list(zip(names, rates(np.array(names, dtype=object), heyoka.par[0]), strict=True))
    batches = (MASS * gravity).reshape(-1, lanes)
    start = np.repeat(np.array(START)[:, None], lanes, axis=1)
    runs = []
    for tolerance in TOLERANCES:
        batch = heyoka.taylor_adaptive_batch(equations, start.copy(), pars=batches[:1].copy(), tol=tolerance)

        def sample(batch: heyoka.taylor_adaptive_batch = batch) -> tuple[float, NDArray[np.float64]]:
            seconds, ends = 0.0, []
            for moments in batches:
                batch.set_time(0.0)
                batch.state[:], batch.pars[:] = start, moments
                begin = time.thread_time()
                batch.propagate_until(1.0)
                seconds += time.thread_time() - begin
                ends.append(batch.state[:4].T.copy())
            return seconds, np.concatenate(ends)

        runs.append(Run(f"{tolerance:.0e}", sample))
    return runs


def cheapest(runs: list[Run], expected: NDArray[np.float64], largest: float) -> tuple[Run, float] | None:
    """The run with the least time of those that are accurate, with its error."""
    found = []
    for run in runs:
        seconds, p = run.sample()
        error = float(np.minimum(np.abs(p - expected).max(axis=1), np.abs(p + expected).max(axis=1)).max())
        if error <= largest:
            found.append((min(seconds, *(run.sample()[0] for _ in range(4))), run, error))
    best = min(found, key=lambda row: row[0], default=None)
    return None if best is None else best[1:]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", nargs="?", choices=["heyoka"])
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--error", type=float, default=1e-10)
    parser.add_argument("--members", type=int, default=64)
    parser.add_argument("--lanes", type=int, default=vector_numbers("default"))
    given = parser.parse_args()
    gravity = GRAVITY * np.random.default_rng(0).uniform(0.8, 1.2, given.members)
    vectors, moments = {"gravity": np.outer(gravity, [0.0, 0.0, -1.0])}, {"moment": MASS * gravity[:, None]}
    equations = heavy_top.build("S3").derive()
    systems = {
        "all parameters": (equations.compile(), vectors),
        "gravity, others as constants": (equations.compile(freeze=["mass", "inertia", "lever"]), vectors),
        "moment, as in heyoka": (top_with_a_moment().derive().compile(), moments),
    }
    _, expected = of_symlie(*systems["all parameters"], 1, 1e-15, None).sample()
    cases = {"heyoka, batches": of_heyoka(gravity, given.lanes)} if given.peer else {}
    for name, (system, parameters) in systems.items():
        for lanes in (given.lanes, 1):
            runs = [of_symlie(system, parameters, lanes, rtol, n) for rtol in TOLERANCES for n in ORDERS]
            cases[f"{name}, {lanes} lanes" if lanes > 1 else f"{name}, sequential"] = runs
    chosen = {name: cheapest(runs, expected, given.error) for name, runs in cases.items()}
    least = dict.fromkeys(chosen, float("inf"))
    for _ in range(given.samples):
        for name, row in chosen.items():
            if row is not None:
                least[name] = min(least[name], row[0].sample()[0])
    first = next(iter(least.values()))
    print(f"Error at t = 1 s below {given.error:.0e}, {given.members} members:\n")
    print("| | tolerance | error | µs per member | ratio |\n|---|---|---|---|---|")
    for name, row in chosen.items():
        if row is None:
            print(f"| {name} | none reaches it | | | |")
            continue
        each = 1e6 * least[name] / given.members
        print(f"| {name} | {row[0].name} | {row[1]:.0e} | {each:.1f} | {least[name] / first:.2f} |")


if __name__ == "__main__":
    main()
