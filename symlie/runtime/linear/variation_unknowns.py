"""Unknowns of the linear system of an implicit step for the variations of q, v and v̇.

The unknowns θ of components that are integrated determine their variations. The components of dependent nodes have θ,
too, which stands for v̇ by the formula of the method; the variations x of their q and γ' y of their v are further
unknowns, with the derivatives of q_d = F(t, q) and v_d = V(t, q, v) as equations. The matrix remains sparse in long
chains. Components on which no other equation depends, such as most positions of bodies, have no further unknowns.

In stabilised index-2 form the increment w of components that are integrated is θ plus the forces Bᵀη, of which those on
dependent nodes act on the others by the derivatives of F. With dependent nodes or acceleration-level constraints, the
variation of w and the forces on dependent nodes are unknowns as well:

    dw - dθ - Bᵀdη - Fqᵀ π = 0,   π - Bᵀdη - Fqᵀ π = 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Layout

Integers = NDArray[np.intp]


class Needed(NamedTuple):
    """Flags of components, shape (dimension,)."""

    q: NDArray[np.bool_]
    v: NDArray[np.bool_]
    force: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class VariationUnknowns:
    """Unknowns for each component, shape (dimension,).

    Attributes
    ----------
    of_q, of_v, of_a
        Unknowns for the variations of q in the Lie algebra, of v/γ' and of v̇/β'.
    of_force
        Unknowns for the forces of η on dependent nodes, and for dw of all others; θ if these are not unknowns.
    further
        Unknowns that are neither θ nor multipliers.
    group
        Number of the group of each of them.
    component
        Component to which each of them belongs.
    needed
        Components whose variations of q and v, and whose forces, the equations need.
    """

    of_q: Integers
    of_v: Integers
    of_a: Integers
    of_force: Integers
    further: Integers
    group: Integers
    component: Integers
    needed: Needed

    def groups(self, known: Integers) -> Integers:
        """Return the groups of all unknowns from those of θ and of the multipliers."""
        return np.concatenate([known, known.max(initial=-1) + 1 + self.group])


def separates_increments(layout: Layout, has_eta: bool) -> bool:
    """Return whether increments w are unknowns."""
    return has_eta and (layout.has_dependents or not bool(layout.of_velocities.all()))


def variation_unknowns(layout: Layout, known: int, has_eta: bool, needed: Needed) -> VariationUnknowns:
    """Return the unknowns after θ and all multipliers, of which there are `known` in total."""
    separate, dependent = separates_increments(layout, has_eta), layout.dependent_components
    moving = np.flatnonzero(layout.sought & layout.integrated)
    theta = np.arange(layout.dimension, dtype=np.intp)
    kinds = [dependent[needed.q[dependent]], dependent[needed.v[dependent]]]
    if separate:
        kinds += [moving, dependent[needed.force[dependent]]]
    found, groups = [], [np.zeros(0, dtype=np.intp)]
    end, count = known, 0
    for components in kinds:
        places = theta.copy()
        places[components] = end + np.arange(len(components))
        of_node = np.unique(layout.node_of_component[components], return_inverse=True)[1].astype(np.intp)
        groups.append(count + of_node)
        end, count = end + len(components), count + int(of_node.max(initial=-1)) + 1
        found.append(places)
    of_q, of_v, of_a, of_force = found[0], found[1], theta, theta
    if separate:
        of_a = found[2]
        of_v = np.where(of_v == theta, of_a, of_v)
        of_force = np.where(found[3] == theta, of_a, found[3])
    further = np.arange(known, end)
    return VariationUnknowns(of_q, of_v, of_a, of_force, further, np.concatenate(groups), np.concatenate(kinds), needed)
