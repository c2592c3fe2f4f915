"""Kernels of nodes for steps in other coordinates than exp and in ambient space, in NumPy."""

from __future__ import annotations

import numpy as np

from symlie.runtime.kernels.numpy import Functions, node_groups, on_nodes
from symlie.runtime.layout.layout import Array, Layout


class StepKernels:
    """Kernels of one kind for all nodes of a system.

    Parameters
    ----------
    layout
        Layout of the system.
    kind
        ``cayley``, ``second_kind`` or ``ambient``.
    functions
        The generated functions by name.
    """

    def __init__(self, layout: Layout, kind: str, functions: Functions) -> None:
        self._layout, self._kind, self._functions = layout, kind, functions
        self._groups = node_groups(layout)

    def advance(self, q: Array, u: Array) -> Array:
        """q∘φ(u)."""
        name, size = f"advance_{self._kind}", self._layout.storage
        return on_nodes(self._functions, self._groups, name, size, True, (q, True), (u, False))

    def inverse_tangent_operator(self, u: Array, w: Array) -> Array:
        """T⁻¹(u) w of these coordinates."""
        name, size = f"inverse_tangent_operator_{self._kind}", self._layout.dimension
        return on_nodes(self._functions, self._groups, name, size, False, (u, False), (w, False))

    def chart(self, u: Array) -> float:
        """What must stay below (2π)², the largest value of all nodes."""
        sizes = [self._functions[f"{n}_chart_{self._kind}"](u[velocity])[0] for n, _, velocity in self._groups]
        return max(0.0, *(float(np.max(size)) for size in sizes))

    def storage_rate(self, q: Array, w: Array) -> Array:
        """Rate of the stored components along w."""
        return on_nodes(
            self._functions, self._groups, "storage_rate", self._layout.storage, True, (q, True), (w, False)
        )
