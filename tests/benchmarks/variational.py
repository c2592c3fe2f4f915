"""RATTLie compared with half-explicit methods: cost of rods, time for an accuracy, and invariants of long runs.

python tests/benchmarks/variational.py [--quick | --cold]

With ``--cold``: additional CPU time for the kernels of variational methods, without a cache.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from handwritten import stay_on_one_processor

import symlie as sl
from symlie.compile.compiler import flags, run_compiler
from symlie.compile.headers import with_headers
from symlie.models import flying_spaghetti, heavy_top
from symlie.runtime.integrate.driver_library import driver_files, kernel_sets
from symlie.runtime.kernels.c_library import library_files
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.methods.library import method
from symlie.runtime.solution.solution import Solution
from symlie.runtime.study.timing import step_timer

NUMBERS = (16, 64, 256, 1024, 4096, 16384)
REPETITIONS = 7
DIVISIONS = {"rattlie": (256, 288, 320, 352), "half_explicit_2": (768, 832, 896, 960, 1024)}
"""Steps per second at which both are tried for an accuracy of 1e-5."""
COLD = {
    "flying spaghetti": ("flying_spaghetti", {"segments": 16}),
    "roll-up": ("roll_up", {"segments": 16}),
    "Kirchhoff roll-up": ("roll_up", {"segments": 16, "constraint": "kirchhoff"}),
    **{f"heavy top on {group}": ("heavy_top", {"group": group}) for group in ("SO3", "S3", "SO3xR3", "SE3")},
}
"""Models whose kernels are made where nothing is cached."""
COLD_METHODS = ("rattlie", "variational_midpoint", "simpson")


def rods(numbers: tuple[int, ...]) -> None:
    """CPU time of a step relative to half_explicit_5, and per node."""
    print("Rods, rattlie relative to half_explicit_5 at equal step sizes:\n")
    print("| segments | simplified Newton | full Newton | µs per node and step, simplified |\n|---|---|---|---|")
    for n in numbers:
        system = flying_spaghetti.build(n).derive().compile("c")
        chosen = [
            method("half_explicit_5"),
            *(method("rattlie").with_options({"newton": newton}) for newton in ("simplified", "full")),
        ]
        timers = [step_timer(system, m, 2.0**-8 * 16 / n, max(4, 40000 // n)) for m in chosen]
        best = np.min([[timer() for timer in timers] for _ in range(REPETITIONS)], axis=0)
        print(f"| {n:,} | {best[1] / best[0]:.2f} | {best[2] / best[0]:.2f} | {best[1] / n / 1000:.2f} |", flush=True)


def accuracy() -> None:
    """CPU time to 1e-5 in q at t = 2.5 on the flying spaghetti of 16 segments; half_explicit_5 is the reference."""
    system = flying_spaghetti.build(16).derive().compile("c")
    exact = sl.solve(system, 2.5, h=1 / 4096, method="half_explicit_5", t_eval=[2.5]).q[-1]
    best = {}
    for name, divisions in DIVISIONS.items():
        for n in divisions:
            error = np.abs(sl.solve(system, 2.5, h=1 / n, method=name, t_eval=[2.5]).q[-1] - exact).max()
            if error <= 1e-5:
                timer = step_timer(system, method(name), 1 / n, int(2.5 * n))
                best[name] = min(timer() for _ in range(REPETITIONS)) * 2.5 * n
                print(f"{name}: h = 1/{n}, error {error:.1e}, {best[name] / 1e6:.1f} ms")
                break
    print(f"ratio {best['rattlie'] / best['half_explicit_2']:.2f}")


def turned(p: Array, a: Array) -> Array:
    """Vectors rotated by unit quaternions."""
    w, v = p[..., :1], p[..., 1:]
    return np.asarray(a + 2 * w * np.cross(v, a) + 2 * np.cross(v, np.cross(v, a)))


def told(name: str, run: Solution, momenta: list[Array], since: float) -> None:
    """Invariants of a run from a time on."""
    kept = run.t >= since
    energy, t = run.outputs["energy"][kept], run.t[kept]
    slope = np.polyfit(t, energy, 1)[0] * (t[-1] - t[0]) / np.ptp(energy)
    drifts = [np.abs(m[kept] - m[kept][0]).max() / np.abs(m[kept]).max() for m in momenta]
    print(
        f"{name}: energy {energy.mean():.6g} J, oscillates by {np.ptp(energy):.2e}, rises by {slope:.3f} of that; "
        f"momenta {', '.join(f'{d:.1e}' for d in drifts)} of their size; "
        f"|Φ| {run.statistics.max_constraint_residual:.1e}, |B v| {run.statistics.max_velocity_residual:.1e}"
    )


def long_runs() -> None:
    """The flying spaghetti with 8 segments after its load ends, and a million steps of the heavy top."""
    system = flying_spaghetti.build(8).derive().compile("c")
    mass = 10 / 8 * np.array([0.5, *[1.0] * 7, 0.5])[:, None]
    for name, options in (("rattlie", {"newton": "simplified"}), ("rattlie", {"newton": "full"})):
        start = time.process_time()
        run = sl.solve(system, 110, h=2.0**-8, method=name, method_options=options, record_every=16)
        p, x, omega, u = (run.field("rod", f) for f in ("p", "x", "Omega", "U"))
        linear = mass * turned(p, u)
        angular = np.cross(x, linear) + 10 * mass * turned(p, omega)
        momenta = [linear.sum(axis=1), angular.sum(axis=1)]
        told(f"spaghetti, {options['newton']}, {time.process_time() - start:.1f} s", run, momenta, 5.0)
    top = heavy_top.build("SE3").derive().compile("c")
    run = sl.solve(top, 100, h=1e-4, method="rattlie", record_every=100)
    R, omega, x, u = (run.field("top", f) for f in ("R", "Omega", "x", "U"))
    R = R.reshape(-1, 3, 3)
    spin = np.einsum("tij,tj->ti", R, np.array([0.234375, 0.46875, 0.234375]) * omega)
    moment = spin + np.cross(x, 15 * np.einsum("tij,tj->ti", R, u))
    told("heavy top, 10⁶ steps", run, [moment[:, 2:]], 0.0)


def simpson(q0: Any, q1: Any, h: Any) -> Any:
    """A user-defined discrete Lagrangian."""
    v = q0.difference(q1) / h
    return h * (q0.lagrangian(v) + 4 * q0.interpolate(q1, 1 / 2).lagrangian(v) + q1.lagrangian(v)) / 6


def compiler_seconds(files: Mapping[str, str], source: str, *, takes_steps: bool = True) -> float:
    """CPU time of a compiler."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        return cpu(
            lambda: run_compiler(
                Path(folder, source), Path(folder, "out.so"), flags("default", takes_steps=takes_steps)
            )
        )


def cpu(work: Callable[[], object]) -> float:
    """CPU time of this process and of those that it starts, in s."""
    before = os.times()
    work()
    return sum(after - was for after, was in zip(os.times()[:4], before[:4], strict=True))


def made(model: str, options: Mapping[str, object], name: str) -> list[float]:
    """CPU times of the core set of kernels and of the additional kernels of a method.

    Of both: derivation and emission, the generated sources, and the time loop; that of the core set is half_explicit_5
    with the library of the model, that of the method what its loop takes longer.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMLIE_CACHE"] = folder
        build = importlib.import_module(f"symlie.models.{model}").build
        systems: list[Any] = []
        core = cpu(lambda: systems.append(build(**options).derive().compile("numpy")))
        (system,) = systems
        layout, chosen = system.layout, chosen_method(simpson if name == "simpson" else name)
        sets = kernel_sets(chosen, layout)
        beside = cpu(lambda: [system.sets.files(s) for s in sets])
        files = with_headers({n: t for n, t in system.files.items() if n.endswith((".c", ".h"))})
        for s in sets:
            files |= {n: t for n, t in system.sets.files(s).items() if n.endswith((".c", ".h"))}
        units = [compiler_seconds(files, f"{layout.name}{end}.c") for end in ("", *(f"_{s}" for s in sets))]
        library = library_files(system.files, layout.name, system.mechanics.algebra_header)
        other = compiler_seconds(library, "library.c", takes_steps=False)
        loops = [compiler_seconds(driver_files(system, m), "driver.c") for m in (method("half_explicit_5"), chosen)]
    return [core, units[0], loops[0], other, beside, sum(units[1:]), loops[1] - loops[0]]


def cold() -> None:
    """Ratios of CPU times, medians of three processes each."""
    print("| beside the core set | derived, emitted | and sources compiled | and time loop | and library |")
    print("|---|---|---|---|---|")
    context = multiprocessing.get_context("spawn")
    for label, (model, options) in COLD.items():
        for name in COLD_METHODS:
            rounds = []
            for _ in range(3):
                with context.Pool(1) as pool:
                    rounds.append(pool.apply(made, (model, options, name)))
            core, unit, loop, library, beside, units, longer = np.median(rounds, axis=0)
            ratios = [
                beside / core,
                (beside + units) / (core + unit),
                (beside + longer) / (core + loop),
                (beside + longer) / (core + loop + library),
            ]
            print(f"| {label}, {name} |" + "".join(f" {ratio:.2f} |" for ratio in ratios), flush=True)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="rods of 16 and 256 segments alone")
    parser.add_argument("--cold", action="store_true", help="CPU time of kernels where nothing is cached, alone")
    arguments = parser.parse_args()
    stay_on_one_processor()
    if arguments.cold:
        return cold()
    rods((16, 256) if arguments.quick else NUMBERS)
    if not arguments.quick:
        accuracy()
        long_runs()


if __name__ == "__main__":
    main()
