"""The fully discrete equations of a rod as printed, in NumPy, for comparison with a time integrator of the semidiscrete
rod.

    M_k v_k^n = T⁻ᵀ(-h v_k^½) M_k v_k^½ + h/2 (f_k^n + (Bᵀ λ⁺)_k),   q_k^{n+1} = q_k^n ∘ exp(h v_k^½)
    M_k v_k^{n+1} = T⁻ᵀ(h v_k^½) M_k v_k^½ - h/2 (f_k^{n+1} + (Bᵀ λ⁻)_k),   0 = Ψ,   0 = dΨ/dt
    f_k = T⁻ᵀ(Δs w_k) G_k - T⁻ᵀ(-Δs w_{k+1}) G_{k+1} - F_k,   G = C (w - w*) + 2 D ẇ

T⁻¹ is evaluated by its series, without kernels derived from the model.
Source: [Hante2022], equations 12, 17 and 18; Δs and ẇ as in section 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.special import bernoulli

from symlie.papers.studies import Course, Session
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution

TERMS = 36
"""Number of terms of the series of T⁻¹, which decrease as (ω/2π)^k; neighbouring cross sections differ by less than 1.3
rad."""


@dataclass(frozen=True)
class Rod:
    """Data of a rod with a load on one node."""

    length: float
    """Length, in m."""
    stiffness: tuple[float, ...]
    """Diagonal of C, in N m² and N."""
    inertia: tuple[float, ...]
    """Diagonal of the inertia per length, in kg m and kg/m."""
    damping: float
    """D, in N m² s and N s."""
    held: tuple[int, ...]
    """Constrained components of w."""
    clamped: bool
    """True if the first node is fixed."""
    load: Callable[[float], tuple[int, tuple[float, ...]]]
    """Loaded node at a time, with its moment and force in inertial axes, moment first."""


@dataclass(frozen=True)
class Residuals:
    """Residuals of the discrete equations over the steps of a run, with multipliers from least squares."""

    start: float
    end: float
    """Largest entries in the equations of both momenta of a step, relative to the largest momentum."""
    constraint: float
    """Largest entry of Ψ, in m."""
    hidden: float
    """Largest entry of the rate of Ψ, relative to the largest velocity."""


@dataclass(frozen=True)
class ByLines:
    """A run of a time integrator, inserted into the fully discrete equations; the result is `Residuals`."""

    course: Course
    rod: Rod
    node_array: str = "rod"

    def run(self, session: Session) -> Residuals:
        """Run the model and evaluate both sides of the equations."""
        solution = cast(Solution, session.result(self.course))
        q, v = solution.configuration(self.node_array), solution.velocity(self.node_array)
        grid = _Grid(self.rod, q.shape[1])
        steps = zip(solution.t, solution.t[1:], q, q[1:], v, v[1:], strict=False)
        start, end, constraint, hidden = np.max([grid.step(*step) for step in steps], axis=0).tolist()
        momentum = float(np.abs(grid.mass * v).max())
        return Residuals(start / momentum, end / momentum, constraint, hidden / float(np.abs(v).max()))


class _Grid:
    """Rod with equidistant nodes."""

    def __init__(self, rod: Rod, nodes: int) -> None:
        self.rod, self.ds = rod, rod.length / (nodes - 1)
        weight = np.full(nodes, self.ds)
        weight[[0, -1]] /= 2
        self.mass = weight[:, None] * np.array(rod.inertia)
        self.moving = slice(1 if rod.clamped else 0, None)

    def step(self, t: float, t_next: float, q: Array, q_next: Array, v: Array, v_next: Array) -> tuple[float, ...]:
        """Return the residuals of one step in the order of the fields of `Residuals`, not scaled."""
        h = t_next - t
        theta = difference(q, q_next)
        momentum = self.mass * theta / h
        left = _pulled(inverse_tangent(hat(-theta)), momentum) + h / 2 * self.forces(t, q, v) - self.mass * v
        right = _pulled(inverse_tangent(hat(theta)), momentum) - h / 2 * self.forces(t_next, q_next, v_next)
        right -= self.mass * v_next
        pulls, pulls_next = self.rows(q), self.rows(q_next)
        w = difference(q_next[:-1], q_next[1:]) / self.ds
        held = w[:, list(self.rod.held)] - self.straight[list(self.rod.held)]
        speeds = pulls_next @ v_next[self.moving].ravel()
        return (
            self._least(pulls, left),
            self._least(pulls_next, right),
            self.ds * float(np.abs(held).max(initial=0)),
            float(np.abs(speeds).max(initial=0)),
        )

    straight = np.array([0.0, 0, 0, 0, 0, 1])
    """w*, the strain of a straight rod."""

    def _least(self, rows: Array, residual: Array) -> float:
        """Return the largest entry of the residual that remains with the multipliers from least squares."""
        r = residual[self.moving].ravel()
        if len(rows):
            r = r - rows.T @ np.linalg.lstsq(rows.T, r, rcond=None)[0]
        return float(np.abs(r).max())

    def forces(self, t: float, q: Array, v: Array) -> Array:
        """Return f of all nodes, shape (nodes, 6)."""
        theta = difference(q[:-1], q[1:])
        ahead, behind = inverse_tangent(hat(theta)), inverse_tangent(hat(-theta))
        rate = (_applied(ahead, v[1:]) - _applied(behind, v[:-1])) / self.ds
        section = np.array(self.rod.stiffness) * (theta / self.ds - self.straight) + 2 * self.rod.damping * rate
        found = np.zeros_like(v)
        found[1:] += _pulled(ahead, section)
        found[:-1] -= _pulled(behind, section)
        node, load = self.rod.load(t)
        turn = rotation(q[node, :4])
        found[node] -= np.concatenate([turn.T @ load[:3], turn.T @ load[3:]])
        return found

    def rows(self, q: Array) -> Array:
        """Return B, without the columns of fixed nodes."""
        theta = difference(q[:-1], q[1:])
        ahead, behind = inverse_tangent(hat(theta)), inverse_tangent(hat(-theta))
        found = np.zeros((len(theta), len(self.rod.held), len(q), 6))
        for k in range(len(theta)):
            found[k, :, k + 1] = ahead[k, list(self.rod.held)]
            found[k, :, k] = -behind[k, list(self.rod.held)]
        moving = found[:, :, self.moving]
        return moving.reshape(len(theta) * len(self.rod.held), moving.shape[2] * 6)


def hat(w: Array) -> Array:
    """Return ŵ of vectors (Ω; U), shape (n, 6, 6)."""
    found = np.zeros((len(w), 6, 6))
    found[:, :3, :3] = found[:, 3:, 3:] = skew(w[:, :3])
    found[:, 3:, :3] = skew(w[:, 3:])
    return found


def skew(a: Array) -> Array:
    """Return the matrices of b -> a × b, shape (n, 3, 3)."""
    return np.cross(a[:, None, :], np.eye(3)[None]).swapaxes(1, 2)


def inverse_tangent(w_hat: Array) -> Array:
    """Return T⁻¹ = Σ (-1)^k B_k ŵ^k/k! of each matrix."""
    power = np.broadcast_to(np.eye(w_hat.shape[-1]), w_hat.shape)
    total = np.array(power)
    for k, number in enumerate(bernoulli(TERMS)[1:], 1):
        power = -power @ w_hat / k
        total += number * power
    return total


def difference(q: Array, other: Array) -> Array:
    """Return log(q⁻¹∘other) of elements (p, x) of S³⋉R³, shape (n, 6)."""
    back = q[:, :4] * np.array([1, -1, -1, -1])
    p = _product(back, other[:, :4])
    p = np.where(p[:, :1] < 0, -p, p)
    size = np.linalg.norm(p[:, 1:], axis=1, keepdims=True)
    turned = 2 * np.arctan2(size, p[:, :1])
    theta = p[:, 1:] * np.where(size > 0, turned / np.where(size > 0, size, 1), 2)
    x = np.einsum("nji,nj->ni", np.array([rotation(p) for p in q[:, :4]]), other[:, 4:] - q[:, 4:])
    return np.hstack([theta, _applied(inverse_tangent(skew(-theta)), x)])


def rotation(p: Array) -> Array:
    """Return R(p) of a unit quaternion."""
    turned = skew(p[None, 1:])[0]
    return np.asarray(np.eye(3) + 2 * p[0] * turned + 2 * turned @ turned)


def _product(a: Array, b: Array) -> Array:
    real = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    return np.hstack([real, a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])])


def _applied(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("nij,nj->ni", matrices, vectors))


def _pulled(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("nji,nj->ni", matrices, vectors))
