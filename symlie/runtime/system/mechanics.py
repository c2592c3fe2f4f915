"""Equations of motion of a system at its parameters, as functions of time, configuration and velocity.

M(q) v' + g(t, q, v) + B(q)ᵀ λ = 0,   Φ(t, q) = 0,   B v + b = 0,   B v' + Z = 0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, get_args

import numpy as np

from symlie.compile.cache import compiled_library
from symlie.compile.library import Library
from symlie.contract.constants import REACTION_STEPS, SETTLED_REACTION
from symlie.errors import NotConvergedError, RedundantConstraintsError
from symlie.options import Redundant
from symlie.runtime.kernels.c import CKernels
from symlie.runtime.kernels.c_library import observer_files
from symlie.runtime.kernels.c_tables import problem_tables
from symlie.runtime.kernels.numpy import NumpyKernels
from symlie.runtime.kernels.protocol import Kernels
from symlie.runtime.kernels.unwrapped import with_angles, with_start_angles
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.reactions import turn_reactions
from symlie.runtime.linear.dependent_rows import DependentRows
from symlie.runtime.linear.saddle import SaddleAlgebra, instead_of_complement
from symlie.runtime.linear.schur import Algebra
from symlie.runtime.linear.unknowns import Indices
from symlie.runtime.system.contacts.open_rows import OpenRows
from symlie.runtime.system.matrix_tables import saddle_of
from symlie.runtime.system.solvability import LostMass, lost_mass

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

REDUNDANT: tuple[Redundant, ...] = get_args(Redundant)
"""Treatments of redundant constraint equations."""

MINIMAL_NORM = REDUNDANT[1]

FURTHER_PROBES = 3
"""Number of probes for redundant constraint equations in addition to the number of equations that are redundant at the
start."""


class Mechanics:
    """Equations of motion of a system at states (t, q, v); t in s, q shape (storage,), v shape (dimension,).

    Attributes
    ----------
    layout, kernels, algebra, p
        Layout, kernels, algebra and prepared parameters of the system.
    """

    def __init__(self, system: System) -> None:
        self._system = system
        self.layout, self.kernels, self.algebra, self.p = system.layout, system.kernels, system.algebra, system.prepared

    @cached_property
    def lost_mass(self) -> LostMass:
        """Directions without mass at the specified configuration at t = 0, which constraints must fix."""
        return lost_mass(self.algebra, self.mass(0.0, self._stated[0]))

    @cached_property
    def _stated(self) -> tuple[Array, Array]:
        """Specified configuration and velocity at t = 0."""
        stated = self._system.stated_state()
        q, v = stated.q.copy(), stated.v.copy()
        self.prescribe(0.0, q, v)
        return self.with_start_angles(0.0, q), v

    @property
    def massless(self) -> Indices:
        """Velocity components that constraints must determine because M does not."""
        is_regular = not self.layout.rows or self._system.ordinary_start is not None
        return np.zeros(0, dtype=np.intp) if is_regular else self.lost_mass.components

    @property
    def mass_is_regular(self) -> bool:
        """True if M is regular; otherwise the saddle point matrix is factorised as a whole."""
        return len(self.massless) == 0

    @property
    def takes_redundant_rows(self) -> bool:
        """True if constraint equations may be redundant; their multipliers then have minimal norm."""
        return bool(self.layout.rows) and self._system.redundant == MINIMAL_NORM

    @cached_property
    def saddle_algebra(self) -> SaddleAlgebra | None:
        """Algebra that factorises the saddle point matrix as a whole, or None if M and its complement are used."""
        if self.layout.has_activities:
            if self.takes_redundant_rows:
                raise RedundantConstraintsError(
                    f"Events release or engage constraints of '{self.layout.name}', which may not be redundant then; "
                    "remove the redundant equations, and omit redundant='minimal_norm'."
                )
            return SaddleAlgebra(self.layout, self.massless)
        if self.mass_is_regular and not self.takes_redundant_rows:
            return instead_of_complement(self.layout, self.algebra)
        massless = self.massless
        if not self.takes_redundant_rows:
            return SaddleAlgebra(self.layout, massless)
        probes, jacobian = 0, self.jacobian(0.0, *self._stated)
        while True:
            # Use more probes than redundant equations, to detect a further loss of rank.
            probes = min(self.layout.rows, 2 * probes + FURTHER_PROBES)
            found = SaddleAlgebra(self.layout, massless, probes).dependent_rows(jacobian).count
            if found + FURTHER_PROBES <= probes or probes == self.layout.rows:
                return SaddleAlgebra(self.layout, massless, min(self.layout.rows, found + FURTHER_PROBES))

    @cached_property
    def open_rows(self) -> OpenRows:
        """Equations in force while all contacts are open."""
        return OpenRows(self.layout, self.massless)

    @cached_property
    def solver(self) -> Algebra:
        """Algebra that solves with M and with the saddle point matrix."""
        return self.saddle_algebra or self.algebra

    @property
    def algebra_header(self) -> str:
        """C header that corresponds to `solver`."""
        return "saddle_algebra.h" if self.saddle_algebra else self.layout.algebra_header

    @cached_property
    def observer(self) -> Kernels:
        """Kernels that compute accelerations and multipliers of many states, without compilation on first use."""
        if self.saddle_algebra is None:
            return self.kernels
        return NumpyKernels(self.layout, self._system.files[f"{self.layout.name}.py"], self.solver)

    @cached_property
    def evaluator(self) -> Kernels:
        """The same kernels for repeated evaluation, compiled if the system is compiled."""
        if self.saddle_algebra is None or self._system.backend != "c":
            return self.observer
        layout, matrix = self.layout, saddle_of(self.saddle_algebra)
        sources = observer_files(self._system.files, layout.name, matrix.files)
        path, _ = compiled_library(sources, "library.c", self._system.optimize)
        tables = replace(problem_tables(layout), iteration=matrix.packed)
        return CKernels(layout, Library(path, layout.interface_hash), tables)

    def dependent_rows(self, jacobian: Array) -> DependentRows | None:
        """Return the redundancy of B, or None if redundant constraint equations are not admitted."""
        return (
            self.saddle_algebra.dependent_rows(jacobian) if self.saddle_algebra and self.takes_redundant_rows else None
        )

    def mass(self, t: float, q: Array) -> Array:
        """Return the stored values of M; see `symlie.runtime.linear.schur` for their positions."""
        return self.kernels.mass(self.p, t, q)

    def force(self, t: float, q: Array, v: Array) -> Array:
        """Return g, shape (dimension,)."""
        return self.kernels.force(self.p, t, q, v)

    def inverse_dynamics(self, t: float, q: Array, v: Array, a: Array) -> Array:
        """Return M a + g, shape (dimension,)."""
        if self.layout.has_inverse_dynamics:
            return self.kernels.inverse_dynamics(self.p, t, q, v, a)
        return self.force(t, q, v) + self.algebra.apply_mass(self.mass(t, q), a)

    def constraint(self, t: float, q: Array) -> Array:
        """Return Φ, shape (constraints,)."""
        return self.kernels.constraint(self.p, t, q)

    def jacobian(self, t: float, q: Array, v: Array) -> Array:
        """Return the stored values of B, which depends on v only for constraints that are nonlinear in v."""
        return self.kernels.jacobian(self.p, t, q, v)

    def columns(self, t: float, q: Array, v: Array, jacobian: Array) -> Array:
        """Return the stored values of C of the constraint forces -Cᵀλ: B itself unless contacts slide with friction."""
        return self.kernels.columns(self.p, t, q, v) if self.layout.has_friction else jacobian

    def reactions(self, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        """Return the components of all reactions of constraints with friction."""
        if not self.layout.has_reactions:
            return np.zeros(0)
        return self.kernels.reactions(self.p, t, q, v, multipliers)

    def hidden_residual(
        self, t: float, q: Array, v: Array, jacobian: Array | None = None, about: Array | None = None
    ) -> Array:
        """Return B v + b, shape (constraints,), zero for acceleration-level constraints; constraints that are nonlinear
        in v are linearised about the velocity ``about``.
        """
        about = v if about is None else about
        B = self.jacobian(t, q, about) if jacobian is None else jacobian
        moving = self.algebra.multiply(B, v) + self.kernels.constraint_rate(self.p, t, q, about)
        return np.asarray(moving * self.layout.of_velocities)

    def index1(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Return v' and λ of [M Bᵀ; B 0][v'; λ] = [-g; -Z]; without constraints λ is empty."""
        kernels, algebra, p = self.kernels, self.algebra, self.p
        jacobian, curvature = self.jacobian(t, q, v), kernels.curvature(p, t, q, v)
        prescribed = kernels.prescribed_acceleration(p, t)
        mass, force = self.mass(t, q), -self.force(t, q, v)
        if not len(curvature):
            return self.solver.solve_mass(mass, force) + prescribed, np.zeros(0)
        right = -curvature - algebra.multiply(jacobian, prescribed)
        acceleration, multipliers = self.along_reactions(
            t, q, v, jacobian, lambda columns: self.solver.solve_saddle(mass, columns, jacobian, force, right)
        )
        return acceleration + prescribed, multipliers

    def along_reactions(
        self, t: float, q: Array, v: Array, jacobian: Array, solution: Callable[[Array], tuple[Array, Array]]
    ) -> tuple[Array, Array]:
        """Return v' and λ from their solution with the stored values of C, in which friction on the norm of a reaction
        F acts along n·F, with the direction n of F; a Newton iteration finds n."""
        found = solution(self.columns(t, q, v, jacobian))
        if not len(self.layout.turning_reactions):
            return found
        q = q.copy()
        for _ in range(REACTION_STEPS):
            if turn_reactions(self.layout, q, self.reactions(t, q, v, found[1])) <= SETTLED_REACTION:
                return found
            found = solution(self.columns(t, q, v, jacobian))
        raise NotConvergedError(f"Reactions of constraints with friction of '{self.layout.name}' were not found")

    def saddle(
        self, mass: Array, right: Array, left: Array, r: Array, c: Array, dependent: DependentRows | None = None
    ) -> tuple[Array, Array]:
        """Return x and μ of [M Bᵀ; B' 0][x; μ] = [r; c] with the stored values of B (``right``) and B' (``left``);
        ``dependent`` overrides the redundancy found in B.
        """
        if self.saddle_algebra is not None:
            return self.saddle_algebra.solve_saddle(mass, right, left, r, c, dependent)
        return self.algebra.solve_saddle(mass, right, left, r, c)

    def along_constraints(self, t: float, q: Array, jacobian: Array, c: Array) -> Array:
        """Return x = M⁻¹Bᵀμ with B x = c, the smallest such x in the metric M."""
        return self.saddle(self.mass(t, q), jacobian, jacobian, np.zeros(self.layout.dimension), c)[0]

    def prescribe(self, t: float, q: Array, v: Array) -> None:
        """Overwrite configuration and velocity of prescribed nodes."""
        self.kernels.prescribe(self.p, t, q, v)

    def with_start_angles(self, t: float, q: Array) -> Array:
        """Return a configuration with its unwrapped angles nearest to their specified initial values."""
        return with_start_angles(self.kernels, self.layout, self.p, t, q)

    def with_angles(self, t: float, q: Array) -> Array:
        """Return a configuration with its unwrapped angles nearest to those stored in it."""
        return with_angles(self.kernels, self.layout, self.p, t, q)

    def field(self, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array) -> Array:
        """Return the rate of the configuration: v, or y' of first-order states."""
        return self.kernels.field(self.p, t, q, acceleration, multipliers, v)

    def coordinate_rate(self, q: Array, v: Array) -> Array:
        """Return the rates of local coordinates at q for velocities v; v itself for nodes without such coordinates."""
        return self.kernels.coordinate_rate(q, v) if self.layout.has_coordinate_rates else v

    def rate(self, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array) -> Array:
        """Return the rates of local coordinates: velocities, y' of first-order states, and ρ' of stepped rotation
        parameters."""
        return self.coordinate_rate(q, self.field(t, q, v, acceleration, multipliers))

    def moved(self, q: Array, delta: Array) -> Array:
        """Return q∘exp(δ), to first order for nodes that are stepped in stored coordinates."""
        return self.kernels.advance(q, self.coordinate_rate(q, delta))

    def apart(self, q: Array, other: Array) -> Array:
        """Return log(q⁻¹∘other), shape (dimension,), to first order for nodes that are stepped in stored
        coordinates."""
        difference = self.kernels.difference(q, other)
        if not self.layout.has_coordinate_rates:
            return difference
        rates = np.array([self.kernels.coordinate_rate(q, unit) for unit in np.eye(len(difference))])
        return np.linalg.solve(rates.T, difference)

    def energy(self, t: float, q: Array, v: Array) -> Array:
        """Return the kinetic and potential energy, in J."""
        return self.kernels.energy(self.p, t, q, v)

    def events(self, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        """Return the event functions, shape (events,)."""
        return self.kernels.events(self.p, t, q, v, multipliers)

    def resets(self, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        """Return the new values of components of the state at events, in the order of `Layout.changes`."""
        if not any(e.resets for e in self.layout.elements):
            return np.zeros(0)
        return self.kernels.resets(self.p, t, q, v, multipliers)
