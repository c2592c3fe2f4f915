"""Linear equations of motion as z' = A z in independent coordinates.

    η = E x,   w = S y + G x,   z = (x, y)

E and S are orthonormal bases: E of the variations η of the configuration that satisfy the holonomic constraints, S of
the variations w of the velocity that satisfy all constraints for η = 0. G satisfies B G + H E = 0 and Sᵀ M G = 0, which
eliminates derivatives of G x from the equations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.errors import EquilibriumError
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.redundancy import RANK_TOLERANCE
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization
    from symlie.runtime.system.system import System

CONSISTENT = 1e-8
"""Relative residual of B G + H E = 0 up to which redundant constraint equations are consistent."""


@dataclass(frozen=True, eq=False, repr=False)
class FirstOrder(Brief):
    """Linear equations of motion z' = A z in independent coordinates, from `Linearization.first_order`.

    The state z = (x, y) determines the variations η = E x of the configuration and w = S y + G x of the velocity. E and
    S are orthonormal bases of the variations that satisfy the constraints. All matrices are dense and refer to the free
    velocity components.
    """

    matrix: Array
    """A, shape (states, states)."""
    variation: Array
    """Matrix that maps z to η, shape (free components, states)."""
    velocity: Array
    """Matrix that maps z to w, shape (free components, states)."""
    basis: Array
    """S, shape (free components, degrees of freedom)."""
    mass: Array
    """Sᵀ M S, shape (degrees of freedom, degrees of freedom)."""


def first_order(linear: Linearization) -> FirstOrder:
    """Return the first-order equations; raise EquilibriumError for an unconstrained massless direction or contradictory
    velocity constraints."""
    mass, damping, stiffness, jacobian, hidden, drift, spin = (
        m.toarray()
        for m in (
            linear.mass, linear.damping, linear.stiffness, linear.jacobian, linear.hidden, linear.drift, linear.spin,
        )
    )  # fmt: skip
    e, s, g, reduced = independent_coordinates(linear.system, mass, jacobian, hidden)
    resisted = s.T @ (damping - mass @ spin)
    matrix = np.block(
        [
            [e.T @ (g - drift @ e), e.T @ s],
            [-np.linalg.solve(reduced, resisted @ g + s.T @ stiffness @ e), -np.linalg.solve(reduced, resisted @ s)],
        ]
    )
    variation = np.hstack([e, np.zeros((len(e), s.shape[1]))])
    return FirstOrder(matrix, variation, np.hstack([g, s]), s, reduced)


def independent_coordinates(
    system: System, mass: Array, jacobian: Array, hidden: Array
) -> tuple[Array, Array, Array, Array]:
    """Return E, S, G and Sᵀ M S for M, B and H = D_q(B v + b) on the free components; raise EquilibriumError for an
    unconstrained massless direction or contradictory velocity constraints."""
    e = null_space(jacobian[system.layout.holonomic])
    s = null_space(jacobian)
    reduced = s.T @ mass @ s
    reduced = (reduced + reduced.T) / 2
    _check_mass(system.name, reduced)
    g = across(jacobian, -hidden @ e)
    rest = np.abs(jacobian @ g + hidden @ e).max(axis=1, initial=0)
    scale = np.abs(hidden @ e).max(initial=0) + np.finfo(float).tiny
    if np.any(rest > CONSISTENT * scale):
        row = system.layout.row_name(int(np.argmax(rest)))
        raise EquilibriumError(
            f"Constraint equations of '{system.name}' are dependent, but small motions violate {row}; remove the "
            "redundant ones."
        )
    return e, s, g - s @ np.linalg.solve(reduced, s.T @ (mass @ g)), reduced


def _check_mass(name: str, reduced: Array) -> None:
    """Raise EquilibriumError unless the mass matrix is regular on the directions that satisfy the constraints."""
    if not len(reduced):
        return
    scale = np.sqrt(np.maximum(np.diag(reduced), np.finfo(float).tiny))
    values = np.linalg.eigvalsh(reduced / scale[:, None] / scale)
    if not values[0] > NO_MASS * values[-1] or np.diag(reduced).min() <= NO_MASS * np.diag(reduced).max():
        raise no_mass(name)


NO_MASS = 1e-14
"""Relative size of a mass that is attributed to round-off."""


def no_mass(name: str) -> EquilibriumError:
    """Return the error that reports a massless direction."""
    return EquilibriumError(
        f"Small motions of '{name}' are not determined: no constraint determines a massless direction; give it mass."
    )


def null_space(jacobian: Array, rank: int | None = None) -> Array:
    """Return an orthonormal basis of the null space of a matrix; singular values determine the rank if it is not
    specified."""
    rows, n = jacobian.shape
    if not rows:
        return np.eye(n)
    right, found = _decomposed(jacobian)[2:]
    return np.asarray(right[found if rank is None else rank :].T)


def independent_rows(jacobian: Array) -> NDArray[np.intp]:
    """Return the indices of a largest set of independent rows; singular values determine the rank."""
    from scipy.linalg import qr

    if not len(jacobian):
        return np.zeros(0, dtype=np.intp)
    pivots = qr(jacobian.T / _norms(jacobian), mode="r", pivoting=True)[1]
    return np.sort(pivots[: _decomposed(jacobian)[3]])


def across(jacobian: Array, values: Array) -> Array:
    """Return the smallest X with B X = values in the least-squares sense."""
    if not len(jacobian):
        return np.zeros((jacobian.shape[1], values.shape[1]))
    left, singular, right, rank = _decomposed(jacobian)
    norms = _norms(jacobian)
    return np.asarray(right[:rank].T @ ((left[:, :rank].T @ (values / norms[:, None])) / singular[:rank, None]))


def _norms(jacobian: Array) -> Array:
    norms = np.linalg.norm(jacobian, axis=1)
    return np.asarray(np.where(norms > 0, norms, 1.0))


def _decomposed(jacobian: Array) -> tuple[Array, Array, Array, int]:
    """Return the singular value decomposition of the matrix with normalised rows, and its rank."""
    left, values, right = np.linalg.svd(jacobian / _norms(jacobian)[:, None])
    return left, values, right, int(np.sum(values > RANK_TOLERANCE * values.max(initial=0.0)))
