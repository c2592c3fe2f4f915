"""States on a curve through nodes, with geodesics of configurations and linear interpolation of velocities.

    q(s) = q_k∘exp(ξ log(q_k⁻¹∘q_{k+1})),  v(s) = (1 - ξ) v_k + ξ v_{k+1},  ξ = (s - s_k)/(s_{k+1} - s_k)

Source: [Hante2022], equation (5) and section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symlie.contract.constants import ROUNDING
from symlie.contract.manifest import NodeType
from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.kernels.numpy import node_groups
from symlie.runtime.layout.classical_rotations import (
    ClassicalRotation,
    classical_rotation,
    coordinates,
    rotations,
    spin_by_rates,
    stepped_rotation,
)
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.slices import CurveSlice
from symlie.runtime.solution.node_fields import named_field
from symlie.utilities.showing import line

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution
    from symlie.runtime.system.system import System


Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class CurveStates:
    """Configurations and velocities at points of a curve, from `Solution.at`.

    The arrays have no axis of times if t is one number, and no axis of points if s is one number.

    Attributes
    ----------
    name
        Name of the rod or curve.
    type
        Storage and velocity of a node of the curve, with their fields.
    s
        Arc lengths, in m.
    t
        Times, in s.
    q
        Configurations, shape (times, points, storage).
    v
        Velocities, shape (times, points, dimension).
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
        """Return a field of the configurations or velocities, shape ``(times, points, *field shape)``.

        Parameters
        ----------
        name
            Name of the field, such as ``"x"``.

        Raises
        ------
        UnknownNameError
            If the nodes have no such field.
        """
        return named_field(self.type, f"Curve '{self.name}'", self.q, self.v, name)


def states_on_curve(solution: Solution, name: str, s: ArrayLike, t: ArrayLike) -> CurveStates:
    """Interpolate states at points of a curve and at times of a solution; see `Solution.at`."""
    points, times = np.asarray(s, dtype=float), np.asarray(t, dtype=float)
    curve = curve_of(solution.system, name)
    states = solution(times.ravel())
    q, v = interpolated(solution.system, curve, states.q, states.v, points.ravel())
    shape = (*times.shape, *points.shape)
    q, v = (part.reshape(*shape, part.shape[-1]) for part in (q, v))
    return CurveStates(name, curve.type, points[()], times[()], q, v)


def curve_of(system: System, name: str) -> CurveSlice:
    """Return the curve of a system with this name, or raise an UnknownNameError."""
    curves = system.layout.curves
    if name not in curves:
        known = ", ".join(curves) or "none"
        raise UnknownNameError(f"Model '{system.name}' has no rod or other curve '{name}'; it has: {known}.")
    return curves[name]


def interpolated(system: System, curve: CurveSlice, q: Array, v: Array, s: Array) -> tuple[Array, Array]:
    """Interpolate at arc lengths s (points,), shapes (n, points, storage of a node) and (n, points, dimension of a
    node)."""
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
    # Kernels step these nodes in stored coordinates, in which geodesics of rotations are not straight.
    is_stepped = system.layout.is_stepped_in_storage(curve.type.name)
    classical = stepped_rotation(curve.type) if is_stepped else classical_rotation(curve.type)
    if classical is not None:
        return _by_coordinates(classical, curve, q[:, curve.storage], v[:, curve.velocity], (left, right, xi))
    found = np.empty((len(q), len(s), curve.type.storage))
    velocities = v[:, curve.velocity]
    if found.size:
        states = q[:, curve.storage]
        for index, vector in zip((0, -1), curve.end_rotations, strict=True):
            if vector:
                states[:, index] = _turned(system, q[0], curve.type, states[:, index], vector)
                velocities[:, index] = _seen_from_curve(curve.type, velocities[:, index], vector)
        a, b = (states[:, k].reshape(-1, curve.type.storage) for k in (left, right))
        found = _geodesic(system, q[0], curve.type, a, b, np.tile(xi, len(q))).reshape(found.shape)
    velocity = (1 - xi)[:, None] * velocities[:, left] + xi[:, None] * velocities[:, right]
    return found, velocity


def _by_coordinates(
    classical: ClassicalRotation, curve: CurveSlice, q: Array, v: Array, places: tuple[Places, Places, Array]
) -> tuple[Array, Array]:
    """Interpolate classical coordinates, (n, nodes, storage): rotations by geodesics, ω and all other fields
    linearly."""
    from scipy.spatial.transform import Rotation

    form, stored, rates = classical.form, classical.stored, classical.rates
    left, right, xi = places
    near, shape = q[..., stored], q.shape[:2]
    turned = rotations(form, near.reshape(-1, near.shape[-1])).as_matrix().reshape(*shape, 3, 3)
    spin = v[..., rates].copy()
    if not classical.has_spin:
        G = spin_by_rates(form, near.reshape(-1, near.shape[-1])).reshape(*shape, 3, -1)
        spin = np.einsum("nkij,nkj->nki", G, spin)
    for index, vector in zip((0, -1), curve.end_rotations, strict=True):
        if vector:
            constant = Rotation.from_rotvec(vector).as_matrix()
            turned[:, index], spin[:, index] = turned[:, index] @ constant, spin[:, index] @ constant
    a, b = (Rotation.from_matrix(turned[:, k].reshape(-1, 3, 3)) for k in (left, right))
    way = np.tile(xi, len(q))[:, None] * (a.inv() * b).as_rotvec()
    part = xi[:, None]
    q, v, spin = ((1 - part) * x[:, left] + part * x[:, right] for x in (q, v, spin))
    near = near[:, left].reshape(-1, near.shape[-1])
    rho = coordinates(form, a * Rotation.from_rotvec(way), near)
    q[..., stored] = rho.reshape(*q.shape[:2], -1)
    if not classical.has_spin:
        inverse = np.linalg.pinv(spin_by_rates(form, rho)).reshape(*q.shape[:2], -1, 3)
        spin = np.einsum("nkij,nkj->nki", inverse, spin)
    v[..., rates] = spin
    return q, v


def _turned(system: System, q: Array, kind: NodeType, states: Array, vector: Sequence[float]) -> Array:
    """Return a∘exp(ψ) for each a and a rotation vector ψ."""
    turning = next(f.part for f in kind.velocity_fields if f.name == "Omega")
    found = np.empty_like(states)
    for part, storage, velocity in _batches(system, kind, len(states)):
        a, increment = q.copy(), np.zeros(system.layout.dimension)
        a[storage] = states[part]
        increment[velocity[:, turning]] = vector
        found[part] = system.kernels.advance(a, increment)[storage]
    return found


def _seen_from_curve(kind: NodeType, v: Array, vector: Sequence[float]) -> Array:
    """Return velocities of a node, shape (n, dimension), in axes rotated by a rotation vector."""
    from scipy.spatial.transform import Rotation

    size = len(vector) if len(vector) > 1 else 2
    rotation = Rotation.from_rotvec(vector if len(vector) > 1 else (0.0, 0.0, *vector)).as_matrix()[:size, :size]
    found = v.copy()
    for field in kind.velocity_fields:
        if field.name in ("Omega", "U") and field.part.stop - field.part.start == size:
            found[:, field.part] = v[:, field.part] @ rotation
    return found


def _geodesic(system: System, q: Array, kind: NodeType, left: Array, right: Array, xi: Array) -> Array:
    """Return a∘exp(ξ log(a⁻¹∘b)) for each a and b; q supplies the other components of the system's vectors."""
    kernels = system.kernels
    a, b, increment = q.copy(), q.copy(), np.zeros(system.layout.dimension)
    found = np.empty_like(left)
    for part, storage, velocity in _batches(system, kind, len(left)):
        a[storage], b[storage] = left[part], right[part]
        apart = kernels.difference(a, b)[velocity]
        increment[velocity] = xi[part, None] * apart
        found[part] = kernels.advance(a, increment)[storage]
    return found


def _batches(system: System, kind: NodeType, count: int) -> Iterator[tuple[slice, Places, Places]]:
    """Yield slices of as many states as the system has nodes of a type, or fewer, with the components of these
    nodes."""
    storage, velocity = next((q.T, v.T) for name, q, v in node_groups(system.layout) if name == kind.name)
    for first in range(0, count, len(storage)):
        part = slice(first, min(first + len(storage), count))
        rows = part.stop - part.start
        yield part, storage[:rows], velocity[:rows]
