"""State at one time, recorded or between two steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.summaries import state_line

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False, repr=False)
class StateAt:
    """State of a solution at one time, from ``solution(t)``.

    Attributes
    ----------
    system
        The system.
    t
        Time, in s.
    q
        Configuration, shape (storage,).
    v
        Velocity, shape (dimension,).
    multipliers
        λ, shape (constraint equations,).
    carried
        Auxiliary integrator state, shape (size,).
    """

    system: System
    t: float
    q: Array
    v: Array
    multipliers: Array
    carried: Array

    def __repr__(self) -> str:
        return state_line(self)

    def field(self, node: str, name: str) -> Array:
        """Return a field of a node, such as ``field("top", "x")``; the shapes are those of `Solution.field` without n.

        Parameters
        ----------
        node, name
            As in `Solution.field`.

        Raises
        ------
        UnknownNameError
            If the node or the field does not exist.
        """
        return np.asarray(self._alone.field(node, name)[0], dtype=float)

    def angle(self, node: str, field: str | None = None) -> float | Array:
        """Return the angle of a node on SO2, SE2 or a product with them, with counted full turns, in rad.

        Parameters
        ----------
        node, field
            As in `Solution.angle`.

        Returns
        -------
        float or Array
            A number, or shape (count,) for an array.

        Raises
        ------
        UnknownNameError
            As in `Solution.angle`.
        """
        values = self._alone.angle(node, field)[0]
        return values if np.ndim(values) else float(values)

    def rotation(self, node: str, index: int | None = None, field: str | None = None) -> Rotation:
        """Return the rotation of a node, from body-fixed axes to inertial axes, as a SciPy object.

        Parameters
        ----------
        node, index, field
            As in `Solution.rotation`.

        Raises
        ------
        UnknownNameError, ModelError
            As in `Solution.rotation`.
        """
        return self._alone.rotation(node, index, field)[0]

    @property
    def _alone(self) -> Solution:
        from symlie.runtime.solution.solution import Solution

        q, v, multipliers, carried = (part[None] for part in (self.q, self.v, self.multipliers, self.carried))
        return Solution(self.system, "", np.array([self.t]), q, v, multipliers, carried)
