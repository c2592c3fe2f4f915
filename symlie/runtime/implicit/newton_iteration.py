"""Newton's method for the equations r(u) = 0 of an implicit step: the NumPy counterpart of ``newton.h``.

A correction that does not reduce |r| is halved. Full Newton evaluates a matrix in each iteration. Modified Newton
reuses factors as long as they reduce |r| fast enough; then it restarts the step with a new matrix, or continues with
one from the current iterate. The iteration converges if a correction or a residual is small enough, or if rounding
prevents a further decrease of |r|: a correction does not halve |r|, and |r| is within the rounding of its terms
(`floor`) or the correction below the resolution of the configuration (`is_rounding`). The second test needs no rounding
estimate inside forces and logarithms. All other cases are divergence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from symlie.contract.constants import (
    DIVERGED,
    NEWTON_ENOUGH,
    NEWTON_FLOOR,
    NEWTON_HALVINGS,
    NEWTON_PATIENCE,
    NEWTON_STEPS,
)
from symlie.errors import NotConvergedError
from symlie.runtime.layout.layout import Array


@dataclass(frozen=True)
class NewtonPolicy:
    """Criteria for convergence and for new matrices.

    Attributes
    ----------
    iterations, halvings
        Largest number of corrections, and of halvings of one correction; with zero halvings corrections are never
        halved.
    correction
        Largest entry of a correction, relative to the size of the unknowns, after which quadratic convergence leaves
        only round-off.
    rtol, atol
        Tolerances of the Euclidean norm of the residual after at least one correction, relative to the larger of the
        initial norm and the norm after the first correction, and absolute; zero: only corrections and rounding count.
    free
        Number of initial corrections that are accepted unconditionally: an initial guess may have a small residual and
        still be far from the solution.
    contraction
        Factor by which reused factors must reduce the residual from the third correction on to avoid a new matrix;
        0 is full Newton.
    patience
        Largest number of corrections with reused factors.
    renews
        If True, the iteration continues with a new matrix when reused factors contract poorly or have served for
        ``patience`` corrections. It restarts only if the residual grows by more than `DIVERGED`, or after twice as many
        corrections. If False, it always restarts.
    """

    iterations: int = NEWTON_STEPS
    halvings: int = NEWTON_HALVINGS
    correction: float = NEWTON_ENOUGH
    rtol: float = 0.0
    atol: float = 0.0
    free: int = 0
    contraction: float = 0.0
    patience: int = NEWTON_PATIENCE
    renews: bool = False


@dataclass
class NewtonCounts:
    """Statistics of Newton iterations."""

    evaluations: int = 0
    """Number of evaluated residuals."""
    iterations: int = 0
    """Number of corrections."""
    jacobians: int = 0
    """Number of evaluated matrices."""
    factorisations: int = 0
    back_substitutions: int = 0
    refreshes: int = 0
    """Number of new matrices computed because reused factors did not reduce the residual fast enough."""
    halvings: int = 0
    rounding_floor: int = 0
    """Number of iterations that ended because rounding prevents a further decrease of the residual."""
    slowest: int = -1
    """Index of the largest residual before the last correction; -1 without corrections."""


WORK = ("jacobians", "factorisations", "back_substitutions", "refreshes", "halvings", "rounding_floor")
"""Counts of a step that are summed over a run, under the same names."""


class NewtonProblem(Protocol):
    """Equations of a step."""

    has_factors: bool
    """True if factors of an earlier matrix are available."""

    @property
    def floor(self) -> float:
        """Norm of the rounding error of the residual, available after the first matrix; zero if unknown."""

    def is_rounding(self, d: Array) -> bool:
        """Return whether a correction is below the resolution of the configuration of the last residual."""

    def residual(self, u: Array) -> Array:
        """Return r(u)."""

    def check(self, r: Array) -> None:
        """Raise an error that names the first entry of a residual that is not finite."""

    def entry_name(self, entry: int) -> str:
        """Return the name of an entry of the residual for messages."""

    def refresh(self) -> None:
        """Evaluate the matrix ∂r/∂u at the point of the last residual."""

    def correction(self, r: Array) -> Array:
        """Return (∂r/∂u)⁻¹ r with the latest matrix."""


def newton_solution(problem: NewtonProblem, policy: NewtonPolicy, u: Array, size: float, counts: NewtonCounts) -> Array:
    """Return the solution of r(u) = 0 from an initial guess, and add the statistics to ``counts``; raise
    NotConvergedError."""
    # Modified Newton tries the available factors first, then the factors of one new matrix; full Newton is the last
    # resort.
    if policy.contraction:
        for _ in range(2):
            found = _iterated(problem, policy, u, size, counts, keeps=True)
            if found is not None:
                return found
            problem.has_factors = False
            counts.refreshes += 1
    found = _iterated(problem, policy, u, size, counts, keeps=False)
    assert found is not None
    return found


def _iterated(
    problem: NewtonProblem, policy: NewtonPolicy, u: Array, size: float, counts: NewtonCounts, *, keeps: bool
) -> Array | None:
    """Return the solution, or None if the iteration with reused factors does not converge."""
    renews = keeps and policy.renews
    most = policy.patience * (1 + renews) if keeps else policy.iterations
    r = problem.residual(u)
    counts.evaluations += 1
    norm = first = float(r @ r)
    taken, is_stale = 0, False
    while True:
        problem.check(r)
        if taken <= 1:
            first = max(first, norm)
        enough = max(policy.atol, policy.rtol * first**0.5)
        if norm == 0 or (taken and norm**0.5 <= enough):
            return u
        if taken == most:
            if keeps:
                return None
            raise _failure(problem, r, f"after newton_max = {most} iterations")
        counts.slowest = int(np.argmax(np.abs(r)))
        counts.refreshes += is_stale
        if is_stale or not (keeps and problem.has_factors):
            counts.jacobians += 1
            problem.refresh()
            counts.factorisations += 1
        counts.back_substitutions += 1
        d = problem.correction(r)
        counts.iterations += 1
        taken += 1
        if float(np.abs(d).max()) <= policy.correction * size:
            return u - d
        for halving in range(policy.halvings + 1):
            moved = u - 0.5**halving * d
            found = problem.residual(moved)
            counts.evaluations += 1
            reduced = float(found @ found)
            # The iteration has diverged if the residual is far above the rounding of its terms, however large these
            # are.
            larger = max(norm, reduced / NEWTON_FLOOR**2)
            if not reduced < norm / 4 and (
                larger**0.5 <= NEWTON_FLOOR * problem.floor or (taken > policy.free and problem.is_rounding(d))
            ):
                counts.rounding_floor += 1
                return moved if reduced < norm else u
            if reduced < norm or taken <= policy.free or renews or not (keeps or policy.halvings):
                break
            if keeps:
                return None
            counts.halvings += 1
        else:
            raise _failure(problem, r, f"after {policy.halvings} halvings of a correction")
        is_poor = taken > 2 and not reduced < policy.contraction**2 * norm
        if renews:
            if not reduced < np.inf or (taken > 2 and reduced > DIVERGED**2 * norm):
                return None
            is_stale = is_poor or taken >= policy.patience
        elif keeps and is_poor:
            return None
        u, r, norm = moved, found, reduced
        if taken > 2 and norm**0.5 > enough > 0 and norm**0.5 <= problem.floor:
            counts.rounding_floor += 1
            return u


def _failure(problem: NewtonProblem, r: Array, where: str) -> NotConvergedError:
    """Return the error of an iteration that ended without a solution."""
    return NotConvergedError(f"The residual remains largest at {problem.entry_name(int(np.argmax(np.abs(r))))} {where}")
