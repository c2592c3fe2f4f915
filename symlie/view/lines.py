"""Rods and other chains of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symlie.contract.dependents import WHOLE
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.topology import links
from symlie.runtime.plot.drawn_rotations import continuous
from symlie.runtime.solution.local_fields import local_fields
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import Content
from symlie.view.masses import Body
from symlie.view.packing import colors, poses, turns
from symlie.view.poses import Track, product
from symlie.view.quaternions import rotate

SLENDEREST, THICKEST, USUAL = 1 / 400, 1 / 40, 1 / 150
"""Radius of a tube relative to the length of the rod: bounds of the radius from mass and inertia, and the default."""


@dataclass(frozen=True, eq=False)
class Line:
    """Spatial nodes connected by a tube."""

    name: str
    """Displayed name."""
    tracks: Sequence[Track]
    """Nodes in order."""
    arc: Array | None
    """Arc lengths of the nodes, in m, or None."""

    @property
    def positions(self) -> Array:
        """Positions, shape (n, nodes, 3), in m."""
        return np.stack([k.positions for k in self.tracks], axis=1)

    @property
    def rotations(self) -> Array | None:
        """Quaternions, shape (n, nodes, 4); None if the nodes have no rotation."""
        rows = [k.rotations for k in self.tracks if k.rotations is not None]
        return np.stack([continuous(r) for r in rows], axis=1) if len(rows) == len(self.tracks) else None


def lines_of(solution: Solution, tracks: Sequence[Track]) -> list[Line]:
    """Return the rods of a solution and the other chains of its nodes."""
    layout = solution.system.layout
    by_node = {(k.node, k.index): k for k in tracks if k.has_position}
    places = [(n.name, k if n.is_array else None) for n in layout.nodes for k in range(n.count)]
    found = []
    starts = {
        int(n.storage.start + k * n.type.storage): (n.name, k if n.is_array else None)
        for n in layout.nodes
        for k in range(n.count)
    }
    on_curves: set[tuple[str, int | None]] = set()
    for curve in layout.curves.values():
        nodes = [starts[int(first)] for first in curve.storage[:, 0]]
        if all(node in by_node for node in nodes):
            on_curve = [by_node[node] for node in nodes]
            for index, vector in zip((0, -1), curve.end_rotations, strict=True):
                on_curve[index] = rotated_to_curve(on_curve[index], vector)
            found.append(Line(curve.name, on_curve, curve.arc))
            on_curves.update(nodes)
    for path in paths([*links(layout).tolist(), *_references(layout)]):
        nodes = [places[k] for k in path]
        if all(node in by_node for node in nodes) and not on_curves.issuperset(nodes):
            found.append(Line(nodes[-1][0], [by_node[node] for node in nodes], None))
    return found


def rotated_to_curve(track: Track, vector: Sequence[float]) -> Track:
    """Return a node with the rotation of a curve joined at an angle; the vector is the rotation from the node to the
    curve, one planar angle, or empty."""
    if not vector or track.rotations is None:
        return track
    psi = np.array(vector if len(vector) > 1 else (0.0, 0.0, *vector))
    angle = float(np.linalg.norm(psi))
    constant = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * psi / angle)])
    return replace(track, rotations=product(track.rotations, np.broadcast_to(constant, track.rotations.shape)))


def _references(layout: Layout) -> list[list[int]]:
    """Return pairs of a reference and the dependent node that an element defines relative to it."""
    return [
        [int(row[reference]), int(row[place])]
        for element, members in zip(layout.elements, layout.members, strict=True)
        for place, reference in element.dependents.nodes
        for row in members
        if reference != WHOLE
    ]


def paths(pairs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Join pairs of numbers, in model order, to paths: a pair extends the path that ends at its first number."""
    found: list[list[int]] = []
    ends: dict[int, list[int]] = {}
    for a, b in pairs:
        path = ends.pop(a, None)
        if path is None:
            path = [a]
            found.append(path)
        path.append(b)
        ends[b] = path
    return found


def rod_entry(
    line: Line, bodies: Mapping[str, Body], extent: float, forces: Sequence[tuple[str, str, Array]]
) -> Content:
    """Return a tube with its cross sections and colour fields; forces are labels, units and values (n, segments)."""
    x, turned = line.positions, line.rotations
    fields = [*strains(line), *forces]
    return {
        "name": line.name,
        "closed": line.tracks[0] is line.tracks[-1],
        "radius": _radius(line, bodies),
        "positions": poses(x, extent),
        "rotations": None if turned is None else turns(turned),
        "velocities": None,
        "fields": [{"label": label, "unit": unit, "values": colors(values)} for label, unit, values in fields],
    }


def known_forces(solution: Solution, line: Line) -> list[tuple[str, str, Array]]:
    """Return the force fields over segments that the solution has evaluated, as the norm of each part with one unit."""
    found = []
    for (curve, name, frame), values in solution.known_fields.items():
        if curve != line.name or frame != "body" or line.arc is None or name == "strain":
            continue
        units = [u.strip() for u in local_fields(solution.system.layout, curve)[name].unit.split(",")]
        for unit, part in zip(units, np.array_split(values, len(units), axis=2), strict=True):
            label = name.replace("_", " ") + (f" in {unit}" if len(units) > 1 else "")
            found.append((label, unit, np.linalg.norm(part, axis=2)))
    return found


def _radius(line: Line, bodies: Mapping[str, Body]) -> float:
    length = (
        float(np.linalg.norm(np.diff(line.positions[0], axis=0), axis=1).sum())
        if line.arc is None
        else float(line.arc[-1] - line.arc[0])
    )
    known = [bodies[k.name] for k in line.tracks if k.name in bodies]
    if not known or not known[len(known) // 2].mass:
        return USUAL * length
    body = known[len(known) // 2]
    assert body.mass is not None
    # A round cross section has the moments m r²/4 about its diameters.
    radius = 2 * float(np.sqrt(max(np.median(np.diag(body.inertia)), 0.0) / body.mass))
    return float(np.clip(radius, SLENDEREST * length, THICKEST * length))


def strains(line: Line) -> list[tuple[str, str, Array]]:
    """Return strains of segments computed from the poses: label, unit and values (n, segments).

    Bending and torsion are the components of the rotation vector between adjacent cross sections, divided by the arc
    length, orthogonal and parallel to the normal of the cross section; the stretch is the ratio of chord to arc length.
    """
    if line.arc is None:
        return []
    lengths = np.diff(line.arc)
    x, turned = line.positions, line.rotations
    chord = np.diff(x, axis=1)
    found = [("stretch", "1", np.linalg.norm(chord, axis=2) / lengths)]
    if turned is None:
        return found
    apart = relative_vectors(turned[:, :-1], turned[:, 1:]) / lengths[:, None]
    # The normal of cross sections is the body axis nearest to the tangent of the centre line at the start.
    back = turned[0, :-1] * np.array([1.0, -1.0, -1.0, -1.0])
    normal = int(np.argmax(np.abs(rotate(back, chord[0])).sum(axis=0)))
    across = [k for k in range(3) if k != normal]
    return [
        ("bending", "1/m", np.linalg.norm(apart[..., across], axis=-1)),
        ("torsion", "1/m", apart[..., normal]),
        *found,
    ]


def relative_vectors(a: Array, b: Array) -> Array:
    """Return the rotation vectors of a⁻¹b in axes of a, of length at most π, shape (…, 3)."""
    scalar = np.sum(a * b, axis=-1)
    vector = a[..., :1] * b[..., 1:] - b[..., :1] * a[..., 1:] - np.cross(a[..., 1:], b[..., 1:])
    vector = np.where(scalar[..., None] < 0, -vector, vector)
    sine = np.linalg.norm(vector, axis=-1)
    angle = 2 * np.arctan2(sine, np.abs(scalar))
    factor = np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 1e-12)
    return np.asarray(vector * factor[..., None])


def on_lines(lines: Sequence[Line]) -> set[tuple[str, int | None]]:
    """Return the nodes that belong to lines."""
    return {(k.node, k.index) for line in lines for k in line.tracks}
