"""Storage indices of load derivatives at interior samples in the matrix of the start of a step.

    h w (A_ξ(θ)ᵀ (ξ K T(ξ θ) + D/h) + ∂/∂θ A_ξ(θ)ᵀ l)

The factors of Aᵀ are collected in blocks of two nodes, row by row, after the values of the matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.kernels.matrices import Positions
from symlie.runtime.layout.layout import Layout
from symlie.runtime.linear.elimination import EliminationStructure


def sample_places(
    layout: Layout, stiffness: Positions, damping: Positions, structure: EliminationStructure
) -> tuple[dict[str, NDArray[np.int32]], int]:
    """Tables of samples, and the number of values in the blocks.

    ``SAMPLE_ROWS`` are rows of products with Aᵀ, with five numbers each: destination, block, column of A, and the rows
    and columns of the block. ``SLOPE_ROWS`` are rows of the last term, with three: first value, destination, and count.
    """
    sizes = np.concatenate([np.full(n.count, n.type.dimension) for n in layout.nodes])
    starts, squares = np.cumsum(sizes) - sizes, np.cumsum(sizes**2) - sizes**2
    node = np.repeat(np.arange(len(sizes)), sizes)
    local = np.arange(layout.dimension) - starts[node]

    both = np.concatenate([node[np.stack(places)] for places in (stiffness, damping)], axis=1)
    pairs, block_of = np.unique(both, axis=1, return_inverse=True)
    (rows, columns), block_of = pairs, block_of.ravel()
    lengths = sizes[rows] * sizes[columns]
    blocks = structure.values + np.cumsum(lengths) - lengths
    of_stiffness, of_damping = np.split(blocks[block_of], [len(stiffness[0])])
    (i, j), (k, m) = stiffness, damping

    free = np.flatnonzero(layout.free[starts[rows]] & layout.free[starts[columns]])
    at = np.repeat(free, sizes[rows[free]])
    row = np.concatenate([np.zeros(0, dtype=np.intp), *(np.arange(n) for n in sizes[rows[free]])])
    to = structure.places(starts[rows[at]] + row, starts[columns[at]])
    products = np.stack([to, blocks[at], squares[rows[at]] + row, sizes[rows[at]], sizes[columns[at]]], axis=1)

    own = np.flatnonzero(layout.free)
    width = sizes[node[own]]
    slopes = [squares[node[own]] + local[own] * width, structure.places(own, starts[node[own]]), width]
    found: dict[str, NDArray[np.integer]] = {
        "STIFFNESS_COLUMN": j,
        "STIFFNESS_TO": of_stiffness + local[i] * sizes[node[j]],
        "SAMPLE_DAMPING_TO": of_damping + local[k] * sizes[node[m]] + local[m],
        "SAMPLE_ROWS": products.ravel(),
        "SLOPE_ROWS": np.stack(slopes, axis=1).ravel(),
    }
    return {name: np.ascontiguousarray(table, dtype=np.int32) for name, table in found.items()}, int(lengths.sum())
