"""Accelerations and multipliers at given states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.evaluation.held_inputs import prepared_with
from symlie.runtime.solution.evaluation.states import checked_state
from symlie.runtime.solution.evaluation.undetermined import refuse
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


def acceleration(
    system: System, state: State | Solution, inputs: Mapping[str, ArrayLike] | None
) -> tuple[Array, Array]:
    """See `symlie.runtime.system.system.System.acceleration`."""
    state = checked_state(system, state)
    p, kernels, t = prepared_with(system, inputs), system.mechanics.evaluator, state.t
    if isinstance(t, float):
        a, multipliers, is_determined = kernels.acceleration_at(p, t, state.q, state.v)
        if not is_determined:
            refuse(system, p, state.rows, 0)
        return a, multipliers
    rows = state.rows
    a, multipliers, determined = kernels.accelerations(p, rows)
    if determined < len(rows.t):
        refuse(system, p, rows, determined)
    return a.reshape(state.v.shape), multipliers.reshape(*state.shape, multipliers.shape[1])
