"""Step of Moreau and Jean for contacts, a comparator of nonsmooth RATTLie.

    q_m = q_n∘exp(h v_n/2)  (1)
    M v_{n+1} = M v_n - h g(t_n + h/2, q_m, v_n) - h B(q_m)ᵀ λ,  B(q_m) v_{n+1} + b = 0  (2)
    q_{n+1} = q_m∘exp(h v_{n+1}/2)  (3)

In (2), contacts with g(q_m) ≤ 0 have impulses that satisfy the laws of impact and friction for W v_{n+1} + e W v_n
with W at q_m. Nothing holds at the level of positions, so that bodies penetrate and constraints drift.

Source: [Moreau1988]; [Jean1999].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.runtime.steps.expressions import Expression
from symlie.runtime.steps.values import Acceleration

if TYPE_CHECKING:
    from symlie.runtime.steps.recorder import StepRecorder


def moreau_jean_step(s: StepRecorder) -> None:
    """Write a step."""
    q, _ = s.at(0.5, s.advance(s.q, s.increment([0.5], [s.rate(s.q, s.v)])), s.v)  # (1)
    v, q, multiplier = s.impulses(0.5, q, s.v)  # (2)
    s.known_acceleration(s.evaluated(Acceleration, Expression()))
    end_q, end_v = s.at(1.0, s.advance(q, s.increment([0.5], [s.rate(q, v)])), v)  # (3)
    q = s.end(end_q, end_v, s.difference(s.q, end_q))
    s.multipliers([1.0], [multiplier])
    s.residuals(q, end_v)
