"""Formula of a step of BDF in increments; equation numbers refer to ``bdf/increments.py``."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from symlie.runtime.implicit.bdf_formula import derivative_weights
from symlie.runtime.implicit.iteration_matrix import Slopes
from symlie.runtime.layout.layout import Array


class BdfIncrementsFormula:
    """Equations (1) to (3) from v_n, h, h_n (``length``, zero in the first step), θ_n, v_{n-1} (``earlier``) and v̇_n
    (``before``)."""

    sees_end: ClassVar[bool] = False
    span = 1.0
    offset: Array | float = 0.0

    def __init__(self, v: Array, h: float, length: float, increment: Array, earlier: Array, before: Array) -> None:
        self.h, self.before = h, before
        # (3)
        ratio = h / (h + length) if length else 0.0
        self.gamma = 1 + ratio
        self.known = -ratio * increment / length if length else 0 * increment
        alpha = derivative_weights([0.0, -1.0, *([-1 - length / h] if length else [])])
        self.alpha = alpha[0]
        self.earlier = alpha[1] * v + (alpha[2] * earlier if length else 0.0)

    @property
    def slopes(self) -> Slopes:
        """γ', β' and δ'."""
        slope = self.gamma / self.h
        return Slopes(slope, slope * self.alpha / self.h, slope)

    def predicted(self, v: Array) -> Array:
        """Return an initial guess of θ with constant acceleration."""
        return np.asarray(self.h * (v + self.h * self.before / 2))

    def at(self, theta: Array, w: Array) -> tuple[Array, Array]:
        """Return v_{n+1} and v̇_{n+1}."""
        # (1)
        v = self.gamma * w / self.h + self.known
        # (2)
        return v, (self.alpha * v + self.earlier) / self.h
