"""Both stages of a variational step, for Newton's method: the NumPy counterpart of ``variational_step.h``.

    h (p⁺(q_n, q, θ) + h w₀ l_n - p_n) + B_nᵀ μ = 0,   Φ(t, q) = 0          μ = h² λ⁺/2     (a)
    p(t, q, v) - p⁻(q_n, q, θ) + h w₁ l(t, q, v) + Bᵀ μ = 0,   B v + b = 0    μ = h λ⁻/2      (b)

with q = q_n∘exp(θ) at the end of the step. In (a) nonholonomic constraints hold in the form in which the discrete
Lagrangian samples h (B v + b). The matrices are [h S, B_nᵀ; B T, 0] and [M + h w₁ D, Bᵀ; B, 0]; the simplified matrices
contain M only.
Source: [Hante2022], equations 15 and 17.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import ROUNDING
from symlie.errors import NotFiniteError, SingularSystemError
from symlie.runtime.implicit.complement_diagonal import complement_diagonal
from symlie.runtime.implicit.variational_samples import StepSamples, add_product
from symlie.runtime.kernels.discrete import DiscreteKernels
from symlie.runtime.kernels.iteration_tables import IterationTables
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.dependent_rows import DependentRows
from symlie.runtime.linear.factors import Factors, NotFiniteMatrixError, SingularMatrixError
from symlie.runtime.system.contacts.open_rows import OpenRows

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


class _Stage(ABC):
    """Stage of a step from (t_n, q_n) as a function of u = (unknowns, μ); without ``tables`` it uses the simplified
    matrix."""

    has_factors = False

    def __init__(
        self,
        system: System,
        kernels: DiscreteKernels,
        tables: IterationTables | None,
        t_n: float,
        q_n: Array,
        h: float,
        samples: StepSamples | None = None,
    ) -> None:
        self.mechanics, self.layout, self.kernels, self.tables = system.mechanics, system.layout, kernels, tables
        self.t_n, self.q_n, self.h, self.t, self.samples = t_n, q_n, h, t_n + h, samples
        self.jacobian_start = self.jacobian = np.zeros(0)
        self.mass = np.zeros(0)
        self.terms = np.zeros(0)
        self.q = q_n
        self.dependent: DependentRows | None = None
        self.factors: Factors | None = None
        self.open_rows: OpenRows | None = None
        """Equations in force if all contacts are open; residuals then have no entries for others."""

    @property
    def rows(self) -> NDArray[np.intp]:
        """Equations in force."""
        return np.arange(self.layout.rows) if self.open_rows is None else self.open_rows.rows

    @property
    def is_bound(self) -> bool:
        """True if equations are in force."""
        return bool(len(self.rows))

    @abstractmethod
    def residual(self, u: Array) -> Array:
        """Return the residual at u."""

    @abstractmethod
    def _add(self, values: Array, tables: IterationTables) -> None:
        """Add all terms of the matrix except the unit entries."""

    def check(self, r: Array) -> None:
        """Raise NotFiniteError with the name of the first entry that is not finite."""
        if not np.isfinite(r).all():
            name = self.entry_name(int(np.flatnonzero(~np.isfinite(r))[0]))
            raise NotFiniteError(f"The residual of the variational step is not finite at {name}")

    def entry_name(self, entry: int) -> str:
        """Return the name of a velocity component or constraint equation."""
        n = self.layout.dimension
        return self.layout.velocity_name(entry) if entry < n else self.layout.row_name(int(self.rows[entry - n]))

    @property
    def floor(self) -> float:
        """Norm of the rounding error of the residual."""
        values = self.jacobian if self.open_rows is None else self.jacobian[self.open_rows.values]
        rows = float(np.abs(self.q).max(initial=0)) * values if self.is_bound else np.zeros(0)
        return float(ROUNDING * np.linalg.norm(np.concatenate([self.terms * self.layout.free, rows])))

    def is_rounding(self, d: Array) -> bool:
        """Return False, since the Newton policies of these stages already bound the corrections."""
        return False

    def refresh(self) -> None:
        """Evaluate and factorise the matrix."""
        self.has_factors = True
        if self.tables is None:
            return
        if not self.is_bound:
            self.jacobian_start = self.jacobian = np.zeros(len(self.mechanics.algebra.jacobian_rows))
        try:
            self.factors = Factors(self.tables.structure, self.values(self.tables))
        except SingularMatrixError as error:
            raise SingularSystemError(
                f"The matrix of a variational step is singular at {self.entry_name(error.unknown)}"
            ) from error
        except NotFiniteMatrixError as error:
            raise NotFiniteError(
                f"The matrix of a variational step is not finite at {self.entry_name(error.unknown)}"
            ) from error

    def values(self, tables: IterationTables) -> Array:
        """Return the matrix at the point of the last residual, in the storage order of its structure."""
        structure = tables.structure
        values = np.zeros(structure.values + (tables.sampled or 0))
        self._add(values, tables)
        if self.mechanics.takes_redundant_rows:
            multipliers = self.layout.dimension + np.arange(self.layout.rows)
            places = structure.places(multipliers, multipliers)
            values[places] -= complement_diagonal(self.mechanics, self.mass, self.jacobian)
        elif self.layout.has_activities:
            held = self.layout.dimension + self.mechanics.algebra.released_rows(self.jacobian)
            values[structure.places(held, held)] = 1
        values[tables.places["UNIT_TO"]] = 1
        values[structure.stored :] = 0
        return values[: structure.values]

    def correction(self, r: Array) -> Array:
        """Solve the linear system with the matrix."""
        m, n = self.mechanics, self.layout.dimension
        if self.factors is not None:
            places = np.concatenate([np.arange(n), n + self.rows])
            right = np.zeros(n + self.layout.rows)
            right[places] = r
            return np.asarray(self.factors.solve(right)[places])
        if not self.is_bound:
            return m.algebra.solve_mass(self.mass, r)
        parts = self.mass, self.jacobian_start, self.jacobian, r[:n], r[n:]
        x, mu = m.saddle(*parts, self.dependent) if self.open_rows is None else self.open_rows.solve_saddle(*parts)
        return np.concatenate([x, mu])

    def _complete(self, r: Array, mu: Array, rows: Array) -> Array:
        """Return the residual with constraint forces, and update the sizes of its terms."""
        if not self.is_bound:
            return np.asarray(self.layout.free * r)
        every = mu if self.open_rows is None else self.open_rows.spread(mu)
        pulled = self.mechanics.algebra.pull(self.jacobian_start, every)
        self.terms = self.terms + np.abs(pulled)
        return np.concatenate([self.layout.free * (r + pulled), rows[self.rows]])


class StartStage(_Stage):
    """Stage (a), for u = (θ, μ)."""

    rest: Array
    """Remaining residual of the solution, divided by h."""

    def begin(self, target: Array, theta: Array) -> None:
        """Evaluate the terms that do not depend on u, with ``target`` = p_n - h w₀ l_n and with θ of prescribed
        nodes."""
        m = self.mechanics
        self.target, self.held = target, theta
        self.mass = m.mass(self.t_n, self.q_n)
        if self.is_bound:
            self.jacobian_start = m.jacobian(self.t_n, self.q_n, np.zeros(self.layout.dimension))
            self.dependent = m.dependent_rows(self.jacobian_start)

    def residual(self, u: Array) -> Array:
        """Return the residual at u."""
        m, n, h = self.mechanics, self.layout.dimension, self.h
        self.theta = theta = np.where(self.layout.free, u[:n], self.held)
        self.mu = u[n:]
        self.q = q = m.kernels.advance(self.q_n, self.layout.free * theta)
        m.prescribe(self.t, q, np.zeros(n))
        between = (self.q_n, q, theta, h)
        start = self.kernels("start_momentum", m.p, self.t_n, *between)
        if self.samples is not None:
            start = start + self.samples.start(theta)
        r = h * (start - self.target)
        self.terms = h * (np.abs(start) + np.abs(self.target))
        rows = np.zeros(0)
        if self.is_bound:
            self.jacobian = m.jacobian(self.t, q, np.zeros(self.layout.dimension))
            rows = m.constraint(self.t, q) + self.kernels("rolling", m.p, self.t_n, *between)
        return self._complete(r, u[n:], rows)

    def _add(self, values: Array, tables: IterationTables) -> None:
        places, m = tables.places, self.mechanics
        S, N = self.kernels.values("momentum_slopes", m.p, self.t_n, self.q_n, self.q, self.theta, self.h)
        np.add.at(values, places["DAMPING_TO"], self.h * S)
        np.add.at(values, places["ROLLING_TO"], N)
        if self.samples is not None:
            self.samples.add_slopes(self.theta, values, tables)
        if not self.layout.rows:
            return
        np.add.at(values, places["PULL_TO"], self.jacobian_start)
        add_product(m, "PUSH", self.jacobian, self.theta, values, places)


class EndStage(_Stage):
    """Stage (b), for u = (v, μ)."""

    def begin(self, end: Array, q: Array, weight: float) -> None:
        """Evaluate the terms that do not depend on u, at the end q of the step, with p⁻ (``end``) and w₁
        (``weight``)."""
        m = self.mechanics
        self.q, self.end, self.weight = q, end, weight
        self.mass = m.mass(self.t, q)
        if self.is_bound:
            self.jacobian_start = self.jacobian = m.jacobian(self.t, q, np.zeros(self.layout.dimension))
            self.dependent = m.dependent_rows(self.jacobian)

    def residual(self, u: Array) -> Array:
        """Return the residual at u."""
        m, n, h = self.mechanics, self.layout.dimension, self.h
        self.v = v = u[:n].copy()
        m.prescribe(self.t, self.q.copy(), v)
        momentum = self.kernels("conjugate_momentum", m.p, self.t, self.q, v)
        self.load = self.kernels.end_load(m.p, self.t, self.q, v)
        pushed = h * self.weight * self.load
        self.terms = np.abs(momentum) + np.abs(self.end) + np.abs(pushed)
        rows = m.hidden_residual(self.t, self.q, v, self.jacobian) if self.is_bound else np.zeros(0)
        return self._complete(momentum - self.end + pushed, u[n:], rows)

    def _add(self, values: Array, tables: IterationTables) -> None:
        places, m = tables.places, self.mechanics
        _, D = self.kernels.values("load_slopes", m.p, self.t, self.q, self.v)
        np.add.at(values, places["MASS_TO"], self.mass)
        np.add.at(values, places["MASS_MIRROR"], self.mass)
        np.add.at(values, places["END_TO"], self.h * self.weight * D)
        if self.layout.rows:
            np.add.at(values, places["PULL_TO"], self.jacobian)
            np.add.at(values, places["REST_TO"], self.jacobian)
