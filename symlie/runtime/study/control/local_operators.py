"""Transposed operators of local coordinates, and their derivatives.

    δ(T⁻¹(θ)ᵀ w) = (D_θ T⁻¹(θ) δθ)ᵀ w,   δ(T(θ)ᵀ w) = -T(θ)ᵀ (D_θ T⁻¹(θ) δθ)ᵀ T(θ)ᵀ w  (1)

The second equation follows from T T⁻¹ = 1.
"""

from __future__ import annotations

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.study.control.target import images
from symlie.runtime.system.system import System


class LocalOperators:
    """Operators T(θ) and T⁻¹(θ) of all nodes of a system as matrices, with derivatives of their transposes."""

    def __init__(self, system: System) -> None:
        self._kernels, self._units = system.kernels, np.eye(system.layout.dimension)
        self._slope = system.sets.nodes("slopes").inverse_tangent_slope

    def tangent(self, theta: Array) -> Array:
        """Return T(θ)."""
        return images(self._kernels.tangent_operator, theta, self._units)

    def inverse(self, theta: Array) -> Array:
        """Return T⁻¹(θ)."""
        return images(self._kernels.inverse_tangent_operator, theta, self._units)

    def change_of_inverse(self, theta: Array, weights: Array, changes: Array) -> Array:
        """Return the change of T⁻¹(θ)ᵀ w for changes of θ, shape (changes, dimension)."""
        found = self._slope(theta[None, None], self._units[:, None], changes[None])
        return np.asarray((found @ weights).T)

    def change_of_tangent(self, theta: Array, weights: Array, changes: Array) -> Array:
        """Return the change of T(θ)ᵀ w for changes of θ, shape (changes, dimension)."""
        matrix = self.tangent(theta)
        return np.asarray(-self.change_of_inverse(theta, matrix.T @ weights, changes) @ matrix)
