"""Constraint equations that make a singular M regular, so that the saddle point matrix decouples by nodes.

    (M + B1_hᵀ Γ B1_h) a + B0ᵀ λ = r + B1_hᵀ Γ c_h,   B1 a = c

has the same a and λ for all diagonal Γ. The equations h act on one node alone, such as those of a joint with the
ground, and only on components that M couples with massless ones, for example angular velocities. B1 determines the
choice of h; `templates/c/linear/held_mass.h` solves with them. NumPy eliminates the whole matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Layout
from symlie.runtime.linear.schur import BandedAlgebra
from symlie.runtime.linear.unknowns import Indices

NAMES = ("HELD_ENTRY", "HELD_DIAGONAL", "HELD_OUTSIDE", "HELD_TO", "HELD_FIRST", "HELD_SECOND")
"""Tables: values of B in these equations with the diagonal entries of M for each, values that must vanish, and
products."""


def held_tables(layout: Layout, massless: Indices, operations: int) -> dict[str, NDArray[np.int32]]:
    """Tables of these equations; empty if there are fewer equations than massless components, or if eliminating the
    whole matrix is cheaper."""
    none = {name: np.zeros(0, dtype=np.int32) for name in NAMES}
    sizes = [np.full(s.count, s.type.dimension, dtype=np.intp) for s in layout.nodes]
    node = np.repeat(np.arange(sum(s.count for s in layout.nodes)), np.concatenate(sizes))
    (i, j), (rows, components) = layout.assembled("mass"), layout.assembled("jacobian")
    if not layout.is_fixed:
        couples_nodes = bool(np.any(node[i] != node[j]))
        if couples_nodes or layout.rows * BandedAlgebra(layout).bandwidth ** 2 > operations:
            return none
    lacking = set(node[massless].tolist())
    entries: dict[tuple[int, int], int] = {}
    for value in np.flatnonzero(np.isin(node[i], sorted(lacking))).tolist():
        for pair in ((int(i[value]), int(j[value])), (int(j[value]), int(i[value]))):
            entries.setdefault(pair, value)
    values: dict[int, list[int]] = {}
    for value in np.flatnonzero(layout.free[components]).tolist():
        values.setdefault(int(rows[value]), []).append(value)
    found: dict[str, list[int]] = {name: [] for name in NAMES}
    held = dict.fromkeys(lacking, 0)
    for of_row in values.values():
        nodes = set(node[components[of_row]].tolist())
        if len(nodes) > 1 or not nodes <= lacking:
            continue
        (only,) = nodes
        lost = [int(k) for k in massless if node[k] == only]
        inside = [v for v in of_row if all((int(components[v]), k) in entries for k in lost)]
        touched = [int(components[v]) for v in inside]
        pairs = [(a, b) for a in range(len(inside)) for b in range(a + 1)]
        if any((touched[a], touched[b]) not in entries for a, b in pairs):
            continue
        held[only] += 1
        found["HELD_ENTRY"] += inside
        found["HELD_DIAGONAL"] += [entries[k, k] for k in touched]
        found["HELD_OUTSIDE"] += [v for v in of_row if v not in inside]
        found["HELD_TO"] += [entries[touched[a], touched[b]] for a, b in pairs]
        found["HELD_FIRST"] += [inside[a] for a, _ in pairs]
        found["HELD_SECOND"] += [inside[b] for _, b in pairs]
    if any(count < np.count_nonzero(node[massless] == k) for k, count in held.items()):
        return none
    return {name: np.array(numbers, dtype=np.int32) for name, numbers in found.items()}
