"""States of a system: one, or several in an array."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.summaries import state_line
from symlie.utilities.showing import ListsPublicNames

if TYPE_CHECKING:
    from types import EllipsisType

    from numpy.typing import NDArray
    from scipy.spatial.transform import Rotation

    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.system.system import System

    Index = int | slice | EllipsisType | NDArray[np.bool_] | NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class State(ListsPublicNames):
    """State of a system, or several states in an array of any shape, from `System.state`.

    ``state[k]`` selects states, as of an array; a single state has the shape ().

    Attributes
    ----------
    system
        The system.
    t
        Time, in s: a number, or an array of the shape of the states.
    q
        Configurations, shape (..., storage).
    v
        Velocities, shape (..., dimension).
    carried
        Auxiliary integrator state, shape (..., size); zero for states that are not from a solution.
    """

    INTERNAL = frozenset({"carried", "of_solution", "rows"})

    system: System
    t: float | Array
    q: Array
    v: Array
    of_solution: Array | None
    carried: Array

    def __repr__(self) -> str:
        return state_line(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of states; () for one state."""
        return np.shape(self.t)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("A single state has no length.")
        return self.shape[0]

    def __iter__(self) -> Iterator[State]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, chosen: Index | tuple[Index, ...]) -> State:
        t = np.asarray(self.t)[chosen]
        parts = {name: getattr(self, name)[chosen] for name in ("q", "v", "carried")}
        known = None if self.of_solution is None else self.of_solution[chosen]
        return replace(self, t=t if np.ndim(t) else float(t), of_solution=known, **parts)

    @cached_property
    def multipliers(self) -> Array:
        """λ, shape (..., constraint equations): of the method for states of a solution, otherwise those of the
        acceleration-level system, which are NaN if it does not determine them."""
        if self.of_solution is not None:
            return self.of_solution
        _, found, _ = self.system.mechanics.evaluator.accelerations(self.system.prepared, self.rows)
        return found.reshape(*self.shape, found.shape[-1])

    @cached_property
    def rows(self) -> States:
        """Contiguous arrays of all states with one leading axis; λ is empty unless it is known."""
        count, layout = math.prod(self.shape), self.system.layout
        known = np.zeros((count, layout.rows)) if self.of_solution is None else self.of_solution
        parts = zip((self.q, self.v, known), (layout.storage, layout.dimension, layout.rows), strict=True)
        q, v, multipliers = (np.ascontiguousarray(x, dtype=float).reshape(count, size) for x, size in parts)
        return States(np.ascontiguousarray(self.t, dtype=float).reshape(count), q, v, multipliers)

    def field(self, node: str, name: str) -> Array:
        """Return a field of a node, such as ``field("top", "x")``, shape ``(..., *field shape)``, or ``(..., count,
        *field shape)`` for an array of nodes.

        Parameters
        ----------
        node, name
            As in `Solution.field`.

        Raises
        ------
        UnknownNameError
            If the node or the field does not exist.
        """
        found = np.asarray(self._as_solution.field(node, name), dtype=float)
        return found.reshape((*self.shape, *found.shape[1:]))

    def angle(self, node: str, field: str | None = None) -> float | Array:
        """Return the angle of a node on SO2, SE2 or a product with them, with counted full turns, in rad.

        Parameters
        ----------
        node, field
            As in `Solution.angle`.

        Returns
        -------
        float or Array
            A number for one state and one node, otherwise shape (...,), or (..., count) for an array of nodes.

        Raises
        ------
        UnknownNameError
            As in `Solution.angle`.
        """
        found = self._as_solution.angle(node, field)
        values = found.reshape((*self.shape, *found.shape[1:]))
        return values if np.ndim(values) else float(values)

    def rotation(self, node: str, index: int | None = None, field: str | None = None) -> Rotation:
        """Return the rotation of a node, from body-fixed axes to inertial axes, as a SciPy object.

        Parameters
        ----------
        node, index, field
            As in `Solution.rotation`.

        Returns
        -------
        scipy.spatial.transform.Rotation
            One rotation, or one for each state, in the order of the states.

        Raises
        ------
        UnknownNameError, ModelError
            As in `Solution.rotation`.
        """
        found = self._as_solution.rotation(node, index, field)
        return found if self.shape else found[0]

    @property
    def _as_solution(self) -> Solution:
        from symlie.runtime.solution.solution import Solution

        rows = self.rows
        carried = self.carried.reshape(len(rows.t), self.carried.shape[-1])
        multipliers = self.multipliers.reshape(len(rows.t), self.system.layout.rows)
        return Solution(self.system, "", rows.t, rows.q, rows.v, multipliers, carried)


def single_state(system: System, t: float, q: Array, v: Array, multipliers: Array, carried: Array) -> State:
    """Return one state of arrays that are not copied: `State`, but faster."""
    found = object.__new__(State)
    found.__dict__.update(system=system, t=t, q=q, v=v, of_solution=multipliers, carried=carried)
    return found


@dataclass(frozen=True, eq=False, repr=False)
class StateAt(State):
    """State of a solution at one time, from ``solution(t)``."""

    t: float
