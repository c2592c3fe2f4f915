"""Tangents of all states of a run, forward, and cotangents, in reverse."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.integrate.sensitivities.point_derivatives import Points
from symlie.runtime.integrate.sensitivities.recorded_steps import RecordedSteps
from symlie.runtime.integrate.sensitivities.start import start_tangents
from symlie.runtime.integrate.sensitivities.step_maps import Linearization
from symlie.runtime.integrate.sensitivities.variables import Variable, directions_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System


class DifferentiatedRun:
    """Run whose states are differentiated with respect to some variables.

    The tangents of its start, shape (variables, dimension), are by default those of the initial state.
    """

    def __init__(
        self,
        system: System,
        recorded: RecordedSteps,
        variables: Sequence[Variable],
        start: tuple[Array, Array] | None = None,
    ) -> None:
        self._recorded = r = recorded
        self._linearization = Linearization(system, r, directions_of(system, variables))
        self._count = len(variables)
        if start is None:
            start = start_tangents(system, float(r.t[0]), r.q[0], variables)
        self._start = self._linearization.begin(*start)

    def forward(self) -> Array:
        """Return the tangents of all states, shape (states, variables, size)."""
        rows = np.empty((self._recorded.count + 1, *self._start.shape))
        rows[0] = self._start
        for maps in self._linearization.chunks():
            for k, step in enumerate(range(maps.steps.start, maps.steps.stop)):
                rows[step + 1] = rows[step] @ maps.by_state[k].T + maps.by_variables[k].T
        return rows

    def parts(self, rows: Array) -> dict[str, Array]:
        """Return the tangents of q, v and λ by name, shape (states, variables, components)."""
        found = self._linearization.tangents(rows)
        return {name: found[name] for name in ("q", "v", "multipliers")}

    def outputs(self, states: NDArray[np.intp], parts: dict[str, Array]) -> Array:
        """Return the tangents of all outputs at chosen states, shape (states, variables, components)."""
        r = self._recorded
        at = Points(r.t[states], r.q[states], r.v[states], parts["q"][states], parts["v"][states])
        return self._linearization.derivatives.outputs(at, r.multipliers[states], parts["multipliers"][states])

    def reverse(self, states: NDArray[np.intp], weights: Callable[[slice], Array]) -> Array:
        """Return the derivative Σ weight·∂y/∂p of outputs y at chosen states, increasing, shape (variables,).

        ``weights`` returns those of a range of the chosen states, shape (states, components).
        """
        cotangent, total = np.zeros(self._linearization.size), np.zeros(self._count)
        last = len(states)
        for maps in self._linearization.chunks(backwards=True):
            first = int(np.searchsorted(states, maps.steps.start + 1))
            cotangents = self._of_outputs(states[first:last], weights(slice(first, last)))
            at = {int(n): x for n, x in zip(states[first:last], cotangents, strict=True)}
            last = first
            for k in reversed(range(maps.steps.stop - maps.steps.start)):
                arrived = at.get(maps.steps.start + k + 1)
                if arrived is not None:
                    cotangent, total = cotangent + arrived[: len(cotangent)], total + arrived[len(cotangent) :]
                total = total + maps.by_variables[k].T @ cotangent
                cotangent = maps.by_state[k].T @ cotangent
        for arrived in self._of_outputs(states[:last], weights(slice(0, last))):
            cotangent, total = cotangent + arrived[: len(cotangent)], total + arrived[len(cotangent) :]
        found: Array = total + self._start @ cotangent
        return found

    def _of_outputs(self, states: NDArray[np.intp], weights: Array) -> Array:
        """Return the cotangents of states and variables for weights of outputs, shape (states, size + variables)."""
        size, r = self._linearization.size, self._recorded
        if not len(states):
            return np.zeros((0, size + self._count))
        seeds = np.zeros((len(states), size + self._count, size))
        seeds[:, :size] = np.eye(size)
        parts = self._linearization.tangents(seeds)
        at = Points(r.t[states], r.q[states], r.v[states], parts["q"], parts["v"])
        tangents = self._linearization.derivatives.outputs(at, r.multipliers[states], parts["multipliers"])
        return np.asarray(np.einsum("nkc,nc->nk", tangents, weights))
