"""The symplectic θ-family on cotangent bundles: its parameter, and one step in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from symlie.contract.constants import NEWTON_ENOUGH, NEWTON_HALVINGS, NEWTON_STEPS
from symlie.errors import ModelError, NotConvergedError
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.exact import exact_row
from symlie.runtime.methods.tableau import Tableau

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import State, Stepper, Trial


@dataclass(frozen=True, kw_only=True, repr=False)
class ThetaTableau(Tableau):
    """The parameter θ, between 0 and 1: symplectic for each, symmetric and of order 2 for 1/2, else of order 1.

    Source: [Celledoni2022], equations (15) to (17).
    """

    theta: float

    family: ClassVar[str] = "symplectic"

    @property
    def stages(self) -> int:
        """One implicit stage."""
        return 1

    @property
    def has_estimate(self) -> bool:
        """No."""
        return False


def theta_tableau(name: str, theta: Any, source: str) -> ThetaTableau:
    """The method with a θ.

    Raises
    ------
    ModelError
        θ is no number between 0 and 1.
    """
    try:
        value = float(Fraction(theta) if isinstance(theta, str) else theta)
    except (TypeError, ValueError, ZeroDivisionError):
        value = np.nan
    if not 0 <= value <= 1:
        raise ModelError(f"Method {name}: theta is {theta!r}, but it must be a number from 0 to 1, such as 1/2.")
    order = 2 if value == 0.5 else 1
    return ThetaTableau(name=name, order=order, c=exact_row([repr(value)]), source=source, theta=value)


def theta_step(stepper: Stepper, state: State, h: float, theta: float) -> Trial:
    """A step of the θ-family by Newton's method; one that does not reduce the residual is shortened.

    Raises
    ------
    NotConvergedError
        Newton's method finds no solution.
    """
    k, p, t, q = stepper.kernels, stepper.parameters, state.t + theta * h, state.q
    zero = np.zeros_like(state.v)
    size = max(1.0, float(np.abs(q).max()))
    u = h * k.field(p, t, q, zero, zero[:0], zero)
    residual, matrix = k.symplectic(p, t, q, u, h, theta)
    evaluations, iterations = 2, 0
    while True:
        stepper.check("residual of the implicit stage", residual)
        if iterations == NEWTON_STEPS:
            raise NotConvergedError("Newton's method does not converge.")
        correction: Array = np.linalg.solve(matrix, residual).astype(float)
        iterations += 1
        if float(np.abs(correction).max()) <= NEWTON_ENOUGH * size:
            break
        u, residual, matrix, tried = _shortened(stepper, t, q, u, h, theta, residual, correction)
        evaluations += tried
    u = u - correction
    stepper.check_chart(u)
    trial = stepper.trial(state, k.symplectic_end(p, t, q, u, h, theta), state.v, [zero], evaluations, u)
    trial.newton_iterations = iterations
    return trial


def _shortened(
    stepper: Stepper, t: float, q: Array, u: Array, h: float, theta: float, residual: Array, correction: Array
) -> tuple[Array, Array, Array, int]:
    """The first of the full, half, … Newton step that reduces the residual, and how many were tried."""
    before = float(residual @ residual)
    for halving in range(NEWTON_HALVINGS + 1):
        moved = u - 0.5**halving * correction
        found, matrix = stepper.kernels.symplectic(stepper.parameters, t, q, moved, h, theta)
        if float(found @ found) < before:
            return moved, found, matrix, halving + 1
    raise NotConvergedError("No part of a Newton step reduces the residual.")
