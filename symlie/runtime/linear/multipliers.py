"""Least-squares multipliers of given forces."""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.layout import Sparse
from symlie.runtime.linear.kkt import Numbers, SaddlePoint

DEPENDENT = 1e-12
"""Regularisation of redundant constraint equations, which selects multipliers of small norm."""


class Multipliers:
    """Solver of Bᵀ λ = f for several f, with B sparse (rows × components) and components of equal size."""

    def __init__(self, jacobian: Sparse) -> None:
        from scipy.sparse import eye_array

        self._rows = jacobian.shape[0]
        if self._rows:
            self._factors = SaddlePoint(eye_array(jacobian.shape[1]), jacobian, DEPENDENT, lost_pivot=0.0)

    def __call__(self, forces: Numbers) -> Numbers:
        """Return λ by column, real or complex, for forces by column, shape (components, n)."""
        if not self._rows or not forces.shape[1]:
            return np.zeros((self._rows, forces.shape[1]))
        zero = np.zeros((self._rows, forces.shape[1]))
        real = self._factors.solve(np.real(forces), zero)[1]
        return real + 1j * self._factors.solve(np.imag(forces), zero)[1] if np.iscomplexobj(forces) else real
