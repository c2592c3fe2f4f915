"""Pickling of solutions: the system, the recorded states, and all outputs computed so far."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from symlie.runtime.solution.outputs import Outputs
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.pickling import opened, sealed
from symlie.runtime.system.system import System


def pickled_solution(solution: Solution) -> tuple[Callable[..., Solution], tuple[object, ...]]:
    """Return the function and its arguments that pickle stores for a solution."""
    names = [f.name for f in dataclasses.fields(solution) if f.name != "system"]
    recorded = {name: getattr(solution, name) for name in names}
    # The system is not serialised with each solution, so that a pickle of several solutions contains it once.
    return _solution, (solution.system, *sealed((recorded, solution.outputs.known, solution.known_fields)))


def _solution(system: System, version: str, checksum: int, data: bytes) -> Solution:
    recorded, outputs, fields = opened("a solution", version, checksum, data)
    solution = Solution(system, **recorded)
    solution.__dict__["outputs"] = Outputs(solution, outputs)
    solution.known_fields.update(fields)
    return solution
