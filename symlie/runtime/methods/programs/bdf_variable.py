"""Step of BDF of variable order and step size, in stabilised index-2 form.

A step of order k uses the equations of `symlie.runtime.methods.programs.bdf` with the actual step sizes; the weights of
points that its formula does not contain are zero. The error that it adds to θ, and likewise to v, is

    h Π_{i=1..k} (t_{n+1} - t_{n+1-i}) [θ_0, …, θ_{k+1}],  θ_0 = 0                   (1)

with the divided difference of order k + 1 over t_{n+1}, …, t_{n-k}: since T is 1 in local coordinates at the new point,
it is the same as in vector spaces. `symlie.runtime.methods.bdf.orders` chooses order and size of the next step by the
divided differences of all orders. The method starts with order one and a previous point that replaces the unknown one:

    q_{-1} = q_0∘exp(-h v_0 + h² v̇_0/2),  v_{-1} = v_0 - h v̇_0                       (2)

The start of a step that is shortened to reach a time is omitted from the history if two points would be closer than a
step.

Source: [HairerNorsettWanner1993], sections III.5 and III.7, for the errors.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symlie.runtime.methods.programs.bdf import (
    Past,
    derivative_weights,
    extrapolation_weights,
    keep,
    moved_elements,
    read,
    solved,
    times_of,
    total,
)
from symlie.runtime.steps.expressions import Expression, Scalar
from symlie.runtime.steps.values import Algebra, Velocity

if TYPE_CHECKING:
    from symlie.runtime.steps.recorder import StepRecorder


def bdf_variable_step(s: StepRecorder, most: int) -> None:
    """Write a step of an order up to the largest one."""
    known = s.carried("count", Scalar), s.carried("order", Scalar), s.carried("equal", Scalar)
    past = read(s, most, most + 1)
    times = times_of(s.h, past.lengths[: most - 1])
    is_used = [s.at_most(float(i), known[1]) for i in range(2, most + 1)]

    def choose(i: int, x: Scalar, y: float) -> Scalar:
        return s.where(is_used[i - 1], x, y) if i else x

    end = solved(s, past, derivative_weights(times, choose), extrapolation_weights(times, choose), is_used)
    state, element = end.state, end.element
    increments = [*end.increments, s.relative(element, past.elements[most - 1])]
    elements = moved_elements(s, element, past.elements)
    rotation = s.rotation(state.theta, most + 2)

    nodes: list[Scalar | float] = [0.0, -1.0]
    for length in past.lengths:
        nodes.append(nodes[-1] - length / s.h)
    norms = []
    for order in range(1, most + 1):
        weights = difference_weights(nodes[: order + 2])
        of_theta = s.evaluated(Algebra, total(weights[1:], increments))  # (1)
        of_v = s.evaluated(Velocity, total(weights, [state.v, *past.velocities]))
        theta_hat, v_hat = s.evaluated(Algebra, state.theta + of_theta), s.evaluated(Velocity, state.v + of_v)
        norms.append(s.error_norm(state.theta, theta_hat, state.v, v_hat))
    next_ = s.choose_order(known, past.lengths, norms, rotation)

    omits = next_.is_omitted
    lengths = [s.where(omits, past.lengths[0] + s.h, s.h)]
    lengths += [s.where(omits, x, y) for x, y in zip(past.lengths[1:], past.lengths, strict=False)]
    velocities = [s.where(omits, x, y) for x, y in zip(past.velocities[1:], past.velocities, strict=False)]
    earlier = [s.where(omits, x, y) for x, y in zip(increments[1:], increments, strict=False)]
    points = [s.where(omits, x, y) for x, y in zip(elements[1:], elements, strict=False)]
    for name, number in zip(("count", "order", "equal", "omitted"), next_, strict=True):
        s.carry(name, number)
    keep(s, Past(lengths, earlier, points, [state.v, *velocities], state.acceleration), most + 1)
    s.end_implicit(state)


def bdf_variable_start(s: StepRecorder, most: int) -> None:
    """Write the initial values: order one, and a previous point that replaces the unknown one."""
    stage = s.stage(0.0, s.q, s.v)
    rate, zero = s.slope(stage), s.evaluated(Algebra, Expression())
    increment = s.with_states(s.h**2 / 2 * stage.acceleration - s.h * rate, -s.h * rate)  # (2)
    back, identity = s.inverse_tangent(None, s.evaluated(Algebra, increment)), s.exponential(zero)
    for name, number in {"count": 1.0, "order": 1.0, "equal": 0.0, "omitted": 0.0}.items():
        s.carry(name, number)
    for i in range(1, most + 1):
        s.carry(f"length_{i}", s.h)
        s.carry(f"element_{i}", s.exponential(back) if i == 1 else identity)
    s.carry("increment_1", back)
    s.carry("velocity_0", s.v)
    s.carry("velocity_1", s.evaluated(Velocity, s.with_states(s.v - s.h * stage.acceleration, s.v)))
    s.carry("acceleration", s.evaluated(type(stage.acceleration), s.with_states(stage.acceleration, rate)))


def difference_weights(nodes: Sequence[Scalar | float]) -> list[Scalar | float]:
    """Return the weights of the values at two or more nodes in their divided difference."""
    found = []
    for i, x in enumerate(nodes):
        found.append(1 / functools.reduce(operator.mul, [x - y for j, y in enumerate(nodes) if j != i]))
    return found
