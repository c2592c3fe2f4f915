"""Cost of evaluations at given states and of single steps from Python, relative to compiled code, in one run.

python tests/benchmarks/loop.py [--samples 9]

The kernels are one call of ``symlie_observe`` for all states, with its arguments in place. CPU times in µs per state,
least of all samples, and ratios to the kernels; for one state the difference from the kernels. Evaluations that combine
several kernels have no ratio. The last table contains the steps of `solve` without records, `Simulator.step`, the same
with a PD controller in Python that reads the state and sets an input, and this controller as an `sl.Sampled` of
`solve`, in µs per step of `STEP`, with ratios of simulated time to CPU time.
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
STEP = 1e-3
"""Size of steps, in s."""
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
    own, sampled = ("own loop", "times real time"), ("sampled", "times real time")
    header("system", "compiled step", "sim.step()", "difference", *own, *sampled)
    for name, system in {"heavy top, SE3": heavy_top.build("SE3").derive().compile(backend="c"), **motors()}.items():
        row(name, *steps(system, samples))


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


def motors() -> dict[str, System]:
    """The arm of the Puma in minimal coordinates, with torques of its joints as an input."""
    model = sl.Model("puma_motors")
    joints = puma560.arm(model, puma560.START["B"])
    torques = model.input("torques", len(joints), unit="N m")
    for k, joint in enumerate(joints):
        joint.torque(torques[k])
    return {"Puma with motors, minimal": sl.minimal_coordinates(model).derive().compile(backend="c")}


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


def steps(system: System, samples: int) -> tuple[str, ...]:
    """Times of steps, and those with controllers with ratios of simulated time to CPU time."""
    count = 2000

    def compiled() -> float:
        return sl.solve(system, count * STEP, h=STEP, record_every=0).statistics.cpu_seconds / count

    kernel = min(compiled() for _ in range(samples))
    sim = system.simulator(h=STEP)
    begin = sim.save()
    single = least(sim.step, samples, lambda: sim.restore(begin))
    cells = f"{1e6 * kernel:.2f}", f"{1e6 * single:.2f}", f"{1e6 * (single - kernel):.2f}"
    if "torques" not in sim.inputs:
        return *cells, "", "", "", ""
    sim.restore(begin)
    target, (P, D) = sim.state.q, 0.1 * np.array(puma560.GAINS).T

    def controlled() -> None:
        state = sim.state
        sim.inputs["torques"] = P * (target - state.q) - D * state.v
        sim.step()

    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return P * (target - q) - D * v

    def sampled() -> None:
        controller = sl.Sampled(law, period=STEP, reads=["q", "v"], writes="torques")
        sl.solve(system, count * STEP, h=STEP, record_every=0, controllers=[controller])

    own = least(controlled, samples, lambda: sim.restore(begin))
    whole = least(sampled, samples) / count
    return *cells, *(text for x in (own, whole) for text in (f"{1e6 * x:.2f}", f"{STEP / x:.0f}"))


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


def least(work: Callable[[], object], samples: int, prepare: Callable[[], object] = lambda: None) -> float:
    """Least CPU time of a call, in s; `prepare` precedes each sample."""
    work()
    calls = 1
    while timed(work, calls, prepare) < SECONDS:
        calls *= 2
    return min(timed(work, calls, prepare) for _ in range(samples)) / calls


def timed(work: Callable[[], object], calls: int, prepare: Callable[[], object]) -> float:
    prepare()
    begin = time.process_time()
    for _ in range(calls):
        work()
    return time.process_time() - begin


if __name__ == "__main__":
    main()
