"""Ends of implicit steps in NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.implicit.iteration_matrix import Slopes
from symlie.runtime.layout.layout import Array
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import ImplicitEnd

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import Stepper


class LinearFormula:
    """v and v̇ at the end of a step as linear functions of the increment w.

    Parameters
    ----------
    end
        The instruction.
    vector, number
        Values of vectors and numbers.
    has_velocity
        True for components that are not first-order states.
    """

    sees_end: ClassVar[bool] = False
    span = 1.0
    offset: Array | float = 0.0

    def __init__(
        self,
        end: ImplicitEnd,
        vector: Callable[[Value], Array],
        number: Callable[[Scalar | float], float],
        has_velocity: NDArray[np.bool_],
    ) -> None:
        self._has_velocity = has_velocity
        formulas = end.velocity, end.acceleration, end.rate
        self.slopes = Slopes(*(number(formula.slope) for formula in formulas))
        self._terms = [[(number(w), vector(x)) for w, x in zip(f.weights, f.terms, strict=True)] for f in formulas]

    def at(self, theta: Array, w: Array) -> tuple[Array, Array]:
        """Return v and v̇."""
        v, acceleration, rate = (
            _total(slope * w, terms) for slope, terms in zip(self.slopes, self._terms, strict=True)
        )
        return np.where(self._has_velocity, v, 0.0), np.where(self._has_velocity, acceleration, rate)


def _total(first: Array, terms: Iterable[tuple[float, Array]]) -> Array:
    """Return a sum in the order of the terms, as in C."""
    return functools.reduce(lambda total, term: total + term[0] * term[1], terms, first)


def hidden_violation(stepper: Stepper, t: float, q: Array, v: Array) -> Array:
    """Return d = M⁻¹ Bᵀ μ with B d = B v + b for holonomic constraints."""
    m = stepper.mechanics
    B = m.jacobian(t, q, v)
    return m.along_constraints(t, q, B, m.layout.holonomic * m.hidden_residual(t, q, v, B))
