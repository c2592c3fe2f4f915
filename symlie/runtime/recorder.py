"""What an integration leaves behind: states, tried steps, events."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np

from symlie.runtime.layout import Array, Layout
from symlie.showing import Brief, line


@dataclass(frozen=True, repr=False)
class Statistics:
    """Work and quality of an integration."""

    steps: int = 0
    accepted: int = 0
    rejected: int = 0
    rhs_evaluations: int = 0
    newton_iterations: int = 0
    jacobians: int = 0
    max_constraint_residual: float = 0.0
    """Largest |entry| of Φ over all steps."""
    max_velocity_residual: float = 0.0
    """Largest |entry| of B v + b over all steps."""
    cpu_seconds: float = 0.0
    """Processor time of the time loop alone."""
    derive_seconds: float = 0.0
    emit_seconds: float = 0.0
    compile_seconds: float = 0.0

    def __repr__(self) -> str:
        counted = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return line("Statistics", [f"{name}={value:.3g}" for name, value in counted.items() if value])


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Brief):
    """Tried steps of an integration, accepted or not.

    Attributes
    ----------
    t, h
        Start and length of each step, shape (n,), in s.
    error
        Estimate of the local error relative to the tolerances, shape (n,); NaN where a step had no result.
    accepted
        Which steps were accepted, shape (n,).
    """

    t: Array
    h: Array
    error: Array
    accepted: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Event(Brief):
    """An event that happened: its name, the instance of its element type, and the state."""

    name: str
    instance: int
    t: float
    q: Array
    v: Array
    multipliers: Array
    carried: Array
    is_terminal: bool


@dataclass(repr=False)
class Recorder(Brief):
    """Collects recorded states, tried steps and events."""

    layout: Layout
    t: list[Array] = field(default_factory=list)
    q: list[Array] = field(default_factory=list)
    v: list[Array] = field(default_factory=list)
    multipliers: list[Array] = field(default_factory=list)
    carried: list[Array] = field(default_factory=list)
    trace: list[Array] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def add_states(self, t: Array, q: Array, v: Array, multipliers: Array, carried: Array) -> None:
        """Add rows of states."""
        n = len(t)
        if not n:
            return
        self.t.append(np.array(t))
        self.q.append(np.array(q).reshape(n, self.layout.storage))
        self.v.append(np.array(v).reshape(n, self.layout.dimension))
        self.multipliers.append(np.array(multipliers).reshape(n, self.layout.rows))
        self.carried.append(np.array(carried).reshape(n, self.layout.carried_size))

    def add_state(self, t: float, q: Array, v: Array, multipliers: Array, carried: Array) -> None:
        """Add one state."""
        self.add_states(np.array([t]), q, v, multipliers, carried)

    def add_last(self, t: float, q: Array, v: Array, multipliers: Array, carried: Array) -> None:
        """Add the state at which an integration stopped, unless it is there already."""
        if t not in (times[-1] for times in self.t[-2:] if len(times)):
            self.add_state(t, q, v, multipliers, carried)

    def add_trace(self, rows: Array) -> None:
        """Add rows (t, h, error, accepted)."""
        self.trace.append(np.array(rows).reshape(-1, 4))

    def add_event(self, index: int, t: float, q: Array, v: Array, multipliers: Array, carried: Array) -> None:
        """Add an event by the index of its value."""
        value = self.layout.events[index]
        q, v, multipliers, carried = (part.copy() for part in (q, v, multipliers, carried))
        self.events.append(Event(value.name, value.instance, t, q, v, multipliers, carried, value.is_terminal))

    def take(self, other: Recorder) -> None:
        """Move everything from another recorder to the end of this one."""
        for name in ("t", "q", "v", "multipliers", "carried", "trace", "events"):
            getattr(self, name).extend(getattr(other, name))
            getattr(other, name).clear()

    def states(self) -> tuple[Array, Array, Array, Array, Array]:
        """All recorded (t, q, v, λ, carried)."""
        columns = (self.t, self.q, self.v, self.multipliers, self.carried)
        if not self.t:
            sizes = (self.layout.storage, self.layout.dimension, self.layout.rows, self.layout.carried_size)
            q, v, multipliers, carried = (np.zeros((0, n)) for n in sizes)
            return np.zeros(0), q, v, multipliers, carried
        t, q, v, multipliers, carried = (np.concatenate(rows) for rows in columns)
        return t, q, v, multipliers, carried

    def tried(self) -> Trace | None:
        """The trace, if there is one."""
        if not self.trace:
            return None
        t, h, error, accepted = np.concatenate(self.trace).T.copy()
        return Trace(t, h, error, accepted != 0)
