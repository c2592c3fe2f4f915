"""Directions along which two points are apart: rods whose direction is the state, drawn as lines between the points."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symlie.encoding import Content
from symlie.runtime.layout.layout import Array
from symlie.view.packing import poses
from symlie.view.poses import Track

Directions = tuple[str, Array, Array | None]
"""Name of points of spheres, directions (n, count, 3), and their rates or None."""

MOST_PAIRS = 200
"""Pairs of points that are looked at."""

STRAIGHT = 1e-6
"""How far two points may be from a constant distance along a direction, over the extent of the motion."""


@dataclass(frozen=True, eq=False)
class Stick:
    """A line between two points.

    Attributes
    ----------
    name
        What it is called.
    start, end
        The points, (n, 3), in m.
    """

    name: str
    start: Array
    end: Array


def sticks(
    directions: Sequence[Directions], points: Sequence[Track], extent: float
) -> tuple[list[Stick], list[Directions]]:
    """Lines between points that stay apart along a direction, and the directions of which that is not so.

    Parameters
    ----------
    directions
        Points of spheres.
    points
        What is in space.
    extent
        Extent of the motion, in m.
    """
    found, alone = [], []
    pairs = list(itertools.islice(itertools.permutations([p for p in points if p.has_position], 2), MOST_PAIRS))
    for name, vectors, rates in directions:
        between = [_between(name, vectors[:, 0], a, b, extent) for a, b in pairs] if vectors.shape[1] == 1 else []
        stick = next((s for s in between if s is not None), None)
        if stick is None:
            alone.append((name, vectors, rates))
        else:
            found.append(stick)
    return found, alone


def _between(name: str, direction: Array, a: Track, b: Track, extent: float) -> Stick | None:
    apart = b.positions - a.positions
    length = float(np.linalg.norm(apart[0]))
    if not length > STRAIGHT * extent or np.abs(apart - length * direction).max() > STRAIGHT * extent:
        return None
    return Stick(name, a.positions, b.positions)


def stick_entry(stick: Stick, extent: float) -> Content:
    """A line of a page."""
    return {"name": stick.name, "from": poses(stick.start, extent), "to": poses(stick.end, extent)}
