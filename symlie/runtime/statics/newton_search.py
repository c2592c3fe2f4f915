"""Damped Newton iterations on the group for static equilibria.

    [ K + σD  Bᵀ ] [δ ]     [ g + Bᵀλ ]
    [ B       0  ] [Δλ] = - [ Φ       ],     q ← q∘exp(δ),  λ ← λ + Δλ

σ = 0 is Newton's method; σ > 0 is a step 1/σ of the implicit Euler method along the overdamped motion D q' = -g - Bᵀλ.
After a step simplified corrections, with the same matrix, lead back to the constraints. A step is taken if its linear
model holds: the simplified correction of the forces is at most half as long as the step (natural monotonicity test). A
step that falls is taken, too, if the work of the forces along it is at least a tenth of that of the model, as in
trust region methods: the number of such steps does not grow with the number of elements. Steps that climb are refused,
so that the iteration falls as the system would. Lengths of steps are relative to sizes of the components, in any units.

Residuals that are round-off, as of free bodies, whose K is singular, are accepted where Newton's method leads no
further. Source: [Deuflhard2004], section 3.3; [Conn2000], chapter 6.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import numpy as np

from symlie.errors import EquilibriumError, InconsistentInitialValuesError
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.statics.initial_assembly import closed
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.solvability import check_rows

LARGEST_ROTATION = 1.0
"""Rotation of one step, in rad; far from 2π, where log ends."""

FIRST_MOVE = 0.1
"""Largest component, relative to its size, of the first step after Newton's was refused."""

MOST_CLOSINGS, CLOSED = 6, 1e-2
"""Simplified corrections that bring a step back to the constraints, and their size relative to the step that is little
enough."""

SMALL_SHIFT, LEAST_SHIFT, LOST_SHIFT, MOST_SHIFT = 1e-4, 1e-9, 1e-12, 1e12
"""Sizes of σ relative to the first one: from which on Newton's method is tried again; at which a search may end where
Newton's method fails, because a motion meets no stiffness; least; and largest."""

SHORT, LONG = 0.1, 0.5
"""Lengths of simplified corrections, relative to the step, below which σ is reduced and above which the linear model
does not hold."""

LEAST_FALL, GOOD_FALL = 0.1, 0.7
"""Work along a step, relative to that of the model, above which it is taken, and above which σ is reduced."""

MOST_ROUNDED = 4
"""Steps from residuals that are round-off."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
"""Of the work along a step, on the interval from -1 to 1."""


class SearchOptions(NamedTuple):
    """What a search is bound to."""

    tolerance: float
    """Largest component of the last Newton correction, relative to its size."""
    stable: bool
    """Whether steps that climb are refused."""
    max_iterations: int
    """Steps of each load step."""


class _Matrices(NamedTuple):
    stiffness: Sparse
    metric: Sparse
    jacobian: Sparse


class _Taken(NamedTuple):
    """Sizes of a step that was taken."""

    largest: float
    is_good: bool
    """Whether σ may become smaller."""


REMEDY = "free a node, or take system.with_redundant('minimal_norm')"


class NewtonSearch:
    """Newton's method with a shift σ that is as small as the model of a step allows.

    Parameters
    ----------
    statics
        The system at a time.
    q
        Configuration that it begins with.
    multipliers
        λ on all rows that it begins with; None: those that balance the forces best.
    options
        Tolerance and limits.

    Raises
    ------
    EquilibriumError
        The constraints are singular at the start.
    RedundantConstraintsError
        Constraint rows depend on each other.
    """

    def __init__(self, statics: Statics, q: Array, multipliers: Array | None, options: SearchOptions) -> None:
        self.statics, self.options, self.iterations = statics, options, 0
        system = statics.system
        self.q = statics.prescribed(q)
        with contextlib.suppress(InconsistentInitialValuesError):
            self.q, _ = closed(statics, self.q)
        self._sizes = statics.sizes(self.q)
        statics.set_aside(self.q)
        try:
            acceleration, balanced = statics.balanced_multipliers(self.q)
        except np.linalg.LinAlgError:
            check_rows(system.algebra, statics.mechanics.jacobian(statics.t, self.q, statics.v), REMEDY)
            raise EquilibriumError(
                f"The search for an equilibrium of '{system.name}' cannot start: its constraints are singular at the "
                "initial configuration; start elsewhere."
            ) from None
        self.multipliers = balanced if multipliers is None else multipliers[statics.rows]
        self.first_shift = max(self._sizes.largest(acceleration) / FIRST_MOVE, np.finfo(float).tiny)
        self._start = statics.force(self.q, self.multipliers), statics.constraint(self.q)

    def residual(self, q: Array, multipliers: Array, held: float) -> tuple[Array, Array]:
        """Forces out of balance and Φ, less the part of those at the start that is still held."""
        force, constraint = self.statics.force(q, multipliers), self.statics.constraint(q)
        return force - held * self._start[0], constraint - held * self._start[1]

    def release(self, held: float) -> None:
        """Find the equilibrium at which a part of the initial residual is held.

        Raises
        ------
        EquilibriumError
            There is none to be found.
        """
        shift, rounded = self.first_shift, 0
        tries_newton = True
        for _ in range(self.options.max_iterations):
            stiffness, *_ = self.statics.newton_matrices(self.q, self.multipliers)
            matrices = _Matrices(stiffness, self.statics.metric(self.q), self.statics.jacobian(self.q))
            force, constraint = self.residual(self.q, self.multipliers, held)
            if not (np.all(np.isfinite(force)) and np.all(np.isfinite(stiffness.data))):
                break
            is_rounding = self.statics.is_rounding(
                self.q, self.multipliers, force, constraint, stiffness, matrices.jacobian
            )
            rounded += is_rounding
            if rounded > MOST_ROUNDED:
                return
            tried = 0.0 if tries_newton or is_rounding else shift
            while (taken := self._step(matrices, tried, force, constraint, held)) is None:
                if is_rounding:
                    return
                tried = shift if tried == 0 else 4 * tried
                if tried > MOST_SHIFT * self.first_shift:
                    raise self._failed(held)
            self.iterations += 1
            if taken.largest <= self.options.tolerance and tried <= LEAST_SHIFT * self.first_shift:
                return
            if tried > 0:
                shift = max(tried / 10, LOST_SHIFT * self.first_shift) if taken.is_good else tried
            tries_newton = tried == 0 or shift < SMALL_SHIFT * self.first_shift
        raise self._failed(held)

    def _step(self, matrices: _Matrices, shift: float, force: Array, constraint: Array, held: float) -> _Taken | None:
        """Take a step if its model holds."""
        statics, stable = self.statics, self.options.stable
        try:
            factors = SaddlePoint(matrices.stiffness + shift * matrices.metric, matrices.jacobian)
        except np.linalg.LinAlgError:
            return None
        along, change = factors.solve(-force, np.zeros_like(constraint))
        across, more = factors.solve(np.zeros_like(force), -constraint)
        step = along + across
        if not np.all(np.isfinite(step)):
            return None
        largest = self._sizes.largest(step)
        small = largest <= self.options.tolerance
        if statics.turned(self.q, step) > LARGEST_ROTATION:
            return None
        if stable and not small and float(along @ force) > 0:
            return None
        # What returns to the constraints against the shift is no force of the system.
        multipliers = self.multipliers + change + (0 if shift else more)
        moves = [step]
        q = self._closed(factors, statics.moved(self.q, step), largest, held, moves)
        if q is None:
            return None
        after = self.residual(q, multipliers, held)
        correction, _ = factors.solve(-after[0] - shift * (matrices.metric @ along), -after[1])
        length = self._sizes.norm(step)
        contraction = self._sizes.norm(correction) / length if length > 0 else 0.0
        is_good = contraction < SHORT
        if not is_good and not small:
            fall = self._fall(matrices.stiffness, moves, force, held) if stable else 0.0
            if not (contraction <= LONG or fall > LEAST_FALL):
                return None
            is_good = fall > GOOD_FALL
        self.q, self.multipliers = q, multipliers
        return _Taken(largest, is_good)

    def _closed(self, factors: SaddlePoint, q: Array, largest: float, held: float, moves: list[Array]) -> Array | None:
        """A configuration back on the constraints after a step; None if simplified corrections do not lead there."""
        nothing = np.zeros(len(self.statics.free))
        size = largest
        for _ in range(MOST_CLOSINGS if len(self.statics.rows) else 0):
            closing, _ = factors.solve(nothing, -self.residual(q, self.multipliers, held)[1])
            longest = self._sizes.largest(closing)
            if longest <= max(CLOSED * largest, self.options.tolerance):
                break
            if not longest <= size / 2:
                return None
            q, size = self.statics.moved(q, closing), longest
            moves.append(closing)
        return q

    def _fall(self, stiffness: Sparse, moves: list[Array], force: Array, held: float) -> float:
        """Work against the forces along moves on the group, relative to that of the model; 0 if this climbs."""
        step = moves[0]
        predicted = float(force @ step + step @ (stiffness @ step) / 2)
        if not predicted < 0:
            return 0.0
        work, q = 0.0, self.q
        for move in moves:
            for node, weight in zip(_NODES, _WEIGHTS, strict=True):
                between = self.statics.moved(q, (1 + node) / 2 * move)
                work += weight / 2 * float(self.residual(between, self.multipliers, held)[0] @ move)
            q = self.statics.moved(q, move)
        return work / predicted if np.isfinite(work) else 0.0

    def _failed(self, held: float) -> EquilibriumError:
        layout = self.statics.system.layout
        force, constraint = self.residual(self.q, self.multipliers, held)
        worst = int(np.argmax(np.abs(force) * self._sizes.length))
        where = layout.velocity_name(int(self.statics.free[worst]))
        violated = ""
        if len(constraint):
            row = int(np.argmax(np.abs(constraint)))
            violated = f", Φ = {constraint[row]:.3g} in {layout.row_name(int(self.statics.rows[row]))}"
        return EquilibriumError(
            f"No static equilibrium of '{layout.name}' was found in {self.iterations} iterations: a force of "
            f"{force[worst]:.3g} is out of balance at {where}{violated}; start nearer to it, take more load_steps or "
            "max_iterations, or check that the system can rest under these loads.",
            float(np.abs(force[worst])),
        )
