"""Connections between two bodies: markers from the initial configuration, and an element."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from symlie.contract.connections import ConnectionLayout, Part
from symlie.elements.joints.frames import SIDES, Frame, frame_of_numbers
from symlie.elements.marker import (
    Connectable,
    Marker,
    axes_along,
    body_name,
    group_of,
    node_of,
    on_body,
    same_body,
)
from symlie.elements.placement import Array, body_dimension
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.modeling.element_type import ElementType
from symlie.modeling.expressions import vector
from symlie.modeling.model import Model
from symlie.modeling.node_array import NodeReference
from symlie.modeling.symbolic import Expression, SymbolicMatrix
from symlie.utilities.showing import line

Points = ArrayLike
"""One point or axis, or two for kinds that need two."""


class Connection(ABC):
    """Base of joints and forces between two bodies: a marker on each body, and an element."""

    word: ClassVar[str] = "connection"
    kind: ClassVar[str] = ""
    has_axis: ClassVar[bool] = False
    has_two_points: ClassVar[bool] = False
    parameters: Mapping[str, tuple[object, str]] = MappingProxyType({})
    parameter_values: Mapping[str, object] = MappingProxyType({})

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        at: Points | None,
        axis: Points | None = None,
    ) -> None:
        self.model: Model = model
        self.name: str = name
        self.markers: tuple[Marker, Marker] = self._markers((body_a, body_b), at, axis)
        self._stated: tuple[Frame, Frame] | None = None

    def __repr__(self) -> str:
        return line(type(self).__name__, [self.name, " to ".join(body_name(m.body) for m in self.markers)])

    @property
    def _size(self) -> int:
        return len(self.markers[0].point)

    @property
    def _called(self) -> str:
        return f"{self.word} '{self.name}'"

    @property
    def _subject(self) -> str:
        called = self._called
        return called[0].upper() + called[1:]

    def _kind(self) -> str:
        """Return the name of the connection type, the prefix of the name of the element type."""
        return self.kind

    @property
    def _appearance(self) -> tuple[Part, ...]:
        """Parts that views draw instead of a line."""
        return ()

    def _values(self) -> dict[str, object]:
        """Return the values of the parameters other than markers."""
        return dict(self.parameter_values)

    @abstractmethod
    def _state(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> None:
        """Define the element type between two frames."""

    def _points(self, size: int, at: object) -> tuple[Array, Array]:
        """Return the checked points of both markers in inertial axes."""
        shape = (2, size) if self.has_two_points else (size,)
        try:
            place = np.asarray(at, dtype=float)
        except (TypeError, ValueError) as error:
            raise ModelError(f"The point of {self._called} must consist of numbers, not {at!r}.") from error
        if place.shape != shape or not np.all(np.isfinite(place)):
            needed = " × ".join(map(str, shape))
            raise ModelError(f"{self._subject} needs at= with {needed} finite numbers, not {at!r}.")
        return (place[0], place[1]) if self.has_two_points else (place, place)

    def _axes(self, size: int, axis: object) -> tuple[Array, Array]:
        """Return the checked axes of both markers in inertial axes, as columns."""
        if self.has_axis and axis is None and size == 3:
            raise ModelError(f"{self._subject} needs its axis: axis=[…] in inertial axes.")
        if not self.has_axis and axis is not None:
            raise ModelError(f"{self._subject} is a {type(self).__name__}, which has no axis.")
        axes = axes_along(self._called, size, axis)
        return axes, axes

    def _markers(self, sides: Sequence[Connectable], at: object, axis: object) -> tuple[Marker, Marker]:
        """Return markers on both bodies, as given or from the initial configuration."""
        bodies = [side.body if isinstance(side, Marker) else side for side in sides]
        first, second = bodies
        if same_body(first, second):
            raise ModelError(f"{self._subject} joins {body_name(first)} with itself.")
        sizes = {body_dimension(g) for b in bodies if (g := group_of(b)) is not None}
        if len(sizes) > 1:
            raise ModelError(f"{self._subject} joins a body in the plane with one in space.")
        size = sizes.pop()
        assert size is not None
        given = [side for side in sides if isinstance(side, Marker)]
        if given and not (at is None and axis is None):
            raise ModelError(f"{self._subject} is defined by markers; do not also give at or axis.")
        if len(given) == 2:
            return given[0], given[1]
        if given:
            point, axes = given[0].placed(self.model)
            point_and_axes = [(point, axes), (point, axes)]
        else:
            if at is None:
                raise ModelError(f"{self._subject} needs its point, at=[…] in inertial axes, or markers.")
            point_and_axes = list(zip(self._points(size, at), self._axes(size, axis), strict=True))
        markers = [
            side if isinstance(side, Marker) else on_body(self.model, side, *found)
            for side, found in zip(sides, point_and_axes, strict=True)
        ]
        return markers[0], markers[1]

    def _initial_frames(self) -> tuple[Frame, Frame]:
        """Return the frames in the initial configuration as numbers."""
        first, second = (frame_of_numbers(*m.placed(self.model)) for m in self.markers)
        return first, second

    def _add(self) -> None:
        """Add the element; each pair of groups has one element type."""
        groups: list[LieGroup | None] = [group_of(m.body) for m in self.markers]
        name = "_".join([self._kind(), *("ground" if g is None else g.name for g in groups)])
        known = next((i.element for i in self.model.instances if i.element.name == name), None)
        element = self._element(name, groups) if known is None else known
        values = self._values()
        for side, marker in zip(SIDES, self.markers, strict=True):
            values |= {f"point_{side}": marker.point, f"axes_{side}": marker.axes}
        nodes = tuple(n for m in self.markers if (n := node_of(m.body)) is not None)
        self.model.add(element, [nodes], names=self.name, **values)
        self._instances = next(i for i in self.model.instances if i.element is element)
        self._block = len(self._instances.parameters) - 1
        first, second = groups
        bodies = -1 if first is None else 0, -1 if second is None else len(nodes) - 1
        self._instances.connection = ConnectionLayout(bodies, self._appearance)

    def _restate(self) -> None:
        """Move the element to the type of its present definition, whose first parameters are those of the former."""
        former, block = self._instances, self._block
        values, sources = former.parameters[block], former.sources[block]
        for of_instances in (former.nodes, former.parameters, former.sources, former.labels, former.names):
            del of_instances[block]
        if not former.nodes:
            self.model.instances.remove(former)
        for other in self.model.joints:
            if isinstance(other, Connection) and other._instances is former and other._block > block:
                other._block -= 1
        self.model._instance_names.discard(self.name)
        self._add()
        part = (0, slice(0, values.shape[1]))
        self._instances.parameters[self._block][part], self._instances.sources[self._block][part] = (
            values[0],
            sources[0],
        )

    def _element(self, name: str, groups: Sequence[LieGroup | None]) -> ElementType:
        element = ElementType(name, **{s: g for s, g in zip(SIDES, groups, strict=True) if g is not None})
        first, second = element_frames(element, self._size)
        values = {
            label: element.parameter(label, default, unit=unit) for label, (default, unit) in self.parameters.items()
        }
        self._state(element, first, second, values)
        return element

    def _frames(self) -> tuple[Frame, Frame]:
        """Return the frames as expressions of the model; the first call makes the markers parameters of the model."""
        if self._stated is None:
            self._stated = self._share_markers()
        return self._stated

    def _share_markers(self) -> tuple[Frame, Frame]:
        """Make the markers of the element model parameters, and return the frames as expressions of them."""
        offsets, start = {}, 0  # of the parameters in the values of the instance
        for parameter in self._instances.element.parameters:
            offsets[parameter.name] = start
            start += len(parameter.default)
        frames = []
        for side, marker in zip(SIDES, self.markers, strict=True):
            node = node_of(marker.body)
            if isinstance(node, NodeReference):
                raise ModelError(
                    f"{self._subject} joins {node!r}, a node of an array; its coordinates are available only in "
                    "solution.outputs. Expressions need bodies that are single nodes."
                )
            stated: list[Expression] = []
            for label, value, unit in ((f"point_{side}", marker.point, "m"), (f"axes_{side}", marker.axes, "")):
                first = sum(len(p.default) for p in self.model.parameters)
                stated.append(self.model.parameter(f"{self.name}_{label}", value, unit=unit))
                part = slice(offsets[label], offsets[label] + value.size)
                self._instances.sources[self._block][0, part] = np.arange(first, first + value.size)
            frames.append(Frame(node, vector(stated[0]), SymbolicMatrix(stated[1]), self.model))
        return frames[0], frames[1]


def element_frames(element: ElementType, size: int) -> tuple[Frame, Frame]:
    """Return frames with new parameters of an element type, on its nodes ``a`` and ``b`` or on the ground."""
    nodes = {node.name.removeprefix(f"{element.name}."): node for node in element.nodes}
    frames = []
    for side in SIDES:
        point = element.parameter(f"point_{side}", np.zeros(size), unit="m")
        axes = element.parameter(f"axes_{side}", np.eye(size))
        frames.append(Frame(nodes.get(side), vector(point), SymbolicMatrix(axes), element))
    return frames[0], frames[1]
