"""Step of explicit Runge–Kutta methods on the stored components, which drift off the manifold.

    Q_i = q_n + h Σ_{j<i} a_ij Q̇_j,  V_i = v_n + h Σ_{j<i} a_ij V̇_j  (1)
    M V̇_i = -g(t_n + c_i h, Q_i, V_i)  (2)
    Q̇_i = rate of the stored components at Q_i along V_i  (3)

For first-order states V_i is f, and the rate follows its generator. q is not projected back to the manifold. The error
estimate uses h Σ b_j V_j instead of local coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.runtime.steps.values import Acceleration, Algebra, StageValues, StoredRate

if TYPE_CHECKING:
    from symlie.runtime.methods.rkmk import ExplicitTable
    from symlie.runtime.steps.recorder import StepRecorder


def ambient_step(s: StepRecorder, table: ExplicitTable) -> None:
    """Write a step."""
    a, c, b_hat = table.a.tolist(), [*table.c.tolist(), 1.0], table.b_hat
    slopes: list[Algebra] = []
    rates: list[StoredRate] = []
    V_dot: list[Acceleration] = []

    def take(stage: StageValues) -> None:
        slopes.append(s.slope(stage))
        rates.append(s.storage_rate(stage.q, slopes[-1]))  # (3)
        V_dot.append(stage.acceleration)

    Q, V = s.q, s.v
    for i in range(table.stages):
        take(s.stage(c[i], Q, V))  # (2)
        Q, V = s.at(c[i + 1], s.stored(s.q, a[i + 1], rates), s.velocity(s.v, a[i + 1], V_dot))  # (1)
    theta = s.increment(a[-1], slopes)
    s.end(Q, V, theta, on_group=False)
    s.end_multipliers(Q, V)
    if b_hat is None:
        return
    s.only_for_estimate()
    if table.has_end_stage:
        last = s.stage(1.0, Q, V)
        s.next_stage(last)
        take(last)
    s.estimate(theta, s.increment(b_hat.tolist(), slopes), V, s.velocity(s.v, b_hat.tolist(), V_dot))
