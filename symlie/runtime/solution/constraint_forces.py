"""Constraint forces on nodes, from the multipliers of a solution."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import UnknownNameError
from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution


def constraint_force(solution: Solution, node: str, constraints: Sequence[str]) -> Array:
    """See `symlie.runtime.solution.solution.Solution.constraint_force`."""
    layout, system = solution.system.layout, solution.system
    unknown = [name for name in constraints if name not in layout.constraints]
    if unknown:
        known = ", ".join(layout.constraints) or "none"
        raise UnknownNameError(f"Model '{system.name}' has no constraint '{unknown[0]}'; it has: {known}.")
    counted = np.ones(layout.rows) if not constraints else np.zeros(layout.rows)
    for name in constraints:
        counted[layout.constraints[name].rows] = 1.0
    states = dataclasses.replace(solution.states, multipliers=counted * solution.multipliers)
    found = system.kernels.observe(system.prepared, states, ("constraint_force",))
    return layout.node(node).by_node(found["constraint_force"], velocity=True)
