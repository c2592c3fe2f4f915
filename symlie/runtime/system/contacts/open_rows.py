"""Saddle point systems of models of which all contacts are open, with the operations of a model without contacts."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.open_layout import OpenLayout, open_layout
from symlie.runtime.linear.saddle import SaddleAlgebra, instead_of_complement
from symlie.runtime.linear.schur import Algebra, algebra_of
from symlie.runtime.linear.unknowns import Indices


class OpenRows:
    """Equations that remain in force while all contacts are open."""

    def __init__(self, layout: Layout, massless: Indices) -> None:
        self._layout, self._massless = layout, massless
        self.of_layout: OpenLayout = open_layout(layout)
        self.rows, self.values = self.of_layout.rows, self.of_layout.values

    @cached_property
    def algebra(self) -> Algebra:
        """The algebra of the model without contacts."""
        layout, massless = self.of_layout.layout, self._massless
        if len(massless) or any(c.activity >= 0 for e in layout.elements for c in e.constraints):
            return SaddleAlgebra(layout, massless)
        found = algebra_of(layout)
        return instead_of_complement(layout, found) or found

    @property
    def uses_complement(self) -> bool:
        """True if compiled code solves the system with M and B M⁻¹ Bᵀ, as it does in a model without contacts."""
        if not len(self.rows) or isinstance(self.algebra, SaddleAlgebra):
            return False
        if self._layout.is_fixed:
            return "solve_open_saddle" in self._layout.manifest.operations
        return not self.of_layout.has_mixed_types

    def solve_saddle(self, mass: Array, right: Array, left: Array, r: Array, c: Array) -> tuple[Array, Array]:
        """Return x and μ of the remaining equations for the stored values of B at two configurations."""
        return self.algebra.solve_saddle(mass, right[self.values], left[self.values], r, c)

    def spread(self, mu: Array) -> Array:
        """Return multipliers of all equations, zero for those of contacts."""
        found = np.zeros(self._layout.rows)
        found[self.rows] = mu
        return found
