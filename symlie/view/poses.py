"""Positions, rotations and velocities of nodes in space, independent of their storage.

Planar nodes lie in z = 0. A node with a rotation and no position is drawn at the origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from symlie.contract.manifest import FieldLayout, NodeType
from symlie.rotations import rotation_form
from symlie.runtime.layout.classical_rotations import spin_by_rates
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.plot.drawn_rotations import continuous, quaternions_of
from symlie.runtime.solution.solution import Solution
from symlie.view.quaternions import rotate


@dataclass(frozen=True, eq=False)
class Part:
    """Position, rotation, or both, of a node type in space."""

    label: str
    """Suffix of the name of the node; empty if the node has a single part."""
    position: FieldLayout | None
    rotation: FieldLayout | None


@dataclass(frozen=True, eq=False)
class Track:
    """A node, or a part of it, at all states of a solution."""

    name: str
    """Displayed name."""
    node: str
    """Name of the node or array, or of the outputs that define the body."""
    index: int | None
    """Index in the array, or None."""
    positions: Array
    """Shape (n, 3), in m."""
    rotations: Array | None
    """Unit quaternions with continuous signs, scalar part first, (n, 4); None for a point."""
    velocities: Array | None
    """Spatial velocities of the positions, (n, 3), in m/s, or None."""
    spin: Array | None
    """Magnitude of the angular velocity, (n,), in rad/s, or None."""
    is_fixed: bool
    """True if the node is fixed or prescribed."""
    has_position: bool = True
    """True if the node has a position."""


def parts_of(kind: NodeType) -> list[Part]:
    """Return the parts of a node type in space; a position belongs to the rotation stored before it."""
    fields = [f for f in kind.storage_fields if _is_rotation(f) or _is_position(f)]
    if len(fields) == 2 and _is_position(fields[0]) and _is_rotation(fields[1]):
        return [Part("", fields[0], fields[1])]
    found: list[Part] = []
    for field in fields:
        if _is_rotation(field):
            found.append(Part(_number(field.name), None, field))
        elif found and found[-1].position is None:
            found[-1] = Part(found[-1].label, field, found[-1].rotation)
        else:
            found.append(Part(_number(field.name), field, None))
    return [Part("", p.position, p.rotation) for p in found] if len(found) == 1 else found


def _number(name: str) -> str:
    return name[len(name.rstrip("0123456789")) :]


def _is_rotation(field: FieldLayout) -> bool:
    return rotation_form(field.name, field.shape) is not None


def _is_position(field: FieldLayout) -> bool:
    return field.name.rstrip("0123456789") == "x" and field.shape in ((2,), (3,))


def tracks(solution: Solution) -> list[Track]:
    """Return all spatial nodes of a solution with finite states, in model order."""
    layout, found, first = solution.system.layout, [], 0
    for node in layout.nodes:
        fixed = layout.fixed[first : first + node.count]
        first += node.count
        for part in parts_of(node.type):
            found += [_track(solution, node, part, k, bool(fixed[k])) for k in range(node.count)]
    return found


def all_tracks(solution: Solution) -> list[Track]:
    """Return spatial nodes and bodies defined by outputs; with such bodies, without pure rotations and joint
    coordinates."""
    found, placed = tracks(solution), placed_bodies(solution)
    if not placed:
        return found
    outputs = solution.system.layout.outputs
    coordinates = {label.rpartition("_")[0] for label in outputs if label.endswith(("_angle", "_displacement"))}
    shown = [k for k in found if k.has_position and (k.rotations is not None or k.node not in coordinates)]
    return [*shown, *placed]


def placed_bodies(solution: Solution) -> list[Track]:
    """Return the bodies defined by outputs NAME_x and NAME_R, as in models with minimal coordinates."""
    outputs, found = solution.outputs, []
    for label in outputs:
        name = label.removesuffix("_x")
        turned = f"{name}_R"
        if label == name or turned not in outputs:
            continue
        x, R = outputs[label], outputs[turned]
        if x.ndim != 2 or (x.shape[1], R[0].size) not in ((3, 9), (2, 4)):
            continue
        matrices = R.reshape(len(x), x.shape[1], x.shape[1])
        if x.shape[1] == 2:
            matrices = np.stack([_in_space(m) for m in matrices])
        turns = continuous(quaternions_of(matrices))
        found.append(Track(name, name, None, padded(x), turns, None, None, False))
    return found


def _in_space(matrix: Array) -> Array:
    whole = np.eye(3)
    whole[:2, :2] = matrix
    return whole


def _track(solution: Solution, node: NodeSlice, part: Part, index: int, is_fixed: bool) -> Track:
    n, kind = len(solution.t), node.type
    q = solution.q[:, node.storage].reshape(n, node.count, -1)[:, index]
    v = solution.v[:, node.velocity].reshape(n, node.count, -1)[:, index]
    turns = None if part.rotation is None else quaternions(part.rotation, q)
    spin = angular_velocity(kind, part, q, v)
    x = np.zeros((n, 3)) if part.position is None else padded(q[:, part.position.part])
    name = f"{node.name}[{index}]" if node.is_array else node.name
    return Track(
        f"{name}.{part.label}" if part.label else name,
        node.name,
        index if node.is_array else None,
        x,
        turns,
        linear_velocity(kind, part, turns, v),
        None if spin is None else np.linalg.norm(spin, axis=1),
        is_fixed,
        part.position is not None,
    )


def padded(points: Array) -> Array:
    """Return planar points with z = 0, and spatial points unchanged."""
    return np.pad(points, [(0, 0)] * (points.ndim - 1) + [(0, 3 - points.shape[-1])])


def quaternions(field: FieldLayout, q: Array) -> Array:
    """Return unit quaternions of a stored rotation with continuous signs, shape (n, 4); q has shape (n, storage)."""
    from scipy.spatial.transform import Rotation

    values, form = q[:, field.part], rotation_form(field.name, field.shape)
    if form == "planar":
        half = np.arctan2(values[:, 1], values[:, 0]) / 2
        found = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
    elif form == "matrix":
        found = quaternions_of(values.reshape(-1, 3, 3))
    elif form == "quaternion":
        found = values / np.linalg.norm(values, axis=1, keepdims=True)
    else:
        assert form is not None
        turned = Rotation.from_rotvec(values) if form == "vector" else Rotation.from_euler(form, values)
        found = np.roll(turned.as_quat(), 1, axis=-1)
    return continuous(found)


def velocity_fields(kind: NodeType, part: Part) -> Iterator[tuple[str, slice]]:
    """Yield the velocity fields of a part with their slices, in the order of the stored fields: ``Omega``, ``U``,
    ``x_dot`` or rates of coordinates."""
    if not kind.velocities:
        return
    turning, shifting = _velocities(kind)
    for other in parts_of(kind):
        spin = next(turning) if other.rotation is not None else None
        shift = next(shifting) if other.position is not None else None
        if other.label == part.label:
            yield from (field for field in (spin, shift) if field is not None)


def _velocities(kind: NodeType) -> tuple[Iterator[tuple[str, slice]], Iterator[tuple[str, slice]]]:
    stems = [("".join(c for c in f.name if not c.isdigit()), f.part) for f in kind.velocity_fields]
    shifting = [(name, part) for name, part in stems if name in ("U", "x_dot") and part.stop - part.start in (2, 3)]
    turning = [(name, part) for name, part in stems if name not in ("U", "x_dot")]
    return iter(turning), iter(shifting)


def linear_velocity(kind: NodeType, part: Part, turns: Array | None, v: Array) -> Array | None:
    """Return the velocity of the position in space, shape (n, 3)."""
    if part.position is None:
        return np.zeros((len(v), 3))
    for name, place in velocity_fields(kind, part):
        if name == "x_dot":
            return padded(v[:, place])
        if name == "U" and turns is not None:
            return rotate(turns, padded(v[:, place]))
    return None


def angular_velocity(kind: NodeType, part: Part, q: Array, v: Array) -> Array | None:
    """Return the body-fixed angular velocity, shape (n, 1) or (n, 3), or None; for rotation parameters
    ρ it is G(ρ) ρ'."""
    if part.rotation is None:
        return None
    for name, place in velocity_fields(kind, part):
        if name == "Omega":
            return v[:, place]
        if name == f"{part.rotation.name.rstrip('0123456789')}_dot":
            G = rotation_rates(part.rotation, q)
            return np.asarray(np.einsum("nij,nj->ni", G, v[:, place]))
    return None


def rotation_rates(field: FieldLayout, q: Array) -> Array:
    """Return G(ρ) of the body-fixed Ω = G ρ' for rotation parameters ρ, shape (n, 3, size)."""
    form = rotation_form(field.name, field.shape)
    assert form is not None
    return spin_by_rates(form, q[:, field.part])


def product(a: Array, b: Array) -> Array:
    """Return products of quaternions, shape (n, 4)."""
    scalar = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    vector = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
    return np.concatenate([scalar, vector], axis=1)
