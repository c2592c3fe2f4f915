"""Errors versus processor time of Taylor series, Runge–Kutta methods and heyoka for the fast heavy top.

Errors are differences of the unit quaternion after one second from a high-precision reference. Times of the time loop
are relative to the series on S³ with an error of 1e-10. heyoka is included if installed. Writes ``taylor_work.png``.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from drawing import FOLDER, letters, picture, write
from numpy.typing import NDArray

import symlie as sl
from symlie.models import heavy_top

REFERENCE = FOLDER.parents[1] / "tests" / "data" / "heavy_top_reference.json"
TOLERANCES = 10.0 ** -np.arange(2.0, 14.5, 0.5)
REPEATS = 7
"""Number of repetitions; the fastest one counts."""

ROUNDING = 2e-13
"""Smaller errors are omitted."""

Sample = Callable[[], tuple[float, NDArray[np.float64]]]
"""CPU seconds and final quaternion of a run."""


def of_symlie(system: sl.System, method: str) -> list[Sample]:
    """Return runs with adaptive steps, or with fixed steps for methods without error estimate."""

    def sample(options: dict[str, float]) -> tuple[float, NDArray[np.float64]]:
        found = sl.solve(system, 1.0, method=method, record_every=0, **options)
        return found.statistics.cpu_seconds, found.q[-1][:4]

    runs = [{"rtol": float(x), "atol": float(x)} for x in TOLERANCES]
    if method == "rkmk_rk67":
        runs = [{"h": 1 / round(n)} for n in np.geomspace(500, 16000, 12)]
    return [lambda options=options: sample(options) for options in runs]


def of_heyoka(system: sl.System) -> list[Sample]:
    """Return runs of the free top in unit quaternions with constant parameters; empty without heyoka."""
    try:
        import heyoka
    except ImportError:
        return []
    names = heyoka.make_vars("w", "x", "y", "z", "a", "b", "c")
    w, x, y, z, *omega = names
    start = sl.solve(system, 1e-9, h=1e-9)
    inertia, torque = np.array([15.234375, 0.46875, 15.234375]), 15 * 9.81
    up = [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    moments = [-torque * up[2], 0.0, torque * up[0]]
    rates = [
        (-(x * omega[0] + y * omega[1] + z * omega[2])) / 2,
        (w * omega[0] + y * omega[2] - z * omega[1]) / 2,
        (w * omega[1] + z * omega[0] - x * omega[2]) / 2,
        (w * omega[2] + x * omega[1] - y * omega[0]) / 2,
    ]
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        rates.append((moments[i] + (inertia[j] - inertia[k]) * omega[j] * omega[k]) / inertia[i])
    state = [*start.q[0], *start.v[0]]
    samples = []
    for tolerance in TOLERANCES:
        integrator = heyoka.taylor_adaptive(list(zip(names, rates, strict=True)), state, tol=tolerance)

        def sample(integrator: Any = integrator) -> tuple[float, NDArray[np.float64]]:
            integrator.time, integrator.state[:] = 0.0, state
            begin = time.thread_time()
            integrator.propagate_until(1.0)
            return time.thread_time() - begin, integrator.state[:4].copy()

        samples.append(sample)
    return samples


def measured(samples: list[Sample], exact: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return seconds and errors of all runs with errors above round-off."""
    errors = np.array([min(np.abs(p - exact).max(), np.abs(p + exact).max()) for _, p in (s() for s in samples)])
    visible = np.cumprod(errors > ROUNDING).astype(bool)
    return np.min([[sample()[0] for sample in samples] for _ in range(REPEATS)], axis=0)[visible], errors[visible]


def work(seconds: NDArray[np.float64], errors: NDArray[np.float64], error: float) -> float:
    """Interpolate the seconds for an error between runs."""
    falling = np.minimum.accumulate(errors)
    return float(np.exp(np.interp(-np.log(error), -np.log(falling), np.log(seconds))))


def main() -> None:
    """Run all methods, print the work for given errors, and draw the figure."""
    exact = np.array(json.loads(REFERENCE.read_text())["states"]["1.0"]["quaternion"], dtype=float)
    free, held, shipped = (
        heavy_top.build(group, **options).derive().compile()
        for group, options in (("S3", {}), ("S3xR3", {"constraint_frame": "space"}), ("S3xR3", {}))
    )
    panels = {
        "free top on S³": {
            "taylor": of_symlie(free, "taylor"),
            "rkmk_rk67": of_symlie(free, "rkmk_rk67"),
            "rkmk_dopri5": of_symlie(free, "rkmk_dopri5"),
            "heyoka": of_heyoka(free),
        },
        "with λ on S³×R³": {
            "taylor, $x = RX$": of_symlie(held, "taylor"),
            "taylor, $R^Tx = X$": of_symlie(shipped, "taylor"),
            "half_explicit_5, $x = RX$": of_symlie(held, "half_explicit_5"),
            "half_explicit_5, $R^Tx = X$": of_symlie(shipped, "half_explicit_5"),
        },
    }
    found = {
        title: {name: measured(samples, exact) for name, samples in curves.items() if samples}
        for title, curves in panels.items()
    }
    unit = work(*found["free top on S³"]["taylor"], 1e-10)
    name = letters()
    with picture(9.0, 4.0) as figure:
        for panel, (title, curves) in zip(figure.subplots(1, 2, sharex=True, sharey=True), found.items(), strict=True):
            print(title)
            for k, (label, (seconds, errors)) in enumerate(curves.items()):
                panel.loglog(seconds / unit, errors, marker="osD^"[k], ms=4, color=f"C{k}", label=label)
                shown = ", ".join(f"{e:.0e} in {work(seconds, errors, e) / unit:.2f}" for e in (1e-6, 1e-8, 1e-10))
                print(f"  {label}: {shown}")
            panel.set_title(f"({next(name)}) {title}")
            panel.set_xlabel("time loop over that of taylor, S³, 1e-10")
            panel.legend()
        figure.axes[0].set_ylabel("largest error of the quaternion at 1 s")
        write(figure, "taylor_work.png")
    print(f"unit: {1e6 * unit:.0f} µs, {platform.processor() or platform.machine()}")


if __name__ == "__main__":
    main()
