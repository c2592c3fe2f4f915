"""Steps of BDF of orders one to five on Lie groups, in index-3 or stabilised index-2 form, in local coordinates at the
new point.

    q_{n+1} = q_n∘exp(θ)                                                              (a)
    w = θ + B_{n+1}ᵀ η   (index 3 and without constraints: w = θ)                     (b)
    θ_i = log(q_{n+1}⁻¹∘q_{n+1-i}),  i = 1, …, k;  θ_1 = -θ                           (1)
    v_{n+1} = Σ_{i≥1} α_i θ_i + α_0 (w - θ)                                           (2)
    v̇_{n+1} = Σ_{i≥0} α_i v_{n+1-i}                                                   (3)
    α_i = d/dt Π_{j≠i} (t - t_j)/(t_i - t_j) at t = t_0,  t_i = t_{n+1-i} - t_{n+1}   (4)
    M v̇_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}ᵀ λ_{n+1} = 0                   (c)
    Φ(t_{n+1}, q_{n+1}) = 0                                                           (d)
    B_{n+1} v_{n+1} + b = 0   (stabilised index 2; nonholonomic constraints in both)     (e)
    z_{n+1}' = f(t_{n+1}, q_{n+1}, v_{n+1}, …)                                        (f)

The local coordinates at the new point are log(q_{n+1}⁻¹∘q), where T is 1: the rate of the polynomial through the θ_i is
v_{n+1}, and no order needs commutators. (4) holds for variable step sizes. For first-order states the right-hand side
of (2) is their rate z'.

The derivative of v by a change q∘exp(δ) is γ' Σ_{i≥1} -(α_i/α_0) T⁻¹(-θ_i) with γ' = α_0, which is γ' T⁻¹(m) up to
products of the θ_i, where m = θ + Σ_{i≥2} α_i/α_0 log(q_n⁻¹∘q_{n+1-i}). The Newton matrix uses T⁻¹(m) δ instead of dθ.
θ_i is the log of a group element relative to q_{n+1}, computed from the element relative to q_n: these elements are
close to the identity, while differences of configurations would have the rounding of configurations.
`symlie.runtime.implicit.implicit_step` contains the equations with letters.

Source: [Gear1985]; for Lie groups [Wieloch2021], here in the coordinates of the new point.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from symlie.runtime.steps.expressions import Expression, Number, Scalar
from symlie.runtime.steps.values import Acceleration, Algebra, Configuration, ImplicitValues, Velocity

if TYPE_CHECKING:
    from symlie.runtime.steps.recorder import StepRecorder

Choose: TypeAlias = "Callable[[int, Number, float], Number]"
"""Function of the index of a point that returns a number for points in the formula, and another one for others."""


def _first(_: int, x: Number, __: float) -> Number:
    """Return the number for points in the formula."""
    return x


class Past(NamedTuple):
    """Points before the start of a step, latest first, and velocities from its start on."""

    lengths: list[Scalar]
    increments: list[Algebra]
    """log(q_n⁻¹∘q_{n-1}), …"""
    elements: list[Configuration]
    """q_n⁻¹∘q_{n-1}, …"""
    velocities: list[Velocity]
    acceleration: Acceleration
    """v' at the start of the step."""


class BdfEnd(NamedTuple):
    """End of a step, with earlier configurations relative to it."""

    state: ImplicitValues
    increments: list[Algebra]
    """θ_1, θ_2, …"""
    element: Configuration
    """exp(θ)."""


def bdf_step(s: StepRecorder, steps: int, first_steps: int) -> None:
    """Write a step of fixed order, which is the number of steps of its formula."""
    s.first_steps(first_steps)
    past = read(s, steps - 1, steps)
    times = times_of(s.h, past.lengths)
    alpha = derivative_weights(times)  # (4)
    end = solved(s, past, alpha, extrapolation_weights(times))
    s.rotation(end.state.theta, steps)
    s.carry("count", float(first_steps))
    elements = moved_elements(s, end.element, past.elements)
    velocities = [end.state.v, *past.velocities]
    keep(s, Past([s.h, *past.lengths], end.increments, elements, velocities, end.state.acceleration), steps)
    s.end_implicit(end.state)


def bdf_first_step(s: StepRecorder, steps: int, *, keeps_scheme: bool) -> None:
    """Write a step by the starting method, with the velocity of (2) in the history if the scheme is to be kept."""
    past, count = read(s, steps - 1, steps), s.carried("count", Scalar)
    found = s.starting_step(past.acceleration)
    s.rotation(found.theta, steps)
    element, v = s.exponential(found.theta), found.v
    increments = [s.evaluated(Algebra, -found.theta), *(s.relative(element, x) for x in past.elements)]
    if keeps_scheme:
        is_known = s.at_most(float(steps - 1), count)
        alpha = [s.where(is_known, x, 0.0) for x in derivative_weights(times_of(s.h, past.lengths))]
        of_formula = total(alpha[1:], increments)
        v = s.evaluated(Velocity, s.with_states(s.where(is_known, 0.0, 1.0) * v + of_formula, Expression()))
    s.carry("count", count + 1.0)
    elements = moved_elements(s, element, past.elements)
    keep(s, Past([s.h, *past.lengths], increments, elements, [v, *past.velocities], found.acceleration), steps)


def bdf_start(s: StepRecorder, steps: int) -> None:
    """Write the initial values: all earlier points coincide with the initial one."""
    identity = s.exponential(s.evaluated(Algebra, Expression()))
    for i in range(1, steps):
        s.carry(f"element_{i}", identity)
    s.carry("velocity_0", s.v)


def read(s: StepRecorder, points: int, velocities: int) -> Past:
    """Return the carried points and velocities."""
    indices = range(1, points + 1)
    return Past(
        [s.carried(f"length_{i}", Scalar) for i in indices],
        [s.carried(f"increment_{i}", Algebra) for i in indices],
        [s.carried(f"element_{i}", Configuration) for i in indices],
        [s.carried(f"velocity_{i}", Velocity) for i in range(velocities)],
        s.carried("acceleration", Acceleration),
    )


def keep(s: StepRecorder, past: Past, velocities: int) -> None:
    """Carry the latest points, one less than velocities."""
    for i in range(1, velocities):
        s.carry(f"length_{i}", past.lengths[i - 1])
        s.carry(f"increment_{i}", past.increments[i - 1])
        s.carry(f"element_{i}", past.elements[i - 1])
    for i in range(velocities):
        s.carry(f"velocity_{i}", past.velocities[i])
    s.carry("acceleration", past.acceleration)


def solved(
    s: StepRecorder, past: Past, alpha: Sequence[Scalar], guess: Sequence[Scalar], needed: Sequence[Scalar] = ()
) -> BdfEnd:
    """Return the end of a step with weights of derivatives and of the initial guess."""
    points = len(alpha) - 2
    elements, increments = past.elements[:points], past.increments[:points]
    new = s.unknown_end(elements, increments, needed)  # (1)
    rate = alpha[0] * new.correction - alpha[1] * new.theta + total(alpha[2:], new.relative)  # (2)
    known = s.evaluated(Acceleration, total(alpha[1:], past.velocities))
    v = s.with_states(rate, Expression())
    v_dot = s.with_states(alpha[0] * new.velocity + known, rate)  # (3)
    of_points = total(guess[1:], increments)
    first = s.with_states(guess[0] * past.velocities[0] + of_points, guess[0] * past.acceleration + of_points)
    state = s.implicit_end(new, v, v_dot, first, past.acceleration)
    return BdfEnd(state, [s.evaluated(Algebra, -new.theta), *new.relative], new.element)


def moved_elements(s: StepRecorder, element: Configuration, elements: Sequence[Configuration]) -> list[Configuration]:
    """Return the start of a step and earlier configurations relative to its end, from those relative to its start."""
    back = s.inverse(element)
    return [back, *(s.compose(back, x) for x in elements)]


def total(
    weights: Sequence[Scalar] | Sequence[Scalar | float], terms: Sequence[Algebra] | Sequence[Velocity]
) -> Expression:
    """Return Σ weight·x."""
    return sum((w * x for w, x in zip(weights, terms, strict=False)), Expression())


def times_of(h: Scalar, lengths: Sequence[Scalar]) -> list[Scalar]:
    """Return t_{n+1-i} - t_{n+1} for i ≥ 1."""
    times = [-h]
    for length in lengths:
        times.append(times[-1] - length)
    return times


def derivative_weights(times: Sequence[Number], choose: Choose = _first) -> list[Number]:
    """Return the derivatives (4) at zero of the Lagrange polynomials whose nodes are zero and earlier times, in 1/s."""
    found = []
    for i, x in enumerate(times):
        others = [(j, y) for j, y in enumerate(times) if j != i]
        above = [choose(j, y, 1.0) for j, y in others]
        below = [x, *(choose(j, y - x, 1.0) for j, y in others)]
        found.append(choose(i, _quotient(above, below), 0.0))
    return [-functools.reduce(operator.add, found), *found]


def extrapolation_weights(times: Sequence[Number], choose: Choose = _first) -> list[Number]:
    """Return the weights of the slope at the first time and of the values at the others in the value at zero, for
    polynomials that are zero at the first time."""
    h, later = -times[0], [*enumerate(times)][1:]
    found = [_quotient([h, *(choose(j, y, 1.0) for j, y in later)], [choose(j, y + h, 1.0) for j, y in later])]
    for i, x in later:
        others = [(j, y) for j, y in later if j != i]
        above = [h * h, *(choose(j, y, 1.0) for j, y in others)]
        below = [(x + h) * (x + h), *(choose(j, y - x, 1.0) for j, y in others)]
        found.append(choose(i, _quotient(above, below), 0.0))
    return found


def _quotient(above: Sequence[Number], below: Sequence[Number]) -> Number:
    """Return the quotient of two products, of which at least one has factors."""
    if not below:
        return functools.reduce(operator.mul, above)
    divisor = functools.reduce(operator.mul, below)
    return functools.reduce(operator.mul, above) / divisor if above else 1 / divisor
