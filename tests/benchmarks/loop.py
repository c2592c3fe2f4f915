"""Cost of evaluations at given states from Python, relative to the kernels, in one run.

python tests/benchmarks/loop.py [--samples 9]

The kernels are one call of ``symlie_observe`` for all states, with its arguments in place. CPU times in µs per state,
least of all samples, and ratios to the kernels; for one state the difference from the kernels. Evaluations that combine
several kernels have no ratio.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from tables import header, row

import symlie as sl
from symlie.models import heavy_top, puma560
from symlie.runtime.kernels.c import CKernels, c_states
from symlie.runtime.system.system import System

MANY = 10_000
SECONDS = 0.05
"""Least CPU time of a sample."""


def main() -> None:
    """Print a table of each system."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=9)
    samples = parser.parse_args().samples
    warnings.simplefilter("ignore")
    header("system", "evaluation", "kernels", f"{MANY} states", "ratio", "one state", "one state - kernels")
    for name, system in systems().items():
        for what, (evaluate, quantities) in evaluations(system).items():
            states = perturbed(system, MANY)
            one = states[0]
            many = least(lambda e=evaluate, s=states: e(s), samples) / MANY
            single = least(lambda e=evaluate, s=one: e(s), samples)
            cells = "", f"{1e6 * many:.3f}", "", f"{1e6 * single:.2f}", ""
            if quantities:
                kernels = least(kernels_of(system, states, quantities), samples) / MANY
                ratio, apart = f"{many / kernels:.2f}", f"{1e6 * (single - kernels):.2f}"
                cells = f"{1e6 * kernels:.3f}", cells[1], ratio, cells[3], apart
            row(name, what, *cells)


def systems() -> dict[str, System]:
    """The heavy top on two groups, and the arm of the Puma in minimal coordinates and with bodies and joints."""
    robot = sl.Model("puma_arm")
    puma560.arm(robot, puma560.START["B"])
    return {
        "heavy top, SE3": heavy_top.build("SE3").derive().compile(backend="c"),
        "heavy top, SO3": heavy_top.build("SO3").derive().compile(backend="c"),
        "Puma, minimal": sl.minimal_coordinates(robot).derive().compile(backend="c"),
        "Puma, bodies": robot.derive().compile(backend="c"),
    }


Evaluation = Callable[[sl.State], object]


def evaluations(system: System) -> dict[str, tuple[Evaluation, tuple[str, ...]]]:
    """Evaluations by name, with the quantities of the kernels that they need."""
    found: dict[str, tuple[Evaluation, tuple[str, ...]]] = {
        "acceleration": (
            system.acceleration,
            ("acceleration", "multipliers") if system.layout.rows else ("acceleration",),
        ),
        "mass matrix": (system.mass_matrix, ("mass",)),
        "bias force": (system.bias_force, ("force",)),
    }
    if system.layout.rows:
        found["constraint Jacobian"] = (system.constraint_jacobian, ("jacobian",))
    output = next(iter(system.layout.outputs))
    found["inverse dynamics"] = lambda state: system.inverse_dynamics(state, state.v), ()
    found["output Jacobian"] = lambda state: system.output_jacobian(state, output), ()
    return found


def perturbed(system: System, count: int) -> sl.State:
    """States with the initial configuration and random velocities."""
    start, random = system.initial_state, np.random.default_rng(0)
    v = start.v + random.uniform(-1, 1, (count, system.layout.dimension))
    return system.state(np.tile(start.q, (count, 1)), v)


def kernels_of(system: System, states: sl.State, quantities: tuple[str, ...]) -> Callable[[], object]:
    """A call of the kernels alone."""
    kernels = system.mechanics.evaluator
    assert isinstance(kernels, CKernels)
    found = kernels.observe(system.prepared, states.rows, quantities)
    library, problem = kernels.library, kernels.problem(system.prepared)
    described, held = c_states(library, states.rows)
    values = library.new("symlie_values *")
    for name in quantities:
        setattr(values, name, library.pointer(found[name]))
    workspace = np.empty(library.call.symlie_observation_workspace(problem) + 1)
    pointer = library.pointer(workspace)
    return lambda: (library.call.symlie_observe(problem, described, values, pointer), held, found)[0]


def least(work: Callable[[], object], samples: int) -> float:
    """Least CPU time of a call, in s."""
    work()
    calls = 1
    while timed(work, calls) < SECONDS:
        calls *= 2
    return min(timed(work, calls) for _ in range(samples)) / calls


def timed(work: Callable[[], object], calls: int) -> float:
    begin = time.process_time()
    for _ in range(calls):
        work()
    return time.process_time() - begin


if __name__ == "__main__":
    main()
