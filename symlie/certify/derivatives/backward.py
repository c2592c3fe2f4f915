"""c_{k,n} by backward recurrences, where ω is not large relative to n: error bounds on cells of ω.

Computed values of a three-term recurrence satisfy it up to roundings δ_i, which propagate by solutions of the exact
recurrence:

    e_n = Σ_{i>n} K(n, i) δ_i,   |K(n, i)| ≤ |p_n| V_i + V_n |p_i| (z/σ²)^{i-n}   and   ≤ ω² |h_n| |h_i| (ω/σ)^{i-n-1}.

A recurrence that starts at zero yields a multiple of p_n minus a decaying multiple of the second solution. The
normalisation Σ (2n + 1) j_n² = 1 removes the factor of p_n. Recurrences in k have two terms, whose errors are
propagated step by step. σ is the computed value of √z, an exact unit, since all recurrences hold in every unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from symlie.certify.derivatives.amplitudes import Amplitudes, power_of
from symlie.certify.derivatives.spherical import SLACK, WIDTH, WINDOW, Array, Cells, Family, Tables

UNIT = 2.0**-53

LARGEST_CHANGE = 0.1
"""Largest change of the normalisation sum for which errors are bounded."""

STRIDE = 4
"""Stride of the cells in a window among which the largest value is selected."""


def gamma(roundings: int) -> float:
    """Return the relative error of this number of roundings."""
    return roundings * UNIT / (1 - roundings * UNIT) * SLACK


def gammas(roundings: Array) -> Array:
    """Return the relative errors of these numbers of roundings."""
    return np.asarray(roundings * UNIT / (1 - roundings * UNIT) * SLACK, dtype=np.float64)


@dataclass(frozen=True)
class Switches:
    """Starting indices and directions of the recurrences, as in the source of the scheme."""

    enough: float
    """Threshold of decaying products that determines the starting index."""
    forward: tuple[float, float]
    """(a, b): forward recurrences for ω ≥ a·last + b·k."""
    levels: int
    """Divisor of k in last = m + order + 1 + k // levels."""
    turn: tuple[float, float]
    """(c, d): forward recurrences in k up to n = ω/c - (k + 2)/d."""

    def last(self, k: int, m: int, order: int) -> int:
        """Return the largest index that a recurrence must compute."""
        return m + order + 1 + k // self.levels

    def begin_upwards(self, k: int, last: int) -> float:
        """Return the ω above which recurrences run forward."""
        a, b = self.forward
        return a * last + b * k

    def middle(self, k: int, omega: Array) -> Array:
        """Return the last index that is computed forward from k."""
        c, d = self.turn
        return np.asarray(np.maximum(0, (omega / c - (k + 2) / d).astype(int)))


def first_numbers(switches: Switches, last: int, cells: Cells) -> tuple[Array, Array]:
    """Return the smallest and the largest starting index of recurrences at the ends of cells."""
    return _firsts(switches, last, cells.lower, 1 - 1e-12), _firsts(switches, last, cells.upper, 1 + 1e-12)


def _firsts(switches: Switches, last: int, omega: Array, allowance: float) -> Array:
    z = omega * omega * allowance
    first = np.maximum(last, np.ceil(omega)).astype(int)
    error = np.ones_like(z)
    while (going := error > switches.enough).any():
        first = first + going
        error = np.where(going, error * (z / (4.0 * first * first - 3.0 * z)), error)
    return first


@dataclass(frozen=True)
class Errors:
    """Error bounds of p_n of one k, for recurrences from index ``first``: arrays of shape (n, cells)."""

    # An error is Re(c_n g_n) + r_n, where g_n is the component of p_n in h_n, the spherical Hankel functions.
    # Recurrences in k map both to the next k, so errors that oscillate like p_n do not accumulate.

    first: Array
    total: Array
    coefficients: Array
    """Bounds of |c_n|."""
    steps: Array
    """Bounds of |c_{n-1} - c_n|."""
    noise: Array
    """Bounds of |r_n| for forward recurrences in k."""


def first_errors(tables: Tables, first: Array) -> Errors:
    """Return the errors of p_n for k = 1."""
    cells, p, v, h = tables.cells, tables.families[1].upper, tables.solutions, tables.moduli
    height, columns = int(first.max()) + 2, np.arange(len(first))
    ratio, turn, w2 = cells.ratios, cells.upper / cells.scales, cells.upper**2 * SLACK
    n = np.arange(height)[:, None]
    # Multiple of the second solution that makes the value beyond the first index vanish.
    part = p[first + 1, columns] / tables.least_solutions[first + 1, columns]
    with np.errstate(invalid="ignore", over="ignore"):
        behind_first = np.where(n <= first + 1, v[:height] * ratio ** np.maximum(first + 1.0 - n, 0.0), 0.0)
    other = part * behind_first
    v = np.where(n <= first, v[:height], 0.0)
    size = np.where(n <= first, p[:height] + other, 0.0)
    e, steps, coefficients = (np.zeros((height + 1, len(first))) for _ in range(3))
    regular, second, modulus = (np.zeros(len(first)) for _ in range(3))
    with np.errstate(invalid="ignore", over="ignore"):
        for i in range(height - 1, 0, -1):
            behind = size[i + 1] + e[i + 1] if i + 1 < height else 0.0
            delta = gamma(3) * (2 * i + 1) / cells.scales * (size[i] + e[i]) + gamma(4) * ratio * behind
            regular = regular + v[i] * delta
            second = ratio * (second + np.where(i <= first, p[i], 0.0) * delta)
            modulus = np.where(delta > 0, h[i] * delta, 0.0) + turn * modulus
            steps[i] = w2 * np.maximum(1.0, turn) ** (i - 1) * h[i] * delta
            coefficients[i - 1] = w2 * np.maximum(1.0, turn) ** (i - 1) * modulus
            e[i - 1] = np.fmin(_known(p[i - 1]) * regular + v[i - 1] * second, w2 * h[i - 1] * modulus) * SLACK
        coefficients = coefficients[:height] + part * cells.scales * cells.upper * np.maximum(1.0, turn) ** n
    total = np.where(n <= first, e[:height] + other, np.where(n == first + 1, p[:height], np.nan))
    relative = _scaling(tables, first, total)
    noise = gamma(1) * (_known(p[:height]) + total)
    scaled = np.where(n <= first, _known(p[:height]) * relative + total * (1 + relative) + noise, total)
    return Errors(
        first,
        scaled * SLACK,
        (coefficients * (1 + relative) + relative) * SLACK,
        steps[:height] * (1 + relative),
        noise,
    )


def _known(values: Array) -> Array:
    """Replace unknown values, whose errors are not used, by zero."""
    return np.where(np.isnan(values), 0.0, values)


def _scaling(tables: Tables, first: Array, errors: Array) -> Array:
    """Return the relative error of the normalisation factor of p_n."""
    cells, p = tables.cells, tables.families[1].upper[: len(errors)]
    n = np.arange(len(errors))[:, None]
    known = n <= first
    power = np.minimum(1.0, cells.upper) ** n * np.maximum(1.0, cells.upper / cells.scales) ** n * SLACK
    size = np.where(known, power * p, 0.0)
    error = np.where(known, power * errors, 0.0)
    terms = (2 * n + 1) * (size + error) ** 2
    change = np.sum((2 * n + 1) * (2 * size + error) * error, axis=0)
    sums = np.minimum(np.cumsum(terms, axis=0), 1.0 + change)
    # Powers of ω/σ are exact for ω ≥ 1.
    rounded = np.where(
        cells.upper > 1, gamma(4) * sums[-1], np.sum(gammas(np.asarray(4.0 * n + 4, dtype=np.float64)) * terms, axis=0)
    )
    added = gamma(1) * np.sum(np.where(known, sums, 0.0)[1:], axis=0)
    total = (tables.rest[first, np.arange(len(first))] + change + (1 + change) * (rounded + added)) * SLACK
    return np.where(total < LARGEST_CHANGE, (total / 2 * (1 + total) + gamma(3)) * SLACK, np.inf)


def even_errors(tables: Tables, odd: Errors) -> Errors:
    """Return the errors of p_n for k = 0 from the errors for k = 1."""
    scale, p, ratio = tables.cells.scales, tables.families[1].upper[: len(odd.total)], tables.cells.ratios
    wave = ratio * scale

    def moved(values: Array, at_zero: Array) -> Array:
        return np.concatenate([at_zero[None], values[:-1]])

    def rounded(errors: Array, at_zero: Array) -> Array:
        whole = moved(scale * (errors + gamma(1) * (p + odd.total)), at_zero)
        whole[0] += gamma(3) * (p[0] + odd.total[0] + wave * (p[1] + odd.total[1]))
        return whole * SLACK

    total = rounded(odd.total, odd.total[0] + wave * odd.total[1])
    by_step = _wave(odd.steps[1], tables.moduli[1])
    noise = rounded(odd.noise, odd.noise[0] + wave * (odd.noise[1] + by_step))
    zero = np.zeros_like(odd.steps[0])
    return Errors(odd.first, total, moved(odd.coefficients, odd.coefficients[0]), moved(odd.steps, zero), noise)


def _wave(coefficient: Array, amplitude: Array) -> Array:
    """Return the product; unknown amplitudes occur only in cells without forward recurrences, and give zero."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(coefficient > 0, coefficient * amplitude, 0.0)


def raised_errors(tables: Tables, switches: Switches, k: int, before: Errors, waves: Array) -> Errors:
    """Return the errors of p_n of k + 2 from the errors of k."""
    # ``waves`` is the largest |g_n| of k + 2, shape (n, cells), NaN where 2n + k + 2 is above the cell.
    cells, top = tables.cells, before.first + 1
    low, high = (switches.middle(k, w) for w in (cells.lower, cells.upper))
    low, high = np.minimum(low, top), np.minimum(high, top)
    down, up = _downwards(tables, k, before, waves), _upwards(tables, k, before, waves, int(high.max()))
    rows = np.arange(len(down[0]))[:, None]
    # Index zero is computed forward only, and is not needed in cells without forward recurrences.
    total, noise = (
        np.where(rows > high, d, np.where((rows <= low) & (low > 0), u, np.fmax(u, d)))
        for d, u in zip(down, up, strict=True)
    )
    return Errors(before.first, total, before.coefficients, before.steps, noise)


def _downwards(tables: Tables, k: int, before: Errors, waves: Array) -> tuple[Array, Array]:
    """Return total errors and noise of backward recurrences; noise is known wherever amplitudes are known."""
    cells, top = tables.cells, before.first + 1
    p, q, errors = tables.families[k].upper, tables.families[k + 2].upper, before.total
    total, noise = np.full_like(errors, np.nan), np.full_like(errors, np.nan)
    z, columns = cells.upper**2 * SLACK, np.arange(len(top))
    total[top, columns] = q[top, columns]
    with np.errstate(invalid="ignore", over="ignore"):
        for n in range(len(errors) - 1, 0, -1):
            divisor, size = 2 * n * cells.scales, np.where(n < top, q[n], 0.0)
            rounded = gamma(4) * (p[n] + errors[n] + z * (size + total[n]))
            found = (errors[n] + z * total[n] + rounded) / divisor * SLACK
            if n - 1 < len(waves):
                wave = before.coefficients[n - 1] * waves[n - 1]
                step = before.steps[n] * waves[n - 1]
                rest = ((before.noise[n] + z * noise[n] + rounded) / divisor + step) * SLACK
                rest = np.fmin(rest, found + wave)
                noise[n - 1] = np.where(n <= top, rest, noise[n - 1])
                found = np.fmin(found, (wave + rest) * SLACK)
            total[n - 1] = np.where(n <= top, found, total[n - 1])
    return total, noise


def _upwards(tables: Tables, k: int, before: Errors, waves: Array, last: int) -> tuple[Array, Array]:
    """Return total errors and noise of forward recurrences up to an index."""
    cells, errors = tables.cells, before.total
    p, q = tables.families[k].upper, tables.families[k + 2].upper
    total, noise = np.full_like(errors, np.inf), np.full_like(errors, np.inf)
    largest, scale = cells.upper**2 * SLACK, cells.scales
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        least = cells.lower**2 / SLACK
        at_zero = gamma(math.ceil(k / 2) or 1) / math.factorial(k)
        for n in range(min(len(errors), len(waves), last + 1)):
            if n:
                behind = 2 * n * scale
                change = behind * (noise[n - 1] + before.steps[n] * waves[n - 1])
                rounded = gamma(4) * (p[n] + errors[n] + behind * (q[n - 1] + total[n - 1]))
            else:
                change, rounded = at_zero, gamma(2) * (largest * q[0] + errors[0] + at_zero)
            noise[n] = (before.noise[n] + change + rounded) / least * SLACK
            total[n] = (before.coefficients[n] * waves[n] + noise[n]) * SLACK
    return total, noise


def waves_on(cells: Cells, table: Amplitudes, k: int, rows: int) -> Array:
    """Return the largest |g_n| on cells, from amplitudes on wider cells."""
    first = np.searchsorted(table.upper, cells.lower, side="right")
    last = np.maximum(first, np.searchsorted(table.lower, cells.upper, side="left") - 1)
    powers = np.array([power_of(k, n) for n in range(rows)])[:, None]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        unit = cells.lower ** (-1.0 * powers) * (cells.scales / cells.lower) ** np.arange(rows)[:, None] * SLACK
        largest = np.maximum(table.waves[1][k][:rows, first], table.waves[1][k][:rows, last])
        return np.where(cells.lower >= table.lower[0], largest * unit, np.nan)


def largest_around(family: Family, cells: Cells, rows: int) -> Array:
    """Return lower bounds of the largest |p_n| within `WINDOW` of ω, in the unit of each cell."""
    least = family.lower[:rows]
    found = least.copy()
    begin = int(np.searchsorted(cells.lower, 1.0))
    n = np.arange(rows)[:, None]
    count = int(WINDOW / WIDTH)
    for shift in range(-count, count + 1, STRIDE):
        here = np.arange(max(begin, begin - shift), len(cells.lower) - max(0, shift))
        there = here + shift
        unit = (cells.scales[here] / cells.scales[there]) ** n / SLACK
        found[:, here] = np.fmax(found[:, here], least[:, there] * unit)
    return found
