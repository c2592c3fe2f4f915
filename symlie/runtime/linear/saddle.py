"""Elimination of the whole saddle point matrix, for singular M and for wide bands B M⁻¹ Bᵀ.

As in ``saddle_algebra.h``:

    [ M    B0ᵀ ] [a]   [r]
    [ B1   0   ] [λ] = [c]

The matrix is regular if M is regular on ker B. Fixed components and components that are not integrated have a one on
the diagonal and the value zero. If pivots are exchanged only within blocks, one step of iterative refinement with the
products of M, B0 and B1 removes the loss of accuracy.
"""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import RANK_SHIFT
from symlie.errors import NotFiniteError, SingularSystemError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.linear.dependent_rows import DependentRows, dependent_rows
from symlie.runtime.linear.elimination import EliminationStructure, elimination_structure, places_of_kept
from symlie.runtime.linear.factors import Factors, NotFiniteMatrixError, SingularMatrixError
from symlie.runtime.linear.held_mass import held_tables
from symlie.runtime.linear.kkt import undetermined
from symlie.runtime.linear.schur import Algebra, BandedAlgebra, Products
from symlie.runtime.linear.unknowns import Indices, Unknowns

REFINEMENTS = {"dense": 0, "band": 0, "blocks": 1}
"""Steps of iterative refinement by kind of elimination."""

WIDE = 32
"""Half bandwidth of B M⁻¹ Bᵀ from which the whole matrix is considered; chains have up to 11, five arms 29."""

COMPLEMENT_ADVANTAGE = 4
"""Cost of an operation in blocks of the whole matrix relative to one in the band of B M⁻¹ Bᵀ, rows times bandwidth
squared: 3.7 in a binary tree of 31 hinged bodies.
"""


def instead_of_complement(layout: Layout, algebra: Algebra) -> SaddleAlgebra | None:
    """Elimination of the whole matrix in cases in which it is faster although M is invertible, such as branched trees.

    B M⁻¹ Bᵀ couples all constraint equations of a body, so its band is wide at branches. Minimum degree eliminates the
    whole matrix from the leaves of the tree, without fill.
    """
    if not (isinstance(algebra, BandedAlgebra) and layout.rows and algebra.bandwidth > WIDE):
        return None
    found = SaddleAlgebra(layout, np.zeros(0, dtype=np.intp))
    operations = layout.rows * algebra.bandwidth**2
    return found if operations > COMPLEMENT_ADVANTAGE * found.structure.operations else None


class SaddleAlgebra(Products):
    """Solver of saddle point systems, in linear time for chains, trees, rings and other sparse topologies.

    Parameters
    ----------
    layout
        Layout of the system; it has constraints.
    massless
        Velocity components that M does not determine.
    probes
        Largest number of vanishing combinations of constraint equations; 0 requires independent equations, except
        released ones, whose rows of B are zero.
    """

    def __init__(self, layout: Layout, massless: Indices, probes: int = 0) -> None:
        super().__init__(layout)
        self._massless, self.probes = massless, probes
        self._omits_rows = bool(probes) or layout.has_activities

    @cached_property
    def structure(self) -> EliminationStructure:
        """Order and storage of the matrix."""
        kinds = ("dense", "band", "blocks") if self.layout.is_fixed else ("band", "blocks")
        return elimination_structure(saddle_unknowns(self.layout, self._massless), kinds)

    @cached_property
    def tables(self) -> dict[str, NDArray[np.int32]]:
        """Storage indices of entries; see `saddle_tables`."""
        return saddle_tables(self.layout, self.structure, self._massless)

    def solve_mass(self, mass: Array, r: Array) -> Array:
        """Raise an error: M is singular."""
        raise SingularSystemError(f"The mass matrix of '{self.layout.name}' is singular")

    def solve_saddle(
        self, mass: Array, right: Array, left: Array, r: Array, c: Array, dependent: DependentRows | None = None
    ) -> tuple[Array, Array]:
        """Solve like `Algebra`, with λ of minimal norm; errors name a velocity component or an equation.

        `dependent` contains dropped rows if they belong to another configuration than B0.
        """
        if r.ndim > 1:
            rows = [self.solve_saddle(*row) for row in zip(mass, right, left, r, c, strict=True)]
            return np.array([a for a, _ in rows]), np.array([multipliers for _, multipliers in rows])
        if self._omits_rows:
            if dependent is None:
                dependent = self.dependent_rows(right)
                a, multipliers = self.solve_saddle(mass, right, left, r, c, dependent)
                return a, dependent.minimal(multipliers)
            kept = ~dependent.is_aside
            right, left, c = right * kept[self.jacobian_rows], left * kept[self.jacobian_rows], c * kept
        n, rest = self.layout.dimension, np.zeros(len(self.structure.order) - self.layout.dimension - self.layout.rows)
        free = self.layout.free
        factors = self._factorised(mass, right, left, dependent)
        x = factors.solve(np.concatenate([r * free, c, rest]))
        for _ in range(REFINEMENTS[self.structure.kind]):
            a, multipliers = x[:n], x[n : n + self.layout.rows]
            forces = r - self.apply_mass(mass, a) - self.pull(right, multipliers)
            x = x + factors.solve(np.concatenate([forces * free, c - self.multiply(left, a), rest]))
        return x[:n], x[n : n + self.layout.rows]

    def dependent_rows(self, jacobian: Array) -> DependentRows:
        """Redundancy of the rows of B."""
        if not self.probes:
            return self._released_rows(jacobian)
        layout, lengths = self.layout, self.row_lengths(jacobian)
        scale = 1 / np.where(lengths > 0, lengths, 1.0)
        values, unit = np.zeros(self.structure.values), jacobian * scale[self.jacobian_rows]
        np.add.at(values, self.tables["PULL_TO"], unit)
        np.add.at(values, self.tables["SADDLE_PUSH_TO"], unit)
        values[self.tables["SADDLE_DIAGONAL"]] = np.where(
            np.arange(len(self.structure.order)) < layout.dimension, 1, -RANK_SHIFT
        )
        factors, n = self._factors(values), layout.dimension
        right = np.zeros(len(self.structure.order))

        def solve(z: Array) -> Array:
            right[n : n + layout.rows] = -z
            return factors.solve(right)[n : n + layout.rows]

        return dependent_rows(solve, scale, self.probes, layout.compliance)

    def _released_rows(self, jacobian: Array) -> DependentRows:
        """Rows of B that are zero."""
        rows = self.layout.rows
        is_zero = np.zeros(rows, dtype=bool)
        is_zero[self.released_rows(jacobian)] = True
        return DependentRows(np.zeros((rows, 0)), is_zero, np.zeros((rows, 0)), np.zeros((rows, 0)), np.zeros(rows))

    def _factorised(self, mass: Array, right: Array, left: Array, dependent: DependentRows | None) -> Factors:
        values = np.zeros(self.structure.values)
        for places, part in (
            ("MASS_TO", mass),
            ("MASS_MIRROR", mass),
            ("PULL_TO", right),
            ("SADDLE_PUSH_TO", left),
        ):
            np.add.at(values, self.tables[places], part)
        values[self.tables["SADDLE_UNIT_TO"]] = 1
        if dependent is not None:
            n = self.layout.dimension
            values[self.tables["SADDLE_DIAGONAL"][n : n + self.layout.rows][dependent.is_aside]] = 1
        return self._factors(values)

    def _factors(self, values: Array) -> Factors:
        try:
            return Factors(self.structure, values)
        except SingularMatrixError as error:
            raise self._singular(values) from error
        except NotFiniteMatrixError as error:
            raise NotFiniteError(f"The matrix of a stage is not finite at {self._name(error.unknown)}") from error

    def _singular(self, values: Array) -> SingularSystemError:
        from scipy.sparse import csr_array

        rows, columns, places = self.structure.entries()
        unknown = undetermined(csr_array((values[places], (rows, columns))))
        if unknown < self.layout.dimension:
            return SingularSystemError(f"Neither mass nor constraints determine {self._name(unknown)}")
        return SingularSystemError(f"Constraints do not determine λ of {self._name(unknown)}")

    def _name(self, unknown: int) -> str:
        n = self.layout.dimension
        return self.layout.velocity_name(unknown) if unknown < n else self.layout.row_name(unknown - n)


def saddle_unknowns(layout: Layout, massless: Indices) -> Unknowns:
    """Unknowns a and λ, grouped by nodes and by elements with constraint equations; equations of an element that act on
    different nodes are different groups."""
    n = layout.dimension
    sizes = np.concatenate([np.full(s.count, s.type.dimension) for s in layout.nodes])
    node = np.repeat(np.arange(len(sizes)), sizes)
    instance = np.zeros(layout.rows, dtype=np.intp)
    count = len(sizes)
    acts: list[NDArray[np.bool_]] = [np.zeros(0, dtype=bool)]
    for element, own in zip(layout.elements, layout.row_places, strict=True):
        absent = [c.absent for c in element.constraints for _ in range(c.size)]
        kinds = list(dict.fromkeys(absent))
        number = np.array([kinds.index(nodes) for nodes in absent], dtype=np.intp)
        instance[own] = count + len(kinds) * np.arange(len(own))[:, None] + number
        count += len(kinds) * len(own)
        local = [k for k, name in enumerate(element.node_types) for _ in range(layout.node_types[name].velocities)]
        entries = zip(element.jacobian.rows, element.jacobian.columns, strict=True)
        acts.append(np.tile([local[j] not in absent[i] for i, j in entries], len(own)).astype(bool))
    rows, components = layout.assembled("jacobian")
    kept = layout.free[components]
    i, j = layout.assembled("mass")
    inner = np.stack([node[i], node[j]], axis=1)[layout.free[i] & layout.free[j]]
    meeting = np.stack([instance[rows], node[components]], axis=1)[kept]
    return Unknowns(
        np.concatenate([node, instance]),
        np.unique(np.concatenate([inner, meeting]), axis=0),
        np.stack([n + rows, components], axis=1)[kept & np.concatenate(acts)],
        massless,
    )


def saddle_tables(layout: Layout, structure: EliminationStructure, massless: Indices) -> dict[str, NDArray[np.int32]]:
    """Storage indices of the values of M, B0ᵀ and B1, and of ones on the diagonal.

    Values without storage have an index after all values. Unknowns after a and λ have a one on the diagonal.
    """
    n, free = layout.dimension, layout.free
    (i, j), (rows, components) = layout.assembled("mass"), layout.assembled("jacobian")
    both, moved = free[i] & free[j], free[components]
    every = np.arange(len(structure.order))
    ones = np.concatenate([np.flatnonzero(~free), np.arange(n + layout.rows, len(structure.order))])

    to = partial(places_of_kept, structure)
    return {
        "MASS_ROW": i.astype(np.int32),
        "MASS_COLUMN": j.astype(np.int32),
        "MASS_TO": to(i, j, both),
        "MASS_MIRROR": to(j, i, both & (i != j)),
        "JACOBIAN_ROW": rows.astype(np.int32),
        "JACOBIAN_COLUMN": components.astype(np.int32),
        "PULL_TO": to(components, n + rows, moved),
        "SADDLE_PUSH_TO": to(n + rows, components, moved),
        "SADDLE_HELD": np.flatnonzero(~free).astype(np.int32),
        "SADDLE_UNIT_TO": structure.places(ones, ones),
        "SADDLE_DIAGONAL": structure.places(every, every),
        **held_tables(layout, massless, structure.operations),
    }
