"""Drawings at nodes: bodies with shapes, points, arrows on spheres and momenta."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symlie.contract.attached_shapes import GROUND, AttachedShape
from symlie.contract.manifest import FieldLayout, NodeType
from symlie.errors import CodeNotLoadedError
from symlie.runtime.layout.layout import Array
from symlie.runtime.plot.drawn_rotations import continuous
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import Content
from symlie.view.bars import bars, joint_places
from symlie.view.joints import Connection
from symlie.view.masses import UNIT_SIDE, Body, body_of, box_rotation, node_blocks, stated_bodies
from symlie.view.packing import arrows, poses, turns
from symlie.view.poses import Track, parts_of

POINT_SIZE = 0.012
"""Radius of a point, relative to the extent of the motion."""

MARK_SIZE = 0.06
"""Largest side of the box of a body without shape and mass, relative to the extent of the motion."""

MARK = (1.0, 0.6, 0.3)
"""Sides of this box relative to the largest one; all differ, so the rotation is visible."""


def known_bodies(solution: Solution) -> dict[str, Body]:
    """Return mass and inertia of bodies by the name of their track, without bodies of nodes if the
    code is not loaded."""
    layout = solution.system.layout
    found = stated_bodies(solution)
    try:
        blocks = iter(node_blocks(solution))
    except CodeNotLoadedError:
        return found
    for node in layout.nodes:
        stored = solution.q[0, node.storage].reshape(node.count, -1)
        for k in range(node.count):
            block = next(blocks)
            for part in parts_of(node.type):
                body = body_of(node, part, block, stored[k])
                if body is not None:
                    name = f"{node.name}[{k}]" if node.is_array else node.name
                    found[f"{name}.{part.label}" if part.label else name] = body
    return found


def bodies_entry(bodies: Sequence[Track], extent: float) -> Content:
    """Return the poses of bodies; the last one is the ground if it has shapes."""
    positions = np.stack([b.positions for b in bodies], axis=1)
    rotations = np.stack([continuous(b.rotations) if b.rotations is not None else _unturned(b) for b in bodies], axis=1)
    has_velocities = all(b.velocities is not None for b in bodies)
    return {
        "names": [b.name for b in bodies],
        "positions": poses(positions, extent),
        "rotations": turns(rotations),
        "velocities": poses(np.stack([_velocities(b) for b in bodies], axis=1), extent) if has_velocities else None,
        "fixed": [b.is_fixed for b in bodies],
    }


def _velocities(body: Track) -> Array:
    assert body.velocities is not None
    return body.velocities


def _unturned(body: Track) -> Array:
    return np.tile([1.0, 0.0, 0.0, 0.0], (len(body.positions), 1))


def ground(count: int) -> Track:
    """Return the ground as a body at rest at the origin."""
    still = np.zeros((count, 3))
    return Track("ground", GROUND, None, still, np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), still, None, True)


def shape_entries(
    bodies: Sequence[Track],
    attached: Sequence[AttachedShape],
    known: Mapping[str, Body],
    joints: Sequence[Connection],
    extent: float,
) -> list[Content]:
    """Return the shapes of bodies: user-defined ones, else bars between several planar joints, else boxes with equal
    mass and inertia, else small boxes; a bar joins a box to its only joint."""
    entries = []
    for number, body in enumerate(bodies):
        own = [s for s in attached if s.node == body.node and s.index in (None, body.index)]
        if own:
            entries += [_stated(number, s) for s in own]
            continue
        box = _unstated(number, known.get(body.name), extent, has_position=body.has_position)
        places = joint_places(body, joints)
        if len(places) < 2:
            entries.append(box)
        if len(places) == 1 and not np.allclose(places[0], box["at"]):
            places.append(np.array(box["at"]))
        entries += [{"body": number, "color": None} | bar for bar in bars(places, joints)]
    return entries


def _stated(number: int, attached: AttachedShape) -> Content:
    place = {"body": number, "kind": attached.shape.kind, "at": list(attached.at), "rotation": list(attached.rotation)}
    return place | {"color": attached.color} | dict(attached.shape.sizes)


def _unstated(number: int, body: Body | None, extent: float, *, has_position: bool) -> Content:
    place: Content = {"body": number, "color": None}
    box = None if body is None else body.box
    if body is None or box is None:
        at = [0.0, 0.0, 0.0] if body is None else body.center.tolist()
        size = [side * (MARK_SIZE * extent if has_position else UNIT_SIDE) for side in MARK]
        return place | {"kind": "box", "at": at, "rotation": [1.0, 0.0, 0.0, 0.0], "size": size}
    sides, axes = box
    turn = box_rotation(axes).tolist()
    return place | {"kind": "box", "at": body.center.tolist(), "rotation": turn, "size": sides.tolist()}


def points_entry(points: Sequence[Track], extent: float) -> Content:
    """Return the nodes with a position and no rotation."""
    has_velocities = all(p.velocities is not None for p in points)
    return {
        "names": [p.name for p in points],
        "positions": poses(np.stack([p.positions for p in points], axis=1), extent),
        "velocities": poses(np.stack([_velocities(p) for p in points], axis=1), extent) if has_velocities else None,
        "radius": POINT_SIZE * extent,
    }


def directions_of(solution: Solution) -> list[tuple[str, Array, Array | None]]:
    """Return points of spheres: name of node and field, directions (n, count, 3), and their rates or None."""
    found = []
    for node in solution.system.layout.nodes:
        if node.type.velocities and not node.type.name.startswith("S2"):
            continue
        rows = solution.q[:, node.storage].reshape(len(solution.t), node.count, -1)
        momentum = _momentum(node.type)
        fields = [f for f in node.type.storage_fields if f.shape == (3,) and f is not momentum]
        several = len(fields) > 2
        while fields:
            field = fields.pop(0)
            vectors = rows[..., field.part]
            if not np.allclose(np.linalg.norm(vectors, axis=-1), 1.0, atol=ON_SPHERE, rtol=0):
                continue
            rates = None
            if fields:
                # On TS² an angular velocity is stored after the direction and is orthogonal to it.
                spin = rows[..., fields[0].part]
                if np.allclose(np.sum(spin * vectors, axis=-1), 0.0, atol=ON_SPHERE * (1 + np.abs(spin).max())):
                    rates = np.cross(spin, vectors)
                    fields.pop(0)
            found.append((f"{node.name}.{field.name}" if several else node.name, vectors, rates))
    return found


ON_SPHERE = 1e-6
"""Tolerance of the length of a direction."""


def momenta_of(solution: Solution) -> list[tuple[str, Array]]:
    """Return angular momenta on duals of Lie algebras and on cotangent bundles: names and values (n, 3)."""
    found = []
    for node in solution.system.layout.nodes:
        field = _momentum(node.type)
        if field is None:
            continue
        rows = solution.q[:, node.storage].reshape(len(solution.t), node.count, -1)
        for k in range(node.count):
            found.append((f"{node.name}[{k}]" if node.is_array else node.name, rows[:, k, field.part]))
    return found


def _momentum(kind: NodeType) -> FieldLayout | None:
    """Return the angular momentum field of a dual or a cotangent bundle, recognised by the name of the node type."""
    if kind.velocities or not ("_dual" in kind.name or "cotangent" in kind.name):
        return None
    return next((f for f in kind.storage_fields if f.shape == (3,) and f.name != "x"), None)


def spheres_entry(name: str, directions: Array, rates: Array | None, centers: Array) -> Content:
    """Return arrows on unit spheres around their centres."""
    return {
        "name": name,
        "radius": 1.0,
        "centers": poses(centers, 1.0),
        "directions": turns(directions),
        "rates": None if rates is None else arrows(rates),
    }
