"""Step of BDF of order two in increments, in index-3 or stabilised index-2 form: the scheme of the literature on rods.

    q_{n+1} = q_n∘exp(θ_{n+1})                                                        (a)
    w = θ_{n+1} + B_nᵀ η   (index 3 and without constraints: w = θ_{n+1})             (b)
    v_{n+1} = (1 + r) w/h - r θ_n/h_n                                                 (1)
    h v̇_{n+1} = α_0 v_{n+1} + α_1 v_n + α_2 v_{n-1}                                   (2)
    r = h/(h + h_n);  α_i are the weights of BDF2 for the times of three steps        (3)
    M v̇_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}ᵀ λ_{n+1} = 0                   (c)
    Φ(t_{n+1}, q_{n+1}) = 0                                                           (d)
    B_{n+1} v_{n+1} + b = 0   (stabilised index 2; nonholonomic constraints in both)     (e)

For first-order states the right-hand side of (1) is their rate ż_{n+1} = f(t_{n+1}, q_{n+1}, v_{n+1}, …). Equal steps
have r = 1/2 and α = (3/2, -2, 1/2). The first step, and those after a jump, have r = 0 and α = (1, -1). θ_n
is the increment without η. The difference to `symlie.runtime.methods.bdf.fixed` has the size of the error and consists
of commutators of θ_{n+1} and θ_n; configurations before q_n are not used. `symlie.runtime.implicit.implicit_step`
contains the equations with letters.

Source: [Wieloch2021]; [Hante2022], section 5, stabilised as in [Gear1985].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.runtime.steps.expressions import Expression, Scalar
from symlie.runtime.steps.values import Acceleration, Algebra, Velocity

if TYPE_CHECKING:
    from symlie.runtime.steps.recorder import StepRecorder


def bdf_increments_step(s: StepRecorder) -> None:
    """Write a step; h_n is 0 in the first one."""
    h, h_n = s.h, s.carried("length", Scalar)
    theta_n, v_before = s.carried("increment", Algebra), s.carried("earlier", Velocity)
    v_dot_n = s.carried("acceleration", Acceleration)
    r = s.where(h_n, h / (h + h_n), 0.0)  # (3)
    tau = -1 - h_n / h
    alpha_1 = s.where(h_n, -(tau / (1 + tau)), -1.0)
    alpha_2 = s.where(h_n, 1 / (tau * (1 + tau)), 0.0)
    w = s.unknown_increment()
    rate = (1 + r) / h * w - s.where(h_n, r / h_n, 0.0) * theta_n  # (1)
    v = s.with_states(rate, Expression())
    v_dot = s.with_states((-(alpha_1 + alpha_2) * v + alpha_1 * s.v + alpha_2 * v_before) / h, rate)  # (2)
    guess = s.with_states(h * s.v + h**2 / 2 * v_dot_n, h * v_dot_n)
    end = s.implicit_end(w, v, v_dot, guess, v_dot_n)
    s.carry("length", h)
    s.carry("increment", end.theta)
    s.carry("earlier", s.v)
    s.carry("acceleration", end.acceleration)
    s.end_implicit(end)


def bdf_increments_start(s: StepRecorder) -> None:
    """Write the initial values: no previous step, and v̇_0 with the rates of first-order states."""
    stage = s.stage(0.0, s.q, s.v)
    v_dot = s.with_states(stage.acceleration, s.slope(stage))
    s.carry("acceleration", s.evaluated(Acceleration, v_dot))
