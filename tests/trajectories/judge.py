"""Runs of symlie against trajectories of the oracle."""

from __future__ import annotations

import dataclasses
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import symlie as sl
from tests import tolerances
from tests.trajectories.drawn import Drawn
from tests.trajectories.oracle import Oracle
from tests.trajectories.reference import State, trajectory
from tests.trajectories.statement import stated


@dataclass
class Verdict:
    """Errors of the runs of a model relative to the tolerance of each quantity."""

    differences: dict[str, float] = field(default_factory=dict)
    """Largest difference by quantity, relative to 1 + its size."""
    backends: float = 0.0
    """Largest difference between C and NumPy."""
    refined: bool = False
    """True if tolerances of the first run were too coarse."""

    def disagreements(self, allowed: float) -> list[str]:
        """Quantities that differ by more than what both integrations may be wrong by."""
        found = [f"{name}: {d:.2e}" for name, d in self.differences.items() if not d <= allowed]
        if not self.backends <= tolerances.RANDOM_RUN:
            found.append(f"C against NumPy: {self.backends:.2e}")
        return found


def _difference(a: Any, b: Any) -> float:
    a, b = np.ravel(np.asarray(a, dtype=float)), np.ravel(np.asarray(b, dtype=float))
    if a.shape != b.shape:
        return float("inf")
    if not a.size:
        return 0.0
    return float(np.abs(a - b).max() / (1 + np.abs(b).max()))


def run(system: sl.System, drawn: Drawn, *, rtol: float) -> sl.Solution:
    """A run of symlie with adaptive steps."""
    for table in drawn.tables:
        if table.interpolation != "stated":
            system = system.with_input(table.name, table.times, table.values, table.interpolation)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sl.solve(system, drawn.t_end, rtol=rtol, atol=rtol, t_eval=drawn.times, multipliers="index1")


def compare(oracle: Oracle, expected: list[State], solution: sl.Solution) -> dict[str, float]:
    """Largest differences by quantity over the times that are compared."""
    worst: dict[str, float] = {}

    def note(name: str, a: Any, b: Any) -> None:
        worst[name] = max(worst.get(name, 0.0), _difference(a, b))

    shown = [int(np.argmin(np.abs(solution.t - state.t))) for state in expected]
    outputs = solution.outputs
    for row, state in zip(shown, expected, strict=True):
        for nodes in oracle.drawn.nodes:
            for k in range(len(nodes.q)):
                slots = oracle.slots[nodes.name, k]
                q, v = solution.configuration(nodes.name)[row], solution.velocity(nodes.name)[row]
                if nodes.is_array:
                    q, v = q[k], v[k]
                note("configuration", slots.space.comparable(q), slots.space.comparable(state.q[slots.q]))
                note("velocity", v, state.v[slots.v])
        # Element types have their rows elsewhere than the oracle; the order among all of them is no matter.
        note("multipliers", np.sort(solution.multipliers[row]), np.sort(state.multipliers))
        note("energy", outputs["energy"][row], state.energy)
        for name, value in state.outputs.items():
            note("outputs", outputs[name][row], value)
    return worst


def shortened(drawn: Drawn) -> Drawn:
    """The model over a time over which its motion exists."""
    try:
        with np.errstate(all="ignore"):
            trajectory(Oracle(drawn), rtol=1e-6, atol=1e-6)
    except (ArithmeticError, np.linalg.LinAlgError):
        return shortened(dataclasses.replace(drawn, t_end=drawn.t_end / 2))
    return drawn


def judge(drawn: Drawn, *, compiled: bool) -> Verdict:
    """Compare one model with the oracle, on request also in C; again with finer steps if they seem to differ."""
    drawn = shortened(drawn)
    oracle = Oracle(drawn)
    equations = stated(drawn).derive()
    system = equations.compile(backend="numpy")
    verdict = Verdict()
    for rtol, own in ((1e-9, 1e-11), (1e-12, 1e-13)):
        expected = trajectory(oracle, rtol=own, atol=own / 10)
        solution = run(system, drawn, rtol=rtol)
        verdict.differences = compare(oracle, expected, solution)
        if max(verdict.differences.values()) <= tolerances.TRAJECTORY:
            break
        verdict.refined = True
    if compiled:
        other = run(equations.compile(backend="c", optimize="portable"), drawn, rtol=rtol)
        pairs = [(other.q[-1], solution.q[-1]), (other.v[-1], solution.v[-1])]
        verdict.backends = max(_difference(a, b) for a, b in pairs)
        if verdict.backends > tolerances.RANDOM_RUN:  # steps were chosen otherwise; the judgement is that of the oracle
            verdict.differences = {
                name: max(d, verdict.differences[name]) for name, d in compare(oracle, expected, other).items()
            }
            verdict.backends = 0.0 if max(verdict.differences.values()) <= tolerances.TRAJECTORY else verdict.backends
    return verdict
