"""Work of friction: the dissipated power, integrated over time.

Within a step, Gauss quadrature integrates the power at states of the dense output. The friction of impacts belongs to
the losses of the impacts. In time stepping, the impulse of a step acts against the mean of the slip velocities at its
start and end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.chosen import method_of_run
from symlie.runtime.solution.state import StateAt
from symlie.runtime.system.contacts.table import ContactTable

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution

POINTS = 3
"""Points of the quadrature in a step: its order is that of the dense output."""

POINTS_OF_POLYNOMIALS = 48
"""Points in a step of series of any order, which may contain several turns."""

AT_ONCE = 1 << 12
"""Number of states that are evaluated together."""


def friction_losses(solution: Solution) -> dict[str, Array]:
    """See `symlie.runtime.solution.solution.Solution.friction_losses`."""
    layout = solution.system.layout
    outputs = _outputs(layout)
    if not outputs:
        return {}
    if not has_all_steps(solution):
        raise ModelError("The work of friction is known from all states; solve without t_eval and with record_every=1.")
    method = method_of_run(solution.method, solution.settings)
    if method.steps_over(layout):
        works = _works_of_time_stepping(solution, list(outputs))
    else:
        count = POINTS_OF_POLYNOMIALS if method.is_polynomial else POINTS
        works = _works(solution, list(outputs), count)
    totals = np.concatenate([np.zeros((1, len(outputs))), np.cumsum(works, axis=0)])
    return dict(zip(outputs.values(), totals.T, strict=True))


def has_all_steps(solution: Solution) -> bool:
    """Return whether all steps are recorded."""
    return len(solution.t) > solution.statistics.accepted


def rough_friction_loss(solution: Solution) -> float:
    """Energy dissipated by all friction in an event-driven run, by the trapezoidal rule on the recorded states."""
    power = _powers(solution, solution.states, list(_outputs(solution.system.layout))).sum(axis=1)
    steps = _steps(solution)
    return float(np.diff(solution.t)[steps] @ (power[steps] + power[steps + 1])) / 2


def _steps(solution: Solution) -> NDArray[np.intp]:
    """Steps of an event-driven run, without the rest of sequences of impacts."""
    rests = [impact.t for impact in solution.impacts if impact.duration > 0]
    return np.flatnonzero((np.diff(solution.t) > 0) & ~np.isin(solution.t[:-1], rests))


def _outputs(layout: Layout) -> dict[str, str]:
    """Outputs of dissipated powers, and the names of their contacts, joints and constraints."""
    powers = [{c.dissipation for c in element.contacts if c.dissipation >= 0} for element in layout.elements]
    found = [
        name for name, (_, parts) in layout.output_parts.items() if any(p.output in powers[p.element] for p in parts)
    ]
    return {name: name.removesuffix("dissipation").rstrip("_") for name in found}


def _works(solution: Solution, outputs: list[str], count: int) -> Array:
    """Work in each step, shape (steps, outputs)."""
    t, steps = solution.t, _steps(solution)
    found = np.zeros((len(t) - 1, len(outputs)))
    nodes, weights = np.polynomial.legendre.leggauss(count)
    for chosen in np.split(steps, range(AT_ONCE, len(steps), AT_ONCE)):
        h = np.diff(t)[chosen]
        inside = solution(np.ravel(t[chosen, None] + h[:, None] * (nodes + 1) / 2))
        assert not isinstance(inside, StateAt)
        power = _powers(solution, inside.states, outputs).reshape(len(chosen), count, len(outputs))
        found[chosen] = h[:, None] / 2 * np.tensordot(power, weights, (1, 0))
    return found


def _works_of_time_stepping(solution: Solution, outputs: list[str]) -> Array:
    """Work in each step, shape (steps, outputs); zero in steps with impacts."""
    end, h = solution.states[slice(1, None)], np.diff(solution.t)[:, None]
    q = end.q.copy()
    sticks = ContactTable(solution.system.mechanics).sticks
    q[:, sticks[sticks >= 0]] = 0.0
    powers = [_powers(solution, replace(end, q=q, v=v), outputs) for v in (solution.v[:-1], solution.v[1:])]
    met: NDArray[np.bool_] = np.isin(end.t, [impact.t for impact in solution.impacts])
    return np.where(met[:, None], 0.0, h / 2 * (powers[0] + powers[1]))


def _powers(solution: Solution, states: States, outputs: list[str]) -> Array:
    """Dissipated powers at states, shape (states, outputs)."""
    system = solution.system
    return system.kernels.observe(system.prepared, states, (), outputs)["outputs"]
