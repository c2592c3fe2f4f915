"""Trajectories of the oracle: DOP853 on the stored components themselves, piece by piece of the inputs' tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from tests.trajectories.oracle import Oracle
from tests.trajectories.texts import Array

FASTEST = 1e3
"""Rates at which a motion ends, for example if rheonomic constraints become unsatisfiable."""


@dataclass(frozen=True)
class State:
    """A state of the oracle at one time."""

    t: float
    q: Array
    v: Array
    multipliers: Array
    energy: float
    outputs: dict[str, Array]


def trajectory(oracle: Oracle, *, rtol: float, atol: float) -> list[State]:
    """States at the times at which runs are compared.

    Raises
    ------
    ArithmeticError
        The motion ends before.
    """
    drawn, n = oracle.drawn, oracle.storage
    kinks = {t for table in drawn.tables for t in table.times if 0 < t < drawn.t_end}
    q, v = oracle.placed(0.0, oracle.q0, oracle.v0)
    y, t, found = np.concatenate([q, v]), 0.0, []

    def rate(time: float, state: Array) -> Array:
        rates = oracle.rates(time, state[:n], state[n:])
        result = np.concatenate([rates.q, rates.v])
        if not np.abs(result).max() < FASTEST:
            raise ArithmeticError(f"The motion ends at t = {time}.")
        return result

    for end in sorted({*kinks, *drawn.times}):
        oracle.at = (t + end) / 2
        result = solve_ivp(rate, (t, end), y, method="DOP853", rtol=rtol, atol=atol)
        if not result.success:
            raise ArithmeticError(result.message)
        t, y = end, result.y[:, -1]
        if end in drawn.times:
            q, v = oracle.placed(t, y[:n], y[n:])
            found.append(State(t, q, v, oracle.rates(t, q, v).multipliers, oracle.energy(t, q, v),
                               dict(oracle.outputs(t, q, v))))  # fmt: skip
    return found
