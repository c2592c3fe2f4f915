"""Contact problem of an instant: velocities or accelerations of contacts and their forces, as in ``cone_problem.h``.

    ξ = G P + c,    0 ≤ P_N ⊥ ξ_N ≥ 0,    |P_T| ≤ μ P_N,    P_T = -μ P_N ξ_T / |ξ_T| for ξ_T ≠ 0

A contact has a block (N, T_1, …, T_k) with k from 0 to 2. Friction of a bilateral constraint has a block (T_1, …, T_k),
with the radius L + μ |a + R P| instead of μ P_N, where a + R P is the reaction; if it slides in the direction d,
P_T = -(L + μ |a + R P|) d. These blocks follow those of contacts.

Solutions are zeros of the natural map P - prox(P - r ξ), found by a semismooth Newton method, whose active sets settle
in a few steps, if necessary after sweeps of a projected Gauss–Seidel iteration. A result of these sweeps alone counts
if its residual of the natural map is small. Each block is scaled by √G_NN, so that results do not depend on units.

Source: [AlartCurnier1991], [AnitescuTasora2010].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import (
    CONE_ACCEPTED,
    CONE_BLOCKED,
    CONE_FIRST_SWEEPS,
    CONE_RESTARTS,
    CONE_STEPS,
    CONE_SWEEPS,
    CONE_TOLERANCE,
    GROWN_DRIFT,
    LONGEST_DRIFT,
    LOST_PIVOT,
)
from symlie.runtime.layout.layout import Array

_Block = tuple[int, int, "Rubbing | None"]
"""First and last equation of a block, and its friction unless it belongs to a contact."""


@dataclass(frozen=True, eq=False)
class Rubbing:
    """Block of friction of a bilateral constraint."""

    friction: float
    """μ."""
    limit: float
    """L."""
    reaction: Array
    """a."""
    response: Array
    """R."""
    direction: Array | None
    """d, or None if the direction follows from the problem."""

    def radius(self, P: Array) -> tuple[float, Array]:
        """Return L + μ |a + R P| and its derivative."""
        F = self.reaction + self.response @ P
        size = float(np.linalg.norm(F))
        slope = self.friction / size * (F @ self.response) if size > 0 else np.zeros(len(P))
        return self.limit + self.friction * size, slope

    def scaled(self, scale: Array, own: float) -> Rubbing:
        """Return the same for scaled unknowns, with the scale of the block."""
        return replace(self, friction=own * self.friction, limit=own * self.limit, response=self.response / scale)


def solved_cone(
    G: Array,
    c: Array,
    begin: NDArray[np.intp],
    friction: Array,
    sizes: Array,
    rubbing: Sequence[Rubbing] = (),
    *,
    holds: bool = False,
    start: Array | None = None,
    least: Array | None = None,
) -> Array | None:
    """Return P for blocks that start at the indices ``begin``, or None if no solution is found; ``sizes`` are those of
    the terms of c, ξ_N = 0 if contacts are to hold, and the iteration starts from zero, or
    with sweeps from ``start``. Normal impulses are at least ``least``, of which entries of slip do not count."""
    if not len(begin):
        return np.zeros(0)
    ends = np.append(begin[1:], len(c))
    if not (np.diag(G)[begin] > 0).all():
        return None
    scale = np.repeat(np.sqrt(np.diag(G)[begin]), ends - begin)
    H, d = G / np.outer(scale, scale), c / scale
    scaled = [
        r.scaled(scale, float(scale[n])) for r, n in zip(rubbing, begin[len(begin) - len(rubbing) :], strict=True)
    ]
    of_blocks = [*[None] * (len(begin) - len(rubbing)), *scaled]
    blocks: list[_Block] = list(zip(begin.tolist(), ends.tolist(), of_blocks, strict=True))
    size = max(float(np.abs(d).max(initial=0)), float((sizes / scale).max(initial=0)))
    y = np.zeros(len(c)) if start is None else start * scale
    low = np.zeros(len(c)) if least is None else least * scale
    for restart in range(CONE_RESTARTS + 1):
        sweeps = CONE_SWEEPS if restart else 0 if start is None else CONE_FIRST_SWEEPS
        last = y.copy()
        for _ in range(sweeps):
            last[:] = y
            _sweep(H, d, y, low, blocks, friction, holds=holds)
        if restart > 1:
            y = _drifted(lambda z: _natural_map(H, d, z, low, blocks, friction, holds=holds)[0], y, y - last)
        residual, swept = np.inf, y
        for _ in range(CONE_STEPS):
            F, D = _natural_map(H, d, y, low, blocks, friction, holds=holds)
            residual = float(np.abs(F).max(initial=0))
            if residual <= CONE_TOLERANCE * max(size, float(np.abs(y).max(initial=0))):
                return np.asarray(y / scale)
            y = y - _eliminated(D, F)
            if not np.isfinite(y).all():
                break
        y = swept
    residual = float(np.abs(_natural_map(H, d, y, low, blocks, friction, holds=holds)[0]).max(initial=0))
    is_near = residual <= CONE_ACCEPTED * max(size, float(np.abs(y).max(initial=0)))
    return np.asarray(y / scale) if is_near else None


def _drifted(residual: Callable[[Array], Array], y: Array, change: Array) -> Array:
    """Follow the drift of sweeps: redundant impulses change by constant amounts until a contact slides or opens."""
    bound, part = GROWN_DRIFT * float(np.abs(residual(y)).max(initial=0)), 1.0
    while part < LONGEST_DRIFT and float(np.abs(residual(y + part * change)).max(initial=0)) <= bound:
        part *= 2
    return y + part / 2 * change if part > 1 else y


def _sweep(H: Array, d: Array, y: Array, low: Array, blocks: list[_Block], friction: Array, *, holds: bool) -> None:
    """One Gauss–Seidel sweep, in place."""
    for (n, e, rubbing), mu in zip(blocks, friction.tolist(), strict=True):
        if rubbing is not None:
            radius, _ = rubbing.radius(y)
            if rubbing.direction is not None:
                y[n:e] = -radius * rubbing.direction
                continue
            s = y[n:e] - _step(H, n - 1, e) * (H[n:e] @ y + d[n:e])
            size = float(np.linalg.norm(s))
            y[n:e] = s if size <= radius else radius * s / size
            continue
        y[n] = max(-np.inf if holds else low[n], y[n] - (H[n] @ y + d[n]))
        if e > n + 1:
            s = y[n + 1 : e] - _step(H, n, e) * (H[n + 1 : e] @ y + d[n + 1 : e])
            size, radius = float(np.linalg.norm(s)), mu * max(y[n], 0.0)
            y[n + 1 : e] = s if size <= radius else radius * s / size


def _step(H: Array, n: int, e: int) -> float:
    """Length r of the natural map in the tangent plane; arbitrary if constraints prevent slip."""
    mobility = float(sum(H[k, k] for k in range(n + 1, e)))
    return 1 / mobility if mobility > CONE_BLOCKED else 1.0


def _natural_map(
    H: Array, d: Array, y: Array, low: Array, blocks: list[_Block], friction: Array, *, holds: bool
) -> tuple[Array, Array]:
    """Return P - prox(P - r ξ) and an element of its generalised derivative."""
    xi, F, D = H @ y + d, np.zeros(len(d)), np.zeros((len(d), len(d)))
    for (n, e, rubbing), mu in zip(blocks, friction.tolist(), strict=True):
        if rubbing is not None:
            radius, slope = rubbing.radius(y)
            _map_tangents(slice(n, e), _step(H, n - 1, e), radius, slope, rubbing.direction, (H, y, xi), (F, D))
            continue
        if holds or y[n] - low[n] - xi[n] > 0:
            F[n], D[n] = xi[n], H[n]
        else:
            F[n], D[n, n] = y[n] - low[n], 1.0
        if e == n + 1:
            continue
        t, r = slice(n + 1, e), _step(H, n, e)
        s, radius = y[t] - r * xi[t], mu * max(y[n], 0.0)
        size = float(np.linalg.norm(s))
        if size <= radius:
            F[t], D[t] = r * xi[t], r * H[t]
            continue
        u = s / size
        F[t] = y[t] - radius * u
        S = -r * H[t]
        S[:, t] += np.eye(e - n - 1)
        D[t, t] += np.eye(e - n - 1)
        D[t] -= radius / size * (np.eye(e - n - 1) - np.outer(u, u)) @ S
        D[t, n] -= mu * u * (y[n] > 0)
    return F, D


def _map_tangents(
    t: slice, r: float, radius: float, slope: Array, direction: Array | None,
    given: tuple[Array, Array, Array], found: tuple[Array, Array],
) -> None:  # fmt: skip
    """Evaluate the natural map of friction with a radius and its derivative."""
    (H, y, xi), (F, D), identity = given, found, np.eye(t.stop - t.start)
    if direction is not None:
        F[t], D[t] = y[t] + radius * direction, np.outer(direction, slope)
        D[t, t] += identity
        return
    s = y[t] - r * xi[t]
    size = float(np.linalg.norm(s))
    if size <= radius:
        F[t], D[t] = r * xi[t], r * H[t]
        return
    u = s / size
    S = -r * H[t]
    S[:, t] += identity
    F[t], D[t] = y[t] - radius * u, -radius / size * (identity - np.outer(u, u)) @ S - np.outer(u, slope)
    D[t, t] += identity


def _eliminated(D: Array, F: Array) -> Array:
    """Solution of D x = F by elimination with complete pivoting; unknowns without a pivot are zero."""
    A, b, n = D.copy(), F.copy(), len(F)
    columns, rank, largest = np.arange(n), n, float(np.abs(D).max())
    for k in range(n):
        i, j = (k + x for x in divmod(int(np.argmax(np.abs(A[k:, k:]))), n - k))
        if not abs(A[i, j]) > LOST_PIVOT * largest:
            rank = k
            break
        A[[k, i]], b[[k, i]] = A[[i, k]], b[[i, k]]
        A[:, [k, j]], columns[[k, j]] = A[:, [j, k]], columns[[j, k]]
        factors = A[k + 1 :, k] / A[k, k]
        A[k + 1 :] -= np.outer(factors, A[k])
        b[k + 1 :] -= factors * b[k]
    x = np.zeros(n)
    for k in reversed(range(rank)):
        x[columns[k]] = (b[k] - A[k, k + 1 : rank] @ x[columns[k + 1 : rank]]) / A[k, k]
    return x
