"""One step of the explicit methods in NumPy: Runge–Kutta–Munthe-Kaas, and chains of exponentials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.commutator_free import ChainTableau
from symlie.runtime.methods.tables import RkmkTable, chain_table, rkmk_table

if TYPE_CHECKING:
    from symlie.runtime.kernels.coordinates import StepKernels
    from symlie.runtime.methods.stepper import State, Stepper, Trial


def rkmk_step(stepper: Stepper, state: State, h: float) -> Trial:
    """A step of Runge–Kutta–Munthe-Kaas type.

    Source: [Celledoni2022], section 2, left-trivialised.
    """
    table = rkmk_table(stepper.method)
    a, c, b_hat, stages = table.a, table.c, table.b_hat, table.stages
    k, p, t = stepper.kernels, stepper.parameters, state.t
    q, v = state.q, state.v
    with_end = table.has_end_stage and bool(stepper.rows or stepper.control.with_estimate)
    rate: list[Array] = []
    v_dot: list[Array] = []
    Theta, Q, V = np.zeros_like(v), q, v
    for i in range(stages + int(with_end)):
        stage_t = t + (c[i] if i < stages else 1.0) * h
        acceleration, multipliers = _solved(stepper, state, i, stage_t, Q, V)
        v_dot.append(acceleration)
        slope = k.field(p, stage_t, Q, acceleration, multipliers, V)
        rate.append(stepper.moving(_corrected_rate(stepper, table, Theta, slope) if i > 0 else slope))
        if i == stages:
            break
        Theta = h * sum(a[i + 1, j] * rate[j] for j in range(i + 1))
        for term in table.brackets:
            if term.row == i + 2:
                commutator = k.bracket(rate[term.first - 1], rate[term.second - 1])
                Theta = Theta + h * h * float(term.weight) * commutator
        V = v + h * sum(a[i + 1, j] * v_dot[j] for j in range(i + 1))
        Q = stepper.advance(q, Theta)
        k.prescribe(p, t + (c[i + 1] if i + 1 < stages else 1.0) * h, Q, V)
    trial = stepper.trial(state, Q, V, v_dot, len(rate), Theta)
    trial.multipliers = multipliers
    trial.acceleration = v_dot[-1] if with_end else None
    if stepper.rows and not with_end:
        # λ belongs to the end of the step, whose v' is the first of the next one.
        trial.acceleration, trial.multipliers = stepper.acceleration(t + h, Q, V, multipliers)
        trial.rhs_evaluations += 1
    if stepper.rows:
        stepper.measure(trial, t + h, Q, V, k.jacobian(p, t + h, Q))
    if stepper.control.with_estimate:
        theta_hat = h * sum(b_hat[j] * rate[j] for j in range(len(rate)))
        v_hat = v + h * sum(b_hat[j] * v_dot[j] for j in range(len(rate)))
        trial.estimate(stepper.control, Theta, theta_hat, v, V, v_hat)
    return trial


def _corrected_rate(stepper: Stepper, table: RkmkTable, theta: Array, v: Array) -> Array:
    """T⁻¹(θ) v, exact or truncated."""
    if stepper.method.commutators is None:
        return stepper.coordinates.rate(theta, v)
    rate, nested = v, v
    for weight in table.inverse:
        nested = stepper.kernels.bracket(theta, nested)
        rate = rate + weight * nested
    return rate


def chain_step(stepper: Stepper, state: State, h: float, tableau: ChainTableau) -> Trial:
    """A step of a commutator-free method or of one of Crouch and Grossman.

    Source: [Celledoni2022], section 2; [Crouch1993]; left-trivialised.
    """
    table = chain_table(tableau)
    k, p, t = stepper.kernels, stepper.parameters, state.t
    rate: list[Array] = []
    v_dot: list[Array] = []
    points: list[tuple[Array, Array, Array]] = [(state.q, state.v, np.zeros_like(state.v))]

    def end_of(chain: int, time: float) -> tuple[Array, Array, Array]:
        q, v, moved = (x.copy() for x in points[table.start[chain]])
        for weights in table.exponentials[table.bounds[chain] : table.bounds[chain + 1]]:
            theta = h * _sum(weights, rate)
            q = stepper.advance(q, theta)
            v = v + h * _sum(weights, v_dot)
            moved = moved + theta
        k.prescribe(p, time, q, v)
        return q, v, moved

    stages = table.stages if stepper.control.with_estimate else table.needed
    for i in range(stages):
        stage_t = t + table.c[i] * h
        if i > 0:
            points.append(end_of(i, stage_t))
        Q, V, _ = points[i]
        solved = _solved(stepper, state, i, stage_t, Q, V)
        v_dot.append(solved[0])
        rate.append(stepper.moving(k.field(p, stage_t, Q, *solved, V)))
    q, v, moved = end_of(table.stages, t + h)
    trial = stepper.trial(state, q, v, v_dot, stages, moved)
    if stepper.rows:
        # λ belongs to the end of the step, whose v' is the first of the next one.
        trial.acceleration, trial.multipliers = stepper.acceleration(t + h, trial.q, v, state.multipliers)
        trial.rhs_evaluations += 1
        stepper.measure(trial, t + h, q, v, k.jacobian(p, t + h, q))
    if stepper.control.with_estimate:
        q_hat, v_hat, _ = end_of(table.stages + 1, t + h)
        theta = k.difference(state.q, q)
        trial.estimate(stepper.control, theta, theta + k.difference(q, q_hat), state.v, v, v_hat)
    return trial


def ambient_step(stepper: Stepper, state: State, h: float, ambient: StepKernels) -> Trial:
    """A step on the stored components."""
    table = rkmk_table(stepper.method)
    k, p, t = stepper.kernels, stepper.parameters, state.t
    q, v, with_estimate = state.q, state.v, stepper.control.with_estimate
    rate: list[Array] = []
    v_dot: list[Array] = []
    stored: list[Array] = []
    Q, V = q, v
    for i in range(table.stages + int(table.has_end_stage and with_estimate)):
        stage_t = t + (table.c[i] if i < table.stages else 1.0) * h
        solved = _solved(stepper, state, i, stage_t, Q, V)
        v_dot.append(solved[0])
        rate.append(k.field(p, stage_t, Q, *solved, V))
        stored.append(ambient.storage_rate(Q, rate[-1]))
        if i == table.stages:
            break
        Q, V = q + h * _sum(table.a[i + 1], stored), v + h * _sum(table.a[i + 1], v_dot)
        k.prescribe(p, t + (table.c[i + 1] if i + 1 < table.stages else 1.0) * h, Q, V)
    theta = h * _sum(table.a[table.stages], rate[: table.stages])
    trial = stepper.trial(state, Q, V, v_dot, len(rate), theta)
    trial.q = Q
    if with_estimate:
        trial.acceleration = v_dot[-1] if table.has_end_stage else None
        trial.estimate(stepper.control, theta, h * _sum(table.b_hat, rate), v, V, v + h * _sum(table.b_hat, v_dot))
    if stepper.rows:
        # λ belongs to the end of the step, whose v' is the first of the next one.
        if trial.acceleration is None:
            trial.acceleration, trial.multipliers = stepper.acceleration(t + h, Q, V, state.multipliers)
            trial.rhs_evaluations += 1
        stepper.measure(trial, t + h, Q, V, k.jacobian(p, t + h, Q))
    return trial


def _solved(stepper: Stepper, state: State, stage: int, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """v' and λ of a stage; those of the first one may be known from the step before."""
    if stage == 0 and state.acceleration is not None:
        return state.acceleration, state.multipliers
    return stepper.acceleration(t, q, v, state.multipliers)


def _sum(weights: Array, slopes: Sequence[Array]) -> Array:
    return np.asarray(sum(weights[j] * slope for j, slope in enumerate(slopes)))
