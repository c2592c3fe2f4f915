"""Half-explicit Runge–Kutta Lie group methods for index-2 systems.

    Θ_i = h Σ_{j<i} a_ij Θ̇_j,  Q_i = q_n∘exp(Θ_i),  V_i = v_n + h Σ_{j<i} a_ij V̇_j,  Θ̇_i = T⁻¹(Θ_i) V_i  (12)
    M V̇_1 = -g - B(q_n)ᵀ λ_n  (13)
    [M(Q_i) B(Q_i)ᵀ; B(Q_{i+1}) 0] [V̇_i; Λ_i]
        = [-g(t_n + c_i h, Q_i, V_i); -(B(Q_{i+1}) (v_n + h Σ_{j<i} a_{i+1,j} V̇_j) + b)/(h a_{i+1,i})],  i > 1  (14)
    q_{n+1} = Q_{s+1},  v_{n+1} = V_{s+1},  λ_{n+1} = Σ d_i Λ_i  (15)

For constraints ψ that are nonlinear in the velocities, Newton's method for ψ(Q_{i+1}, V_{i+1}) = 0 with B = ∂ψ/∂v
replaces the second row of (14). Baumgarte stabilisation adds α Φ(Q_{i+1}) to b. The embedded formula uses the weights
b̂ for the configuration and repeats the last stage with them instead of the last row of a, so that its velocity
satisfies the constraint. Without constraints this is the explicit Runge–Kutta–Munthe-Kaas method of the same tableau.

For first-order states the part of V_i in (12) is the algebra-valued f at stage i, a function of all states, V̇_i and
Λ_i: these states are differential components like q. Constraints do not depend on them, so (14) is solved first.

Source: [Tumiotto2024], equations (12) to (15) and section 3.

If M is regular only on the null space of B, the following system replaces (13) in stage 1, unless V̇_1 is known from
the previous step:

    [M(q_n) B(q_n)ᵀ; B(q_n) 0] [V̇_1; Λ_1] = [-g; -Z]  (16)

The other stages are unchanged: [M Bᵀ; B 0] has the same solution V̇ as with the regular M + BᵀB instead of M, and the
multipliers Λ - B V̇. The order is therefore that of (12) to (15) for this matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from symlie.contract.constants import VELOCITY_STEPS
from symlie.errors import NotConvergedError, SingularSystemError
from symlie.runtime.kernels.c_text import c_matrix, c_vector
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.methods.family import Method, ScalarStages
from symlie.runtime.methods.step_checks import is_settled
from symlie.runtime.tableaux.entry import EntryReader
from symlie.runtime.tableaux.exact import rounded
from symlie.runtime.tableaux.half_explicit_tableau import HalfExplicitTableau
from symlie.runtime.tableaux.index2_conditions import half_explicit_orders
from symlie.runtime.tableaux.order_conditions import FoundOrder

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


@dataclass(frozen=True, repr=False)
class HalfExplicit(Method):
    """Half-explicit method."""

    tableau: HalfExplicitTableau

    family: ClassVar[str] = "half_explicit"
    header: ClassVar[str] = "half_explicit.h"
    required: ClassVar[tuple[str, ...]] = ("s", "a", "d")
    optional: ClassVar[tuple[str, ...]] = ("c", "b_hat")
    refused: ClassVar[tuple[str, ...]] = (
        "acceleration-level constraints",
        "dependent nodes together with first-order states",
    )
    takes_constraints: ClassVar[bool] = True
    takes_baumgarte: ClassVar[bool] = True
    takes_coordinate_rates: ClassVar[bool] = True
    takes_lanes: ClassVar[bool] = True

    @classmethod
    def read(cls, reader: EntryReader) -> Self:
        rows = reader.runge_kutta("d", "b_hat")
        return cls(HalfExplicitTableau(**rows, s=reader.required_integer("s"), **reader.common()))

    def orders(self) -> tuple[FoundOrder, FoundOrder | None]:
        return half_explicit_orders(self.tableau)

    def refusal(self, layout: Layout) -> str | None:
        if found := super().refusal(layout):
            return found
        what = ""
        if not layout.of_velocities.all():
            what = "it has acceleration-level constraints"
        elif layout.has_fields and layout.has_placed_nodes:
            what = "it has dependent nodes and first-order states"
        if not what:
            return None
        return (
            f"Method '{self.name}' does not integrate '{layout.name}': {what}; use rkmk_dopri5 or another explicit "
            "method, or index1_dopri5 with constraints of velocities."
        )

    def constants(self) -> list[str]:
        tableau, b_hat = self.tableau, self.tableau.b_hat_float()
        return [
            f"#define STAGES {tableau.stages}",
            f"#define FINAL {tableau.s}",
            f"#define FSAL {int(tableau.fsal)}",
            c_vector("D", rounded(tableau.d)),
            c_matrix("A", tableau.a_float()),
            c_vector("C", rounded(tableau.c)),
            *([] if b_hat is None else [c_vector("B_HAT", b_hat)]),
        ]

    def scalar_stages(self) -> ScalarStages:
        end = self.tableau.s + 1
        return ScalarStages([0] * end, list(self.tableau.a_float()[:end]))

    def step(self, stepper: Stepper, state: State, h: float) -> Trial:
        tableau = self.tableau
        a, c, d, b_hat = tableau.a_float(), rounded(tableau.c), rounded(tableau.d), tableau.b_hat_float()
        m, k, t = stepper.mechanics, stepper.mechanics.kernels, state.t
        q, v, multipliers = state.q, state.v, state.multipliers
        alpha = stepper.control.baumgarte

        B = m.jacobian(t, q, v)
        dependent = m.dependent_rows(B)

        def residual(t: float, Q: Array, V: Array, B: Array, about: Array) -> Array:
            hidden = m.hidden_residual(t, Q, V, B, about)
            return hidden + alpha * m.constraint(t, Q) if alpha else hidden

        def solution(mass: Array, B: Array, next_B: Array, r: Array, c: Array) -> tuple[Array, Array]:
            nonlocal dependent
            try:
                return m.saddle(mass, B, next_B, r, c, dependent)
            except SingularSystemError:
                if dependent is None:
                    raise
            # The constraints are redundant from this stage on.
            dependent = m.dependent_rows(next_B)
            return m.saddle(mass, B, next_B, r, c, dependent)

        def between(
            mass: Array, B: Array, r: Array, t: float, Q: Array, known: Array, length: float, V: Array
        ) -> tuple[Array, Array]:
            # Constraints nonlinear in the velocities are linearised about V until they are satisfied.
            next_B = m.jacobian(t, Q, V)
            if not m.layout.has_nonlinear_rows:
                return solution(mass, B, next_B, r, -residual(t, Q, known, next_B, known) / length)
            for _ in range(VELOCITY_STEPS):
                right = -residual(t, Q, known, next_B, V) / length
                acceleration, multiplier = solution(mass, B, next_B, r, right)
                change, V = known + length * acceleration - V, known + length * acceleration
                if is_settled(change, V):
                    return acceleration, multiplier
                next_B = m.jacobian(t, Q, V)
            stepper.check("velocity", V)
            raise NotConvergedError(
                f"Velocities that satisfy the nonlinear constraints of '{m.layout.name}' were not found"
            )

        theta_dot: list[Array] = []
        v_dot, stage_multipliers = [], []

        def moved(i: int, Theta: Array, rate: Array) -> tuple[Array, Array]:
            # (12)
            theta_dot[i:] = [stepper.moving(rate if i == 0 else k.inverse_tangent_operator(Theta, rate))]
            next_Theta = h * sum(a[i + 1, j] * theta_dot[j] for j in range(i + 1))
            return next_Theta, stepper.advance(q, next_Theta)

        Theta, Q, V = np.zeros_like(v), q, v
        final = (Theta, Q, V, B)
        for i in range(tableau.stages):
            next_Theta, next_Q = moved(i, Theta, m.coordinate_rate(Q, V))
            next_t = t + c[i + 1] * h
            m.prescribe(next_t, next_Q, V.copy())
            if i == 0 and state.acceleration is not None:
                v_dot.append(state.acceleration)
                stage_multipliers.append(multipliers)
            elif i == 0 and m.saddle_algebra is not None:
                # (16)
                acceleration, multiplier = m.index1(t, q, v)
                v_dot.append(acceleration)
                stage_multipliers.append(multiplier)
            else:
                force = stepper.force(t + c[i] * h, Q, V)
                mass = m.mass(t + c[i] * h, Q)
                if i == 0 or not stepper.rows:
                    # (13)
                    v_dot.append(m.solver.solve_mass(mass, force - m.algebra.pull(B, multipliers)))
                    stage_multipliers.append(multipliers)
                else:
                    # (14)
                    known = v + h * sum(a[i + 1, j] * v_dot[j] for j in range(i))
                    m.prescribe(next_t, next_Q, known)
                    guess = known + h * a[i + 1, i] * v_dot[i - 1]
                    m.prescribe(next_t, next_Q, guess)
                    acceleration, multiplier = between(mass, B, force, next_t, next_Q, known, h * a[i + 1, i], guess)
                    v_dot.append(acceleration)
                    stage_multipliers.append(multiplier)
            if m.layout.has_fields:
                at_stage = m.dependent_rows(B)
                seen = stage_multipliers[i] if at_stage is None else at_stage.minimal(stage_multipliers[i])
                rate = m.rate(t + c[i] * h, Q, V, v_dot[i], seen)
                next_Theta, next_Q = moved(i, Theta, rate)
            next_V = v + h * sum(a[i + 1, j] * v_dot[j] for j in range(i + 1))
            m.prescribe(next_t, next_Q, next_V)
            next_B = m.jacobian(next_t, next_Q, next_V)
            if i + 1 == tableau.s:
                final = (next_Theta, next_Q, next_V, next_B)
            if i + 1 < tableau.stages:
                Theta, Q, V, B = next_Theta, next_Q, next_V, next_B
        # (15)
        final_Theta, final_Q, final_V, final_B = final
        trial = stepper.trial(state, final_Q, final_V, v_dot, tableau.stages, final_Theta)
        trial.multipliers = sum((d[i] * stage_multipliers[i] for i in range(tableau.stages)), np.zeros(stepper.rows))
        trial.acceleration = v_dot[-1] if tableau.fsal else None
        if stepper.rows:
            stepper.measure(trial, t + h, final_Q, final_V, final_B)
        if stepper.control.with_estimate and b_hat is not None:
            theta_hat = h * sum(b_hat[j] * theta_dot[j] for j in range(tableau.stages))
            v_hat = v + h * sum(b_hat[j] * v_dot[j] for j in range(tableau.stages - 1))
            if stepper.rows:
                q_hat = k.advance(q, theta_hat)
                m.prescribe(t + h, q_hat, v_hat)
                force, mass = stepper.force(t + c[-2] * h, Q, V), m.mass(t + c[-2] * h, Q)
                last, _ = between(mass, B, force, t + h, q_hat, v_hat, h * b_hat[-1], final_V)
            else:
                last = v_dot[-1]
            trial.estimate(stepper.control, final_Theta, theta_hat, v, final_V, v_hat + h * b_hat[-1] * last)
        return trial
