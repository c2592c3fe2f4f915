"""Polynomials of run-time tables: one before the first knot, one from each knot to the next, one beyond the last."""

from __future__ import annotations

import math

import numpy as np

from symlie.contract.tables import DEGREES, MARGIN
from symlie.runtime.layout.layout import Array


def polynomials(knots: Array, values: Array, interpolation: str, end: str, outside: str) -> Array:
    """Coefficients of the polynomials, shape (size, n + 1, degree + 1).

    The first two belong to powers of the distance from the first knot, those after them from the next knots.

    Parameters
    ----------
    knots, values
        The points, shape (n,) and (n, size).
    interpolation
        A name of `symlie.contract.tables.DEGREES`.
    end
        Of splines: ``"not-a-knot"``, ``"natural"`` (f'' = 0; quintic f''' = f'''' = 0), ``"clamped"`` (f' = 0; quintic
        f' = f'' = 0), or ``"periodic"``.
    outside
        ``"hold"``: constant outside; ``"continue"``: by the end polynomials; ``"refuse"``: NaN.
    """
    n, size = values.shape
    degree = DEGREES[interpolation]
    found = np.zeros((size, n + 1, degree + 1))
    found[:, 0, 0], found[:, 1:, 0] = values[0], values.T
    if n == 1 or degree == 0:
        return found
    if degree == 1:
        found[:, 1:-1, 1] = (np.diff(values, axis=0) / np.diff(knots)[:, None]).T
        return found
    from scipy.interpolate import make_interp_spline

    spline = make_interp_spline(knots, _closed(values, end), k=degree, bc_type=_conditions(degree, end, size))
    for order in range(1, degree + 1):
        found[:, 1:-1, order] = spline.derivative(order)(knots[:-1]).T / math.factorial(order)
    if outside == "continue":
        found[:, 0] = found[:, 1]
        found[:, -1, 1:] = moved(found[:, -2], knots[-1] - knots[-2])[:, 1:]
    elif outside == "refuse" and end != "periodic":
        found[:, [0, -1]] = np.nan
    return found


def moved(coefficients: Array, distance: float) -> Array:
    """The same polynomials in powers of the distance from another point.

    Parameters
    ----------
    coefficients
        Shape (size, degree + 1).
    distance
        From the old to the new point.
    """
    powers = range(coefficients.shape[1])
    shift = np.array([[math.comb(j, i) * distance ** (j - i) if j >= i else 0.0 for i in powers] for j in powers])
    found: Array = coefficients @ shift
    return found


def _closed(values: Array, end: str) -> Array:
    """Values with equal ends where the function is periodic."""
    return np.concatenate([values[:-1], values[:1]]) if end == "periodic" else values


def _conditions(degree: int, end: str, size: int) -> object:
    """End conditions as SciPy has them."""
    if end in ("not-a-knot", "periodic"):
        return end
    half = (degree - 1) // 2
    orders = range(1, half + 1) if end == "clamped" else range(half + 1, degree)
    at_one_end = [(order, np.zeros(size)) for order in orders]
    return at_one_end, at_one_end


def widened(knots: Array, coefficients: Array) -> tuple[Array, Array]:
    """A table whose end polynomials reach a little beyond its ends.

    Parameters
    ----------
    knots, coefficients
        As of `polynomials`.
    """
    margin = MARGIN * (knots[-1] - knots[0])
    knots, coefficients = knots.copy(), coefficients.copy()
    coefficients[:, 1] = moved(coefficients[:, 1], -margin)
    knots[0] -= margin
    knots[-1] += margin
    return knots, coefficients
