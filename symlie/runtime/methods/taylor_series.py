"""Taylor series of a motion from one of its states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import Stepper


@dataclass(frozen=True)
class Series:
    """Coefficients of the stored components, of velocities and of multipliers, a row for each order."""

    q: Array
    v: Array
    multipliers: Array

    def sums(self, h: float) -> tuple[Array, Array, Array]:
        """q, v and λ after a time h, in s."""
        return _sum(self.q, h), _sum(self.v, h), _sum(self.multipliers, h)

    def rates(self, h: float) -> tuple[Array, Array]:
        """Rates of q and v after a time h."""
        orders = np.arange(len(self.q))[:, None]
        return _sum((orders * self.q)[1:], h), _sum((orders * self.v)[1:], h)

    def rotation(self, h: float) -> Array:
        """∫ v over a time h."""
        return h * _sum(self.v / np.arange(1, len(self.v) + 1)[:, None], h)


def _sum(coefficients: Array, s: float) -> Array:
    total = coefficients[-1]
    for row in coefficients[-2::-1]:
        total = total * s + row
    return np.asarray(total)


def series_of(stepper: Stepper, order: int, t: float, q: Array, v: Array, multipliers: Array) -> Series:
    """The series from a state; those of the last two states are at hand.

    Parameters
    ----------
    stepper
        What steps are taken with.
    order
        The last order of q and v; that of multipliers is one less.
    t, q, v, multipliers
        The state; multipliers have no meaning where there are no constraints.

    Raises
    ------
    NotFiniteError, SingularSystemError, IndefiniteMassMatrixError
        v̇ is not determined at the state.
    """
    key = (t, q.tobytes(), v.tobytes())
    known = stepper.series.pop(key, None)
    if known is None:
        known = _found(stepper, order, t, q, v, multipliers)
    stepper.series[key] = known
    while len(stepper.series) > 2:
        del stepper.series[next(iter(stepper.series))]
    return known


def _found(stepper: Stepper, order: int, t: float, q_0: Array, v_0: Array, multipliers: Array) -> Series:
    m, rows = stepper.mechanics, stepper.rows
    jets = stepper.system.sets.jets(m.p)
    a, known = stepper.acceleration(t, q_0, v_0, multipliers)
    q, v, found = [q_0], [v_0, a], [known]
    q.append(jets.begin_rate(q_0, v_0))
    jets.begin_force(t, q_0, v_0, a, known)
    mass, B, c = m.mass(t, q_0), m.jacobian(t, q_0), np.zeros(0)
    if rows:
        jets.begin_hidden(t, q_0, v_0)
        jets.hidden(1, 1.0, q[1])
    for k in range(1, order):
        of_t = float(k == 1)
        q.append(jets.rate(k, q[k], v[k]) / (k + 1))
        r = -jets.force(k, of_t, q[k], v[k])
        if rows:
            jets.end_hidden(k, v[k])
            c = -(k + 1) * jets.hidden(k + 1, 0.0, q[k + 1])
            a, known = m.saddle(mass, B, B, r, c)
        else:
            a = m.solver.solve_mass(mass, r)
        jets.end_force(k, a, known)
        v.append(a / (k + 1))
        found.append(known)
    return Series(np.array(q), np.array(v), np.array(found))
