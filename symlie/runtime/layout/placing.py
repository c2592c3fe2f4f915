"""Nodes that are placed by others: where each belongs, given what element types say of offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.layout import Array, Layout


class Placing:
    """The places of placed nodes of a system.

    Parameters
    ----------
    layout
        Layout of the system.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._dimensions = {t.name: t.dimension for t in layout.manifest.node_types}
        self._rounds = [
            _rounds(element.placements, members)
            for element, members in zip(layout.elements, layout.members, strict=True)
        ]
        self.elements = [index for index, element in enumerate(layout.elements) if element.placements]
        """Numbers of the element types that place nodes."""

    def put(self, index: int, offsets: Callable[[], Array], q: Array, v: Array) -> None:
        """Put nodes of an element type where their references are plus an offset, instance by instance.

        Parameters
        ----------
        index
            Number of the element type.
        offsets
            Finds, from q and v as they then are, offsets and rates of all instances, shape (components, …, instances).
        q, v
            Stored components and velocities, or coefficients of them, of one state or of several; they are changed.
        """
        known = None
        # Offsets of all instances are computed at once, again if instances before them place what they depend on.
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
"""An element type, places in q and in v of the nodes that some instances locate, shape (components, instances), and
these."""


def located_places(layout: Layout) -> Iterator[LocatedPlaces]:
    """Where located nodes are in q and v, in the order in which they are located.

    Parameters
    ----------
    layout
        Layout of the system.
    """
    types = {t.name: t for t in layout.manifest.node_types}
    for index, numbers in layout.locations:
        element, instances = layout.elements[index], np.array(numbers, dtype=np.int64)
        kinds = [(place, types[element.node_types[place]]) for place in element.located]
        storage = [layout.storage_of[index][instances, k] + np.arange(n.storage)[:, None] for k, n in kinds]
        velocity = [layout.velocity_of[index][instances, k] + np.arange(n.dimension)[:, None] for k, n in kinds]
        yield index, np.vstack(storage), np.vstack(velocity), instances


def _rounds(placements: Sequence[Sequence[int]], members: NDArray[np.int64]) -> int:
    """How often offsets of an element type are computed at most, so that each one knows what others have placed."""
    places = {place for place, _ in placements}
    references = {reference for _, reference in placements} if len(placements) == 1 else set()
    used = members[:, [k for k in range(members.shape[1]) if k not in places | references]]
    return len(members) if placements and np.isin(used, members[:, sorted(places)]).any() else 1
