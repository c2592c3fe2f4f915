"""Operators on the Lie algebras of all nodes, for many steps at once: one square block for each node.

    δ(q∘exp(θ)) = δq + T(θ) (δθ - [θ, δq])  (1)
    δ(T⁻¹(θ) x) = T⁻¹(θ) δx + D_θ(T⁻¹(θ) x) δθ  (2)
    δ log(p⁻¹∘q) = T⁻¹(θ) (δq - δp) + [θ, δp],   θ = log(p⁻¹∘q)  (3)

(1) is Ad(exp(-θ)) δq + T(θ) δθ, since T(θ) ad_θ = 1 - Ad(exp(-θ)), and (3) is its solution for δθ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.runtime.kernels.node_steps import StepKernels
from symlie.runtime.kernels.numpy import NumpyKernels
from symlie.runtime.layout.layout import Array, Layout


class NodeOperators:
    """Operators as blocks of shape (steps, width, dimension): the images of the unit vectors of each node, by the index
    of the component within the node."""

    def __init__(self, layout: Layout, nodes: NumpyKernels, slopes: Callable[[], StepKernels]) -> None:
        self._nodes, self._slopes = nodes, slopes
        sizes = np.concatenate([np.full(n.count, n.type.dimension, dtype=np.intp) for n in layout.nodes])
        width, first = np.repeat(sizes, sizes), np.repeat(np.cumsum(sizes) - sizes, sizes)
        local = np.arange(layout.dimension) - first
        self._units = (local == np.arange(int(sizes.max(initial=0)))[:, None]).astype(float)
        inside = np.arange(len(self._units))[:, None] < width
        self._columns = np.where(inside, first + np.arange(len(self._units))[:, None], 0)
        self._is_inside = inside

    def of(self, operator: Callable[[Array], Array]) -> Array:
        """Return the blocks of a linear operator on vectors of shape (steps, width, dimension) that acts on each node
        alone."""
        return np.where(self._is_inside, operator(self._units[None]), 0.0)

    def apply(self, blocks: Array, tangents: Array) -> Array:
        """Apply an operator to tangents, shape (steps, directions, dimension)."""
        if self._units.shape[0] == self._units.shape[1]:
            return np.asarray(tangents @ blocks)
        found = np.zeros_like(tangents)
        for k, columns in enumerate(self._columns):
            found += tangents[..., columns] * blocks[:, None, k]
        return found

    def along(self, theta: Array, tangents: Array) -> Array:
        """Return T(θ) δθ, the tangent of exp(θ)."""
        return self.apply(self.of(lambda w: self._nodes.tangent_operator(theta[:, None], w)), tangents)

    def bracket(self, theta: Array, tangents: Array) -> Array:
        """Return [θ, δ]."""
        return self.apply(self.of(lambda w: self._nodes.bracket(theta[:, None], w)), tangents)

    def inverse_tangent(self, theta: Array, tangents: Array) -> Array:
        """Return T⁻¹(θ) δ."""
        return self.apply(self.of(lambda w: self._nodes.inverse_tangent_operator(theta[:, None], w)), tangents)

    def advanced(self, theta: Array, dq: Array, d_theta: Array) -> Array:
        """Return the tangent (1) of q∘exp(θ)."""
        return np.asarray(dq + self.along(theta, d_theta - self.bracket(theta, dq)))

    def rate(self, theta: Array, x: Array, d_theta: Array, dx: Array) -> Array:
        """Return the tangent (2) of T⁻¹(θ) x."""
        slope = self._slopes().inverse_tangent_slope
        by_theta = self.of(lambda w: slope(theta[:, None], x[:, None], w))
        return np.asarray(self.inverse_tangent(theta, dx) + self.apply(by_theta, d_theta))

    def between(self, theta: Array, dp: Array, dq: Array) -> Array:
        """Return the tangent (3) of θ = log(p⁻¹∘q)."""
        return np.asarray(self.inverse_tangent(theta, dq - dp) + self.bracket(theta, dp))

    def inverse(self, theta: Array, dx: Array) -> Array:
        """Return the tangent of x⁻¹ with x = exp(θ): -Ad(x) δx."""
        return np.asarray(-(dx + self.along(-theta, self.bracket(theta, dx))))
