"""Violation of the hidden constraints as a velocity: M d = -Bᵀ μ with B d = B v + b."""

from __future__ import annotations

import numpy as np

from symlie.runtime.integrate.sensitivities.point_derivatives import PointDerivatives, Points
from symlie.runtime.integrate.sensitivities.saddle_points import SaddlePoints
from symlie.runtime.layout.layout import Array


def hidden_violation(of: PointDerivatives, at: Points) -> tuple[Array, Array]:
    """Return d for the holonomic constraints at points, shape (n, dimension), with its tangent.

    With F = M d + Bᵀ μ and c = B v + b - B d, dF = 0 and dc = 0 determine the tangents of d and μ.
    """
    layout, nothing = of.layout, np.zeros_like(at.v)
    if not layout.rows:
        return nothing, np.zeros_like(at.dv)
    system = SaddlePoints(of, at, at._replace())
    d, mu = system.along_constraints(layout.holonomic * system.hidden_residual())
    multipliers = np.zeros((len(at.t), layout.rows))
    resting = at._replace(v=nothing, dv=np.zeros_like(at.dv))
    forces = of.balance(resting, d, mu) - of.balance(resting, nothing, multipliers)
    along_d = of.hidden(resting._replace(v=d)) - of.hidden(resting)
    changed = np.where(layout.holonomic, of.hidden(at) + system.pushed(at.dv), 0.0)
    return d, system.solve(-forces, changed - along_d)[0]
