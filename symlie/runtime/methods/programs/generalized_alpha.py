"""Step of generalized-α methods on Lie groups, in index-3 or stabilised index-2 form.

    q_{n+1} = q_n∘exp(θ)                                                              (a)
    w = θ + B_nᵀ η   (index 3 and without constraints: w = θ)                         (b)
    a_{n+1} = (w/h - v_n - h (1/2 - β) a_n)/(h β)                                     (1)
    v_{n+1} = v_n + h (1 - γ) a_n + h γ a_{n+1}                                       (2)
    (1 - α_f) v̇_{n+1} + α_f v̇_n = (1 - α_m) a_{n+1} + α_m a_n                        (3)
    M v̇_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}ᵀ λ_{n+1} = 0                   (c)
    Φ(t_{n+1}, q_{n+1}) = 0                                                           (d)
    B_{n+1} v_{n+1} + b = 0   (stabilised index 2; nonholonomic constraints in both)     (e)

Newton's method computes θ, λ and η. The method starts with

    a_0 = v̇_0 + (α_m - α_f) h v̈_0                                                    (4)
    B_0 δv = B_0 ((1 - 6β - 3(α_m - α_f)) h² v̈_0/6 + h² [v_0, v̇_0]/12)               (5)

where δv = M⁻¹Bᵀμ is added to v_0 in index-3 form only. v̈_0 is a derivative from the right. If the step size changes to
r h,

    a_n ← v̇_n + r (a_n - v̇_n),   v_n ← v_n + (r² - 1) δ,   B δ = B v_n + b            (6)

with δ = M⁻¹Bᵀμ, in index-3 form only. The error is estimated by

    θ̂ = h (v_n - δ) + h² (v̇_n/3 + v̇_{n+1}/6) + h³ [v_n, v̇_n]/12                      (7)

of order three, with the true accelerations instead of a_n and a_{n+1}. By (3), a_n = v̇_n + Δ h v̈_n + O(h²) with Δ =
α_m - α_f, so that (1) gives

    θ̂ - θ = h³ ((1/6 - β - Δ/2) v̈_n + [v_n, v̇_n]/12) + O(h⁴)

without its component normal to Φ = 0, where the step is exact: index 3 subtracts δ, and index 2 includes η in θ. This
is the local error of θ. Stable parameters have β + Δ/2 ≥ 1/4, so that the factor of v̈_n is -1/12 or less. The local
error of v, h³ (1/6 - c - γ (1/2 + Δ)) v⃛_n with c = (1 - α_f)/2 - (1 - α_m)(1/2 + Δ), is not part of the estimate: for
a motion of frequency ω it is as large as that of θ relative to θ, times h ω; accelerations at three times would show
it, but in index-3 form their rounding grows like 1/h². With parameters of order one it is O(h²), and no estimate is
available.

For first-order states θ follows from first-order generalized-α of the same ρ,

    θ = h (1 - γ') ζ_n + h γ' ζ_{n+1}                                                 (8)
    (1 - α_f) ż_{n+1} + α_f ż_n = (1 - α_m') ζ_{n+1} + α_m' ζ_n                       (9)
    ż_{n+1} = f(t_{n+1}, q_{n+1}, v_{n+1}, v̇_{n+1}, λ_{n+1})                          (f)
    θ̂ = h (ż_n + ż_{n+1})/2 - h³/6 (D_{n+1} - D_n)/(h + h_n) + h³ [ż_n, D_{n+1}]/12   (10)

with γ' = 1 - α_f, α_m' = 2 α_f - 1/2 and D_{n+1} = (ż_{n+1} - ż_n)/h. (6) holds with ż and ζ. The method starts with
ζ_0 = ż_0, which is more robust than (4) for fast transients, and D_0 = z̈_0. ż is stored in v̇, ζ in a, and D in the
array of the perturbations of v_n. `symlie.runtime.implicit.implicit_step` contains the equations with letters.

Source: [Holzinger2024], equations 33 to 43 and algorithms 4 and 5; [Hante2022], section 5; (4), (5): [Arnold2016];
[Bruls2012]; (8), (9): [Jansen2000]; (7) is the estimate of Zienkiewicz and Xie, for Lie groups and with true
accelerations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.contract.constants import DERIVATIVE_STEP
from symlie.runtime.implicit.alpha_parameters import Parameters
from symlie.runtime.steps.expressions import Expression, Scalar
from symlie.runtime.steps.values import START_LAMBDA, Acceleration, Algebra, StageValues, Velocity

if TYPE_CHECKING:
    from symlie.runtime.steps.recorder import StepRecorder

ZERO = Expression()


def generalized_alpha_step(
    s: StepRecorder, p: Parameters[float], *, is_index_3: bool, keeps_values: bool, has_estimate: bool
) -> None:
    """Write a step; its initial guess of v̇ and λ is zero or, with ``keeps_values``, that of the previous step."""
    h, h_n = s.h, s.carried("length", Scalar)
    v_dot_n, a_n = s.carried("acceleration", Acceleration), s.carried("algorithmic", Acceleration)
    perturbation = s.carried("perturbation", Velocity)
    # First-order states have no velocity; (8) and (9) are their (1) to (3).
    v_perturbed = s.with_states(s.v + perturbation, ZERO)
    r = h / h_n
    d = s.hidden_violation(v_perturbed, r - 1) if is_index_3 else ZERO
    v_n = s.evaluated(Velocity, v_perturbed + (r**2 - 1) * d)  # (6)
    a_n = s.evaluated(Acceleration, a_n + (r - 1) * (a_n - v_dot_n))  # (6)
    gamma, alpha_m = p.rate_gamma, p.rate_alpha_m

    w = s.unknown_increment()
    a = s.with_states(
        (w / h - v_n - h * (0.5 - p.beta) * a_n) / (h * p.beta),  # (1)
        (w / h - (1 - gamma) * a_n) / gamma,  # (8)
    )
    v = s.with_states(v_n + h * (1 - p.gamma) * a_n + h * p.gamma * a, ZERO)  # (2)
    v_dot = s.with_states(
        ((1 - p.alpha_m) * a + p.alpha_m * a_n - p.alpha_f * v_dot_n) / (1 - p.alpha_f),  # (3)
        ((1 - alpha_m) * a + alpha_m * a_n - p.alpha_f * v_dot_n) / (1 - p.alpha_f),  # (9)
    )
    predicted = (1 - p.alpha_f) * keeps_values * v_dot_n + p.alpha_f * v_dot_n
    guess = s.with_states(
        h * v_n + h**2 * ((0.5 - p.beta) * a_n + p.beta / (1 - p.alpha_m) * (predicted - p.alpha_m * a_n)),
        h * ((1 - gamma) * a_n + gamma / (1 - alpha_m) * (predicted - alpha_m * a_n)),
    )
    end = s.implicit_end(w, v, v_dot, guess, v_dot_n, START_LAMBDA if keeps_values else None)

    slope = (end.acceleration - v_dot_n) / h
    s.carry("length", h)
    s.carry("acceleration", end.acceleration)
    s.carry("algorithmic", s.evaluated(Acceleration, a))
    s.carry("perturbation", s.evaluated(Velocity, s.with_states(ZERO, slope)))
    s.end_implicit(end)
    if not has_estimate:
        return
    s.only_for_estimate()
    rate, change = s.with_states(v_n, v_dot_n), s.with_states(v_dot_n, slope)
    bracket = s.bracket(s.evaluated(Velocity, rate), s.evaluated(Acceleration, change))
    bend = (slope - perturbation) / (h + h_n)
    theta_hat = s.with_states(
        h * (v_n - r**2 * d) + h**2 * (v_dot_n / 3 + end.acceleration / 6) + h**3 / 12 * bracket,  # (7)
        h / 2 * (v_dot_n + end.acceleration) - h**3 * (bend / 6 - bracket / 12),  # (10)
    )
    s.estimate(end.theta, s.evaluated(Algebra, theta_hat), end.v, end.v)


def generalized_alpha_start(s: StepRecorder, p: Parameters[float], *, is_index_3: bool, is_optimal: bool) -> None:
    """Write the initial values; without ``is_optimal`` they are a_0 = v̇_0 and δv = 0."""
    h, stage = s.h, s.stage(0.0, s.q, s.v)
    v_dot = _rates(s, stage)
    later = []
    for c in (DERIVATIVE_STEP, 2 * DERIVATIVE_STEP):
        Theta = s.increment([c], [s.inverse_tangent(None, s.slope(stage))])
        Q, V = s.at(c, s.advance(s.q, Theta), s.velocity(s.v, [c], [stage.acceleration]))
        later.append(_rates(s, s.stage(c, Q, V)))
    h_jerk = (-3 * v_dot + 4 * later[0] - later[1]) / (2 * DERIVATIVE_STEP)  # h v̈_0
    shift = p.alpha_m - p.alpha_f
    wanted = h * (1 - 6 * p.beta - 3 * shift) / 6 * h_jerk + h**2 / 12 * s.bracket(s.v, stage.acceleration)
    perturbation = -s.hidden_violation(s.v - wanted) if is_index_3 and is_optimal else ZERO  # (5)
    a = s.with_states(v_dot + shift * h_jerk, v_dot) if is_optimal else v_dot  # (4)
    s.carry("length", h)
    s.carry("acceleration", v_dot)
    s.carry("algorithmic", s.evaluated(Acceleration, a))
    s.carry("perturbation", s.evaluated(Velocity, s.with_states(perturbation, h_jerk / h)))


def _rates(s: StepRecorder, stage: StageValues) -> Acceleration:
    """Return v̇ of a stage, which is f for first-order states."""
    return s.evaluated(Acceleration, s.with_states(stage.acceleration, s.slope(stage)))
