"""Taylor series: CPU time for a final error, compared with other methods and, if installed, heyoka.

python -m tests.benchmarks.taylor [heyoka] [--samples 200] [--error 1e-10]

For each method the cheapest run is shown whose largest error of the quaternion is below the requested one. CPU time of
the loops in one thread, minimum of alternating samples. heyoka integrates the free top in unit quaternions, and the
constrained one x - R X = 0 with multipliers from a saddle-point matrix, since it does not support constraints.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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


def free_top() -> tuple[list[Any], list[Any], list[float]]:
    """Variables, rates and start of the top about its fixed point, for heyoka."""
    import heyoka

    names = heyoka.make_vars("w", "x", "y", "z", "a", "b", "c")
    return names, rates(np.array(names, dtype=object), MASS * GRAVITY), START


def constrained_top() -> tuple[list[Any], list[Any], list[float]]:
    """The same of the top about its centre of mass with x - R X = 0, whose multipliers a saddle matrix gives."""
    import heyoka

    names = heyoka.make_vars(*"wxyz", *"abc", "px", "py", "pz", "vx", "vy", "vz")
    p, omega, velocity = (np.array(part, dtype=object) for part in (names[:4], names[4:7], names[10:]))
    w, x, y, z = p
    rotation = np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
    lever, weight = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, -MASS * GRAVITY])
    inertia = np.array([0.234375, 0.46875, 0.234375])
    rows = rotation @ np.cross(np.eye(3), lever)  # B = (R skew(X), 1)
    torque = -np.cross(omega, inertia * omega)
    relative = rotation @ np.cross(omega, np.cross(omega, lever))
    saddle = (rows / inertia) @ rows.T + np.eye(3) / MASS
    right = rows @ (torque / inertia) + weight / MASS - relative
    cofactors = [np.cross(saddle[(i + 1) % 3], saddle[(i + 2) % 3]) for i in range(3)]
    multipliers = sum(cofactors[i] * right[i] for i in range(3)) / (saddle[0] @ cofactors[0])
    found = [
        *rates(np.array(names[:7], dtype=object), 0.0)[:4],
        *((torque - rows.T @ multipliers) / inertia),
        *velocity,
        *((weight - multipliers) / MASS),
    ]
    return names, found, [*START, *lever, *np.cross(START[4:], lever)]


def of_heyoka(top: Callable[[], tuple[list[Any], list[Any], list[float]]], tolerance: float) -> Run:
    """A top in heyoka."""
    import heyoka

    names, found, start = top()
    integrator = heyoka.taylor_adaptive(list(zip(names, found, strict=True)), start, tol=tolerance)

    def sample() -> tuple[float, np.ndarray, int]:
        integrator.time, integrator.state[:] = 0.0, start
        begin = time.thread_time()
        steps = integrator.propagate_until(1.0)[3]
        return time.thread_time() - begin, integrator.state[:4].copy(), steps

    return Run(f"heyoka, {tolerance:.0e}", sample)


def cheapest(runs: list[Run], expected: np.ndarray, largest: float) -> tuple[Run, float, int] | None:
    """The run with the least time of those that are accurate, with its error and steps; samples alternate."""
    accurate: list[tuple[Run, float, int]] = []
    for run in runs:
        _, p, steps = run.sample()
        error = min(float(np.abs(p - sign * expected).max()) for sign in (1, -1))
        if error <= largest:
            accurate.append((run, error, steps))
    seconds = [float("inf")] * len(accurate)
    for _ in range(10):
        seconds = [min(best, row[0].sample()[0]) for best, row in zip(seconds, accurate, strict=True)]
    return min(zip(seconds, accurate, strict=True), key=lambda row: row[0])[1] if accurate else None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peers", nargs="*", choices=["heyoka"])
    parser.add_argument("--samples", type=int, default=200)
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
        cases["heyoka, free top"] = [of_heyoka(free_top, rtol) for rtol in TOLERANCES]
        cases["heyoka, x - R X"] = [of_heyoka(constrained_top, rtol) for rtol in TOLERANCES]
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
