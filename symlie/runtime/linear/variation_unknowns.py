"""Unknowns of the linear system of an implicit step for the variations of q and v.

The unknowns θ of components that are integrated determine their variations. The components of dependent nodes have θ,
too, which stands for v̇ by the formula of the method; the variations of their q and of their v/γ' are further unknowns,
with the derivatives of q_d = F(t, q) and v_d = V(t, q, v) as equations. The matrix remains sparse in long chains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Layout

Integers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class VariationUnknowns:
    """Unknowns for the variations of each component of q and v, shape (dimension,).

    Attributes
    ----------
    of_q, of_v
        Unknowns for the variation of q in the Lie algebra, and for that of v/γ'.
    further
        Unknowns that are neither θ nor multipliers.
    node
        Number of each node with further unknowns, for each of them.
    """

    of_q: Integers
    of_v: Integers
    further: Integers
    node: Integers

    def groups(self, known: Integers) -> Integers:
        """Return the groups of all unknowns from those of θ and of the multipliers; each dependent node has two more
        groups."""
        return np.concatenate([known, known.max(initial=-1) + 1 + self.node])


def variation_unknowns(layout: Layout, known: int) -> VariationUnknowns:
    """Return the unknowns after θ and all multipliers, of which there are `known` in total."""
    of_q, of_v = (np.arange(layout.dimension, dtype=np.intp) for _ in range(2))
    dependent = layout.dependent_components
    count = len(dependent)
    of_q[dependent] = known + np.arange(count)
    of_v[dependent] = known + count + np.arange(count)
    of_node = np.unique(layout.node_of_component[dependent], return_inverse=True)[1].astype(np.intp)
    nodes = int(of_node.max(initial=-1)) + 1
    further = known + np.arange(2 * count)
    return VariationUnknowns(of_q, of_v, further, np.concatenate([of_node, nodes + of_node]))
