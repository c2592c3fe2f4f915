"""Solution of the assembled linear systems on the NumPy side, with errors that name the cause."""

from __future__ import annotations

import numpy as np

from symlie.errors import RedundantConstraintsError, SingularMassMatrixError
from symlie.runtime.layout import Array, Layout

RANK_TOLERANCE = 1e-11
"""Relative singular value below which a row counts as dependent: ten digits above round-off of well-scaled data."""


def solve_mass(mass: Array, right: Array) -> Array:
    """M⁻¹ x; `numpy.linalg.LinAlgError` if singular."""
    return np.asarray(np.linalg.solve(mass, right), dtype=float)


def solve_saddle(mass: Array, right: Array, left: Array, r: Array, c: Array) -> tuple[Array, Array]:
    """Solve [M B0ᵀ; B1 0][a; λ] = [r; c].

    Parameters
    ----------
    mass
        M, (dimension × dimension).
    right, left
        B0 and B1, (rows × dimension).
    r, c
        Right-hand sides.
    """
    n, m = len(r), len(c)
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n] = mass
    matrix[:n, n:] = right.T
    matrix[n:, :n] = left
    solution = np.linalg.solve(matrix, np.concatenate([r, c]))
    return solution[:n], solution[n:]


def check_solvable(layout: Layout, mass: Array, jacobian: Array) -> None:
    """Check that accelerations and multipliers are determined.

    Raises
    ------
    RedundantConstraintsError
        Rows of B depend on each other; the message names them.
    SingularMassMatrixError
        M has a direction without mass that no constraint fixes.
    """
    unit = jacobian
    if len(jacobian):
        scale = np.linalg.norm(jacobian, axis=1)
        if not np.all(scale > 0):
            raise RedundantConstraintsError(
                f"In '{layout.name}', {layout.row_name(int(np.argmin(scale)))} has a zero Jacobian at the initial "
                "configuration; it constrains nothing there."
            )
        unit = jacobian / scale[:, None]
        left, values, _ = np.linalg.svd(unit)
        padded = np.concatenate([values, np.zeros(len(jacobian) - len(values))])
        if padded[-1] <= RANK_TOLERANCE * padded[0]:
            involved = [layout.row_name(int(i)) for i in np.flatnonzero(np.abs(left[:, -1]) > 1e-6)]
            raise RedundantConstraintsError(
                f"The constraints of '{layout.name}' are redundant: {', '.join(involved)} depend on each other; "
                "remove one of them."
            )
    n, m = len(mass), len(jacobian)
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n] = mass / max(float(np.abs(mass).max()), np.finfo(float).tiny)
    matrix[:n, n:], matrix[n:, :n] = unit.T, unit
    _, values, right = np.linalg.svd(matrix)
    if not values[-1] > RANK_TOLERANCE * values[0] * 1e-3:
        component = int(np.argmax(np.abs(right[-1][:n])))
        node = next(x for x in layout.nodes if x.velocity.start <= component < x.velocity.stop)
        raise SingularMassMatrixError(
            f"The mass matrix of '{layout.name}' is singular along velocity component "
            f"{component - node.velocity.start} of node '{node.name}', and no constraint fixes it; give it mass."
        )
