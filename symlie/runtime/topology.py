"""How nodes of arrays are joined by elements: along a line, in a ring, across arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout import Layout, NodeSlice

Numbers = NDArray[np.int64]


def first_numbers(layout: Layout) -> dict[str, int]:
    """Number of the first node of each node array; single nodes are arrays of one."""
    counts = [n.count for n in layout.nodes]
    return {n.name: sum(counts[:k]) for k, n in enumerate(layout.nodes)}


def links(layout: Layout) -> Numbers:
    """Pairs of nodes by number, shape (n, 2), of all element types that join neighbours in a node array.

    These are the segments of rods; an element between the two ends of a rod is none of them.
    """
    array = np.repeat(np.arange(len(layout.nodes)), [n.count for n in layout.nodes])
    found = [np.zeros((0, 2), dtype=np.int64)]
    for members in layout.members:
        if members.shape[1] != 2:
            continue
        left, right = members.T
        if np.any((array[left] == array[right]) & (np.abs(left - right) == 1)):
            found.append(members)
    return np.concatenate(found)


def is_ring(layout: Layout, node: NodeSlice) -> bool:
    """Whether the ends of a node array are neighbours, too."""
    first = first_numbers(layout)[node.name]
    ends = {first, first + node.count - 1}
    return node.count > 2 and any({int(a), int(b)} == ends for a, b in links(layout))
