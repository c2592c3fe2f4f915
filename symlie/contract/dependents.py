"""Topological order of dependent nodes: each element follows the elements that determine its arguments."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

Node = TypeVar("Node", bound=Hashable)

WHOLE = -1
"""Reference of dependent nodes whose expressions are no sum of the coordinates of another node and a rest."""


@dataclass(frozen=True)
class DependentPlaces:
    """Dependent nodes of an element type."""

    nodes: tuple[tuple[int, int], ...] = ()
    """Local dependent nodes, each with its reference: a local node to which the kernel's results are added, or
    ``WHOLE``. A node follows its reference."""
    read: tuple[int, ...] = ()
    """Other local nodes that the kernel reads."""


class Batch(NamedTuple):
    """Elements of one type that determine dependent nodes, each after those of its references.

    Their kernels read no dependent nodes of the same batch.
    """

    element: int
    instances: list[int]


_Instance = tuple[int, int]


def batches(
    places: Sequence[DependentPlaces], members: Sequence[Sequence[Sequence[Node]]]
) -> tuple[list[Batch], set[Node]]:
    """Return the batches in order, and the nodes with circular dependencies, which are in none."""
    instances = [(e, k) for e, known in enumerate(places) if known.nodes for k in range(len(members[e]))]
    host = {members[e][k][place]: (e, k) for e, k in instances for place, _ in places[e].nodes}
    followers: dict[_Instance, list[tuple[_Instance, bool]]] = {i: [] for i in instances}
    waits: dict[_Instance, int] = {}
    for e, k in instances:
        row, known = members[e][k], places[e]
        read = {host[row[place]] for place in known.read if row[place] in host}
        references = {host[row[r]] for _, r in known.nodes if r != WHOLE and row[r] in host} - read - {(e, k)}
        waits[e, k] = len(read) + len(references)
        for other in (*read, *references):
            followers[other].append(((e, k), other in references and other[0] == e))
    # Kernels of a level precede the sums of its elements, which follow one another by depth or, if possible, by number.
    level = dict.fromkeys(instances, (0, 0))
    ready = deque(i for i in instances if not waits[i])
    found: dict[_Instance, list[_Instance]] = {}
    ways: dict[_Instance, set[bool]] = {}
    while ready:
        e, k = ready.popleft()
        at, depth = level[e, k]
        found.setdefault((at, e), []).append((depth, k))
        for other, is_sum in followers[e, k]:
            level[other] = max(level[other], (at, depth + 1) if is_sum else (at + 1, 0))
            if is_sum:
                ways.setdefault((at, e), set()).add(other[1] < k)
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    order = []
    for (at, e), group in sorted(found.items()):
        numbers = [k for _, k in sorted(group)]
        way = ways.get((at, e), {False})
        order.append(Batch(e, sorted(numbers, reverse=True in way) if len(way) == 1 else numbers))
    return order, {node for node, instance in host.items() if waits[instance]}


def runs(order: Sequence[Batch]) -> list[tuple[int, int, int]]:
    """Return the batches as runs of consecutive elements: element type, first element, and the one after the last.

    The last two are in the order of evaluation, so that elements of a run descend if its end is smaller.
    """
    found: list[tuple[int, int, int]] = []
    for element, numbers in order:
        for k in numbers:
            last, first, end = found[-1] if found else (-1, 0, 0)
            step = 1 if end > first else -1
            if last == element and k == end:
                found[-1] = (element, first, k + step)
            elif last == element and end == first + 1 and k == first - 1:
                found[-1] = (element, first, k - 1)
            else:
                found.append((element, k, k + 1))
    return found
