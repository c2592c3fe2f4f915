"""Regularisation of the matrices of implicit steps if constraints are redundant: as in ``complement_diagonal.h``."""

from __future__ import annotations

import numpy as np

from symlie.contract.constants import REGULARISATION
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.schur import summed
from symlie.runtime.system.mechanics import Mechanics


def complement_diagonal(mechanics: Mechanics, M: Array, B: Array) -> Array:
    """Return a small multiple of diag(B diag(M)⁻¹ Bᵀ), shape (rows,)."""
    layout, algebra = mechanics.layout, mechanics.algebra
    diagonal = np.zeros(layout.dimension)
    i, j = algebra.mass_rows, algebra.mass_columns
    np.add.at(diagonal, i[i == j], M[i == j])
    mobility = np.where(layout.free & (diagonal > 0), 1 / np.where(diagonal > 0, diagonal, 1.0), 0.0)
    size = summed(algebra.jacobian_rows, B**2 * mobility[algebra.jacobian_columns], layout.rows)
    return REGULARISATION * np.where(size > 0, size, 1.0)
