"""Functions of series-valued arguments, by powers of z - z_0; see `symlie.ir.jets.compositions`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symlie.contract.set_table import Composition
from symlie.runtime.kernels.function_series import function_series
from symlie.runtime.layout.layout import Array


class Compositions:
    """Functions of the arguments of a jet, for all its elements; `z` contains the arguments at order 0, shape
    (arguments, count)."""

    def __init__(self, compositions: Sequence[Composition], z: Array, order: int) -> None:
        self._arguments = [c.argument for c in compositions]
        # Shape (functions, powers, count).
        self._functions = np.stack([function_series(c.function, z[c.argument], order) for c in compositions])
        # Shape (arguments, orders, powers, count), of order and power k at k - 1.
        self._powers = np.zeros((len(z), order, order, z.shape[-1]))

    @property
    def slopes(self) -> Array:
        """f_1, shape (functions, count)."""
        return np.asarray(self._functions[:, 0])

    def sums(self, k: int) -> Array:
        """Σ_{1<m≤k} f_m P_{m,k}, with powers from coefficients of lower orders."""
        powers = self._powers
        powers[:, k - 1] = 0.0
        for j in range(1, k):
            powers[:, k - 1, 1:] += powers[:, j - 1, :1] * powers[:, k - j - 1, :-1]
        of_functions = powers[self._arguments, k - 1]
        total = np.zeros_like(self.slopes)
        for m in range(1, k):
            total += self._functions[:, m] * of_functions[:, m]
        return total

    def follow(self, k: int, z: Array) -> None:
        """Store the coefficients of order k of the arguments."""
        self._powers[:, k - 1, 0] = z
