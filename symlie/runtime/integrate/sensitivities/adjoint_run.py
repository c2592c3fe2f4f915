"""Gradients of runs in compiled code, in reverse: their cost does not depend on the number of variables."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.integrate.c_loop import CompiledIntegration
from symlie.runtime.integrate.loop_state import LoopState
from symlie.runtime.integrate.monitors.accumulation import ACCUMULATION
from symlie.runtime.integrate.request import beginning, requested
from symlie.runtime.integrate.run import Run
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.adjoint_method import AdjointMethod, CotangentsAtStart
from symlie.runtime.integrate.sensitivities.checkpoints import Checkpoints
from symlie.runtime.integrate.sensitivities.passages.event_cotangents import EventCotangents
from symlie.runtime.integrate.sensitivities.passages.movement import Movement, lengths_in_history
from symlie.runtime.integrate.sensitivities.passages.passage_loop import parts_of
from symlie.runtime.integrate.sensitivities.start import check_contacts_at_start, start_tangents
from symlie.runtime.integrate.sensitivities.tangent_parameters import knots_in
from symlie.runtime.integrate.sensitivities.tangent_run import check_with_tangents, has_tangents
from symlie.runtime.integrate.sensitivities.trail import Start, Trail, TrailOfRun, steps_end_at_events, trail_of_run
from symlie.runtime.integrate.sensitivities.variables import InputVariable, ParameterVariable, Variable
from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.parameter_places import parameter_places
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.solution.recorder import Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.steps.adjoint.transposition import missing_rule
from symlie.runtime.steps.program import features_of
from symlie.runtime.system.inputs import tables_in_use
from symlie.runtime.system.system import System

Indices: TypeAlias = NDArray[np.int64]
"""Indices of states."""

COLUMNS = 256
"""Number of values of a table whose polynomials are computed at once."""


class AdjointRun:
    """Run whose states are stored, or repeated from checkpoints.

    Attributes
    ----------
    run
        The run.
    solution
        Its solution, with the states that `solve` records.
    """

    def __init__(
        self, run: Run, method: ProgrammedMethod, solution: Solution, stored: TrailOfRun | Checkpoints
    ) -> None:
        self.run, self.solution, self._method, self._stored = run, solution, method, stored
        self._start = Start.of(method, run)
        self._movement = Movement(solution, lengths_in_history(method), is_adaptive=run.control.is_adaptive)

    @cached_property
    def _loop(self) -> CompiledIntegration:
        """Time loop that repeats steps."""
        run = self.run
        return CompiledIntegration(run.system, run.method, run.plan, run.control, run.begin, record_every=0)

    @classmethod
    def of(
        cls,
        system: System,
        t_span: tuple[float, float] | float,
        options: RunOptions,
        *,
        memory: int | None = None,
    ) -> AdjointRun | None:
        """Return a run from the initial state, with a bound of the memory for its states in bytes, or None if its steps
        or events have no adjoint; raise UnsupportedMethodError if it has no derivatives, ModelError if not even one
        state fits into the memory, and the errors of `solve`."""
        if system.backend != "c":
            return None
        request = requested(system, t_span, options)
        parts = request.method, request.plan, request.control, request.record_every, request.settings
        run = Run(system, *parts, system.timings, beginning(system, request))
        check_with_tangents(run)
        method = run.method
        if not isinstance(method, ProgrammedMethod) or refusal_of_adjoint(run, method) or refusal_of_events(run):
            return None
        check_contacts_at_start(system, request.t0)
        start = Start.of(method, run)
        if memory is None:
            found = trail_of_run(run, start, records_start=request.records_start)
            adjoint = cls(run, method, found.solution, found)
        else:
            recorder, begin = Recorder(run.system.layout), run.begin.at
            if request.records_start:
                recorder.add_state(request.t0, begin.q, begin.v, begin.multipliers, begin.carried)
            checkpoints = Checkpoints(run, start, memory)
            adjoint = cls(run, method, checkpoints.run(recorder), checkpoints)
        return None if adjoint._movement.coincides or adjoint.solution.status == ACCUMULATION else adjoint

    def is_worthwhile(self, variables: int) -> bool:
        """Return whether passages of events have fewer tangents than a forward run for some variables."""
        passed = len(self._movement.times) * (2 + lengths_in_history(self._method))
        parts = parts_of(self.run.system, self._method, self._start)
        return passed * (variables + sum(p.size for p in parts)) <= variables * self.solution.statistics.steps

    def gradient(
        self, variables: Sequence[Variable], weights: Array, at_end: tuple[Array, Array] | None = None
    ) -> Array:
        """Return the derivatives Σ weight·∂y/∂p of outputs y by variables p, shape (variables,), for weights of shape
        (states, components), and for cotangents of q and v at the end; raise ModelError if an event has no
        derivatives."""
        system, begin = self.run.system, self.run.begin
        adjoint = AdjointMethod(system, self._method, self.run.control)
        cotangents = adjoint.cotangents.part()
        if at_end is not None:
            cotangents.q[:], cotangents.v[:] = at_end
        of_events = None
        if len(self._movement.times):
            of_events = EventCotangents(self.run, self._method, self._start, variables, weights)
        take = functools.partial(self._reverse, adjoint, weights, of_events)
        if isinstance(self._stored, Checkpoints):
            self._stored.reverse(take)
        else:
            take(self._stored.trail, self._stored.anchors, None)
        adjoint.reverse_start(begin.t, begin.at.q, begin.at.v)
        t0 = float(self.run.settings["t_span"][0])
        total = by_variables(system, variables, start_tangents(system, t0, begin.at.q, variables), cotangents)
        return total if of_events is None else total + of_events.total

    def _reverse(
        self,
        adjoint: AdjointMethod,
        weights: Array,
        of_events: EventCotangents | None,
        trail: Trail,
        anchors: Sequence[LoopState],
        settled: int | None,
    ) -> None:
        """Propagate the cotangents through a block of steps, whose first state belongs to the previous block; an event
        before it moves the times of states up to step ``settled``."""
        end = len(trail.t) - 1
        for passage in reversed(self._movement.passages(trail, settled)):
            self._reverse_steps(adjoint, weights, trail.part(passage.last, end))
            end = passage.first
            if passage.begins_before:
                return
            assert of_events is not None
            before = self._state(anchors, float(trail.t[end]), int(trail.number[end]))
            last = None if passage.is_open else int(trail.number[passage.last])
            first = int(np.searchsorted(self.solution.t, trail.t[end], side="right"))
            of_events.reverse(before, last, first, adjoint.cotangents)
        self._reverse_steps(adjoint, weights, trail.part(0, end))

    def _state(self, anchors: Sequence[LoopState], t: float, steps: int) -> LoopState:
        """Return the first state after some number of steps, at a time, from a known state before it."""
        loop = self._loop
        # A known state at this time may be the one after an event.
        loop.put(next((x for x in reversed(anchors) if x.t < t), anchors[0]))
        while loop.steps < steps:
            loop.advance(steps - loop.steps)
            loop.drain(Recorder(self.run.system.layout))
        return loop.captured()

    def _reverse_steps(self, adjoint: AdjointMethod, weights: Array, trail: Trail) -> None:
        """Propagate the cotangents through steps without events."""
        is_first, weighted = trail.number[0] == 0, np.full(len(trail.t), -1, dtype=np.int64)
        begin = int(np.searchsorted(self.solution.t, trail.t[0], side="left" if is_first else "right"))
        end = int(np.searchsorted(self.solution.t, trail.t[-1], side="right"))
        numbers = np.where(weights[begin:end].any(axis=1), np.arange(end - begin), -1)
        weighted[np.searchsorted(trail.t, self.solution.t[begin:end])] = numbers
        adjoint.reverse(trail, weighted, weights[begin:end])


def by_variables(
    system: System, variables: Sequence[Variable], starts: tuple[Array, Array], found: CotangentsAtStart
) -> Array:
    """Return the derivatives by variables for cotangents at the start of a run and the derivatives of the start."""
    dq, dv = starts
    total = dq @ found.q + dv @ found.v
    of_parameters = _by_parameters(system, found)
    names = dict.fromkeys(v.name for v in variables if isinstance(v, InputVariable))
    of_inputs = {name: _by_values(system, name, found) for name in names}
    for k, variable in enumerate(variables):
        if isinstance(variable, ParameterVariable):
            total[k] += variable.direction(system) @ of_parameters
        elif isinstance(variable, InputVariable):
            total[k] += of_inputs[variable.name][variable.index]
    return np.asarray(total)


def refusal_of_adjoint(run: Run, method: ProgrammedMethod) -> str:
    """Return why the steps of a run have no adjoint; empty if they have."""
    system, layout = run.system, run.system.layout
    if method.coordinates != "exp":
        return "steps are taken in other local coordinates than exp"
    features = features_of(system.mechanics, compiled=True)
    program = method.known_program(features)
    if program.history:
        return "steps depend on the states of earlier ones"
    starter = method.substeps(features)
    further = method.first_values(features), method.start_program(features), starter
    for part in (program, *further):
        if part is not None and (name := missing_rule(part)):
            return f"the instruction {name} has no transposed rule"
    if method.kernel_set == "interpolation" and not method.takes_element_matrix:
        return "loads within a step have no transposed rule if newton=simplified"
    if features.has_redundant_rows and layout.compliance.any():
        return "compliances determine the multipliers of redundant constraints"
    if features.has_redundant_rows and features.has_fields and program.is_implicit:
        return "constraints of implicit steps with first-order states may be redundant"
    if method.composition is not None and (features.has_redundant_rows or run.control.is_projected):
        return "composed steps are projected, or their constraints may be redundant"
    if layout.has_coordinate_rates:
        return "the model is stepped in stored coordinates of rotations"
    has_gaps = any(
        not a < b and is_recorded
        for a, b, is_recorded in zip(run.plan.start, run.plan.end, run.plan.record_end, strict=True)
    )
    return "states within a jump are recorded" if has_gaps else ""


def refusal_of_events(run: Run) -> str:
    """Return why events of a run have no adjoint; empty if they have."""
    layout = run.system.layout
    if layout.turning_contacts:
        return "contacts slide in two directions"
    if layout.contacts[:, CONTACT_TABLE.index("reactions")].any():
        return "friction follows reactions of constraints"
    return "" if not steps_end_at_events(layout) or has_tangents(run.system) else "events need C++"


def _by_parameters(system: System, found: CotangentsAtStart) -> Array:
    """Return the derivatives by all parameters, in the order of `parameter_places`."""
    layout = system.layout
    model, (size, places) = len(layout.parameter_defaults), parameter_places(layout)
    total, begin = np.zeros(size), model
    total[:model] = found.parameters[:model]
    for of_elements in places:
        own = of_elements[:, model:]
        np.add.at(total, own, found.parameters[begin : begin + own.size].reshape(own.shape))
        begin += own.size
    return total


def _by_values(system: System, name: str, found: CotangentsAtStart) -> Array:
    """Return the derivatives by the values of the table of an input, shape (knots, components)."""
    begin = system.layout.prepared_parameters
    for other, table in tables_in_use(system.layout, system.inputs).items():
        if other == name:
            break
        begin += len(table.packed)
    table = system.inputs[name]
    knots, components = table.values.shape
    by_numbers = found.tables[begin : begin + len(table.packed)]
    by_coefficients = by_numbers[knots_in(table) :].reshape(components, -1)
    total = np.zeros((knots, components))
    for first in range(0, knots, COLUMNS):
        units = np.eye(knots, min(COLUMNS, knots - first), -first)
        packed = dataclasses.replace(table, values=units).packed
        basis = packed[len(packed) - units.shape[1] * by_coefficients.shape[1] :].reshape(units.shape[1], -1)
        total[first : first + COLUMNS] = basis @ by_coefficients.T
    return total
