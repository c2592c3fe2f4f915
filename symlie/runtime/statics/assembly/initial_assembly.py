"""Assembly of inconsistent initial values: the smallest change that satisfies the constraints.

    min ηᵀ M(q0) η  with  Φ(t, q0∘exp(η)) = 0,   then velocities, see `symlie.runtime.statics.initial_velocities`.

The metric M makes the change independent of units.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.runtime.layout.joint_outputs import COORDINATES, joint_outputs
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.assembly.configurations import KeptCoordinates, assembled_configuration, rest_outputs
from symlie.runtime.statics.assembly.inverse_kinematics import at_targets
from symlie.runtime.statics.initial_velocities import assembled_velocities
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.given_coordinates import given_coordinates, kept_rates
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False, repr=False)
class Assembly(Brief):
    """Changes of initial values by `System.assembled`.

    Arrays have one row per node; single nodes have one row.
    """

    moved: dict[str, Array]
    """log(q₀⁻¹∘q) by node, shape (count, dimension), in rad and the length unit of the model."""
    velocity_changes: dict[str, Array]
    """Changes of specified velocities by node, shape (count, dimension)."""
    completed: dict[str, Array]
    """Completed velocities by node, shape (count, dimension); zero for specified ones."""
    iterations: int
    """Number of steps of the search for the configuration."""
    coordinates: dict[str, float]
    """Coordinates of joints by output name, in rad and m, which identify the assembly branch of closed loops."""
    missed: dict[str, float] = field(default_factory=dict)
    """Largest deviation from each target, by output, in the unit of the output, or in rad for rotations."""

    @property
    def largest(self) -> dict[str, float]:
        """Largest component of `moved`, in absolute value, by node."""
        return _largest(self.moved)

    @property
    def largest_change(self) -> dict[str, float]:
        """Largest component of `velocity_changes`, in absolute value, by node; without nodes that do not change."""
        return {name: size for name, size in _largest(self.velocity_changes).items() if size}

    @property
    def largest_completed(self) -> dict[str, float]:
        """Largest component of `completed`, in absolute value, by node; without nodes for which it is zero."""
        return {name: size for name, size in _largest(self.completed).items() if size}


def _largest(parts: dict[str, Array]) -> dict[str, float]:
    return {name: float(np.abs(values).max(initial=0)) for name, values in parts.items()}


def assembled(
    system: System,
    t: float = 0.0,
    *,
    velocities: bool = True,
    targets: Mapping[str, object] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
) -> System:
    """See `symlie.runtime.system.system.System.assembled`."""
    statics = Statics(system, t, system.layout.holonomic & ~system.layout.is_balance)
    stated = system.stated_state()
    start = statics.prescribed(stated.q)
    kept = kept_rates(system.layout, given_coordinates(system)) if targets is None else []
    missed: dict[str, float] = {}
    if targets is not None:
        q, iterations, missed = at_targets(statics, start, targets, limits or {})
    else:
        if limits:
            raise ModelError("Limits of outputs need targets; pass both.")
        whole = KeptCoordinates(statics, start, kept) if kept else statics
        q, iterations = assembled_configuration(whole, start)
    corrected = system.with_configuration(q)
    found = assembled_velocities(statics, q, stated, velocities=velocities)
    if np.any(found.changes) or np.any(found.completed):
        corrected = _with_velocities(corrected, found.v, stated.given | (found.completed != 0))
    difference = system.mechanics.apart(start, q)
    moved, changes, completed = (_by_node(system, part) for part in (difference, found.changes, found.completed))
    report = Assembly(moved, changes, completed, iterations, _coordinates(statics, q), missed)
    return dataclasses.replace(corrected, assembly=report)


def _coordinates(statics: Statics, q: Array) -> dict[str, float]:
    names = joint_outputs(statics.system.layout, COORDINATES)
    return {name: float(value) for name, value in zip(names, rest_outputs(statics, q, names), strict=True)}


def _by_node(system: System, vector: Array) -> dict[str, Array]:
    return {n.name: vector[n.velocity].reshape(n.count, -1) for n in system.layout.nodes}


def _with_velocities(system: System, v: Array, given: NDArray[np.bool_]) -> System:
    """Return the system with other values of the specified velocities."""
    for node in system.layout.nodes:
        rows, stated = v[node.velocity].reshape(node.count, -1), given[node.velocity].reshape(node.count, -1)
        for part in node.type.velocity_fields:
            if stated[~(node.fixed | node.dependent), part.part].any():
                system = system.with_initial(node.name, **{part.name: rows[:, part.part]})
    return system
