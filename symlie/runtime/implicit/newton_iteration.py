"""Newton's method for the equations r(u) = 0 of an implicit step; the NumPy form of ``newton.h``.

A step that does not reduce |r| is halved. Full Newton takes a matrix in each iteration, modified Newton keeps the
factors of one as long as they reduce |r| fast enough. Then it begins the step again with a new matrix, or continues
with one from where it is. It ends with a correction, or with a residual, that is small enough, or where rounding does
not let |r| fall any further: a correction does not halve |r|, and |r| is within the rounding of its terms (`floor`) or
the correction below the resolution of the configuration (`is_rounding`). The second test needs no estimate of rounding
inside forces and logarithms. Anything else is divergence.
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
    """When to stop, and when to take a new matrix.

    Attributes
    ----------
    iterations, halvings
        Corrections, and halvings of each, at most; without halvings corrections are taken as they are.
    correction
        Largest entry of a correction, relative to the size of the unknowns, after which quadratic convergence leaves
        round-off alone.
    rtol, atol
        Euclidean norm of the residual that is small enough after one correction, relative to the first one or to the
        one after it, whichever is larger, and as such; zero: corrections and rounding alone count.
    free
        Corrections at the beginning that are taken as they are: a first guess may have a small residual and still be
        far away.
    contraction
        Factor by which kept factors must reduce the residual from the third correction on, or a new matrix is taken;
        0 is full Newton.
    patience
        Corrections with kept factors at most.
    renews
        Whether the iteration continues with a new matrix where kept factors contract poorly or after so many
        corrections, instead of beginning again. Only where the residual grows by more than `DIVERGED`, or after twice
        as many corrections, does it begin again.
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
    """What iterations took."""

    evaluations: int = 0
    """Residuals."""
    iterations: int = 0
    """Corrections."""
    jacobians: int = 0
    """Matrices that were evaluated."""
    factorisations: int = 0
    back_substitutions: int = 0
    refreshes: int = 0
    """New matrices in place of kept factors that did not reduce the residual fast enough."""
    halvings: int = 0
    rounding_floor: int = 0
    """Iterations that ended where rounding does not let the residual fall any further."""
    slowest: int = -1
    """Where the residual was largest before the last correction; -1 without any."""


WORK = ("jacobians", "factorisations", "back_substitutions", "refreshes", "halvings", "rounding_floor")
"""Counts of a step that are summed over a run, under the same names."""


class NewtonProblem(Protocol):
    """Equations of a step."""

    has_factors: bool
    """Whether factors of an earlier matrix are there."""

    @property
    def floor(self) -> float:
        """Norm of a residual that is made of rounding alone, once a matrix is there; zero if it is not known."""

    def is_rounding(self, d: Array) -> bool:
        """Whether a correction is below the resolution of the configuration where the residual was computed last."""

    def residual(self, u: Array) -> Array:
        """r(u)."""

    def check(self, r: Array) -> None:
        """Raise what a residual that is not finite is called."""

    def entry_name(self, entry: int) -> str:
        """An entry of the residual as people call it."""

    def refresh(self) -> None:
        """Take the matrix ∂r/∂u where the residual was computed last."""

    def correction(self, r: Array) -> Array:
        """(∂r/∂u)⁻¹ r with the matrix that was taken last."""


def newton_solution(problem: NewtonProblem, policy: NewtonPolicy, u: Array, size: float, counts: NewtonCounts) -> Array:
    """The solution of r(u) = 0 from a first guess.

    Modified Newton first takes the factors that are there, then those of one new matrix; at last full Newton begins
    again.

    Parameters
    ----------
    problem
        The equations.
    policy
        When to stop.
    u
        First guess.
    size
        Size of the unknowns.
    counts
        What the iterations take is added here, also where they find nothing.

    Raises
    ------
    NotConvergedError
        None is found.
    """
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
    """The solution; None where factors that are kept do not lead to it."""
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
            raise _failure(problem, r)
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
            # A residual far above the rounding of its terms has diverged, however large these have become.
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
            raise _failure(problem, r)
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


def _failure(problem: NewtonProblem, r: Array) -> NotConvergedError:
    return NotConvergedError(f"The residual stays largest at {problem.entry_name(int(np.argmax(np.abs(r))))}")
