"""Records of an integration: states, attempted steps, events."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from symlie.runtime.kernels.rows import Rows
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.trace import TRACE_COLUMNS, Trace, trace_of
from symlie.utilities.showing import Brief, brief, line


@dataclass(frozen=True, repr=False)
class Statistics:
    """Work and accuracy of an integration, from `Solution.statistics`."""

    steps: int = 0
    """Number of accepted steps."""
    accepted: int = 0
    """Number of accepted steps; equal to ``steps``."""
    rejected: int = 0
    """Number of rejected steps."""
    rhs_evaluations: int = 0
    """Number of evaluations of the equations of motion."""
    newton_iterations: int = 0
    """Number of Newton corrections of implicit steps."""
    jacobians: int = 0
    """Number of evaluated Newton matrices, without those that a continued run repeats."""
    factorisations: int = 0
    """Number of matrix factorisations."""
    back_substitutions: int = 0
    """Number of linear systems solved with a factorisation."""
    refreshes: int = 0
    """Number of Newton matrices that replaced a stored factorisation because of slow convergence."""
    halvings: int = 0
    """Number of halvings of Newton corrections that did not reduce the residual."""
    rounding_floor: int = 0
    """Number of steps whose residual stagnated at the level of rounding, above the tolerance."""
    most_newton_iterations: int = 0
    """Largest number of Newton corrections of a step."""
    slowest_step: float = 0.0
    """Start time of this step, in s."""
    slowest_row: str = ""
    """Velocity component or constraint equation with the largest residual before the last correction of this step."""
    steps_of_order_1: int = 0
    """Number of accepted steps of order 1, for variable-order methods."""
    steps_of_order_2: int = 0
    """Number of accepted steps of order 2."""
    steps_of_order_3: int = 0
    """Number of accepted steps of order 3."""
    steps_of_order_4: int = 0
    """Number of accepted steps of order 4."""
    steps_of_order_5: int = 0
    """Number of accepted steps of order 5."""
    max_constraint_residual: float = 0.0
    """Largest component of Φ over all steps, in absolute value."""
    max_velocity_residual: float = 0.0
    """Largest component of B v + b over all steps, in absolute value."""
    cpu_seconds: float = 0.0
    """Processor time of the time loop, in s."""
    derive_seconds: float = 0.0
    """Time of the derivation of the system, in s; 0 if it was in the cache."""
    emit_seconds: float = 0.0
    """Time of the code generation, in s; 0 if the code was in the cache."""
    compile_seconds: float = 0.0
    """Time of the compilation, in s; 0 if the code was in the cache."""

    def __repr__(self) -> str:
        counted = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return line("Statistics", [f"{name}={brief(value)}" for name, value in counted.items() if value])


@dataclass(frozen=True, eq=False, repr=False)
class Event(Brief):
    """Event of a run with its state, from `Solution.events`; `Model.event` defines events."""

    name: str
    """Name of the event."""
    instance: int
    """Index of the element, for an event of an element type; otherwise 0."""
    t: float
    """Time, in s."""
    q: Array
    """Configuration, shape (storage,)."""
    v: Array
    """Velocity, shape (dimension,)."""
    multipliers: Array
    """λ, shape (constraint equations,)."""
    carried: Array
    """Auxiliary integrator state."""
    is_terminal: bool
    """True for a terminal event, which ends the run."""
    own: Array = field(default_factory=lambda: np.zeros(0))
    """Method history."""


class RankChange(NamedTuple):
    """State at which the rank of the constraint equations changed, or nearly changed."""

    t: float
    q: Array
    v: Array


class Recorder:
    """Collection of recorded states, attempted steps, events, and the first rank changes of the constraints."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._states = Rows(1, layout.storage, layout.dimension, layout.rows, layout.carried_size)
        self.trace = Rows(len(TRACE_COLUMNS))
        self.events: list[Event] = []
        self.rank_changes: list[RankChange] = []

    def __len__(self) -> int:
        return len(self._states)

    def __repr__(self) -> str:
        return line("Recorder", [f"{len(self)} states", f"{len(self.events)} events"])

    @property
    def nbytes(self) -> int:
        """Size of states and trace in bytes."""
        return self.trace.nbytes + self._states.nbytes

    def add_states(self, t: Array, q: Array, v: Array, multipliers: Array, carried: Array) -> None:
        """Add several states: all of them, or none if memory is insufficient."""
        self._states.add(t, q, v, multipliers, carried)

    def add_state(self, t: float, q: Array, v: Array, multipliers: Array, carried: Array) -> None:
        """Add one state."""
        self.add_states(np.array([t]), q, v, multipliers, carried)

    def add_last(self, t: float, q: Array, v: Array, multipliers: Array, carried: Array) -> None:
        """Add the state at which an integration stopped, unless it is recorded already."""
        if not len(self) or self._states.last()[0] != t:
            self.add_state(t, q, v, multipliers, carried)

    def add_trace(self, rows: Array) -> None:
        """Add attempted steps with the columns of `TRACE_COLUMNS`."""
        self.trace.add(rows)

    def add_event(
        self, index: int, t: float, q: Array, v: Array, multipliers: Array, carried: Array, own: Array
    ) -> None:
        """Add an event with the index of its function."""
        value = self.layout.events[index]
        q, v, multipliers, carried, own = (part.copy() for part in (q, v, multipliers, carried, own))
        self.events.append(Event(value.name, value.instance, t, q, v, multipliers, carried, value.is_terminal, own))

    def take(self, other: Recorder) -> None:
        """Move all records of another recorder to the end of this one."""
        t, q, v, multipliers, carried = other.taken_states()
        self.add_states(t, q, v, multipliers, carried)
        self.trace.add(*other.trace.taken())
        self.events += other.events
        other.events.clear()

    def copied(self, states: int | None = None, events: int | None = None) -> Recorder:
        """Return a copy with the first states and events; default: all of them."""
        found = Recorder(self.layout)
        found._states.add(*(column[:states] for column in self._states.since(0)))
        found.trace.add(*self.trace.since(0))
        found.events, found.rank_changes = self.events[:events], [*self.rank_changes]
        return found

    @property
    def times(self) -> Array:
        """Copy of the recorded times, shape (n,)."""
        return self._states.since(0)[0].reshape(-1)

    def states_since(self, first: int) -> Array:
        """Return a copy of the states from index `first` on, with the columns (t, q, v, λ, auxiliary state)."""
        return np.hstack(self._states.since(first))

    def taken_states(self) -> tuple[Array, Array, Array, Array, Array]:
        """Remove and return all recorded (t, q, v, λ, auxiliary state)."""
        t, q, v, multipliers, carried = self._states.taken()
        return t.reshape(-1), q, v, multipliers, carried

    def taken_trace(self) -> Trace | None:
        """Remove and return the trace, or return None if there is none."""
        if not len(self.trace):
            return None
        return trace_of(dict(zip(TRACE_COLUMNS, self.trace.taken()[0].T, strict=True)))
