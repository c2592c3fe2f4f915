"""Storage indices of the equations of contacts in the saddle point matrix, for time stepping."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.event_changes import CONTACT_TABLE
from symlie.runtime.layout.layout import Layout
from symlie.runtime.linear.elimination import EliminationStructure


def contact_tables(layout: Layout, structure: EliminationStructure) -> dict[str, NDArray[np.int32]]:
    """Storage indices of the blocks of contacts.

    ``CONTACT_BLOCK_TO`` has nine entries for each contact: its normal equation and two tangential ones, by rows.
    ``CONTACT_ACROSS_TO`` has the place of each value of B in the row of the other tangential equation of its contact.
    Values without storage have an index after all values.
    """
    n, table = layout.dimension, {name: layout.contacts[:, k] for k, name in enumerate(CONTACT_TABLE)}
    rows = np.full((len(layout.contacts), 3), -1, dtype=np.intp)
    rows[:, 0] = table["normal"]
    for k in (1, 2):
        rows[:, k] = np.where(table["slips"] >= k, table["slip"] + k - 1, -1)
    i, j = np.repeat(rows, 3, axis=1).ravel(), np.tile(rows, (1, 3)).ravel()
    block = np.full(len(i), structure.stored, dtype=np.int32)
    there = (i >= 0) & (j >= 0)
    block[there] = structure.places(n + i[there], n + j[there])
    partner = np.full(layout.rows, -1, dtype=np.intp)
    both = table["slips"] > 1
    partner[rows[both, 1]], partner[rows[both, 2]] = rows[both, 2], rows[both, 1]
    of, columns = layout.assembled("jacobian")
    across = np.full(len(of), structure.stored, dtype=np.int32)
    kept = (partner[of] >= 0) & layout.free[columns]
    across[kept] = structure.places(n + partner[of[kept]], columns[kept])
    return {"CONTACT_BLOCK_TO": block, "CONTACT_ACROSS_TO": across, **_sweep_tables(layout)}


def _sweep_tables(layout: Layout) -> dict[str, NDArray[np.int32]]:
    """Tables of Gauss–Seidel sweeps.

    ``ROW_VALUE`` has the values of B on free components by equation, from ``ROW_BEGIN`` on. ``NODE_BEGIN`` and
    ``NODE_ROW`` have the first component of the node of each component, and the row of the component in M⁻¹ by nodes;
    both have the sizes after the last component. ``NODE_MASS`` and ``NODE_MIRROR`` have the places of the values of M
    there; they are empty if M couples nodes.
    """
    of, columns = layout.assembled("jacobian")
    kept = np.flatnonzero(layout.free[columns])
    kept = kept[np.argsort(of[kept], kind="stable")]
    sizes = np.concatenate([np.full(s.count, s.type.dimension) for s in layout.nodes]).astype(np.intp)
    first = np.cumsum(sizes) - sizes
    begin, size = np.repeat(first, sizes), np.repeat(sizes, sizes)
    row = np.concatenate([[0], np.cumsum(size)])
    i, j = layout.assembled("mass")
    is_coupled = (begin[i] != begin[j]).any()
    both = layout.free[i] & layout.free[j]
    count = int(row[-1])
    places = [np.where(both, row[a] + b - begin[a], count) for a, b in ((i, j), (j, i))]
    found = {
        "ROW_BEGIN": np.concatenate([[0], np.cumsum(np.bincount(of[kept], minlength=layout.rows))]),
        "ROW_VALUE": kept,
        "NODE_BEGIN": np.append(begin, layout.dimension),
        "NODE_ROW": row,
        "NODE_MASS": np.zeros(0) if is_coupled else places[0],
        "NODE_MIRROR": np.zeros(0) if is_coupled else np.where(i == j, count, places[1]),
    }
    return {name: table.astype(np.int32) for name, table in found.items()}
