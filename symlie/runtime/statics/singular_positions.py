"""Singular positions: constraints whose rank is larger nearby, or velocities that lead to no nearby position."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.redundancy import vanishing_of_rows
from symlie.runtime.linear.unknowns import Indices
from symlie.runtime.statics.first_order import null_space
from symlie.runtime.statics.initial_assembly import closed
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.state_rates import GivenRates, with_completed_rates

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

STEP = 0.02
"""Length of steps to nearby configurations, in rad and m."""

DIRECTIONS = 3
"""Number of directions of such steps; each is taken forward and backward."""

KEPT = 0.5
"""Fraction of a step that remains after projection onto the constraints, below which the step leads to no nearby
configuration."""


class Positions(Statics):
    """Positions of a system whose first-order states are at most joint coordinates and rates, which move bodies, and
    states that do not affect positions."""

    def __init__(self, system: System, t: float, rows: Indices) -> None:
        layout = system.layout
        super().__init__(system, t, np.isin(np.arange(layout.rows), rows))
        self._rates = GivenRates(tuple(layout.state_rates), {}, np.zeros(layout.dimension, dtype=bool))
        self._steps = layout.integrated & layout.has_velocity
        for node in (layout.node(r.joint) for r in layout.manifest.joint_rates if r.state):
            self._steps[node.velocity] = True
        for _, rates in layout.state_rates.values():
            self._steps[rates] = False

    @staticmethod
    def _check_states(system: System) -> None:
        """Accept first-order states, which have no forces here."""

    def moved(self, q: Array, step: Array) -> Array:
        """Return the configuration after a step along velocities of all bodies; rates of joints do not change."""
        m, system = self.mechanics, self.system
        if not system.layout.state_rates:
            return super().moved(q, step)
        at, v = with_completed_rates(m, self.t, q, self.spread(step), self._rates)
        rates = m.field(self.t, at, v, np.zeros(len(v)), np.zeros(system.layout.rows))
        moved = system.kernels.normalize(system.kernels.advance(q, np.where(self._steps, rates, 0.0)))
        m.prescribe(self.t, moved, np.zeros(len(v)))
        return m.with_angles(self.t, moved)

    def turned(self, q: Array, step: Array) -> float:
        """Return zero: joint coordinates have no largest step."""
        return 0.0 if self.system.layout.state_rates else super().turned(q, step)


def singular_position(system: System, q: Array, t: float, rows: Indices, rank: int) -> str:
    """Return a sentence if the rank of constraint equations is larger nearby or if motions lead to no nearby
    configuration, otherwise an empty string."""
    statics = Positions(system, t, rows)
    if rank == len(statics.free) or np.abs(statics.constraint(q)).max(initial=0.0) > STEP**2:
        return ""
    basis = null_space(statics.jacobian(q).toarray(), rank)
    draw = np.random.default_rng(0)
    nearby = rank
    is_held = False
    for _ in range(DIRECTIONS):
        direction = basis @ draw.standard_normal(basis.shape[1])
        for step in (STEP, -STEP):
            moved = statics.moved(q, step * direction / np.linalg.norm(direction))
            try:
                there, _ = closed(statics, moved)
            except InconsistentInitialValuesError:
                is_held = True
                continue
            along = basis.T @ system.mechanics.apart(q, there)[statics.free]
            if np.linalg.norm(along) < KEPT * STEP:
                is_held = True
                continue
            nearby = max(nearby, len(statics.rows) - vanishing_of_rows(statics.jacobian(there)).shape[1])
    if nearby > rank:
        return f"the position is singular: nearby the rank is {nearby}"
    if is_held:
        return "the position is singular: velocities that satisfy the constraints lead to no nearby position"
    return ""
