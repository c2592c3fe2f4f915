"""Run whose gradients are differentiated along directions of variables: tangents of adjoint steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from symlie.errors import UnsupportedMethodError
from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.adjoint_method import AdjointMethod
from symlie.runtime.integrate.sensitivities.adjoint_run import by_variables, refusal_of_adjoint
from symlie.runtime.integrate.sensitivities.second_order.start_curvature import StartCurvature
from symlie.runtime.integrate.sensitivities.second_order.tangent_trail import tangent_trail
from symlie.runtime.integrate.sensitivities.start import start_tangents
from symlie.runtime.integrate.sensitivities.tangent_method import TangentMethod
from symlie.runtime.integrate.sensitivities.tangent_run import AT_ONCE, COUNTS, check_with_tangents, has_tangents
from symlie.runtime.integrate.sensitivities.trail import Start, TrailOfRun, trail_of_run
from symlie.runtime.integrate.sensitivities.variables import Variable
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System

ChangeOfWeights = Callable[[Array], Array]
"""Function of the tangents of all outputs along one direction that returns the change of their weights; both have shape
(states, components)."""


class Products(NamedTuple):
    """Gradient of a function of outputs, shape (variables,), and products of its Hessian with directions, shape
    (variables, directions)."""

    gradient: Array
    products: Array


class SecondOrderRun:
    """Run whose states are stored.

    Attributes
    ----------
    run
        The run.
    """

    def __init__(self, run: Run, method: ProgrammedMethod, start: Start, stored: TrailOfRun) -> None:
        self.run, self._method, self._start, self._stored = run, method, start, stored

    @classmethod
    def of(cls, system: System, t_span: tuple[float, float] | float, options: RunOptions) -> SecondOrderRun:
        """Return a run from the initial state; raise UnsupportedMethodError if its gradients have no derivatives, and
        the errors of `solve`."""
        request = requested(system, t_span, options)
        parts = request.method, request.plan, request.control, request.record_every, request.settings
        run = Run(system, *parts, system.timings, beginning(system, request))
        check_with_tangents(run)
        method = run.method
        reason = "" if has_tangents(system) else "they need compiled code, without fused operations, and C++"
        if not isinstance(method, ProgrammedMethod):
            reason = "its steps are no step program"
        if reason or not isinstance(method, ProgrammedMethod) or (reason := refusal_of_adjoint(run, method)):
            raise _unsupported(run, reason)
        start = Start.of(method, run.system)
        found = trail_of_run(run, start, records_start=request.records_start)
        if found is None:
            raise _unsupported(run, f"an event ends the run before t = {run.plan.end[-1]:.9g}")
        return cls(run, method, start, found)

    @property
    def solution(self) -> Solution:
        """The solution, with the states that `solve` records."""
        return self._stored.solution

    def products(
        self, variables: Sequence[Variable], directions: Array, weights: Array, change: ChangeOfWeights
    ) -> Products:
        """Return derivatives of a function of outputs with given derivatives by them, shape (states, components), for
        directions of variables, shape (variables, directions)."""
        system, begin = self.run.system, self.run.begin
        count = directions.shape[1]
        tangents = next((n for n in COUNTS if n >= count), AT_ONCE)
        first = start_tangents(system, begin.t, begin.at.q, variables)
        gradient, products = np.zeros(len(variables)), np.zeros(directions.shape)
        curvature: StartCurvature | None = None
        for begin_of_part in range(0, count, tangents):
            part = slice(begin_of_part, min(begin_of_part + tangents, count))
            chosen = np.zeros((len(variables), tangents))
            chosen[:, : part.stop - part.start] = directions[:, part]
            adjoint = self._reverse(variables, chosen, first, weights, change)
            at_start = adjoint.cotangents.part()
            if curvature is None:
                gradient = by_variables(system, variables, first, at_start)
                curvature = StartCurvature(system, begin.t, variables, first, (at_start.q, at_start.v))
            for lane, k in enumerate(range(part.start, part.stop), start=1):
                of_lane = by_variables(system, variables, first, adjoint.cotangents.part(lane))
                products[:, k] = of_lane + curvature.along(directions[:, k])
        return Products(gradient, products)

    def _reverse(
        self,
        variables: Sequence[Variable],
        directions: Array,
        first: tuple[Array, Array],
        weights: Array,
        change: ChangeOfWeights,
    ) -> AdjointMethod:
        """Return the cotangents at the start with their tangents along some directions."""
        run, (known, _, recorded) = self.run, self._stored
        compiled = TangentMethod(run.system, self._method, run.control, variables, directions)
        starts = directions.T @ first[0], directions.T @ first[1]
        trail, outputs = tangent_trail(run, self._start, self._stored, compiled, starts)
        wide = np.zeros((*weights.shape, compiled.width))
        wide[..., 0] = weights
        for lane in range(directions.shape[1]):
            if directions[:, lane].any():
                wide[..., 1 + lane] = change(outputs[..., lane])
        numbers = np.where(wide.any(axis=(1, 2)), np.arange(len(wide)), -1)
        weighted = np.full(len(known.t), -1, dtype=np.int64)
        weighted[recorded] = numbers
        adjoint = AdjointMethod(run.system, self._method, run.control, compiled.prepared, compiled.width)
        adjoint.reverse(trail, weighted, wide)
        adjoint.reverse_start(run.begin.t, trail.q[0], trail.v[0])
        return adjoint


def _unsupported(run: Run, reason: str) -> UnsupportedMethodError:
    return UnsupportedMethodError(
        f"Runs of '{run.system.name}' with method '{run.method.name}' have no second derivatives: {reason}."
    )
