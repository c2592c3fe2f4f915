"""Static equilibria g(t, q, 0) + Bᵀ λ = 0, Φ(t, q) = 0 by damped Newton iterations on the group.

    [ K + σD  Bᵀ ] [δ ]     [ g + Bᵀλ ]
    [ B       0  ] [Δλ] = - [ Φ       ],     q ← q∘exp(δ),  λ ← λ + Δλ

σ = 0 is Newton's method; σ > 0 is a step 1/σ of the implicit Euler method along the overdamped motion D q' = -g - Bᵀλ.
After a step simplified corrections, with the same matrix, lead back to the constraints. It is taken if its linear model
holds: the simplified correction of the forces is at most half as long as the step (natural monotonicity test),
no matter in which units forces and multipliers are. Steps that climb are refused, so that the iteration falls as the
system would. Source: [Deuflhard2004], section 3.3.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from symlie.errors import EquilibriumError, InconsistentInitialValuesError, ModelError
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.statics.initial_assembly import closed
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.solvability import check_rows
from symlie.showing import brief, line

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

MOST_ITERATIONS = 200
"""Accepted steps of each load step; slender rods take some dozens, mechanisms five."""

LARGEST_ROTATION = 1.0
"""Rotation of one step, in rad; far from 2π, where log ends."""

FIRST_MOVE = 0.1
"""Largest component, in rad or m, of the first step after Newton's was refused."""

MOST_CLOSINGS, CLOSED = 6, 1e-2
"""Simplified corrections that bring a step back to the constraints, and their size relative to the step that is little
enough."""

SMALL_SHIFT, LEAST_SHIFT, LOST_SHIFT, MOST_SHIFT = 1e-4, 1e-9, 1e-12, 1e12
"""Sizes of σ relative to the first one: from which on Newton's method is tried again; at which a search may end where
Newton's method fails, because a motion meets no stiffness; least; and largest."""


class Equilibrium(NamedTuple):
    """A configuration at rest."""

    q: Array
    """Configuration, shape (storage,)."""
    multipliers: Array
    """λ, shape (rows,); zero for nonholonomic rows."""
    iterations: int
    """Steps that were taken."""

    def __repr__(self) -> str:
        return line("Equilibrium", [f"{name}={brief(value)}" for name, value in self._asdict().items()])


def static_equilibrium(
    system: System, t: float = 0.0, *, tolerance: float = 1e-9, load_steps: int = 1, stable: bool = True
) -> Equilibrium:
    """See `symlie.runtime.system.system.System.static_equilibrium`."""
    if not (isinstance(load_steps, int | np.integer) and load_steps >= 1):
        raise ModelError(f"load_steps must be a positive whole number, not {load_steps!r}.")
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise ModelError(f"The tolerance of an equilibrium must be positive, not {tolerance!r}.")
    if not np.isfinite(t):
        raise ModelError(f"The time of an equilibrium must be finite, not {t!r}.")
    search = _Search(system, t, tolerance, stable)
    for k in range(load_steps):
        search.release(1 - (k + 1) / load_steps)
    return Equilibrium(search.q, search.statics.all_multipliers(search.multipliers), search.iterations)


class _Search:
    """Newton's method with a shift σ that is as small as the linear model allows."""

    def __init__(self, system: System, t: float, tolerance: float, stable: bool) -> None:
        self.statics = statics = Statics(system, t)
        self.tolerance, self.stable, self.iterations = tolerance, stable, 0
        self.q = statics.prescribed(system.stated_state().q)
        with contextlib.suppress(InconsistentInitialValuesError):
            self.q, _ = closed(statics, self.q)
        try:
            acceleration, self.multipliers = statics.balanced_multipliers(self.q)
        except np.linalg.LinAlgError:
            check_rows(system.algebra, statics.mechanics.jacobian(statics.t, self.q), "or free a node")
            raise EquilibriumError(
                f"The search for an equilibrium of '{system.name}' can not start: its constraints are singular at the "
                "initial configuration; start elsewhere."
            ) from None
        self.first_shift = max(float(np.abs(acceleration).max(initial=0)) / FIRST_MOVE, np.finfo(float).tiny)
        self.start = statics.force(self.q, self.multipliers), statics.constraint(self.q)

    def residual(self, q: Array, multipliers: Array, held: float) -> tuple[Array, Array]:
        """Forces out of balance and Φ, less the part of those at the start that is still held."""
        force, constraint = self.statics.force(q, multipliers), self.statics.constraint(q)
        return force - held * self.start[0], constraint - held * self.start[1]

    def release(self, held: float) -> None:
        """Find the equilibrium at which a part of the initial residual is held."""
        shift = self.first_shift
        tries_newton = True
        for _ in range(MOST_ITERATIONS):
            stiffness, *_ = self.statics.newton_matrices(self.q, self.multipliers)
            metric, jacobian = self.statics.metric(self.q), self.statics.jacobian(self.q)
            force, constraint = self.residual(self.q, self.multipliers, held)
            if not (np.all(np.isfinite(force)) and np.all(np.isfinite(stiffness.data))):
                break
            tried = 0.0 if tries_newton else shift
            while True:
                taken = self._step((stiffness, metric, jacobian), tried, force, constraint, held)
                if taken:
                    break
                tried = shift if tried == 0 else 4 * tried
                if tried > MOST_SHIFT * self.first_shift:
                    self._fail(held)
            self.iterations += 1
            largest, contraction = taken
            if largest <= self.tolerance and tried <= LEAST_SHIFT * self.first_shift:
                return
            if tried > 0:
                shift = max(tried / 10, LOST_SHIFT * self.first_shift) if contraction < 0.1 else tried
            tries_newton = tried == 0 or shift < SMALL_SHIFT * self.first_shift
        self._fail(held)

    def _step(
        self, matrices: tuple[Sparse, Sparse, Sparse], shift: float, force: Array, constraint: Array, held: float
    ) -> tuple[float, float] | None:
        """Take a step if its linear model holds; its largest component and the contraction."""
        statics = self.statics
        stiffness, metric, jacobian = matrices
        try:
            factors = SaddlePoint(stiffness + shift * metric, jacobian)
        except np.linalg.LinAlgError:
            return None
        along, change = factors.solve(-force, np.zeros_like(constraint))
        across, more = factors.solve(np.zeros_like(force), -constraint)
        step = along + across
        if not np.all(np.isfinite(step)):
            return None
        largest = float(np.abs(step).max(initial=0))
        small = largest <= self.tolerance
        if statics.turned(self.q, step) > LARGEST_ROTATION:
            return None
        if self.stable and not small and float(along @ force) > 0:
            return None
        # What returns to the constraints against the shift is no force of the system.
        multipliers = self.multipliers + change + (0 if shift else more)
        q = self._closed(factors, statics.moved(self.q, step), largest, held)
        if q is None:
            return None
        after = self.residual(q, multipliers, held)
        correction, _ = factors.solve(-after[0] - shift * (metric @ along), -after[1])
        length = float(np.linalg.norm(step))
        contraction = float(np.linalg.norm(correction)) / length if length > 0 else 0.0
        if not small and not contraction <= 0.5:
            return None
        self.q, self.multipliers = q, multipliers
        return largest, contraction

    def _closed(self, factors: SaddlePoint, q: Array, largest: float, held: float) -> Array | None:
        """A configuration back on the constraints after a step; None if simplified corrections do not lead there."""
        nothing = np.zeros(len(self.statics.free))
        size = largest
        for _ in range(MOST_CLOSINGS if len(self.statics.rows) else 0):
            closing, _ = factors.solve(nothing, -self.residual(q, self.multipliers, held)[1])
            longest = float(np.abs(closing).max(initial=0))
            if longest <= max(CLOSED * largest, self.tolerance):
                break
            if not longest <= size / 2:
                return None
            q, size = self.statics.moved(q, closing), longest
        return q

    def _fail(self, held: float) -> None:
        layout = self.statics.system.layout
        force, constraint = self.residual(self.q, self.multipliers, held)
        worst = int(np.argmax(np.abs(force)))
        where = layout.velocity_name(int(self.statics.free[worst]))
        violated = ""
        if len(constraint):
            row = int(np.argmax(np.abs(constraint)))
            violated = f", Φ = {constraint[row]:.3g} in {layout.row_name(int(self.statics.rows[row]))}"
        raise EquilibriumError(
            f"No static equilibrium of '{layout.name}' was found in {self.iterations} iterations: a force of "
            f"{force[worst]:.3g} is out of balance at {where}{violated}; start nearer to it, take more load_steps, or "
            "check that the system can rest under these loads.",
            float(np.abs(force).max(initial=0)),
        )
