"""Continuum in one material coordinate: densities, boundary conditions, and elements on a grid."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Integer

from symlie.elements.continua.cross_section import END_ROTATIONS
from symlie.elements.continua.densities import Densities, Load
from symlie.elements.continua.discretization import PLACE, Restated, act, section_type
from symlie.elements.continua.element_types import ElementTypes
from symlie.elements.continua.ends import ENDS, Ends, Held
from symlie.elements.continua.grid import QUADRATURES, Array, Grid, grid, numbers
from symlie.elements.continua.initial_fields import InitialFields
from symlie.elements.continua.joined import frame
from symlie.elements.placement import BodyNode
from symlie.elements.rod_values import is_symbolic, stated_in_type
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.modeling.element_type import ElementType
from symlie.modeling.model import Model
from symlie.modeling.node_array import NodeArray
from symlie.modeling.symbolic import Expression
from symlie.options import End, Quadrature
from symlie.utilities.showing import line

if TYPE_CHECKING:
    from symlie.derive.continuum_equations import ContinuumEquations


class Continuum(Densities):
    """A continuum q(s, t) on a Lie group, defined by densities of energies, forces and constraints.

    Source: [Hante2022], sections 2 to 4.

    Parameters
    ----------
    model
        The model.
    name
        Name of the node array; the element types are called NAME_segment and NAME_section.
    group
        Group of the configurations, such as ``sl.SE2`` or ``"R3"``.
    length
        Length in the material coordinate, from s = 0, in m; omitted if `discretize` receives coordinates.
    unit
        Unit of the coordinates of Rⁿ, as in `Model.node`.
    coordinates
        Storage of the rotations of nodes, as in `Model.node`; default: the storage of the group.

    Attributes
    ----------
    name
        As given.
    group
        Group of the configurations, strains and velocities.
    space
        Space of the nodes: the group, or rotation parameters of it.
    nodes
        Nodes that the continuum added to the model: all except those it is joined to.
    along
        All nodes from start to end; a closed continuum repeats the first one at the end.
    segment, section
        Element types of segments and of cross sections.
    lengths
        Length of each segment, in m.
    ends, end_loads
        Boundary conditions and loads at the ends.
    end_rotations
        Rotation vectors from the nodes that the start and the end are joined to, in rad; empty without an angle.

    Examples
    --------
    >>> import symlie as sl
    >>> model = sl.Model("string")
    >>> string = sl.Continuum(model, "string", "R3", length=1.0)
    >>> string.kinetic_density(0.01 * string.v.dot(string.v) / 2)
    >>> string.potential_density(50 * (string.w.norm() - 0.9) ** 2)
    >>> string.clamp("start", "end")
    >>> string.initial(x=lambda s: (s, 0, 0))
    >>> string.discretize(16)
    """

    def __init__(
        self,
        model: Model,
        name: str,
        group: LieGroup | str,
        length: float | Sequence[float] | None = None,
        unit: str = "",
        coordinates: str | None = None,
    ) -> None:
        super().__init__(name, group, unit, coordinates)
        self.model = model
        self._length = length
        whole = numbers(f"The length of {self._lower} is a number", 1.0 if length is None else length)
        if whole.ndim == 0 and not whole > 0:
            raise ModelError(f"The length of {self._lower} is {length}; it must be positive.")
        self.ends = Ends(self._lower)
        self._initial: dict[str, object] = {}
        self._load_types = itertools.count(1)
        self.end_loads: list[tuple[str, Load]] = []
        self._grid: Grid | None = None

    def derive(self) -> ContinuumEquations:
        """Return the continuous equations of the present densities, with natural boundary conditions; displayed as
        LaTeX."""
        from symlie.api import derive_continuum

        return derive_continuum(self)

    def __repr__(self) -> str:
        if self._grid is None:
            return line("Continuum", [self.name, str(self.space)])
        size = f"{len(self.lengths)} segments on {self.space}, {sum(self.lengths):.6g} m"
        return line(type(self).__name__, [self.name, size])

    def __getitem__(self, index: int) -> BodyNode:
        if self._grid is None:
            raise ModelError(f"{self._what} has no nodes yet; call discretize(segments) first.")
        if not -len(self.along) <= index < len(self.along):
            raise ModelError(f"{self._what} has {len(self.along)} nodes; there is no index {index}.")
        return self.along[index]

    def _check_open(self) -> None:
        if self._grid is not None:
            raise ModelError(
                f"{self._what} is discretized already; define its densities and parameters before discretize."
            )

    def clamp(self, *ends: End) -> None:
        """Fix ends in their initial configuration.

        Parameters
        ----------
        *ends
            ``"start"``, ``"end"`` or both.
        """
        for end in ends:
            self._hold(end, Held("clamped"))

    def prescribe(self, end: End, **fields: object) -> None:
        """Prescribe the motion of an end.

        Parameters
        ----------
        end
            ``"start"`` or ``"end"``.
        **fields
            Every storage field as a function of time, as in `Model.prescribe`.
        """
        self._hold(end, Held("prescribed", motion=fields))

    def join(self, end: End, node: BodyNode) -> None:
        """Join an end to a node of the model, such as the end of another continuum.

        If `initial` gives the end another rotation than the node, the rotation between both remains constant.

        Parameters
        ----------
        end
            ``"start"`` or ``"end"``.
        node
            A node on the same group.
        """
        self._check_open()
        self._hold(end, Held("joined", node))

    def close(self) -> None:
        """Join the end of the last segment to the first node."""
        self._check_open()
        if self.ends.node("end") is not None:
            raise ModelError(f"{self._what} is closed and cannot end at another node; omit 'last' or 'closed'.")
        self._hold("end", Held("closed"))

    def _bound(self, first: BodyNode | None, last: BodyNode | None, *, closed: bool) -> None:
        """Join ends to existing nodes, or the end to the start."""
        ends: tuple[tuple[End, BodyNode | None], ...] = (("start", first), ("end", last))
        for end, node in ends:
            if node is not None:
                self.join(end, node)
        if closed:
            self.close()

    def _hold(self, end: str, held: Held) -> None:
        self.ends.hold(end, held)
        if self._grid is not None:
            self.ends.apply(self.model, end, self.along[ENDS[end]])

    def _add_load(self, load: Load) -> None:
        super()._add_load(load)
        if self._grid is not None:
            name = f"{self.name}_load{next(self._load_types)}"
            self._add_sections(
                lambda ends: section_type("_".join((name, *ends)), self, [load], loads_alone=True, end="".join(ends))
            )

    def end_load(
        self,
        end: End,
        vector: object | None = None,
        *,
        force: object | None = None,
        moment: object | None = None,
        following: bool = False,
        **fields: object,
    ) -> None:
        """Add a force F at an end; the section force is then G = F at the end, or G = -F at the start.

        Parameters
        ----------
        end
            ``"start"`` or ``"end"``.
        vector, **fields
            A generalised force, as in `force_density`, in N and N m; or instead
        force, moment, following
            A force and a moment, as in `load`, in N and N m.

        Raises
        ------
        ModelError
            If it is not a force on such a cross section, or if the end is clamped or prescribed and therefore has no
            natural boundary condition.
        """
        known = self.ends.known(end)
        if not self.ends.is_free(known):
            raise ModelError(
                f"The {known} of {self._lower} is {self.ends.held[known].how}: it has no natural boundary condition, "
                "so no load can act there."
            )
        if force is None and moment is None:
            what = f"load at the {known}, a force by the natural boundary condition there,"
            load = self._generalized_load(what, vector, fields)
        elif vector is None and not fields:
            load = self._spatial_load("load at an end", force, moment, following=following)
        else:
            raise ModelError(f"A load at the {known} of {self._lower} is a generalised force, or a force and a moment.")
        self.end_loads.append((known, load))
        if self._grid is not None:
            self._add_end_load(known, load)

    def _add_end_load(self, end: str, load: Load) -> None:
        number = sum(e == end for e, _ in self.end_loads[: self.end_loads.index((end, load))]) + 1
        element = ElementType(f"{self.name}_{end}_load{number if number > 1 else ''}", node=self.space)
        restated = Restated(self, element, load.expressions)
        rotation = self.end_rotations[end]
        section = frame(element, element.node, end if rotation else "")
        values = restated.at(section.q, section.v, s=restated.place)
        act(element, section, load, restated, values, Integer(1))
        arc = self._arc_of_nodes[[ENDS[end]]]
        here = (end,) if rotation else ()
        self._add_instances(lambda _: element, [(self.along[ENDS[end]],)], [here], arc, arc)

    def initial(self, **fields: object) -> None:
        """Set initial values by field.

        Parameters
        ----------
        **fields
            Values by name of a storage or velocity field, as in `NodeArray.initial`: one value for all nodes, an array
            over all nodes or over the nodes that the continuum adds, or a function of s. Rotations at joined ends that
            are specified before `discretize` define the angles between the ends and their nodes.
        """
        self._initial |= fields
        if self._grid is not None:
            self._set_initial(fields)

    def _set_initial(self, fields: Mapping[str, object]) -> None:
        self.nodes.initial(**self._stated_initially(fields).of_own_nodes())

    def _stated_initially(self, fields: Mapping[str, object]) -> InitialFields:
        own = slice(self._first, self._first + len(self.nodes))
        return InitialFields(self.name, self.group, fields, self._arc_of_nodes, own)

    def discretize(self, segments: int | Sequence[float], quadrature: Quadrature = "midpoint") -> None:
        """Add nodes, cross sections and segments to the model.

        Parameters
        ----------
        segments
            Number of segments, or the coordinates s_0 < … < s_K of the nodes, in m.
        quadrature
            Quadrature of U and of the dissipated power over a segment, on which w = θ/Δs is constant: ``"midpoint"``,
            ``"trapezoid"`` or ``"simpson"``; T and forces are lumped at nodes by the trapezoidal rule.

        Raises
        ------
        ModelError
            If the quadrature is unknown, if a length is not positive, if the segments are too few, or without a kinetic
            density.
        """
        self._check_open()
        if quadrature not in tuple(QUADRATURES):
            raise ModelError(
                f"Unknown quadrature {quadrature!r} for {self._lower}; use one of: {', '.join(QUADRATURES)}."
            )
        if not self.kinetic:
            raise ModelError(f"{self._what} has no kinetic density; define it first.")
        found, types = grid(self._lower, segments, self._length), self._types(quadrature)
        self._place(found)
        self._add_elements(types)

    def _types(self, quadrature: Quadrature) -> ElementTypes:
        """Return the element types of cross sections and segments."""
        types = ElementTypes(self, quadrature)
        types.section()
        types.segment()
        return types

    def _place(self, found: Grid) -> None:
        """Add the nodes, their initial values and boundary conditions."""
        segments = len(found.lengths)
        first, last, closed = self.ends.node("start"), self.ends.node("end"), self.ends.is_closed
        shared_end = closed or last is not None
        least = 1 + (shared_end and (closed or first is not None))
        if segments < least:
            raise ModelError(f"{self._what} needs at least {least} segment{'s' * (least > 1)}, not {segments}.")
        nodes = self.model.node_array(self.name, self.space, segments + 1 - (first is not None) - shared_end)
        along: list[BodyNode] = [nodes[k] for k in range(len(nodes))]
        if first is not None:
            along.insert(0, first)
        if closed:
            along.append(along[0])
        elif last is not None:
            along.append(last)
        self._grid = found
        self._first = int(first is not None)
        self._arc_of_nodes = found.arc
        self.nodes: NodeArray = nodes
        self.along: tuple[BodyNode, ...] = tuple(along)
        self.lengths: Array = found.lengths
        self._set_initial(self._initial)
        stated = self._stated_initially(self._initial)
        self.end_rotations: dict[str, tuple[float, ...]] = {
            end: stated.rotation_from(self.model, self.along[k], k) if self.ends.is_joined(end) else ()
            for end, k in ENDS.items()
        }
        for end in self.ends.held:
            self.ends.apply(self.model, end, self.along[ENDS[end]])

    def _add_elements(self, types: ElementTypes) -> None:
        """Add the instances of cross sections and segments, and loads at ends."""
        assert self._grid is not None
        self.types = types
        self.section: ElementType = types.section()
        self.segment: ElementType = types.segment()
        self._add_sections(types.section)
        ends = self._ends_at(len(self.lengths))
        pairs = [*itertools.pairwise(self.along)]
        self._add_instances(types.segment, pairs, ends, self._grid.middle, self._grid.arc[:-1], length=self.lengths)
        self.model.curve(self.name, self.along, self._grid.arc, **self._rotations(tuple(ENDS)))
        for end, load in self.end_loads:
            self._add_end_load(end, load)

    def _add_sections(self, type_at: Callable[[tuple[str, ...]], ElementType]) -> None:
        assert self._grid is not None
        ends = self._ends_at(len(self.along))
        nodes = [(node,) for node in self.along]
        self._add_instances(type_at, nodes, ends, self._grid.arc, self._grid.arc, weight=self._grid.weights)

    def _ends_at(self, count: int) -> list[tuple[str, ...]]:
        """Return, for each of ``count`` positions along the continuum, the ends there that are joined at an angle."""
        at = {"start": 0, "end": count - 1}
        return [tuple(end for end in ENDS if self.end_rotations[end] and at[end] == k) for k in range(count)]

    def _rotations(self, ends: Sequence[str]) -> dict[str, tuple[float, ...]]:
        """Return the values of the rotation parameters of some ends."""
        return {END_ROTATIONS[end]: self.end_rotations[end] for end in ends if self.end_rotations[end]}

    def _add_instances(
        self,
        type_at: Callable[[tuple[str, ...]], ElementType],
        nodes: Sequence[tuple[BodyNode, ...]],
        ends: Sequence[tuple[str, ...]],
        arc: Array,
        places: Array,
        **of_grid: Array,
    ) -> None:
        """Add instances of the element types for their positions: at an end with an angle, or elsewhere."""
        for here in sorted(dict.fromkeys(ends), key=len):
            which = [k for k, found in enumerate(ends) if found == here]
            element = type_at(here)
            values = self._values(element, arc, places, which) | self._rotations(here)
            values |= {name: rows[which, None] for name, rows in of_grid.items()}
            self.model.add(element, [nodes[k] for k in which], **values)

    def _values(self, element: ElementType, arc: Array, places: Array, which: Sequence[int]) -> dict[str, Any]:
        """Return the values of an element type's parameters, including the positions of its instances."""
        names = {p.name: len(p.default) for p in element.parameters}
        found: dict[str, Any] = {n: self._rows(n, arc, which, size) for n, size in names.items() if n in self.values}
        return found | ({PLACE: places[which, None]} if PLACE in names else {})

    def _stated(self, name: str, value: object, rows: Array, unit: str) -> Expression:
        """Return expressions of model parameters as given, and numbers as a new parameter of the densities."""
        if is_symbolic(value):
            return stated_in_type(value)
        symbols = self.parameter(name, rows[0], unit=unit)
        self.values[name] = rows
        return symbols

    def _rows(self, name: str, arc: Array, which: Sequence[int], size: int) -> object:
        """Return the value of a parameter for all positions, or one row for each of some positions."""
        value = self.values[name]
        if callable(value):
            return np.array([np.ravel(np.asarray(value(s), dtype=float)) for s in arc[which]])
        rows = np.asarray(value, dtype=object)
        if len(which) == len(arc) or rows.size == size or len(rows) != len(arc):
            return value
        return [rows[k] for k in which]
