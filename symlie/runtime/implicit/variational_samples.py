"""Loads l at samples q_n∘exp(ξ θ) within a step: the NumPy counterpart of ``variational_samples.h``.

    p⁺ = … + h w A_ξ(θ)ᵀ l,   p⁻ = … - h w A_{1-ξ}(-θ)ᵀ l,   v = θ/h

The derivative of the sum in p⁺ is h w (Aᵀ (ξ K T(ξ θ) + D/h) + ∂/∂θ Aᵀ l), with K = D_q l and D = ∂l/∂v.
`symlie.groups.interpolation` defines A_ξ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.discrete import Samples
from symlie.runtime.kernels.discrete import DiscreteKernels
from symlie.runtime.kernels.iteration_tables import PRODUCTS, IterationTables
from symlie.runtime.kernels.node_steps import StepKernels
from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics


def add_product(
    mechanics: Mechanics, name: str, factor: Array, theta: Array, values: Array, places: Mapping[str, NDArray[np.int32]]
) -> None:
    """Add the product of a matrix with T(θ) to ``values``; ``name`` is one of `PRODUCTS`."""
    width, column, to = places["WIDTH"], places[PRODUCTS[name]], places[f"{name}_TO"]
    first = np.arange(len(width)) - places["LOCAL"]
    for c in range(int(width.max(initial=0))):
        unit = (np.arange(len(width)) == first + c).astype(float)
        T = mechanics.kernels.tangent_operator(theta, unit)
        inside = c < width[column]
        np.add.at(values, to[inside] + c, (factor * T[column])[inside])


class StepSamples:
    """Samples of a step with fractions ξ and weights w; ``nodes`` are the node kernels of the set ``interpolation``."""

    def __init__(
        self,
        mechanics: Mechanics,
        kernels: DiscreteKernels,
        nodes: StepKernels,
        samples: Samples,
        t_n: float,
        q_n: Array,
        h: float,
    ) -> None:
        self._mechanics, self._kernels, self._nodes = mechanics, kernels, nodes
        self._samples = [(float(xi), float(weight)) for xi, weight in samples]
        self._t_n, self._q_n, self._h = t_n, q_n, h

    def _at(self, xi: float, theta: Array) -> tuple[float, Array, Array]:
        """Return t, q and v at a sample."""
        return self._t_n + xi * self._h, self._nodes.advance(self._q_n, theta, xi), theta / self._h

    def _load(self, xi: float, theta: Array) -> Array:
        return self._kernels("load", self._mechanics.p, *self._at(xi, theta))

    def start(self, theta: Array) -> Array:
        """Return the contribution of the loads to p⁺."""
        found = np.zeros(len(theta))
        for xi, weight in self._samples:
            found += self._h * weight * self._nodes.cotangent(theta, self._load(xi, theta), xi)
        return found

    def end(self, theta: Array) -> Array:
        """Return the contribution of the loads to p⁻."""
        found = np.zeros(len(theta))
        for xi, weight in self._samples:
            found -= self._h * weight * self._nodes.cotangent(-theta, self._load(xi, theta), 1 - xi)
        return found

    def add_slopes(self, theta: Array, values: Array, tables: IterationTables) -> None:
        """Add h times the derivative of the contribution of loads to p⁺ to the values of a matrix, which are followed
        by workspace for the sample blocks."""
        m, places, size = self._mechanics, tables.places, tables.structure.values
        rows, slopes = places["SAMPLE_ROWS"].reshape(-1, 5), places["SLOPE_ROWS"].reshape(-1, 3)
        for xi, weight in self._samples:
            push = self._h * self._h * weight
            K, D = self._kernels.values("load_slopes", m.p, *self._at(xi, theta))
            values[size:] = 0
            add_product(m, "STIFFNESS", xi * K, xi * theta, values, places)
            np.add.at(values, places["SAMPLE_DAMPING_TO"], D / self._h)
            A = self._nodes.matrix(theta, xi)
            for shape in np.unique(rows[:, 3:], axis=0):
                to, block, column = rows[(rows[:, 3:] == shape).all(axis=1), :3].T
                n, width = np.arange(shape[0]), np.arange(shape[1])
                blocks = values[block[:, None, None] + n[:, None] * shape[1] + width]
                columns = A[column[:, None] + n * shape[0]]
                np.add.at(values, to[:, None] + width, push * np.einsum("ri,rik->rk", columns, blocks))
            G = self._nodes.slopes(theta, self._load(xi, theta), xi)
            for first, to, width in slopes:
                values[to : to + width] += push * G[first : first + width]
