"""Newton's method for the equations r(u) = 0 of an implicit step; the NumPy form of ``newton.h``.

A step that does not reduce |r| is halved. Full Newton takes a matrix in each iteration, modified Newton keeps the
factors of one as long as they reduce |r| fast enough. It ends with a correction, or with a residual, that is small
enough, or with one that rounding does not let fall any further.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from symlie.contract.constants import NEWTON_ENOUGH, NEWTON_FLOOR, NEWTON_HALVINGS, NEWTON_STEPS
from symlie.errors import NotConvergedError
from symlie.runtime.layout.layout import Array


@dataclass(frozen=True)
class NewtonPolicy:
    """When to stop, and when to take a new matrix.

    Attributes
    ----------
    iterations, halvings
        Corrections, and halvings of each, at most.
    correction
        Largest entry of a correction, relative to the size of the unknowns, after which quadratic convergence leaves
        round-off alone.
    rtol, atol
        Euclidean norm of the residual that is small enough after one correction, relative to the first one or to the
        one after it, whichever is larger, and as such; zero: corrections and rounding alone count.
    contraction
        Factor by which kept factors must reduce the residual, or a new matrix is taken; 0 is full Newton.
    free
        Corrections at the beginning that are taken as they are: a first guess may have a small residual and still be
        far away.
    """

    iterations: int = NEWTON_STEPS
    halvings: int = NEWTON_HALVINGS
    correction: float = NEWTON_ENOUGH
    rtol: float = 0.0
    atol: float = 0.0
    contraction: float = 0.0
    free: int = 0


@dataclass
class NewtonCounts:
    """What an iteration took."""

    evaluations: int = 0
    iterations: int = 0
    matrices: int = 0
    halvings: int = 0
    rounding_floor: int = 0
    """Whether it ended where rounding does not let the residual fall any further."""


class NewtonProblem(Protocol):
    """Equations of a step."""

    @property
    def floor(self) -> float:
        """Norm of a residual that is made of rounding alone, known once a matrix was taken; zero if it is not known."""

    def residual(self, u: Array) -> Array:
        """r(u)."""

    def check(self, r: Array) -> None:
        """Raise what a residual that is not finite is called."""

    def refresh(self) -> None:
        """Take the matrix ∂r/∂u where the residual was computed last."""

    def correction(self, r: Array) -> Array:
        """(∂r/∂u)⁻¹ r with the matrix that was taken last."""


def newton_solution(problem: NewtonProblem, policy: NewtonPolicy, u: Array, size: float) -> tuple[Array, NewtonCounts]:
    """The solution of r(u) = 0 from a first guess, and what it took.

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

    Raises
    ------
    NotConvergedError
        None is found.
    """
    counts = NewtonCounts(evaluations=1)
    r = problem.residual(u)
    norm = float(r @ r)
    first, keeps = norm, False
    while True:
        problem.check(r)
        if counts.iterations <= 1:
            first = max(first, norm)
        enough = max(policy.atol, policy.rtol * first**0.5)
        if norm == 0 or (counts.iterations and norm**0.5 <= enough):
            return u, counts
        if counts.iterations == policy.iterations:
            raise NotConvergedError("Newton's method does not converge.")
        if not keeps:
            problem.refresh()
            counts.matrices += 1
        d = problem.correction(r)
        counts.iterations += 1
        if float(np.abs(d).max()) <= policy.correction * size:
            return u - d, counts
        for halving in range(policy.halvings + 1):
            moved = u - 0.5**halving * d
            found = problem.residual(moved)
            counts.evaluations += 1
            reduced = float(found @ found)
            if not reduced < norm / 4 and norm**0.5 <= NEWTON_FLOOR * problem.floor:
                counts.rounding_floor = 1
                return (moved if reduced < norm else u), counts
            if reduced < norm or counts.iterations <= policy.free:
                break
            counts.halvings += 1
        else:
            if keeps:
                # Old factors may lead nowhere: the matrix at u itself is tried.
                keeps, r = False, problem.residual(u)
                counts.evaluations += 1
                continue
            raise NotConvergedError("No part of a Newton step reduces the residual.")
        keeps = reduced < policy.contraction**2 * norm
        u, r, norm = moved, found, reduced
        if counts.iterations > 2 and norm**0.5 > enough > 0 and norm**0.5 <= problem.floor:
            counts.rounding_floor = 1
            return u, counts
