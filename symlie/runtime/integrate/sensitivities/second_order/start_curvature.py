"""Second derivatives of the state at the start of a run.

Configurations are differentiated in the coordinates θ = log(q₀⁻¹∘q), with second derivatives along lines from central
differences of order ten,

    f'' = Σ_k w_k (f_k + f₋ₖ - 2 f₀)/ε²,   f_k = f(p + k ε e)  (1)

and mixed ones by ∂_a ∂_b = (∂²_{a+b} - ∂²_a - ∂²_b)/2. The tangent δ_a of q in the Lie algebra, q⁻¹ ∂_a q = (δ_a)~,
changes along b by

    ∂_b δ_a = ∂_b ∂_a θ - [δ_b, δ_a]/2  (2)

since δ_a = T(θ) ∂_a θ. Initial velocities that do not move the configuration change v linearly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from symlie.errors import GroupError, UnsupportedMethodError
from symlie.runtime.integrate.sensitivities.start import consistent_start
from symlie.runtime.integrate.sensitivities.variables import InitialVariable, Variable, initial_value
from symlie.runtime.kernels.node_steps import StepKernels
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System

RELATIVE = 2.0**-6
"""ε relative to the size of the values of a variable: the error of (1) for 1/p is about 10⁴ (ε/p)¹⁰, and rounding is
divided by (ε/p)²."""

WEIGHTS = (5 / 3, -5 / 21, 5 / 126, -5 / 1008, 1 / 3150)
"""w_k of (1)."""


class StartCurvature:
    """Second derivatives of the state at the start of a run, weighted by cotangents.

    Parameters
    ----------
    system
        The system.
    t
        Time of the start, in s.
    variables
        The variables.
    first
        Derivatives of q and v by the variables, shape (variables, dimension).
    cotangents
        Cotangents of q and v.
    """

    def __init__(
        self,
        system: System,
        t: float,
        variables: Sequence[Variable],
        first: tuple[Array, Array],
        cotangents: tuple[Array, Array],
    ) -> None:
        self._system, self._t, self._variables, self._first = system, t, variables, first
        self._cotangents, self._nodes = cotangents, system.sets.in_numpy
        moves_q, moves_v = ((x != 0).any(axis=1) for x in first)
        is_linear = np.array([isinstance(v, InitialVariable) for v in variables]) & ~moves_q
        self._moving, self._curved = (np.flatnonzero(x) for x in (moves_q | moves_v, (moves_q | moves_v) & ~is_linear))
        self._sizes = np.array([v.size(system) for v in variables])
        self._base = consistent_start(system, t)[1]
        self._alone: dict[int, float] = {}

    def along(self, direction: Array) -> Array:
        """Return the sum of weighted changes of the derivatives of q and v along a direction, shape (variables,)."""
        found = np.zeros(len(self._variables))
        if not len(self._curved):
            return found
        line = np.zeros(len(direction))
        line[self._moving] = (direction / self._sizes)[self._moving]
        curved = np.zeros(len(direction))
        curved[self._curved] = line[self._curved]
        # Linear variables have no mixed derivatives with each other.
        of_line, of_curved = (self._curvature(x) if x.any() else 0.0 for x in (line, curved))
        for k in self._moving.tolist():
            is_curved = k in self._curved
            other, of_other = (line, of_line) if is_curved else (curved, of_curved)
            if other.any():
                found[k] = self._mixed(k, other, of_other) / self._sizes[k]
        return found + self._of_brackets(direction)

    def _mixed(self, variable: int, line: Array, of_line: float) -> float:
        """Return the weighted mixed derivative by a variable and along a line with known second derivative, in units of
        the sizes of the variables."""
        unit = np.zeros(len(line))
        unit[variable] = 1.0
        if variable in self._curved and variable not in self._alone:
            self._alone[variable] = self._curvature(unit)
        largest = np.abs(line).max()
        of_unit = self._alone.get(variable, 0.0) * largest**2
        return float((self._curvature(line + largest * unit) - of_unit - of_line) / (2 * largest))

    @cached_property
    def _elements(self) -> StepKernels:
        """Kernels of group elements; raise UnsupportedMethodError for configurations that are none."""
        try:
            return self._system.sets.nodes("increments")
        except GroupError as error:
            label = self._variables[self._curved[0]].label
            raise UnsupportedMethodError(
                f"Runs of '{self._system.name}' have no second derivatives by '{label}', which moves the initial "
                "configuration, since a node moves on a space that is no group; differentiate by other variables."
            ) from error

    def _of_brackets(self, direction: Array) -> Array:
        """Return the weighted second term of (2)."""
        dq = self._first[0]
        along = np.tile(direction @ dq, (len(dq), 1))
        return np.asarray(-self._nodes.bracket(along, dq) @ self._cotangents[0] / 2)

    def _curvature(self, line: Array) -> float:
        """Return the weighted second derivative along a line in units of the sizes of the variables."""
        length = np.abs(line).max()
        if not length:
            return 0.0
        step = float(RELATIVE / length)
        values = (self._value(sign * k * step * line) for k in range(1, len(WEIGHTS) + 1) for sign in (1, -1))
        weights = (weight for weight in WEIGHTS for _ in range(2))
        return sum(weight * value for weight, value in zip(weights, values, strict=True)) / step**2

    def _value(self, change: Array) -> float:
        """Return the weighted difference of the state at changed variables from the state at the start."""
        moved = consistent_start(self._moved(change * self._sizes), self._t)[1]
        of_q, of_v = self._cotangents
        theta = self._elements.increment(self._base.q[None], moved.q[None])[0]
        return float(theta @ of_q + (moved.v - self._base.v) @ of_v)

    def _moved(self, changes: Array) -> System:
        """Return a system with other values of the variables."""
        system = self._system
        initial: dict[str, tuple[InitialVariable, Array]] = {}
        for variable, change in zip(self._variables, changes.tolist(), strict=True):
            if isinstance(variable, InitialVariable):
                _, total = initial.setdefault(variable.name, (variable, np.zeros(len(variable.value))))
                total[variable.index or (0,)] += change
            elif change:
                system = variable.moved(system, change)
        changed = [(variable, total) for variable, total in initial.values() if total.any()]
        if changed and system is not self._system:
            # Initial values may be expressions of parameters.
            at = consistent_start(system, self._t)[0]
            changed = [(x, total + initial_value(at, x.node, x.field) - x.value) for x, total in changed]
        for variable, total in changed:
            system = variable.replaced(system, total + variable.value)
        return system
