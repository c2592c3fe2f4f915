"""Variational integrators: a discrete Lagrangian L_d(q_n, q_{n+1}, h) determines the equations of a step.

    q_{n+1} = q_n∘exp(θ)                                                                     (1)
    p_n = p⁺(q_n, q_{n+1}, θ) + h w₀ l(t_n, q_n, v_n) + h/2 B_nᵀ λ_n⁺                        (2)
    Φ(t_{n+1}, q_{n+1}) = 0;  nonholonomic: h (B v + b) = 0 as sampled by L_d          (3)
    p_{n+1} = p⁻(q_n, q_{n+1}, θ) - h w₁ l(t_{n+1}, q_{n+1}, v_{n+1}) - h/2 B_{n+1}ᵀ λ_{n+1}⁻ (4)
    B_{n+1} v_{n+1} + b = 0                                                                  (5)

with p = ∂T/∂v, p⁺ = -D₁L_d, p⁻ = D₂L_d, and the loads l = D_q V + ∂D/∂v - f at the ends. (2), (3) determine θ and λ_n⁺;
(4), (5) determine v_{n+1} and λ_{n+1}⁻, even if loads depend on v. The multipliers at t_{n+1} are the mean of λ_{n+1}⁻
and λ_{n+1}⁺; the latter solves (2), (3) of the next step of this length, which starts from it.

Source: [Hante2022], equations 14 to 18; with the trapezoidal rule it is RATTLie, equations 17.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.contract.constants import NEWTON_ENOUGH
from symlie.contract.discrete import DISCRETE_LAGRANGIANS, DiscreteLagrangian, Samples
from symlie.contract.sets import discrete_set
from symlie.runtime.implicit.newton_iteration import NewtonPolicy, newton_solution
from symlie.runtime.implicit.variational_samples import StepSamples
from symlie.runtime.implicit.variational_step import EndStage, StartStage
from symlie.runtime.kernels.c_text import c_number, c_vector
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.family import OwnArray
from symlie.runtime.methods.options import Bounded, Choice, Option
from symlie.runtime.methods.self_adjoint import COMPOSE, SelfAdjoint
from symlie.runtime.tableaux.discrete_lagrangian import checked, order_of
from symlie.runtime.tableaux.tableau import Tableau

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial
    from symlie.runtime.tableaux.entry import EntryReader
    from symlie.runtime.tableaux.order_conditions import FoundOrder

SLOW_ENOUGH = 1e-15
"""Largest entry of a correction with the simplified matrix, relative to the largest entry of q, that ends the
iteration."""
DAMPED = 0.1
"""Required reduction of the residual of (4) by corrections with M alone; otherwise the matrix with load derivatives is
used."""


@dataclass(frozen=True, kw_only=True, repr=False)
class DiscreteTableau(Tableau):
    """Discrete Lagrangian, which defines the samples of the energies."""

    discrete: DiscreteLagrangian


@dataclass(frozen=True, repr=False)
class Variational(SelfAdjoint):
    """Variational integrator."""

    tableau: DiscreteTableau
    newton: str = "simplified"
    """``"simplified"``: M replaces h ∂p⁺/∂θ; ``"full"``: the derived matrix."""
    multipliers: str = "average"
    """``"average"``: mean of λ⁻ and λ⁺; ``"index1"``: from the accelerations, always used by compositions."""
    newton_rtol: float = 0.0
    """Bound on the norm of the final residual, relative to the first residuals."""
    newton_atol: float = 0.0
    """Absolute bound on the norm of the final residual."""
    newton_max: int = 50

    family: ClassVar[str] = "variational"
    header: ClassVar[str] = "variational.h"
    required: ClassVar[tuple[str, ...]] = ("kinetic", "potential")
    stated_options: ClassVar[Mapping[str, Option]] = {
        "newton": Choice(("simplified", "full")),
        "multipliers": Choice(("average", "index1")),
        "newton_rtol": Bounded(0, 1),
        "newton_atol": Bounded(0),
        "newton_max": Bounded(1, 1e6, is_whole=True),
        **COMPOSE,
    }
    option_values: ClassVar[Mapping[str, str]] = {name: option.text for name, option in stated_options.items()}
    members: ClassVar[str] = "rattlie, variational_midpoint and user-defined discrete Lagrangians"
    refused: ClassVar[tuple[str, ...]] = (
        "acceleration-level constraints",
        "dependent nodes",
        "first-order states",
    )
    takes_constraints: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        entry = reader.entry
        if "discrete_lagrangian" in entry:
            discrete = DISCRETE_LAGRANGIANS[str(entry["discrete_lagrangian"])]
        else:
            discrete = checked(DiscreteLagrangian(reader.name, *(_samples(reader, n) for n in cls.required)))
        newton = "full" if discrete.between else "simplified"
        return cls(DiscreteTableau(**reader.common(), c=(), discrete=discrete), newton)

    def orders(self) -> tuple[FoundOrder, None]:
        return order_of(self.tableau.discrete), None

    @property
    def is_self_adjoint(self) -> bool:
        return self.tableau.discrete.is_symmetric

    @property
    def takes_averages(self) -> bool:
        """True if multipliers are means of λ⁻ and λ⁺, which would reduce composed steps to order two."""
        return self.multipliers == "average" and self.composition is None

    def refusal(self, layout: Layout) -> str | None:
        what = ""
        if layout.has_placed_nodes:
            what = "it has dependent nodes"
        elif not layout.of_velocities.all():
            what = "it has acceleration-level constraints"
        elif layout.has_nonlinear_rows:
            what = "a constraint is nonlinear in the velocities, for which no discrete constraint is defined"
        elif layout.has_fields:
            what = "it has first-order states"
        if not what:
            return super().refusal(layout)
        return (
            f"Method '{self.name}' does not integrate '{layout.name}': {what}; use rkmk_dopri5, or index1_dopri5 with "
            "constraints."
        )

    @property
    def stability(self) -> str:
        return (
            ""
            if self.tableau.discrete.between
            else "it is explicit in the forces: h ω must be below 2 for the highest frequency ω"
        )

    @property
    def kernel_set(self) -> str | None:
        return "interpolation" if self.tableau.discrete.between else None

    @property
    def element_set(self) -> str:
        return discrete_set(self.tableau.discrete).name

    @property
    def takes_element_matrix(self) -> bool:
        return self.newton == "full"

    def looks_ahead(self, layout: Layout) -> bool:
        """Return whether (2), (3) of the next step are solved to obtain the multipliers."""
        return layout.rows > 0 and self.takes_averages

    @property
    def own(self) -> tuple[OwnArray, ...]:
        """Data of the next step: status (0 unknown, 1 guess, 2 solution), h, θ, μ, initial l, and auxiliary data."""
        return (
            OwnArray("known", 1),
            OwnArray("length", 1),
            OwnArray("damped", 1),  # 1 if (4) needs the matrix of the loads
            OwnArray("theta", 1, "dimension"),
            OwnArray("multipliers", 1, "rows"),
            OwnArray("load", 1, "dimension"),
            OwnArray("rest", 1, "dimension"),  # residual of (2) after its solution
        )

    def constants(self) -> list[str]:
        between = self.tableau.discrete.between
        parts = {"SAMPLE_PART": [float(xi) for xi, _ in between], "SAMPLE_WEIGHT": [float(w) for _, w in between]}
        numbers = {
            "NEWTON_RTOL": self.newton_rtol,
            "NEWTON_ATOL": self.newton_atol,
            "SLOW_ENOUGH": SLOW_ENOUGH,
            "DAMPED": DAMPED,
        }
        choices = {
            "NEWTON_MAX": self.newton_max,
            "FULL": self.newton == "full",
            "AVERAGES": self.takes_averages,
            "SAMPLES": len(between),
        }
        return [
            *(f"#define {name} {c_number(value)}" for name, value in numbers.items()),
            *(f"#define {name} {int(value)}" for name, value in choices.items()),
            *(c_vector(name, numbers) for name, numbers in parts.items() if between),
        ]

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        assert state.own is not None
        return _Step(self, stepper, state, h).trial()


def _samples(reader: EntryReader, name: str) -> Samples:
    """Return pairs of a fraction of the step and a weight, one per sample."""
    stated = reader.entry[name]
    rows = [reader.row(name, pair) for pair in stated] if isinstance(stated, list | tuple) else []
    if not rows or any(len(row) != 2 or any(x.factor for x in row) for row in rows):
        raise reader.error(f'{name} is {stated!r}, but it must be pairs of a part of the step and a weight: ["1/2", 1]')
    return tuple((row[0].rational, row[1].rational) for row in rows)


class _Step:
    """Step of the method."""

    def __init__(self, method: Variational, stepper: Stepper, state: State, h: float) -> None:
        self.method, self.stepper, self.state, self.h = method, stepper, state, h
        self.mechanics, self.layout = stepper.mechanics, stepper.system.layout
        self.kernels, self.tables = stepper.discrete(method.element_set, method.takes_element_matrix)
        assert state.own is not None
        self.own = {name: state.own[part] for name, part in method.own_parts(self.layout).items()}

    def trial(self) -> Trial:
        method, stepper, state, h, layout = self.method, self.stepper, self.state, self.h, self.layout
        m, k, n = self.mechanics, self.kernels, self.layout.dimension
        known, damped = float(self.own["known"][0]), float(self.own["damped"][0])
        projects = stepper.control.project_position or stepper.control.project_velocity
        load = self.own["load"] if known and not projects else k.end_load(m.p, state.t, state.q, state.v)
        if known == 2 and self.own["length"][0] == h and not projects:
            theta, rest = self._held(state.t, state.q, self.own["theta"]), self.own["rest"]
            q = m.kernels.advance(state.q, layout.free * theta)
            m.prescribe(state.t + h, q, np.zeros(n))
        else:
            # (1), (2), (3)
            theta, mu = h * state.v, np.zeros(layout.rows)
            if known and not projects:
                part = h / float(self.own["length"][0])
                theta, mu = part * self.own["theta"], part * part * self.own["multipliers"]
            stage = self._start(state.t, state.q, state.v, load, theta, mu)
            theta, q, rest = stage.theta, stage.q, stage.rest
        stepper.check_chart(state.q, layout.free * theta)

        # (4), (5)
        t = state.t + h
        q = m.kernels.normalize(q)
        end = k("end_momentum", m.p, state.t, state.q, q, theta, h)
        if (samples := self._samples(state.t, state.q)) is not None:
            end = end + samples.end(theta)
        weight = k.weights[1]
        last = EndStage(stepper.system, k, stepper.end_tables(method.element_set), state.t, state.q, h)
        # The rounding residual of (2) is passed to the next step, which preserves momentum.
        last.begin(end - rest, q, weight)
        guess = np.concatenate([theta / h, np.zeros(layout.rows)])
        policy = NewtonPolicy(
            iterations=method.newton_max,
            correction=SLOW_ENOUGH,
            rtol=method.newton_rtol,
            atol=method.newton_atol,
            free=1,
            contraction=0.0 if damped or last.tables is None else DAMPED,
        )
        last.has_factors = not damped
        before = stepper.newton.refreshes
        u = newton_solution(last, policy, guess, max(1.0, float(np.abs(state.v).max(initial=0))), stepper.newton)
        damped = float(damped or stepper.newton.refreshes > before)
        v = np.where(layout.free, u[:n], 0.0)
        m.prescribe(t, q.copy(), v)
        load = k.end_load(m.p, t, q, v)

        minus = 2 / h * u[n:]
        multipliers, next_theta, next_mu, known = minus, 2 * h * v - theta, h * h / 2 * minus, 1.0
        rest = np.zeros(n)
        if method.looks_ahead(layout):
            ahead = self._start(t, q, v, load, next_theta, next_mu)
            next_theta, next_mu, rest, known = ahead.theta, ahead.mu, ahead.rest, 2.0
            multipliers = (minus + 2 / (h * h) * next_mu) / 2
        evaluations = stepper.newton.evaluations
        trial = stepper.trial(state, q, v, [np.zeros(n)], evaluations, layout.free * theta)
        trial.rhs_evaluations = evaluations
        trial.multipliers = multipliers
        if layout.rows:
            if not method.takes_averages:
                _, trial.multipliers = m.index1(t, trial.q, v)
            stepper.measure(trial, t, trial.q, v, m.jacobian(t, trial.q, v))
        trial.own = np.concatenate([[known, h, damped], next_theta, next_mu, load, rest])
        return trial

    def _held(self, t: float, q: Array, theta: Array) -> Array:
        """Return θ with the increments of prescribed nodes."""
        layout, m = self.layout, self.mechanics
        if not len(layout.motion_velocity):
            return np.where(layout.free, theta, 0.0)
        moved = q.copy()
        m.prescribe(t + self.h, moved, np.zeros(layout.dimension))
        return np.where(layout.free, theta, m.kernels.difference(q, moved))

    def _samples(self, t: float, q: Array) -> StepSamples | None:
        """Return the loads at samples between the ends of the step."""
        nodes, between = self.stepper.further, self.method.tableau.discrete.between
        return None if nodes is None else StepSamples(self.mechanics, self.kernels, nodes, between, t, q, self.h)

    def _start(self, t: float, q: Array, v: Array, load: Array, theta: Array, mu: Array) -> StartStage:
        """Solve (2), (3)."""
        method, stepper, k, m, h = self.method, self.stepper, self.kernels, self.mechanics, self.h
        stage = StartStage(stepper.system, k, self.tables, t, q, h, self._samples(t, q))
        momentum = k("conjugate_momentum", m.p, t, q, v)
        stage.begin(momentum - h * k.weights[0] * load, self._held(t, q, theta))
        policy = NewtonPolicy(
            iterations=method.newton_max,
            correction=NEWTON_ENOUGH if self.tables is not None else SLOW_ENOUGH,
            rtol=method.newton_rtol,
            atol=method.newton_atol,
            free=1,
        )
        size = max(1.0, float(np.abs(q).max(initial=0)))
        guess = np.concatenate([self.layout.free * theta, mu])
        u = newton_solution(stage, policy, guess, size, stepper.newton)
        r, n = stage.residual(u), self.layout.dimension
        if stepper.rows and self.tables is None:
            # Remove the contribution of the rounding of Φ to (2), so that momentum is preserved.
            r = stage.residual(u - stage.correction(np.append(r[:n], np.zeros(len(r) - n))))
        stage.rest = r[:n] / h
        return stage
