"""Stages of variational steps in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from symlie.contract.constants import NEWTON_ENOUGH
from symlie.contract.discrete import DiscreteLagrangian
from symlie.runtime.implicit.newton_iteration import NewtonPolicy, newton_solution
from symlie.runtime.implicit.variational_samples import StepSamples
from symlie.runtime.implicit.variational_step import EndStage, StartStage
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.contacts.open_rows import OpenRows
from symlie.runtime.tableaux.tableau import Tableau

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import Stepper


SLOW_ENOUGH = 1e-15
"""Largest entry of a correction with the simplified matrix, relative to the largest entry of q, that ends the
iteration."""
DAMPED = 0.1
"""Required reduction of the residual of (4) by corrections with M alone; otherwise the matrix with load derivatives is
used."""


@dataclass(frozen=True, kw_only=True, repr=False)
class DiscreteTableau(Tableau):
    """Discrete Lagrangian, which defines the samples of the energies."""

    discrete: DiscreteLagrangian


@runtime_checkable
class DiscreteMethod(Protocol):
    """Method with a discrete Lagrangian.

    Attributes
    ----------
    tableau
        The discrete Lagrangian.
    newton_rtol, newton_atol, newton_max
        Bounds on the final residual, and the maximum number of iterations.
    element_set
        Name of the kernels of the discrete Lagrangian.
    takes_element_matrix
        True if Newton's method uses the derived matrix.
    """

    @property
    def tableau(self) -> DiscreteTableau: ...
    @property
    def newton_rtol(self) -> float: ...
    @property
    def newton_atol(self) -> float: ...
    @property
    def newton_max(self) -> int: ...
    @property
    def element_set(self) -> str: ...
    @property
    def takes_element_matrix(self) -> bool: ...


class DiscreteStages:
    """Solution of the discrete equations at both ends of a step of length h."""

    def __init__(self, stepper: Stepper, h: float) -> None:
        assert isinstance(stepper.method, DiscreteMethod)
        self._stepper, self._method, self._h = stepper, stepper.method, h
        self._mechanics, self._layout = stepper.mechanics, stepper.system.layout
        self._open_rows: OpenRows | None = None
        self._kernels, self._tables = stepper.discrete(self._method.element_set, self._method.takes_element_matrix)

    def load(self, t: float, q: Array, v: Array) -> Array:
        """Return the loads at an end of a step."""
        return self._kernels.end_load(self._mechanics.p, t, q, v)

    def known(self, t: float, q: Array, theta: Array) -> tuple[Array, Array, Array]:
        """Return θ, its free part, and q at the end of a step from t, for the free part of a known solution."""
        m, layout = self._mechanics, self._layout
        theta = self._held(t, q, theta)
        end = m.kernels.advance(q, layout.free * theta)
        m.prescribe(t + self._h, end, np.zeros(layout.dimension))
        return theta, np.where(layout.free, theta, 0.0), m.kernels.normalize(end)

    def start(
        self, t: float, q: Array, v: Array, load: Array, theta: Array, mu: Array
    ) -> tuple[Array, Array, Array, Array, Array]:
        """Return θ, its free part, q at the end, μ and the residual divided by h, by Newton's method from a guess."""
        method, stepper, k, m, h = self._method, self._stepper, self._kernels, self._mechanics, self._h
        stage = StartStage(stepper.system, k, self._tables, t, q, h, self._samples(t, q))
        stage.open_rows = self._open_rows
        momentum = k("conjugate_momentum", m.p, t, q, v)
        stage.begin(momentum - h * k.weights[0] * load, self._held(t, q, theta))
        policy = NewtonPolicy(
            iterations=method.newton_max,
            correction=NEWTON_ENOUGH if self._tables is not None else SLOW_ENOUGH,
            rtol=method.newton_rtol,
            atol=method.newton_atol,
            free=1,
        )
        size = max(1.0, float(np.abs(q).max(initial=0)))
        guess = np.concatenate([self._layout.free * theta, mu[stage.rows]])
        u = newton_solution(stage, policy, guess, size, stepper.newton)
        r, n = stage.residual(u), self._layout.dimension
        if stage.is_bound and self._tables is None:
            # Remove the contribution of the rounding of Φ to (2), so that momentum is preserved.
            r = stage.residual(u - stage.correction(np.append(r[:n], np.zeros(len(r) - n))))
        increment = np.where(self._layout.free, stage.theta, 0.0)
        return stage.theta, increment, m.kernels.normalize(stage.q), self._of_rows(stage.mu), r[:n] / h

    def end(
        self, t: float, state: tuple[Array, Array], q: Array, theta: Array, rest: Array, damped: float
    ) -> tuple[Array, Array, Array, float]:
        """Return v and l at the end q of a step from t and a state, μ, and whether the matrix needs derivatives of
        loads."""
        method, stepper, k, m, h = self._method, self._stepper, self._kernels, self._mechanics, self._h
        q_n, v_n = state
        n = self._layout.dimension
        momentum = k("end_momentum", m.p, t, q_n, q, theta, h)
        if (samples := self._samples(t, q_n)) is not None:
            momentum = momentum + samples.end(theta)
        last = EndStage(stepper.system, k, stepper.end_tables(method.element_set), t, q_n, h)
        last.open_rows = self._open_rows
        last.begin(momentum - rest, q, k.weights[1])
        guess = np.concatenate([theta / h, np.zeros(len(last.rows))])
        policy = NewtonPolicy(
            iterations=method.newton_max,
            correction=SLOW_ENOUGH,
            rtol=method.newton_rtol,
            atol=method.newton_atol,
            free=1,
            contraction=0.0 if damped or last.tables is None else DAMPED,
        )
        last.has_factors = not damped
        before = stepper.newton.refreshes
        u = newton_solution(last, policy, guess, max(1.0, float(np.abs(v_n).max(initial=0))), stepper.newton)
        v = np.where(self._layout.free, u[:n], 0.0)
        m.prescribe(t + h, q.copy(), v)
        stepper.check("velocity", v)
        return v, self.load(t + h, q, v), self._of_rows(u[n:]), float(damped or stepper.newton.refreshes > before)

    def _of_rows(self, mu: Array) -> Array:
        """Return multipliers of all equations."""
        return mu if self._open_rows is None else self._open_rows.spread(mu)

    def _held(self, t: float, q: Array, theta: Array) -> Array:
        """Return θ with the increments of prescribed nodes."""
        layout, m = self._layout, self._mechanics
        if not len(layout.motion_velocity):
            return np.where(layout.free, theta, 0.0)
        moved = q.copy()
        m.prescribe(t + self._h, moved, np.zeros(layout.dimension))
        return np.where(layout.free, theta, m.kernels.difference(q, moved))

    def _samples(self, t: float, q: Array) -> StepSamples | None:
        """Return the loads at samples between the ends of the step."""
        nodes, between = self._stepper.further, self._method.tableau.discrete.between
        return None if nodes is None else StepSamples(self._mechanics, self._kernels, nodes, between, t, q, self._h)
