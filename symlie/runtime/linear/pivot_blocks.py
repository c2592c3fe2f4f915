"""Pivot blocks: nodes with the constraint equations that act on them.

A constraint equation has no diagonal entry, so it shares a pivot block with components that it acts on, or follows
them. [M* Bᵀ; B 0] of one node is regular if M* is regular on ker B and the rows of B are independent there. Elements
that act on one node join its block. Each other element joins one of its nodes as far as a matching allows, nodes with
massless components first, since these need constraint equations. The remaining elements wait for the elimination of the
blocks that they are coupled with: then their own block has an entry, -B M*⁻¹ Bᵀ or the contribution of their mass to a
massless node.

Source: [Duff2017].
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from symlie.runtime.linear.unknowns import Indices, Unknowns

Pair = tuple[int, int]


class PivotBlocks(NamedTuple):
    """Blocks of unknowns that are eliminated together."""

    unknowns: list[Indices]
    """Unknowns of each block; the unknowns of its node come first."""
    block: Indices
    """Block of each group."""
    waits: list[bool]
    """Mask of blocks that must follow all coupled blocks outside this mask."""


def pivot_blocks(unknowns: Unknowns) -> PivotBlocks:
    """Return the pivot blocks of a matrix."""
    joined = _Joined(unknowns)
    host = joined.hosts()
    groups = range(len(unknowns.sizes))
    own = {g: [g] for g in groups if g not in host}
    for g, node in sorted(host.items()):
        own[node].append(g)
    block = np.empty(len(unknowns.sizes), dtype=np.intp)
    for number, members in enumerate(own.values()):
        block[members] = number
    parts = [np.concatenate([unknowns.members[g] for g in members]) for members in own.values()]
    return PivotBlocks(parts, block, [bool(unknowns.is_constraint[g]) or joined.lacks_rows(g) for g in own])


class _Joined:
    """Incremental assignment of elements to nodes."""

    def __init__(self, unknowns: Unknowns) -> None:
        self._massless: dict[int, set[int]] = {}
        for component in unknowns.massless.tolist():
            self._massless.setdefault(int(unknowns.group[component]), set()).add(component)
        self._entries: dict[int, dict[int, list[Pair]]] = {}
        groups = unknowns.group[unknowns.acts_on].tolist()
        for (element, node), pair in zip(groups, unknowns.acts_on.tolist(), strict=True):
            self._entries.setdefault(element, {}).setdefault(node, []).append(pair)
        self._rows = {e: len({row for pairs in by.values() for row, _ in pairs}) for e, by in self._entries.items()}
        self._alone: dict[int, list[int]] = {}
        self._guest: dict[int, int] = {}
        self._node: dict[int, int] = {}

    def hosts(self) -> dict[int, int]:
        """Node of each assigned element."""
        alone: dict[int, int] = {}
        for element, by in sorted(self._entries.items()):
            if len(by) == 1:
                (node,) = by
                if self._fits(node, element):
                    self._alone.setdefault(node, []).append(element)
                    alone[element] = node
        elements = {e: [n for n in sorted(by) if self._fits(n, e)] for e, by in self._entries.items() if e not in alone}
        nodes: dict[int, list[int]] = {}
        for element, found in sorted(elements.items()):
            for node in found:
                nodes.setdefault(node, []).append(element)
        for node in sorted(self._massless):
            if node in nodes and self.lacks_rows(node):
                _match(node, nodes, self._guest, self._node, set())
        lost: set[int] = set()
        for element in sorted(elements):
            if element not in self._node:
                _match(element, elements, self._node, self._guest, lost)
        return alone | self._node

    def lacks_rows(self, node: int) -> bool:
        """Return whether a node has massless components that its assigned constraint equations do not determine."""
        massless = self._massless.get(node)
        if not massless:
            return False
        guests = [*self._alone.get(node, []), *([self._guest[node]] if node in self._guest else [])]
        pairs = [p for p in self._pairs(node, guests) if p[1] in massless]
        return _rank(pairs) < len(massless)

    def _pairs(self, node: int, elements: Iterable[int]) -> list[Pair]:
        return [pair for e in elements for pair in self._entries[e][node]]

    def _fits(self, node: int, element: int) -> bool:
        """Return whether the equations of an element can be independent, on the node, of the equations assigned
        already."""
        elements = [*self._alone.get(node, []), element]
        return _rank(self._pairs(node, elements)) == sum(self._rows[e] for e in elements)


def _rank(pairs: list[Pair]) -> int:
    """Structural rank: size of a maximum matching of rows and columns."""
    columns: dict[int, list[int]] = {}
    for row, column in pairs:
        columns.setdefault(row, []).append(column)
    of_row: dict[int, int] = {}
    of_column: dict[int, int] = {}
    for row in columns:
        _match(row, columns, of_row, of_column, set())
    return len(of_row)


def _match(
    start: int, edges: dict[int, list[int]], of_left: dict[int, int], of_right: dict[int, int], seen: set[int]
) -> None:
    """Match a left vertex by a breadth-first augmenting path; matched vertices remain matched.

    The function updates the partners. ``seen`` collects right vertices without an augmenting path and grows on failure.
    """
    came: dict[int, int] = {}
    queue = deque([start])
    while queue:
        left = queue.popleft()
        for right in edges.get(left, ()):
            if right in seen or right in came:
                continue
            came[right] = left
            if right in of_right:
                queue.append(of_right[right])
                continue
            partner: int | None = right
            while partner is not None:
                left = came[partner]
                before = of_left.get(left)
                of_left[left], of_right[partner] = partner, left
                partner = before
            return
    seen |= came.keys()
