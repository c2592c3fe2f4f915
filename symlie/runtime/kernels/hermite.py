"""Tables of quintic Hermite interpolation in the local coordinates of a step.

For s from 0 to 1 over a step, the increment satisfies θ(0) = 0; θ' and θ'' are known at both ends, θ at the end.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from symlie.runtime.layout.layout import Array

BERNOULLI_TERMS = 60
"""Largest number of terms of T⁻¹(θ) = Σ (-1)^k B_k/k! ad_θ^k, which converges for rotations below 2π."""

LAST_TERM = 1e-17
"""Size of the last term of the series relative to the sum."""


def _series_of_inverse(terms: int) -> Array:
    """Coefficients of λ/(1 - e^-λ) by exact division of power series."""
    divisor = [Fraction((-1) ** k, math.factorial(k + 1)) for k in range(terms)]
    series: list[Fraction] = []
    for k in range(terms):
        series.append(int(k == 0) - sum((series[j] * divisor[k - j] for j in range(k)), Fraction(0)))
    return np.array([float(c) for c in series])


INVERSE_SERIES = _series_of_inverse(BERNOULLI_TERMS)
"""Weights of T⁻¹(θ) in powers of ad_θ, shape (terms,)."""

QUINTIC = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.5, 0.0, 0.0, 0.0],
        [-6.0, -1.5, 10.0, -4.0, 0.5],
        [8.0, 1.5, -15.0, 7.0, -1.0],
        [-3.0, -0.5, 6.0, -3.0, 0.5],
    ]
)
"""Coefficients of s … s⁵ from (θ'₀, θ''₀, θ₁, θ'₁, θ''₁) in units of s, shape (5, 5)."""
