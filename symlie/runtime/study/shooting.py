"""Single shooting: the end of a run, and integrals over it, as functions of the values of input tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.forward import forward_tangents
from symlie.runtime.integrate.sensitivities.gradient import Loss, weights_of_loss
from symlie.runtime.integrate.sensitivities.tangent_loop import StateTangents
from symlie.runtime.integrate.sensitivities.trail import check_end
from symlie.runtime.integrate.sensitivities.variables import Variable, variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State
from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False)
class Shot:
    """Run of one set of values.

    Attributes
    ----------
    solution
        The run.
    loss, by_loss
        Loss of the run and its derivatives by all values, shape (values,).
    defects, by_defects
        Deviations of the end from its targets, shape (m,), and their derivatives, shape (m, values).
    """

    solution: Solution
    loss: float
    by_loss: Array
    defects: Array
    by_defects: Array


class Shooting:
    """Runs as functions of the values of input tables.

    Parameters
    ----------
    system, t_span, options
        As in `solve`; the system has tables for all controls.
    controls
        Names of the inputs.
    target
        State at the end, or None. Configurations are compared by log(q_target⁻¹∘q).
    outputs
        Values of outputs at the end by name.
    loss
        Function of the solution with derivatives by outputs, or None.
    """

    def __init__(
        self,
        system: System,
        t_span: tuple[float, float] | float,
        options: RunOptions,
        controls: Sequence[str],
        *,
        target: State | None,
        outputs: Mapping[str, Array],
        loss: Loss | None,
    ) -> None:
        self.system, self._t_span, self._options, self._controls = system, t_span, options, controls
        self._target, self._outputs, self._loss = target, outputs, loss
        self._variables: list[Variable] = variables_of(system, controls)
        self._known: tuple[bytes, Shot] | None = None

    @property
    def start(self) -> Array:
        """Values of the tables of the system, shape (values,)."""
        return np.concatenate([self.system.inputs[name].values.ravel() for name in self._controls])

    def system_with(self, values: Array) -> System:
        """Return the system with other values of the tables."""
        tables, begin = dict(self.system.inputs), 0
        for name in self._controls:
            table = tables[name]
            part = values[begin : begin + table.values.size].reshape(table.values.shape)
            tables[name] = dataclasses.replace(table, values=part)
            begin += table.values.size
        return dataclasses.replace(self.system, inputs=tables)

    def shot(self, values: Array) -> Shot:
        """Return the run of some values; the last one is remembered."""
        key = np.asarray(values, dtype=float).tobytes()
        if self._known is None or self._known[0] != key:
            self._known = key, self._computed(values)
        return self._known[1]

    def _computed(self, values: Array) -> Shot:
        system, outputs = self.system_with(values), self.system.layout.outputs
        names = list(outputs) if self._loss is not None else list(self._outputs)
        run = forward_tangents(system, self._t_span, self._options, self._variables, names)
        solution, tangents = run.solution, run.states
        check_end(solution)
        loss, by_loss = 0.0, np.zeros(len(values))
        if self._loss is not None:
            loss, weights = weights_of_loss(solution, self._loss(solution))
            by_loss = np.einsum("nck,nc->k", tangents.outputs, weights)
        ends = [self._at_target(system, solution, tangents)] if self._target is not None else []
        sizes = [outputs[name][0].stop - outputs[name][0].start for name in names]
        by_outputs = (
            dict(zip(names, np.split(tangents.outputs[-1], np.cumsum(sizes)[:-1]), strict=True)) if names else {}
        )
        for name, wanted in self._outputs.items():
            found = np.asarray(solution.outputs[name][-1], dtype=float).ravel()
            ends.append((found - wanted, by_outputs[name]))
        defects = [np.zeros(0), *(value for value, _ in ends)]
        derivatives = [np.zeros((0, len(values))), *(matrix for _, matrix in ends)]
        return Shot(solution, loss, by_loss, np.concatenate(defects), np.vstack(derivatives))

    def _at_target(self, system: System, solution: Solution, tangents: StateTangents) -> tuple[Array, Array]:
        """Return e = (log(q_target⁻¹∘q), v - v_target) at the end, and its derivatives: δe = T⁻¹(e) δq."""
        assert self._target is not None
        kernels, layout = system.kernels, system.layout
        apart = kernels.difference(self._target.q, solution.q[-1])
        by_values = [kernels.inverse_tangent_operator(apart, dq) for dq in tangents.q[-1].T]
        sought, free = layout.sought, layout.free
        value = np.concatenate([apart[sought], (solution.v[-1] - self._target.v)[free]])
        return value, np.vstack([np.array(by_values).T[sought], tangents.v[-1][free]])
