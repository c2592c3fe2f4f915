"""Step of commutator-free methods and of Crouch–Grossman methods, as compositions of exponentials.

    Y_i = Y_start∘exp(h Σ_j e_1j f_j)∘exp(h Σ_j e_2j f_j)∘…  (1)
    f_j = (V_j, V̇_j) at Y_j = (Q_j, V_j)  (2)

Every stage and the result follow from the start of the step or from an earlier stage by a chain of exponentials; the
velocity increments are summed. The first of a chain acts first: q∘exp(h Σ_j α_j f_j)∘exp(h Σ_j β_j f_j) under right
multiplication, exp(h Σ_j β_j f_j)·exp(h Σ_j α_j f_j)·y under an action from the left. Without commutators the signs
agree. The error of a pair is the distance of its two ends,

    log(q_{n+1}⁻¹∘q̂_{n+1})  (3)

or, with the option ``error_metric="algebra"``, the difference of their local coordinates at the start of the step,

    log(q_n⁻¹∘q̂_{n+1}) - log(q_n⁻¹∘q_{n+1})  (4)

as for methods with a single exponential per step: (4) is T⁻¹ of the step times (3), up to squares of (3).

Source: [Celledoni2022], section 2; [Crouch1993]; left-trivialised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.runtime.steps.values import Acceleration, Algebra, Configuration, Velocity

if TYPE_CHECKING:
    from symlie.runtime.methods.commutator_free import ChainTable
    from symlie.runtime.steps.recorder import StepRecorder


def commutator_free_step(s: StepRecorder, table: ChainTable, *, has_estimate: bool, error_in_algebra: bool) -> None:
    """Write a step."""
    exponentials, c = table.exponentials.tolist(), table.c.tolist()
    points: list[tuple[Configuration, Velocity]] = []
    increments: list[list[Algebra]] = []
    slopes: list[Algebra] = []
    V_dot: list[Acceleration] = []

    def follow(chain: int, node: float) -> tuple[Configuration, Velocity, list[Algebra]]:
        start = table.start[chain]
        (Q, V), moved = points[start], list(increments[start])
        for weights in exponentials[table.bounds[chain] : table.bounds[chain + 1]]:  # (1)
            moved.append(s.increment(weights, slopes))
            Q, V = s.advance(Q, moved[-1]), s.velocity(V, weights, V_dot)
        return *s.at(node, Q, V), moved

    def take_stage(i: int) -> None:
        Q, V, moved = follow(i, c[i]) if i else (s.q, s.v, [])
        stage = s.stage(c[i], Q, V)  # (2)
        points.append((Q, V))
        increments.append(moved)
        V_dot.append(stage.acceleration)
        slopes.append(s.inverse_tangent(None, s.slope(stage)))

    for i in range(table.needed):
        take_stage(i)
    Q, V, moved = follow(table.stages, 1.0)
    s.end_multipliers(s.end(Q, V, s.total(moved)), V)
    if not has_estimate:
        return
    s.only_for_estimate()
    for i in range(table.needed, table.stages):
        take_stage(i)
    Q_hat, V_hat, _ = follow(table.stages + 1, 1.0)
    theta = s.difference(s.q, Q)
    theta_hat = (
        s.difference(s.q, Q_hat)  # (4)
        if error_in_algebra
        else s.add(s.difference(Q, Q_hat), 1.0, theta)  # (3)
    )
    s.estimate(theta, theta_hat, V, V_hat)
