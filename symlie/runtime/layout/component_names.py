"""Readable names of components of the vectors of a system."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symlie.rotations import UNIT_LENGTH
from symlie.runtime.layout.places import Places
from symlie.runtime.layout.slices import NodeSlice

if TYPE_CHECKING:
    from symlie.runtime.layout.slices import ConstraintSlice


class ComponentNames(Places, ABC):
    """Names of entries of q, v, λ and residuals in messages."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the model."""

    @property
    @abstractmethod
    def constraints(self) -> Mapping[str, ConstraintSlice]:
        """Equations of each named constraint."""

    @cached_property
    def named_instances(self) -> dict[str, tuple[int, int]]:
        """Element type and number of each named element."""
        return {name: (index, k) for index, i in enumerate(self.instances) for k, name in enumerate(i.names) if name}

    @cached_property
    def joints(self) -> list[str]:
        """Names of elements with constraints, except those of the coordinates of one body."""
        return [
            name
            for name, (element, _) in self.named_instances.items()
            if self.elements[element].rows and not self.elements[element].name.startswith(UNIT_LENGTH)
        ]

    @cached_property
    def joint_of_row(self) -> dict[int, str]:
        """Joint of each constraint equation that belongs to one."""
        places = {name: self.named_instances[name] for name in self.joints}
        return {int(row): name for name, (element, k) in places.items() for row in self.row_places[element][k]}

    def row_name(self, row: int) -> str:
        """Name of a constraint equation."""
        return self.row_names([row])[0]

    def row_names(self, rows: Iterable[int]) -> list[str]:
        """Names of constraint equations; equations of the same constraint are combined."""
        positions: dict[str, list[str]] = {}
        for row in rows:
            position, constraint = self._place_of_row(row)
            positions.setdefault(constraint, []).append(str(position + 1))
        names = []
        for constraint, numbers in positions.items():
            *first, last = numbers
            names.append(f"rows {', '.join(first)} and {last}{constraint}" if first else f"row {last}{constraint}")
        return names

    def constraint_of_row(self, row: int) -> str:
        """Joint or constraint of a constraint equation."""
        if row in self.joint_of_row:
            return self.joint_of_row[row]
        return next((name for name, part in self.constraints.items() if row in part.rows), "")

    def _place_of_row(self, row: int) -> tuple[int, str]:
        for name, part in self.constraints.items():
            found = np.argwhere(part.rows == row)
            if len(found):
                place, position = found[0]
                instance = f" of element '{part.element}', instance {part.instances[place]}" if part.is_array else ""
                return int(position), f" of constraint '{name}'{instance}"
        return row, ""

    def storage_name(self, entry: int) -> str:
        """Name of an entry of the configuration."""
        if entry >= self.node_storage:
            return self.angle_name(entry - self.node_storage)
        node = next(n for n in self.nodes if n.storage.start <= entry < n.storage.stop)
        index, part = divmod(entry - node.storage.start, node.type.storage)
        return f"stored component {part} of node '{node.name}{f'[{index}]' if node.is_array else ''}'"

    def angle_name(self, number: int) -> str:
        """Name of an unwrapped angle, by its number in a configuration."""
        owners = zip(self.elements, self.instances, self.unwrapped_places, strict=True)
        element, instances, places = next(o for o in owners if np.any(o[2] == self.node_storage + number))
        instance, place = (int(k) for k in np.argwhere(places == self.node_storage + number)[0])
        name = instances.names[instance] if instances.names else ""
        is_own = element.name == self.name
        owner = f"'{name or self.name}'" if name or is_own else f"element '{element.name}', instance {instance}"
        return f"angle {place} over turns of {owner}"

    def velocity_name(self, component: int) -> str:
        """Name of a velocity component."""
        node = self._node_of(component)
        index, part = divmod(component - node.velocity.start, node.type.dimension)
        what = "velocity" if node.type.velocities else "algebra"
        return f"{what} component {part} of node '{node.name}{f'[{index}]' if node.is_array else ''}'"

    def node_name(self, component: int) -> str:
        """Node of a velocity component, with its index in an array."""
        node = self._node_of(component)
        index = (component - node.velocity.start) // node.type.dimension
        return f"{node.name}[{index}]" if node.is_array else node.name

    def body_of(self, component: int) -> str:
        """Body of a velocity component; empty if it belongs to none."""
        name = self._node_of(component).name
        element, _ = self.named_instances.get(name, (-1, 0))
        is_body = element >= 0 and {"mass", "inertia"} <= set(self.instances[element].parameter_names)
        return name if is_body else ""

    def _node_of(self, component: int) -> NodeSlice:
        return next(n for n in self.nodes if n.velocity.start <= component < n.velocity.stop)

    def entry_name(self, entry: int) -> str:
        """Name of an entry of the residual of an implicit step: a velocity component, or a constraint equation, which
        may occur twice."""
        if entry < self.dimension:
            return self.velocity_name(entry)
        return self.row_name((entry - self.dimension) % self.rows)
