"""What is known of many states, and states between them, on NumPy: the same as ``observe.h`` and ``interpolate.h``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.errors import IntegrationError
from symlie.runtime.algebra import Algebra, algebra_of
from symlie.runtime.hermite import INVERSE_SERIES, LAST_TERM, QUINTIC
from symlie.runtime.kernels import Prepared, States
from symlie.runtime.layout import Array, Layout

if TYPE_CHECKING:
    from symlie.runtime.numpy_kernels import NumpyKernels

AT_ONCE = 1 << 14
"""Instances of an element type, over all states, that are evaluated at once."""


def observe(
    kernels: NumpyKernels,
    layout: Layout,
    p: Prepared,
    states: States,
    quantities: Collection[str],
    outputs: Sequence[str],
) -> dict[str, Array]:
    """See `Kernels.observe`."""
    algebra = algebra_of(layout)
    size = max(1, AT_ONCE // max(layout.instance_counts))
    starts = range(0, max(len(states.t), 1), size)
    parts = [_observed(kernels, layout, algebra, p, states[k : k + size], quantities, outputs) for k in starts]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _observed(
    kernels: NumpyKernels,
    layout: Layout,
    algebra: Algebra,
    p: Prepared,
    states: States,
    quantities: Collection[str],
    outputs: Sequence[str],
) -> dict[str, Array]:
    t, q, v = states.t, states.q, states.v
    parts = [kernels.output(name, p, t, q, v, states.multipliers) for name in outputs]
    found = {"outputs": np.concatenate([np.zeros((len(t), 0)), *parts], axis=1)}
    if {"acceleration", "multipliers"} & {*quantities} or ("energy" in quantities and layout.has_accelerated_energy):
        found["acceleration"], found["multipliers"] = accelerations(kernels, algebra, p, states)
    if "energy" in quantities:
        found["energy"] = kernels.energy(p, t, q, v).sum(axis=1)
        if layout.has_accelerated_energy:
            found["energy"] += kernels.accelerated_energy(p, t, q, v, found["acceleration"])
    if "constraint_residual" in quantities:
        found["constraint_residual"] = np.abs(kernels.constraint(p, t, q)).max(axis=1, initial=0.0)
    if "velocity_residual" in quantities:
        hidden = algebra.multiply(kernels.jacobian(p, t, q), v) + kernels.constraint_rate(p, t, q)
        found["velocity_residual"] = np.abs(hidden * layout.of_velocities).max(axis=1, initial=0.0)
    if "constraint_force" in quantities:
        found["constraint_force"] = -algebra.pull(kernels.jacobian(p, t, q), states.multipliers)
    return {name: found[name] for name in (*quantities, "outputs")}


def accelerations(kernels: NumpyKernels, algebra: Algebra, p: Prepared, states: States) -> tuple[Array, Array]:
    """v' and λ of the acceleration-level system, one row for each state; NaN where it does not determine them."""
    t, q, v = states.t, states.q, states.v
    jacobian, curvature = kernels.jacobian(p, t, q), kernels.curvature(p, t, q, v)
    mass, force = kernels.mass(p, t, q), -kernels.force(p, t, q, v)
    acceleration, multipliers = np.full_like(v, np.nan), np.full_like(curvature, np.nan)
    for k, time in enumerate(t):
        prescribed = kernels.prescribed_acceleration(p, float(time))
        right = -curvature[k] - algebra.multiply(jacobian[k], prescribed)
        try:
            if curvature.shape[1]:
                solved = algebra.solve_saddle(mass[k], jacobian[k], jacobian[k], force[k], right)
                acceleration[k], multipliers[k] = solved[0] + prescribed, solved[1]
            else:
                acceleration[k] = algebra.solve_mass(mass[k], force[k]) + prescribed
        except (np.linalg.LinAlgError, IntegrationError):
            continue
    return acceleration, multipliers


def interpolate(
    kernels: NumpyKernels,
    layout: Layout,
    p: Prepared,
    recorded: States,
    acceleration: Array,
    turned: Array,
    interval: NDArray[np.int64],
    t: Array,
) -> tuple[Array, Array, Array]:
    """See `Kernels.interpolate`."""
    q, v, later = recorded.q[interval], recorded.v[interval], recorded.v[interval + 1]
    start = recorded.t[interval]
    h = (recorded.t[interval + 1] - start)[:, None]
    end = _increments(kernels, layout, q, recorded.q[interval + 1], turned[interval])
    slope = kernels.rate(end, later)
    second = kernels.rate(end, acceleration[interval + 1]) + _rate_derivative(kernels, end, slope, later)
    known = np.array([h * v, h * h * acceleration[interval], end, h * slope, h * h * second])
    coefficients = np.tensordot(QUINTIC, known, 1)
    s = (t - start)[:, None] / h
    theta, theta_dot = np.zeros_like(v), np.zeros_like(v)
    for degree, c in zip(range(len(coefficients), 0, -1), coefficients[::-1], strict=True):
        theta, theta_dot = (theta + c) * s, theta_dot * s + degree * c
    between = kernels.normalize(kernels.advance(q, theta))
    velocity = kernels.transport(theta, theta_dot / h)
    for k, time in enumerate(t):
        kernels.prescribe(p, float(time), between[k], velocity[k])
    return between, velocity, theta[:, layout.angles.component]


def _increments(kernels: NumpyKernels, layout: Layout, q: Array, later: Array, turned: Array) -> Array:
    """θ of steps, on the branch of log that turns as far as the step did."""
    angles, theta = layout.angles, kernels.difference(q, later)
    is_near = (np.abs(turned - theta[:, angles.component]) < 1) | angles.is_prescribed
    far = np.flatnonzero(~is_near.all(axis=1))
    if len(far):
        other = theta[far]
        other[:, angles.component] = turned[far]
        # Translations are linear in theirs at a given rotation: one step of Newton's method.
        missing = kernels.difference(kernels.advance(q[far], other), later[far])
        theta[far] = other + kernels.rate(other, missing)
    return theta


def _rate_derivative(kernels: NumpyKernels, theta: Array, theta_dot: Array, v: Array) -> Array:
    """(d/dt T⁻¹(θ)) v along θ', by the series of T⁻¹ in powers of ad and the product rule."""
    x, dx, total = v, np.zeros_like(v), np.zeros_like(v)
    for k, weight in enumerate(INVERSE_SERIES[1:], start=1):
        x, dx = kernels.bracket(theta, x), kernels.bracket(theta_dot, x) + kernels.bracket(theta, dx)
        if weight == 0:
            continue
        term = weight * dx
        total = total + term
        if k > 1 and not np.any(np.abs(term).max(axis=1) > LAST_TERM * np.abs(total).max(axis=1)):
            break
    return total
