"""Discrete Lagrangians as data: where in a step the Lagrangian is sampled, with which weights."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

Samples = tuple[tuple[Fraction, Fraction], ...]
"""Parts ξ of the way from q₀ to q₁, each with its weight."""


@dataclass(frozen=True)
class DiscreteLagrangian:
    """L_d(q₀, q₁, h) = h (Σ w T(q_ξ, θ/h) - Σ w V(q_ξ)) with q_ξ = q₀∘exp(ξ θ) at t₀ + ξ h, and θ = log(q₀⁻¹∘q₁).

    Attributes
    ----------
    name
        Its name.
    kinetic, potential
        Samples of T and of V.
    """

    name: str
    kinetic: Samples
    potential: Samples

    @property
    def identifier(self) -> str:
        """What sets of kernels are named by: samples of a user's own are part of it."""
        if self in DISCRETE_LAGRANGIANS.values():
            return self.name
        return f"{self.name}_{hashlib.sha256(repr((self.kinetic, self.potential)).encode()).hexdigest()[:12]}"

    @property
    def is_symmetric(self) -> bool:
        """Whether it samples the way back as the way, so that a step back undoes a step."""
        return all(
            sorted(samples) == sorted((1 - xi, weight) for xi, weight in samples)
            for samples in (self.kinetic, self.potential)
        )

    @property
    def between(self) -> Samples:
        """Samples of V between q₀ and q₁."""
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
"""Those that come with symlie. Source: [Hante2022], section 4.2; [HairerLubichWanner2006], section VI.6."""
