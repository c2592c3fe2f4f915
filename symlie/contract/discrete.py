"""Discrete Lagrangians as data: sample points within a step and their weights."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

Samples = tuple[tuple[Fraction, Fraction], ...]
"""Pairs (ξ, weight), with ξ the fraction of the way from q₀ to q₁."""


@dataclass(frozen=True)
class DiscreteLagrangian:
    """L_d(q₀, q₁, h) = h (Σ w T(q_ξ, θ/h) - Σ w V(q_ξ)) with q_ξ = q₀∘exp(ξ θ) at t₀ + ξ h, and θ = log(q₀⁻¹∘q₁)."""

    name: str
    kinetic: Samples
    potential: Samples

    @property
    def identifier(self) -> str:
        """Name in names of kernel sets; it includes the samples of user-defined ones."""
        if self in DISCRETE_LAGRANGIANS.values():
            return self.name
        return f"{self.name}_{hashlib.sha256(repr((self.kinetic, self.potential)).encode()).hexdigest()[:12]}"

    @property
    def is_symmetric(self) -> bool:
        """Return whether the samples are symmetric, so that the method is time-reversible."""
        return all(
            sorted(samples) == sorted((1 - xi, weight) for xi, weight in samples)
            for samples in (self.kinetic, self.potential)
        )

    @property
    def between(self) -> Samples:
        """Samples of V strictly between q₀ and q₁."""
        return tuple((xi, weight) for xi, weight in self.potential if xi not in (0, 1))

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Weights w₀ and w₁ of V at q₀ and q₁."""
        first, last = (sum((w for xi, w in self.potential if xi == end), Fraction(0)) for end in (0, 1))
        return first, last


_HALF = Fraction(1, 2)
_ENDS, _MIDDLE = ((Fraction(0), _HALF), (Fraction(1), _HALF)), ((_HALF, Fraction(1)),)

DiscreteLagrangianLike = str | Callable[..., object]
"""A name, ``FILE.py:name`` of a function L_d(q₀, q₁, h), or the function itself."""

DISCRETE_LAGRANGIANS = {
    "trapezoid": DiscreteLagrangian("trapezoid", _ENDS, _ENDS),
    "midpoint": DiscreteLagrangian("midpoint", _MIDDLE, _MIDDLE),
}
"""Built-in discrete Lagrangians. Source: [Hante2022], section 4.2; [HairerLubichWanner2006], section VI.6."""
