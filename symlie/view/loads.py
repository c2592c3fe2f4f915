"""Arrows of weights, applied forces and constraint forces, and the upward direction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from symlie.contract.manifest import NodeType
from symlie.errors import CodeNotLoadedError
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.slices import NodeSlice
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import Content
from symlie.view.held_points import own_constraints
from symlie.view.joints import arrow_entry
from symlie.view.masses import Body
from symlie.view.poses import Part, Track, padded, parts_of, velocity_fields
from symlie.view.quaternions import rotate

GRAVITY = "gravity"
"""Name of the parameter for the gravitational acceleration."""

MOST_ARROWS = 64
"""Maximum number of bodies and points with arrows; more would overlap and enlarge the page."""

_UNITS = {"Omega": "N m", "U": "N", "x_dot": "N"}
"""Units of the generalised forces by velocity field."""

_OF_CONSTRAINTS = {"N m": "constraint moments", "N": "constraint forces"}
"""Groups of arrows by unit."""

LEAST_LOAD = 1e-9
"""Loads below this fraction of the largest force are regarded as round-off."""

SHIFT = 1e-4
"""Displacement of all nodes from which the direction of the weight is computed, in m."""


def gravity_of(solution: Solution) -> Array | None:
    """Return the gravitational acceleration in space, (3,), in m/s², or None.

    If the parameter is a scalar, the direction is the steepest descent of the energy under a translation of all
    positions.
    """
    system, known = solution.system, solution.system.layout.parameters
    if GRAVITY not in known:
        return None
    part, shape, _ = known[GRAVITY]
    values = system.parameters[part]
    if shape in ((2,), (3,)):
        found = padded(values)
        return found if np.any(found) else None
    if shape not in ((), (1,)) or not values[0]:
        return None
    try:
        downhill = -_energy_slope(solution)
    except CodeNotLoadedError:
        return None
    length = float(np.linalg.norm(downhill))
    return abs(float(values[0])) * downhill / length if length > 0 and np.isfinite(length) else None


def _energy_slope(solution: Solution) -> Array:
    """Return the derivative of the energy at rest with respect to a translation of all positions, in N, (3,)."""
    system, layout = solution.system, solution.system.layout
    t, rest = float(solution.t[0]), np.zeros(layout.dimension)
    places = [
        [node.storage.start + k * node.type.storage + part.position.offset for k in range(node.count)]
        for node in layout.nodes
        for part in parts_of(node.type)
        if part.position is not None and part.position.shape == (3,)
    ]
    # Positions in product spaces with user-defined field names are recognised by equal outputs.
    known = [x for name, (_, unit) in layout.outputs.items() if unit == "m" and (x := solution.outputs[name]).ndim == 2]
    places += [
        [node.storage.start + field.offset]
        for node in layout.nodes
        for field in node.type.storage_fields
        if not node.is_array and field.shape == (3,) and field.name[0] != "x"
        if any(np.array_equal(x, solution.q[:, node.storage][:, field.part]) for x in known)
    ]
    starts = np.array([p for row in places for p in row], dtype=int)
    slope = np.zeros(3)
    for axis in range(3):
        sides = []
        for sign in (1, -1):
            q = solution.q[0].copy()
            q[starts + axis] += sign * SHIFT
            sides.append(float(np.sum(system.mechanics.energy(t, q, rest))))
        slope[axis] = (sides[0] - sides[1]) / (2 * SHIFT)
    # Components at the level of round-off would falsify the direction.
    slope[np.abs(slope) <= 1e-6 * np.abs(slope).max(initial=0.0)] = 0.0
    return slope


def up_of(gravity: Array | None) -> list[float]:
    """Return the unit vector against gravity, or the third axis without gravity."""
    if gravity is None:
        return [0.0, 0.0, 1.0]
    found: list[float] = (-gravity / np.linalg.norm(gravity) + 0.0).tolist()
    return found


def weight_entries(tracks: Sequence[Track], bodies: Mapping[str, Body], gravity: Array | None) -> list[Content]:
    """Return the weights of bodies at their centres of mass."""
    if gravity is None:
        return []
    found = []
    for track in tracks:
        body = bodies.get(track.name)
        if body is None or not body.mass or not track.has_position or track.rotations is None or track.is_fixed:
            continue
        at = track.positions + rotate(track.rotations, np.tile(body.center, (len(track.positions), 1)))
        weight = np.tile(body.mass * gravity, (len(at), 1))
        found.append(arrow_entry(f"weight of {track.name}", "loads", "N", at, weight))
    return found


def load_entries(
    solution: Solution, tracks: Sequence[Track], bodies: Mapping[str, Body], gravity: Array | None
) -> list[Content]:
    """Return the loads on nodes at rest, without weights and constraint forces; gravity has shape (3,), in m/s²."""
    rest = np.zeros(solution.system.layout.dimension)
    try:
        mechanics = solution.system.mechanics
        forces = -np.array([mechanics.force(float(t), q, rest) for t, q in zip(solution.t, solution.q, strict=True)])
    except CodeNotLoadedError:
        return []
    found, least = [], LEAST_LOAD * np.abs(forces).max(initial=0.0)
    for track, node, kind, part in _moving(solution, tracks):
        own = forces[:, node.velocity].reshape(len(forces), node.count, -1)[:, track.index or 0]
        body = bodies.get(track.name)
        for unit, vectors in _in_space(track, kind, part, own):
            other = vectors
            if body is not None and body.mass and gravity is not None:
                lever = np.tile(body.center, (len(forces), 1))
                lever = rotate(track.rotations, lever) if track.rotations is not None else lever
                weight = np.tile(body.mass * gravity, (len(forces), 1))
                other = vectors - (weight if unit == "N" else np.cross(lever, weight))
            if np.abs(other).max(initial=0.0) > least:
                found.append(arrow_entry(f"load on {track.name}", "loads", unit, track.positions, other))
    return found


def constraint_force_entries(solution: Solution, tracks: Sequence[Track]) -> list[Content]:
    """Return forces and moments on nodes from the constraints that belong to no joint."""
    own = own_constraints(solution)
    if not own or not np.isfinite(solution.multipliers).all():
        return []
    found: list[Content] = []
    for track, node, kind, part in _moving(solution, tracks):
        try:
            forces = solution.constraint_force(node.name, *own).reshape(len(solution.t), node.count, -1)
        except CodeNotLoadedError:
            return []
        for unit, vectors in _in_space(track, kind, part, forces[:, track.index or 0]):
            if np.any(vectors):
                found.append(arrow_entry(track.name, _OF_CONSTRAINTS[unit], unit, track.positions, vectors))
    return found


def _moving(solution: Solution, tracks: Sequence[Track]) -> Iterator[tuple[Track, NodeSlice, NodeType, Part]]:
    """Yield the spatial nodes with independent velocities, with their layout."""
    for node in solution.system.layout.nodes:
        parts = parts_of(node.type)
        if len(parts) == 1 and node.type.velocities:
            for track in tracks:
                if track.node == node.name and not track.is_fixed:
                    yield track, node, node.type, parts[0]


def _in_space(track: Track, kind: NodeType, part: Part, forces: Array) -> Iterator[tuple[str, Array]]:
    """Yield the forces and moments of a generalised force in space, with their units."""
    for name, place in velocity_fields(kind, part):
        if name not in _UNITS:
            continue
        values = forces[:, place]
        # A planar moment is normal to the plane, a planar force lies in it.
        vectors = np.pad(values, ((0, 0), (2, 0))) if values.shape[1] == 1 else padded(values)
        if name != "x_dot" and track.rotations is not None:
            vectors = rotate(track.rotations, vectors)
        yield _UNITS[name], vectors
