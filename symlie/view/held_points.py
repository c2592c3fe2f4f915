"""Points that constraints of the model itself hold: lines from nodes to them, found from the motion.

A point p of space that moves with a node, x + R c = p, is what turns a body about it; a constant distance |x - p| is a
rod. Both are linear in what is sought, and shown where they hold along the whole motion.
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
"""States from which a motion tells: more than there are unknowns."""

MOST_CONSTRAINTS = 32
"""Constraints that are looked at."""


def held_points(solution: Solution, tracks: Sequence[Track], joints: Sequence[Array], extent: float) -> list[Stick]:
    """Lines of constraints that belong to no joint, and do not hold, as drives do, what a joint holds already.

    Parameters
    ----------
    solution
        The solution.
    tracks
        Nodes in space.
    joints
        Places of joints, each (n, 3), in m.
    extent
        Extent of the motion, in m.
    """
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
    """Names of the constraints that belong to no joint.

    Parameters
    ----------
    solution
        The solution.
    """
    layout, of_joints = solution.system.layout, {*solution.system.layout.joint_of_row}
    return [name for name, part in layout.constraints.items() if of_joints.isdisjoint(part.rows.ravel().tolist())]


def _held_by(solution: Solution, constraint: str, tracks: Sequence[Track]) -> list[Track]:
    """Nodes that a constraint acts on."""
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
    """The line from a node to a point of space that it turns about, or has a constant distance from."""
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
    """Lines of two bodies to a point that moves with both, or between two points at a constant distance."""
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
    """R, as (n, 3, 3)."""
    assert track.rotations is not None
    count = len(track.rotations)
    return np.stack([rotate(track.rotations, np.tile(unit, (count, 1))) for unit in np.eye(3)], axis=2)


def _least(matrix: Array, right: Array) -> Array:
    """The shortest of the best solutions: what the motion leaves open, such as a place along an axis, is zero."""
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=STRAIGHT)[0], dtype=float)
