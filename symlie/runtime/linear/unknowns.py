"""Unknowns of a matrix in groups, and the coupled pairs of groups.

The matrices are [M* Bᵀ; B 0] and similar ones. Unknowns are velocity components, grouped by nodes, and constraint
equations, grouped by elements. The pattern of blocks is symmetric, the entries need not be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]


def _no_pairs() -> Indices:
    return np.zeros((0, 2), dtype=np.intp)


@dataclass(frozen=True)
class Unknowns:
    """Unknowns of a matrix in groups.

    Attributes
    ----------
    group
        Group of each unknown, shape (n,); groups are numbered from 0 without gaps.
    coupled
        Pairs of groups whose block of the matrix may have entries, shape (m, 2), each at least once in either order; a
        group is coupled with itself.
    acts_on
        Pairs (row, component) of unknowns, shape (k, 2): entries of B. Constraint rows have no diagonal entry.
    massless
        Velocity components, shape (l,), that M* may leave undetermined, so that constraints must determine them.
    """

    group: Indices
    coupled: Indices = field(default_factory=_no_pairs)
    acts_on: Indices = field(default_factory=_no_pairs)
    massless: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def __post_init__(self) -> None:
        if len(self.group) and np.bincount(self.group).min() == 0:
            raise ValueError("A group has no unknowns.")

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return len(self.group)

    @cached_property
    def sizes(self) -> Indices:
        """Number of unknowns in each group."""
        return np.bincount(self.group).astype(np.intp)

    @cached_property
    def members(self) -> list[Indices]:
        """Unknowns of each group."""
        order = np.argsort(self.group, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])

    @cached_property
    def is_constraint(self) -> NDArray[np.bool_]:
        """Flags of groups of constraint equations."""
        found = np.zeros(len(self.sizes), dtype=bool)
        found[self.group[self.acts_on[:, 0]]] = True
        return found

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """Sorted neighbours of each group, without the group itself."""
        pairs = np.concatenate([self.coupled, self.group[self.acts_on]])
        return graph(len(self.sizes), pairs)


def graph(count: int, pairs: Indices) -> list[list[int]]:
    """Sorted neighbours of each vertex, from pairs of vertices, shape (m, 2)."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[both[:, 0] != both[:, 1]]
    keys = np.unique(both[:, 0] * count + both[:, 1])
    ends = np.searchsorted(keys, count * np.arange(1, count + 1)).tolist()
    others = (keys % max(count, 1)).tolist()
    return [others[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
