"""Equations at the end of an implicit step, for Newton's method: the NumPy counterpart of ``implicit_step.h``.

    q = q_n∘exp(θ)                                                              (a)
    w = θ + B_nᵀ η   (or Bᵀ η; without η: w = θ)                                (b)
    M v̇ + g(t, q, v) + Bᵀ λ = 0                                                 (c)
    Φ(t, q) = 0                                                                 (d)
    B v + b = 0   (with η; without η only nonholonomic constraints)             (e)
    v̇ = f(t, q, v, v̇, λ)   (first-order states)                                 (f)
    B v̇ + Z = 0   (acceleration-level constraints)                              (g)

The formula of a method gives v and v̇ for an increment w; for first-order states v̇ is the rate of the increment.
Newton's method solves for θ, λ and η. q and v of dependent nodes are functions of the other nodes; their θ stands for v̇
by the formula of the method, and forces Bᵀη on them act on the other nodes by the derivatives of q_d.
Source: [Holzinger2024], algorithms 4 and 5; [Hante2022], section 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from symlie.contract.constants import NEGLIGIBLE, NEWTON_FLOOR, NEWTON_SLOW, ROUNDING
from symlie.errors import NotFiniteError
from symlie.runtime.implicit.iteration_matrix import IterationMatrix, MatrixParts, Point, Slopes, TakenMatrix
from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

RECORD = (
    ("matrix_numbers", 4, ""),
    ("matrix_configurations", 2, "storage"),
    ("matrix_vectors", 3, "dimension"),
    ("matrix_multipliers", 1, "rows"),
)
"""Arrays of the evaluation point of reused factors: t, t_n, γ', β'; q, q_n; v, v̇, argument of T; λ."""


def without_traces(x: Array) -> Array:
    """Return the numbers, with values that numerical damping has made negligible set to zero."""
    return np.where(np.abs(x) < NEGLIGIBLE, 0.0, x)


class Formula(Protocol):
    """Implicit formula for velocities."""

    sees_end: bool
    """True if η acts along B at the end of the step instead of B_n."""
    span: float
    """Amplification of the rounding of θ in v̇, relative to β'."""
    offset: Array | float
    """m - θ with the argument m of T: the derivative of v with respect to the configuration is γ' T⁻¹(m), up to
    products of increments."""

    @property
    def slopes(self) -> Slopes:
        """Derivatives of v and v̇ with respect to the increment."""

    def at(self, theta: Array, w: Array) -> tuple[Array, Array]:
        """Return v and v̇ at the end of the step, for the increments θ and w."""


class ImplicitStep:
    """Equations (a) to (f) of a step from (t_n, q_n) to t as functions of u = (θ, λ, η); ``record`` is the evaluation
    point of reused factors in the order of `RECORD`, or empty."""

    def __init__(
        self,
        system: System,
        formula: Formula,
        t_n: float,
        q_n: Array,
        t: float,
        *,
        has_eta: bool,
        parts: MatrixParts,
        record: Array,
        memory: dict[bytes, TakenMatrix],
    ) -> None:
        self.mechanics, self.layout, self.formula = system.mechanics, system.layout, formula
        self.t_n, self.q_n, self.t = t_n, q_n, t
        self.has_eta = has_eta and self.layout.rows > 0
        self.matrix = IterationMatrix(system, self.has_eta, parts)
        self.start = self._coefficients(t_n, q_n)
        self.record, self.memory = record, memory
        self.has_factors = len(record) > 0 and tuple(record[2:4]) == formula.slopes[:2]
        if self.has_factors:
            self.factors = self._kept()

    def _jacobian(self, t: float, q: Array) -> Array:
        """Return B of the holonomic constraints, which does not depend on v."""
        if not self.has_eta:
            return np.zeros(0)
        of_position = self.layout.holonomic[self.mechanics.algebra.jacobian_rows]
        with np.errstate(all="ignore"):
            B = self.mechanics.jacobian(t, q, np.zeros(self.layout.dimension))
        return np.where(of_position, B, 0.0) if self.layout.has_nonlinear_rows else B

    def guess(self, theta: Array, multipliers: Array) -> Array:
        """Return an initial guess of u."""
        return np.concatenate([self.layout.sought * theta, multipliers, np.zeros(self.has_eta * self.layout.rows)])

    def _increment(self, u: Array, q: Array) -> Array:
        """Return w at the end of a step."""
        n, rows = self.layout.dimension, self.layout.rows
        if not self.has_eta:
            return u[:n]
        # (b)
        known = self._coefficients(self.t, q) if self.formula.sees_end else self.start
        return np.asarray(u[:n] + self.layout.sought * self.matrix.forces(*known, u[n + rows :]))

    def _along(self, at: Point, start: tuple[Array, Array]) -> tuple[Array, Array]:
        """Return B and Fq in (b)."""
        return self._coefficients(at.t, at.q) if self.formula.sees_end else start

    def _coefficients(self, t: float, q: Array) -> tuple[Array, Array]:
        """Return the stored values of B, and of Fq of dependent nodes."""
        return self._jacobian(t, q), self.matrix.following(t, q) if self.has_eta else np.zeros(0)

    def at(self, u: Array) -> Point:
        """Return the end of the step."""
        m, n, rows = self.mechanics, self.layout.dimension, self.layout.rows
        theta = u[:n]
        # (a)
        q = m.kernels.advance(self.q_n, theta)
        m.prescribe(self.t, q, np.zeros(n))
        w = self._increment(u, q)
        v, acceleration = self.formula.at(theta, w)
        m.prescribe(self.t, q, v)
        prescribed = m.kernels.prescribed_acceleration(m.p, self.t)
        acceleration = np.where(self.layout.sought, acceleration, prescribed)
        return Point(self.t, q, v, acceleration, u[n : n + rows], theta, w, theta + self.formula.offset)

    def residual(self, u: Array) -> Array:
        """Return [M v̇ + g + Bᵀλ; Φ; B v + b]."""
        m, layout = self.mechanics, self.layout
        self.point = at = self.at(u)
        # (c)
        r = m.inverse_dynamics(at.t, at.q, at.v, at.acceleration)
        if not layout.rows:
            return self._with_fields(layout.free * r)
        B = m.jacobian(at.t, at.q, at.v)
        r = self._with_fields(layout.free * (r + m.algebra.pull(B, at.multipliers)))
        # (d), (e)
        hidden = m.hidden_residual(at.t, at.q, at.v, B)
        position = np.where(layout.holonomic, m.constraint(at.t, at.q), hidden)
        if not layout.of_velocities.all():
            # (g)
            curved = m.algebra.multiply(B, at.acceleration) + m.kernels.curvature(m.p, at.t, at.q, at.v)
            position = np.where(layout.of_velocities, position, curved)
        if not self.has_eta:
            return np.concatenate([r, position])
        return np.concatenate([r, position, layout.holonomic * hidden])

    def _with_fields(self, r: Array) -> Array:
        if not self.layout.has_fields:
            return r
        # (f)
        at = self.point
        rate = self.mechanics.field(at.t, at.q, at.v, at.acceleration, at.multipliers)
        return np.where(self.layout.has_velocity, r, at.acceleration - rate)

    def check(self, r: Array) -> None:
        """Raise NotFiniteError with the name of the first entry that is not finite."""
        if not np.isfinite(r).all():
            name = self.entry_name(int(np.flatnonzero(~np.isfinite(r))[0]))
            raise NotFiniteError(f"The residual of the implicit step is not finite at {name}")

    def entry_name(self, entry: int) -> str:
        """Return the name of a velocity component or constraint equation."""
        return self.matrix.unknown_name(entry)

    def _taken(self, at: Point, start: tuple[Array, Array]) -> TakenMatrix:
        """Return the Newton matrix at the end of a step."""
        return self.matrix.taken(at, self.formula.slopes, self._along(at, start))

    def refresh(self) -> None:
        """Evaluate and factorise the matrix and record its evaluation point."""
        at, slopes = self.point, self.formula.slopes
        self.factors = self._taken(at, self.start)
        self.has_factors = True
        if len(self.record):
            numbers = [at.t, self.t_n, *slopes[:2]]
            vectors = [at.q, self.q_n, at.v, at.acceleration, at.mean, at.multipliers]
            self.record = np.concatenate([numbers, *vectors])
            self._keep()

    def record_after(self, iterations: int, *, renews: bool) -> Array:
        """Return the evaluation point of the factors; after slow convergence it is marked invalid unless the iteration
        renews factors."""
        if not len(self.record) or renews or iterations <= NEWTON_SLOW:
            return self.record
        return np.concatenate([self.record[:2], [0.0], self.record[3:]])

    def _kept(self) -> TakenMatrix:
        """Return the factors of the previous step, recomputed if they are not in memory."""
        if self.record.tobytes() in self.memory:
            return self.memory[self.record.tobytes()]
        layout = self.layout
        sizes = [4, *[layout.storage] * 2, *[layout.dimension] * 3]
        (t, t_n, *_), q, q_n, v, a, mean, multipliers = np.split(self.record, np.cumsum(sizes))
        at = Point(t, q, v, a, multipliers, mean, mean, mean)
        self.factors = self._taken(at, self._coefficients(t_n, q_n))
        self._keep()
        return self.factors

    def _keep(self) -> None:
        self.memory.clear()
        self.memory[self.record.tobytes()] = self.factors

    @property
    def floor(self) -> float:
        """Norm of the rounding error of the residual."""
        seen = self.factors.at if len(self.record) else self.point
        return self.matrix.rounding(self.point, seen, self.factors, self.formula.slopes, self.formula.span)

    def is_rounding(self, d: Array) -> bool:
        """Return whether a correction of θ is within a few rounding units of the stored components of each node."""
        # No correction can remove a contradiction between redundant constraint equations.
        if self.mechanics.takes_redundant_rows:
            return False
        limit = NEWTON_FLOOR * ROUNDING * self.formula.span * self.matrix.stored_sizes(self.point.q)
        return bool(np.all(np.abs(d[: self.layout.dimension]) <= limit))

    def correction(self, r: Array) -> Array:
        """Solve the linear system with the Newton matrix."""
        n = self.layout.dimension
        d = self.factors.solve(r, n, self.layout.rows)
        if self.formula.sees_end and self.matrix.parts.has_tangent:
            # The matrix is the derivative with respect to x with dv = γ' dx. The correction of θ is T⁻¹(θ) T(m) x with
            # m = θ + o, which is x - [o, x]/2 up to products of increments; the derivative of v neglects these, too.
            d[:n] -= self.mechanics.kernels.bracket(self.formula.offset, d[:n]) / 2
        return d
