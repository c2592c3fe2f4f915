"""Multipliers of given forces, in the sense of least squares."""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.layout import Sparse
from symlie.runtime.linear.kkt import Numbers, SaddlePoint

DEPENDENT = 1e-12
"""Regularisation of constraint equations that depend on each other, which have multipliers of small norm."""


class Multipliers:
    """λ of Bᵀ λ = f for several f.

    Parameters
    ----------
    jacobian
        B, sparse (rows × components), of components of equal size.
    """

    def __init__(self, jacobian: Sparse) -> None:
        from scipy.sparse import eye_array

        self._rows = jacobian.shape[0]
        if self._rows:
            self._factors = SaddlePoint(eye_array(jacobian.shape[1]), jacobian, DEPENDENT, lost_pivot=0.0)

    def __call__(self, forces: Numbers) -> Numbers:
        """λ by column, real or complex.

        Parameters
        ----------
        forces
            f by column, shape (components, n).
        """
        if not self._rows or not forces.shape[1]:
            return np.zeros((self._rows, forces.shape[1]))
        zero = np.zeros((self._rows, forces.shape[1]))
        real = self._factors.solve(np.real(forces), zero)[1]
        return real + 1j * self._factors.solve(np.imag(forces), zero)[1] if np.iscomplexobj(forces) else real
