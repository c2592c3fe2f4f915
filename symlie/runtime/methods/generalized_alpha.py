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

with δ = M⁻¹Bᵀμ, for index 3 alone. The error is estimated by

    θ̂ = h (v_n - δ) + h² (v̇_n/3 + v̇_{n+1}/6) + h³ [v_n, v̇_n]/12                      (12)

of order three, with the true accelerations in the place of a_n and a_{n+1}. By (5), a_n = v̇_n + Δ h v̈_n + O(h²) with
Δ = α_m - α_f, so that (3) gives

    θ̂ - θ = h³ ((1/6 - β - Δ/2) v̈_n + [v_n, v̇_n]/12) + O(h⁴)

less its part across Φ = 0, where the step is exact: index 3 takes δ away, and index 2 has η in θ. This is the local
error of θ. Stable parameters have β + Δ/2 ≥ 1/4, so that the factor of v̈_n is -1/12 or less. The local error of v,
h³ (1/6 - c - γ (1/2 + Δ)) v⃛_n with c = (1 - α_f)/2 - (1 - α_m)(1/2 + Δ), is not part of the estimate: for a motion of
frequency ω it is as large as that of θ relative to θ, times h ω; accelerations of three times would show it, but with
index 3 they are rounded at 1/h². With parameters of order one it is of h², and there is no estimate.
Numbers are those of ``generalized_alpha.h``.
Source: [Holzinger2024], equations 33 to 43 and algorithms 4 and 5; [Hante2022], section 5; (9), (10): [Arnold2016];
[Bruls2012]; (12) is the estimate of Zienkiewicz and Xie, for Lie groups and with true accelerations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from symlie.contract.constants import DERIVATIVE_STEP, ROUNDING
from symlie.errors import ModelError
from symlie.notices import notify
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.c_text import c_number
from symlie.runtime.methods.entry import EntryReader
from symlie.runtime.methods.family import Method, OwnArray
from symlie.runtime.methods.iteration_matrix import Point, TakenMatrix, Weights
from symlie.runtime.methods.newton_iteration import CONTRACTION, NewtonPolicy, newton_solution
from symlie.runtime.methods.options import Bounded, Choice, Option
from symlie.runtime.methods.order_conditions import FoundOrder, count_order
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
        """(12)."""
        return True


PARAMETERS = ("alpha_m", "alpha_f", "beta", "gamma")
"""Options that are numbers of the equations."""

OPTIONS: Mapping[str, Option] = {
    "rho": Bounded(0, 1, may_be_missing=True),
    **dict.fromkeys(PARAMETERS, Bounded(may_be_missing=True)),
    "newton_rtol": Bounded(0, 1),
    "newton_atol": Bounded(0),
    "newton_max": Bounded(1, 1e6, is_whole=True),
    "newton": Choice(("full", "modified")),
    "stiffness": Choice(("full", "reduced")),
    "start": Choice(("optimal", "plain")),
    "predictor": Choice(("previous", "zero")),
    "tangent": Choice((True, False)),
    "scaling": Choice((True, False)),
}
"""What options may be."""

Number = TypeVar("Number", float, Fraction)


@dataclass(frozen=True)
class Parameters(Generic[Number]):
    """α_m, α_f, β and γ."""

    alpha_m: Number
    alpha_f: Number
    beta: Number
    gamma: Number

    def remarks(self) -> list[str]:
        """What users should know of unusual parameters, as sentences."""
        found = []
        if not self.alpha_m <= self.alpha_f <= 0.5:
            found.append(
                f"alpha_m = {float(self.alpha_m):g} and alpha_f = {float(self.alpha_f):g} are not "
                "alpha_m <= alpha_f <= 1/2: the method is not stable for fast motions."
            )
        least, wanted = 0.25 + (self.alpha_f - self.alpha_m) / 2, 0.5 - self.alpha_m + self.alpha_f
        if not self.beta >= least - 8 * ROUNDING:
            found.append(
                f"beta = {float(self.beta):g} is below 1/4 + (alpha_f - alpha_m)/2 = {float(least):g}: the method is "
                "not stable for fast motions."
            )
        if abs(self.gamma - wanted) > 8 * ROUNDING:
            found.append(
                f"gamma = {float(self.gamma):g} is not 1/2 - alpha_m + alpha_f = {float(wanted):g}: the method has "
                "order 1."
            )
        return found


def parameters_of(options: Mapping[str, Number | None], one: Number) -> Parameters[Number]:
    """The parameters that are stated; those that are not follow from ρ, β and γ from α_m and α_f.

    Parameters
    ----------
    options
        ``rho`` or some of ``alpha_m, alpha_f, beta, gamma``; None where nothing is stated.
    one
        The number 1 of the kind that is wanted.
    """
    rho = _given(options.get("rho"), 9 * one / 10)
    alpha_m = _given(options.get("alpha_m"), (2 * rho - 1) / (rho + 1))
    alpha_f = _given(options.get("alpha_f"), rho / (rho + 1))
    beta = _given(options.get("beta"), (1 - alpha_m + alpha_f) ** 2 / 4)
    return Parameters(alpha_m, alpha_f, beta, _given(options.get("gamma"), one / 2 - alpha_m + alpha_f))


def _given(value: Number | None, default: Number) -> Number:
    return default if value is None else value


@dataclass(frozen=True, repr=False)
class GeneralizedAlpha(Method):
    """A generalized-α method.

    Parameters
    ----------
    rho : float, optional
        ρ, the spectral radius at infinity: from 0, where fast motions vanish, to 1, where nothing is damped; constraint
        errors of index 3 are damped as fast motions are.
    alpha_m, alpha_f, beta, gamma : float, optional
        Parameters of the method; those that are not given follow from ρ.
    newton : str
        ``"full"``: a matrix in each iteration; ``"modified"``: factors are kept over steps.
    tangent : bool
        Whether T(θ) is in the matrix.
    stiffness : str
        ``"full"``, or ``"reduced"``: without derivatives of M v̇ and of Bᵀλ.
    start : str
        ``"optimal"``: (9) and (10); ``"plain"``: a_0 = v̇_0.
    predictor : str
        ``"previous"``: v̇ and λ of the step before; ``"zero"``.
    newton_rtol, newton_atol, newton_max
        When Newton's method ends: norm of the residual relative to the first ones, or as such, and iterations.
    scaling : bool
        Whether dynamic rows are divided by β', and multipliers multiplied.
    """

    tableau: AlphaTableau
    rho: float | None = 0.9
    alpha_m: float | None = None
    alpha_f: float | None = None
    beta: float | None = None
    gamma: float | None = None
    newton: str = "full"
    tangent: bool = True
    stiffness: str = "full"
    start: str = "optimal"
    predictor: str = "previous"
    newton_rtol: float = 1e-8
    newton_atol: float = 1e-10
    newton_max: int = 25
    scaling: bool = True

    family: ClassVar[str] = "generalized_alpha"
    header: ClassVar[str] = "generalized_alpha.h"
    included: ClassVar[tuple[str, ...]] = ("newton.h",)
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in OPTIONS.items()}
    refused: ClassVar[tuple[str, ...]] = (
        "nodes that move by fields",
        "constraints of accelerations",
        "nodes that are placed by others",
    )
    members: ClassVar[str] = "generalized_alpha and generalized_alpha_index2"
    takes_constraints: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        index = reader.required_integer("index")
        return cls(AlphaTableau(**{**reader.common(), "order": 2, "order_hat": 3}, c=(), index=index))

    @property
    def is_index_3(self) -> bool:
        """Whether the velocities at the end of a step are not on the hidden constraints."""
        return self.tableau.index == 3

    @property
    def parameters(self) -> Parameters[float]:
        """α_m, α_f, β and γ."""
        return parameters_of(vars(self), 1.0)

    @property
    def order(self) -> int:
        return self.orders()[0].order

    @property
    def has_estimate(self) -> bool:
        return self.order == self.tableau.order

    def orders(self) -> tuple[FoundOrder, FoundOrder]:
        """a_n is v̇ + Δ h v̈ + c h² v⃛ at t_n, with Δ = α_m - α_f by (5); then (3) and (4) are compared with q and v.

        θ̂ of (12) has the terms h² v̇/2 and h³ v̈/6 of the increment, but h⁴ v⃛/12 for h⁴ v⃛/24.
        """
        known = {name: getattr(self, name) for name in ("rho", *PARAMETERS)}
        stated = {name: None if value is None else Fraction(repr(value)) for name, value in known.items()}
        p = parameters_of(stated, Fraction(1))
        shift, half = p.alpha_m - p.alpha_f, Fraction(1, 2)
        c = (1 - p.alpha_f) / 2 - (1 - p.alpha_m) * (half + shift)
        third = [c + p.gamma * (half + shift) - Fraction(1, 6), shift / 2 + p.beta - Fraction(1, 6)]
        first, last = Fraction(1, 3), Fraction(1, 6)
        estimate = [[first + last - half], [last - Fraction(1, 6)], [last / 2 - Fraction(1, 24)]]
        return (
            count_order([[Fraction(0)], [p.gamma + shift - half], third, [Fraction(1)]], 8 * ROUNDING),
            count_order([[Fraction(0)], *estimate], 0.0),
        )

    @property
    def options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.option_values}

    def _with(self, options: Mapping[str, Any]) -> Self:
        chosen = {name: OPTIONS[name].read(self.name, name, stated) for name, stated in options.items()}
        stated = [name for name in ("alpha_m", "alpha_f") if chosen.get(name) is not None]
        if chosen.get("rho") is not None and stated:
            raise ModelError(f"Method {self.name}: give rho, or alpha_m and alpha_f, not both.")
        if chosen.get("rho") is not None:
            chosen |= {"alpha_m": None, "alpha_f": None}
        elif stated:
            chosen["rho"] = None
        found = replace(self, **chosen)
        for remark in found.parameters.remarks():
            notify(f"Method {self.name}: {remark}")
        return found

    def refusal(self, layout: Layout) -> str | None:
        what = ""
        if layout.has_fields:
            what = "nodes move by fields"
        elif any(n.placed.any() for n in layout.nodes):
            what = "nodes are placed by others"
        elif not layout.of_velocities.all():
            what = "constraints restrict accelerations"
        if not what:
            return super().refusal(layout)
        return (
            f"Method '{self.name}' does not integrate '{layout.name}': {what}; use rkmk_dopri5, or index1_dopri5 with "
            "constraints."
        )

    @property
    def own(self) -> tuple[OwnArray, ...]:
        """The length of the step before, v̇_n, a_n, what is added to v_n; and where factors that are kept were taken."""
        carried = (
            OwnArray("length", 1),
            OwnArray("acceleration", 1, "dimension"),
            OwnArray("algorithmic", 1, "dimension"),
            OwnArray("perturbation", 1, "dimension"),
        )
        if self.newton == "full":
            return carried
        return (
            *carried,
            OwnArray("matrix_times", 3),
            OwnArray("matrix_configurations", 2, "storage"),
            OwnArray("matrix_vectors", 3, "dimension"),
            OwnArray("matrix_multipliers", 1, "rows"),
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
            "CONTRACTION": CONTRACTION if self.newton == "modified" else 0.0,
        }
        choices = {
            "KEEPS_FACTORS": self.newton == "modified",
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
        own = np.zeros(self.own_size(m.layout))
        parts = self.own_parts(m.layout)
        own[0], own[parts["acceleration"]], own[parts["algorithmic"]] = h, acceleration, acceleration
        if self.start == "plain":
            return own
        d = DERIVATIVE_STEP * h
        later = []
        for k in (1, 2):
            q, v = m.kernels.advance(state.q, k * d * stepper.moving(state.v)), state.v + k * d * acceleration
            m.prescribe(state.t + k * d, q, v)
            later.append(stepper.acceleration(state.t + k * d, q, v, multipliers)[0])
        jerk = (-3 * acceleration + 4 * later[0] - later[1]) / (2 * d)
        # (9)
        own[parts["algorithmic"]] += (p.alpha_m - p.alpha_f) * h * jerk
        if stepper.rows and self.is_index_3:
            # (10)
            B = m.jacobian(state.t, state.q)
            bracket = m.kernels.bracket(state.v, acceleration)
            wanted = h**2 * ((1 - 6 * p.beta - 3 * (p.alpha_m - p.alpha_f)) * jerk / 6 + bracket / 12)
            own[parts["perturbation"]] = _along(stepper, state, B, m.algebra.multiply(B, wanted))
        return own

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        step = _Step(self, stepper, state, h)
        policy = NewtonPolicy(
            iterations=self.newton_max,
            correction=0.0,
            rtol=self.newton_rtol,
            atol=self.newton_atol,
            free=1,
            contraction=CONTRACTION if self.newton == "modified" else 0.0,
        )
        u, counts = newton_solution(step, policy, step.guess(), 1.0)
        at = step.at(u)
        stepper.check_chart(at.theta)
        trial = stepper.trial(state, at.q, at.v, [step.before], counts.evaluations, at.theta)
        trial.multipliers, trial.acceleration, trial.newton = at.multipliers, at.acceleration, counts
        trial.rhs_evaluations = counts.evaluations
        if stepper.rows:
            stepper.measure(trial, at.t, trial.q, trial.v, step.mechanics.jacobian(at.t, trial.q))
        trial.own = np.concatenate([[h], at.acceleration, step.algorithmic(step.moved(u)), 0 * at.v, step.taken])
        if stepper.control.with_estimate:
            trial.estimate(stepper.control, at.theta, step.third_order(at), state.v, at.v, at.v)
        return trial


def _along(stepper: Stepper, state: State, B: Array, c: Array) -> Array:
    """M⁻¹Bᵀμ with B M⁻¹Bᵀμ = c on rows with Φ, and 0 on others."""
    m = stepper.mechanics
    c = c * m.layout.holonomic
    return m.saddle(m.mass(state.t, state.q), B, B, np.zeros(m.layout.dimension), c)[0]


class _Step:
    """(1) to (8) as functions of u = (θ, λ, η)."""

    def __init__(self, method: GeneralizedAlpha, stepper: Stepper, state: State, h: float) -> None:
        assert state.own is not None
        self.method, self.stepper, self.mechanics, self.state, self.h = method, stepper, stepper.mechanics, state, h
        self.p, self.t, self.free = method.parameters, state.t + h, stepper.system.layout.free
        self.has_eta = bool(stepper.rows) and not method.is_index_3
        self.matrix = stepper.iteration_matrix(self.has_eta)
        parts = method.own_parts(self.mechanics.layout)
        self.before, self.a = state.own[parts["acceleration"]], state.own[parts["algorithmic"]]
        self.v = state.v + state.own[parts["perturbation"]]
        self.B = self.mechanics.jacobian(state.t, state.q) if stepper.rows else np.zeros(0)
        self.taken = state.own[parts["perturbation"].stop :]
        self.has_factors = len(self.taken) > 0 and self.taken[1] == h
        if self.has_factors:
            self.factors = self._kept()
        ratio = h / state.own[0]
        self.off = np.zeros_like(self.v)
        if stepper.rows and method.is_index_3 and (ratio != 1 or stepper.control.with_estimate):
            residual = self.mechanics.hidden_residual(state.t, state.q, self.v, self.B)
            self.off = _along(stepper, state, self.B, residual)
        if ratio != 1:
            # (11)
            self.a = self.before + ratio * (self.a - self.before)
            self.v = self.v + (ratio**2 - 1) * self.off
            self.off = ratio**2 * self.off

    def guess(self) -> Array:
        """The predictor: v̇ and λ of the step before, or zero."""
        p, h = self.p, self.h
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
        eta = u[n + rows :] * self.mechanics.layout.holonomic
        return np.asarray(u[:n] + self.free * self.mechanics.algebra.pull(self.B, eta))

    def algorithmic(self, w: Array) -> Array:
        """a_{n+1}."""
        p, h = self.p, self.h
        # (3)
        return (w / h - self.v - h * (0.5 - p.beta) * self.a) / (h * p.beta)

    def at(self, u: Array) -> Point:
        """The end of the step."""
        p, h, n, rows = self.p, self.h, len(self.v), self.stepper.rows
        algorithmic = self.algorithmic(self.moved(u))
        # (4), (5)
        v = self.v + h * (1 - p.gamma) * self.a + h * p.gamma * algorithmic
        acceleration = ((1 - p.alpha_m) * algorithmic + p.alpha_m * self.a - p.alpha_f * self.before) / (1 - p.alpha_f)
        theta = u[:n]
        # (1)
        q = self.mechanics.kernels.advance(self.state.q, theta)
        self.mechanics.prescribe(self.t, q, v)
        prescribed = self.mechanics.kernels.prescribed_acceleration(self.mechanics.p, self.t)
        return Point(self.t, q, v, np.where(self.free, acceleration, prescribed), u[n : n + rows], theta)

    def third_order(self, at: Point) -> Array:
        """θ̂."""
        h, bracket = self.h, self.mechanics.kernels.bracket(self.v, self.before)
        # (12)
        return h * (self.v - self.off) + h**2 * (self.before / 3 + at.acceleration / 6) + h**3 * bracket / 12

    def residual(self, u: Array) -> Array:
        """[M v̇ + g + Bᵀλ; Φ; B v + b]."""
        m, layout = self.mechanics, self.mechanics.layout
        self.point = at = self.at(u)
        # (6)
        r = m.force(at.t, at.q, at.v) + m.algebra.apply_mass(m.mass(at.t, at.q), at.acceleration)
        if not self.stepper.rows:
            return np.asarray(self.free * r)
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

    def entry_name(self, entry: int) -> str:
        """A velocity component or a constraint row."""
        return self.matrix.unknown_name(entry)

    def refresh(self) -> None:
        """Take the matrix, and note where."""
        self.factors = self._taken(self.point, self.h, self.B)
        self.has_factors = True
        if len(self.taken):
            at, begin = self.point, self.state
            times = [at.t, self.h, begin.t]
            self.taken = np.concatenate([times, at.q, begin.q, at.v, at.acceleration, at.theta, at.multipliers])
            self.stepper.memory = {self.taken.tobytes(): self.factors}

    def _kept(self) -> TakenMatrix:
        """The factors that the step before has left, taken once more where they are not at hand."""
        at_hand: Mapping[bytes, TakenMatrix] = self.stepper.memory
        if self.taken.tobytes() in at_hand:
            return at_hand[self.taken.tobytes()]
        m, layout = self.mechanics, self.mechanics.layout
        sizes = [3, *[layout.storage] * 2, *[layout.dimension] * 3]
        (t, h, begin), q, start, v, a, theta, multipliers = np.split(self.taken, np.cumsum(sizes))
        B = m.jacobian(begin, start) if self.stepper.rows else np.zeros(0)
        found = self._taken(Point(t, q, v, a, multipliers, theta), h, B)
        self.stepper.memory = {self.taken.tobytes(): found}
        return found

    def _slope(self, h: float) -> float:
        """β' = dv̇/dw, in 1/s²."""
        return (1 - self.p.alpha_m) / (self.p.beta * (1 - self.p.alpha_f) * h**2)

    def _taken(self, at: Point, h: float, start: Array) -> TakenMatrix:
        method, velocity, acceleration = self.method, self.p.gamma / (self.p.beta * h), self._slope(h)
        scale = acceleration if method.scaling else 1.0
        weights = Weights(acceleration, velocity, method.tangent, method.stiffness == "full", scale)
        return self.matrix.taken(at, weights, start)

    @property
    def floor(self) -> float:
        """Norm of a residual that is made of rounding alone."""
        return self.matrix.rounding(self.point, self.factors.stiffness, self._slope(self.h))

    def correction(self, r: Array) -> Array:
        """Solve with it."""
        return self.factors.solve(r, len(self.v), self.stepper.rows)
