"""Lines from nodes to fixed points and to other nodes that user-defined constraints imply, detected from the motion.

A body rotates about a point p of space that moves with its node, x + R c = p; a constant distance |x - p| is a rod.
Both equations are linear in the unknowns. A line is drawn if its equation is satisfied at all states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from symlie.errors import CodeNotLoadedError
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.view.poses import Track
from symlie.view.quaternions import rotate
from symlie.view.sticks import STRAIGHT, Stick

FEWEST_STATES = 12
"""Minimum number of states for detection; more than the number of unknowns."""

MOST_CONSTRAINTS = 32
"""Maximum number of constraints that are examined."""


def held_points(solution: Solution, tracks: Sequence[Track], joints: Sequence[Array], extent: float) -> list[Stick]:
    """Return lines of constraints that belong to no joint, except lines that end at a joint, such as those of drives;
    joints are the joint positions, each (n, 3), in m."""
    if len(solution.t) < FEWEST_STATES or not np.isfinite(solution.multipliers).all():
        return []
    found: list[Stick] = []
    for name in own_constraints(solution)[:MOST_CONSTRAINTS]:
        held = _held_by(solution, name, tracks)
        if len(held) == 1:
            found += _to_space(name, held[0], extent)
        elif len(held) == 2:
            found += _between(name, held[0], held[1], extent)
    return [s for s in found if not any(_coincide(p, end, extent) for p in joints for end in (s.start, s.end))]


def _coincide(a: Array, b: Array, extent: float) -> bool:
    return bool(np.abs(a - b).max() <= STRAIGHT * extent)


def own_constraints(solution: Solution) -> list[str]:
    """Return the names of the constraints that belong to no joint."""
    layout, of_joints = solution.system.layout, {*solution.system.layout.joint_of_row}
    return [name for name, part in layout.constraints.items() if of_joints.isdisjoint(part.rows.ravel().tolist())]


def _held_by(solution: Solution, constraint: str, tracks: Sequence[Track]) -> list[Track]:
    """Return the nodes on which a constraint acts."""
    found = []
    try:
        for node in solution.system.layout.nodes:
            here = [k for k in tracks if k.node == node.name and k.has_position and not k.is_fixed]
            if here and node.type.velocities:
                forces = solution.constraint_force(node.name, constraint).reshape(len(solution.t), node.count, -1)
                found += [k for k in here if np.any(forces[:, k.index or 0])]
    except CodeNotLoadedError:
        return []
    return found


def _to_space(name: str, track: Track, extent: float) -> Iterator[Stick]:
    """Yield the line from a node to a fixed point about which it rotates or from which its distance is constant."""
    x, count = track.positions, len(track.positions)
    middle = x.mean(axis=0)
    if track.rotations is not None:
        columns = np.concatenate([_turned_units(track), np.tile(-np.eye(3), (count, 1, 1))], axis=2)
        solution = _least(columns.reshape(-1, 6), (middle - x).ravel())
        point = solution[3:] + middle
        is_held = np.abs(columns @ solution + x - middle).max() <= STRAIGHT * extent
    else:
        centred = x - middle
        columns = np.concatenate([2 * centred, np.ones((count, 1))], axis=1)
        point = _least(columns, np.sum(centred**2, axis=1))[:3] + middle
        is_held = bool(np.ptp(np.linalg.norm(x - point, axis=1)) <= STRAIGHT * extent)
    if is_held and np.abs(x - point).max() > STRAIGHT * extent:
        yield Stick(name, np.tile(point, (count, 1)), x)


def _between(name: str, a: Track, b: Track, extent: float) -> Iterator[Stick]:
    """Yield lines from two bodies to a common point, or one line between two points at a constant distance."""
    apart = b.positions - a.positions
    if a.rotations is not None and b.rotations is not None:
        columns = np.concatenate([_turned_units(a), -_turned_units(b)], axis=2)
        solution = _least(columns.reshape(-1, 6), apart.ravel())
        if np.abs((columns @ solution) - apart).max() <= STRAIGHT * extent:
            point = a.positions + rotate(a.rotations, np.tile(solution[:3], (len(apart), 1)))
            yield Stick(name, a.positions, point)
            yield Stick(name, point, b.positions)
    elif np.ptp(np.linalg.norm(apart, axis=1)) <= STRAIGHT * extent:
        yield Stick(name, a.positions, b.positions)


def _turned_units(track: Track) -> Array:
    """Return the rotation matrices R, shape (n, 3, 3)."""
    assert track.rotations is not None
    count = len(track.rotations)
    return np.stack([rotate(track.rotations, np.tile(unit, (count, 1))) for unit in np.eye(3)], axis=2)


def _least(matrix: Array, right: Array) -> Array:
    """Return the least-squares solution of minimum norm: undetermined components, such as a shift of p parallel to a
    joint axis, vanish."""
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=STRAIGHT)[0], dtype=float)
