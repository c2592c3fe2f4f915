"""Snapshots of mechanisms: bodies as boxes with their mass and inertia, and bars to their joints.

A box of mass m has the principal moments of inertia J if its sides are a_k² = 6 (J_i + J_j - J_k)/m; in the plane it is
a square. Bodies, joints and forces between two points are identified by the parameters of their elements: ``mass`` and
``inertia``, ``point_a`` and ``point_b``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from symlie.runtime.layout.connections import connection_of, nodes_of_bodies
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.layout.topology import Numbers
from symlie.runtime.plot.centre_line import Snapshots, chosen_times, snapshots
from symlie.runtime.solution.solution import Solution

CORNERS = np.array([*product((-0.5, 0.5), repeat=3)])
"""Corners of a unit cube."""

EDGES = [(i, j) for i in range(8) for j in range(i) if np.abs(CORNERS[i] - CORNERS[j]).sum() == 1]
"""Pairs of corners of its edges."""


@dataclass
class _Lines:
    """Points over time, and their connections."""

    points: list[Array] = field(default_factory=list)
    bars: list[tuple[int, int]] = field(default_factory=list)
    thin: list[tuple[int, int]] = field(default_factory=list)
    marked: list[int] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    of_body: dict[int, list[int]] = field(default_factory=dict)

    def add(self, point: Array) -> int:
        """Add a point, shape (n, 2) or (n, 3), and return its number."""
        self.points.append(np.pad(point, ((0, 0), (0, 3 - point.shape[1]))))
        return len(self.points) - 1


def mechanism(solution: Solution) -> Snapshots | None:
    """Bodies, joints and rods of a solution with at least one recorded time; None without any."""
    layout, rods = solution.system.layout, snapshots(solution)
    if not len(solution.t):
        return None
    chosen = chosen_times(solution)
    few = dataclasses.replace(solution, **{name: getattr(solution, name)[chosen] for name in ("t", "q", "v")})
    lines = _Lines()
    _add_connections(few, lines)
    _add_bodies(few, lines)
    if not lines.points:
        return rods
    x = np.stack(lines.points, axis=1)
    found = Snapshots(few.t, x, _pairs(lines.bars), np.array(lines.held, dtype=np.int64), _pairs(lines.thin))
    found = dataclasses.replace(found, marked=np.array(lines.marked, dtype=np.int64), shows=_what(layout, rods))
    if rods is None:
        return found
    first = x.shape[1]
    return dataclasses.replace(
        found,
        x=np.concatenate([x, rods.x], axis=1),
        links=np.concatenate([found.links, first + rods.links]),
        held=np.concatenate([found.held, first + rods.held]),
    )


def _what(layout: Layout, rods: Snapshots | None) -> str:
    parts = ["bodies", *(["joints"] if layout.joints else []), *(["centre lines"] if rods is not None else [])]
    return " and ".join(parts[:2]) if len(parts) == 2 else ", ".join(parts)


def _pairs(numbers: list[tuple[int, int]]) -> Numbers:
    return np.array(numbers, dtype=np.int64).reshape(-1, 2)


def _add_connections(solution: Solution, lines: _Lines) -> None:
    """Add the attachment points of joints and forces on both bodies, with a thin line between them."""
    layout = solution.system.layout
    connected = [connection_of(instances) for instances in layout.instances]
    for name, (element, k) in layout.named_instances.items():
        stated = connected[element]
        if stated is None:
            continue
        values, sides = _values(solution, element, k), nodes_of_bodies(stated, layout.members[element][k])
        ends = []
        for side, label in zip(sides, ("point_a", "point_b"), strict=True):
            if side is None:
                end = lines.add(np.tile(values[label], (len(solution.t), 1)))
                lines.held.append(end)
            elif (found := _placement(solution, side)) is None:
                break
            else:
                end = lines.add(found[1] + found[0] @ values[label])
                lines.of_body.setdefault(side, []).append(end)
                if name in layout.joints:
                    lines.marked.append(end)
            ends.append(end)
        if len(ends) == 2:
            lines.thin.append((ends[0], ends[1]))


def _add_bodies(solution: Solution, lines: _Lines) -> None:
    """Add boxes of the bodies, and bars from their centres of mass to joints."""
    layout = solution.system.layout
    boxes: dict[int, dict[str, Array]] = {}
    for element, k in layout.named_instances.values():
        values = _values(solution, element, k)
        if {"mass", "inertia"} <= set(values) and layout.members[element].shape[1] == 1:
            boxes[int(layout.members[element][k, 0])] = values
    for number in sorted({*lines.of_body, *boxes}):
        found = _placement(solution, number)
        if found is None:
            continue
        turns, origin = found
        values = boxes.get(number, {})
        shift = values.get("center_of_mass", np.zeros(origin.shape[1]))
        centre = lines.add(origin + turns @ shift)
        ends = lines.of_body.get(number, [])
        lines.bars += [(centre, end) for end in ends]
        # In the plane, bars are more informative than a square, whose sides are unknown.
        is_bar = origin.shape[1] == 2 and len({tuple(np.round(lines.points[k][0], 9)) for k in ends}) > 1
        if not is_bar and (corners := _corners(values, origin.shape[1])):
            numbers = [lines.add(origin + turns @ (shift + corner)) for corner in corners[0]]
            lines.thin += [(numbers[i], numbers[j]) for i, j in corners[1]]


def _corners(values: dict[str, Array], size: int) -> tuple[Array, list[tuple[int, int]]] | None:
    """Corners of the box of a body relative to its centre of mass, and its edges; None without mass."""
    mass = float(values["mass"][0]) if "mass" in values else 0.0
    if not mass > 0:
        return None
    if size == 2:
        side = float(np.sqrt(6 * values["inertia"][0] / mass))
        return side * np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]), [(0, 1), (1, 2), (2, 3), (3, 0)]
    moments, axes = np.linalg.eigh(values["inertia"].reshape(3, 3))
    sides = np.sqrt(np.maximum(6 * (moments.sum() - 2 * moments) / mass, 0.0))
    return CORNERS * sides @ axes.T, EDGES


def _values(solution: Solution, element: int, instance: int) -> dict[str, Array]:
    """Parameters of an element by name."""
    layout, rows = solution.system.layout, solution.system.element_parameters[element]
    stated = layout.instances[element]
    ends = np.cumsum(stated.parameter_sizes)
    row = rows[instance if len(rows) > 1 else 0]
    return {n: row[e - s : e] for n, s, e in zip(stated.parameter_names, stated.parameter_sizes, ends, strict=True)}


def _placement(solution: Solution, number: int) -> tuple[Array, Array] | None:
    """Rotation matrices and positions of a node over time, by its number; None if there is no such node."""
    node, index = _node(solution.system.layout, number)
    position = next((f for f in node.type.storage_fields if f.name == "x" and f.shape in ((2,), (3,))), None)
    if position is None:
        return None
    place = solution.field(node.name, "x")
    place = place[:, index] if node.is_array else place
    if position.shape == (3,):
        return solution.rotation(node.name, index if node.is_array else None).as_matrix(), place
    angle = next((a for a in node.type.angles), None)
    if angle is None:
        return None
    stored = solution.configuration(node.name)
    stored = stored[:, index] if node.is_array else stored
    c, s = stored[:, angle.cosine], stored[:, angle.sine]
    return np.moveaxis(np.array([[c, -s], [s, c]]), -1, 0), place


def _node(layout: Layout, number: int) -> tuple[NodeSlice, int]:
    for node in layout.nodes:
        if number < node.count:
            return node, number
        number -= node.count
    raise IndexError(number)
