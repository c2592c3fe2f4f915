"""Quantities at many states, and interpolation, in NumPy: the counterpart of ``observe.h`` and ``interpolate.h``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import REACTION_STEPS, SETTLED_REACTION, WHOLE_TURN
from symlie.errors import IntegrationError
from symlie.runtime.kernels.carried import carried_after
from symlie.runtime.kernels.hermite import INVERSE_SERIES, LAST_TERM, QUINTIC
from symlie.runtime.kernels.protocol import Prepared, States
from symlie.runtime.kernels.unwrapped import with_angles
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.reactions import turn_reactions

if TYPE_CHECKING:
    from symlie.runtime.kernels.numpy import NumpyKernels

AT_ONCE = 1 << 14
"""Number of elements of a type, over all states, per evaluation."""

ENTRIES_AT_ONCE = 1 << 18
"""Number of matrix entries, over all states, per solution for accelerations."""


def observe(
    kernels: NumpyKernels, p: Prepared, states: States, quantities: Collection[str], outputs: Sequence[str]
) -> dict[str, Array]:
    """See `Kernels.observe`."""
    size = max(1, AT_ONCE // max(kernels.layout.instance_counts))
    starts = range(0, max(len(states.t), 1), size)
    parts = [_observed(kernels, p, states[k : k + size], quantities, outputs) for k in starts]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _observed(
    kernels: NumpyKernels, p: Prepared, states: States, quantities: Collection[str], outputs: Sequence[str]
) -> dict[str, Array]:
    t, q, v, layout, algebra = states.t, states.q, states.v, kernels.layout, kernels.solver
    parts = [kernels.output(name, p, t, q, v, states.multipliers) for name in outputs]
    found = {"outputs": np.concatenate([np.zeros((len(t), 0)), *parts], axis=1)}
    if {"acceleration", "multipliers"} & {*quantities} or ("energy" in quantities and layout.has_accelerated_energy):
        found["acceleration"], found["multipliers"] = _accelerations(kernels, p, states)
    if "energy" in quantities:
        found["energy"] = kernels.energy(p, t, q, v).sum(axis=1)
        if layout.has_accelerated_energy:
            found["energy"] += kernels.accelerated_energy(p, t, q, v, found["acceleration"])[:, 0]
    if "mass" in quantities:
        found["mass"] = kernels.mass(p, t, q)
    if "force" in quantities:
        found["force"] = kernels.force(p, t, q, v)
    if "jacobian" in quantities:
        found["jacobian"] = kernels.jacobian(p, t, q, v)
    if "constraint" in quantities:
        found["constraint"] = kernels.constraint(p, t, q)
    if "constraint_residual" in quantities:
        found["constraint_residual"] = np.abs(kernels.constraint(p, t, q)).max(axis=1, initial=0.0)
    if {"velocity_residual", "hidden_residual"} & {*quantities}:
        hidden = algebra.multiply(kernels.jacobian(p, t, q, v), v) + kernels.constraint_rate(p, t, q, v)
        found["hidden_residual"] = hidden * layout.of_velocities
        found["velocity_residual"] = np.abs(found["hidden_residual"]).max(axis=1, initial=0.0)
    if "constraint_force" in quantities:
        turned = _turned(kernels, p, states, states.multipliers)[0]
        found["constraint_force"] = -algebra.pull(_columns(kernels, p, turned), states.multipliers)
    return {name: found[name] for name in (*quantities, "outputs")}


def _columns(kernels: NumpyKernels, p: Prepared, states: States) -> Array:
    """C of constraint forces -Cᵀλ: B unless contacts slide with friction."""
    of_forces = kernels.columns if kernels.layout.has_friction else kernels.jacobian
    return np.asarray(of_forces(p, states.t, states.q, states.v))


def _turned(kernels: NumpyKernels, p: Prepared, states: States, multipliers: Array) -> tuple[States, float]:
    """States with the directions of reactions with friction for given multipliers, and the largest change of them."""
    if not len(kernels.layout.turning_reactions):
        return states, 0.0
    q = states.q.copy()
    change = turn_reactions(kernels.layout, q, kernels.reactions(p, states.t, q, states.v, multipliers))
    return replace(states, q=q), change


def _accelerations(kernels: NumpyKernels, p: Prepared, states: States) -> tuple[Array, Array]:
    """v' and λ of the acceleration-level system with a leading axis for states; NaN if undetermined."""
    found = _with_columns(kernels, p, states)
    for _ in range(REACTION_STEPS if len(kernels.layout.turning_reactions) else 0):
        states, change = _turned(kernels, p, states, found[1])
        if change <= SETTLED_REACTION:
            break
        found = _with_columns(kernels, p, states)
    return found


def _with_columns(kernels: NumpyKernels, p: Prepared, states: States) -> tuple[Array, Array]:
    """v' and λ for the directions of reactions with friction in the states."""
    t, q, v, algebra = states.t, states.q, states.v, kernels.solver
    jacobian, curvature = kernels.jacobian(p, t, q, v), kernels.curvature(p, t, q, v)
    columns = _columns(kernels, p, states) if curvature.shape[1] else jacobian
    mass, force = kernels.mass(p, t, q), -kernels.force(p, t, q, v)
    acceleration, multipliers = np.full_like(v, np.nan), np.full_like(curvature, np.nan)
    prescribed = kernels.prescribed_acceleration(p, t)
    right = -curvature - algebra.multiply(jacobian, prescribed)

    def is_solved(chosen: slice) -> bool:
        m, b, f, pulls = mass[chosen], jacobian[chosen], force[chosen], columns[chosen]
        try:
            if curvature.shape[1]:
                acceleration[chosen], multipliers[chosen] = algebra.solve_saddle(m, pulls, b, f, right[chosen])
            else:
                acceleration[chosen] = algebra.solve_mass(m, f)
        except (np.linalg.LinAlgError, IntegrationError):
            return False
        return True

    size = max(1, ENTRIES_AT_ONCE // (v.shape[1] + curvature.shape[1]) ** 2)
    for first in range(0, len(t), size):
        # If one state has no solution, its whole batch fails.
        if not is_solved(slice(first, first + size)):
            for k in range(first, min(first + size, len(t))):
                is_solved(slice(k, k + 1))
    return acceleration + prescribed, multipliers


def interpolate(kernels: NumpyKernels, p: Prepared, recorded: States, interval: NDArray[np.int64], t: Array) -> States:
    """See `Kernels.interpolate`."""
    layout = kernels.layout
    steps, of_step = np.unique(interval, return_inverse=True)
    ends, place = np.unique([steps, steps + 1], return_inverse=True)
    acceleration = kernels.observe(p, recorded[ends], ("acceleration",))["acceleration"][place.reshape(2, -1)]
    before, after = recorded[steps], recorded[steps + 1]
    h = (after.t - before.t)[:, None]
    turned = WHOLE_TURN * (after.carried - before.carried)[:, layout.carried["turns"]]
    turned += layout.angles.principal(after.q) - layout.angles.principal(before.q)
    end = _increments(kernels, before.q, after.q, turned)
    slope = kernels.inverse_tangent_operator(end, after.v)
    second = kernels.inverse_tangent_operator(end, acceleration[1]) + _rate_derivative(kernels, end, slope, after.v)
    known = np.array([h * before.v, h * h * acceleration[0], end, h * slope, h * h * second])
    coefficients = np.tensordot(QUINTIC, known, 1)[:, of_step]
    start, h = recorded[interval], h[of_step]
    s = (t - start.t)[:, None] / h
    theta, theta_dot = np.zeros_like(start.v), np.zeros_like(start.v)
    for degree, c in zip(range(len(coefficients), 0, -1), coefficients[::-1], strict=True):
        theta, theta_dot = (theta + c) * s, theta_dot * s + degree * c
    q, v = kernels.normalize(kernels.advance(start.q, theta)), kernels.tangent_operator(theta, theta_dot / h)
    kernels.prescribe(p, t, q, v)
    q = with_angles(kernels, layout, p, t, q)
    carried = carried_after(
        kernels, layout, p, start.carried, (start.t, start.q), (t, q), theta[:, layout.angles.component]
    )
    found = States(t, q, v, np.zeros((len(t), layout.rows)), carried)
    if not layout.rows:
        return found
    return replace(found, multipliers=kernels.observe(p, found, ("multipliers",))["multipliers"])


def _increments(kernels: NumpyKernels, q: Array, later: Array, turned: Array) -> Array:
    """θ of steps, on the branch of log selected by the rotation of the step."""
    angles, theta = kernels.layout.angles, kernels.difference(q, later)
    is_near = (np.abs(turned - theta[:, angles.component]) < 1) | angles.is_prescribed
    far = np.flatnonzero(~is_near.all(axis=1))
    if len(far):
        other = theta[far]
        other[:, angles.component] = turned[far]
        # Translations depend linearly on their increments at a given rotation: one Newton step is exact.
        missing = kernels.difference(kernels.advance(q[far], other), later[far])
        theta[far] = other + kernels.inverse_tangent_operator(other, missing)
    return theta


def _rate_derivative(kernels: NumpyKernels, theta: Array, theta_dot: Array, v: Array) -> Array:
    """(d/dt T⁻¹(θ)) v for the rate θ', by the series of T⁻¹ in powers of ad and the product rule."""
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
