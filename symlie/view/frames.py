"""Selection of the states of a solution that are drawn.

States from the first one with a NaN or infinity on are left out. If more than `MOST_FRAMES` remain, states are selected
such that cubic Hermite interpolation and slerp have nearly the same error between all of them: with e(t) the error of
the interpolation of a state between its two neighbours, the drawn times are equidistant in the measure e(t)^(1/2) dt /
h plus a fraction of t itself.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import CodeNotLoadedError, ModelError
from symlie.runtime.integrate.dense import densely
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.view.poses import Track
from symlie.view.quaternions import angle_between, slerp

MOST_FRAMES = 3000
"""Maximum number of drawn states; more slow down the page without visible benefit."""

EVEN_SHARE = 0.25
"""Fraction of the drawn states that is equidistant in time, so outputs keep their shape where nothing moves."""

LARGEST_TURN = 3.0
"""Angle between two drawn states, in rad, above which slerp may rotate in the wrong direction."""


@dataclass(frozen=True, eq=False)
class Finite:
    """The finite part of a solution."""

    solution: Solution
    """States before the first one that is not finite."""
    ends_early_at: float | None
    """Time of the first state that is not finite, in s, or None."""


def finite_part(solution: Solution) -> Finite:
    """Return the states before the first non-finite one."""
    is_finite = np.isfinite(solution.t) & np.isfinite(solution.q).all(axis=1) & np.isfinite(solution.v).all(axis=1)
    if is_finite.all():
        return Finite(solution, None)
    end = int(np.argmin(is_finite))
    return Finite(at_states(solution, np.arange(end)), float(solution.t[end]))


def at_states(solution: Solution, chosen: NDArray[np.intp]) -> Solution:
    """Return a solution with a subset of the states, with the outputs and fields that are already evaluated."""
    parts = {name: getattr(solution, name)[chosen] for name in ("t", "q", "v", "multipliers", "carried")}
    found = dataclasses.replace(solution, **parts, trace=None, end=None)
    known = solution.__dict__.get("outputs")
    if known is not None:
        found.__dict__["outputs"] = known.at_states(found, chosen)
    found.known_fields.update({key: values[chosen] for key, values in solution.known_fields.items()})
    return found


def all_moments(solution: Solution) -> Solution:
    """Return the solution with additional states within the steps of Taylor methods and without duplicate times."""
    kept = np.flatnonzero(np.diff(solution.t, prepend=-np.inf) > 0)
    once = solution if len(kept) == len(solution.t) else at_states(solution, kept)
    try:
        return densely(once)
    except (CodeNotLoadedError, ModelError):  # without compiled code or all steps, the recorded states are drawn
        return once


def chosen_states(t: Array, tracks: list[Track], events: list[float]) -> NDArray[np.intp]:
    """Return the indices of the drawn states, including the states nearest to the events; t, in s, must increase."""
    if len(t) <= MOST_FRAMES:
        return np.arange(len(t))
    error = np.zeros(len(t))
    error[1:-1] = np.max([_predicted(t, track) for track in tracks], axis=0, initial=0.0)
    width = np.diff(t)
    density = np.sqrt(np.maximum(error[1:], error[:-1]))
    total = density.sum()
    share = np.full(len(width), 0.0) if total == 0 else (1 - EVEN_SHARE) * density / total
    measure = np.concatenate([[0.0], np.cumsum(share + (EVEN_SHARE if total else 1.0) * width / width.sum())])
    kept = {0, len(t) - 1, *(int(np.abs(t - event).argmin()) for event in events[: MOST_FRAMES // 2])}
    wanted = np.linspace(0.0, measure[-1], MOST_FRAMES - len(kept))
    numbers = np.clip(np.searchsorted(measure, wanted), 0, len(t) - 1)
    return np.array(sorted({*numbers.tolist(), *kept}), dtype=np.intp)


def largest_error(t: Array, tracks: list[Track], chosen: NDArray[np.intp]) -> tuple[float, float]:
    """Return the largest interpolation errors at the states that are not drawn, in m and in rad."""
    left_out = np.setdiff1d(np.arange(len(t)), chosen)
    if not len(left_out):
        return 0.0, 0.0
    right = np.searchsorted(chosen, left_out)
    a, b = chosen[right - 1], chosen[right]
    moved = turned = 0.0
    for track in tracks:
        position, rotation = interpolated(t, track, a, b, left_out)
        moved = max(moved, float(np.linalg.norm(position - track.positions[left_out], axis=1).max()))
        if rotation is not None and track.rotations is not None:
            turned = max(turned, float(angle_between(rotation, track.rotations[left_out]).max()))
    return moved, turned


def interpolated(
    t: Array, track: Track, a: NDArray[np.intp], b: NDArray[np.intp], at: NDArray[np.intp]
) -> tuple[Array, Array | None]:
    """Return positions and rotations at times `at`, interpolated between the states a and b as in the page."""
    h = (t[b] - t[a])[:, None]
    xi = (t[at] - t[a])[:, None] / h
    p, q = track.positions[a], track.positions[b]
    if track.velocities is None:
        position = p + xi * (q - p)
    else:
        u, w = h * track.velocities[a], h * track.velocities[b]
        position = (
            (1 + 2 * xi) * (1 - xi) ** 2 * p + xi * (1 - xi) ** 2 * u + xi**2 * (3 - 2 * xi) * q - xi**2 * (1 - xi) * w
        )
    rotation = None if track.rotations is None else slerp(track.rotations[a], track.rotations[b], xi)
    return position, rotation


def _predicted(t: Array, track: Track) -> Array:
    """Return the error of interpolating each state from its neighbours: relative to the extent of the motion, or in
    rad."""
    inner = np.arange(1, len(t) - 1)
    position, rotation = interpolated(t, track, inner - 1, inner + 1, inner)
    extent = float(np.ptp(track.positions, axis=0).max())
    error = np.linalg.norm(position - track.positions[1:-1], axis=1) / (extent or 1.0)
    if rotation is None or track.rotations is None:
        return np.asarray(error)
    return np.asarray(np.maximum(error, angle_between(rotation, track.rotations[1:-1])))


def largest_turn(t: Array, tracks: list[Track]) -> float:
    """Return the largest rotation of a body between two states, in rad, from its angular velocity if it is known."""
    turns = [
        float((np.maximum(k.spin[1:], k.spin[:-1]) * np.diff(t)).max())
        if k.spin is not None
        else float(angle_between(k.rotations[1:], k.rotations[:-1]).max())
        for k in tracks
        if k.rotations is not None and len(t) > 1
    ]
    return max(turns, default=0.0)
