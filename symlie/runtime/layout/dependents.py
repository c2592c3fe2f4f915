"""Dependent nodes, which element types define: places of their components, and sums with those of their references."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.dependents import WHOLE
from symlie.runtime.layout.layout import Array, Layout

Places = NDArray[np.int64]
"""Indices in configurations or velocities, shape (elements, components)."""


@dataclass(frozen=True)
class DependentBatch:
    """Elements of one type whose dependent nodes are computed together."""

    element: int
    instances: NDArray[np.int64]
    configurations: tuple[tuple[Places, Places | None], ...]
    """Places of each dependent node of an element, and those of its reference."""
    velocities: tuple[tuple[Places, Places | None], ...]
    chains: tuple[slice, ...]
    """Elements each of which follows the one before it; empty if no reference is a node of another element."""

    def put(self, values: Array, q: Array, v: Array) -> None:
        """Write the results of the kernel, shape (components, …, elements), to values or coefficients q and v."""
        values = np.moveaxis(values, 0, -1)
        for part in self.chains or (slice(None),):
            first = 0
            for node in zip(self.configurations, self.velocities, strict=True):
                for x, (own, reference) in zip((q, v), node, strict=True):
                    found = values[..., part, first : first + own.shape[1]]
                    if reference is not None and self.chains:
                        start = x[..., reference[part][:1]]
                        found = np.cumsum(np.concatenate([start, found], axis=-2), axis=-2)[..., 1:, :]
                    elif reference is not None:
                        found = x[..., reference] + found
                    x[..., own[part]] = found
                    first += own.shape[1]


def dependent_batches(layout: Layout) -> list[DependentBatch]:
    """Return the batches of a layout in the order of evaluation."""
    types = {t.name: t for t in layout.manifest.node_types}
    found = []
    for index, numbers in layout.dependents:
        element, instances = layout.elements[index], np.array(numbers, dtype=np.int64)
        kinds = [types[name] for name in element.node_types]
        nodes, members = element.dependents.nodes, layout.members[index][instances]
        configurations = [_places(layout.storage_of[index][instances], pair, kinds[pair[0]].storage) for pair in nodes]
        velocities = [_places(layout.velocity_of[index][instances], pair, kinds[pair[0]].dimension) for pair in nodes]
        chains = _chains(nodes, members)
        found.append(DependentBatch(index, instances, tuple(configurations), tuple(velocities), chains))
    return found


def _chains(nodes: Sequence[tuple[int, int]], members: NDArray[np.int64]) -> tuple[slice, ...]:
    places, references = [place for place, _ in nodes], [r for _, r in nodes if r != WHOLE]
    if not np.isin(members[:, references], members[:, places]).any():
        return ()
    starts = np.arange(1, len(members))
    if len(nodes) == 1:
        starts = starts[members[1:, references[0]] != members[:-1, places[0]]]
    starts = np.concatenate([[0], starts, [len(members)]])
    return tuple(slice(a, b) for a, b in itertools.pairwise(starts.tolist()))


def _places(starts: NDArray[np.int32], node: tuple[int, int], size: int) -> tuple[Places, Places | None]:
    place, reference = node
    components = np.arange(size)
    return starts[:, [place]] + components, None if reference == WHOLE else starts[:, [reference]] + components
