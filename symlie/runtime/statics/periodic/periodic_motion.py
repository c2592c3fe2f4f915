"""`periodic_motion`: states from which a motion returns to itself, by shooting on the group.

    F(z, T) = z(q₀⁻¹∘q_T, v_T - v₀) = 0,   δ log(q₀⁻¹∘q_T) = T⁻¹(θ) (δq_T - δq₀) + [θ, δq₀]  (1)
    ż₀ᵀ δz = 0  (2)

z are independent coordinates of variations, as for `monodromy`, which also provides the derivatives of q_T and v_T.
(2), the phase condition, applies to motions without excitation, whose period T is unknown. It is satisfied exactly, as
are outputs with held values. Newton's method is damped in proportion to F, so that it converges quadratically also to
one of several neighbouring solutions: conservative systems have families of periodic motions, and symmetries map a
motion to others. Lengths are relative to the sizes of the components along the motion, and velocities to
these sizes per period. Source: [Deuflhard2004], section 7.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.sets import SETS
from symlie.errors import ModelError, PeriodicMotionError
from symlie.runtime.integrate.sensitivities.sensitivity import output_names_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.least_change import LeastChange
from symlie.runtime.solution.solution import Solution
from symlie.runtime.statics.assembly.configurations import closed
from symlie.runtime.statics.first_order import null_space
from symlie.runtime.statics.monodromy import Monodromy, OverPeriod, over_period, state_of_motion
from symlie.runtime.statics.residual import Statics
from symlie.runtime.statics.steady_motion import bracket_matrix
from symlie.runtime.system.system import System
from symlie.utilities.number_checks import is_whole_number
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.methods.chosen import MethodLike

LOST = 1e-6
"""Singular value, relative to the largest one, below which a change has no effect: a motion to another one of a
family."""

ACCURATE = 0.25
"""Difference between the distances found and expected after a step, relative to that before it, below which the damping
decreases."""

CLOSES = 1e-6
"""Largest distance of the end from the start, relative to the sizes of the components; errors of the steps keep motions
of conservative systems from closing exactly."""


@dataclass(frozen=True, eq=False, repr=False)
class PeriodicMotion(Brief):
    """Periodic motion, from `periodic_motion`.

    Attributes
    ----------
    system
        The system.
    period
        T, in s.
    t
        Time of the state, in s.
    q, v
        State on the motion, shape (storage,) and (dimension,).
    solution
        Run over one period.
    distance
        Distance of its end from its start, relative to the sizes of the components.
    iterations
        Number of steps of Newton's method.
    steps, method
        Number of equal steps, and their method.
    """

    system: System
    period: float
    t: float
    q: Array
    v: Array
    solution: Solution
    distance: float
    iterations: int
    steps: int
    method: MethodLike

    @cached_property
    def monodromy(self) -> Monodromy:
        """Monodromy matrix with the Floquet multipliers, of the same steps."""
        return self.system.monodromy(self.period, self.q, self.v, self.t, steps=self.steps, method=self.method)


def periodic_motion(
    system: System,
    period: float,
    q: Array | None = None,
    v: Array | None = None,
    *,
    t: float = 0.0,
    forced: bool = False,
    hold: str | Sequence[str] = (),
    steps: int = 128,
    method: MethodLike = "half_explicit_5",
    tolerance: float = 1e-9,
    max_iterations: int = 50,
) -> PeriodicMotion:
    """Find a periodic motion near a state by shooting, with exact derivatives of the steps.

    Conservative systems have a family of periodic motions. Newton's method finds a near one, or the one with the same
    values of the outputs in ``hold``, such as an amplitude. Motions that are periodic up to a symmetry are not found.

    Source: [Deuflhard2004], section 7.3.

    Parameters
    ----------
    system
        The system.
    period
        Period, in s: an estimate, or the period of the excitation.
    q, v
        Estimate of a state on the motion, shape (storage,) and (dimension,): both, or neither for the initial state.
    t
        Time of the state, in s.
    forced
        True: the system depends on the time with this period, which is kept. False: the period is determined.
    hold
        Names of outputs whose values at the state are kept.
    steps
        Number of equal steps.
    method
        Method with fixed steps that `sensitivity` can differentiate.
    tolerance
        Largest last step of Newton's method, relative to the sizes of the components and the period.
    max_iterations
        Largest number of these steps.

    Returns
    -------
    PeriodicMotion
        State, period and Floquet multipliers.

    Raises
    ------
    PeriodicMotionError
        If no periodic motion is found near the state; the message gives the distance.
    ModelError
        If the system depends on the time without ``forced``, is at rest, or an output in ``hold`` does not change, and
        as for `System.monodromy`.
    UnknownNameError
        If an output does not exist.
    EquilibriumError, RedundantConstraintsError, UnsupportedMethodError, IntegrationError
        As for `System.monodromy`.
    """
    if not (is_whole_number(max_iterations) and max_iterations >= 1):
        raise ModelError(f"max_iterations must be a positive whole number, not {max_iterations!r}.")
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise ModelError(f"The tolerance of a periodic motion must be positive, not {tolerance!r}.")
    held = output_names_of(system, hold)
    q, v = state_of_motion(system, q, v, t)
    shooting = _Shooting(system, t, forced, held, steps, method, _outputs(system, t, q, v, held))
    if not forced:
        shooting.check_autonomous(q, v, period)
    factor, last = 1.0, shooting.linear(over_period(system, period, q, v, t, steps, method), period, q, v)
    for iteration in range(1, max_iterations + 1):
        change = last.change(factor)
        q, v, period = shooting.moved(last, last.sizes @ change)
        tried = shooting.linear(over_period(system, period, q, v, t, steps, method), period, q, v)
        if tried.distance <= CLOSES and float(np.linalg.norm(change)) <= tolerance:
            run = tried.found.flow.solution
            return PeriodicMotion(system, float(period), float(t), q, v, run, tried.distance, iteration, steps, method)
        left = tried.distance_by(last) / last.distance_by(last)
        if left < 1 or tried.distance <= CLOSES:
            expected = float(np.linalg.norm(last.defect + last.matrix @ change)) / last.distance
            factor = factor / 5 if left < expected + ACCURATE else factor
            last = tried
        else:
            factor *= 4
    raise PeriodicMotionError(
        f"No periodic motion of '{system.name}' was found in {max_iterations} iterations: after {last.period:.9g} s "
        f"the end is at a relative distance of {last.distance:.3g} from the start; give a state and a period nearer to "
        "it, or more steps."
    )


def _outputs(system: System, t: float, q: Array, v: Array, names: Sequence[str]) -> Array:
    """Return the components of outputs at a state."""
    found = system.outputs(system.state(q, v, t=t), names) if names else {}
    return np.concatenate([np.zeros(0), *(np.ravel(found[name]) for name in names)])


@dataclass(frozen=True, eq=False)
class _Linear:
    """Linear equations of a step of Newton's method: matrix x = -defect in the least-squares sense, rows x = -values.

    Attributes
    ----------
    found, period, q, v
        The motion.
    gap, lengths
        Differences of q and v between the end and the start, and sizes of the components, on the free components.
    matrix, defect, rows, values
        The equations.
    sizes
        Matrix that maps x to changes of z and T.
    """

    found: OverPeriod
    period: float
    q: Array
    v: Array
    gap: tuple[Array, Array]
    lengths: Array
    matrix: Array
    defect: Array
    rows: Array
    values: Array
    sizes: Array

    @property
    def distance(self) -> float:
        """Distance of the end from the start, relative to the sizes of the components."""
        return float(np.linalg.norm(self.defect))

    def distance_by(self, other: _Linear) -> float:
        """Return the distance relative to the sizes along another motion."""
        parts = self.gap[0] / other.lengths, other.period * self.gap[1] / other.lengths
        return float(np.linalg.norm(parts))

    def change(self, factor: float) -> Array:
        """Return x with rows x = -values and the smallest |matrix x + defect|² + d² |x|². With a damping d in
        proportion to the defect, the convergence is quadratic, also to motions of a family."""
        exact = -np.linalg.lstsq(self.rows, self.values, rcond=None)[0]
        free = null_space(self.rows)
        left, sizes, right = np.linalg.svd(self.matrix @ free, full_matrices=False)
        kept = sizes > LOST * sizes.max(initial=0.0)
        damped = np.where(kept, sizes / (sizes**2 + (factor * self.distance) ** 2), 0.0)
        return np.asarray(exact - free @ (right.T @ (damped * (left.T @ (self.defect + self.matrix @ exact)))))


@dataclass(frozen=True, eq=False)
class _Shooting:
    """Newton's method for periodic motions."""

    system: System
    t: float
    forced: bool
    held: Sequence[str]
    steps: int
    method: MethodLike
    wanted: Array

    def check_autonomous(self, q: Array, v: Array, period: float) -> None:
        """Raise ModelError if the equations of motion depend on the time."""
        m = self.system.mechanics
        now, later = (m.index1(t, q, v)[0] for t in (self.t, self.t + period / np.pi))
        if not np.array_equal(now, later):
            raise ModelError(
                f"'{self.system.name}' depends on the time; give the period of its excitation and forced=True."
            )

    def linear(self, found: OverPeriod, period: float, q: Array, v: Array) -> _Linear:
        """Return the linear equations at a motion."""
        system, layout = self.system, self.system.layout
        free, run = np.flatnonzero(layout.free), found.flow.solution
        apart = system.kernels.difference(q, run.q[-1])
        gap = apart[free], (run.v[-1] - v)[free]
        defect = found.coordinates(gap[0][:, None], gap[1][:, None])[:, 0]
        columns = [(found.flow.configuration, found.flow.velocity, found.variation, found.velocity)]
        if not self.forced:
            rates = run.v[-1], system.mechanics.index1(self.t + period, run.q[-1], run.v[-1])[0]
            columns.append((rates[0][:, None], rates[1][:, None], 0 * rates[0][:, None], 0 * rates[1][:, None]))
        ends, end_rates, starts, start_rates = (np.hstack(x) for x in zip(*columns, strict=True))
        moved = np.array([system.kernels.inverse_tangent_operator(apart, dq) for dq in (ends - starts).T]).T
        moved = moved + bracket_matrix(system, apart) @ starts
        slopes = found.coordinates(moved[free], (end_rates - start_rates)[free])
        reached = np.max([np.abs(system.kernels.difference(q, end)) for end in run.q], axis=0)
        lengths = np.maximum(Statics(system, self.t).sizes(q).length, reached[free])
        # R of Q R, so that the norm of R z is relative to the sizes of the components.
        parts = found.variation[free] / lengths[:, None], period * found.velocity[free] / lengths[:, None]
        scale = np.linalg.qr(np.vstack(parts), mode="r")
        sizes = np.eye(slopes.shape[1])
        sizes[: len(scale), : len(scale)] = np.linalg.inv(scale)
        if not self.forced:
            sizes[-1, -1] = period
        rows, values = [np.zeros((0, len(sizes)))], [np.zeros(0)]
        if self.held:
            by_state = self._held_rows(found, q, v) @ sizes[: len(scale)]
            norms = np.linalg.norm(by_state, axis=1)
            if not norms.all():
                raise ModelError(
                    f"An output in hold does not change at this state of '{system.name}': {', '.join(self.held)}; hold "
                    "another output, or start from another state."
                )
            rows.append(by_state / norms[:, None])
            values.append((_outputs(system, self.t, q, v, self.held) - self.wanted) / norms)
        if not self.forced:
            flow = scale @ found.coordinates(v[free, None], system.mechanics.index1(self.t, q, v)[0][free, None])
            speed = np.linalg.norm(flow)
            if not speed:
                raise ModelError(f"'{system.name}' is at rest at this state; start from a state that moves.")
            rows.append(np.append(flow[:, 0] / speed, 0.0)[None])
            values.append(np.zeros(1))
        equations = scale @ slopes @ sizes, scale @ defect, np.vstack(rows), np.concatenate(values)
        return _Linear(found, period, q, v, gap, lengths, *equations, sizes)

    def _held_rows(self, found: OverPeriod, q: Array, v: Array) -> Array:
        """Return the derivatives of the outputs in `hold` by z."""
        system, layout = self.system, self.system.layout
        nothing = np.zeros(layout.dimension), np.zeros(layout.rows)
        matrices = system.sets.matrices("ports")(system.prepared, self.t, q, v, *nothing)
        named = dict(zip([m.name for m in SETS["ports"].matrices], matrices, strict=True))
        rows = np.concatenate([np.arange(layout.outputs_size)[layout.outputs[name][0]] for name in self.held])
        by_q, by_v = (named[f"output_by_{part}"][rows] for part in ("configuration", "velocity"))
        return np.asarray(by_q @ found.variation + by_v @ found.velocity)

    def moved(self, last: _Linear, change: Array) -> tuple[Array, Array, float]:
        """Return the state and the period after a change of (z, T), consistent with the constraints."""
        system, found = self.system, last.found
        z = change[: found.variation.shape[1]]
        statics = Statics(system, self.t)
        near = statics.moved(last.q, (found.variation @ z)[np.flatnonzero(system.layout.free)])
        q, v = self._consistent(near, last.v + found.velocity @ z)
        return q, v, last.period if self.forced else max(last.period + float(change[-1]), last.period / 2)

    def _consistent(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return a state that satisfies the constraints near to a given one."""
        layout = self.system.layout
        q, _ = closed(Statics(self.system, self.t), q)
        if not layout.rows:
            return q, v
        statics, v = Statics(self.system, self.t, np.ones(layout.rows, dtype=bool), v), v.copy()
        change = LeastChange(statics.jacobian(q), statics.kinetic_metric(q))
        v[statics.free] -= change.inverse(statics.velocity_residual(q))
        return q, v
