"""Effect of rounding on matrix entries, estimated from small changes of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse

ROUNDING = 8 * np.finfo(float).eps
"""Relative rounding error of matrix entries and of the values of a state."""

NUDGE = 2.0**-30
"""Relative change of a state that measures the sensitivity of matrices to its rounding."""

NUDGES = 2
"""Number of such changes, in different directions."""


def entry_rounding(
    found: Mapping[str, Sparse], at: Callable[[Callable[[Array], Array]], Mapping[str, Sparse]]
) -> dict[str, Sparse]:
    """Rounding of the entries of each matrix.

    Parameters
    ----------
    found
        The matrices.
    at
        The matrices at a state whose numbers a given function has changed a little.
    """
    errors = {name: ROUNDING * abs(matrix) for name, matrix in found.items()}
    draw = np.random.default_rng(0)
    for _ in range(NUDGES):
        changed = at(lambda x: x * (1 + NUDGE * draw.choice([-1.0, 1.0], len(x))))
        for name, matrix in found.items():
            errors[name] = errors[name] + ROUNDING / NUDGE * abs(changed[name] - matrix)
    return errors
