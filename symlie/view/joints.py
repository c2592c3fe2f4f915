"""Joints and springs: their points on both bodies and their axes in space.

Joints and forces between two points are recognised by the parameters of their elements, ``point_a`` and ``point_b``
with ``axes_a`` and ``axes_b``; their kind follows from the name of the element type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import Content
from symlie.view.packing import arrows, panels, poses, turns
from symlie.view.poses import Track, padded
from symlie.view.quaternions import rotate

GROUND = "_ground"
"""Suffix of the names of element types whose second body is the ground."""

FREE_AXES: dict[str, tuple[str, ...]] = {
    "revolute": ("a2",), "prismatic": ("a2",), "cylindrical": ("a2",), "screw": ("a2",), "universal": ("a2", "b2"),
    "constant_velocity": ("a2", "b2"), "planar": ("a2",), "in_line": ("a2",), "point_on_line": ("a2",),
    "point_on_plane": ("a2",), "rolling": ("a2",), "gear": ("a2", "b2"), "rack": ("a2", "b2"),
    "spherical": (), "distance": (), "orientation": (), "rigid": (),
}  # fmt: skip
"""Marker axes with which a spatial joint is drawn, by kind: side and index of the axis."""

IN_PLANE = ("prismatic", "point_on_line", "rack")
"""Planar kinds that slide in the x direction of their marker; the others rotate about the normal of the plane."""


@dataclass(frozen=True, eq=False)
class Connection:
    """A joint, or a force between two points, at all states of a solution."""

    name: str
    kind: str
    """Kind of the element type."""
    is_joint: bool
    """True if it has constraint equations."""
    bodies: tuple[Track | None, Track | None]
    """Both bodies, None for the ground."""
    points: tuple[Array, Array]
    """Points of both markers, each (n, 3), in m."""
    is_planar: bool
    """True if the markers are planar."""
    axes: tuple[Array, ...]
    """Axes in space, each (n, 3)."""
    zero: Array | None
    """Direction in space of angle zero, (n, 3); None without axes."""


def connections(solution: Solution, tracks: Mapping[int, Track]) -> list[Connection]:
    """Return joints and forces between two points; tracks are spatial nodes by index."""
    layout, found = solution.system.layout, []
    for name, (element, k) in layout.named_instances.items():
        values = instance_parameters(solution, element, k)
        if not {"point_a", "point_b"} <= set(values):
            continue
        stated, numbers = layout.elements[element], [int(n) for n in layout.members[element][k]]
        sides: list[int | None] = [*numbers]
        if len(sides) == 1:
            sides = [*sides, None] if stated.name.endswith(GROUND) else [None, *sides]
        bodies = [None if side is None else tracks.get(side) for side in sides]
        if any(side is not None and body is None for side, body in zip(sides, bodies, strict=True)):
            continue
        kind = next((k for k in sorted(FREE_AXES, key=len, reverse=True) if stated.name.startswith(f"{k}_")), "")
        count, by_side = len(solution.t), dict(zip("ab", bodies, strict=True))
        first, second = (_point(by_side[s], values[f"point_{s}"], count) for s in "ab")
        axes = tuple(_axis(by_side, values, which, kind, count) for which in FREE_AXES.get(kind, ()))
        zero = _turned(by_side["a"], padded(_across(values["axes_a"])), count) if "axes_a" in values else None
        pair, is_planar = (by_side["a"], by_side["b"]), values["point_a"].size == 2
        found.append(Connection(name, kind, name in layout.joints, pair, (first, second), is_planar, axes, zero))
    return found


def instance_parameters(solution: Solution, element: int, instance: int) -> dict[str, Array]:
    """Return the parameters of an element by name."""
    layout, rows = solution.system.layout, solution.system.element_parameters[element]
    stated = layout.instances[element]
    ends = np.cumsum(stated.parameter_sizes)
    row = rows[instance if len(rows) > 1 else 0]
    return {n: row[e - s : e] for n, s, e in zip(stated.parameter_names, stated.parameter_sizes, ends, strict=True)}


def _point(body: Track | None, local: Array, count: int) -> Array:
    return _turned(body, padded(local), count) + (0.0 if body is None else body.positions)


def _turned(body: Track | None, local: Array, count: int) -> Array:
    vectors = np.tile(local, (count, 1))
    return vectors if body is None or body.rotations is None else rotate(body.rotations, vectors)


def _axis(bodies: Mapping[str, Track | None], values: Mapping[str, Array], which: str, kind: str, count: int) -> Array:
    side, number = which[0], int(which[1])
    axes = values[f"axes_{side}"]
    if axes.size == 9:
        return _turned(bodies[side], axes.reshape(3, 3)[:, number], count)
    if kind in IN_PLANE:
        return _turned(bodies[side], padded(_across(axes)), count)
    return np.tile([0.0, 0.0, 1.0], (count, 1))


def _across(axes: Array) -> Array:
    """Return the x axis of a spatial or planar marker from the matrix of its axes."""
    size = 3 if axes.size == 9 else 2
    return np.asarray(axes.reshape(size, size)[:, 0])


def joint_entry(solution: Solution, joint: Connection, extent: float) -> Content:
    """Return a joint with its markers and axes, its coordinate and limits, and whether it is driven or locked."""
    layout, (first, second) = solution.system.layout, joint.points
    names = [f"{joint.name}_{label}" for label in ("angle", "displacement")]
    value = next((np.asarray(solution.outputs[n]) for n in names if n in layout.outputs), None)
    lower, upper = (layout.parameters.get(f"{joint.name}_{end}") for end in ("lower", "upper"))
    has_limits = lower is not None and upper is not None
    numbers = [float(solution.system.parameters[p[0]][0]) for p in (lower, upper) if p is not None]
    is_known = value is not None and bool(np.isfinite(value).all())
    apart = float(np.linalg.norm(first - second, axis=1).max()) > 1e-6 * extent
    return {
        "name": joint.name,
        "kind": joint.kind or "joint",
        "at": poses(first, extent),
        "other": poses(second, extent) if apart else None,
        "axes": [turns(axis) for axis in joint.axes],
        "zero": None if joint.zero is None or names[0] not in layout.outputs else turns(joint.zero),
        "coordinate": panels(value) if value is not None and is_known else None,
        "limits": numbers if has_limits else None,
        "driven": any(f"{joint.name}_{how}" in layout.constraints for how in ("drive", "lock")),
    }


def line_entry(force: Connection, extent: float) -> Content:
    """Return a line between the points of a spring or another force."""
    return {"name": force.name, "from": poses(force.points[0], extent), "to": poses(force.points[1], extent)}


def reaction_entries(solution: Solution, joints: list[Connection]) -> list[Content]:
    """Return the spatial forces and moments of joints on their second bodies."""
    found = []
    for joint in joints:
        for what, group, unit in (
            ("force", "constraint forces", "N"),
            ("moment", "constraint moments", "N m"),
        ):
            label = f"{joint.name}_{what}"
            if label not in solution.system.layout.outputs:
                continue
            values = solution.outputs[label]
            if values.ndim == 1:  # the moment of a planar joint is about the normal
                values = np.pad(values[:, None], ((0, 0), (2, 0)))
            if np.isfinite(values).all() and np.any(values):
                found.append(arrow_entry(joint.name, group, unit, joint.points[1], padded(values)))
    return found


def arrow_entry(name: str, group: str, unit: str, at: Array, vectors: Array) -> Content:
    """Return the arrows of a spatial vector at a point over time."""
    return {"name": name, "group": group, "unit": unit, "at": poses(at, 1.0), "vectors": arrows(vectors)}
