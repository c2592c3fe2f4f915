"""Derivatives of the momenta and increments of a step, as matrices or along a direction.

    S = dp⁺/dθ and N, that of h (B v + b) of constraints without Φ, along q₁ = q₀∘exp(θ);   K = D_q l,   D = ∂l/∂v

Source: [Hante2022], section 4.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod

from sympy import Symbol

from symlie.derive.discrete.momenta import MovedNode, VariationalStep
from symlie.derive.matrices.newton import by_configuration
from symlie.groups.operators import tangent_operator
from symlie.ir.differentiate import Matrix, columns, forward, unit_vectors
from symlie.ir.program import Value, Vector, depends_on

Seeds = list[tuple[Value, Vector]]


class Slopes(ABC):
    """Derivatives of the momenta and increments of a step."""

    def __init__(self, step: VariationalStep) -> None:
        self.step = step

    @abstractmethod
    def matrices(self) -> tuple[Matrix, Matrix]:
        """Return derivative matrices with one column for each velocity component of the nodes."""

    @abstractmethod
    def along(self, vector: Vector) -> tuple[Vector, Vector]:
        """Return the products of the derivative matrices with a vector."""

    def _parts(self, vector: Vector) -> list[tuple[MovedNode, Vector]]:
        sizes = [node.group.dimension for node in self.step.nodes]
        ends = itertools.accumulate(sizes)
        return [(n, vector[end - size : end]) for n, size, end in zip(self.step.nodes, sizes, ends, strict=True)]


class MomentumSlopes(Slopes):
    """Derivatives S and N."""

    @property
    def _outputs(self) -> Vector:
        return *self.step.start_momentum, *self.step.rolling

    def _seeds(self, node: MovedNode, along: Vector) -> Seeds:
        program = self.step.program
        seeds: Seeds = [(node.increment, along)]
        if depends_on(program, self._outputs, [c for c in node.end.components if isinstance(c, Symbol)]):
            moved = tangent_operator(program, node.group, node.increment.components, along)
            seeds.append((node.end, program.vector(moved)))
        return seeds

    def matrices(self) -> tuple[Matrix, Matrix]:
        """Return S and N."""
        nodes, count = self.step.nodes, len(self.step.start_momentum)
        seeds = (self._seeds(node, unit) for node in nodes for unit in unit_vectors(node.group.dimension))
        rows = tuple(zip(*(forward(self.step.program, self._outputs, s) for s in seeds), strict=True))
        return rows[:count], rows[count:]

    def along(self, vector: Vector) -> tuple[Vector, Vector]:
        """Return S w and N w."""
        seeds, count = [s for part in self._parts(vector) for s in self._seeds(*part)], len(self.step.start_momentum)
        found = forward(self.step.program, self._outputs, seeds)
        return found[:count], found[count:]


class LoadSlopes(Slopes):
    """Derivatives D and, with ``by_configuration``, K."""

    def __init__(self, step: VariationalStep, *, by_configuration: bool) -> None:
        super().__init__(step)
        self._by_configuration = by_configuration

    def matrices(self) -> tuple[Matrix, Matrix]:
        """Return K and D."""
        program, load, nodes = self.step.program, self.step.load, self.step.nodes
        K = by_configuration(program, load, [n.start for n in nodes]) if self._by_configuration else ()
        return K, columns(program, load, [n.velocity for n in nodes])

    def along(self, vector: Vector) -> tuple[Vector, Vector]:
        """Return K w and D w."""
        program, load, parts = self.step.program, self.step.load, self._parts(vector)
        K = forward(program, load, [(node.start, w) for node, w in parts]) if self._by_configuration else ()
        return K, forward(program, load, [(node.velocity, w) for node, w in parts])
