"""States along a curve through nodes, between these by geodesics in the configuration and linearly in the velocity.

    q(s) = q_k∘exp(ξ log(q_k⁻¹∘q_{k+1})),  v(s) = (1 - ξ) v_k + ξ v_{k+1},  ξ = (s - s_k)/(s_{k+1} - s_k)

Source: [Hante2022], equation (5) and section 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from symlie.contract.constants import ROUNDING
from symlie.contract.manifest import NodeType
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.kernels.numpy import node_groups
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.slices import CurveSlice
from symlie.runtime.solution.node_fields import named_field
from symlie.showing import line

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.system.system import System


@dataclass(frozen=True, eq=False, repr=False)
class CurveStates:
    """Configurations and velocities at points of a curve; a number for s or t leaves out its axis.

    Attributes
    ----------
    name
        Name of the curve.
    s
        Arc lengths, in m.
    t
        Times, in s.
    q, v
        Configurations (times, points, storage) and velocities (times, points, dimension).
    """

    name: str
    type: NodeType
    s: float | Array
    t: float | Array
    q: Array
    v: Array

    def __repr__(self) -> str:
        return line("CurveStates", [self.name, f"{np.size(self.s)} points", f"{np.size(self.t)} times"])

    def field(self, name: str) -> Array:
        """A named field of the configuration or the velocity, such as ``field("x")``, shape (times, points, …).

        Parameters
        ----------
        name
            Name of the field.
        """
        return named_field(self.type, f"Curve '{self.name}'", self.q, self.v, name)


def states_on_curve(solution: Solution, name: str, s: ArrayLike, t: ArrayLike) -> CurveStates:
    """States at points of a curve and times of a solution; see `Solution.at`."""
    points, times = np.asarray(s, dtype=float), np.asarray(t, dtype=float)
    curve = curve_of(solution.system, name)
    states = solution(times.ravel())
    q, v = interpolated(solution.system, curve, states.q, states.v, points.ravel())
    shape = (*times.shape, *points.shape)
    q, v = (part.reshape(*shape, part.shape[-1]) for part in (q, v))
    return CurveStates(name, curve.type, points[()], times[()], q, v)


def curve_of(system: System, name: str) -> CurveSlice:
    """The curve of a system with this name.

    Raises
    ------
    UnknownNameError
        There is none; the message lists those there are.
    """
    curves = system.layout.curves
    if name not in curves:
        known = ", ".join(curves) or "none"
        raise UnknownNameError(f"Model '{system.name}' has no rod or other curve '{name}'; it has: {known}.")
    return curves[name]


def interpolated(system: System, curve: CurveSlice, q: Array, v: Array, s: Array) -> tuple[Array, Array]:
    """Configurations and velocities at points of a curve.

    Parameters
    ----------
    system, curve
        A system and one of its curves.
    q, v
        States, shape (n, storage) and (n, dimension).
    s
        Arc lengths, shape (points,), in m.

    Returns
    -------
    tuple
        Shapes (n, points, storage of a node) and (n, points, dimension of a node).

    Raises
    ------
    ModelError
        A point outside of the curve, by more than the rounding of sums of its segments.
    """
    arc = curve.arc
    rounding = ROUNDING * len(arc) * np.abs(arc).max()
    is_inside = (arc[0] - rounding <= s) & (s <= arc[-1] + rounding)
    if not is_inside.all():
        outside = s[~is_inside][0]
        raise ModelError(f"Curve '{curve.name}' has arc lengths from {arc[0]:g} m to {arc[-1]:g} m, not {outside:g} m.")
    s = np.clip(s, arc[0], arc[-1])
    left = np.searchsorted(arc, s, side="right") - 1
    right = np.minimum(left + 1, len(arc) - 1)
    xi = (s - arc[left]) / np.where(right > left, arc[right] - arc[left], 1.0)
    found = np.empty((len(q), len(s), curve.type.storage))
    if found.size:
        a, b = (q[:, curve.storage[k]].reshape(-1, curve.type.storage) for k in (left, right))
        found = _geodesic(system, q[0], curve.type, a, b, np.tile(xi, len(q))).reshape(found.shape)
    velocity = (1 - xi)[:, None] * v[:, curve.velocity[left]] + xi[:, None] * v[:, curve.velocity[right]]
    return found, velocity


def _geodesic(system: System, q: Array, kind: NodeType, left: Array, right: Array, xi: Array) -> Array:
    """a∘exp(ξ log(a⁻¹∘b)) for rows of a and b, as many at a time as the system has nodes of their type.

    q is a configuration, whose other nodes only fill the vectors of a system.
    """
    kernels = system.kernels
    storage, velocity = next((q.T, v.T) for name, q, v in node_groups(system.layout) if name == kind.name)
    a, b, increment = q.copy(), q.copy(), np.zeros(system.layout.dimension)
    found = np.empty_like(left)
    for first in range(0, len(left), len(storage)):
        part = slice(first, first + len(storage))
        count = len(left[part])
        a[storage[:count]], b[storage[:count]] = left[part], right[part]
        apart = kernels.difference(a, b)[velocity[:count]]
        increment[velocity[:count]] = xi[part, None] * apart
        found[part] = kernels.advance(a, increment)[storage[:count]]
    return found
