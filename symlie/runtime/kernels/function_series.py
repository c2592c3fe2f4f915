"""Taylor coefficients f⁽ʲ⁾(z)/j! of functions of one argument, j = 1 … N, at many arguments at once.

    c_{k,m}(z) = (2 d/dz)^m Σ_j (-z)^j/(2j + k)!,   g_m(z) = 2^{m+1} m! Σ_n (4π²n² - z)^{-m-1},
    a_p(x) = Σ_j (-x)^j/(2j + 2p + 1) with a_0 = atan(√x)/√x, and user-defined series by their expansions about centres.

Sums without cancellation and recurrences in their stable direction compute them, with the same operations as in C
(``function_series.h``). All are NaN outside of their domain and for NaN.
Source: [Gil2007], chapter 4, for minimal solutions of recurrences and stable directions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from symlie.contract.set_table import ScalarFunction
from symlie.runtime.layout.layout import Array

FOUR_PI_SQUARED = (39.47841760435743, 2.5061182034958845e-15)
"""4π² as an unevaluated sum of two numbers."""

EXPLICIT_POLES = 3
"""Number of poles of g_m that are summed individually, up to z = (6π)²."""

FURTHER_POLES = (
    0.007189319455037842, 4.797777740389712e-06, 5.628571691501304e-09, 7.694489782590537e-12,
    1.1236594825402052e-14, 1.697178229881732e-17, 2.6118773492411107e-20, 4.0637074141552605e-23,
    6.364215240121328e-26, 1.0007294993394272e-28, 1.5775223401439616e-31, 2.4906676318987927e-34,
    3.936279142255365e-37, 6.224841831254412e-40, 9.84790367805057e-43, 1.5583659504789778e-45,
)  # fmt: skip
"""Coefficients of z^i in Σ_{n>3} 1/(4π²n² - z); each term contributes less than a 16th of the sum for z < 4π²."""

ENOUGH = 2.0**-60
"""Relative size to which errors of the initial values of a recurrence must decay."""

LEAST_RATIO, MOST_RATIO = -0.0625, 1.0625
"""Domain of a_p; arguments from angles lie between 0 and 1 up to rounding. Errors stop decaying at -1/2."""

SEED = 1e-100
"""Initial value of a recurrence whose result is scaled afterwards."""


def function_series(f: ScalarFunction, z: Array, order: int) -> Array:
    """Taylor coefficients of f at arguments z (count,), dimensionless; shape (order, count), order j in row j - 1."""
    with np.errstate(all="ignore"):
        return _FAMILIES[f.family](f, z, order)


def _coefficient_functions(f: ScalarFunction, z: Array, order: int) -> Array:
    return np.stack([_coefficient_function(f.index, f.derivative, float(x), order) for x in z], axis=1)


def _coefficient_function(k: int, m: int, z: float, order: int) -> Array:
    """c_{k,m+j}/(2^j j!), from y_n = c_{κ,n} σ^n with σ = max(1, √z)."""
    omega = math.sqrt(z) if z >= 0 else math.nan
    sigma = omega if omega > 1 else 1.0
    last = m + order + 1 + k // 2
    y = _backward_bessel(omega, z, sigma, last) if omega < 2 * last + k else _forward_bessel(omega, z, last)
    if k % 2 == 0:
        cosine = y[0] - z * -y[1] / sigma
        y = [cosine, *(-sigma * x for x in y[:-1])]
    for level in range(k % 2, k - 1, 2):
        y = _raised(level, z, omega, sigma, y)
    found, factor = np.empty(order), 1.0
    for _ in range(m):
        factor /= sigma
    for j in range(1, order + 1):
        factor /= 2 * j * sigma
        found[j - 1] = y[m + j] * factor
    return found


def _backward_bessel(omega: float, z: float, sigma: float, last: int) -> list[float]:
    """c_{1,n} σ^n = (-1)^n j_n(ω) (σ/ω)^n by downward recurrence, normalised by Σ (2n + 1) j_n² = 1."""
    first = max(last, math.ceil(omega))
    error = 1.0
    while error > ENOUGH:
        first += 1
        error *= z / (4.0 * first * first - 3.0 * z)
    y = [0.0] * (first + 2)
    y[first] = SEED
    ratio = z / (sigma * sigma)
    for n in range(first, 0, -1):
        y[n - 1] = (2 * n + 1) / sigma * y[n] - ratio * y[n + 1]
    total, power = 0.0, 1.0
    for n in range(first + 1):
        total += (2 * n + 1) * (power * y[n]) ** 2
        power *= omega / sigma
    scale = 1 / math.sqrt(total)
    return [x * scale * (-1) ** n for n, x in enumerate(y)]


def _forward_bessel(omega: float, z: float, last: int) -> list[float]:
    """Compute the same values by upward recurrence."""
    y = [np.sin(omega) / omega]
    y.append(-(y[0] - np.cos(omega)) / omega)
    for n in range(1, last + 1):
        y.append(-(2 * n + 1) / omega * y[n] - y[n - 1])
    return y


def _raised(k: int, z: float, omega: float, sigma: float, y: list[float]) -> list[float]:
    """c_{k+2,n} from c_{k,n} by z c_{k+2,n} + 2n c_{k+2,n-1} = -c_{k,n}.

    The recurrence runs upwards up to 4n + k + 2 = 2ω and downwards beyond. Each index costs one of the last numbers.
    """
    found = [0.0] * len(y)
    turn = omega / 2 - (k + 2) / 4
    middle = int(min(turn, len(y) - 1)) if turn >= 1 else 0
    for n in range(len(y) - 1, middle + 1, -1):
        found[n - 1] = -(y[n] + z * found[n]) / (2 * n * sigma)
    if middle > 0:
        found[0] = (1 / math.factorial(k) - y[0]) / z
    for n in range(1, middle + 1):
        found[n] = -(y[n] + 2 * n * sigma * found[n - 1]) / z
    return found


def _cotangents(f: ScalarFunction, z: Array, order: int) -> Array:
    """2^{m+1} (m+j)!/j! Σ_n (4π²n² - z)^{-m-j-1}, a sum of positive terms."""
    m = f.index
    first, second = FOUR_PI_SQUARED
    distance = (first - z) + second
    z = np.where((z >= 0) & (distance > 0), z, np.nan)
    total = np.zeros((order, len(z)))
    shifted = np.array(FURTHER_POLES)[:, None] + 0 * z
    for n in range(len(shifted)):
        for i in range(len(shifted) - 2, n - 1, -1):
            shifted[i] += z * shifted[i + 1]
        if 0 <= n - m - 1 < order:
            total[n - m - 1] = shifted[n]
    for n in range(1, EXPLICIT_POLES + 1):
        part = 1 / ((n * n * first - z) + n * n * second)
        power = part
        for _ in range(m + 1):
            power = power * part
        for j in range(order):
            total[j] += power
            power = power * part
    factor = 2.0 ** (m + 1)
    for i in range(1, m + 1):
        factor *= i
    for j in range(1, order + 1):
        factor *= (m + j) / j
        total[j - 1] *= factor
    return total


def _angle_ratios(f: ScalarFunction, x: Array, order: int) -> Array:
    """Downward recurrence 2x a' + (2p + 1) a = 1/(1 + x), whose two terms have the same sign."""
    x = np.where((x >= LEAST_RATIO) & (x <= MOST_RATIO), x, np.nan)
    reciprocal = 1 / (1 + x)
    contraction = float(np.fmax.reduce(np.abs(x * reciprocal), initial=0.0))
    last, error = order, 1.0
    while error > ENOUGH:
        last += 1
        error *= contraction
    found, a = np.empty((order, len(x))), np.zeros_like(x)
    # The terms are in units of (-1)^n/(1 + x)^n, which prevents overflow and underflow.
    for n in range(last, 0, -1):
        a = (reciprocal + 2 * (n + 1) * (x * reciprocal) * a) / (2 * n + 2 * f.index + 1)
        if n <= order:
            found[n - 1] = a
    power = np.ones_like(x)
    for j in range(1, order + 1):
        power = -power * reciprocal
        found[j - 1] *= power
    return found


def _stated(f: ScalarFunction, z: Array, order: int) -> Array:
    """Coefficients from the expansion about the centre of the subinterval that contains z."""
    found = np.full((order, len(z)), np.nan)
    lower = 0.0
    for part in f.expansions:
        here = (z >= lower) & (z <= part.upper)
        terms = np.array(part.coefficients)[:, None] + 0 * z[here]
        delta = z[here] - part.centre
        for n in range(order + 1):
            for i in range(len(terms) - 2, n - 1, -1):
                terms[i] += delta * terms[i + 1]
        found[:, here] = terms[1 : order + 1]
        lower = part.upper
    return found


_FAMILIES: Mapping[str, Callable[[ScalarFunction, Array, int], Array]] = {
    "c": _coefficient_functions,
    "g": _cotangents,
    "a": _angle_ratios,
    "s": _stated,
}
"""Function families by letter."""
