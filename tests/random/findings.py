"""Disagreements between numbers that carry bounds of their rounding errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
from mpmath import mpf

from tests import tolerances
from tests.random.rounding import Bounded


class Findings(list[str]):
    """Disagreements in words."""

    def compare(self, what: str, found: Sequence[Bounded], expected: Sequence[Any], slack: float = 0.0) -> None:
        """Note components that differ by more than their rounding bounds, and ``slack`` relative to the largest."""
        if len(found) != len(expected):
            self.append(f"{what}: {len(found)} components instead of {len(expected)}")
            return
        scale = max([mpf(1), *(abs(mpf(e)) for e in expected)], default=mpf(1))
        for k, ((value, bound), wanted) in enumerate(zip(found, expected, strict=True)):
            allowed = tolerances.RUNNING_ERROR * (bound + tolerances.EPSILON * float(scale)) + slack * scale
            if not abs(mpf(float(value)) - wanted) <= allowed:
                self.append(
                    f"{what}[{k}]: {float(value)!r} instead of {mpmath.nstr(mpf(wanted), 17)}, "
                    f"off by {mpmath.nstr(abs(mpf(float(value)) - wanted), 3)}, allowed {mpmath.nstr(mpf(allowed), 3)}"
                )
