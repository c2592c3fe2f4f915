"""Grids on the material coordinate, and quadrature of densities over a segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Rational

from symlie.errors import ModelError
from symlie.options import Quadrature
from symlie.rotations import Rotation

Array = NDArray[np.float64]

Rule = tuple[tuple[Expr, Expr], ...]
"""Positions ξ on a segment, between 0 and 1, each with its weight."""

QUADRATURES: Mapping[Quadrature, Rule] = {
    "midpoint": ((Rational(1, 2), Rational(1)),),
    "trapezoid": ((Rational(0), Rational(1, 2)), (Rational(1), Rational(1, 2))),
    "simpson": ((Rational(0), Rational(1, 6)), (Rational(1, 2), Rational(2, 3)), (Rational(1), Rational(1, 6))),
}
"""Quadrature rules for functions of the strain, which is constant on a segment, and of s or q, which vary."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Nodes on the material coordinate."""

    arc: Array
    """Coordinate s of each node, shape (segments + 1,), in m."""
    lengths: Array
    """Length of each segment, shape (segments,), in m."""

    @property
    def middle(self) -> Array:
        """Coordinate s of the midpoint of each segment, in m."""
        return (self.arc[1:] + self.arc[:-1]) / 2

    @property
    def weights(self) -> Array:
        """Half the total length of the segments that meet in each node, in m."""
        found = np.zeros(len(self.arc))
        found[:-1] += self.lengths / 2
        found[1:] += self.lengths / 2
        return found


def grid(what: str, segments: int | Sequence[float] | Array, length: float | Sequence[float] | Array | None) -> Grid:
    """Return the grid for a number of segments and a length (total or of each segment), or for coordinates of nodes, in
    m."""
    start = f"{what[0].upper()}{what[1:]}"
    if not isinstance(segments, int | np.integer):
        arc = numbers(f"The segments of {what} are a number, or the coordinates of its nodes", segments)
        if arc.ndim != 1 or len(arc) < 2 or not np.all(np.diff(arc) > 0):
            raise ModelError(f"The coordinates of the nodes of {what} must be at least two increasing numbers.")
        if length is not None and not np.isclose(np.sum(np.asarray(length, dtype=float)), arc[-1] - arc[0]):
            raise ModelError(f"{start} has the nodes from {arc[0]:g} to {arc[-1]:g}, but the length {length}.")
        return Grid(arc, np.diff(arc))
    if length is None:
        raise ModelError(f"{start} needs its length, or the coordinates of its nodes as segments.")
    lengths = numbers(f"The length of {what} is a number, or one for each segment", length)
    lengths = np.full(max(segments, 0), lengths / max(segments, 1)) if lengths.ndim == 0 else lengths
    if lengths.shape != (segments,):
        raise ModelError(f"{start} has {segments} segments, but {lengths.size} lengths.")
    if not np.all(lengths > 0):
        short = int(np.argmin(lengths))
        raise ModelError(f"Segment {short} of {what} has length {lengths[short]:g}; it must be positive.")
    return Grid(np.concatenate([[0.0], np.cumsum(lengths)]), lengths)


def numbers(sentence: str, value: object) -> Array:
    """Return finite numbers, or raise `ModelError` with the given message."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{sentence}, not {value!r}.") from error
    if not np.all(np.isfinite(found)):
        raise ModelError(f"{sentence}, not {value!r}.")
    return found


def along_arc(value: object, arc: Sequence[float] | Array) -> object:
    """Return the values of a function at some arc lengths; return any other value unchanged."""
    if not callable(value):
        return value
    return [v if isinstance(v, Rotation) else np.ravel(v) for v in map(value, arc)]
