"""Curves and numbers that are read from runs of one rod, named ``rod``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.papers.items import Points
from symlie.runtime.solution.solution import Solution

POINTS_OF_LINE = 81
"""Number of points of a drawn centre line: ten per segment of eight."""


def centre_line(t: float, length: float, *axes: int) -> Callable[[Solution], Points]:
    """Return a reader of the coordinates of the centre line at a time along the given inertial axes."""

    def points(solution: Solution) -> Points:
        x = solution.at("rod", np.linspace(0.0, length, POINTS_OF_LINE), t).field("x")
        return tuple(x[..., axis].ravel() for axis in axes)

    return points


def distance_of_ends(solution: Solution) -> Points:
    """Return the distance between (p, x) of both ends versus time, with the nearer of the equivalent quaternions p and
    -p."""
    first, last = solution.configuration("rod")[:, 0], solution.configuration("rod")[:, -1]
    turned = np.minimum(*(np.linalg.norm(first[:, :4] - sign * last[:, :4], axis=1) for sign in (1, -1)))
    return solution.t, np.hypot(turned, np.linalg.norm(first[:, 4:] - last[:, 4:], axis=1))


def speed_of_end(solution: Solution) -> Points:
    """Return the norm of (Ω, U) of the last node versus time."""
    return solution.t, np.linalg.norm(solution.velocity("rod")[:, -1], axis=1)


def largest_turn(solution: Solution) -> float:
    """Return the largest relative rotation angle of neighbouring cross sections, in rad."""
    p = solution.configuration("rod")[..., :4]
    cosine = np.einsum("tki,tki->tk", p[:, :-1], p[:, 1:])
    return float(2 * np.arccos(np.clip(cosine, -1, 1)).max())
