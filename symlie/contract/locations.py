"""Topological order of dependent nodes: each element follows the elements that determine its arguments."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeVar

Node = TypeVar("Node", bound=Hashable)


class Located(NamedTuple):
    """Mutually independent elements of one type that determine dependent nodes."""

    element: int
    instances: list[int]


def located_in_order(
    places: Sequence[Sequence[int]], members: Sequence[Sequence[Sequence[Node]]]
) -> tuple[list[Located], set[Node]]:
    """Return the elements by level and element type, and the nodes with circular dependencies, which have no level."""
    instances = [(e, k) for e, located in enumerate(places) if located for k in range(len(members[e]))]
    host = {members[e][k][place]: (e, k) for e, k in instances for place in places[e]}
    followers: dict[tuple[int, int], list[tuple[int, int]]] = {i: [] for i in instances}
    waits: dict[tuple[int, int], int] = {}
    for e, k in instances:
        needed = {host[n] for p, n in enumerate(members[e][k]) if n in host and p not in places[e]}
        waits[e, k] = len(needed)
        for other in needed:
            followers[other].append((e, k))
    level = dict.fromkeys((i for i in instances if not waits[i]), 0)
    ready = deque(level)
    while ready:
        done = ready.popleft()
        for other in followers[done]:
            waits[other] -= 1
            if not waits[other]:
                level[other] = level[done] + 1
                ready.append(other)
    found: dict[tuple[int, int], list[int]] = {}
    for e, k in sorted(level, key=lambda i: (level[i], i)):
        found.setdefault((level[e, k], e), []).append(k)
    circle = {node for node, instance in host.items() if instance not in level}
    return [Located(e, numbers) for (_, e), numbers in found.items()], circle


def runs(order: Sequence[Located]) -> list[tuple[int, int, int]]:
    """Return the levels as runs of consecutive instances: element type, first instance, end."""
    found: list[tuple[int, int, int]] = []
    for element, numbers in order:
        for k in numbers:
            if found and found[-1][::2] == (element, k):
                found[-1] = (element, found[-1][1], k + 1)
            else:
                found.append((element, k, k + 1))
    return found
