"""Momenta of a discrete Lagrangian for a whole system, in NumPy."""

from __future__ import annotations

import numpy as np

from symlie.contract.kernels import KERNELS, Gather, instance_size
from symlie.contract.set_table import SetTable
from symlie.contract.sets import KernelSet
from symlie.runtime.kernels.matrices import matrix_positions
from symlie.runtime.kernels.numpy import Functions, on_element
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.linear.schur import summed


class DiscreteKernels:
    """Kernels of a discrete Lagrangian, evaluated for all elements of a type at once.

    Parameters
    ----------
    layout
        Layout of the system.
    chosen, table
        Kernel set and its table.
    functions
        Generated functions by name.

    Attributes
    ----------
    weights
        Weights w₀ and w₁ of the loads at both ends of a step, divided by h.
    loads_see_velocity
        True if loads at the end of a step depend on v there.
    """

    def __init__(self, layout: Layout, chosen: KernelSet, table: SetTable, functions: Functions) -> None:
        self._layout, self._functions, self._table = layout, functions, table
        self.weights: tuple[float, ...] = table.weights
        *_, (places, _) = matrix_positions(layout, chosen, table)
        self.loads_see_velocity = bool(self.weights[1]) and len(places[0]) > 0

    def __call__(self, name: str, p: Prepared, t: float, *arguments: Array | float) -> Array:
        """Evaluate a vector-valued kernel: ``conjugate_momentum``, ``load``, ``start_momentum``, ``end_momentum`` or
        ``rolling``."""
        kernel, layout = KERNELS[name], self._layout
        by_velocity = kernel.gather is Gather.VELOCITIES
        total, rows = np.zeros(layout.dimension), [np.zeros(0)]
        for index, (element, count) in enumerate(zip(layout.elements, layout.instance_counts, strict=True)):
            block = on_element(self._functions, layout, index, kernel, p, t, *arguments)
            if not by_velocity:
                size = instance_size(element, kernel.size) * count
                rows.append(np.zeros(size) if block is None else block.T.ravel())
            elif block is not None:
                total += summed(layout.places[index].ravel(), block.T.ravel(), layout.dimension)
        return total if by_velocity else np.concatenate(rows)

    def end_load(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        """Load l at the end of a step; zero if the discrete Lagrangian does not sample the potential energy at the
        ends."""
        return self("load", p, t, q, v) if any(self.weights) else np.zeros(self._layout.dimension)

    def values(self, name: str, p: Prepared, t: float, *arguments: Array | float) -> list[Array]:
        """Stored values of matrices: S and N for ``momentum_slopes``, K and D for ``load_slopes``."""
        kernel = KERNELS[name]
        which = slice(0, 2) if name == "momentum_slopes" else slice(2, 4)
        parts = [[np.zeros(0)] for _ in kernel.result_names]
        for index, element in enumerate(self._table.elements):
            block = on_element(self._functions, self._layout, index, kernel, p, t, *arguments)
            if block is not None:
                ends = np.cumsum([pattern.count for pattern in element.patterns[which]])
                for part, values in zip(parts, np.split(block, ends[:-1]), strict=True):
                    part.append(values.T.ravel())
        return [np.concatenate(part) for part in parts]
