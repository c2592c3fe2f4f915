"""Common criteria of the tests of pages."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from symlie.runtime.solution.solution import Solution
from tests import tolerances


def order(errors: Sequence[float]) -> float:
    """Return the observed order of the last halving."""
    return math.log2(errors[-2] / errors[-1])


def close(first: Solution, second: Solution) -> None:
    """Check that two runs are equal to rounding."""
    for a, b in (first.q, second.q), (first.v, second.v), (first.multipliers, second.multipliers):
        assert np.abs(a - b).max(initial=0) <= tolerances.BACKENDS * max(1.0, float(np.abs(b).max(initial=0)))
