"""Simulations that are advanced step by step from Python."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.contract.constants import Status
from symlie.errors import ControllerError, IntegrationError, ModelError
from symlie.runtime.integrate.loop_state import Counters, LoopState
from symlie.runtime.integrate.request import Request, count_dependent_rows, request_of
from symlie.runtime.integrate.run import FAILURES, RETURN_SECONDS, Run, solution_of
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.segments import LARGEST_STEPS
from symlie.runtime.integrate.simulation.course import Course, Position
from symlie.runtime.integrate.simulation.jump import Occurred, Velocity, state_after_jump
from symlie.runtime.integrate.simulation.sampled import Sampled, checked_controllers
from symlie.runtime.integrate.simulation.sampling import Sampling, SavedSampling
from symlie.runtime.integrate.simulation.schedule import Schedule
from symlie.runtime.integrate.simulation.simulator_inputs import HeldValues, SimulatorInputs
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.self_adjoint import check_composition
from symlie.runtime.solution.evaluation.outputs import outputs
from symlie.runtime.solution.evaluation.states import checked_state
from symlie.runtime.solution.recorder import Event, Recorder
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import Start, start_of
from symlie.runtime.solution.state import State, single_state
from symlie.runtime.system.completion import StatedState, consistent_initial_state
from symlie.runtime.system.system import System
from symlie.utilities.number_checks import is_number
from symlie.utilities.showing import line

GO_ON = "continue by jump, set_state or restore"
"""Advice after the end of a simulation."""


@dataclass(frozen=True, eq=False, repr=False)
class SavedSimulation:
    """Data of a simulation from `Simulator.save`, for `Simulator.restore` of the same simulation."""

    owner: Simulator
    loop: LoopState
    position: Position
    inputs: dict[str, Array]
    history: dict[str, dict[float, Array]]
    records: tuple[int, int]
    ended: str
    occurred: Occurred
    sampling: SavedSampling | None

    def __repr__(self) -> str:
        return line("SavedSimulation", [f"'{self.owner._stated.name}'", f"t = {self.t:g} s"])

    @property
    def t(self) -> float:
        """Time, in s."""
        return self.loop.t


class Simulator:
    """Simulation that is advanced from a loop in Python, from `System.simulator`.

    It has the states of `solve` bit for bit: `advance` those of a run whose ``t_eval`` are the times to which it
    advances, and a value of an input those of a table that holds it from the current time on.
    """

    def __init__(
        self, system: System, t: float, options: RunOptions, *, record: bool, controllers: Sequence[Sampled] | Sampled
    ) -> None:
        if not (is_number(t) and math.isfinite(t)):
            raise ModelError(f"The time of a simulation must be a finite number, not {t!r}.")
        self._stated, self._record = system, bool(record)
        self._held = HeldValues(system)
        found = checked_controllers(system, controllers, options.h)
        self._sampling = Sampling(self._held, found, float(t)) if found else None
        owners = {name: controller.title for controller in found for name in controller.writes}
        self._inputs, self._system = SimulatorInputs(self._held, self._set_input, owners), self._held.system
        self._request, run = self._run_from(float(t), dataclasses.replace(options, record_every=int(self._record)))
        h = None if options.h is None else float(options.h)
        most = run.plan
        if h is not None and self._record:
            # The size of the record buffer depends on the number of steps.
            most = most._replace(steps=(LARGEST_STEPS,) * len(most.steps))
        loop = dataclasses.replace(run, plan=most).loop(run.begin)
        timings = dataclasses.replace(run.timings, compile=run.timings.compile + loop.compile_seconds)
        self._run = dataclasses.replace(run, timings=timings)
        self._budget = max(1, int(RETURN_SECONDS * loop.steps_per_second))
        schedule = Schedule(system, self._held.names, h)
        self._course = Course(self._system, self._request, schedule, loop, h, self._sampling)
        self._loop = loop
        self._unread: list[Event] = []
        self._occurred: Occurred = ()
        self._recorder = Recorder(system.layout)
        self._begin(run.begin)

    def _run_from(self, t: float, options: RunOptions) -> tuple[Request, Run]:
        system, h = self._system, options.h
        request = request_of(system, (t, t + (h if h is not None and is_number(h) else 1.0)), options, None)
        start = start_of(system, t)
        check_composition(system, request.method, t, start.q)
        begin = self._loop_state(t, start)
        parts = request.method, request.plan, request.control, request.record_every, request.settings
        return request, Run(system, *parts, system.timings, begin)

    def __repr__(self) -> str:
        parts = [f"'{self._stated.name}'", self._request.method.name, f"t = {self.t:g} s"]
        return line("Simulator", [*parts, "ended"] if self.is_done else parts)

    @property
    def t(self) -> float:
        """Current time, in s."""
        return self._loop.t

    @property
    def state(self) -> State:
        """Current state, a copy."""
        q, v, multipliers, carried = self._loop.parts()
        for part in (q, v, multipliers):
            part.setflags(write=False)
        return single_state(self._stated, self._loop.t, q, v, multipliers, carried)

    @property
    def inputs(self) -> SimulatorInputs:
        """Values of the inputs by name; ``sim.inputs["u"] = value`` sets one from the current time on.

        A value has the unit of the input and is a number or has the shape (size,). Inputs are zero, or have the value
        of a table of one point from `System.with_input`, before they are set. After a change the method starts
        without its history, as after a jump of a held table in `solve`. Setting raises `UnknownNameError` for unknown
        names, `SmoothnessError` for inputs that the model differentiates, and `ModelError` for values of the wrong size
        or that are not finite, and for inputs with a table of several points.
        """
        return self._inputs

    @property
    def controllers(self) -> tuple[Sampled, ...]:
        """The controllers; `restore` replaces them by copies with the state of their functions at `save`."""
        return () if self._sampling is None else self._sampling.controllers

    @property
    def outputs(self) -> dict[str, Array]:
        """Outputs of the current state by name, as from `System.outputs`, with the current inputs."""
        return outputs(self._system, self.state, None, None)

    @property
    def is_done(self) -> bool:
        """True after a terminal event or a failed step."""
        return bool(self._ended)

    @property
    def events(self) -> tuple[Event, ...]:
        """Events since this attribute was read last, in the order of their times."""
        self._drain()
        found, self._unread = tuple(sorted(self._unread, key=lambda e: e.t)), []
        return found

    def step(self) -> None:
        """Take one accepted step.

        Fixed steps end at the times t + k h, where t is the time of the start or of the last call of `advance` or
        `set_state`, and at jumps and kinks of functions of time.

        Raises
        ------
        ModelError
            If the simulation has ended, or leaves the range of a table.
        IntegrationError
            If the step or a controller fails; the state remains the last valid one.
        """
        self._check_goes_on()
        before = self._loop.steps
        while self._loop.steps == before and not self._ended:
            self._sample()
            self._take(self._course.step())

    def advance(self, until: float) -> None:
        """Advance to a time exactly, or to a terminal event before it.

        Parameters
        ----------
        until
            Time, in s, not before the current one.

        Raises
        ------
        ModelError
            If the time is not a number or before the current time, if the simulation has ended, or if it leaves the
            range of a table.
        IntegrationError
            If a step or a controller fails; the state remains the last valid one.
        """
        if not (is_number(until) and math.isfinite(until)):
            raise ModelError(f"The time to advance to must be a finite number, not {until!r}.")
        if until < self.t:
            raise ModelError(
                f"The simulation is at t = {self.t:.9g} and cannot advance to t = {until:.9g}; use set_state or "
                "restore to go back."
            )
        self._check_goes_on()
        while self._loop.t < until and not self._ended:
            self._sample()
            self._course.head_for(float(until))
            while self._take(self._loop.advance(self._budget)) is not Status.DONE and not self._ended:
                pass

    def set_state(self, state: State | None = None, /, *, t: float | None = None, **nodes: object) -> None:
        """Continue from another state, with a new start of the method; inputs keep their values, and records and
        samples of controllers begin anew.

        Parameters
        ----------
        state
            One state of the system, which must satisfy the constraints.
        t
            Without ``state``: the time, in s; default: the current time.
        **nodes
            Values by name of nodes and joints, as in `System.state`; the others are the initial values of the system,
            and unspecified velocities are completed.

        Raises
        ------
        ModelError
            If the state belongs to another system or is not a single state.
        UnknownNameError
            If a node, a joint or a field does not exist.
        InconsistentInitialValuesError, RedundantConstraintsError, SingularMassMatrixError
            As for `System.initial_state`.
        """
        if state is None:
            state = self._system.state(t=self.t if t is None else t, complete=True, **nodes)
            _check_single(state)
            at, q, v, multipliers = float(state.t), state.q, state.v, state.multipliers
        else:
            if t is not None or nodes:
                raise ModelError("A state contains its time and its values; omit t and the values of nodes.")
            state = checked_state(self._stated, state)
            _check_single(state)
            at = float(state.t)
            stated = StatedState(state.q, state.v, np.ones(len(state.v), dtype=bool))
            found = consistent_initial_state(self._system.mechanics, at, stated)
            q, v, multipliers = found.q, found.v, found.multipliers
        if self._sampling is not None:
            self._sampling.begin(at)
        self._begin(self._loop_state(at, Start(q, v, multipliers, state.carried)))

    def jump(self, velocity: Velocity) -> None:
        """Change velocities at the current time, such as by an impact, and continue, also after a terminal event.

        The method starts again, and records contain both states at this time. Events are not repeated.

        Parameters
        ----------
        velocity
            All velocities, shape (dimension,), or values by name: ``{"ball": {"x_dot": 1.0}}`` for fields of nodes and
            rates of joints. The others change as little as the constraints permit, in the metric of the mass matrix, as
            by the impulses of joints.

        Raises
        ------
        UnknownNameError
            If a node, a joint or a field does not exist.
        ModelError
            If a value has the wrong size or is not finite, or belongs to a prescribed or dependent node.
        InconsistentInitialValuesError
            If the velocities violate a constraint.
        """
        self._drain()
        before = self._loop.captured()
        after = state_after_jump(self._system, before, velocity, self._occurred)
        if self._request.method.restarts_at_kinks:
            after = dataclasses.replace(after, at=dataclasses.replace(after.at, h=0.0))
        self._ended, self._occurred = "", ()
        if self._course.position.is_fresh:
            self._begin(after)
            return
        self._course.jump(after)
        if self._record:
            at = after.at
            self._recorder.add_state(after.t, at.q, at.v, at.multipliers, at.carried)

    def save(self) -> SavedSimulation:
        """Return the data with which `restore` continues from here bit for bit, any number of times.

        Raises
        ------
        ModelError
            If the function of a controller cannot be copied.
        """
        self._drain()
        records = len(self._recorder), len(self._recorder.events)
        kept = copy.deepcopy((self._loop.captured(), self._course.position))
        inputs, history = self._held.copied(), self._held.copied_history()
        sampling = None if self._sampling is None else self._sampling.saved()
        return SavedSimulation(self, *kept, inputs, history, records, self._ended, self._occurred, sampling)

    def restore(self, saved: SavedSimulation) -> None:
        """Return to a saved state, with its inputs; later records and unread events are discarded.

        Parameters
        ----------
        saved
            Data from `save` of this simulation.

        Raises
        ------
        ModelError
            If the data belongs to another simulation.
        """
        if not isinstance(saved, SavedSimulation) or saved.owner is not self:
            raise ModelError("The saved data belongs to another simulation; use data from save() of this one.")
        self._drain()
        for name, value in saved.inputs.items():
            self._held.set(name, value)
        self._course.put(*copy.deepcopy((saved.loop, saved.position)))
        self._ended, self._occurred = saved.ended, saved.occurred
        if self._sampling is not None and saved.sampling is not None:
            self._sampling.put(saved.sampling)
        self._held.history = {name: dict(values) for name, values in saved.history.items()}
        self._recorder, self._unread = self._recorder.copied(*saved.records), []

    def solution(self) -> Solution:
        """Return the states since the start, or since the last call of `set_state`, as a solution.

        Raises
        ------
        ModelError
            If the simulation does not record.
        """
        if not self._record:
            raise ModelError("The simulation does not record its states; use system.simulator(record=True).")
        return self._solution(None)

    def _loop_state(self, t: float, start: Start) -> LoopState:
        dependent = count_dependent_rows(self._system.mechanics, t, start.q, start.v)
        return LoopState(t, start, Counters(dependent_rows=dependent))

    def _begin(self, state: LoopState) -> None:
        """Start the method and the records at a state."""
        self._course.begin(state, self._held.names)
        self._t0, self._ended, at = state.t, "", state.at
        self._occurred = ()
        self._unread, self._recorder = [], Recorder(self._stated.layout)
        self._held.begin(state.t)
        if self._record:
            self._recorder.add_state(state.t, at.q, at.v, at.multipliers, at.carried)

    def _set_input(self, name: str) -> None:
        if self._course.position.is_fresh:
            self._begin(self._with_multipliers(self._loop.captured()))
        elif self._record:
            self._held.keep(name, self._loop.t)
        self._course.change(name)

    def _sample(self) -> None:
        """Call the controllers of the current time."""
        sampling, loop = self._sampling, self._loop
        if sampling is None or loop.t < sampling.clock.next:
            return
        try:
            changed = sampling.act(loop.t, loop.parts)
        except ControllerError as failure:
            self._ended = f"The simulation has ended at t = {self.t:.9g}, where a controller failed; {GO_ON}."
            failure.solution = self._solution(failure)
            raise
        for name in changed:
            self._set_input(name)

    def _with_multipliers(self, state: LoopState) -> LoopState:
        """Return a start with the multipliers of the current inputs."""
        at = state.at
        if len(at.multipliers):
            at = dataclasses.replace(at, multipliers=self._system.mechanics.index1(state.t, at.q, at.v)[1])
        return dataclasses.replace(state, at=at)

    def _check_goes_on(self) -> None:
        if self._ended:
            raise ModelError(self._ended)

    def _take(self, status: Status) -> Status:
        """Take the events and the failure with which the loop returned."""
        if status is Status.BUDGET or status is Status.DONE:
            return status
        self._drain()
        if status in FAILURES:
            raise self._failed(status)
        if status is Status.EVENT or status is Status.ACCUMULATION:
            t = self._loop.t
            self._occurred = tuple((e.name, e.instance) for e in self._unread if e.t == t)
            name = next((e.name for e in reversed(self._unread) if e.is_terminal), self._unread[-1].name)
            self._ended = f"The simulation has ended at t = {t:.9g} by the event '{name}'; {GO_ON}."
        return status

    def _failed(self, status: Status) -> IntegrationError:
        """Exception for a failed step, before which the simulation ends."""
        state, plan = self._loop.captured(), self._course.position.plan
        failure = dataclasses.replace(self._run, plan=plan).failure(status, state)
        if state.t == plan.start[1]:
            # The loop has entered the gap after a jump.
            self._loop.put(dataclasses.replace(state, t=plan.start[0]))
        self._ended = f"The simulation has ended at t = {self.t:.9g}, where a step failed; {GO_ON}."
        failure.solution = self._solution(failure)
        return failure

    def _drain(self) -> None:
        """Move records and events from the loop."""
        if not (self._record or self._loop.new_events):
            return
        known = len(self._recorder.events)
        self._loop.drain(self._recorder)
        self._unread += self._recorder.events[known:]
        if not self._record:
            self._recorder = Recorder(self._stated.layout)

    def _solution(self, failure: IntegrationError | None) -> Solution:
        self._drain()
        state, recorder = self._loop.captured(), self._recorder.copied()
        recorder.add_last(state.t, state.at.q, state.at.v, state.at.multipliers, state.at.carried)
        settings = {**self._run.settings, "t_span": [self._t0, state.t]}
        run = dataclasses.replace(self._run, system=self._held.with_history(), settings=settings)
        return solution_of(run, state, recorder, failure)


def _check_single(state: State) -> None:
    if state.shape:
        raise ModelError(f"A simulation continues from one state, not from states of the shape {state.shape}.")


def simulator(
    system: System,
    t: float,
    options: Mapping[str, object],
    *,
    record: bool,
    controllers: Sequence[Sampled] | Sampled = (),
) -> Simulator:
    """See `symlie.runtime.system.system.System.simulator`."""
    return Simulator(system, t, RunOptions.of(options), record=record, controllers=controllers)
