"""Information of data about unknowns: covariance, rank, and combinations that the data do not determine.

    C = (JᵀJ)⁻¹  (1)

J are the derivatives of the residuals, divided by the standard deviations of the noise. Its columns are scaled to
length one, so that singular values depend neither on units nor on the amount of data. Source: [Seber1989], section
2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array

LEAST = 1e-6
"""Smallest singular value of identifiable combinations, relative to the largest one."""

NO_EFFECT = 1e-9
"""Effect of a change of an unknown by its size below which it is rounding, relative to the outputs."""

TAKES_PART = 1e-3
"""Smallest component of an unknown in combinations that are named; exact directions have errors far below it."""


@dataclass(frozen=True, eq=False)
class Information:
    """Information about p unknowns.

    Attributes
    ----------
    singular_values
        Singular values of the scaled derivatives, shape (p,), decreasing.
    rank
        Number of identifiable combinations.
    covariance
        Covariance matrix, shape (p, p); NaN for unknowns that are not identifiable.
    combinations
        Directions of changes that the data do not determine, shape (p - rank, p).
    """

    singular_values: Array
    rank: int
    covariance: Array
    combinations: Array


@dataclass(frozen=True, eq=False)
class _Resolved:
    """Singular values of derivatives with scaled columns, and the right singular vectors."""

    scale: Array
    has_effect: NDArray[np.bool_]
    singular: Array
    known: Array
    unknown: Array


def _resolved(derivatives: Array, sizes: Array, outputs: float) -> _Resolved:
    lengths = np.linalg.norm(derivatives, axis=0)
    has_effect = lengths * sizes > NO_EFFECT * outputs
    scale = np.where(has_effect, lengths, 1 / sizes)
    triangle = np.linalg.qr(np.where(has_effect, derivatives / scale, 0.0), mode="r")
    _, singular, rows = np.linalg.svd(triangle)
    rank = int((singular > LEAST * singular[0]).sum())
    return _Resolved(scale, has_effect, singular, rows[:rank], rows[rank:])


def held(derivatives: Array, sizes: Array, outputs: float) -> Array:
    """Return derivatives that an optimiser can use, shape (n + p, p): without combinations that are not determined, and
    with p further equations that hold these combinations.

    Residuals of the further equations are zero: steps of Gauss and Newton do not change these combinations, and the
    minima are not moved.
    """
    found = _resolved(derivatives, sizes, outputs)
    held_back = found.unknown.T @ found.unknown
    scaled = np.where(found.has_effect, derivatives / found.scale, 0.0)
    return np.asarray(np.concatenate([scaled - scaled @ held_back, held_back]) * found.scale)


def information(derivatives: Array, sizes: Array, outputs: float) -> Information:
    """Return the information for derivatives of the residuals (n, p), the sizes of the unknowns, shape (p,), and the
    norm of all outputs divided by the noise."""
    found = _resolved(derivatives, sizes, outputs)
    combinations = _sparse(found.unknown) / found.scale
    rank = len(found.known)
    factor = found.known.T / found.singular[:rank] / found.scale[:, None]
    covariance = factor @ factor.T
    lost = (combinations != 0).any(axis=0)
    covariance[lost] = covariance[:, lost] = np.nan
    return Information(found.singular, rank, covariance, combinations)


def _sparse(rows: Array) -> Array:
    """Return a basis of the same space with many zeros, by elimination with the largest entries as pivots."""
    found, free = rows.copy(), np.ones(rows.shape, dtype=bool)
    for _ in range(len(rows)):
        k, j = np.unravel_index(int(np.argmax(np.where(free, np.abs(found), -1.0))), rows.shape)
        others = np.arange(len(rows)) != k
        found[k] /= found[k, j]
        found[others] -= np.outer(found[others, j], found[k])
        free[k], free[:, j] = False, False
    return np.where(np.abs(found) > TAKES_PART, found, 0.0)


def combination_names(combinations: Array, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the names of combinations: one name, or names that change with a ratio."""
    found = []
    for row in combinations:
        parts = np.flatnonzero(row).tolist()
        ratios = " : ".join(f"{row[k] / row[parts[0]]:.4g}" for k in parts)
        names = " : ".join(labels[k] for k in parts)
        found.append(names if len(parts) == 1 else f"{names} = {ratios}")
    return tuple(found)
