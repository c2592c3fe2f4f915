"""Redundant constraint equations of a moving system: the NumPy counterpart of ``dependent_rows.h``.

A combination y of the rows of B vanishes if Bᵀy = 0. Orthonormal combinations result from inverse iteration,

    [ 1   B̂ᵀ ] [x]   [ 0 ]
    [ B̂  -τ  ] [y] = [ -z ],     y = (B̂ B̂ᵀ + τ)⁻¹ z

where B̂ has rows of unit length. A few fixed probe vectors z reveal the number of combinations: vanishing ones grow by
1/τ, those with the singular value `RANK_LIMIT` by the reciprocal of its square.

One row per combination is dropped, the one with the largest coefficients, so that the remaining rows are as independent
as possible. The accelerations are those of the system without the dropped rows. Among all multipliers λ of the same
force, those with the smallest λᵀ W λ are chosen, where the diagonal W has the compliances of the constraint equations:
this is the elastic energy of constraints that yield by W λ. Combinations of rigid equations alone do not change it;
their multipliers have minimal norm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import ELASTIC_PART, PROBE_ANGLE, RANK_LIMIT, REVEALED, SAME_LENGTH
from symlie.runtime.layout.layout import Array


@dataclass(frozen=True, eq=False)
class DependentRows:
    """Redundancy of the rows of B at one configuration.

    Attributes
    ----------
    combinations
        Orthonormal vanishing combinations of rows, shape (rows, dependencies).
    is_aside
        Flags of the dropped rows, one for each combination.
    elastic, undetermined
        Combinations that the compliances W determine, with elasticᵀ W elastic = 1, and orthonormal combinations
        of rigid rows alone.
    compliance
        Diagonal of W, shape (rows,).
    """

    combinations: Array
    is_aside: NDArray[np.bool_]
    elastic: Array
    undetermined: Array
    compliance: Array

    @property
    def count(self) -> int:
        """Number of rows minus their rank."""
        return len(self.combinations.T)

    def minimal(self, multipliers: Array) -> Array:
        """Multipliers of the same force with the smallest elastic energy, and among these with the smallest norm."""
        if self.elastic.size:
            multipliers = multipliers - self.elastic @ (self.elastic.T @ (self.compliance * multipliers))
        return np.asarray(multipliers - self.undetermined @ (self.undetermined.T @ multipliers))

    def contradict(self, residual: Array, bound: float) -> bool:
        """Return whether the constraints are contradictory, that is, whether a dependent combination of equations has a
        residual above the given size."""
        return not bool(np.all(np.abs(self.combinations.T @ residual) <= bound))


def dependent_rows(solve: Callable[[Array], Array], scale: Array, probes: int, compliance: Array) -> DependentRows:
    """Find at most `probes` vanishing combinations.

    `solve` is z ↦ (B̂ B̂ᵀ + τ)⁻¹ z, `scale` has the reciprocal lengths of the rows, and `compliance` is zero for rigid
    rows.
    """
    rows = len(scale)
    columns = np.sin(PROBE_ANGLE * np.outer(np.arange(1, rows + 1), np.arange(1, probes + 1)))
    for least in (REVEALED / RANK_LIMIT**2, 1 / RANK_LIMIT**2):
        grown = [solve(z) for z in columns.T]
        columns, _ = _split(np.array(grown).reshape(-1, rows).T, least)
    combinations, _ = _split(scale[:, None] * columns, 0.0)
    elastic, undetermined = columns[:, :0], combinations
    if compliance.any():
        weights = compliance * scale**2
        elastic, rest = _split(columns, ELASTIC_PART * np.sqrt(weights.max()), weights)
        elastic, (undetermined, _) = scale[:, None] * elastic, _split(scale[:, None] * rest, 0.0)
    return DependentRows(combinations, _set_aside(columns), elastic, undetermined, compliance)


def _split(columns: Array, least: float, weights: Array | None = None) -> tuple[Array, Array]:
    """Orthonormal basis of columns, longest first, in the metric of the weights, and the remainders of the other
    columns."""
    left, found = columns.copy(), np.zeros((len(columns), 0))
    weighted = np.ones((1, 1)) if weights is None else np.sqrt(weights)[:, None]
    while left.shape[1]:
        lengths = np.linalg.norm(weighted * left, axis=0)
        longest = int(np.argmax(lengths))
        if not lengths[longest] > least:
            break
        chosen = left[:, longest]
        # A second projection removes rounding errors of the first.
        chosen = chosen - found @ (found.T @ (weighted[:, 0] ** 2 * chosen))
        chosen = chosen / np.linalg.norm(weighted[:, 0] * chosen)
        found = np.column_stack([found, chosen])
        left = np.delete(left, longest, axis=1)
        left = left - np.outer(chosen, (weighted[:, 0] ** 2 * chosen) @ left)
    return found, left


def _set_aside(combinations: Array) -> NDArray[np.bool_]:
    """Choose the row with the largest share of each combination; of equal rows the first one."""
    left, aside = combinations, np.zeros(len(combinations), dtype=bool)
    for _ in range(combinations.shape[1]):
        lengths = np.linalg.norm(left, axis=1)
        row = int(np.argmax(lengths > (1 - SAME_LENGTH) * lengths.max()))
        aside[row] = True
        direction = left[row] / lengths[row]
        left = left - np.outer(left @ direction, direction)
    return aside
