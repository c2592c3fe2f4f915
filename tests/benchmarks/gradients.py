"""Cost of sensitivities and gradients, relative to plain runs of the same steps.

python -m tests.benchmarks.gradients [PART]

The heavy top on SE(3) with methods of all families that have adjoint steps, the free top on SO(3) with rkmk_dopri5, and
the roll-up of rods of 64 and 1,024 segments with half_explicit_5 and generalized_alpha_index2. PART is a part of the
name of a system or a method, and selects runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import symlie as sl
from symlie.models import roll_up
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.adjoint_run import AdjointRun
from symlie.runtime.integrate.sensitivities.gradient import Product, no_change
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests.benchmarks.tables import header, row
from tests.systems import heavy_top_equations

REPEATS = 5


@dataclass(frozen=True)
class Case:
    """Run of a system, with the variables and the output of its derivatives."""

    name: str
    build: Callable[[], System]
    method: str
    h: float
    steps: int
    wrt: Sequence[str]
    of: str
    rtol: float | None = None
    """Tolerance of adaptive steps, whose number then differs."""


def top(group: str) -> Callable[[], System]:
    """Return the builder of a heavy top on a group."""
    return lambda: heavy_top_equations(group).compile(backend="c")


def rod(segments: int) -> Callable[[], System]:
    """Return the builder of a rod."""
    return lambda: roll_up.build(segments=segments).derive().compile(backend="c")


OF_TOP, OF_ROD = ["mass", "inertia", "lever", "gravity"], ["bending_stiffness", "extension_stiffness", "damping"]

CASES = (
    Case("top on SE3", top("SE3"), "half_explicit_5", 1e-3, 20_000, OF_TOP, "center_of_mass"),
    Case("top on SE3", top("SE3"), "generalized_alpha_index2", 1e-3, 10_000, OF_TOP, "center_of_mass"),
    Case("top on SE3", top("SE3"), "bdf2", 1e-3, 50_000, OF_TOP, "center_of_mass"),
    Case("top on SE3", top("SE3"), "bdf", 1e-3, 50_000, OF_TOP, "center_of_mass", rtol=1e-6),
    Case("top on SE3", top("SE3"), "rattlie", 1e-3, 10_000, OF_TOP, "center_of_mass"),
    Case("top on SO3", top("SO3"), "rkmk_dopri5", 1e-3, 40_000, OF_TOP, "center_of_mass"),
    Case("rod of 64", rod(64), "half_explicit_5", 1e-5, 2_000, OF_ROD, "tip_distance"),
    Case("rod of 64", rod(64), "generalized_alpha_index2", 1e-4, 500, OF_ROD, "tip_distance"),
    Case("rod of 1,024", rod(1024), "half_explicit_5", 2e-8, 100, OF_ROD, "tip_distance"),
    Case("rod of 1,024", rod(1024), "generalized_alpha_index2", 1e-5, 50, OF_ROD, "tip_distance"),
)


SIZE_OF_TOP = 18
"""Components of the configuration and velocity of the heavy top on SE(3)."""


def checkpoint_memory(steps: int, size: int) -> int:
    """Return the memory for checkpoints with which a run is repeated as often as one of a top with a million steps and
    one megabyte, in bytes, for the size of a state: with n states in memory, one repetition suffices for about n²/4
    steps."""
    return int(1e6 * (steps / 1e6) ** 0.5 * max(size / SIZE_OF_TOP, 1))


def best(run: Callable[[], object]) -> float:
    """Return the shortest of some processor times after a first run, in s."""
    times = []
    for _ in range(REPEATS + 1):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return min(times[1:])


def in_reverse(system: System, case: Case, options: dict[str, Any], memory: int | None = None) -> bool:
    """Compute the gradient of the sum of an output by adjoint steps, from stored states or checkpoints; return whether
    the method has them."""
    run = AdjointRun.of(system, case.h * case.steps, RunOptions.of(options), memory=memory)
    if run is None:
        return False
    layout, solution = system.layout, run.solution
    weights = np.zeros((len(solution.t), layout.outputs_size))
    weights[:, layout.outputs[case.of][0]] = 1.0
    run.gradient(variables_of(system, case.wrt), weights)
    return True


def second_derivatives(system: System, case: Case, options: dict[str, Any], directions: int) -> None:
    """Multiply the Hessian of the same sum by some directions."""

    def loss(run: sl.Solution) -> tuple[float, dict[str, Array], Product]:
        values = run.outputs[case.of]
        return float(values.sum()), {case.of: np.ones_like(values)}, no_change

    chosen = np.eye(len(variables_of(system, case.wrt)))[:, :directions]
    sl.hessian_product(system, case.h * case.steps, loss, wrt=case.wrt, direction=chosen, **options)


def relative_times(case: Case) -> list[float]:
    """Return the time of a plain run, in µs per step, and as multiples of it those of sensitivities in one direction
    and in each further one, of a gradient by adjoint steps, and of products of the Hessian with one direction and with
    up to eight; only the start and the end are recorded."""
    system, span, first = case.build(), case.h * case.steps, case.wrt[:1]
    count = len(variables_of(system, case.wrt))
    options: dict[str, Any] = {"method": case.method, "record_every": 0}
    options |= {"h": case.h} if case.rtol is None else {"rtol": case.rtol}
    steps = sl.solve(system, span, **options).statistics.steps
    plain = best(lambda: sl.solve(system, span, **options))
    one = best(lambda: sl.sensitivity(system, span, wrt=first, of=[], **options))
    every = best(lambda: sl.sensitivity(system, span, wrt=case.wrt, of=[], **options))
    found = [plain / steps * 1e6, one / plain, (every - one) / plain / (count - 1)]
    if in_reverse(system, case, options):
        memory = checkpoint_memory(steps, system.layout.storage + system.layout.dimension)
        found += [best(lambda m=m: in_reverse(system, case, options, m)) / plain for m in (None, memory)]
        found += [best(lambda n=n: second_derivatives(system, case, options, n)) / plain for n in (1, 8)]
    return found


def main() -> None:
    """Print a table."""
    columns = (
        "plain, us per step",
        "one direction",
        "each further",
        "adjoint",
        "from checkpoints",
        "product",
        "eight products",
    )
    header("system", "method", *columns)
    for case in CASES:
        if not any(part in f"{case.name} {case.method}" for part in sys.argv[1:] or [""]):
            continue
        row(case.name, case.method, *(f"{x:.2f}" for x in relative_times(case)))


if __name__ == "__main__":
    main()
