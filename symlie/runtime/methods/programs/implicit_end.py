"""Ends of implicit steps in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.implicit.iteration_matrix import Slopes
from symlie.runtime.kernels.node_steps import StepKernels
from symlie.runtime.layout.layout import Array
from symlie.runtime.steps.expressions import Scalar, Value
from symlie.runtime.steps.implicit_instructions import Formula, ImplicitEnd


class EndFormula:
    """v and v̇ at the end of a step as functions of its unknowns.

    Parameters
    ----------
    end
        The instruction.
    vector, number
        Values of vectors and numbers.
    kernels
        Kernels of group elements, for local coordinates at the end of the step.
    has_velocity
        True for components that are not first-order states.

    Attributes
    ----------
    element
        exp(θ) of the last evaluation.
    relative
        Increments from the end of the step to earlier configurations.
    """

    def __init__(
        self,
        end: ImplicitEnd,
        vector: Callable[[Value], Array],
        number: Callable[[Scalar | float], float],
        kernels: StepKernels | None,
        has_velocity: NDArray[np.bool_],
    ) -> None:
        self._end, self._vector, self._number = end, vector, number
        self._kernels, self._has_velocity = kernels, has_velocity
        self.sees_end = end.sees_end
        self.slopes = Slopes(*map(number, end.slopes))
        self.offset: Array | float = 0.0 if end.offset is None else vector(end.offset)
        self.span = 1.0
        if self.sees_end:
            of_points = (end.unknowns[0], *end.unknowns[3:])
            weights = [number(w) for w, x in zip(*end.velocity, strict=True) if x in of_points]
            # Points that are close together have large weights.
            self.span = max(1.0 + len(end.points), sum(map(abs, weights)) / (2 * self.slopes.velocity))

    def at(self, theta: Array, w: Array) -> tuple[Array, Array]:
        """Return v and v̇."""
        unknowns = [w]
        if self._kernels is not None and self.sees_end:
            self.element = self._kernels.exponential(theta)
            self.relative = [self._kernels.increment(self.element, self._vector(x.element)) for x in self._end.points]
            unknowns = [theta, w - theta, np.zeros_like(theta), *self.relative]
        known = {x.number: value for x, value in zip(self._end.unknowns, unknowns, strict=True)}
        v = self._total(self._end.velocity, known)
        if self.sees_end:
            known[self._end.unknowns[2].number] = v
        acceleration, rate = (self._total(formula, known) for formula in self._end.formulas[1:])
        return np.where(self._has_velocity, v, 0.0), np.where(self._has_velocity, acceleration, rate)

    def _total(self, formula: Formula, known: Mapping[int, Array]) -> Array:
        """Return a sum in the order of the terms, as in C."""
        total = np.zeros(len(self._has_velocity))
        for k, (weight, x) in enumerate(zip(*formula, strict=True)):
            term = self._number(weight) * (known[x.number] if x.number in known else self._vector(x))
            total = total + term if k else term
        return total
