"""Connections of array nodes by elements: lines, rings and trees."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Layout

Numbers = NDArray[np.int64]


def first_numbers(layout: Layout) -> dict[str, int]:
    """Number of the first node of each node array; single nodes are arrays of length one."""
    counts = [n.count for n in layout.nodes]
    return {n.name: sum(counts[:k]) for k, n in enumerate(layout.nodes)}


def links(layout: Layout) -> Numbers:
    """Pairs of node numbers, shape (n, 2), of elements between neighbours in a node array or on a curve.

    These are the segments of rods; an element that connects both ends of a rod is not a segment.
    """
    array = np.repeat(np.arange(len(layout.nodes)), [n.count for n in layout.nodes])
    on_curves = {pair for c in layout.curves.values() for pair in itertools.pairwise(c.nodes.tolist())}
    found = [np.zeros((0, 2), dtype=np.int64)]
    for members in layout.members:
        if members.shape[1] != 2:
            continue
        left, right = members.T
        if np.any((array[left] == array[right]) & (np.abs(left - right) == 1)):
            found.append(members)
        else:
            found += [row[None] for row in members if tuple(row.tolist()) in on_curves]
    return np.concatenate(found)


def continues_another(layout: Layout, name: str) -> bool:
    """Return whether the first node of an array is the right neighbour of a node outside of it."""
    first = first_numbers(layout)[name]
    left = [a for a, b in links(layout).tolist() if b == first]
    return any(not first <= a < first + layout.node(name).count for a in left)
