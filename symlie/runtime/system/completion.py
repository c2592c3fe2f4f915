"""Consistent initial values: v₀ is completed by the hidden constraint, and λ₀ follows from the index-1 system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import NEWTON_STEPS, POSITION_TOLERANCE, SETTLED, VELOCITY_TOLERANCE
from symlie.errors import (
    InconsistentInitialValuesError,
    NotFiniteError,
    RedundantConstraintsError,
    SingularMassMatrixError,
)
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.balances import Balances
from symlie.runtime.system.contacts.starting import open_contacts, with_contacts
from symlie.runtime.system.mechanics import Mechanics
from symlie.runtime.system.solvability import check_solvable, lost_mass
from symlie.runtime.system.state_rates import GivenRates, with_completed_rates
from symlie.runtime.system.velocities import VelocityProblem
from symlie.utilities.showing import Brief


@dataclass(frozen=True, repr=False)
class InitialState(Brief):
    """Consistent initial values, from `System.initial_state` or `System.consistent_state`."""

    q: Array
    """Configuration q₀, shape (storage,)."""
    v: Array
    """Velocity v₀, shape (dimension,)."""
    multipliers: Array
    """λ₀ of the acceleration-level system, shape (constraint equations,)."""
    chosen: tuple[str, ...] = ()
    """Names of nonzero completed velocities that neither specified values nor constraints determine; they minimise the
    kinetic energy of the change."""


@dataclass(frozen=True, eq=False, repr=False)
class StatedState(Brief):
    """Initial values as specified.

    Attributes
    ----------
    q, v
        Configuration and velocity of all nodes; unspecified components of v are guesses.
    given
        Mask of the specified velocity components.
    conditions
        Specified values of outputs that are linear in v, such as rates of joints, with their names for messages.
    rates
        Specified rates of joints that are first-order states, and velocities of their bodies; None without such rates.
    before
        Velocities before a jump, from which v changes as little as possible, and unwrapped angles stay near those in q;
        None at a start.
    """

    q: Array
    v: Array
    given: NDArray[np.bool_]
    conditions: Mapping[str, tuple[Array, str]] = field(default_factory=dict)
    rates: GivenRates | None = None
    before: Array | None = None


def consistent_initial_state(
    mechanics: Mechanics, t: float, stated: StatedState, *, steps_contacts: bool = False
) -> InitialState:
    """Complete and check initial values, with the modes of contacts, or with open contacts if steps contain their
    impacts; see `completed_state`."""
    found = completed_state(mechanics, t, stated)
    if not len(mechanics.layout.contacts):
        return found
    if steps_contacts:
        return replace(found, q=open_contacts(mechanics, t, found.q))
    q, v = with_contacts(mechanics, t, found.q, found.v, is_jump=stated.before is not None)
    return replace(found, q=q, v=v, multipliers=mechanics.index1(t, q, v)[1])


def completed_state(mechanics: Mechanics, t: float, stated: StatedState) -> InitialState:
    """Complete and check initial values; raise InconsistentInitialValuesError if q violates a constraint or v cannot be
    completed, RedundantConstraintsError or SingularMassMatrixError if the accelerations are not determined.
    """
    layout, algebra = mechanics.layout, mechanics.algebra
    given = stated.given | ~layout.free
    balances = Balances(mechanics)
    given[balances.components] = True
    v = np.where(given & layout.free, stated.v, 0.0)
    q = stated.q.copy()
    mechanics.prescribe(t, q, v)
    q = mechanics.with_start_angles(t, q) if stated.before is None else mechanics.with_angles(t, q)
    near = np.where(given, v, stated.v)
    if stated.rates is not None:
        mechanics.prescribe(t, q, near)
        v = np.where(stated.rates.bodies, stated.v, v)
    q = balances.settled(t, q, near)
    balances.check(t, q, near)
    jacobian = mechanics.jacobian(t, q, near)
    _check_linearised(mechanics, jacobian)
    mass = mechanics.mass(t, q)
    lost = mechanics.lost_mass
    there = lost if np.array_equal(mass, lost.mass) else lost_mass(algebra, mass)
    check_solvable(algebra, there, jacobian, takes_redundant_rows=mechanics.takes_redundant_rows)
    if len(there.components) and not len(lost.components):
        raise SingularMassMatrixError(
            f"The mass matrix of '{layout.name}' is singular along {layout.velocity_name(there.along)} at t = {t:g}, "
            "but not at t = 0, by which its linear algebra is chosen; start at another time, or give it mass."
        )
    problem = VelocityProblem(mechanics, t, q, given, stated.conditions, jacobian, mass, near, stated.rates)
    if stated.before is not None:
        return _continued(mechanics, problem, t, q, v, stated.before)
    guess = stated.v if stated.rates is None else near
    if not layout.rows:
        v, chosen = problem.consistent(v, guess)
        return InitialState(q, v, np.zeros(0), chosen)
    residual = mechanics.constraint(t, q)
    residual[layout.is_balance] = 0.0
    if not np.all(np.abs(residual) <= POSITION_TOLERANCE * max(1.0, float(np.abs(q).max()))):
        row = int(np.argmax(np.abs(residual)))
        raise InconsistentInitialValuesError(
            f"The initial configuration of '{layout.name}' violates {layout.row_name(row)}: Φ = {residual[row]:.3g}; "
            "correct the initial values, or let them be assembled: system.assembled() (--assemble)."
        )
    _check_rates(layout, t, mechanics.hidden_residual(t, q, near, jacobian))
    known = v
    v, chosen = problem.consistent(known, guess)
    is_changed = not np.array_equal(v, near)
    is_linearised = layout.has_nonlinear_rows and is_changed
    for _ in range(NEWTON_STEPS if is_linearised else 0):
        # Newton's method: project onto the constraints linearised about the last velocities.
        near = v
        B = mechanics.jacobian(t, q, near)
        problem = VelocityProblem(mechanics, t, q, given, stated.conditions, B, mass, near, stated.rates)
        v, chosen = problem.completed(known)
        if np.abs(v - near).max() <= SETTLED * np.abs(v).max():
            break
    v = balances.with_rates(t, q, v)
    if stated.rates is not None and is_changed:
        q, v = with_completed_rates(mechanics, t, q, v, stated.rates)
    acceleration, multipliers = mechanics.index1(t, q, v)
    _check_accelerations(mechanics, t, q, v, acceleration)
    return InitialState(q, v, multipliers, chosen)


def _check_rates(layout: Layout, t: float, rates: Array) -> None:
    """Raise NotFiniteError if a constraint has no finite time derivative, as √t at zero."""
    if not np.isfinite(rates).all():
        row = int(np.argmin(np.isfinite(rates)))
        raise NotFiniteError(
            f"In '{layout.name}', the time derivative of {layout.row_name(row)} is not finite at t = {t:g}; state the "
            "constraint by a function with finite derivatives."
        )


def _continued(
    mechanics: Mechanics, problem: VelocityProblem, t: float, q: Array, v: Array, before: Array
) -> InitialState:
    """Return the state with the velocities nearest to those before, which satisfies constraints of positions."""
    found = problem.nearest(v, before)
    acceleration, multipliers = mechanics.index1(t, q, found)
    _check_accelerations(mechanics, t, q, found, acceleration)
    return InitialState(q, found, multipliers)


def _check_linearised(mechanics: Mechanics, jacobian: Array) -> None:
    """Raise InconsistentInitialValuesError unless each constraint that is nonlinear in v restricts the initial
    velocities."""
    layout = mechanics.layout
    if not layout.has_nonlinear_rows:
        return
    for part in layout.constraints.values():
        for row in () if part.stated.is_affine else part.rows.ravel().tolist():
            entries = jacobian[mechanics.algebra.jacobian_rows == row]
            if not (np.isfinite(entries).all() and entries.any()):
                raise InconsistentInitialValuesError(
                    f"In '{layout.name}', {layout.row_name(row)} is nonlinear in the velocities, and its "
                    "derivatives with respect to them are zero or not finite at the initial velocities; give "
                    "initial velocities that nearly "
                    "satisfy it."
                )


def _check_accelerations(mechanics: Mechanics, t: float, q: Array, v: Array, acceleration: Array) -> None:
    """Raise RedundantConstraintsError if dependent constraint equations require contradictory accelerations."""
    layout, jacobian = mechanics.layout, mechanics.jacobian(t, q, v)
    dependent = mechanics.dependent_rows(jacobian)
    if dependent is None or not dependent.count:
        return
    curvature = mechanics.kernels.curvature(mechanics.p, t, q, v)
    defect = mechanics.algebra.multiply(jacobian, acceleration) + curvature
    size = mechanics.algebra.multiply(np.abs(jacobian), np.abs(acceleration)) + np.abs(curvature)
    # Nearly dependent equations may differ by the remainder Bᵀy of their combinations y.
    remains = max(np.abs(mechanics.algebra.pull(jacobian, y)).max() for y in dependent.combinations.T)
    row = int(np.argmax(np.abs(defect)))
    if not np.abs(defect[row]) <= (VELOCITY_TOLERANCE + remains) * max(1.0, float(size.max())):
        raise RedundantConstraintsError(
            f"The constraints of '{layout.name}' contradict each other at t = {t:g}: {layout.row_name(row)} requires "
            f"accelerations that differ by {abs(defect[row]):.3g} from other constraint equations; remove one of "
            "these."
        )
