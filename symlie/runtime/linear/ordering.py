"""Orders of elimination with a small bandwidth or little fill.

Vertices of a graph are blocks of unknowns, and their sizes are numbers of unknowns. The orders are deterministic: the
smaller vertex number breaks ties.

Source: [GeorgeLiu1981], chapters 4 and 5.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

Neighbours = Sequence[Sequence[int]]


def reverse_cuthill_mckee(neighbours: Neighbours, sizes: Sequence[int]) -> list[int]:
    """Vertices in reverse Cuthill-McKee order, where each connected component starts from a peripheral vertex."""
    degrees = [sum(sizes[w] for w in others) for others in neighbours]
    placed = [False] * len(sizes)
    order: list[int] = []
    for vertex in sorted(range(len(sizes)), key=lambda v: (degrees[v], v)):
        if placed[vertex]:
            continue
        part = [_rim(vertex, neighbours, degrees)]
        placed[part[0]] = True
        for v in part:
            new = sorted((w for w in neighbours[v] if not placed[w]), key=lambda w: (degrees[w], w))
            for w in new:
                placed[w] = True
            part += new
        order += part
    return order[::-1]


def _rim(vertex: int, neighbours: Neighbours, degrees: Sequence[int]) -> int:
    """Vertex of nearly maximal eccentricity."""
    levels = _levels(vertex, neighbours)
    while True:
        other = min(levels[-1], key=lambda v: (degrees[v], v))
        further = _levels(other, neighbours)
        if len(further) <= len(levels):
            return vertex
        vertex, levels = other, further


def _levels(vertex: int, neighbours: Neighbours) -> list[list[int]]:
    """Vertices by their distance from one vertex."""
    seen, levels = {vertex}, [[vertex]]
    while True:
        level = []
        for v in levels[-1]:
            for w in neighbours[v]:
                if w not in seen:
                    seen.add(w)
                    level.append(w)
        if not level:
            return levels
        levels.append(level)


class Elimination(NamedTuple):
    """Order of elimination with the resulting fill."""

    order: list[int]
    borders: list[list[int]]
    """For each position, the later positions coupled with its vertex when it is eliminated."""


def minimum_degree(neighbours: Neighbours, sizes: Sequence[int], waits_for: Neighbours) -> Elimination:
    """Order vertices by their degree, in unknowns, at elimination; `waits_for` lists the required predecessors of each
    vertex, without cycles."""
    left = [set(others) for others in neighbours]
    degrees = [sum(sizes[w] for w in others) for others in neighbours]
    waiting = [len(others) for others in waits_for]
    frees: list[list[int]] = [[] for _ in sizes]
    for v, others in enumerate(waits_for):
        for w in others:
            frees[w].append(v)
    ready = [(degrees[v], v) for v in range(len(sizes)) if not waiting[v]]
    heapq.heapify(ready)
    place = [-1] * len(sizes)
    order: list[int] = []
    while ready:
        degree, v = heapq.heappop(ready)
        if place[v] >= 0 or degree != degrees[v]:
            continue
        place[v] = len(order)
        order.append(v)
        border = left[v]
        for w in border:
            known = left[w]
            new = border - known
            new.discard(w)
            known |= new
            known.discard(v)
            degrees[w] += sum(sizes[u] for u in new) - sizes[v]
            if not waiting[w]:
                heapq.heappush(ready, (degrees[w], w))
        for w in frees[v]:
            waiting[w] -= 1
            if not waiting[w]:
                heapq.heappush(ready, (degrees[w], w))
    return Elimination(order, [sorted(place[w] for w in left[v]) for v in order])
