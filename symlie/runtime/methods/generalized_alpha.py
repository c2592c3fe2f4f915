"""Generalized-α methods on Lie groups, index 3 and stabilised index 2.

    q_{n+1} = q_n∘exp(θ)                                                              (1)
    w = θ + B_nᵀ η   (index 3 and without constraints: w = θ)                         (2)
    a_{n+1} = (w/h - v_n - h (1/2 - β) a_n)/(h β)                                     (3)
    v_{n+1} = v_n + h (1 - γ) a_n + h γ a_{n+1}                                       (4)
    (1 - α_f) v̇_{n+1} + α_f v̇_n = (1 - α_m) a_{n+1} + α_m a_n                        (5)
    M v̇_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}ᵀ λ_{n+1} = 0                   (6)
    Φ(t_{n+1}, q_{n+1}) = 0                                                           (7)
    B_{n+1} v_{n+1} + b = 0   (stabilised index 2; rows without Φ in both)            (8)

Newton's method finds θ, λ and η. The method begins with

    a_0 = v̇_0 + (α_m - α_f) h v̈_0                                                    (9)
    B_0 δv = B_0 ((1 - 6β - 3(α_m - α_f)) h² v̈_0/6 + h² [v_0, v̇_0]/12)               (10)

where δv = M⁻¹Bᵀμ is added to v_0 for index 3 alone. v̈_0 is a derivative from the right. Where the length of steps
changes to r h,

    a_n ← v̇_n + r (a_n - v̇_n),   v_n ← v_n + (r² - 1) δ,   B δ = B v_n + b            (11)

with δ = M⁻¹Bᵀμ, for index 3 alone. Numbers are those of ``generalized_alpha.h``.
Source: [Holzinger2024], equations (33) to (43) and algorithms 4 and 5; [Hante2022], section 5; (9), (10): [Arnold2015].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.contract.constants import DERIVATIVE_STEP
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.c_text import c_number
from symlie.runtime.methods.entry import EntryReader
from symlie.runtime.methods.family import Method, OwnArray
from symlie.runtime.methods.iteration_matrix import Factors, IterationMatrices, Point, Weights
from symlie.runtime.methods.newton_iteration import NewtonPolicy, newton_solution
from symlie.runtime.methods.tableau import Tableau

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


@dataclass(frozen=True, kw_only=True, repr=False)
class AlphaTableau(Tableau):
    """One implicit stage; its parameters are options.

    Attributes
    ----------
    index
        3, or 2 for the stabilised form.
    """

    index: int

    @property
    def stages(self) -> int:
        """One implicit stage."""
        return 1

    @property
    def has_estimate(self) -> bool:
        """No."""
        return False


@dataclass(frozen=True)
class Parameters:
    """α_m, α_f, β and γ."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float

    @staticmethod
    def of_radius(rho: float) -> Parameters:
        """Those with the spectral radius ρ at infinity, from 0 to 1, and the least damping of slow motions."""
        alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        return Parameters(alpha_m, alpha_f, (1 - alpha_m + alpha_f) ** 2 / 4, 0.5 - alpha_m + alpha_f)


@dataclass(frozen=True, repr=False)
class GeneralizedAlpha(Method):
    """A generalized-α method."""

    tableau: AlphaTableau
    parameters: Parameters = Parameters.of_radius(0.9)
    tangent: bool = True
    stiffness: str = "full"
    start: str = "optimal"
    predictor: str = "previous"
    newton: str = "full"
    newton_rtol: float = 1e-8
    newton_atol: float = 1e-10
    newton_max: int = 25
    scaling: bool = True

    family: ClassVar[str] = "generalized_alpha"
    header: ClassVar[str] = "generalized_alpha.h"
    included: ClassVar[tuple[str, ...]] = ("newton.h",)
    members: ClassVar[str] = "generalized_alpha, generalized_alpha_index2"
    takes_constraints: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        index = reader.required_integer("index")
        return cls(AlphaTableau(**{**reader.common(), "order": 2}, c=(), index=index))

    @property
    def is_index_3(self) -> bool:
        """Whether the velocities at the end of a step are not on the hidden constraints."""
        return self.tableau.index == 3

    @property
    def own(self) -> tuple[OwnArray, ...]:
        """The length of the step before, v̇_n, a_n, and what is added to v_n."""
        return (
            OwnArray("length", 1),
            OwnArray("acceleration", 1, "dimension"),
            OwnArray("algorithmic", 1, "dimension"),
            OwnArray("perturbation", 1, "dimension"),
        )

    def iteration(self, layout: Layout) -> bool:
        return bool(layout.rows) and not self.is_index_3

    def constants(self) -> list[str]:
        p = self.parameters
        numbers = {
            "ALPHA_M": p.alpha_m,
            "ALPHA_F": p.alpha_f,
            "BETA": p.beta,
            "GAMMA": p.gamma,
            "NEWTON_RTOL": self.newton_rtol,
            "NEWTON_ATOL": self.newton_atol,
        }
        choices = {
            "NEWTON_MAX": self.newton_max,
            "TANGENT": self.tangent,
            "FULL_STIFFNESS": self.stiffness == "full",
            "OPTIMAL_START": self.start == "optimal",
            "PREVIOUS": self.predictor == "previous",
            "SCALED": self.scaling,
        }
        return [
            *(f"#define {name} {c_number(value)}" for name, value in numbers.items()),
            *(f"#define {name} {int(value)}" for name, value in choices.items()),
        ]

    def begin(self, stepper: Stepper, state: State, h: float) -> Array:
        m, p = stepper.mechanics, self.parameters
        acceleration, multipliers = stepper.acceleration(state.t, state.q, state.v, state.multipliers)
        perturbation = np.zeros_like(state.v)
        if self.start == "plain":
            return np.concatenate([[h], acceleration, acceleration, perturbation])
        d = DERIVATIVE_STEP * h
        later = []
        for k in (1, 2):
            q, v = m.kernels.advance(state.q, k * d * stepper.moving(state.v)), state.v + k * d * acceleration
            m.prescribe(state.t + k * d, q, v)
            later.append(stepper.acceleration(state.t + k * d, q, v, multipliers)[0])
        jerk = (-3 * acceleration + 4 * later[0] - later[1]) / (2 * d)
        # (9)
        algorithmic = acceleration + (p.alpha_m - p.alpha_f) * h * jerk
        if stepper.rows and self.is_index_3:
            # (10)
            B = m.jacobian(state.t, state.q)
            bracket = m.kernels.bracket(state.v, acceleration)
            wanted = h**2 * ((1 - 6 * p.beta - 3 * (p.alpha_m - p.alpha_f)) * jerk / 6 + bracket / 12)
            right = m.algebra.multiply(B, wanted) * m.layout.holonomic
            perturbation, _ = m.saddle(m.mass(state.t, state.q), B, B, np.zeros_like(state.v), right)
        return np.concatenate([[h], acceleration, algorithmic, perturbation])

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        assert state.own is not None
        m, p = stepper.mechanics, self.parameters
        parts = self.own_parts(m.layout)
        before, a = state.own[parts["acceleration"]], state.own[parts["algorithmic"]]
        v, B = state.v + state.own[parts["perturbation"]], None
        ratio = h / state.own[0]
        if stepper.rows:
            B = m.jacobian(state.t, state.q)
        if ratio != 1:
            # (11)
            a = before + ratio * (a - before)
            if stepper.rows and self.is_index_3:
                residual = m.hidden_residual(state.t, state.q, v, B) * m.layout.holonomic
                off, _ = m.saddle(m.mass(state.t, state.q), B, B, np.zeros_like(v), residual)
                v = v + (ratio**2 - 1) * off
        problem = _Step(self, stepper, state, h, v, before, a, B)
        policy = NewtonPolicy(
            iterations=self.newton_max, correction=0.0, rtol=self.newton_rtol, atol=self.newton_atol, free=1
        )
        u, counts = newton_solution(problem, policy, problem.guess(), 1.0)
        at = problem.at(u)
        stepper.check_chart(at.theta)
        trial = stepper.trial(state, at.q, at.v, [before], counts.evaluations, at.theta)
        trial.multipliers, trial.acceleration = at.multipliers, at.acceleration
        trial.newton_iterations = counts.iterations
        if stepper.rows:
            stepper.measure(trial, at.t, trial.q, trial.v, m.jacobian(at.t, trial.q))
        trial.own = np.concatenate([[h], at.acceleration, problem.algorithmic(problem.moved(u)), 0 * v])
        return trial


class _Step:
    """(1) to (8) as functions of u = (θ, λ, η)."""

    def __init__(
        self, method: GeneralizedAlpha, stepper: Stepper, state: State, h: float, v: Array, before: Array, a: Array,
        B: Array | None,
    ) -> None:  # fmt: skip
        p = method.parameters
        self.method, self.stepper, self.mechanics, self.state, self.h = method, stepper, stepper.mechanics, state, h
        self.v, self.before, self.a, self.B = v, before, a, B
        self.t = state.t + h
        self.free = stepper.system.layout.free
        self.has_eta = bool(stepper.rows) and not method.is_index_3
        velocity, acceleration = p.gamma / (p.beta * h), (1 - p.alpha_m) / (p.beta * (1 - p.alpha_f) * h**2)
        self.weights = Weights(acceleration, velocity, method.tangent, method.stiffness == "full", method.scaling)
        self.matrices = IterationMatrices(stepper.system)

    def guess(self) -> Array:
        """The predictor: v̇ and λ of the step before, or zero."""
        p, h = self.method.parameters, self.h
        keeps = self.method.predictor == "previous"
        acceleration = self.before if keeps else 0 * self.before
        algorithmic = ((1 - p.alpha_f) * acceleration + p.alpha_f * self.before - p.alpha_m * self.a) / (1 - p.alpha_m)
        theta = h * (self.v + h * (0.5 - p.beta) * self.a + h * p.beta * algorithmic)
        multipliers = self.state.multipliers if keeps else 0 * self.state.multipliers
        return np.concatenate([self.free * theta, multipliers, np.zeros(self.has_eta * self.stepper.rows)])

    def moved(self, u: Array) -> Array:
        """w."""
        n, rows = len(self.v), self.stepper.rows
        # (2)
        if not self.has_eta:
            return u[:n]
        return u[:n] + self.free * self.mechanics.algebra.pull(self.B, u[n + rows :] * self.mechanics.layout.holonomic)

    def algorithmic(self, w: Array) -> Array:
        """a_{n+1}."""
        p, h = self.method.parameters, self.h
        # (3)
        return (w / h - self.v - h * (0.5 - p.beta) * self.a) / (h * p.beta)

    def at(self, u: Array) -> Point:
        """The end of the step."""
        p, h, n, rows = self.method.parameters, self.h, len(self.v), self.stepper.rows
        algorithmic = self.algorithmic(self.moved(u))
        # (4), (5)
        v = self.v + h * (1 - p.gamma) * self.a + h * p.gamma * algorithmic
        acceleration = ((1 - p.alpha_m) * algorithmic + p.alpha_m * self.a - p.alpha_f * self.before) / (1 - p.alpha_f)
        theta = u[:n]
        # (1)
        q = self.mechanics.kernels.advance(self.state.q, theta)
        self.mechanics.prescribe(self.t, q, v)
        prescribed = self.mechanics.kernels.prescribed_acceleration(self.mechanics.p, self.t)
        acceleration = np.where(self.free, acceleration, prescribed)
        return Point(self.t, q, v, acceleration, u[n : n + rows], theta)

    def residual(self, u: Array) -> Array:
        """[M v̇ + g + Bᵀλ; Φ; B v + b]."""
        m, layout = self.mechanics, self.mechanics.layout
        self.point = at = self.at(u)
        # (6)
        inertia = self.matrices.mass(m.mass(at.t, at.q)) @ at.acceleration
        r = inertia + m.force(at.t, at.q, at.v)
        if not self.stepper.rows:
            return self.free * r
        B = m.jacobian(at.t, at.q)
        r = self.free * (r + m.algebra.pull(B, at.multipliers))
        # (7), (8)
        hidden = m.hidden_residual(at.t, at.q, at.v, B)
        position = np.where(layout.holonomic, m.constraint(at.t, at.q), hidden)
        if not self.has_eta:
            return np.concatenate([r, position])
        return np.concatenate([r, position, layout.holonomic * hidden])

    def check(self, r: Array) -> None:
        """Name the first component that is not finite."""
        self.stepper.check("residual of the implicit step", r[: len(self.v)])

    def refresh(self) -> None:
        """Take the matrix."""
        start = self.matrices.jacobian(self.B) if self.has_eta else None
        matrix, self.stiffness = self.matrices.matrix(self.point, self.weights, start)
        self.factors = Factors(matrix, self.weights, len(self.v), self.stepper.rows)

    @property
    def floor(self) -> float:
        """Norm of a residual that is made of rounding alone."""
        return self.matrices.rounding(self.point, self.stiffness)

    def correction(self, r: Array) -> Array:
        """Solve with it."""
        return self.factors.solve(r)
