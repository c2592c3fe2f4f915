"""Configurations with nearly dependent constraint equations; the NumPy counterpart of ``rank_loss.h``.

Branches of the motion meet at a singular configuration. The integrator follows the smooth branch if the constraint
residuals of the state are much smaller than the distance to the singular configuration; a residual of Φ or of B v + b
separates the branches, and accurate integration of the perturbed constraints leads from one to the other.

Inverse iteration finds the combination μ of constraint equations that is closest to dependence,

    [ M  Bᵀ ] [d]   [  0  ]
    [ B  0  ] [μ] = [ -L ν],     ν = L μ/|L μ|,   L = |B| |v|

with entries |·|, so that it does not depend on units. The configuration is nearly singular if the forces of μ nearly
cancel, Σ |Bᵀμ|ₖ |v|ₖ ≪ Σ |ν|ᵢ, and if Bᵀμ changes within one step by much of its length in the metric M⁻¹: a long chain
has such combinations everywhere, but they remain constant.

In minimal coordinates, single rows of B vanish at singular configurations, for example if all pivots of a linkage align
with an axis of the constraint. Their lengths L vanish as well, so that they are found by their direction: a row that
keeps its direction and loses half of its length within a step, or reverses, is at most a few steps away from zero.

A residual that is not small compared with the distance to a singular configuration is found by the projection onto the
constraints: its Newton steps contract slowly there. Lengths δᵀM δ = |Φᵀμ| of two of them with the same matrix are
compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symlie.contract.constants import (
    ABRUPT,
    ABRUPT_GROWTH,
    DRIFT_ROUND_OFF,
    PROBE_ANGLE,
    RANK_CHANGE,
    RANK_ITERATIONS,
    RANK_NEAR,
    RANK_PARALLEL,
    RANK_SHRUNK,
    SHORT_STEP,
    STEP_MEMORY,
)
from symlie.errors import IntegrationError
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.mechanics import Mechanics

INVOLVED = 0.05
"""Share of the largest contribution to a combination above which an equation is named."""

MOST_NAMED = 6
"""Largest number of named constraints."""


class WeakCombination(NamedTuple):
    """Combination of constraint equations that is closest to dependence."""

    multipliers: Array
    """μ, shape (rows,)."""
    share: Array
    """|ν|, the contribution of each equation, shape (rows,)."""
    direction: Array
    """d = -M⁻¹ Bᵀ μ, shape (dimension,)."""
    pull: Array
    """Bᵀ μ, shape (dimension,)."""


def weak_combination(mechanics: Mechanics, t: float, q: Array, v: Array) -> WeakCombination | None:
    """Return the combination at a state; None if it is undetermined."""
    algebra, rows = mechanics.algebra, mechanics.layout.rows
    jacobian, mass, zero = mechanics.jacobian(t, q, v), mechanics.mass(t, q), np.zeros_like(v)
    lengths = algebra.multiply(np.abs(jacobian), np.abs(v))
    share = np.sin(PROBE_ANGLE * np.arange(1, rows + 1))
    direction = multipliers = zero
    for _ in range(RANK_ITERATIONS):
        try:
            direction, multipliers = mechanics.saddle(mass, jacobian, jacobian, zero, -lengths * share)
        except (np.linalg.LinAlgError, IntegrationError):
            return None
        share = lengths * multipliers
        length = float(np.sqrt(share @ share))
        if not 0 < length < np.inf:
            return None
        share = share / length
    return WeakCombination(multipliers, np.abs(share) * length, direction, algebra.pull(jacobian, multipliers))


def is_near_rank_loss(mechanics: Mechanics, begin: tuple[float, Array, Array], end: tuple[float, Array, Array]) -> bool:
    """Return whether a step from `begin` to `end` (time, configuration, velocity) ends near a rank loss of B."""
    before, after = mechanics.jacobian(*begin), mechanics.jacobian(*end)
    if has_vanishing_row(mechanics, before, after, end[2]):
        return True
    found = weak_combination(mechanics, *end)
    if found is None:
        return False
    left = float(np.abs(found.pull) @ np.abs(end[2])) / float(found.share.sum())
    was = mechanics.algebra.pull(before, found.multipliers)
    change = abs(float(was @ found.direction) / float(found.pull @ found.direction) - 1)
    return left < RANK_NEAR and change > RANK_CHANGE + left


def has_vanishing_row(mechanics: Mechanics, begin: Array, end: Array, v: Array) -> bool:
    """Return whether a row of B, weighted by velocities, shrinks to half its length or reverses within a step without
    changing its direction."""
    multiply, squares = mechanics.algebra.multiply, v * v
    first, common, last = (multiply(x, squares) for x in (begin * begin, begin * end, end * end))
    is_parallel = common**2 > RANK_PARALLEL * first * last
    return bool(np.any(is_parallel & ((common < 0) | (common > RANK_SHRUNK * last))))


def is_between_branches(mechanics: Mechanics, t: float, q: Array, v: Array, contraction: float) -> bool:
    """Return whether the residual of Φ is not small compared with the distance to a singular configuration: the first
    step of a projection contracts it by a factor above `contraction`."""
    jacobian, mass, residual = mechanics.jacobian(t, q, v), mechanics.mass(t, q), mechanics.constraint(t, q)
    zero = np.zeros_like(v)
    try:
        delta, multipliers = mechanics.saddle(mass, jacobian, jacobian, zero, -residual)
        if not np.abs(delta).max() > DRIFT_ROUND_OFF * max(1.0, np.abs(q).max()):
            return False
        first = abs(float(residual @ multipliers))
        residual = mechanics.constraint(t, mechanics.kernels.normalize(mechanics.moved(q, delta)))
        _, multipliers = mechanics.saddle(mass, jacobian, jacobian, zero, -residual)
    except (np.linalg.LinAlgError, IntegrationError):
        return False
    return abs(float(residual @ multipliers)) > contraction**2 * first


def is_short(h: float, longest: float) -> tuple[bool, float]:
    """Return whether a step of length h is much shorter than the longest recent one, and the new length of this one."""
    return h < SHORT_STEP * longest, max(h, STEP_MEMORY * longest)


def is_abrupt(begin: Array, end: Array, reference: float) -> tuple[bool, float]:
    """Return whether velocities change more within a fixed step than within previous ones, and the new reference, a
    square of a change; it follows changes gradually, so that steps after an abrupt change are abrupt, too."""
    change, most = float(np.sum((end - begin) ** 2)), ABRUPT_GROWTH**2 * reference
    size = max(float(np.sum(begin**2)), float(np.sum(end**2)))
    return change > ABRUPT**2 * size and change > most, min(change, most) if most > 0 else change


def weak_constraints(mechanics: Mechanics, t: float, q: Array, v: Array) -> list[str]:
    """Names of the joints and constraints closest to dependence, at most `MOST_NAMED`."""
    layout, found = mechanics.layout, weak_combination(mechanics, t, q, v)
    if found is None:
        return [f"'{layout.name}'"]
    rows = np.flatnonzero(found.share > INVOLVED * found.share.max()).tolist()
    joints = [
        f"joint '{name}'" for name in dict.fromkeys(layout.joint_of_row[r] for r in rows if r in layout.joint_of_row)
    ]
    names = joints + layout.row_names([row for row in rows if row not in layout.joint_of_row])
    return names if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"]
