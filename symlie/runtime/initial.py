"""Consistent initial values: velocities completed from the hidden constraint, λ₀ from the index-1 system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.dense import check_solvable, solve_saddle
from symlie.runtime.kernels import Kernels
from symlie.runtime.layout import Array, Layout

POSITION_TOLERANCE = 1e-9
"""Largest |Φ(q₀)| that counts as round-off of stated values, relative to max(1, |q₀|)."""
VELOCITY_TOLERANCE = 1e-9
"""Largest |B v₀ + b| that counts as round-off, relative to max(1, |B| |v₀|)."""


@dataclass(frozen=True)
class InitialState:
    """Consistent (q₀, v₀, λ₀)."""

    q: Array
    v: Array
    multipliers: Array


def index1_multipliers(kernels: Kernels, p: Array, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """v' and λ of [M Bᵀ; B 0][v'; λ] = [-g; -Z]."""
    jacobian = kernels.jacobian(p, t, q)
    return solve_saddle(
        kernels.mass(p, t, q), jacobian, jacobian, -kernels.force(p, t, q, v), -kernels.curvature(p, t, q, v)
    )


def consistent_initial_state(
    layout: Layout, kernels: Kernels, p: Array, t: float, q: Array, v: Array, given: NDArray[np.bool_]
) -> InitialState:
    """Complete and check initial values.

    Parameters
    ----------
    layout, kernels, p
        The system and its parameters.
    t
        Initial time.
    q, v
        Stated configuration and velocity.
    given
        Mask of the velocity components that were stated.

    Raises
    ------
    InconsistentInitialValuesError
        q violates a constraint, or the given velocities can not be completed.
    RedundantConstraintsError, SingularMassMatrixError
        The accelerations are not determined.
    """
    v = np.where(given, v, 0.0)
    if not layout.rows:
        check_solvable(layout, kernels.mass(p, t, q), np.zeros((0, layout.dimension)))
        return InitialState(q, v, np.zeros(0))
    residual = kernels.constraint(p, t, q)
    if not np.all(np.abs(residual) <= POSITION_TOLERANCE * max(1.0, float(np.abs(q).max()))):
        row = int(np.argmax(np.abs(residual)))
        raise InconsistentInitialValuesError(
            f"The initial configuration of '{layout.name}' violates {layout.row_name(row)}: Φ = {residual[row]:.3g}; "
            "correct the initial values."
        )
    jacobian, bound = kernels.jacobian(p, t, q), kernels.constraint_rate(p, t, q)
    mass = kernels.mass(p, t, q)
    check_solvable(layout, mass, jacobian)
    free = ~given
    hidden = jacobian @ v + bound
    if free.any():
        v = v.copy()
        v[free] -= np.linalg.lstsq(jacobian[:, free], hidden, rcond=1e-12)[0]
        hidden = jacobian @ v + bound
    allowed = VELOCITY_TOLERANCE * max(1.0, float((np.abs(jacobian) @ np.abs(v)).max()))
    if not np.all(np.abs(hidden) <= allowed):
        row = int(np.argmax(np.abs(hidden)))
        raise InconsistentInitialValuesError(
            f"The initial velocities of '{layout.name}' violate the time derivative of {layout.row_name(row)}: "
            f"B v + b = {hidden[row]:.3g}; correct them, or leave some out so that they are completed."
        )
    _, multipliers = index1_multipliers(kernels, p, t, q, v)
    return InitialState(q, v, multipliers)
