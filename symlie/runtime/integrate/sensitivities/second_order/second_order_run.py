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
from symlie.runtime.solution.start import Start as State
from symlie.runtime.system.system import System

ChangeOfWeights = Callable[[Array], Array]
"""Function of the tangents of all outputs along one direction that returns the change of their weights; both have shape
(states, components)."""


class Products(NamedTuple):
    """Gradient of a function of outputs, shape (variables,), and products of its Hessian with directions, shape
    (variables, directions)."""

    gradient: Array
    products: Array


class EndCotangents(NamedTuple):
    """Cotangents at the end of a run.

    Attributes
    ----------
    q, v
        Cotangents of q, dual to tangents in the Lie algebra, and of v, shape (dimension,).
    change
        Function of the tangents of q and v at the end that returns the tangents of the cotangents, all of shape
        (tangents, dimension).
    """

    q: Array
    v: Array
    change: Callable[[Array, Array], tuple[Array, Array]]


class Reversed(NamedTuple):
    """Cotangents at the start of a run along some directions.

    Attributes
    ----------
    q
        Cotangents of q at the start, shape (dimension,).
    dq, dv
        Tangents of the cotangents of q and v at the start, shape (directions, dimension).
    variables
        Tangents of the derivatives by variables, shape (directions, variables).
    end
        Tangents of q at the end, shape (directions, dimension).
    """

    q: Array
    dq: Array
    dv: Array
    variables: Array
    end: Array


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
    def of(
        cls, system: System, t_span: tuple[float, float] | float, options: RunOptions, begin: State | None = None
    ) -> SecondOrderRun:
        """Return a run from the initial state or from a consistent one; raise UnsupportedMethodError if its gradients
        have no derivatives, and the errors of `solve`."""
        request = requested(system, t_span, options)
        parts = request.method, request.plan, request.control, request.record_every, request.settings
        run = Run(system, *parts, system.timings, beginning(system, request, begin))
        check_with_tangents(run)
        method = run.method
        reason = "" if has_tangents(system) else "they need compiled code, without fused operations, and C++"
        if not isinstance(method, ProgrammedMethod):
            reason = "its steps are no step program"
        if reason or not isinstance(method, ProgrammedMethod) or (reason := _refusal(run, method)):
            raise _unsupported(run, reason)
        start = Start.of(method, run)
        found = trail_of_run(run, start, records_start=request.records_start)
        if found.solution.status == "event":
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
            starts = chosen.T @ first[0], chosen.T @ first[1]
            adjoint, _ = self._reverse(variables, chosen, starts, weights, change)
            at_start = adjoint.cotangents.part()
            if curvature is None:
                gradient = by_variables(system, variables, first, at_start)
                curvature = StartCurvature(system, begin.t, variables, first, (at_start.q, at_start.v))
            for lane, k in enumerate(range(part.start, part.stop), start=1):
                of_lane = by_variables(system, variables, first, adjoint.cotangents.part(lane))
                products[:, k] = of_lane + curvature.along(directions[:, k])
        return Products(gradient, products)

    def reversed(
        self,
        variables: Sequence[Variable],
        directions: Array,
        starts: tuple[Array, Array],
        weights: Array,
        end: EndCotangents,
    ) -> Reversed:
        """Return cotangents for weights of outputs, shape (states, components), and for those of the end, along
        directions of variables that do not move the start, shape (variables, directions), with tangents of q and v at
        the start, shape (directions, dimension)."""
        count, parts = directions.shape[1], list[Reversed]()
        tangents = next((n for n in COUNTS if n >= count), AT_ONCE)
        nothing = np.zeros((len(variables), self.run.system.layout.dimension))
        for first in range(0, count, tangents):
            own = slice(first, min(first + tangents, count))
            lanes = range(1, own.stop - own.start + 1)
            chosen = np.zeros((len(variables), tangents))
            chosen[:, : len(lanes)] = directions[:, own]
            padded = [np.vstack([x[own], np.zeros((tangents - len(lanes), x.shape[1]))]) for x in starts]
            adjoint, ends = self._reverse(variables, chosen, (padded[0], padded[1]), weights, None, end)
            found = [adjoint.cotangents.part(lane) for lane in lanes]
            by = [by_variables(self.run.system, variables, (nothing, nothing), x) for x in found]
            dq, dv = (np.array([getattr(x, name) for x in found]) for name in ("q", "v"))
            parts.append(Reversed(adjoint.cotangents.part().q.copy(), dq, dv, np.array(by), ends[: len(lanes)]))
        return Reversed(parts[0].q, *(np.concatenate([p[k] for p in parts]) for k in range(1, len(Reversed._fields))))

    def _reverse(
        self,
        variables: Sequence[Variable],
        directions: Array,
        starts: tuple[Array, Array],
        weights: Array,
        change: ChangeOfWeights | None,
        end: EndCotangents | None = None,
    ) -> tuple[AdjointMethod, Array]:
        """Return the cotangents at the start with their tangents along some directions, and the tangents of q at the
        end."""
        run, (known, _, recorded, _) = self.run, self._stored
        compiled = TangentMethod(run.system, self._method, run.control, variables, directions)
        trail, outputs, ends = tangent_trail(run, self._start, self._stored, compiled, starts)
        wide = np.zeros((*weights.shape, compiled.width))
        wide[..., 0] = weights
        for lane in range(directions.shape[1]):
            if change is not None and directions[:, lane].any():
                wide[..., 1 + lane] = change(outputs[..., lane])
        numbers = np.where(wide.any(axis=(1, 2)), np.arange(len(wide)), -1)
        weighted = np.full(len(known.t), -1, dtype=np.int64)
        weighted[recorded] = numbers
        adjoint = AdjointMethod(run.system, self._method, run.control, compiled.prepared, compiled.width)
        if end is not None:
            at_end = adjoint.cotangents.part()
            at_end.q[:], at_end.v[:] = end.q, end.v
            for lane, (dq, dv) in enumerate(zip(*end.change(*ends), strict=True), start=1):
                of_lane = adjoint.cotangents.part(lane)
                of_lane.q[:], of_lane.v[:] = dq, dv
        adjoint.reverse(trail, weighted, wide)
        adjoint.reverse_start(run.begin.t, trail.q[0], trail.v[0])
        return adjoint, ends[0]


def _refusal(run: Run, method: ProgrammedMethod) -> str:
    """Return why adjoint steps of a run have no derivatives; empty if they have."""
    layout = run.system.layout
    if layout.changes_state or layout.has_activities:
        return "events change the state or the constraints of the model"
    if run.system.mechanics.takes_redundant_rows:
        return "constraint equations may be redundant"
    return refusal_of_adjoint(run, method)


def _unsupported(run: Run, reason: str) -> UnsupportedMethodError:
    return UnsupportedMethodError(
        f"Runs of '{run.system.name}' with method '{run.method.name}' have no second derivatives: {reason}."
    )
