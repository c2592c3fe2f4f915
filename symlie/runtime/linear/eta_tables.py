"""Storage indices of the η column in the matrix of stabilised implicit steps: (β' M + γ' C) B_nᵀ and B B_nᵀ.

β' M + γ' C, with γ' Sv + β' Sa in the rows of first-order states, is stored in blocks: first those within nodes, then
those between nodes that these matrices couple. The rows of a node therefore have entries in the columns of all elements
that act on a coupled node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Layout
from symlie.runtime.linear.elimination import EliminationStructure, places_of_kept
from symlie.runtime.linear.schur import pairs_in_columns

Integers = NDArray[np.intp]


Pairs = tuple[Integers, Integers]
"""Rows and columns of values."""


def coupled_nodes(layout: Layout, node: Integers, damping: Pairs, states: Sequence[Pairs]) -> Integers:
    """Ordered pairs of different coupled nodes, shape (pairs, 2), from the node of each velocity component.

    ``damping`` and ``states`` are the positions of the values of C, and of Sv and Sa of first-order states.
    """
    (i, j), *others = layout.assembled("mass"), damping, *states
    i, j = (np.concatenate([*first, *(pairs[k] for pairs in others)]) for k, first in enumerate(([i, j], [j, i])))
    kept = layout.sought[i] & layout.free[j] & (node[i] != node[j])
    return np.unique(np.stack([node[i], node[j]], axis=1)[kept], axis=0).astype(np.intp)


def joined(coupled: Integers, nodes: Integers) -> tuple[Integers, Integers]:
    """All index pairs (k, l) such that the second node of pair k equals `nodes[l]`."""
    order = np.argsort(nodes, kind="stable")
    begin, end = (np.searchsorted(nodes[order], coupled[:, 1], side) for side in ("left", "right"))
    count = end - begin
    steps = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(np.arange(len(coupled)), count), order[np.repeat(begin, count) + steps]


@dataclass(frozen=True, eq=False)
class NodeBlocks:
    """Storage of β' M + γ' C, row by row of each block.

    Attributes
    ----------
    node, local, width
        Node of each velocity component, its index there, and the number of components of the node.
    first
        First component of each node.
    coupled
        Sorted ordered pairs of coupled nodes, shape (pairs, 2).
    """

    node: Integers
    local: Integers
    width: Integers
    first: Integers
    coupled: Integers

    @property
    def begins(self) -> tuple[Integers, Integers]:
        """Start of the blocks within nodes, and starts and end of the blocks between nodes."""
        sizes = self.width[self.first]
        within = np.cumsum(sizes**2) - sizes**2
        between = np.concatenate([[0], np.cumsum(sizes[self.coupled].prod(axis=1))]) + int((sizes**2).sum())
        return within, between

    @property
    def size(self) -> int:
        """Number of stored values of all blocks."""
        return int(self.begins[1][-1])

    def places(self, rows: Integers, columns: Integers, kept: NDArray[np.bool_]) -> Integers:
        """Storage indices of entries; an index after all blocks for entries without storage."""
        within, between = self.begins
        i, j, count = self.node[rows], self.node[columns], len(self.first)
        keys = np.append(self.coupled[:, 0] * count + self.coupled[:, 1], count * count)
        pair = np.searchsorted(keys, i * count + j)
        has_block = keys[pair] == i * count + j
        begin = np.where(i == j, within[i], between[pair])
        inside = begin + self.local[rows] * self.width[columns] + self.local[columns]
        return np.where(kept & ((i == j) | has_block), inside, self.size)


def eta_tables(
    layout: Layout, blocks: NodeBlocks, damping: Pairs, states: Sequence[Pairs], structure: EliminationStructure
) -> Mapping[str, NDArray[np.integer]]:
    """Tables of the η column by name, for the unknowns θ, λ and η; arguments as for `coupled_nodes`.

    Names with ``BACK_`` refer to columns of blocks: the value of B_n that multiplies the column, its first index, the
    stride and the count of its values, and the same indices of their products.
    """
    (i, j), (rows, components) = layout.assembled("mass"), layout.assembled("jacobian")
    holonomic, moved = layout.holonomic, layout.free[components]
    multiplier = layout.dimension + np.arange(layout.rows)
    eta = multiplier + layout.rows
    every, kept = np.arange(len(rows)), moved & holonomic[rows]
    pair, value = joined(blocks.coupled, np.where(kept, blocks.node[components], len(blocks.first)))
    value = np.concatenate([every, value])
    target = np.concatenate([blocks.node[components], blocks.coupled[pair, 0]])
    is_kept, column = kept[value], components[value]
    first = blocks.first[target]
    count, step = blocks.width[first], blocks.width[column]

    to = partial(places_of_kept, structure)
    last = first + count - 1
    begin, then = (to(np.minimum(first + n, last), eta[rows[value]], is_kept) for n in (0, 1))
    a, b = pairs_in_columns(components, moved)
    a, b = a[holonomic[rows[b]]], b[holonomic[rows[b]]]
    return {
        "MASS_BLOCK": blocks.places(i, j, np.ones(len(i), dtype=bool)),
        "MASS_BLOCK_MIRROR": blocks.places(j, i, i != j),
        "DAMPING_BLOCK": blocks.places(*damping, np.ones(len(damping[0]), dtype=bool)),
        **{
            name: blocks.places(*pairs, np.ones(len(pairs[0]), dtype=bool))
            for name, pairs in zip(("STATE_VELOCITY_BLOCK", "STATE_ACCELERATION_BLOCK"), states, strict=True)
        },
        "BACK_VALUE": value,
        "BACK_COLUMN": blocks.places(first, column, np.ones(len(value), dtype=bool)),
        "BACK_STEP": step,
        "BACK_COUNT": count,
        "BACK_TO": begin,
        "BACK_STRIDE": then - begin,
        **_rows_with_eta(layout),
        "CORNER_LEFT": a,
        "CORNER_RIGHT": b,
        "CORNER_TO": structure.places(np.where(holonomic, eta, multiplier)[rows[a]], eta[rows[b]]),
    }


def no_eta_columns(layout: Layout, damping: Pairs, states: Sequence[Pairs]) -> Mapping[str, NDArray[np.integer]]:
    """Tables without columns of η, for increments that are unknowns; blocks have one value, which is not used."""
    mass = layout.assembled("mass")
    of_blocks = zip(_BLOCKS, (mass, mass, damping, *states), strict=True)
    return {
        **dict.fromkeys(_COLUMNS, np.zeros(0, dtype=np.intp)),
        **{name: np.zeros(len(rows), dtype=np.intp) for name, (rows, _) in of_blocks},
        **_rows_with_eta(layout),
    }


def _rows_with_eta(layout: Layout) -> Mapping[str, NDArray[np.integer]]:
    eta = layout.dimension + layout.rows + np.arange(layout.rows)
    return {"HAS_PHI": layout.holonomic.astype(np.int64), "NO_ETA": eta[~layout.holonomic]}


_BLOCKS = ("MASS_BLOCK", "MASS_BLOCK_MIRROR", "DAMPING_BLOCK", "STATE_VELOCITY_BLOCK", "STATE_ACCELERATION_BLOCK")

_COLUMNS = (
    *(f"BACK_{name}" for name in ("VALUE", "COLUMN", "STEP", "COUNT", "TO", "STRIDE")),
    *(f"CORNER_{name}" for name in ("LEFT", "RIGHT", "TO")),
)

WITHOUT_ETA = dict.fromkeys((*_BLOCKS, *_COLUMNS, "HAS_PHI", "NO_ETA"), np.zeros(0, dtype=np.int32))
"""Tables of matrices without η, which are empty."""
