"""Joints and springs: their points on both bodies and their axes in space.

The parameters of their elements, ``point_a``, ``axes_a``, ``point_b`` and ``axes_b``, are the markers; the appearance
of joints is part of the manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symlie.contract.connections import Part
from symlie.runtime.layout.connections import connection_of, nodes_of_bodies
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import Content
from symlie.view.packing import arrows, panels, poses, turns
from symlie.view.poses import Track, padded
from symlie.view.quaternions import rotate


@dataclass(frozen=True, eq=False)
class Connection:
    """A joint, or a force between two points, at all states of a solution."""

    name: str
    is_joint: bool
    """True if it has constraint equations."""
    bodies: tuple[Track | None, Track | None]
    """Both bodies, None for the ground."""
    points: tuple[Array, Array]
    """Points of both markers, each (n, 3), in m."""
    is_planar: bool
    """True if the markers are planar."""
    parts: tuple[Part, ...]
    """Appearance of joints."""
    axes: Mapping[str, Array]
    """Marker axes of the parts in space, each (n, 3)."""
    zero: Array | None
    """Direction in space of angle zero, (n, 3); None without axes."""
    coordinates: tuple[str, ...]
    """Names of the free coordinates, if known."""


def connections(solution: Solution, tracks: Mapping[int, Track]) -> list[Connection]:
    """Return joints and forces between two points; tracks are spatial nodes by index."""
    layout, found = solution.system.layout, []
    connected = [connection_of(instances) for instances in layout.instances]
    coordinates: dict[str, tuple[str, ...]] = {}
    for rate in layout.manifest.joint_rates:
        coordinates[rate.joint] = (*coordinates.get(rate.joint, ()), *([rate.coordinate] if rate.coordinate else []))
    for name, (element, k) in layout.named_instances.items():
        stated = connected[element]
        if stated is None:
            continue
        values = instance_parameters(solution, element, k)
        numbers = nodes_of_bodies(stated, layout.members[element][k])
        first, second = (None if n is None else tracks.get(n) for n in numbers)
        if (first is None) != (numbers[0] is None) or (second is None) != (numbers[1] is None):
            continue
        count, by_side = len(solution.t), {"a": first, "b": second}
        points = _point(first, values["point_a"], count), _point(second, values["point_b"], count)
        axes = {p.axis: _axis(by_side, values, p.axis, count) for p in stated.appearance if p.axis}
        found.append(
            Connection(
                name,
                name in layout.joints,
                (first, second),
                points,
                values["point_a"].size == 2,
                stated.appearance,
                axes,
                _turned(first, padded(_column(values["axes_a"], 0)), count) if "axes_a" in values else None,
                coordinates.get(name, ()),
            )
        )
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


def _axis(bodies: Mapping[str, Track | None], values: Mapping[str, Array], which: str, count: int) -> Array:
    side, _, letter = which.partition("_")
    number, axes = "xyz".index(letter), values[f"axes_{side}"]
    if number == 2 and axes.size == 4:
        return np.tile([0.0, 0.0, 1.0], (count, 1))
    return _turned(bodies[side], padded(_column(axes, number)), count)


def _column(axes: Array, number: int) -> Array:
    """Return an axis of a spatial or planar marker from the matrix of its axes."""
    size = 3 if axes.size == 9 else 2
    return np.asarray(axes.reshape(size, size)[:, number])


def joint_entry(solution: Solution, joint: Connection, extent: float) -> Content:
    """Return a joint with its markers and parts, its coordinate and limits, and whether it is driven or locked."""
    layout, (first, second) = solution.system.layout, joint.points
    name, label = _measured(solution, joint)
    value = None if name is None else np.asarray(solution.outputs[name])
    lower, upper = (layout.parameters.get(f"{label}_{end}") for end in ("lower", "upper"))
    has_limits = lower is not None and upper is not None
    numbers = [float(solution.system.parameters[p[0]][0]) for p in (lower, upper) if p is not None]
    is_known = value is not None and bool(np.isfinite(value).all())
    apart = float(np.linalg.norm(first - second, axis=1).max()) > 1e-6 * extent
    order, has_dial = list(joint.axes), any(p.shape == "dial" for p in joint.parts)
    return {
        "name": joint.name,
        "parts": [[p.shape, order.index(p.axis) if p.axis else None] for p in joint.parts],
        "at": poses(first, extent),
        "other": poses(second, extent) if apart else None,
        "axes": [turns(axis) for axis in joint.axes.values()],
        "zero": turns(joint.zero) if joint.zero is not None and has_dial else None,
        "coordinate": panels(value) if value is not None and is_known else None,
        "limits": numbers if has_limits else None,
        "driven": any(f"{joint.name}_{how}" in layout.constraints for how in ("drive", "lock")),
    }


def _measured(solution: Solution, joint: Connection) -> tuple[str | None, str]:
    """Return the output of the coordinate of a rail or dial, by default the first one, and the label of its limits."""
    outputs = solution.system.layout.outputs
    names = [c for c in joint.coordinates or ("angle", "displacement") if f"{joint.name}_{c}" in outputs]
    unit = next((u for p in joint.parts for s, u in (("rail", "m"), ("dial", "rad")) if p.shape == s), None)
    fitting = [c for c in names if unit in (None, outputs[f"{joint.name}_{c}"][1])]
    if not fitting:
        return None, joint.name
    name = f"{joint.name}_{fitting[0]}"
    return name, joint.name if fitting[0] == names[0] else name


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
