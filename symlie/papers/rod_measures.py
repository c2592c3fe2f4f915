"""What curves and numbers read from runs of one rod, called ``rod``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symlie.papers.items import Points
from symlie.runtime.solution.solution import Solution

POINTS_OF_LINE = 81
"""Points at which centre lines are drawn: ten in each of eight segments."""


def centre_line(t: float, length: float, *axes: int) -> Callable[[Solution], Points]:
    """The centre line at a time, in the given inertial axes."""

    def points(solution: Solution) -> Points:
        x = solution.at("rod", np.linspace(0.0, length, POINTS_OF_LINE), t).field("x")
        return tuple(x[..., axis].ravel() for axis in axes)

    return points


def distance_of_ends(solution: Solution) -> Points:
    """Distance of (p, x) of both ends over time; p and -p are the same rotation, of which the nearer one counts."""
    first, last = solution.configuration("rod")[:, 0], solution.configuration("rod")[:, -1]
    turned = np.minimum(*(np.linalg.norm(first[:, :4] - sign * last[:, :4], axis=1) for sign in (1, -1)))
    return solution.t, np.hypot(turned, np.linalg.norm(first[:, 4:] - last[:, 4:], axis=1))


def speed_of_end(solution: Solution) -> Points:
    """Norm of (Ω, U) of the last node over time."""
    return solution.t, np.linalg.norm(solution.velocity("rod")[:, -1], axis=1)


def largest_turn(solution: Solution) -> float:
    """The largest angle by which neighbouring cross sections are turned against each other, in rad."""
    p = solution.configuration("rod")[..., :4]
    cosine = np.einsum("tki,tki->tk", p[:, :-1], p[:, 1:])
    return float(2 * np.arccos(np.clip(cosine, -1, 1)).max())
