"""Derivatives of a_p(x) = Σ_j (-x)^j/(2j + 2p + 1) by their recurrence: bounds of relative errors on cells of x.

a_n = (r + 2 (n + 1) x r a_{n+1})/(2n + 2p + 1),   r = 1/(1 + x),   f⁽ⁿ⁾(x)/n! = (-r)^n a_n,
a_n = ∫₀¹ s^{2n+2p} (1 + x)^n/(1 + x s²)^{n+1} ds, which lies between 0 and max(1, r).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from flint import arb, ctx

from symlie.certify.derivatives.backward import gamma, gammas
from symlie.certify.derivatives.spherical import SLACK, Array

BITS = 128
WIDTH = 1 / 64
"""Width of cells of x."""
FURTHER = 400
"""Number of indices beyond the last order at which the backward recurrence of enclosures starts."""


@dataclass(frozen=True)
class Ratios:
    """Constants of the scheme."""

    least: float
    most: float
    """Range of supported arguments."""
    enough: float
    """Threshold of |x r|^count that determines count, the number of additional recurrence steps."""


def angle_bounds(ratios: Ratios, most_p: int, most_order: int) -> Array:
    """Return bounds relative to f⁽ʲ⁾(x)/j!, shape (p, order N, j - 1), NaN for j > N."""
    precision, ctx.prec = ctx.prec, BITS
    try:
        found = np.full((most_p + 1, most_order, most_order), np.nan)
        count = math.ceil((ratios.most - ratios.least) / WIDTH)
        edges = np.linspace(ratios.least, ratios.most, count + 1)
        for p in range(most_p + 1):
            cells = [_cell(ratios, p, a, b, most_order) for a, b in itertools.pairwise(edges)]
            found[p] = np.max(cells, axis=0)
        return found
    finally:
        ctx.prec = precision


def _cell(ratios: Ratios, p: int, lower: float, upper: float, most_order: int) -> Array:
    x = arb((lower + upper) / 2) + arb(0, 1) * (upper - lower) / 2 * SLACK
    r = 1 / (1 + x)
    largest = float(max(abs(lower / (1 + lower)), abs(upper / (1 + upper)))) * SLACK
    if not largest < 1:
        return np.full((most_order, most_order), np.inf)
    steps = 1 if largest == 0 else max(1, math.ceil(math.log(ratios.enough) / math.log(largest)) + 1)
    if steps > FURTHER // 2:
        return np.full((most_order, most_order), np.inf)
    highest = max(1.0, float(r.upper())) * SLACK
    values = _values(p, x, r, most_order, highest)
    # For x ≥ 0, values of a recurrence that starts at zero are less than a_n; for x < 0 they can be twice as large.
    rounded = _rounded(p, values, float(r.upper()), largest, 2.0 if lower < 0 else 1.0)
    found = np.full((most_order, most_order), np.nan)
    powers = gammas(3.0 * np.arange(1.0, most_order + 1) + 1)
    for order in range(1, most_order + 1):
        # Each step reduces the error of the start at zero by a factor of |x r| (n + 1)/(n + 1/2) or less.
        error = ratios.enough * highest * SLACK
        for n in range(order, order + steps + 1):
            error *= max(1.0, (n + 1) / (n + p + 0.5))
        for j in range(order, 0, -1):
            if j < order:
                error *= 2 * (j + 1) * largest / (2 * j + 2 * p + 1) * SLACK
            relative = (rounded[j] + error) / float(values[j].lower())
            found[order - 1, j - 1] = (relative + powers[j - 1] * (1 + relative)) * SLACK
    return found


def _values(p: int, x: arb, r: arb, most_order: int, highest: float) -> list[arb]:
    """Return enclosures of a_n over the cell, n = 0 … most_order + FURTHER/2 + 1."""
    last = most_order + FURTHER
    a, found = arb(highest / 2) + arb(0, 1) * highest / 2, []
    ratio = 1 - r
    for n in range(last, -1, -1):
        a = (r + 2 * (n + 1) * ratio * a) / (2 * n + 2 * p + 1)
        found.append(a)
    return found[::-1][: most_order + FURTHER // 2 + 2]


def _rounded(p: int, values: list[arb], r: float, largest: float, excess: float) -> list[float]:
    """Return rounding error bounds for any number of steps and values of at most ``excess`` times a_n."""
    errors = [0.0] * len(values)
    for n in range(len(values) - 2, 0, -1):
        size = float(values[n + 1].upper()) * excess + errors[n + 1]
        own = 2 * (n + 1) * largest
        errors[n] = (gamma(4) * r + own * (gamma(7) * size + errors[n + 1])) / (2 * n + 2 * p + 1) * SLACK
    return errors
