"""State of a time loop between two steps: all data needed to continue."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from symlie.runtime.implicit.newton_iteration import WORK, NewtonCounts
from symlie.runtime.solution.start import Start


@dataclass
class Counters:
    """Progress of a loop, with the field names of ``symlie_state``."""

    segment: int = 0
    step: int = 0
    steps: int = 0
    rejected: int = 0
    rhs_evaluations: int = 0
    newton_iterations: int = 0
    jacobians: int = 0
    factorisations: int = 0
    back_substitutions: int = 0
    refreshes: int = 0
    halvings: int = 0
    rounding_floor: int = 0
    most_newton_iterations: int = 0
    slowest_step: float = 0.0
    slowest_entry: int = 0
    steps_of_order_1: int = 0
    steps_of_order_2: int = 0
    steps_of_order_3: int = 0
    steps_of_order_4: int = 0
    steps_of_order_5: int = 0
    largest_constraint: float = 0.0
    largest_velocity: float = 0.0
    drift_bound: float = 0.0
    dependent_rows: int = 0
    rank_changes: int = 0
    surprises: int = 0
    watch_reference: float = 0.0
    suspicious_steps: int = 0
    flipped_steps: int = 0
    calm_steps: int = 0
    stiff_since: float = 0.0
    stiff_step: float = 0.0
    chattering_since: float = 0.0
    chattering_step: float = 0.0
    changed_at: float = 0.0
    flight: float = 0.0
    changes_at_once: int = 0
    impacts: int = 0
    is_after_jump: int = 0

    def count_newton(self, t: float, counts: NewtonCounts) -> None:
        """Add the Newton iterations of a step that starts at t."""
        self.newton_iterations += counts.iterations
        for name in WORK:
            setattr(self, name, getattr(self, name) + getattr(counts, name))
        if counts.iterations > self.most_newton_iterations:
            self.most_newton_iterations, self.slowest_step = counts.iterations, t
            self.slowest_entry = counts.slowest

    def count_order(self, order: int) -> None:
        """Add a step of a variable-order method; order 0 for other methods."""
        if order:
            name = f"steps_of_order_{order}"
            setattr(self, name, getattr(self, name) + 1)


OF_CHANGES = ("changed_at", "flight", "changes_at_once", "impacts")
"""Counters of changes of the state at events."""

COUNTERS = tuple(f.name for f in dataclasses.fields(Counters))
"""Names of all counters."""


@dataclass(frozen=True, eq=False)
class LoopState:
    """A time loop between two steps.

    Attributes
    ----------
    t
        Time, in s.
    at
        Configuration, velocity, multipliers, and data of the next step.
    counters
        Position in the step schedule, and statistics.
    cpu_seconds
        Processor time so far.
    is_done
        True after the end or a terminal event.
    """

    t: float
    at: Start
    counters: Counters = field(default_factory=Counters)
    cpu_seconds: float = 0.0
    is_done: bool = False
