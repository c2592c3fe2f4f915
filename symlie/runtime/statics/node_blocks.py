"""Operators on the Lie algebras of all nodes: one square block per node, stored row by row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.runtime.kernels.hermite import INVERSE_SERIES, LAST_TERM
from symlie.runtime.kernels.protocol import Kernels
from symlie.runtime.layout.layout import Array, Layout


class NodeBlocks:
    """Blocks of a system: arrays of shape (dimension, width of the widest node), padded with zeros."""

    def __init__(self, layout: Layout, kernels: Kernels) -> None:
        self._kernels = kernels
        sizes = np.concatenate([np.full(n.count, n.type.dimension, dtype=np.intp) for n in layout.nodes])
        self._width = np.repeat(sizes, sizes)
        self._first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        self._local = np.arange(layout.dimension) - self._first
        widest = int(sizes.max(initial=0))
        local = np.arange(widest)
        self._is_inside = local < self._width[:, None]
        self._columns = np.where(self._is_inside, self._first[:, None] + local, 0)
        units = [(self._local == k).astype(float) for k in local]
        brackets = [[kernels.bracket(a, b) for b in units] for a in units]
        self._structure = np.array(brackets).reshape(widest, widest, -1).transpose(2, 0, 1)
        """Components of [e_j, e_k] of each node, shape (dimension, j, k)."""

    def of(self, operator: Callable[[Array], Array]) -> Array:
        """Return the blocks of an operator that acts on each node separately."""
        count = self._columns.shape[1]
        return np.stack([operator((self._local == k).astype(float)) for k in range(count)], axis=1) * self._is_inside

    def adjoint(self, u: Array) -> Array:
        """Return ad_u."""
        return np.asarray(np.einsum("ijk,ij->ik", self._structure, u[self._columns] * self._is_inside))

    def product(self, a: Array, b: Array) -> Array:
        """Return the product of two operators."""
        return np.asarray(np.einsum("ij,ijk->ik", a, b[self._columns]))

    def apply(self, a: Array, vectors: Array) -> Array:
        """Apply an operator to vectors, shape (dimension, count)."""
        return np.asarray(np.einsum("ij,ijk->ik", a, vectors[self._columns]))

    def tangent(self, theta: Array) -> Array:
        """Return T(θ)."""
        return self.of(lambda w: self._kernels.tangent_operator(theta, w))

    def inverse_tangent(self, theta: Array) -> Array:
        """Return T⁻¹(θ)."""
        return self.of(lambda w: self._kernels.inverse_tangent_operator(theta, w))

    def derivative_of_rate(self, theta: Array, v: Array) -> Array:
        """Return D_θ(T⁻¹(θ) v), by the series of T⁻¹ in powers of ad and the product rule."""
        ad = self.adjoint(theta)
        x, inner, total = v, np.zeros_like(ad), np.zeros_like(ad)
        for k, weight in enumerate(INVERSE_SERIES[1:], start=1):
            inner = self.product(ad, inner) - self.adjoint(x)
            x = self.apply(ad, x[:, None])[:, 0]
            total = total + weight * inner
            if k > 1 and weight != 0 and np.abs(weight * inner).max(initial=0) <= LAST_TERM * np.abs(total).max():
                break
        return total
