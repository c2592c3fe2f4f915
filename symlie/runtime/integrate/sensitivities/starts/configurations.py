"""Consistent configurations for changed initial values or parameters.

With specified configurations s(p), the smallest changes that satisfy the constraints Φ have the derivative

    δq = δs - B⁺ δr,   r(p) = Φ(t, s(p), p)  (2)

at a consistent configuration q = s, by the implicit function theorem. B contains the derivatives of specified
coordinates of joints, which do not change, and B⁺ minimises changes in the metric of the assembly. Configurations along
δq are corrected to satisfy Φ = 0, so that they are smooth functions of p with this derivative.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.least_change import LeastChange, kinetic_metric
from symlie.runtime.system.component_sizes import component_sizes
from symlie.runtime.system.given_coordinates import given_coordinates, kept_rates
from symlie.runtime.system.output_jacobian import linear_outputs
from symlie.runtime.system.system import System

CORRECTIONS = 8
"""Corrections with B⁺ of the first configuration, each of which reduces Φ = O(ε²) by a factor of ε, 2e-3, times the
curvature of the constraints."""


class ConsistentConfigurations:
    """Configurations near the consistent one q at time t, in s, that satisfy the constraints of changed systems."""

    def __init__(self, system: System, t: float, q: Array) -> None:
        from scipy.sparse import vstack

        layout, mechanics, algebra = system.layout, system.mechanics, system.algebra
        self._t, self._q, self._dimension = t, q, layout.dimension
        self._free = np.flatnonzero(layout.free)
        self._rows = np.flatnonzero(layout.holonomic & ~layout.is_balance)
        kept = kept_rates(layout, given_coordinates(system))
        coordinates = linear_outputs(mechanics, t, q, [rate.output for rate in kept]).matrix
        self._coordinates = coordinates.shape[0]
        jacobian = algebra.sparse_jacobian(mechanics.jacobian(t, q, np.zeros(layout.dimension)))[self._rows]
        mass = algebra.sparse_mass(mechanics.mass(t, q))

        def lengths() -> Array:
            return component_sizes(system, q, np.abs(mass.diagonal())).length

        metric = kinetic_metric(mass[self._free][:, self._free], lengths)
        self._change = LeastChange(vstack([jacobian, coordinates], format="csr")[:, self._free], metric)

    def violation(self, system: System) -> Array:
        """Return Φ of the specified configuration of a system."""
        return self._constraint(system, self.specified(system))

    def specified(self, system: System) -> Array:
        """Return the specified configuration of a system with prescribed nodes."""
        return self._prescribed(system, system.stated_state().q.copy())

    def direction(self, specified: Array, violation: Array) -> Array:
        """Return δq of (2), shape (dimension,), for the derivatives of specified configurations in the Lie algebra and
        of their violation."""
        return specified - self._correction(violation)

    def along(self, direction: Array) -> Callable[[System, float], System]:
        """Return a function that gives a system the configuration at a distance along a direction."""

        def configured(system: System, distance: float) -> System:
            q = self._moved(system, self._q, distance * direction)
            for _ in range(CORRECTIONS):
                q = self._moved(system, q, -self._correction(self._constraint(system, q)))
            return system.with_configuration(q)

        return configured

    def _correction(self, constraint: Array) -> Array:
        whole = np.zeros(self._dimension)
        whole[self._free] = self._change.inverse(np.concatenate([constraint, np.zeros(self._coordinates)]))
        return whole

    def _constraint(self, system: System, q: Array) -> Array:
        return system.mechanics.constraint(self._t, q)[self._rows]

    def _moved(self, system: System, q: Array, delta: Array) -> Array:
        moved = system.kernels.normalize(system.mechanics.moved(q, delta))
        return system.mechanics.with_angles(self._t, self._prescribed(system, moved))

    def _prescribed(self, system: System, q: Array) -> Array:
        system.mechanics.prescribe(self._t, q, np.zeros(self._dimension))
        return q
