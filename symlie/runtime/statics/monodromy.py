"""Motions that are periodic up to a symmetry: derivative of the flow over one period, and Floquet multipliers.

As in `symlie.runtime.statics.linearization`, η is the variation of the configuration and w the variation of the
velocity, both in the axes p of bodies with q = p∘exp(t ζ). On the constraints η = E x, w = S y + G x with z = (x, y),
and the monodromy matrix maps z to z after one period. A symmetry from the left does not appear in trivialised
variations; a symmetry from the right is the rotation exp(T ζ).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import ModelError, PeriodicMotionError
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.flow import Flow, flow_along
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.spectrum import Complex
from symlie.runtime.solution.start import Start
from symlie.runtime.statics.first_order import independent_coordinates, no_mass
from symlie.runtime.statics.linearization import checked_vector
from symlie.runtime.statics.residual import Statics
from symlie.runtime.statics.steady_motion import (
    LETTERS,
    POWERS,
    bracket_matrix,
    check_linearisable,
    exponential,
    spin_of,
)
from symlie.runtime.system.solvability import check_rows
from symlie.utilities.number_checks import is_number, is_whole_number
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symlie.runtime.methods.chosen import MethodLike
    from symlie.runtime.system.system import System

COMES_BACK = 1e-4
"""Relative change of velocity and matrices over a period above which a motion does not count as periodic."""


@dataclass(frozen=True, eq=False, repr=False)
class Monodromy(Brief):
    """Derivative of the flow of a periodic motion over one period, from `System.monodromy`.

    The variations of the configuration, η, and of the velocity, w, follow from independent coordinates z, as in
    `FirstOrder`.
    """

    multipliers: Complex
    """Floquet multipliers μ, eigenvalues of ``matrix``, dimensionless, shape (states,): in descending order of moduli,
    in conjugate pairs with Im μ > 0 first."""
    matrix: Array
    """Monodromy matrix, which maps z to z after one period, shape (states, states)."""
    period: float
    """T, in s."""
    steps: int
    """Number of steps."""
    mismatch: float
    """Largest relative change of velocity and matrices over the period, due to errors of the orbit and of the steps."""
    system: System
    """The system."""
    variation: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """Matrix that maps z to η, shape (dimension, states)."""
    velocity: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """Matrix that maps z to w, shape (dimension, states)."""

    @property
    def exponents(self) -> Complex:
        """Floquet exponents log(μ)/T, in 1/s, shape (states,), with imaginary parts from -π/T to π/T; -inf if μ = 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.multipliers) / self.period)

    def variations(self, z: Array) -> tuple[Array, Array]:
        """Return the variations η and w of independent coordinates.

        Parameters
        ----------
        z
            Independent coordinates, shape (…, states).

        Returns
        -------
        tuple of Array
            η and w, shape (…, dimension) each.
        """
        return np.asarray(z) @ self.variation.T, np.asarray(z) @ self.velocity.T


@dataclass(frozen=True, eq=False)
class OverPeriod:
    """Flow of a motion over one period, along independent coordinates z = (x, y) of its variations.

    Attributes
    ----------
    begin
        Velocity and matrices at the start.
    e, s, g
        η = E x and w = S y + G x on the free components.
    variation, velocity
        The same for all components, shape (dimension, states).
    flow
        The run with the variations of its end.
    """

    begin: _Instant
    e: Array
    s: Array
    g: Array
    variation: Array
    velocity: Array
    flow: Flow

    def coordinates(self, configuration: Array, velocity: Array) -> Array:
        """Return z of variations on the free components, shape (free components, columns)."""
        x = self.e.T @ configuration
        return np.vstack([x, self.s.T @ (velocity - self.g @ x)])


def over_period(
    system: System, period: float, q: Array, v: Array, t: float, steps: int, method: MethodLike
) -> OverPeriod:
    """Return the flow of a motion; raise ModelError for wrong arguments and systems whose variations are not
    derived."""
    layout = system.layout
    check_linearisable(layout)
    if layout.has_nonlinear_rows:
        raise ModelError(
            f"'{layout.name}' has constraints that are nonlinear in the velocities, whose variations are not "
            "derived; compare motions from neighbouring initial conditions instead."
        )
    if layout.changes_state:
        raise ModelError(
            f"Events change the state or the constraints of '{layout.name}', which variations do not include; compare "
            "motions from neighbouring initial conditions instead."
        )
    if not (is_number(period) and np.isfinite(period) and period > 0):
        raise ModelError(f"The period must be a positive number of seconds, not {period!r}.")
    if not (is_whole_number(steps) and steps >= 1):
        raise ModelError(f"The number of steps must be a positive whole number, not {steps!r}.")
    _check_state(system, t, q, v)
    free = np.flatnonzero(layout.free)
    if layout.rows:
        check_rows(system.algebra, system.mechanics.jacobian(t, q, v), "or free a node")
    try:
        known = system.mechanics.index1(t, q, v)
    except np.linalg.LinAlgError:
        raise no_mass(layout.name) from None
    begin = _Instant(system, t, q, v, *known, np.eye(len(free)))
    e, s, g, _ = independent_coordinates(system, begin.mass, begin.jacobian, begin.hidden)
    variation, velocity = (np.zeros((layout.dimension, e.shape[1] + s.shape[1])) for _ in range(2))
    variation[free, : e.shape[1]] = e
    velocity[free] = np.hstack([g, s])
    start = Start(q, v, known[1], np.zeros(layout.carried_size), acceleration=known[0])
    options = RunOptions(method=method, h=period / steps)
    flow = flow_along(system, (t, t + period), start, options, (variation, velocity))
    return OverPeriod(begin, e, s, g, variation, velocity, flow)


def state_of_motion(system: System, q: Array | None, v: Array | None, t: float) -> tuple[Array, Array]:
    """Return a stated state, or the initial state; raise ModelError if only a part is stated or has a wrong shape."""
    if (q is None) != (v is None):
        raise ModelError(
            "The initial condition of a motion is a configuration and a velocity; give q and v, or neither."
        )
    if q is None or v is None:
        state = system.initial_state if t == 0 else system.consistent_state(t)
        q, v = state.q, state.v
    layout = system.layout
    return checked_vector("q", q, layout.storage), checked_vector("v", v, layout.dimension)


def monodromy(
    system: System,
    period: float,
    q: Array | None,
    v: Array | None,
    t: float,
    steps: int,
    method: MethodLike,
    frame: Mapping[str, ArrayLike],
) -> Monodromy:
    """See `symlie.runtime.system.system.System.monodromy`."""
    layout = system.layout
    q, v = state_of_motion(system, q, v, t)
    ad = bracket_matrix(system, spin_of(layout, frame))
    free = np.flatnonzero(layout.free)
    found = over_period(system, period, q, v, t, steps, method)
    run, fastest = found.flow.solution, np.abs(found.flow.solution.v).max(axis=0)
    # Ad(exp(-T ζ)), from the axes p to body axes.
    to_body = exponential(-period * ad)[free][:, free].toarray()
    last = t + period, run.q[-1], run.v[-1]
    end = _Instant(system, *last, *system.mechanics.index1(*last), to_body)
    admitted = found.variation[free], found.velocity[free]
    size, what = max(found.begin.changes(end, fastest[free], period, admitted))
    if not size <= COMES_BACK:
        raise PeriodicMotionError(
            f"This motion of '{layout.name}' is not periodic after {period:.9g} s: {what}. Give its period with q "
            "and v on it, frame={NODE: ζ} for bodies that spin about an axis of symmetry, or more steps."
        )
    turned = np.linalg.inv(to_body)
    matrix = found.coordinates(turned @ found.flow.configuration[free], turned @ found.flow.velocity[free])
    multipliers = _ordered(np.linalg.eigvals(matrix).astype(complex))
    return Monodromy(multipliers, matrix, float(period), int(steps), size, system, found.variation, found.velocity)


def _check_state(system: System, t: float, q: Array, v: Array) -> None:
    """Raise ModelError unless a state satisfies the constraints within the tolerance of periodicity."""
    layout, m = system.layout, system.mechanics
    if not layout.rows:
        return
    stored = m.jacobian(t, q, v)
    reach = np.abs(system.algebra.sparse_jacobian(stored).toarray())
    for values, sizes, what in (
        (m.constraint(t, q), reach.sum(axis=1), "Φ"),
        (m.hidden_residual(t, q, v, stored), reach.sum(axis=1) + reach @ np.abs(v), "B v + b"),
    ):
        k = int(np.argmax(np.abs(values) / (sizes + np.finfo(float).tiny)))
        if not abs(values[k]) <= COMES_BACK * sizes[k]:
            raise ModelError(
                f"The state of '{layout.name}' violates the constraints: {what} = {values[k]:.3g} in "
                f"{layout.row_name(k)}; give a state of its motion."
            )


def _ordered(values: Complex) -> Complex:
    """Return values in descending order of moduli; in a conjugate pair, the value with positive imaginary part comes
    first."""
    sizes = np.round(np.abs(values), 12)
    return values[np.lexsort((-values.imag, -values.real, -sizes))]


class _Instant:
    """Velocity and matrices at one time of a motion, in the axes p, on the free components."""

    def __init__(
        self, system: System, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array, to_body: Array
    ) -> None:
        statics = Statics(system, t, np.ones(system.layout.rows, dtype=bool), v, acceleration)
        stiffness, damping, hidden = (m.toarray() for m in statics.newton_matrices(q, multipliers))
        jacobian, self._layout, self._free = statics.jacobian(q).toarray(), system.layout, statics.free
        self.v = np.linalg.solve(to_body, v[statics.free])
        self.mass, self.damping, self.stiffness = (
            to_body.T @ m @ to_body for m in (statics.mass(q).toarray(), damping, stiffness)
        )
        self.jacobian, self.hidden = jacobian @ to_body, hidden @ to_body
        self._metric = np.sqrt(statics.metric(q).diagonal())

    def changes(
        self, later: _Instant, fastest: Array, period: float, admitted: tuple[Array, Array]
    ) -> list[tuple[float, str]]:
        """Return relative changes of the velocity, of matrices and of admissible variations (η and w by column), with
        descriptions."""
        d, layout, tiny = self._metric, self._layout, np.finfo(float).tiny
        names = [layout.velocity_name(int(k)) for k in self._free]
        moved = d * np.abs(later.v - self.v) / ((d * fastest).max(initial=0) + tiny)
        k = int(np.argmax(moved))
        found = [(float(moved[k]), f"v of {names[k]} goes from {self.v[k]:.6g} to {later.v[k]:.6g}")]
        matrices = ("mass", "damping", "stiffness")
        sizes = {n: float(np.abs(getattr(self, n) / d[:, None] / d).max(initial=0)) for n in matrices}
        rate = max(sizes["damping"], sizes["stiffness"] ** 0.5, 1 / period)
        for n in matrices:
            first, second = (getattr(at, n) for at in (self, later))
            change = np.abs(second - first) / d[:, None] / d
            i, j = (int(x) for x in np.unravel_index(int(np.argmax(change)), change.shape))
            text = f"{LETTERS[n]} at {names[i]} and {names[j]} goes from {first[i, j]:.6g} to {second[i, j]:.6g}"
            found.append((float(change[i, j] / max(sizes[n], rate ** POWERS[n])), text))
        if layout.rows:
            # Compare admissible variations, because the constraint equations may rotate with the motion.
            (eta, w), zero = admitted, np.flatnonzero(layout.holonomic)
            lengths = [np.linalg.norm(d[:, None] * part, axis=0).max(initial=0) for part in (eta, w)]
            by_q, by_v = (np.linalg.norm(m / d, axis=1) for m in (later.hidden, later.jacobian))
            for what, rows, left, size in (
                ("Φ", zero, later.jacobian[zero] @ eta, by_v[zero] * lengths[0]),
                (
                    "B v + b",
                    np.arange(layout.rows),
                    later.hidden @ eta + later.jacobian @ w,
                    by_q * lengths[0] + by_v * lengths[1],
                ),
            ):
                off = np.abs(left).max(axis=1, initial=0) / (size + tiny)
                k = int(np.argmax(off)) if len(off) else 0
                found += [(float(off[k]), f"{what} in {layout.row_name(int(rows[k]))} admits other variations")] * bool(
                    len(off)
                )
        return found
