"""Dependent nodes with offsets from reference nodes, defined by element types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array, Layout


class Placing:
    """Indices of the dependent nodes of a system."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._dimensions = {t.name: t.dimension for t in layout.manifest.node_types}
        self._rounds = [
            _rounds(element.placements, members)
            for element, members in zip(layout.elements, layout.members, strict=True)
        ]
        self.elements = [index for index, element in enumerate(layout.elements) if element.placements]
        """Numbers of the element types that define dependent nodes."""

    def put(self, index: int, offsets: Callable[[], Array], q: Array, v: Array) -> None:
        """Write dependent nodes of an element type as reference plus offset, element by element, in q and v.

        `offsets` computes offsets and rates of all elements, shape (components, …, elements), from the present q and v,
        which are values or coefficients of one state or of several.
        """
        known = None
        # The offsets of all elements are computed at once, and again if they depend on nodes computed by earlier
        # elements.
        for _ in range(self._rounds[index]):
            found = offsets()
            if known is not None and np.array_equal(found, known):
                break
            known = found
            self._put_by(index, np.moveaxis(found, 0, -1), q, v)

    def _put_by(self, index: int, offsets: Array, q: Array, v: Array) -> None:
        layout, element, order = self._layout, self._layout.elements[index], range(offsets.shape[-2])
        for k in reversed(order) if element.places_backwards else order:
            first = 0
            for place, reference in element.placements:
                size = self._dimensions[element.node_types[place]]
                for x, starts in ((q, layout.storage_of[index][k]), (v, layout.velocity_of[index][k])):
                    a, b = starts[place], starts[reference]
                    x[..., a : a + size] = x[..., b : b + size] + offsets[..., k, first : first + size]
                    first += size


LocatedPlaces = tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""An element type, the indices in q and in v of the nodes that some of its elements define, shape (components,
elements), and these elements.
"""


def located_places(layout: Layout) -> Iterator[LocatedPlaces]:
    """Indices of dependent nodes in q and v, in the order of evaluation."""
    types = {t.name: t for t in layout.manifest.node_types}
    for index, numbers in layout.locations:
        element, instances = layout.elements[index], np.array(numbers, dtype=np.int64)
        kinds = [(place, types[element.node_types[place]]) for place in element.located]
        storage = [layout.storage_of[index][instances, k] + np.arange(n.storage)[:, None] for k, n in kinds]
        velocity = [layout.velocity_of[index][instances, k] + np.arange(n.dimension)[:, None] for k, n in kinds]
        yield index, np.vstack(storage), np.vstack(velocity), instances


def _rounds(placements: Sequence[Sequence[int]], members: NDArray[np.int64]) -> int:
    """Largest number of evaluations of an element type, since an offset may use dependent nodes of other elements."""
    places = {place for place, _ in placements}
    references = {reference for _, reference in placements} if len(placements) == 1 else set()
    used = members[:, [k for k in range(members.shape[1]) if k not in places | references]]
    return len(members) if placements and np.isin(used, members[:, sorted(places)]).any() else 1
