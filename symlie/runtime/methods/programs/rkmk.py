"""Step of Runge–Kutta–Munthe-Kaas methods and of methods for the index-1 system.

    Θ_i = h Σ_{j<i} a_ij K_j,  Q_i = q_n∘exp(Θ_i),  V_i = v_n + h Σ_{j<i} a_ij V̇_j  (1)
    M V̇_i = -g(t_n + c_i h, Q_i, V_i)  (2)
    K_i = T⁻¹(Θ_i) V_i  (3)
    q_{n+1} = q_n∘exp(h Σ b_i K_i),  v_{n+1} = v_n + h Σ b_i V̇_i  (4)

T⁻¹ may be truncated after a number of commutators; without any, K_i = V_i. Rows of the tableau may have additional
commutators weight·h² [K_j, K_k]. For first-order states V_i in (3) is the algebra-valued f at the stage, and for nodes
integrated in stored coordinates their rate. Other local coordinates may replace exp. With constraints, V̇_i and λ solve
the index-1 system of the stage instead of (2), which preserves neither Φ = 0 nor B v = 0:

    [M Bᵀ; B 0] [V̇_i; λ] = [-g; -Z]  at (t_n + c_i h, Q_i, V_i)  (5)

Source: [Celledoni2022], section 2; left-trivialised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.runtime.steps.values import Acceleration, Algebra

if TYPE_CHECKING:
    from symlie.runtime.methods.rkmk import ExplicitTable
    from symlie.runtime.steps.recorder import StepRecorder


def rkmk_step(s: StepRecorder, table: ExplicitTable) -> None:
    """Record a step."""
    a, c, b_hat = table.a.tolist(), table.c.tolist(), table.b_hat
    K: list[Algebra] = []
    V_dot: list[Acceleration] = []
    factors = [s.h**2 * float(term.weight) for term in table.brackets]
    Theta, Q, V = None, s.q, s.v
    for i in range(table.stages):
        stage = s.stage(c[i], Q, V)  # (2), (5)
        V_dot.append(stage.acceleration)
        K.append(s.inverse_tangent(Theta, s.slope(stage), table.inverse))  # (3)
        Theta = s.increment(a[i + 1], K)  # (1), and (4) after the last stage
        for term, factor in zip(table.brackets, factors, strict=True):
            if term.row == i + 2:
                Theta = s.add(Theta, factor, s.bracket(K[term.first - 1], K[term.second - 1]))
        Q, V = s.at([*c, 1.0][i + 1], s.advance(s.q, Theta), s.velocity(s.v, a[i + 1], V_dot))
    assert Theta is not None
    s.end(Q, V, Theta)
    s.end_multipliers(Q, V)
    if b_hat is None:
        return
    s.only_for_estimate()
    if table.has_end_stage:
        last = s.stage(1.0, Q, V)
        s.next_stage(last)
        V_dot.append(last.acceleration)
        K.append(s.inverse_tangent(Theta, s.slope(last), table.inverse))
    s.estimate(Theta, s.increment(b_hat.tolist(), K), V, s.velocity(s.v, b_hat.tolist(), V_dot))
