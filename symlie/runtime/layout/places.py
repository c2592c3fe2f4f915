"""Indices of element quantities in the vectors and matrices of a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import NodeType
from symlie.runtime.layout.node_places import NodePlaces


class Places(NodePlaces):
    """Indices of quantities of element types, one row for each element."""

    @cached_property
    def element_rows(self) -> list[int]:
        """Number of constraint equations of an element of each type."""
        return [e.rows for e in self.elements]

    @cached_property
    def places(self) -> list[NDArray[np.int64]]:
        """For each element type the velocity components of its elements, shape (elements, local dimension)."""
        return self._of_nodes(self.velocity_of, lambda t: t.velocities)

    @cached_property
    def component_places(self) -> list[NDArray[np.int64]]:
        """For each element type the components of local coordinates of its elements, shape (elements, size)."""
        return self._of_nodes(self.velocity_of, lambda t: t.dimension)

    @cached_property
    def field_places(self) -> list[NDArray[np.int64]]:
        """For each element type the components of its vector fields, shape (elements, field size)."""
        return self._of_nodes(self.velocity_of, lambda t: t.dimension, with_fields=True)

    @cached_property
    def field_stored_places(self) -> list[NDArray[np.int64]]:
        """For each element type the storage components that its vector fields move, shape (elements, storage)."""
        return self._of_nodes(self.storage_of, lambda t: t.storage, with_fields=True)

    @cached_property
    def stored_places(self) -> list[NDArray[np.int64]]:
        """For each element type the storage components of its elements, shape (elements, local storage)."""
        of_nodes = self._of_nodes(self.storage_of, lambda t: t.storage)
        return [np.concatenate(both, axis=1) for both in zip(of_nodes, self.unwrapped_places, strict=True)]

    def _of_nodes(
        self, begins: Sequence[NDArray[np.int32]], width: Callable[[NodeType], int], with_fields: bool = False
    ) -> list[NDArray[np.int64]]:
        widths = {t.name: width(t) for t in self.manifest.node_types}
        found = []
        for element, begin in zip(self.elements, begins, strict=True):
            nodes = element.fields if with_fields else range(len(element.node_types))
            parts = [begin[:, [k]] + np.arange(widths[element.node_types[k]]) for k in nodes]
            found.append(np.concatenate([begin[:, :0], *parts], axis=1))
        return found

    @cached_property
    def unwrapped_places(self) -> list[NDArray[np.int64]]:
        """For each element type the indices of unwrapped angles in a configuration, shape (elements, angles)."""
        first, places = self.node_storage, []
        for element, count in zip(self.elements, self.instance_counts, strict=True):
            places.append(first + np.arange(count * element.unwrapped).reshape(count, element.unwrapped))
            first += count * element.unwrapped
        return places

    @cached_property
    def rows(self) -> int:
        """Number of constraint equations."""
        return sum(r * n for r, n in zip(self.element_rows, self.instance_counts, strict=True))

    @cached_property
    def first_rows(self) -> list[int]:
        """First constraint equation of each element type."""
        sizes = [r * n for r, n in zip(self.element_rows, self.instance_counts, strict=True)]
        return [sum(sizes[:k]) for k in range(len(sizes))]

    @cached_property
    def row_places(self) -> list[NDArray[np.int64]]:
        """For each element type the constraint equations of its elements, shape (elements, rows)."""
        sizes = zip(self.first_rows, self.element_rows, self.instance_counts, strict=True)
        return [first + width * np.arange(count)[:, None] + np.arange(width) for first, width, count in sizes]

    def assembled(self, which: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the stored values of ``"mass"`` (lower triangle) or ``"jacobian"``."""
        rows: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)]
        columns: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)]
        for element, place, first, width in zip(
            self.elements, self.places, self.first_rows, self.element_rows, strict=True
        ):
            pattern = element.mass if which == "mass" else element.jacobian
            i, j = (np.array(part, dtype=np.intp) for part in (pattern.rows, pattern.columns))
            own = place[:, i] if which == "mass" else first + width * np.arange(len(place))[:, None] + i
            rows.append(own.ravel().astype(np.intp))
            columns.append(place[:, j].ravel().astype(np.intp))
        return np.concatenate(rows), np.concatenate(columns)
