"""Saddle point systems [M B₀ᵀ; B₁ 0] of many stages at once, for right-hand sides in several directions."""

from __future__ import annotations

import numpy as np

from symlie.errors import SingularSystemError
from symlie.runtime.integrate.sensitivities.point_derivatives import PointDerivatives, Points
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array


class SaddlePoints:
    """Systems with M, B₀ and g at some points, and the constraints at others."""

    def __init__(self, derivatives: PointDerivatives, stage: Points, constraints: Points) -> None:
        system = derivatives.system
        self._layout, self._algebra = system.layout, system.algebra
        self._mechanics = system.mechanics
        self._free, rows, count = np.flatnonzero(self._layout.free), self._layout.rows, len(stage.t)
        nothing = np.zeros((count, rows))
        terms = derivatives.observe(States(stage.t, stage.q, stage.v, nothing), ("mass", "jacobian", "force"))
        self._mass, self._right, self._force = terms["mass"], terms["jacobian"], terms["force"]
        if constraints is stage:
            self._left, self._hidden, self._violation = self._right, nothing, nothing
        else:
            states = States(constraints.t, constraints.q, constraints.v, nothing)
            further = derivatives.observe(states, ("jacobian", "hidden_residual", "constraint"))
            self._left, self._hidden = further["jacobian"], further["hidden_residual"]
            self._violation = further["constraint"]
        free, n = self._free, len(self._free)
        self._B0, self._B1 = (self._algebra.jacobian_matrix(x)[..., free] for x in (self._right, self._left))
        self._M = self._algebra.mass_matrix(self._mass)[..., free[:, None], free]
        self._whole = np.zeros((count, n + rows, n + rows))
        self._whole[:, :n, :n], self._whole[:, n:, :n] = self._M, self._B1
        self._whole[:, :n, n:] = np.swapaxes(self._B0, 1, 2)

    def hidden_residual(self) -> Array:
        """Return B v + b at the points of the constraints, shape (n, rows)."""
        return self._hidden

    def constraint_residual(self) -> Array:
        """Return Φ there."""
        return self._violation

    def acceleration(self, multipliers: Array) -> Array:
        """Return v' of M v' = -g - B₀ᵀ λ."""
        return self._algebra.solve_mass(self._mass, -self._force - self._algebra.pull(self._right, multipliers))

    def between(self, c: Array) -> tuple[Array, Array]:
        """Return v' and λ for r = -g and the right-hand side c."""
        saddle = self._mechanics.saddle_algebra
        solver = self._algebra if saddle is None else saddle
        return solver.solve_saddle(self._mass, self._right, self._left, -self._force, c)

    def along_constraints(self, c: Array) -> tuple[Array, Array]:
        """Return x of M x + B₀ᵀ λ = 0, B₁ x = c, and λ."""
        saddle = self._mechanics.saddle_algebra
        solver = self._algebra if saddle is None else saddle
        return solver.solve_saddle(self._mass, self._right, self._left, np.zeros_like(self._force), c)

    def solve(self, r: Array, c: Array) -> tuple[Array, Array]:
        """Return tangents of v' and λ for right-hand sides (n, directions, ·)."""
        n, whole = len(self._free), np.concatenate([r[..., self._free], c], axis=2)
        found = _solved(self._whole, whole)
        da = np.zeros_like(r)
        da[..., self._free] = found[..., :n]
        return da, found[..., n:]

    def solve_mass(self, r: Array) -> Array:
        """Return tangents of v' of M v' = r."""
        da = np.zeros_like(r)
        da[..., self._free] = _solved(self._M, r[..., self._free])
        return da

    def pulled(self, dl: Array) -> Array:
        """Return B₀ᵀ δλ, shape (n, directions, dimension)."""
        found = np.zeros((*dl.shape[:2], self._layout.dimension))
        found[..., self._free] = dl @ self._B0
        return found

    def pushed(self, dv: Array) -> Array:
        """Return B₁ δv, shape (n, directions, rows)."""
        return np.asarray(dv[..., self._free] @ np.swapaxes(self._B1, 1, 2))


def _solved(matrices: Array, rows: Array) -> Array:
    """Return the solutions for right-hand sides stored in rows, shape (n, directions, size)."""
    try:
        return np.asarray(np.swapaxes(np.linalg.solve(matrices, np.swapaxes(rows, 1, 2)), 1, 2))
    except np.linalg.LinAlgError as error:
        raise SingularSystemError(f"The linear system of a tangent is singular ({error}).") from error


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
