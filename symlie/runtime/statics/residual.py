"""Forces, constraints and matrices of a system at rest or in a given motion, on its free velocity components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import RUNNING_COST
from symlie.errors import ModelError
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.dependent_rows import DependentRows
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.linear.least_change import kinetic_metric, mean_metric
from symlie.runtime.linear.saddle import SaddleAlgebra
from symlie.runtime.system.component_sizes import ROUNDING, ComponentSizes, component_sizes

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics
    from symlie.runtime.system.system import System

CONTRADICTION = 1e-6
"""Violation of a redundant constraint equation, relative to the coordinates that it compares, that is a
contradiction."""


class Statics:
    """System at a time t with velocity v and acceleration a (default: zero); vectors have one entry per free velocity
    component, multipliers one per constraint equation of the mask ``rows`` (default: holonomic)."""

    def __init__(
        self,
        system: System,
        t: float,
        rows: NDArray[np.bool_] | None = None,
        v: Array | None = None,
        a: Array | None = None,
    ) -> None:
        layout = system.layout
        self._check_states(system)
        self.system, self.t = system, float(t)
        self.free = np.flatnonzero(layout.free)
        self.rows = self._counting = np.flatnonzero(layout.holonomic if rows is None else rows)
        self.v = np.zeros(layout.dimension) if v is None else v
        self.a = np.zeros(layout.dimension) if a is None else a
        self._sizes: ComponentSizes | None = None

    @staticmethod
    def _check_states(system: System) -> None:
        states = [n.name for n in system.layout.nodes if not n.type.velocities]
        if states == [RUNNING_COST]:
            raise ModelError(
                f"'{system.name}' has a running cost, whose integral does not rest; for equilibria, derive the model "
                "without model.cost(running=…), with outputs or a terminal cost instead."
            )
        if states:
            raise ModelError(
                f"'{system.name}' has first-order states, on which no forces act; static equilibria, vibrations and "
                "the assembly of configurations require a mechanical system."
            )

    @property
    def mechanics(self) -> Mechanics:
        """Equations of motion of the system."""
        return self.system.mechanics

    def prescribed(self, q: Array) -> Array:
        """Return the configuration with prescribed nodes at the time of the statics."""
        self.system.check_motions(self.t)
        q = q.copy()
        self.mechanics.prescribe(self.t, q, np.zeros(self.system.layout.dimension))
        return self.mechanics.with_start_angles(self.t, q)

    def moved(self, q: Array, step: Array) -> Array:
        """Return q∘exp(δ), normalised onto the group."""
        moved = self.system.kernels.normalize(self.mechanics.moved(q, self.spread(step)))
        return self.mechanics.with_angles(self.t, moved)

    def turned(self, q: Array, step: Array) -> float:
        """Return the largest rotation of a step, in rad, in local coordinates of nodes or of unwrapped angles."""
        system, along = self.system, self.spread(step)
        largest = float(np.sqrt(system.kernels.chart(q, self.mechanics.coordinate_rate(q, along))))
        if not system.layout.has_unwrapped:
            return largest
        moving, at_rest = (system.kernels.unwrapped_rate(self.mechanics.p, self.t, q, v) for v in (along, 0 * along))
        return max(largest, float(np.abs(moving - at_rest).max()))

    def spread(self, step: Array) -> Array:
        """Return a vector with entries for all velocity components, zero for those that are not free."""
        whole = np.zeros(self.system.layout.dimension)
        whole[self.free] = step
        return whole

    def all_multipliers(self, multipliers: Array) -> Array:
        """Return multipliers of all constraint equations, zero if not included."""
        whole = np.zeros(self.system.layout.rows)
        whole[self.rows] = multipliers
        return whole

    def force(self, q: Array, multipliers: Array) -> Array:
        """Return M a + g(t, q, v) + Bᵀ λ."""
        mechanics = self.mechanics
        total = mechanics.force(self.t, q, self.v)
        if self.a.any():
            total = total + self._whole_mass(q) @ self.a
        if len(self.rows):
            jacobian = self._stored_jacobian(q)
            total = total + mechanics.algebra.pull(jacobian, self.all_multipliers(multipliers))
        return total[self.free]

    def constraint(self, q: Array) -> Array:
        """Return Φ(t, q)."""
        if not len(self.rows):
            return np.zeros(0)
        return self.mechanics.constraint(self.t, q)[self.rows]

    def _stored_jacobian(self, q: Array) -> Array:
        """Return the stored values of B, zero for excluded constraint equations, which may be undefined at rest."""
        return self._masked_jacobian(q, self.rows)

    def _masked_jacobian(self, q: Array, rows: NDArray[np.intp]) -> Array:
        counts = np.zeros(self.system.layout.rows, dtype=bool)
        counts[rows] = True
        B = self.mechanics.jacobian(self.t, q, self.v)
        return np.where(counts[self.mechanics.algebra.jacobian_rows], B, 0.0)

    def jacobian(self, q: Array) -> Sparse:
        """Return B as a sparse matrix (constraints × free components)."""
        values = self._stored_jacobian(q) if self.system.layout.rows else np.zeros(0)
        return self.system.algebra.sparse_jacobian(values)[self.rows][:, self.free]

    def mass(self, q: Array) -> Sparse:
        """Return M as a sparse matrix on the free components."""
        return self._whole_mass(q)[self.free][:, self.free]

    def _whole_mass(self, q: Array) -> Sparse:
        return self.system.algebra.sparse_mass(self.mechanics.mass(self.t, q))

    def newton_matrices(self, q: Array, multipliers: Array) -> tuple[Sparse, Sparse, Sparse]:
        """Return K, C and H as sparse matrices, with columns for the free components."""
        stiffness, damping, hidden = self.system.newton_matrices(
            self.mechanics.p, self.t, q, self.v, self.a, self.all_multipliers(multipliers)
        )
        free = self.free
        return stiffness[free][:, free], damping[free][:, free], hidden[self.rows][:, free]

    def constraint_scale(self, q: Array, jacobian: Sparse) -> Array:
        """Return the size of the coordinates that each constraint equation compares, in its unit; 1 if B is zero."""
        scale = self.sizes(q).constraint_scale(jacobian)
        return np.where(scale > 0, scale, 1.0)

    def velocity_residual(self, q: Array) -> Array:
        """Return B v + b."""
        if not len(self.rows):
            return np.zeros(0)
        m = self.mechanics
        moved = m.algebra.multiply(m.jacobian(self.t, q, self.v), self.v)
        return np.asarray((moved + m.kernels.constraint_rate(m.p, self.t, q, self.v))[self.rows])

    def is_rounding(
        self, q: Array, multipliers: Array, force: Array, constraint: Array, stiffness: Sparse, jacobian: Sparse
    ) -> bool:
        """Return whether unbalanced forces and Φ do not exceed their round-off."""
        sizes = self.sizes(q)
        scale = sizes.force_scale(stiffness, 0 * stiffness, force, jacobian, multipliers)
        return bool(
            np.all(np.abs(force) <= ROUNDING * scale)
            and np.all(np.abs(constraint) <= ROUNDING * sizes.constraint_scale(jacobian))
        )

    def balanced_multipliers(self, q: Array) -> tuple[Array, Array]:
        """Return the acceleration for the mass matrix D of `metric`, and its λ; raise LinAlgError for redundant
        constraint equations."""
        acceleration, multipliers = SaddlePoint(self.metric(q), self.jacobian(q)).solve(
            -self.force(q, np.zeros(len(self.rows))), np.zeros(len(self.rows))
        )
        return acceleration, multipliers

    def set_aside(self, q: Array) -> None:
        """Drop redundant constraint equations at a configuration, if the system permits them."""
        dependent = self._dependent_rows(q)
        if dependent is not None:
            self.rows = self._counting[~dependent.is_aside[self._counting]]

    def shared_multipliers(self, q: Array, multipliers: Array) -> Array:
        """Return multipliers of all constraint equations; redundant equations share forces according to their
        compliances."""
        dependent, whole = self._dependent_rows(q), self.all_multipliers(multipliers)
        return whole if dependent is None else dependent.minimal(whole)

    def contradicted(self, q: Array) -> NDArray[np.intp]:
        """Return the dropped constraint equations that are violated, because they do not follow from the others."""
        aside = np.setdiff1d(self._counting, self.rows)
        jacobian = self.system.algebra.sparse_jacobian(self._masked_jacobian(q, aside))[aside][:, self.free]
        values = self.mechanics.constraint(self.t, q)[aside] if len(aside) else np.zeros(0)
        return aside[np.abs(values) > CONTRADICTION * self.sizes(q).constraint_scale(jacobian)]

    def _dependent_rows(self, q: Array) -> DependentRows | None:
        mechanics, layout = self.mechanics, self.system.layout
        algebra = mechanics.saddle_algebra
        if algebra is None or not mechanics.takes_redundant_rows:
            return None
        # Each excluded equation is a vanishing combination by itself.
        idle = layout.rows - len(self._counting)
        if idle:
            algebra = SaddleAlgebra(layout, mechanics.massless, min(layout.rows, algebra.probes + idle))
        return algebra.dependent_rows(self._masked_jacobian(q, self._counting))

    def sizes(self, q: Array) -> ComponentSizes:
        """Return the sizes of the components at the configuration of the first call."""
        if self._sizes is None:
            self._sizes = component_sizes(self.system, q, np.abs(self._whole_mass(q).diagonal()))
        return self._sizes

    def metric(self, q: Array) -> Sparse:
        """Return the geometric mean of the diagonal of M and its mean, as a sparse diagonal matrix D; always
        positive."""
        return mean_metric(self.mass(q), self.sizes(q).length)

    def kinetic_metric(self, q: Array) -> Sparse:
        """Return M, or `metric` if M is not positive definite."""
        return kinetic_metric(self.mass(q), lambda: self.sizes(q).length)
