"""Tasks with members, as submitted to executors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self

from symlie.ensembles.design import Design
from symlie.ensembles.results import MemberResults
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.statics.equilibrium import Equilibrium
from symlie.runtime.statics.linearization import Linearization


class MemberTask(Protocol):
    """Interface of tasks."""

    @property
    def design(self) -> Design:
        """The members."""

    @property
    def times(self) -> Array:
        """Times of histories, in s; empty if only ends are recorded."""

    @property
    def line(self) -> int:
        """Number of consecutive members that belong together, because each needs the result of the previous one."""

    def of(self, design: Design) -> Self:
        """Return the task for different members."""

    def part(self, begin: int, end: int) -> Self:
        """Return the task for a range of members, by index."""

    def run(self, check: Callable[[], None]) -> MemberResults:
        """Run the members; `check` is called about every 50 ms and stops them by raising `StoppedError`."""

    def again(self, row: int) -> Solution | Equilibrium | Linearization:
        """Compute a member again, by index, and return its complete result."""


def run_chunk(task: MemberTask, check: Callable[[], None] = lambda: None) -> MemberResults:
    """Run a task; a module-level function, as executors require."""
    return task.run(check)
