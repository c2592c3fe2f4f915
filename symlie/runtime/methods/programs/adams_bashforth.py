"""Step of Adams–Bashforth–Munthe-Kaas k-step methods.

    σ_j = log(q_n⁻¹∘q_{n-j}),  j = 0, …, k-1  (1)
    σ̇_j = T⁻¹(σ_j) v_{n-j}  (2)
    M v̇_n = -g(t_n, q_n, v_n)  (3)
    β_j = ∫₀¹ Π_{i≠j} (s - τ_i)/(τ_j - τ_i) ds,  τ_j = (t_{n-j} - t_n)/h  (4)
    q_{n+1} = q_n∘exp(h Σ β_j σ̇_j),  v_{n+1} = v_n + h Σ β_j v̇_{n-j}  (5)

In local coordinates at q_n this is the Adams–Bashforth method for variable step sizes. The rotation from q_{n-k+1} to
q_{n+1} must stay below π, the limit of log, so the rotation of each step is restricted to a fraction of π.

Source: [Faltinsen2001], here with increments relative to q_n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symlie.runtime.steps.expressions import Number, Scalar
    from symlie.runtime.steps.recorder import StepRecorder


def adams_bashforth_step(s: StepRecorder, steps: int) -> None:
    """Write a step."""
    stage = s.stage(0.0, s.q, s.v)  # (3)
    before = [s.previous(j) for j in range(1, steps)]
    rates, V_dot = [s.slope(stage)], [stage.acceleration]
    tau: list[Scalar | float] = [0.0]
    for point in before:
        sigma = s.difference(s.q, point.q)  # (1)
        rates.append(s.inverse_tangent(sigma, s.rate(point.q, point.v)))  # (2)
        V_dot.append(point.acceleration)
        tau.append(tau[-1] - point.h / s.h)
    beta = lagrange_integrals(tau)  # (4)
    Theta = s.increment(beta, rates)  # (5)
    s.end(*s.at(1.0, s.advance(s.q, Theta), s.velocity(s.v, beta, V_dot)), Theta)


def lagrange_integrals(tau: Sequence[Number]) -> list[Number]:
    """Return the integrals (4) of the Lagrange polynomials with nodes τ over [0, 1], from their coefficients."""
    found = []
    for j, own in enumerate(tau):
        coefficients = [1]
        for other in (*tau[:j], *tau[j + 1 :]):
            scale = 1 / (own - other)
            shifted = [0, *coefficients]
            for n, c in enumerate(coefficients):
                shifted[n] = shifted[n] - other * c
            coefficients = [scale * c for c in shifted]
        found.append(sum(c / n for n, c in enumerate(coefficients, start=1)))
    return found
