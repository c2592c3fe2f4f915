"""The slowest eigenvalues of large systems, by iteration with the inverse next to zero, on the constraints."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from symlie.errors import EquilibriumError
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.statics.first_order import no_mass
from symlie.runtime.statics.spectrum import Spectrum, one_of_each_pair, ordered

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization

NEUTRAL = 1e-12
"""Squared frequency relative to the largest one that is round-off of zero."""

ITERATED = 1e-9
"""Relative accuracy of eigenvalues that were found by iteration."""

LOST_TO_SHIFT = 1e-3
"""Eigenvalue relative to the shift below which it is round-off of zero."""

SHIFT = 1e-4
"""Shift where the matrix itself is singular, relative to the root of the ratio of the largest stiffness and mass."""


Found = TypeVar("Found")


class NotFoundError(Exception):
    """The iteration did not converge."""


def slow_modes(linear: Linearization, modes: int) -> Spectrum:
    """The slowest modes, with both of each conjugate pair.

    Raises
    ------
    EquilibriumError
        There is a direction without mass that no constraint fixes.
    NotFoundError
        The iteration found fewer modes.
    """
    modes = min(modes, linear.mass.shape[0] // 2 - 2)
    unit = np.sqrt(np.abs(linear.stiffness.diagonal()).max() / np.abs(linear.mass.diagonal()).max())
    for shift in (0.0, SHIFT * float(unit)):
        try:
            found = _lanczos(linear, modes, shift) if linear.is_conservative else _arnoldi(linear, modes, shift)
        except np.linalg.LinAlgError:
            continue
        if len(one_of_each_pair(found.values)) < modes:
            raise NotFoundError
        return found
    raise no_mass(linear.system.name)


def _converged(iterate: Callable[[], tuple[Found, Found]], wanted: int) -> tuple[Found, Found]:
    """Eigenvalues and vectors of an iteration, or those that had converged when it stopped."""
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence

    try:
        values, vectors = iterate()
    except ArpackNoConvergence as error:
        values, vectors = error.eigenvalues, error.eigenvectors
        if len(values) < wanted:
            raise NotFoundError from None
    except ArpackError as error:
        raise EquilibriumError(f"The iteration for modes failed: {error}; ask for fewer modes.") from None
    return values, vectors


def oscillations(squares: Array, vectors: Array, scale: float) -> Spectrum:
    """±√(-ω²) with their shapes; squared frequencies that are round-off of zero are zero.

    Parameters
    ----------
    squares
        ω², shape (n,).
    vectors
        Shapes by column.
    scale
        Squared frequency that round-off is relative to.
    """
    squares = np.where(np.abs(squares) <= NEUTRAL * scale, 0.0, squares)
    roots = np.sqrt((-squares).astype(complex))
    values, both = np.concatenate([roots, -roots]), np.hstack([vectors, vectors])
    return ordered(values, both, np.zeros(len(values)))


def _lanczos(linear: Linearization, modes: int, shift: float) -> Spectrum:
    """Modes without damping: x ↦ y of (K + ς²M) y + Bᵀ λ = M x, B y = 0, which is symmetric in the metric M."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    mass, jacobian = linear.mass, linear.jacobian
    n, m = mass.shape[0], jacobian.shape[0]
    stiffness = (linear.stiffness + linear.stiffness.T) / 2
    factors = SaddlePoint(stiffness + shift**2 * mass, jacobian)

    def inverse(x: Array) -> Array:
        return factors.solve(x, np.zeros(m))[0]

    start = inverse(mass @ np.random.default_rng(0).standard_normal(n))
    operator = LinearOperator((n, n), matvec=inverse, dtype=float)
    squares, vectors = _converged(
        lambda: eigsh(stiffness, modes, mass, sigma=-(shift**2), v0=start, OPinv=operator), modes
    )
    scale = float(np.abs(stiffness.diagonal()).max() / np.abs(mass.diagonal()).max())
    return oscillations(squares, vectors, scale)


def _arnoldi(linear: Linearization, modes: int, shift: float) -> Spectrum:
    """All other modes: the inverse of the first-order system at s = ς on the manifold.

    Of a right-hand side (a, b), with D = [v - ζ, ·] and Z = [ζ, ·] and w = a + (D + ς) η:
    ((C + ςM - MZ)(D + ς) + K) η + Bᵀ λ = -(C + ςM - MZ) a - M b, and B η = 0 of holonomic rows,
    (B (D + ς) + H) η = -B a of others.
    """
    from scipy.sparse import diags_array, eye_array
    from scipy.sparse.linalg import LinearOperator, eigs

    mass, jacobian = linear.mass, linear.jacobian
    n = mass.shape[0]
    moving = (linear.drift + shift * eye_array(n)).tocsr()
    resisted = linear.damping + shift * mass - mass @ linear.spin
    holonomic = linear.system.layout.holonomic
    below = diags_array(holonomic * 1.0) @ jacobian + diags_array(~holonomic * 1.0) @ (
        jacobian @ moving + linear.hidden
    )
    largest = abs(below).max(axis=1).toarray().ravel() if len(holonomic) else np.zeros(0)
    if not np.all(largest > 0):
        raise np.linalg.LinAlgError("a row without entries")
    below = (diags_array(1 / largest) @ below).tocsr()
    factors = SaddlePoint(resisted @ moving + linear.stiffness, jacobian, rows=below)

    def inverse(z: Array) -> Array:
        a, b = z[:n], z[n:]
        x, _ = factors.solve(-(resisted @ a + mass @ b), np.where(holonomic, 0.0, -(jacobian @ a) / largest))
        return np.concatenate([x, a + moving @ x])

    # A vector on the manifold after two applications.
    start = inverse(inverse(np.random.default_rng(0).standard_normal(2 * n)))
    operator = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=float)
    count = min(2 * modes + 2, 2 * n - 2)
    reciprocals, vectors = _converged(lambda: eigs(operator, count, v0=start), count - 2)
    values = shift + 1 / reciprocals
    values = np.where(np.abs(values) <= LOST_TO_SHIFT * shift, 0.0, values)
    values = np.where(np.abs(values.imag) <= ITERATED * np.abs(values), values.real, values)
    return ordered(values, vectors[:n], ITERATED * np.abs(values))
