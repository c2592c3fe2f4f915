"""Newton matrix of implicit steps: the NumPy counterpart of ``iteration_matrix.h``.

    [ β' M + γ' C + K T   Bᵀ   (β' M + γ' C) B_nᵀ ]
    [ B T                 0    0                  ]
    [ γ' B + H T          0    γ' B B_nᵀ          ]

The matrix is the derivative of [M v̇ + g + Bᵀλ; Φ; B v + b] by (θ, λ, η), with the configuration q_n∘exp(θ),
dv = γ' (dθ + B_nᵀ dη) and dv̇ = β' (dθ + B_nᵀ dη). The last block row and column exist for stabilised index 2 only.
Nonholonomic constraints have γ' B + H T in the second block row, and no η. Components that cannot move keep their θ.

First-order states have the equations v̇ - f = 0, in which the formula determines v̇ from θ with dv̇ = δ' dθ. Their
block row is [Sq T + γ' Sv + β' Sa   Sl   (γ' Sv + β' Sa) B_nᵀ] with δ' added to the diagonal; Sq also contains the
derivatives of forces by these states. `symlie.derive.matrices.fields` defines these matrices.

Acceleration-level constraints B v̇ + Z = 0 have β' B + γ' Zv + Zq T in the second block row, divided by the scale of the
dynamic equations. For dependent nodes, q_d = F(t, q) and v_d = V(t, q, v), θ stands for v̇ by the formula of the method,
so that its columns contain only the terms with β'. The variations x of q_d and γ' y of v_d are further unknowns with

    x - Fq (T dθ, x) = 0,   y - Vq/γ' (T dθ, x) - Vv (dθ, y) = 0,

whose columns contain the other terms; `symlie.derive.matrices.dependents` defines Fq, Vq and Vv.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import REGULARISATION, ROUNDING
from symlie.errors import NotDifferentiableError, SingularSystemError
from symlie.runtime.implicit.complement_diagonal import complement_diagonal
from symlie.runtime.kernels.iteration_tables import newton_sets
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.factors import Factors, NotFiniteMatrixError, SingularMatrixError
from symlie.runtime.linear.schur import summed

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


class Slopes(NamedTuple):
    """Derivatives of an implicit formula with respect to its increment: γ' = dv/dw in 1/s, β' = dv̇/dw in 1/s², and δ'
    = dv̇/dw in 1/s for first-order states, whose v̇ is the rate of the increment."""

    velocity: float
    acceleration: float
    rate: float


@dataclass(frozen=True)
class MatrixParts:
    """Terms of the matrix that are included.

    Attributes
    ----------
    has_tangent
        True for T(θ), False for the identity.
    is_full
        True to include derivatives of M v̇ and of Bᵀλ.
    has_stiffness
        True to include K.
    is_scaled
        True to divide the dynamic equations by β' and multiply the solved multipliers by it.
    """

    has_tangent: bool = True
    is_full: bool = True
    has_stiffness: bool = True
    is_scaled: bool = True


@dataclass(frozen=True)
class Point:
    """Evaluation point of a matrix: the end of a step, its increments, and the argument ``mean`` of T."""

    t: float
    q: Array
    v: Array
    acceleration: Array
    multipliers: Array
    theta: Array
    w: Array
    mean: Array


class IterationMatrix:
    """Structure and terms of the Newton matrix of a system; ``has_eta`` if each λ has an η."""

    def __init__(self, system: System, has_eta: bool, parts: MatrixParts) -> None:
        self.layout, self.mechanics, self.has_eta, self.parts = system.layout, system.mechanics, has_eta, parts
        self.kernels = system.newton_matrices.kernels
        self.sets = {name: system.sets.matrices(name).kernels for name in newton_sets(system.layout)[1:]}
        matrix = system.sets.iteration(has_eta, system.mechanics.massless)
        self.structure, self.tables = matrix.structure, matrix.places
        self.squares, self.blocks = matrix.squares, matrix.blocks
        self._is_dependent = np.zeros(self.layout.dimension, dtype=bool)
        self._is_dependent[self.layout.dependent_components] = True

    def tangent(self, theta: Array) -> Array:
        """Return T(θ), row by row of each node."""
        row, width = self.tables["TANGENT_ROW"], self.tables["WIDTH"]
        first = np.arange(len(width)) - self.tables["LOCAL"]
        found = np.zeros(self.squares)
        for k in range(int(width.max())):
            column = self.mechanics.kernels.tangent_operator(theta, (np.arange(len(width)) == first + k).astype(float))
            inside = k < width
            found[row[inside] + k] = column[inside]
        return found

    def forces(self, jacobian: Array, following: Array, eta: Array) -> Array:
        """Return Bᵀη of holonomic constraints, with the forces on dependent nodes acting on the others by Fq."""
        m, tables = self.mechanics, self.tables
        found = m.algebra.pull(jacobian, eta * self.layout.holonomic)
        rows, columns = tables["FOLLOWED_ROW"], tables["FOLLOWED_COLUMN"]
        for k in tables["FOLLOWED"]:
            found[columns[k]] += following[k] * found[rows[k]]
        found[tables["DEPENDENT"]] = 0
        return found

    def following(self, t: float, q: Array) -> Array:
        """Return the stored values of Fq, or no values for systems without dependent nodes."""
        if "dependents" not in self.sets:
            return np.zeros(0)
        zero = np.zeros(self.layout.dimension)
        return self.sets["dependents"](self.mechanics.p, t, q, zero, zero, np.zeros(self.layout.rows))[0]

    def taken(self, at: Point, slopes: Slopes, start: tuple[Array, Array]) -> TakenMatrix:
        """Return the factorised matrix at a point. ``start`` has the stored values of B_n and Fq in the increments,
        needed with η. Raise SingularSystemError or NotDifferentiableError with the name of the entry."""
        m, parts, tables = self.mechanics, self.parts, self.tables
        scale = slopes.acceleration if parts.is_scaled else 1.0
        inertial, damped = slopes.acceleration / scale, slopes.velocity / scale
        a, multipliers = (at.acceleration, at.multipliers) if parts.is_full else (0 * at.v, 0 * at.multipliers)
        K, C, H = self.kernels(m.p, at.t, at.q, at.v, a, multipliers)
        T = self.tangent(at.mean if parts.has_tangent else 0 * at.mean)
        M = m.mass(at.t, at.q)
        values = np.zeros(self.structure.values)

        def add(places: str, part: Array) -> None:
            np.add.at(values, tables[places], part)

        def add_products(places: str, part: Array, columns: NDArray[np.int32]) -> None:
            row, width = tables["TANGENT_ROW"][columns], tables["WIDTH"][columns]
            direct = self._is_dependent[columns]
            np.add.at(values, tables[places][direct] + tables["LOCAL"][columns[direct]], part[direct])
            for c in range(int(width.max(initial=0))):
                inside = (c < width) & ~direct
                np.add.at(values, tables[places][inside] + c, part[inside] * T[row[inside] + c])

        add("MASS_TO", inertial * M)
        add("MASS_MIRROR", inertial * M)
        add("DAMPING_TO", damped * C)
        if parts.has_stiffness:
            add_products("STIFFNESS_TO", K / scale, tables["STIFFNESS_COLUMN"])
        values[tables["UNIT_TO"]] = 1
        Sq = np.zeros(0)
        of_states: list[tuple[str, Array]] = []
        if "fields" in self.sets:
            Sq, Sv, Sa, Sl = self.sets["fields"](m.p, at.t, at.q, at.v, a, multipliers)
            values[tables["STATE_UNIT_TO"]] += slopes.rate / scale
            add_products("STATE_TO", Sq / scale, tables["STATE_COLUMN"])
            add("STATE_VELOCITY_TO", damped * Sv)
            add("STATE_ACCELERATION_TO", inertial * Sa)
            add("STATE_MULTIPLIER_TO", Sl)
            of_states = [("STATE_VELOCITY_BLOCK", damped * Sv), ("STATE_ACCELERATION_BLOCK", inertial * Sa)]
        if "dependents" in self.sets:
            Fq, Vq, Vv = self.sets["dependents"](m.p, at.t, at.q, at.v, a, multipliers)
            add_products("FOLLOWING_TO", -Fq, tables["FOLLOWING_COLUMN"])
            add_products("FOLLOWING_RATE_TO", -Vq / slopes.velocity, tables["FOLLOWING_RATE_COLUMN"])
            add("FOLLOWING_VELOCITY_TO", -Vv)
        Zq = np.zeros(0)
        if self.layout.rows:
            B = m.jacobian(at.t, at.q, at.v)
            add("PULL_TO", B)
            if "variations" in self.sets:
                Zq, Zv = self.sets["variations"](m.p, at.t, at.q, at.v, a, multipliers)
                add("OPEN_TO", inertial * B)
                add_products("CURVATURE_TO", Zq / scale, tables["CURVATURE_COLUMN"])
                add("CURVATURE_VELOCITY_TO", damped * Zv)
            add_products("PUSH_TO", B, tables["JACOBIAN_COLUMN"])
            add("RATE_TO", slopes.velocity * B)
            add_products("HIDDEN_TO", H, tables["HIDDEN_COLUMN"])
            if self.has_eta:
                parts_of_block = [
                    ("MASS_BLOCK", inertial * M),
                    ("MASS_BLOCK_MIRROR", inertial * M),
                    ("DAMPING_BLOCK", damped * C),
                    *of_states,
                ]
                self._add_eta(values, slopes, parts_of_block, B, start[0])
                add("SHIFT_TO", -np.ones(len(tables["SHIFT_TO"])))
                add("FORCE_TO", -start[0][: len(tables["FORCE_TO"])])
                add("FOLLOWED_TO", -start[1][: len(tables["FOLLOWED_TO"])])
            if m.takes_redundant_rows:
                self._regularise(values, inertial * M, B, slopes)
            elif self.layout.has_activities:
                self._hold_released_rows(values, B)
        values[self.structure.stored :] = 0
        try:
            return TakenMatrix(Factors(self.structure, values), K, Sq, Zq, scale, at, self._scales(scale))
        except SingularMatrixError as error:
            raise SingularSystemError(
                f"The matrix of an implicit step is singular at {self.unknown_name(error.unknown)}"
            ) from error
        except NotFiniteMatrixError as error:
            raise NotDifferentiableError(
                f"The matrix of an implicit step is not finite at {self.unknown_name(error.unknown)}"
            ) from error

    def _add_eta(
        self, values: Array, slopes: Slopes, parts_of_block: list[tuple[str, Array]], B: Array, start: Array
    ) -> None:
        tables = self.tables
        block = np.zeros(self.blocks + 1)
        for places, part in parts_of_block:
            np.add.at(block, tables[places], part)
        count, start_values = tables["BACK_COUNT"], start[tables["BACK_VALUE"]]
        for i in range(int(count.max(initial=0))):
            inside = i < count
            to = tables["BACK_TO"][inside] + i * tables["BACK_STRIDE"][inside]
            factors = block[tables["BACK_COLUMN"][inside] + i * tables["BACK_STEP"][inside]]
            np.add.at(values, to, factors * start_values[inside])
        corners = slopes.velocity * B[tables["CORNER_LEFT"]] * start[tables["CORNER_RIGHT"]]
        np.add.at(values, tables["CORNER_TO"], corners)

    def _regularise(self, values: Array, M: Array, B: Array, slopes: Slopes) -> None:
        """Subtract a small multiple of diag(B diag(M)⁻¹ Bᵀ) from the block of λ, and add a small multiple of γ' diag(B
        Bᵀ) to the block of η."""
        m, layout = self.mechanics, self.layout
        of_rate = np.where(layout.holonomic, 1.0, slopes.velocity)
        of_rate[~layout.of_velocities] = 1.0 if self.parts.is_scaled else slopes.acceleration
        multipliers = layout.dimension + np.arange(layout.rows)
        values[self.structure.places(multipliers, multipliers)] -= complement_diagonal(m, M, B) * of_rate
        if self.has_eta:
            eta = (multipliers + layout.rows)[layout.holonomic]
            length = summed(m.algebra.jacobian_rows, B**2, layout.rows)
            length = slopes.velocity * np.where(length > 0, length, 1.0)
            values[self.structure.places(eta, eta)] += REGULARISATION * length[layout.holonomic]

    def _hold_released_rows(self, values: Array, B: Array) -> None:
        """Put ones on the diagonal of multipliers of released constraints, whose rows of B are zero."""
        n, rows = self.layout.dimension, self.layout.rows
        for first in (n, n + rows) if self.has_eta else (n,):
            held = first + self.mechanics.algebra.released_rows(B)
            values[self.structure.places(held, held)] = 1

    def _scales(self, scale: float) -> Array:
        """Return the divisors of all equations."""
        found = np.ones(len(self.structure.order))
        found[: self.layout.dimension] = scale
        found[self.layout.dimension + np.flatnonzero(~self.layout.of_velocities)] = scale
        return found

    def unknown_name(self, unknown: int) -> str:
        """Return the name of an unknown for messages."""
        n, rows = self.layout.dimension, self.layout.rows
        if unknown < n:
            return self.layout.velocity_name(unknown)
        if unknown < n + (1 + self.has_eta) * rows:
            return self.layout.row_name((unknown - n) % rows)
        return self.layout.velocity_name(int(self.tables["FURTHER"][unknown - n - (1 + self.has_eta) * rows]))

    def stored_sizes(self, q: Array) -> Array:
        """Return for each velocity component the largest stored component of its node."""
        storage, begin = self.tables["STORED_SIZE"], self.tables["STORED"]
        places = np.stack([begin, begin + storage], 1).ravel()
        return np.asarray(np.maximum.reduceat(np.append(np.abs(q), 0.0), places)[::2])

    def rounding(self, at: Point, seen: Point, taken: TakenMatrix, slopes: Slopes, span: float) -> float:
        """Return the norm of the rounding error of a residual, due to its terms and to the configuration of ``seen``,
        the evaluation point of reused factors."""
        m, layout, tables, K = self.mechanics, self.layout, self.tables, taken.stiffness
        largest = self.stored_sizes(seen.q)
        terms = np.abs(m.force(at.t, at.q, at.v))
        M, i, j = m.mass(at.t, at.q), tables["MASS_ROW"], tables["MASS_COLUMN"]
        # The rounding of v̇ comes from its term β' θ, which cancels for short steps, or from all its increments (span).
        size = np.abs(at.acceleration) + slopes.acceleration * span * np.abs(at.theta)
        np.add.at(terms, i, np.abs(M) * size[j])
        np.add.at(terms, j[i != j], (np.abs(M) * size[i])[i != j])
        if layout.has_fields:
            state = tables["STATE"]
            terms[state] = 2 * np.abs(at.acceleration[state]) + slopes.rate * np.abs(at.theta[state])
            np.add.at(terms, tables["STATE_ROW"], np.abs(taken.fields) * largest[tables["STATE_COLUMN"]])
        np.add.at(terms, tables["STIFFNESS_ROW"], np.abs(K) * largest[tables["STIFFNESS_COLUMN"]])
        rows = np.zeros(layout.rows)
        if layout.rows:
            B, row, column = np.abs(m.jacobian(at.t, at.q, at.v)), tables["JACOBIAN_ROW"], tables["JACOBIAN_COLUMN"]
            np.add.at(terms, column, B * np.abs(at.multipliers[row]))
            np.add.at(rows, row, np.abs(m.jacobian(seen.t, seen.q, seen.v)) * largest[column])
            if "variations" in self.sets:
                of_terms, by_q = np.zeros(layout.rows), np.abs(taken.curvature) * largest[tables["CURVATURE_COLUMN"]]
                np.add.at(of_terms, tables["CURVATURE_ROW"], by_q)
                np.add.at(of_terms, row, B * size[column])
                rows = np.where(tables["IS_OPEN"], of_terms, rows)
        return float(ROUNDING * np.linalg.norm(np.concatenate([rows, terms * layout.sought])))


@dataclass(frozen=True, eq=False)
class TakenMatrix:
    """Factors of a matrix, with the stored values of K, Sq and Zq, the evaluation point and the scales of all
    equations."""

    factors: Factors
    stiffness: Array
    fields: Array
    curvature: Array
    scale: float
    at: Point
    scales: Array

    def solve(self, r: Array, dimension: int, rows: int) -> Array:
        """Return the solution for a residual."""
        right = np.zeros(len(self.scales))
        right[: len(r)] = r
        solution = self.factors.solve(right / self.scales)[: len(r)]
        solution[dimension : dimension + rows] *= self.scale
        return solution
