"""The mechanics of a system at its parameters: its equations as functions of time, configuration and velocity.

M(q) v' + g(t, q, v) + B(q)ᵀ λ = 0,   Φ(t, q) = 0,   B v + b = 0,   B v' + Z = 0
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.kernels.numpy import NumpyKernels
from symlie.runtime.kernels.protocol import Kernels
from symlie.runtime.kernels.unwrapped import with_angles, with_start_angles
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.dependent_rows import DependentRows
from symlie.runtime.linear.saddle import SaddleAlgebra, instead_of_complement
from symlie.runtime.linear.schur import Algebra
from symlie.runtime.linear.unknowns import Indices
from symlie.runtime.system.solvability import LostMass, lost_mass

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

REDUNDANT = ("error", "minimal_norm")
"""What is done about rows that depend on each other."""

MINIMAL_NORM = REDUNDANT[1]

FURTHER_PROBES = 3
"""Combinations of dependent rows that are looked for beside those that are there at the start."""


class Mechanics:
    """What is known of a system at states (t, q, v); t in s, q shape (storage,), v shape (dimension,).

    Parameters
    ----------
    system
        The system; its kernels may be compiled ones.

    Attributes
    ----------
    layout, kernels, algebra, p
        Those of the system, with its prepared parameters.
    """

    def __init__(self, system: System) -> None:
        self._system = system
        self.layout, self.kernels, self.algebra, self.p = system.layout, system.kernels, system.algebra, system.prepared

    @cached_property
    def lost_mass(self) -> LostMass:
        """What M leaves undetermined at the stated configuration at t = 0, which constraints must fix."""
        return lost_mass(self.algebra, self.mass(0.0, self._stated[0]))

    @cached_property
    def _stated(self) -> tuple[Array, Array]:
        """The stated configuration and velocity at t = 0."""
        stated = self._system.stated_state()
        q, v = stated.q.copy(), stated.v.copy()
        self.prescribe(0.0, q, v)
        return self.with_start_angles(0.0, q), v

    @property
    def massless(self) -> Indices:
        """Velocity components that M does not determine, but constraints may."""
        is_regular = not self.layout.rows or self._system.ordinary_start is not None
        return np.zeros(0, dtype=np.intp) if is_regular else self.lost_mass.components

    @property
    def mass_is_regular(self) -> bool:
        """Whether M can be solved with alone; otherwise the saddle point matrix is eliminated as a whole."""
        return len(self.massless) == 0

    @property
    def takes_redundant_rows(self) -> bool:
        """Whether rows may depend on each other, so that multipliers are those of minimal norm."""
        return bool(self.layout.rows) and self._system.redundant == MINIMAL_NORM

    @cached_property
    def saddle_algebra(self) -> SaddleAlgebra | None:
        """What eliminates the saddle point matrix as a whole; None where M and its complement are solved with."""
        if self.mass_is_regular and not self.takes_redundant_rows:
            return instead_of_complement(self.layout, self.algebra)
        massless = self.massless
        if not self.takes_redundant_rows:
            return SaddleAlgebra(self.layout, massless)
        probes, jacobian = 0, self.jacobian(0.0, *self._stated)
        while True:
            # More than there are, so that a rank that falls is seen.
            probes = min(self.layout.rows, 2 * probes + FURTHER_PROBES)
            found = SaddleAlgebra(self.layout, massless, probes).dependent_rows(jacobian).count
            if found + FURTHER_PROBES <= probes or probes == self.layout.rows:
                return SaddleAlgebra(self.layout, massless, min(self.layout.rows, found + FURTHER_PROBES))

    @cached_property
    def solver(self) -> Algebra:
        """What solves with M and with the saddle point matrix."""
        return self.saddle_algebra or self.algebra

    @property
    def algebra_header(self) -> str:
        """The C header that does the same."""
        return "saddle_algebra.h" if self.saddle_algebra else self.layout.algebra_header

    @cached_property
    def observer(self) -> Kernels:
        """The kernels that find accelerations and multipliers of many states."""
        if self.saddle_algebra is None:
            return self.kernels
        return NumpyKernels(self.layout, self._system.files[f"{self.layout.name}.py"], self.solver)

    def dependent_rows(self, jacobian: Array) -> DependentRows | None:
        """Rows of B that depend on each other, where they may."""
        return (
            self.saddle_algebra.dependent_rows(jacobian) if self.saddle_algebra and self.takes_redundant_rows else None
        )

    def mass(self, t: float, q: Array) -> Array:
        """Stored values of M; `symlie.runtime.linear.schur` says where each belongs."""
        return self.kernels.mass(self.p, t, q)

    def force(self, t: float, q: Array, v: Array) -> Array:
        """g, shape (dimension,)."""
        return self.kernels.force(self.p, t, q, v)

    def inverse_dynamics(self, t: float, q: Array, v: Array, a: Array) -> Array:
        """M a + g, shape (dimension,)."""
        if self.layout.has_inverse_dynamics:
            return self.kernels.inverse_dynamics(self.p, t, q, v, a)
        return self.force(t, q, v) + self.algebra.apply_mass(self.mass(t, q), a)

    def constraint(self, t: float, q: Array) -> Array:
        """Φ, shape (rows,)."""
        return self.kernels.constraint(self.p, t, q)

    def jacobian(self, t: float, q: Array, v: Array) -> Array:
        """Stored values of B, which depends on v in nonholonomic constraints that are nonlinear in v alone."""
        return self.kernels.jacobian(self.p, t, q, v)

    def hidden_residual(
        self, t: float, q: Array, v: Array, jacobian: Array | None = None, about: Array | None = None
    ) -> Array:
        """B v + b, shape (rows,); zero for rows that restrict accelerations alone.

        Parameters
        ----------
        t, q, v
            The state.
        jacobian
            B there, if it is known.
        about
            The velocity about which constraints that are nonlinear in v are linearised; default: v.
        """
        about = v if about is None else about
        B = self.jacobian(t, q, about) if jacobian is None else jacobian
        moving = self.algebra.multiply(B, v) + self.kernels.constraint_rate(self.p, t, q, about)
        return np.asarray(moving * self.layout.of_velocities)

    def index1(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """v' and λ of [M Bᵀ; B 0][v'; λ] = [-g; -Z]; without constraints λ is empty."""
        kernels, algebra, p = self.kernels, self.algebra, self.p
        jacobian, curvature = self.jacobian(t, q, v), kernels.curvature(p, t, q, v)
        prescribed = kernels.prescribed_acceleration(p, t)
        mass, force = self.mass(t, q), -self.force(t, q, v)
        if not len(curvature):
            return self.solver.solve_mass(mass, force) + prescribed, np.zeros(0)
        right = -curvature - algebra.multiply(jacobian, prescribed)
        acceleration, multipliers = self.solver.solve_saddle(mass, jacobian, jacobian, force, right)
        return acceleration + prescribed, multipliers

    def saddle(
        self, mass: Array, right: Array, left: Array, r: Array, c: Array, dependent: DependentRows | None = None
    ) -> tuple[Array, Array]:
        """x and μ of [M Bᵀ; B' 0][x; μ] = [r; c] with B to the right and B' to the left below, as stored values.

        Parameters
        ----------
        mass, right, left, r, c
            The system.
        dependent
            Rows to be set aside; default: those of B.
        """
        if self.saddle_algebra is not None:
            return self.saddle_algebra.solve_saddle(mass, right, left, r, c, dependent)
        return self.algebra.solve_saddle(mass, right, left, r, c)

    def along_constraints(self, t: float, q: Array, jacobian: Array, c: Array) -> Array:
        """x = M⁻¹Bᵀμ with B x = c: of all x with B x = c the smallest in the metric M."""
        return self.saddle(self.mass(t, q), jacobian, jacobian, np.zeros(self.layout.dimension), c)[0]

    def prescribe(self, t: float, q: Array, v: Array) -> None:
        """Overwrite configuration and velocity of prescribed nodes."""
        self.kernels.prescribe(self.p, t, q, v)

    def with_start_angles(self, t: float, q: Array) -> Array:
        """A configuration with its angles over turns next to where they are to begin."""
        return with_start_angles(self.kernels, self.layout, self.p, t, q)

    def with_angles(self, t: float, q: Array) -> Array:
        """A configuration with its angles over turns, next to those that stand there."""
        return with_angles(self.kernels, self.layout, self.p, t, q)

    def field(self, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array) -> Array:
        """Rate of the configuration: v, or the fields of nodes that have no velocity."""
        return self.kernels.field(self.p, t, q, acceleration, multipliers, v)

    def coordinate_rate(self, q: Array, v: Array) -> Array:
        """Rates of local coordinates at q along velocities v, of nodes that have these."""
        return self.kernels.coordinate_rate(q, v) if self.layout.has_coordinate_rates else v

    def rate(self, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array) -> Array:
        """Rates of local coordinates: velocities, fields of nodes that have none, ρ' where ρ is stepped."""
        return self.coordinate_rate(q, self.field(t, q, v, acceleration, multipliers))

    def moved(self, q: Array, delta: Array) -> Array:
        """q∘exp(δ), to first order where steps are taken in stored coordinates."""
        return self.kernels.advance(q, self.coordinate_rate(q, delta))

    def apart(self, q: Array, other: Array) -> Array:
        """log(q⁻¹∘other), to first order where steps are taken in stored coordinates; shape (dimension,)."""
        difference = self.kernels.difference(q, other)
        if not self.layout.has_coordinate_rates:
            return difference
        rates = np.array([self.kernels.coordinate_rate(q, unit) for unit in np.eye(len(difference))])
        return np.linalg.solve(rates.T, difference)

    def energy(self, t: float, q: Array, v: Array) -> Array:
        """Kinetic and potential energy, in J."""
        return self.kernels.energy(self.p, t, q, v)

    def events(self, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        """Event functions, shape (events,)."""
        return self.kernels.events(self.p, t, q, v, multipliers)
