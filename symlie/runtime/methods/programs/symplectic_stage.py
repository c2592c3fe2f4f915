"""Implicit stage of the symplectic θ family in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.implicit.newton_iteration import NewtonPolicy, newton_solution
from symlie.runtime.layout.layout import Array

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import Stepper


def symplectic_stage(stepper: Stepper, t: float, q: Array, h: float, theta: float) -> tuple[Array, Array]:
    """Return the increment u of a step from t and the configuration at its end."""
    k, p, counts = stepper.mechanics.kernels, stepper.mechanics.p, stepper.newton
    zero = np.zeros(stepper.system.layout.dimension)
    t = t + theta * h
    u = h * k.field(p, t, q, zero, zero[:0], zero)
    counts.evaluations += 1
    stage = _Stage(stepper, t, q, h, theta)
    u = newton_solution(stage, NewtonPolicy(), u, max(1.0, float(np.abs(q).max())), counts)
    stepper.check_chart(q, u)
    return u, k.symplectic_end(p, t, q, u, h, theta)


class _Stage:
    """Residual u - h f(stage(q_n, u)) and its derivative with respect to u."""

    def __init__(self, stepper: Stepper, t: float, q: Array, h: float, theta: float) -> None:
        self.stepper, self.at = stepper, (t, q, h, theta)
        self.matrix = self.taken = np.zeros((0, 0))
        self.floor, self.has_factors = 0.0, False

    def residual(self, u: Array) -> Array:
        """Return the residual, and store the matrix, which the same kernel computes."""
        t, q, h, theta = self.at
        m = self.stepper.mechanics
        # (15), (16)
        residual, self.matrix = m.kernels.symplectic(m.p, t, q, u, h, theta)
        return residual

    def check(self, r: Array) -> None:
        """Raise an error that names the first component that is not finite."""
        self.stepper.check("residual of the implicit stage", r)

    def entry_name(self, entry: int) -> str:
        """Return the name of a component of the increment."""
        return self.stepper.system.layout.velocity_name(entry)

    def is_rounding(self, d: Array) -> bool:
        """Return False, since the Newton policy of this stage already bounds the corrections."""
        return False

    def refresh(self) -> None:
        """Use the matrix stored with the residual."""
        self.taken = self.matrix

    def correction(self, r: Array) -> Array:
        """Solve the linear system with the matrix."""
        return np.linalg.solve(self.taken, r).astype(float)
