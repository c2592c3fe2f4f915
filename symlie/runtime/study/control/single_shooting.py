"""Single shooting: one run, whose unknowns are the values of the controls."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from symlie.errors import UnsupportedMethodError
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.adjoint_run import AdjointRun
from symlie.runtime.integrate.sensitivities.forward import forward_tangents
from symlie.runtime.integrate.sensitivities.gradient import FEWEST_REVERSE, Loss, loss_of, weights_of_loss
from symlie.runtime.integrate.sensitivities.second_order.second_order_run import SecondOrderRun
from symlie.runtime.integrate.sensitivities.trail import check_end
from symlie.runtime.layout.layout import Array
from symlie.runtime.study.control.control_tables import ControlTables
from symlie.runtime.study.control.evaluation import Evaluation
from symlie.runtime.study.control.local_operators import LocalOperators
from symlie.runtime.study.control.second_derivatives import IntervalHessian
from symlie.runtime.study.control.target import Target


class SingleShooting:
    """Loss and target of a run.

    The derivatives follow from adjoint steps if the values of the controls are at least five times as many as the
    loss and the equations, and forward ones otherwise.

    Parameters
    ----------
    tables
        Tables of the controls.
    t_span, options
        As in `solve`.
    target
        Target at the end.
    loss
        Loss, or None.
    """

    def __init__(
        self,
        tables: ControlTables,
        t_span: tuple[float, float],
        options: RunOptions,
        target: Target,
        loss: Loss | str | None,
    ) -> None:
        self._tables, self._t_span, self._target = tables, t_span, target
        system = tables.system
        self._stated_loss, self._loss = loss, None if loss is None else loss_of(system, loss)
        self._options = options if callable(loss) else at_end(options, t_span[1])
        outputs = system.layout.outputs
        names = list(outputs) if callable(loss) else [name for name in (loss, *target.outputs) if name is not None]
        self._columns = {name: outputs[name][0] for name in dict.fromkeys(names)}
        rows = target.size + (loss is not None)
        self._in_reverse = len(tables.variables) >= FEWEST_REVERSE * rows

    @property
    def start(self) -> Array:
        """Guess of the values."""
        return self._tables.start

    @property
    def groups(self) -> list[list[NDArray[np.intp]]]:
        """Numbers of the values of each input."""
        return [[np.arange(part.start, part.stop)] for part in self._tables.parts]

    def evaluation(self, unknowns: Array) -> Evaluation:
        """Return loss and equations for values of the controls; raise the errors of `solve`."""
        system = self._tables.system_with(unknowns)
        if self._in_reverse:
            run = AdjointRun.of(system, self._t_span, self._options)
            if run is not None and run.is_worthwhile(len(unknowns)):
                check_end(run.solution)
                return self._by_adjoint(run)
            self._in_reverse = False
        found = forward_tangents(system, self._t_span, self._options, self._tables.variables, list(self._columns))
        solution, tangents = found.solution, found.states
        check_end(solution)
        loss, by_loss = 0.0, np.zeros(len(unknowns))
        if self._loss is not None:
            loss, weights = weights_of_loss(solution, self._loss(solution))
            chosen = np.concatenate([np.arange(part.start, part.stop) for part in self._columns.values()])
            by_loss = np.einsum("nck,nc->k", tangents.outputs, weights[:, chosen])
        ends = np.cumsum([0, *(part.stop - part.start for part in self._columns.values())])
        columns = {name: slice(a, b) for name, a, b in zip(self._columns, ends[:-1], ends[1:], strict=True)}
        defects, by_defects = self._target.deviation(solution), self._target.along(solution, tangents, columns)
        return Evaluation(loss, by_loss, defects, by_defects)

    def hessian(self, unknowns: Array, multipliers: Array, of_loss: float) -> Array:
        """Return the second derivatives of the weighted sum of loss and equations; raise UnsupportedMethodError if runs
        or a loss that is a function have none, and the errors of `solve`."""
        system = self._tables.system_with(unknowns)
        if callable(self._stated_loss):
            raise UnsupportedMethodError("Losses that are functions have no second derivatives here.")
        run = SecondOrderRun.of(system, self._t_span, self._options)
        weights = self._target.weighted(multipliers, self._stated_loss, of_loss)
        return IntervalHessian.of(LocalOperators(system), run, self._tables.variables, None, weights).by_run

    def _by_adjoint(self, run: AdjointRun) -> Evaluation:
        """Return the same by one pass backwards for the loss and for each equation."""
        variables, solution = self._tables.variables, run.solution
        loss, by_loss = 0.0, np.zeros(len(variables))
        nothing = np.zeros((len(solution.t), solution.system.layout.outputs_size))
        if self._loss is not None:
            loss, weights = weights_of_loss(solution, self._loss(solution))
            by_loss = run.gradient(variables, weights)
        rows = [np.zeros((0, len(variables)))]
        for of_outputs, of_state in self._target.cotangents(solution):
            weights = nothing.copy()
            weights[-1] = of_outputs
            rows.append(run.gradient(variables, weights, of_state)[None])
        return Evaluation(loss, by_loss, self._target.deviation(solution), np.vstack(rows))


def at_end(options: RunOptions, t_end: float) -> RunOptions:
    """Return options of a run that records its end only."""
    return at_times(options, np.array([t_end]))


def at_times(options: RunOptions, times: Array) -> RunOptions:
    """Return options of a run that records some times only."""
    return dataclasses.replace(options, t_eval=times, record_every=1)
