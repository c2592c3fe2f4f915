"""Step of variational integrators: a discrete Lagrangian L_d(q_n, q_{n+1}, h) determines the equations.

    q_{n+1} = q_n∘exp(θ)                                                                     (1)
    p_n = p⁺(q_n, q_{n+1}, θ) + h w₀ l(t_n, q_n, v_n) + h/2 B_nᵀ λ_n⁺                        (2)
    Φ(t_{n+1}, q_{n+1}) = 0;  nonholonomic: h (B v + b) = 0 as sampled by L_d          (3)
    p_{n+1} = p⁻(q_n, q_{n+1}, θ) - h w₁ l(t_{n+1}, q_{n+1}, v_{n+1}) - h/2 B_{n+1}ᵀ λ_{n+1}⁻ (4)
    B_{n+1} v_{n+1} + b = 0                                                                  (5)

with p = ∂T/∂v, p⁺ = -D₁L_d, p⁻ = D₂L_d, and the loads l = D_q V + ∂D/∂v - f at the ends. (2), (3) determine θ and μ⁺ =
h² λ_n⁺/2; (4), (5) determine v_{n+1} and μ⁻ = h λ_{n+1}⁻/2, even if loads depend on v. The residual of (2) after its
solution is subtracted from (4), which preserves momentum. The multipliers at t_{n+1} are the mean of λ_{n+1}⁻ and
λ_{n+1}⁺; the latter solves (2), (3) of the next step of this length, which starts from it.

Source: [Hante2022], equations 14 to 18; with the trapezoidal rule it is RATTLie, equations 17. With contacts:
[Breuling2024].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.runtime.steps.discrete_recorder import ContactEndValues
from symlie.runtime.steps.expressions import Expression, Scalar
from symlie.runtime.steps.values import Acceleration, Algebra, Multiplier

if TYPE_CHECKING:
    from symlie.runtime.steps.recorder import StepRecorder

NOTHING, GUESS, SOLUTION = 0.0, 1.0, 2.0
"""Values of ``known``: the carried values of θ and μ⁺."""


def variational_step(s: StepRecorder, *, averages: bool, steps_contacts: bool = False) -> None:
    """Write a step; with ``averages`` multipliers are means of λ⁻ and λ⁺, otherwise those of the accelerations."""
    h, zero = s.h, s.evaluated(Algebra, Expression())
    known = s.where(s.projects, NOTHING, s.carried("known", Scalar))
    h_n, is_damped = s.carried("length", Scalar), s.carried("damped", Scalar)
    theta_n, mu_n = s.carried("theta", Algebra), s.carried("multipliers", Multiplier)
    load_n, rest_n = s.carried("load", Algebra), s.carried("rest", Algebra)
    part = s.where(known, h / h_n, 0.0)
    is_solution = s.where(known - SOLUTION, 0.0, 1.0) * s.where(h - h_n, 0.0, 1.0)
    guess = part * theta_n + s.where(known, 0.0, h) * s.v, s.multiplier_sum([part * part], [mu_n])
    contacts = steps_contacts and s.has_contacts
    start = s.discrete_start(0, (s.q, s.v), (load_n, known), guess, (is_solution, rest_n), contacts)  # (1), (2), (3)
    end = s.contact_end(start, is_damped) if contacts else s.discrete_end(start, is_damped)  # (4), (5)
    end_q = end.q if isinstance(end, ContactEndValues) else start.q

    next_theta, next_mu, next_rest = (
        s.evaluated(Algebra, 2 * h * end.v - start.theta),
        s.multiplier_sum([h], [end.mu]),
        zero,
    )
    next_known, multipliers = GUESS, s.multiplier_sum([2 / h], [end.mu])
    if averages and s.is_constrained and not (contacts and s.has_contacts_alone):
        next_guess, no_solution = (next_theta, next_mu), (0.0, zero)
        ahead = s.discrete_start(1, (end_q, end.v), (end.load, 1.0), next_guess, no_solution, contacts)  # (1), (2), (3)
        next_theta, next_mu, next_rest, next_known = ahead.theta, ahead.mu, ahead.rest, SOLUTION
        multipliers = s.multiplier_sum([1 / h, 1 / (h * h)], [end.mu, ahead.mu])
        if isinstance(end, ContactEndValues):
            multipliers = s.of_contacts(end.forces, multipliers)
    elif isinstance(end, ContactEndValues):
        multipliers = end.forces
        if not s.has_contacts_alone:
            multipliers = s.of_contacts(end.forces, s.stage(1.0, end_q, end.v).multiplier)
    elif s.is_constrained:
        multipliers = s.stage(1.0, start.q, end.v).multiplier
    s.known_acceleration(s.evaluated(Acceleration, Expression()))
    s.carry("known", next_known)
    s.carry("length", h)
    s.carry("damped", end.is_damped)
    s.carry("theta", next_theta)
    s.carry("multipliers", next_mu)
    s.carry("load", end.load)
    s.carry("rest", next_rest)
    q = s.end(end_q, end.v, start.increment, on_group=False)
    s.multipliers([1.0], [multipliers])
    s.residuals(q, end.v)
