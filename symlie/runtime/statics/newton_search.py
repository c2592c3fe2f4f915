"""Damped Newton iterations on the group for static equilibria.

    [ K + σD  Bᵀ ] [δ ]     [ g + Bᵀλ ]
    [ B       0  ] [Δλ] = - [ Φ       ],     q ← q∘exp(δ),  λ ← λ + Δλ

σ = 0 is Newton's method; σ > 0 is a step 1/σ of the implicit Euler method for the overdamped motion D q' = -g - Bᵀλ.
After a step, simplified corrections with the same matrix return to the constraints. A step is accepted if its linear
model holds: the simplified correction of the forces is at most half as long as the step (natural monotonicity test). A
downhill step is accepted, too, if the work of the forces along it is at least a tenth of the model's prediction, as in
trust region methods: the number of such steps does not grow with the number of elements. Uphill steps are rejected, so
that the iteration descends as the system would. Step lengths are relative to the sizes of the components and thus
independent of units.

Residuals at round-off are accepted if Newton's method makes no further progress, as for free bodies, whose K is
singular. Source: [Deuflhard2004], section 3.3; [Conn2000], chapter 6.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import numpy as np

from symlie.errors import EquilibriumError, InconsistentInitialValuesError
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.statics.assembly.configurations import closed
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.solvability import check_rows

LARGEST_ROTATION = 1.0
"""Largest rotation of one step, in rad; far below 2π, where log is singular."""

FIRST_MOVE = 0.1
"""Largest component, relative to its size, of the first step after a Newton step was rejected."""

MOST_CLOSINGS, CLOSED = 6, 1e-2
"""Largest number of simplified corrections that return a step to the constraints, and their sufficient size relative to
the step."""

SMALL_SHIFT, LEAST_SHIFT, LOST_SHIFT, MOST_SHIFT = 1e-4, 1e-9, 1e-12, 1e12
"""Values of σ relative to the first one: threshold below which Newton's method is tried again; value at which a search
may end if Newton's method fails because a motion has no stiffness; smallest and largest value."""

SHORT, LONG = 0.1, 0.5
"""Lengths of simplified corrections, relative to the step, below which σ is reduced and above which the linear model
does not hold."""

LEAST_FALL, GOOD_FALL = 0.1, 0.7
"""Work along a step, relative to the model, above which the step is accepted, and above which σ is reduced."""

MOST_ROUNDED = 4
"""Largest number of steps that start from residuals at round-off."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
"""Gauss–Legendre rule on [-1, 1] for the work along a step."""


class SearchOptions(NamedTuple):
    """Tolerance and limits of a search."""

    tolerance: float
    """Largest component of the last Newton correction, relative to its size."""
    stable: bool
    """True to reject uphill steps."""
    max_iterations: int
    """Largest number of steps per load step."""


class _Matrices(NamedTuple):
    stiffness: Sparse
    metric: Sparse
    jacobian: Sparse


class _Taken(NamedTuple):
    """Size of an accepted step."""

    largest: float
    is_good: bool
    """True if σ may decrease."""


REMEDY = "free a node, or take system.with_redundant('minimal_norm')"


class NewtonSearch:
    """Newton's method with a shift σ that is as small as the accuracy of the model of a step permits; ``multipliers``
    contains λ of all constraint equations, or is None for the best balance of forces."""

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
                "initial configuration; use another one."
            ) from None
        self.multipliers = balanced if multipliers is None else multipliers[statics.rows]
        self.first_shift = max(self._sizes.largest(acceleration) / FIRST_MOVE, np.finfo(float).tiny)
        self._start = statics.force(self.q, self.multipliers), statics.constraint(self.q)

    def residual(self, q: Array, multipliers: Array, held: float) -> tuple[Array, Array]:
        """Return unbalanced forces and Φ, minus the fraction ``held`` of their initial values."""
        force, constraint = self.statics.force(q, multipliers), self.statics.constraint(q)
        return force - held * self._start[0], constraint - held * self._start[1]

    def release(self, held: float) -> None:
        """Find the equilibrium with the fraction ``held`` of the initial residual, or raise EquilibriumError."""
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
        """Attempt a step; return None if its model is not accurate."""
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
        # With a shift, the multipliers of the return to the constraints are not forces of the system.
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
        """Return a configuration that satisfies the constraints after a step, or None if simplified Newton iterations
        do not converge."""
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
        """Return the work against the forces along moves on the group, relative to the model, or 0 if the model
        predicts an ascent."""
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
            f"{force[worst]:.3g} is out of balance at {where}{violated}; start nearer to it, increase "
            "load_steps or max_iterations, or check that the system can rest under these loads.",
            float(np.abs(force[worst])),
        )
