"""What executors are handed: tasks with members, which they run."""

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
    """What is to be done with members of an ensemble."""

    @property
    def design(self) -> Design:
        """The members."""

    @property
    def times(self) -> Array:
        """Times of histories, in s; empty where only ends are kept."""

    @property
    def line(self) -> int:
        """Number of members that stay together, since each needs what was found of the one before."""

    def of(self, design: Design) -> Self:
        """The same with other members."""

    def part(self, begin: int, end: int) -> Self:
        """The same with some of the members, by their rows."""

    def run(self, check: Callable[[], None]) -> MemberResults:
        """What becomes of the members.

        Parameters
        ----------
        check
            Called every 50 ms or so; where it raises `StoppedError`, members that are not done are not run.
        """

    def again(self, row: int) -> Solution | Equilibrium | Linearization:
        """Everything that is to be had of a member, by its row."""


def run_chunk(task: MemberTask, check: Callable[[], None] = lambda: None) -> MemberResults:
    """Run a task; what executors are given, since they take functions of modules.

    Parameters
    ----------
    task
        The task.
    check
        As in `MemberTask.run`.
    """
    return task.run(check)
