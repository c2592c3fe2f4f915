"""Stages of time stepping with contacts in NumPy, as in ``contact_stages.h``.

The first stage of a variational step determines q_{n+1} with gaps g(q_{n+1}) ≥ 0 and the impulses P₁, the second one
v_{n+1} with the total impulses P = P₁ + P₂ and the laws of impact and friction of W v_{n+1} + e W v_n:

    μ₁ = -h P₁,    μ₂ = -P₂.

Slip in the first stage is that of nonholonomic constraints, W̄ θ with the mean W̄ of W_T at q_n and q_{n+1}. Newton's
method takes W̄ as its derivative: contacts that stick at several places of a body are nearly redundant, and iterations
with other derivatives would hardly converge.

While no contact closes, both stages are those without contacts, with the same operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import CONTACT_ROUNDING
from symlie.runtime.implicit.contact_modes import pushing, rebounds, stepped_modes, with_rebounds
from symlie.runtime.implicit.contact_solution import ContactSolution
from symlie.runtime.implicit.variational_step import EndStage, StartStage
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.programs.discrete_stages import SLOW_ENOUGH, DiscreteStages

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import Stepper


class _ContactStart(StartStage):
    """First stage with contacts."""

    def take_contacts(self, is_contact: NDArray[np.bool_]) -> None:
        """Take the mean rows of slip as derivatives."""
        self._slips = (is_contact & ~self.layout.holonomic)[self.mechanics.algebra.jacobian_rows]

    def residual(self, u: Array) -> Array:
        r = super().residual(u)
        self.jacobian = np.where(self._slips, (self.jacobian_start + self.jacobian) / 2, self.jacobian)
        return r


class ContactStages(DiscreteStages):
    """Solution of the discrete equations with contacts at both ends of a step of length h."""

    def __init__(self, stepper: Stepper, h: float) -> None:
        super().__init__(stepper, h)
        self._table, self._matrix = stepper.contacts
        self._open_rows = stepper.mechanics.open_rows

    def known(self, t: float, q: Array, theta: Array) -> tuple[Array, Array, Array]:
        return super().known(t, self._table.opened(q), theta)

    def start(
        self, t: float, q: Array, v: Array, load: Array, theta: Array, mu: Array
    ) -> tuple[Array, Array, Array, Array, Array]:
        table, m, n, h = self._table, self._mechanics, self._layout.dimension, self._h
        is_closed = (q[table.closed] != 0) | (mu[table.normal] < 0)
        if not is_closed.any():
            found = super().start(t, table.opened(q), v, load, theta, np.where(table.rows, 0.0, mu))
            if (m.constraint(t + h, table.full(found[2]))[table.normal] >= 0).all():
                return found
        full = table.full(q)
        stage = _ContactStart(self._stepper.system, self._kernels, None, t, full, h)
        stage.take_contacts(table.rows)
        momentum = self._kernels("conjugate_momentum", m.p, t, q, v)
        stage.begin(momentum - h * self._kernels.weights[0] * load, self._held(t, full, theta))
        none = np.zeros(self._layout.rows)
        every = np.ones(len(table.normal), dtype=bool)
        solution = ContactSolution(stage, table, self._matrix, (none, none), every, self._stepper.newton)
        size = max(1.0, float(np.abs(q).max(initial=0)))
        u = solution.solve(np.concatenate([self._layout.free * theta, mu]), size, SLOW_ENOUGH)
        u = solution.without(u)
        # The second stage balances impulses that are removed here.
        mu = u[n:] = np.where(pushing(table, u[n:]), u[n:], 0.0)
        r = stage.residual(u)
        increment = np.where(self._layout.free, stage.theta, 0.0)
        return stage.theta, increment, m.kernels.normalize(table.opened(stage.q)), mu, r[:n] / h

    def end_with_contacts(
        self, t: float, state: tuple[Array, Array], q: Array, theta: Array, rest: Array, damped: float, mu: Array
    ) -> tuple[Array, Array, Array, float, Array, Array]:
        """Return the results of `end`, q with the modes of contacts, and their forces as multipliers, for μ of the
        first stage."""
        table, m, h, n = self._table, self._mechanics, self._h, self._layout.dimension
        q_n, v_n = state
        opened, full, end = table.opened(q), table.full(q), t + h
        gaps = m.constraint(end, full)[table.normal]
        bound = CONTACT_ROUNDING * max(1.0, float(np.abs(q).max(initial=0)))
        is_met = (mu[table.normal] < 0) | (gaps <= bound)
        none = np.zeros(self._layout.rows)
        if not is_met.any():
            found = self.end(t, (table.opened(q_n), v_n), opened, theta, rest, damped)
            return *found, opened, none
        momentum = self._kernels("end_momentum", m.p, t, q_n, full, theta, h)
        stage = EndStage(self._stepper.system, self._kernels, None, t, table.full(q_n), h)
        stage.begin(momentum - rest, full, self._kernels.weights[1])
        begin = table.full(q_n)
        fastest = max(1.0, float(np.abs(v_n).max(initial=0)))
        before = rebounds(table, q_n, m.hidden_residual(t, begin, v_n), fastest)
        first = np.where(table.rows, mu, 0.0) / h
        guess = np.concatenate([theta / h, none])
        solution, u = with_rebounds(
            lambda stated: ContactSolution(stage, table, self._matrix, (first, stated), is_met, self._stepper.newton),
            before, guess, fastest, SLOW_ENOUGH,
        )  # fmt: skip
        r = stage.residual(u)
        v = np.where(self._layout.free, u[:n], 0.0)
        m.prescribe(end, full.copy(), v)
        self._stepper.check("velocity", v)
        size = m.algebra.multiply(np.abs(stage.jacobian), np.abs(v))
        q, force = stepped_modes(table, full, h, (u[n:] + first) / h, (r[n:], size), solution)
        return v, self.load(end, q, v), u[n:], damped, q, force
