"""c_{k,n} by forward recurrences, where ω is large relative to n: error bounds for all ω up to the largest double.

Values belong to the rounded root ω of z, that is, to an argument ω² within 2**-52 z of z. Errors are relative to the
amplitude |A| + |W| enclosed by `amplitudes`, and have the form Re(c_n g_n) + r_n of `backward`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from symlie.certify.derivatives.amplitudes import Amplitudes, power_of
from symlie.certify.derivatives.backward import Switches, gamma
from symlie.certify.derivatives.spherical import SLACK, Array

FROM_SINE = 3
"""Number of roundings of sin(ω)/ω, two of them for the sine, which is accurate to one unit in the last place."""


@dataclass(frozen=True)
class Waves:
    """Error bounds for one index k, arrays of shape (n, cells), in units of ω^power."""

    total: Array
    coefficients: Array
    steps: Array
    noise: Array


def forward_bounds(table: Amplitudes, switches: Switches, k: int, most_n: int) -> Array:
    """Return the largest errors relative to amplitudes for n = 0 … ``most_n`` of one k, over forward recurrences."""
    errors = _odd(table, most_n)
    errors = errors if k % 2 else _even(table, errors)
    for level in range(k % 2, k, 2):
        errors = _raised(table, level, errors)
    found = np.zeros(most_n + 1)
    for n in range(1, most_n + 1):
        last = n + 1 + k // switches.levels
        begin = switches.begin_upwards(k, last)
        used = table.upper > begin
        scale = table.steady[0][k, n] + table.waves[0][k, n]
        found[n] = np.max(errors.total[n, used] / scale[used]) * SLACK
        if k > 1 and switches.middle(k - 2, np.array(begin)) < last:
            found[n] = np.inf  # some values are not computed forward
    return found


def _odd(table: Amplitudes, most_n: int) -> Waves:
    """Return the errors for k = 1, with power one."""
    size, t = table.waves[1][1][: most_n + 1], 1 / table.lower
    at_zero, at_one = gamma(FROM_SINE) + 0 * t, gamma(FROM_SINE) * t + gamma(5) * (1 + t)
    coefficients, steps = np.zeros_like(size), np.zeros_like(size)
    coefficients[:2] = (at_zero * size[1] + at_one * size[0]) * SLACK
    for n in range(2, most_n + 1):
        before, twice = (size[i] * (1 + coefficients[i]) for i in (n - 1, n - 2))
        delta = gamma(3) * (2 * n - 1) * t * before + gamma(1) * twice
        steps[n] = size[n - 1] * delta * SLACK
        coefficients[n] = (coefficients[n - 1] + steps[n]) * SLACK
    return Waves(coefficients * size * SLACK, coefficients, steps, np.zeros_like(size))


def _even(table: Amplitudes, odd: Waves) -> Waves:
    """Return the errors for k = 0, with power zero: values of k = 1 times -ω, and a cosine."""
    size, t = table.waves[1][0][: len(odd.total)], 1 / table.lower
    of_odd = table.waves[1][1][:2] + odd.total[:2]
    coefficients = np.concatenate([odd.coefficients[:1], odd.coefficients[:-1]])
    steps = np.concatenate([odd.steps[:1], odd.steps[:-1]])
    noise = gamma(1) * size * (1 + coefficients) * SLACK
    noise[0] = gamma(5) * (t * of_odd[0] + of_odd[1]) * SLACK
    return Waves((coefficients * size + noise) * SLACK, coefficients, steps, noise)


def _raised(table: Amplitudes, k: int, before: Waves) -> Waves:
    """Return the errors for k + 2 from the errors for k."""
    waves = table.waves[1][k + 2]
    size, size_before = waves + table.steady[1][k + 2], table.waves[1][k] + table.steady[1][k]
    total, noise = np.empty_like(before.total), np.empty_like(before.total)
    at_zero = gamma(math.ceil(k / 2) or 1) / math.factorial(k)
    for n in range(len(total)):
        power = power_of(k + 2, n)
        own = table.lower ** float(power - 2 - power_of(k, n))
        if n:
            behind = 2 * n * table.lower ** float(power - 1 - power_of(k + 2, n - 1))
            change = behind * (noise[n - 1] + before.steps[n] * waves[n - 1])
            rounded = gamma(6) * (own * (size_before[n] + before.total[n]) + behind * (size[n - 1] + total[n - 1]))
        else:
            change = at_zero
            rounded = gamma(4) * (1 / math.factorial(k) + at_zero + own * (size_before[0] + before.total[0]))
        noise[n] = (own * before.noise[n] + change + rounded) * SLACK
        total[n] = (before.coefficients[n] * waves[n] + noise[n]) * SLACK
    return Waves(total, before.coefficients, before.steps, noise)
