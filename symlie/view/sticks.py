"""Rods whose direction is the state: lines between two points in this direction."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symlie.runtime.layout.layout import Array
from symlie.utilities.encoding import Content
from symlie.view.packing import poses
from symlie.view.poses import Track

Directions = tuple[str, Array, Array | None]
"""Name of points of spheres, directions (n, count, 3), and their rates or None."""

MOST_PAIRS = 200
"""Maximum number of pairs of points that are examined."""

STRAIGHT = 1e-6
"""Tolerance of the distance between two points, relative to the extent of the motion."""


@dataclass(frozen=True, eq=False)
class Stick:
    """A line between two points, each (n, 3), in m."""

    name: str
    start: Array
    end: Array


def sticks(
    directions: Sequence[Directions], points: Sequence[Track], extent: float
) -> tuple[list[Stick], list[Directions]]:
    """Return lines between points whose difference has a given direction, and the directions without such points."""
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
    """Return a line as drawn on the page."""
    return {"name": stick.name, "from": poses(stick.start, extent), "to": poses(stick.end, extent)}
