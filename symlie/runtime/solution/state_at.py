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
    """State at one time.

    Attributes
    ----------
    t
        Time, in s.
    q, v, multipliers
        Configuration (storage,), velocity (dimension,), λ (constraint equations,).
    carried
        Auxiliary integrator state, see `Solution`.
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
        """Return a named field of a node, such as ``field("top", "x")``, in the shape of the field.

        Parameters
        ----------
        node
            Name of the node.
        name
            Name of the field, of its configuration or its velocity.
        """
        return np.asarray(self._alone.field(node, name)[0], dtype=float)

    def angle(self, node: str, field: str | None = None) -> float | Array:
        """Return the unwrapped angle of a node on SO2 or SE2, or the angles (count,) of an array.

        Parameters
        ----------
        node, field
            As for `Solution.angle`.
        """
        values = self._alone.angle(node, field)[0]
        return values if np.ndim(values) else float(values)

    def rotation(self, node: str, index: int | None = None, field: str | None = None) -> Rotation:
        """Return the rotation of a node as a SciPy object.

        Parameters
        ----------
        node, index, field
            As for `Solution.rotation`.
        """
        return self._alone.rotation(node, index, field)[0]

    @property
    def _alone(self) -> Solution:
        from symlie.runtime.solution.solution import Solution

        q, v, multipliers, carried = (part[None] for part in (self.q, self.v, self.multipliers, self.carried))
        return Solution(self.system, "", np.array([self.t]), q, v, multipliers, carried)
