"""Results that redundant constraint equations leave undetermined: multipliers, and outputs that depend on them.

Multipliers are determined up to combinations y with Bᵀ y = 0 that compliances do not determine. A constraint is
undetermined if such a combination involves it; an output is undetermined if it changes when y is added to λ. The
resultant of several joints may be determined although their individual forces are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from symlie.errors import CodeNotLoadedError
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.redundancy import cleaned

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.system.system import System

SAMPLES = 5
"""Number of recorded states that are examined, since the rank may change."""

CHANGED = 1e-5
"""Change of an output, relative to its size and to the multipliers, above which it counts as undetermined; it exceeds
the error of a combination."""


class Undetermined(NamedTuple):
    """Names of results that redundant constraint equations leave undetermined, from `Solution.undetermined`."""

    outputs: tuple[str, ...] = ()
    """Names of outputs, such as ``"hinge_force"``."""
    constraints: tuple[str, ...] = ()
    """Names of joints and other constraints with undetermined multipliers."""


def undetermined_at(system: System, t: float, q: Array, v: Array, multipliers: Array) -> Undetermined:
    """Return the undetermined results at one state."""
    layout, mechanics = system.layout, system.mechanics
    dependent = mechanics.dependent_rows(mechanics.jacobian(t, q, v))
    if dependent is None or not dependent.undetermined.size:
        return Undetermined()
    combinations = cleaned(dependent.undetermined)
    involved = np.flatnonzero(np.any(combinations != 0, axis=1)).tolist()
    constraints = (layout.constraint_of_row(row) for row in involved)
    scale = max(1.0, float(np.abs(multipliers).max()))
    tried = np.vstack([multipliers, multipliers + scale * combinations.T])
    times, positions, velocities = (np.repeat(np.asarray(x)[None], len(tried), axis=0) for x in (t, q, v))
    states = States(times, positions, velocities, tried)
    outputs = []
    for name in layout.outputs:
        values = system.kernels.observe(system.prepared, states, (), (name,))["outputs"]
        change = np.abs(values[1:] - values[0]).max(initial=0)
        if change > CHANGED * max(scale, float(np.abs(values[0]).max(initial=0))):
            outputs.append(name)
    return Undetermined(tuple(outputs), tuple(dict.fromkeys(constraints)))


def undetermined_of(solution: Solution) -> Undetermined:
    """Return the results that are undetermined at some of the recorded states."""
    system = solution.system
    if system.redundant == "error" or not len(solution.t):
        return Undetermined()
    outputs: dict[str, None] = {}
    constraints: dict[str, None] = {}
    for k in np.unique(np.linspace(0, len(solution.t) - 1, SAMPLES).astype(int)):
        at = (float(solution.t[k]), solution.q[k], solution.v[k], solution.multipliers[k])
        try:
            found = undetermined_at(system, *at)
        except CodeNotLoadedError:
            return Undetermined()
        outputs |= dict.fromkeys(found.outputs)
        constraints |= dict.fromkeys(found.constraints)
    return Undetermined(tuple(name for name in system.layout.outputs if name in outputs), tuple(constraints))
