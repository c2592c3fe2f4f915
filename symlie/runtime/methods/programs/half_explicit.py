"""Step of half-explicit Runge–Kutta Lie group methods for index-2 systems.

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

With acceleration-level constraints B V̇ + Z = 0, all stages solve (16) at their own arguments, as in explicit
Runge–Kutta–Munthe-Kaas methods of the same tableau.

If M is regular only on the null space of B, the following system replaces (13) in stage 1, unless V̇_1 is known from
the previous step:

    [M(q_n) B(q_n)ᵀ; B(q_n) 0] [V̇_1; Λ_1] = [-g; -Z]  (16)

The other stages are unchanged: [M Bᵀ; B 0] has the same solution V̇ as with the regular M + BᵀB instead of M, and the
multipliers Λ - B V̇. The order is therefore that of (12) to (15) for this matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.runtime.steps.values import Acceleration, Algebra, Multiplier
from symlie.runtime.tableaux.exact import rounded

if TYPE_CHECKING:
    from symlie.runtime.steps.recorder import StepRecorder
    from symlie.runtime.tableaux.half_explicit_tableau import HalfExplicitTableau


def half_explicit_step(s: StepRecorder, tableau: HalfExplicitTableau) -> None:
    """Write a step."""
    a, c, b_hat = tableau.a_float().tolist(), rounded(tableau.c).tolist(), tableau.b_hat_float()
    Theta_dot: list[Algebra] = []
    V_dot: list[Acceleration] = []
    Lambda: list[Multiplier] = []
    Theta, Q, V, B = None, s.q, s.v, s.first_jacobian()
    end = None
    for i in range(tableau.stages):
        weights, point, next_c = a[i + 1][: i + 1], (c[i], Q, V, B), c[i + 1]
        rate = s.inverse_tangent(Theta, s.rate(Q, V))  # (12)
        at_Q, _ = s.at(next_c, s.advance(s.q, s.increment(weights, [*Theta_dot, rate])), V)
        stage = (
            s.first_stage(B)  # (13), (16)
            if i == 0
            else s.stage_between(point, (next_c, at_Q), weights, V_dot)  # (14)
        )
        V_dot.append(stage.acceleration)
        Lambda.append(stage.multiplier)
        # With first-order states again: their rates depend on the stage.
        Theta_dot.append(s.inverse_tangent(Theta, s.slope(stage, B)))
        next_Theta = s.increment(weights, Theta_dot)
        next_Q, next_V = s.at(next_c, s.advance(s.q, next_Theta), s.velocity(s.v, weights, V_dot))
        next_B = s.jacobian(next_c, at_Q, next_V)
        if i + 1 == tableau.s:
            end = next_Q, next_V, next_Theta, next_B
        if i + 1 < tableau.stages:
            Theta, Q, V, B = next_Theta, next_Q, next_V, next_B
    assert end is not None
    end_Q, end_V, end_Theta, end_B = end
    s.end(end_Q, end_V, end_Theta)
    s.stage_multipliers(rounded(tableau.d).tolist(), Lambda, (end_Q, end_V, end_B))  # (15)
    if tableau.fsal:
        s.next_stage(stage)
    if b_hat is None:
        return
    s.only_for_estimate()
    hat = b_hat.tolist()
    Theta_hat = s.increment(hat, Theta_dot)
    Q_hat, _ = s.at(1.0, s.advance(s.q, Theta_hat), end_V)
    V_hat = s.repeated_velocity(point, (1.0, Q_hat), hat, V_dot, end_V)
    s.estimate(end_Theta, Theta_hat, end_V, V_hat)
