"""Polynomials of run-time tables: one before the first knot, one per interval, one after the last knot."""

from __future__ import annotations

import math

import numpy as np

from symlie.contract.tables import DEGREES, MARGIN
from symlie.runtime.layout.layout import Array


def polynomials(knots: Array, values: Array, interpolation: str, end: str, outside: str) -> Array:
    """Return the coefficients of the polynomials, shape (size, n + 1, degree + 1), of points (n,) with values (n,
    size).

    ``interpolation`` is a name of `symlie.contract.tables.DEGREES`. ``end`` of splines is ``"not-a-knot"``,
    ``"natural"`` (f'' = 0; quintic f''' = f'''' = 0), ``"clamped"`` (f' = 0; quintic f' = f'' = 0) or ``"periodic"``.
    ``outside`` is ``"hold"`` (constant), ``"continue"`` (end polynomials) or ``"refuse"`` (NaN).
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
    """Return polynomials (size, degree + 1) in powers of the distance from a point that is shifted by ``distance``."""
    powers = range(coefficients.shape[1])
    shift = np.array([[math.comb(j, i) * distance ** (j - i) if j >= i else 0.0 for i in powers] for j in powers])
    found: Array = coefficients @ shift
    return found


def _closed(values: Array, end: str) -> Array:
    """Return values with equal ends if the function is periodic."""
    return np.concatenate([values[:-1], values[:1]]) if end == "periodic" else values


def _conditions(degree: int, end: str, size: int) -> object:
    """Return the end conditions in the format of SciPy."""
    if end in ("not-a-knot", "periodic"):
        return end
    half = (degree - 1) // 2
    orders = range(1, half + 1) if end == "clamped" else range(half + 1, degree)
    at_one_end = [(order, np.zeros(size)) for order in orders]
    return at_one_end, at_one_end


def widened(knots: Array, coefficients: Array) -> tuple[Array, Array]:
    """Return a table of `polynomials` whose end polynomials extend slightly beyond its ends."""
    margin = MARGIN * (knots[-1] - knots[0])
    knots, coefficients = knots.copy(), coefficients.copy()
    coefficients[:, 1] = moved(coefficients[:, 1], -margin)
    knots[0] -= margin
    knots[-1] += margin
    return knots, coefficients
