"""Velocities of an assembly: the smallest change of specified velocities, and the completion of the others.

    min wᵀ M w  over changes w of specified velocities  for which others u exist with  B (v0 + w + u) + b = 0

Specified velocities therefore do not change if the others can satisfy the constraints. Conditions, such as specified
rates of joints, are treated like constraints. The metric M, with a very small weight of the others, determines w;
repetition removes its error. The others are then completed as for any initial condition, see
`symlie.runtime.system.velocities`.

If specified velocities almost satisfy the constraints, the others may need large values to satisfy them exactly: a
bicycle specified not to turn, with its handlebar rotated by a milliradian, would have to stand still. Specified
velocities then change as well, with a weight `DEAR` of their kinetic energy, if that saves more than half of the
energy that the others would need.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.least_change import CLOSED, LeastChange
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.completion import StatedState
from symlie.runtime.system.output_jacobian import LinearOutputs, linear_outputs
from symlie.runtime.system.velocities import VelocityProblem

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

LIGHT = 1e-5
"""Square root of the weight of unspecified velocities if specified ones must change."""

DEAR = 1e4
"""Weight of the kinetic energy of changes of specified velocities, relative to unspecified ones."""

DEPENDENT = 1e-11
"""Relative singular value of redundant equations, in metrics that contain the weight `LIGHT` and the masses of a
system."""

ROUNDS = 4
"""Largest number of repetitions."""


@dataclass(frozen=True, eq=False)
class AssembledVelocities:
    """Velocities that satisfy the constraints, each of shape (dimension,).

    Attributes
    ----------
    v
        All velocities.
    changes
        Changes of the specified velocities.
    completed
        Unspecified velocities; zero for specified ones.
    """

    v: Array
    changes: Array
    completed: Array


def assembled_velocities(statics: Statics, q: Array, stated: StatedState, *, velocities: bool) -> AssembledVelocities:
    """Return velocities that satisfy B v + b = 0, or the specified ones if ``velocities`` is False; raise
    InconsistentInitialValuesError if no velocities satisfy the constraints and conditions."""
    system, layout, given = statics.system, statics.system.layout, stated.given
    v = np.where(given & layout.free, stated.v, 0.0)
    statics.mechanics.prescribe(statics.t, q.copy(), v)
    nothing = np.zeros(layout.dimension)
    if not (velocities and layout.rows) or layout.has_nonlinear_rows:
        return AssembledVelocities(v, nothing, nothing)
    everything = Statics(system, statics.t, layout.of_velocities & ~layout.is_balance)
    from scipy.sparse import vstack

    free = everything.free
    if not len(free):
        return AssembledVelocities(v, nothing, nothing)
    allowed = 10 * CLOSED * max(1.0, float(np.abs(v).max()))
    conditions = linear_outputs(system.mechanics, statics.t, q, list(stated.conditions))
    jacobian = vstack([everything.jacobian(q), conditions.matrix[:, free]], format="csr")
    mass, left_out = everything.kinetic_metric(q), ~given[free]
    residual = _residual(statics, q, stated, conditions)

    def changed(w: Array) -> Array:
        return everything.spread(np.where(left_out, 0.0, w)) + v

    def completed(kept: Array) -> Array:
        return kept - everything.spread(alone(residual(kept)))

    def is_closed(velocities: Array) -> bool:
        return float(np.abs(residual(velocities)).max()) <= allowed

    def energy(w: Array) -> float:
        return float(w @ (mass @ w))

    alone = _least(jacobian, mass, left_out.astype(float))
    moved = v if is_closed(v) else completed(v)
    if is_closed(moved):
        w = -_least(jacobian, mass, np.where(left_out, DEAR**-0.5, 1.0))(residual(v))
        price = DEAR * energy(np.where(left_out, 0.0, w)) + energy(np.where(left_out, w, 0.0))
        if 2 * price < energy((moved - v)[free]):
            moved = completed(changed(w))
    else:
        together, total = _least(jacobian, mass, np.where(left_out, LIGHT, 1.0)), np.zeros(len(free))
        for _ in range(ROUNDS):
            total -= together(residual(moved if total.any() else v))
            moved = completed(changed(total))
            if is_closed(moved):
                break
    _check(system, stated, residual(moved), 1e3 * allowed)
    mechanics, held = statics.mechanics, given | ~layout.free
    B, M = mechanics.jacobian(statics.t, q, v), mechanics.mass(statics.t, q)
    problem = VelocityProblem(mechanics, statics.t, q, held, stated.conditions, B, M)
    whole, _ = problem.completed(np.where(held, moved, 0.0))
    return AssembledVelocities(whole, np.where(given, whole - v, 0.0), np.where(given, 0.0, whole))


def _residual(statics: Statics, q: Array, stated: StatedState, conditions: LinearOutputs) -> Callable[[Array], Array]:
    """Return B v + b of the velocity constraints and the residuals of the conditions, as a function of all
    velocities.
    """
    mechanics, t = statics.mechanics, statics.t
    values = mechanics.jacobian(t, q, statics.v)
    targets = np.concatenate([np.zeros(0), *(target for target, _ in stated.conditions.values())])

    def residual(v: Array) -> Array:
        hidden = mechanics.hidden_residual(t, q, v, values)[
            mechanics.layout.of_velocities & ~mechanics.layout.is_balance
        ]
        return np.concatenate([hidden, conditions.values(v) - targets])

    return residual


def _least(jacobian: Sparse, mass: Sparse, weight: Array) -> Callable[[Array], Array]:
    """Return a function that maps a residual to the smallest changes that remove it; ``weight`` scales the components
    of M, and components of weight zero do not change."""
    from scipy.sparse import diags_array

    moving = np.flatnonzero(weight)
    scale = diags_array(weight[moving])
    change = LeastChange(jacobian[:, moving], (scale @ mass[moving][:, moving] @ scale).tocsr(), DEPENDENT)

    def least(residual: Array) -> Array:
        whole = np.zeros(len(weight))
        whole[moving] = change.inverse(residual)
        return whole

    return least


def _check(system: System, stated: StatedState, residual: Array, allowed: float) -> None:
    if float(np.abs(residual).max(initial=0.0)) <= allowed:
        return
    worst = int(np.argmax(np.abs(residual)))
    layout = system.layout
    names = [name for values, name in stated.conditions.values() for _ in values]
    constraints = np.flatnonzero(layout.of_velocities & ~layout.is_balance)
    if names:
        given = ", the ".join(dict.fromkeys(names))
        raise InconsistentInitialValuesError(
            f"The initial velocities of '{layout.name}' cannot be made consistent with the constraints and "
            f"the {given}; give fewer of them."
        )
    row = layout.row_name(int(constraints[worst]))
    raise InconsistentInitialValuesError(
        f"The initial velocities of '{layout.name}' cannot be made consistent: {row} has B v + b = "
        f"{residual[worst]:.3g} for all values of the free velocities."
    )
