"""Symmetric compositions: lengths γ_i of substeps that raise the order of a self-adjoint method of order two.

    Φ_h = Ψ_{γ_s h}∘…∘Ψ_{γ_1 h},  Σ γ_i = 1,  γ_i = γ_{s+1-i}

If also Σ γ_i^{p+1} = 0, a method of even order p gains two orders. Compositions with three or five substeps can be
applied repeatedly. Substeps of a triple jump leave the step, from -0.36 h to 1.36 h; all others stay within it.
Source: [HairerLubichWanner2006], section II.4 and V.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Composition:
    """Composition scheme: dimensionless substep ``lengths`` γ_i, and the ``order`` for a self-adjoint method of order
    two.
    """

    order: int
    lengths: tuple[float, ...]
    source: str

    @property
    def starts(self) -> tuple[float, ...]:
        """Return the start of each substep, in units of the step size."""
        return tuple(sum(self.lengths[:k]) for k in range(len(self.lengths)))


def _outer(order: int, pairs: int) -> tuple[float, ...]:
    """Return the lengths of 2 ``pairs`` equal forward substeps with a backward substep in the middle, for a method of
    even order."""
    outer = 1 / (2 * pairs - (2 * pairs) ** (1 / (order + 1)))
    sides = (outer,) * pairs
    return (*sides, 1 - 2 * pairs * outer, *sides)


def _nested(outer: tuple[float, ...], inner: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(a * b for a in outer for b in inner)


_KAHAN_LI = (
    0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
    0.08221359629355080023149045, 0.79854399093482996339895035, 0.08221359629355080023149045,
    -0.70624617255763935980996482, 0.33259913678935943859974864, 0.39216144400731413927925056,
)  # fmt: skip

COMPOSITIONS: Mapping[str, Composition] = {
    "triple_jump": Composition(4, _outer(2, 1), "[Yoshida1990]"),
    "suzuki": Composition(4, _outer(2, 2), "[Suzuki1990]"),
    "kahan_li": Composition(6, _KAHAN_LI, "[KahanLi1997]"),
    "triple_jump_6": Composition(6, _nested(_outer(4, 1), _outer(2, 1)), "[Yoshida1990]"),
    "suzuki_6": Composition(6, _nested(_outer(4, 2), _outer(2, 2)), "[Suzuki1990]"),
}
"""Compositions by name."""
