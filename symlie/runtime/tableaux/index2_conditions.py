"""Exact order conditions of half-explicit methods for y' = f(y, z), 0 = g(y), by trees with two kinds of nodes.

A y-tree is [y- and z-trees]_y of order 1 + the sum of their orders; a z-tree is [y-trees]_z of order sum - 1. The trees
[τ]_z and [[u]_y]_z with a single z-tree u are excluded. The rooted trees of y' = f(y) are the trees without z-nodes.
Source: [HairerWanner1996], section VII.5.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symlie.runtime.tableaux.exact import ExactRow
from symlie.runtime.tableaux.order_conditions import FoundOrder, Number, count_order, simple

if TYPE_CHECKING:
    from symlie.runtime.tableaux.half_explicit_tableau import HalfExplicitTableau

MOST_ORDER = 5
"""Highest order that is tested; it has 1972 trees, and the next order has ten times as many."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Tree of the expansion of y' = f(y, z), 0 = g(y)."""

    kind: str
    """Kind of the root, ``y`` or ``z``."""
    order: int
    children: tuple[Tree, ...]

    @functools.cached_property
    def weight(self) -> Fraction:
        """Return the required value of the coefficients of the tree, from y(h) = Σ … h^order."""
        product = math.prod((child.weight for child in self.children), start=Fraction(1))
        return product / self.order if self.kind == "y" else product * (self.order + 1)


def forests(order: int, trees: Sequence[Tree]) -> Iterator[tuple[Tree, ...]]:
    """Return all multisets of trees whose orders sum to ``order``."""

    def extend(rest: int, first: int) -> Iterator[tuple[Tree, ...]]:
        if rest == 0:
            yield ()
        for k in range(first, len(trees)):
            if trees[k].order <= rest:
                for others in extend(rest - trees[k].order, k):
                    yield (trees[k], *others)

    return extend(order, 0)


@functools.cache
def bicoloured_trees(max_order: int) -> tuple[tuple[Tree, ...], tuple[Tree, ...]]:
    """Return all y-trees up to ``max_order`` and all z-trees up to ``max_order - 1``."""
    y_trees, z_trees = [Tree("y", 1, ())], list[Tree]()
    for order in range(1, max_order):
        new_y = [Tree("y", order + 1, children) for children in forests(order, tuple(y_trees + z_trees))]
        several = [children for children in forests(order + 1, tuple(y_trees)) if len(children) > 1]
        new_z = [Tree("z", order, children) for children in several + [(tree,) for tree in new_y]]
        y_trees += new_y + [Tree("y", order + 1, (tree,)) for tree in new_z]
        z_trees += new_z
    return tuple(y_trees), tuple(z_trees)


class StageSeries:
    """Exact coefficients of trees at the arguments and stages of a strictly lower triangle ``a``."""

    def __init__(self, a: Sequence[ExactRow]) -> None:
        self.a: list[list[Number]] = [[simple(x) for x in row] for row in a]
        self.known: dict[Tree, list[Number]] = {}

    def values(self, tree: Tree) -> list[Number]:
        """Return the coefficients of a y-tree at all arguments Y_i, or of a z-tree at all stages Z_i that ``a``
        determines."""
        if tree not in self.known:
            self.known[tree] = self._y(tree) if tree.kind == "y" else self._z(tree)
        return self.known[tree]

    def products(self, tree: Tree) -> list[Number]:
        """Return the products over the children of a tree."""
        stages = zip(*(self.values(child) for child in tree.children), strict=False)
        return [math.prod(stage) for stage in stages] if tree.children else [Fraction(1)] * len(self.a)

    def weighted(self, weights: Sequence[Number], tree: Tree) -> Number:
        """Return the sum of the products of a y-tree with weights that are not a row of ``a``."""
        return sum((x * y for x, y in zip(weights, self.products(tree), strict=False)), Fraction(0))

    def _y(self, tree: Tree) -> list[Number]:
        products = self.products(tree)
        return [sum((x * y for x, y in zip(row, products, strict=False) if x), Fraction(0)) for row in self.a]

    def _z(self, tree: Tree) -> list[Number]:
        products = self.products(tree)
        values: list[Number] = [Fraction(0)]
        for stage in range(2, len(self.a)):
            *known, unknown = self.a[stage]
            total = sum(x * y for x, y in zip(known, values, strict=True))
            values.append((products[stage] - total) / unknown)
        return values


def half_explicit_orders(tableau: HalfExplicitTableau) -> tuple[FoundOrder, FoundOrder | None]:
    """Return the orders of q and v, up to `MOST_ORDER`, for the weights of a half-explicit method and its embedded
    weights.

    Order p of q and v also requires the conditions of λ up to p - 2, because λ enters the next step.
    """
    y_trees, z_trees = bicoloured_trees(MOST_ORDER)
    series = StageSeries(tableau.a)
    d = [simple(x) for x in tableau.d]

    def levels(values: StageSeries, argument: int, *, with_multipliers: bool) -> Iterator[Iterator[Number]]:
        for order in range(1, MOST_ORDER + 1):
            yield _level(values, argument, order, d if with_multipliers else None)

    def _level(values: StageSeries, argument: int, order: int, d: list[Number] | None) -> Iterator[Number]:
        for tree in (t for t in y_trees if t.order == order):
            yield values.values(tree)[argument] - tree.weight
        for tree in (t for t in z_trees if d is not None and t.order == order - 2):
            yield sum(x * y for x, y in zip(d or [], values.values(tree), strict=True) if x) - tree.weight

    found = count_order(levels(series, tableau.s, with_multipliers=True), tableau.tolerance)
    if tableau.b_hat is None:
        return found, None
    solved_again = StageSeries((*tableau.a[:-1], tableau.b_hat))
    return found, count_order(levels(solved_again, tableau.stages, with_multipliers=False), tableau.tolerance)
