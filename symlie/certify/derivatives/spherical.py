"""c_{k,n} on cells of ω = √z, and bounds of solutions of the recurrence of spherical Bessel functions.

All values are in units that avoid overflow and underflow,

    p_n = (-1)^n c_{k,n}(z) σ^n,   V_n = ω^{n+1} σ^{1-n} |h_n(ω)|,   |h_n|² = j_n² + y_n²,
    c_{1,n} = (-1)^n j_n(ω)/ω^n,

with σ = max(1, centre of the cell). Centres are enclosed by recurrences in ball arithmetic. Cells are enclosed by
Taylor series about their centres, with coefficients from the same family, (d/dz)^i c_{k,n} = c_{k,n+i}/2^i. The bounds
|c_{k,n}(z)| ≤ |c_{k,n}(0)| and, for k > 0, |c_{k,n}(z)| ω^n ≤ 1 yield the remainders. |h_n| decreases with ω, and
ω^{n+1} |h_n| increases.
Source: [Olver2010], 10.49 and 10.51.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

Array = NDArray[np.float64]

BITS = 768
"""Working precision in bits; balls of oscillating functions lose 1.3 bits for each unit of ω and for each order."""

WIDTH = 0.125
"""Width of cells in ω for ω ≥ 1."""

WINDOW = 2.0
"""Errors are relative to the largest value of a function within this distance of ω, in rad."""

PER_OCTAVE = 8
"""Cells per octave of ω below one, down to 2**-30, where recurrences start at the smallest possible index."""

TERMS = 24
"""Number of terms of Taylor series about a centre."""

LEAST_BITS, NOTHING = 60, 1e-290
"""Smallest accuracy of balls in bits, and magnitude below which it is not required."""

SLACK = 1 + 2.0**-40
"""Factor for the roundings of the bounds themselves."""

LOGARITHM = 1e-9
"""Allowance for the roundings of bounds that are computed by logarithms."""


@dataclass(frozen=True)
class Cells:
    """Adjacent cells of ω, starting at zero."""

    edges: Array

    @property
    def lower(self) -> Array:
        """Left ends."""
        return self.edges[:-1]

    @property
    def upper(self) -> Array:
        """Right ends."""
        return self.edges[1:]

    @property
    def centres(self) -> Array:
        """Centres."""
        return (self.lower + self.upper) / 2

    @property
    def scales(self) -> Array:
        """Scales σ."""
        return np.maximum(1.0, self.centres)

    @property
    def shifts(self) -> Array:
        """Largest |z - centre²|/(2σ)."""
        half = (self.upper - self.lower) / 2
        return (self.centres * half + half * half / 2) / self.scales * SLACK

    @property
    def ratios(self) -> Array:
        """Largest z/σ²."""
        return (self.upper / self.scales) ** 2 * SLACK

    @classmethod
    def up_to(cls, end: float) -> Cells:
        """Return cells that cover 0 ≤ ω ≤ end."""
        octaves = 30
        small = 2.0 ** (np.arange(-octaves * PER_OCTAVE, 0) / PER_OCTAVE)
        count = math.ceil(max(0.0, end - 1) / WIDTH)
        return cls(np.concatenate([[0.0], small, 1.0 + WIDTH * np.arange(count + 1)]))


@dataclass(frozen=True)
class Family:
    """Values p_n of one k, shape (n, cells), NaN above the computed indices."""

    centres: Array
    """Values at the centres, to rounding."""
    variations: Array
    """Bounds of the variation within a cell."""

    @property
    def upper(self) -> Array:
        """Largest magnitudes."""
        return (np.abs(self.centres) + self.variations) * SLACK

    @property
    def lower(self) -> Array:
        """Least magnitudes, or zero."""
        return np.maximum(0.0, np.abs(self.centres) / SLACK - self.variations * SLACK)


@dataclass(frozen=True)
class Tables:
    """Families, and bounds of the second solution, on the same cells."""

    cells: Cells
    families: Mapping[int, Family]
    """Families by k."""
    solutions: Array
    """Largest V_n."""
    least_solutions: Array
    """Least ω^{n+1} σ^{1-n} |y_n|, zero where y_n may vanish."""
    moduli: Array
    """Largest |h_n|; infinite in the first cell."""
    rest: Array
    """Upper bounds of Σ_{i>n} (2i + 1) j_i² at the right ends."""

    def head(self, rows: int, count: int) -> Tables:
        """Return the tables of the first indices and cells."""
        families = {k: Family(*(a[:rows, :count] for a in (f.centres, f.variations))) for k, f in self.families.items()}
        others = (a[:rows, :count] for a in (self.solutions, self.least_solutions, self.moduli, self.rest))
        return Tables(Cells(self.cells.edges[: count + 1]), families, *others)


def chain(k: int) -> tuple[int, ...]:
    """Return the indices from one or zero to k in steps of two, each of which determines the next."""
    return tuple(range(k % 2, k + 1, 2))


def make_tables(ks: Sequence[int], end: float, rows: Array) -> Tables:
    """Return tables for ω up to ``end``, with the number of indices for each cell of `Cells.up_to`."""
    precision, ctx.prec = ctx.prec, BITS
    try:
        cells = Cells.up_to(end)
        return _tables(sorted({0, 1, *ks}), cells, [int(n) for n in rows])
    finally:
        ctx.prec = precision


def _tables(ks: Sequence[int], cells: Cells, rows: Sequence[int]) -> Tables:
    height = max(rows) + TERMS
    values = {k: np.full((height, len(cells.centres)), np.nan) for k in ks}
    for i, (centre, scale) in enumerate(zip(cells.centres, cells.scales, strict=True)):
        for k, column in columns(ks, arb(float(centre)), arb(float(scale)), rows[i] + TERMS).items():
            values[k][: len(column), i] = [float(p.mid()) for p in column]
    families = {k: Family(v, _variations(k, v, cells)) for k, v in values.items()}
    return Tables(cells, families, *_second_solutions(cells, max(rows), families[1]))


def columns(ks: Sequence[int], omega: arb, scale: arb, rows: int) -> dict[int, list[arb]]:
    """Return p_n of each k at one point, or raise `ArithmeticError` if the working precision is too low."""
    z = omega * omega
    odd = first_family(z, scale, rows)
    found = {0: [odd[0] - z * odd[1] / scale, *(scale * p for p in odd[:-1])], 1: odd}
    for k in sorted(ks):
        if k > 1:
            found[k] = _raised(k - 2, float(omega), z, scale, found[k - 2])
    for p in (p for column in found.values() for p in column):
        if p.rel_accuracy_bits() < LEAST_BITS and not abs(p) < NOTHING:
            raise ArithmeticError(f"{p} is enclosed to too few bits.")
    return found


def first_family(z: arb, scale: arb, rows: int) -> list[arb]:
    """Return p_n = (-1)^n c_{1,n}(z) σ^n by backward recurrence from two series."""
    column = [arb(0)] * rows
    for n in (rows - 1, rows - 2):
        column[n] = _series(1, n, z) * scale**n
    ratio = z / (scale * scale)
    for n in range(rows - 2, 0, -1):
        column[n - 1] = (2 * n + 1) / scale * column[n] - ratio * column[n + 1]
    return column


def _series(k: int, n: int, z: arb) -> arb:
    """Return (-1)^n c_{k,n} = Σ_j (-z)^j 2^n (j+n)!/(j! (2j+2n+k)!), with alternating and finally decreasing terms."""
    term = arb(2) ** n * arb.fac_ui(n) / arb.fac_ui(2 * n + k)
    total, j = arb(0), 0
    while True:
        total += term
        j += 1
        ratio = z * (j + n) / (j * (2 * (j + n) + k - 1) * (2 * (j + n) + k))
        term *= -ratio
        if ratio < 1 and abs(term) < abs(total) * arb(2) ** -ctx.prec:
            return total + arb(0, 1) * abs(term).upper()


def _raised(k: int, omega: float, z: arb, s: arb, p: list[arb]) -> list[arb]:
    """Return p_n of k + 2 from p_n of k, in the direction in which errors decay."""
    top = len(p) - 1
    middle = min(max(0, int((omega - k - 2) / 2)), top)
    found = [arb(0)] * (top + 1)
    found[top] = _series(k + 2, top, z) * s**top
    for n in range(top, middle, -1):
        found[n - 1] = (p[n] + z * found[n]) / (2 * n * s)
    if middle:
        found[0] = (1 / arb.fac_ui(k) - p[0]) / z
        for n in range(1, middle + 1):
            found[n] = (2 * n * s * found[n - 1] - p[n]) / z
    return found


def _variations(k: int, values: Array, cells: Cells) -> Array:
    """Return Σ_{i>0} |p_{n+i}| shift^i/i!, with bounds of p beyond the computed terms."""
    height = len(values)
    found, weight = np.zeros_like(values), np.ones(values.shape[1])
    for i in range(1, TERMS):
        weight = weight * cells.shifts / i
        found[: height - i] += np.abs(values[i:]) * weight
        found[height - i :] = np.nan
    weight = weight * cells.shifts / TERMS
    return (found + 2 * weight * _largest_beyond(k, height, cells.scales)) * SLACK


def _largest_beyond(k: int, height: int, scales: Array) -> Array:
    """Return bounds of |p_{n+i}|, i ≥ `TERMS`, at centres: of min(σ or 1, |c_{k,n}(0)| σ^n), decreasing from n = σ."""
    n = np.arange(height + TERMS + 2 * math.ceil(scales.max()))
    at_zero = np.array([i * math.log(2) + math.lgamma(i + 1) - math.lgamma(2 * i + k + 1) for i in n])
    logarithms = np.minimum(at_zero[:, None] + n[:, None] * np.log(scales), np.log(scales) if k == 0 else 0.0)
    largest = np.maximum.accumulate(logarithms[::-1])[::-1]
    return np.exp(largest[TERMS : TERMS + height] + LOGARITHM)


def _second_solutions(cells: Cells, height: int, odd: Family) -> tuple[Array, Array, Array, Array]:
    """Return the largest V_n, least ω^{n+1} σ^{1-n} |y_n|, largest |h_n|, and remainders of Σ (2i + 1) j_i²."""
    count = len(cells.centres)
    at_edges, rest = np.empty((height, count + 1)), np.empty((height, count))
    at_edges[:, 0] = _logarithms([arb.fac_ui(2 * n) / (arb(2) ** n * arb.fac_ui(n)) for n in range(height)])
    for i, edge in enumerate(cells.upper):
        omega = arb(float(edge))
        first = first_family(omega * omega, max(arb(1), omega), height)
        regular = [p * min(arb(1), omega) ** row for row, p in enumerate(first)]
        moduli = [(a * a + b * b).sqrt() for a, b in zip(regular, _neumann(omega, height), strict=True)]
        at_edges[:, i + 1] = _logarithms([h * omega ** (row + 1) for row, h in enumerate(moduli)])
        left = arb(1)
        for row, j in enumerate(regular):
            left -= (2 * row + 1) * j * j
            rest[row, i] = max(0.0, float(left.upper()))
    n = np.arange(height)[:, None]
    powers = (1.0 - n) * np.log(cells.scales)
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        largest = np.exp(at_edges[:, 1:] + powers + LOGARITHM)
        amplitudes = np.exp(at_edges[:, :-1] - (n + 1.0) * np.log(cells.lower) + LOGARITHM)
        part = odd.upper[:height] * np.exp((2 * n + 1) * np.log(cells.upper) + (1 - 2 * n) * np.log(cells.scales))
        least = np.exp(at_edges[:, :-1] + powers - LOGARITHM)
        least = np.sqrt(np.maximum(0.0, (least - part) * (least + part))) / SLACK
    return largest, least, amplitudes, rest


def _logarithms(values: list[arb]) -> list[float]:
    return [float(v.log().mid()) for v in values]


def _neumann(omega: arb, height: int) -> list[arb]:
    """Return y_n(ω) by forward recurrence."""
    sine, cosine = omega.sin_cos()
    found = [-cosine / omega, -(cosine / omega + sine) / omega]
    for n in range(1, height - 1):
        found.append((2 * n + 1) / omega * found[n] - found[n - 1])
    return found[:height]
