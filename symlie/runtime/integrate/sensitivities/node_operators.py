"""Operators on the Lie algebras of all nodes, for many steps at once: one square block for each node."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.runtime.layout.layout import Array, Layout


class NodeOperators:
    """Operators as blocks of shape (steps, width, dimension): the images of the unit vectors of each node, by the index
    of the component within the node."""

    def __init__(self, layout: Layout) -> None:
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
