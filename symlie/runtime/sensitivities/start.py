"""Derivatives of the state at the start of a run.

Consistent initial values are the result of an assembly and a completion of velocities. They are differentiated by
central differences of order six,

    δx = (45 (x₁ - x₋₁) - 9 (x₂ - x₋₂) + (x₃ - x₋₃)) / (60 ε),   x_k = x(p + k ε)  (1)

whose error is about (ε/p)⁶ and rounding divided by ε/p; configurations are compared by log(q⁻¹∘q_k). The derivative of
λ follows from the acceleration-level system.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.sensitivities.variables import Variable
from symlie.runtime.solution.start import start_of
from symlie.runtime.system.system import System

RELATIVE = 2.0**-9
"""ε relative to the size of the values of a variable; a power of two, so that p ± kε is exact for many values."""

WEIGHTS = (45 / 60, -9 / 60, 1 / 60)
"""Weights of (1)."""


def start_tangents(system: System, t: float, q: Array, variables: Sequence[Variable]) -> tuple[Array, Array]:
    """Return the derivatives of q and v at time t by the variables, shape (variables, dimension)."""
    count, dimension = len(variables), system.layout.dimension
    dq, dv = np.zeros((count, dimension)), np.zeros((count, dimension))
    for k, variable in enumerate(variables):
        if not variable.changes_start:
            continue
        step = RELATIVE * variable.size(system)
        for j, weight in enumerate(WEIGHTS, start=1):
            after, before = (_state(variable.moved(system, sign * j * step), t) for sign in (1, -1))
            apart = [system.mechanics.apart(q, x) for x, _ in (after, before)]
            dq[k] += weight * (apart[0] - apart[1]) / step
            dv[k] += weight * (after[1] - before[1]) / step
    return dq, dv


def _state(system: System, t: float) -> tuple[Array, Array]:
    start = start_of(system, t)
    return start.q, start.v
