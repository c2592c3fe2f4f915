"""Arrays of nodes on one group, and curves through nodes; their sizes are run-time data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError, UnknownFieldError
from symlie.groups.classical.coordinates import group_of_rotations
from symlie.groups.group import Field, LieGroup
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.groups.rotation_parameters import parametrised_rotation, starting_storage
from symlie.modeling.names import identifier, new_name
from symlie.modeling.units import si_units
from symlie.rotations import with_rotations
from symlie.utilities.number_checks import is_number, is_whole_number
from symlie.utilities.showing import Brief, line


@dataclass(eq=False, repr=False)
class NodeReference:
    """One node of an array."""

    array: NodeArray
    index: int

    def __repr__(self) -> str:
        return f"{self.array.name}[{self.index}]"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            fields = [f.name for f in (*self.array.group.storage_fields, *self.array.group.velocity_fields)]
            if name not in fields:
                raise AttributeError(f"{self!r}, a node of an array, has no attribute '{name}'.")
            raise UnknownFieldError(
                f"{self!r} is a node of an array, whose fields cannot appear in expressions: define forces, energies "
                f"and outputs in an ElementType with such a node, and add it with model.add(element, [{self!r}]); "
                f"solution.field('{self.array.name}', '{name}') returns the results, and rod.end_load(…) adds loads "
                "at the ends of rods."
            )


@dataclass(frozen=True, eq=False)
class Quantity:
    """Initial quantity that replaces a field of an array, with its number of components and the function for the
    field."""

    field: Field
    size: int
    function: Callable[..., object]
    arguments: tuple[str, ...]


class NodeArray:
    """An array of nodes on the same group: ``array[k]``, ``array.fix(0)``, ``array.initial(x=...)``."""

    def __init__(self, name: str, group: ConfigurationSpace, count: int) -> None:
        self.name, self.group, self.count = name, group, count
        self.fixed = np.zeros(count, dtype=bool)
        self.storage = np.tile(np.array([float(c) for c in starting_storage(group)]), (count, 1))
        self.velocity = np.zeros((count, group.dimension))
        self._spin: NDArray[np.float64] | None = None
        self.storage_given = np.zeros(group.storage_dimension, dtype=bool)
        self.velocity_given = np.zeros(group.dimension, dtype=bool)
        self.outputs: list[tuple[str, str, str]] = []
        self.quantities: dict[str, Quantity] = {}

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> NodeReference:
        if not is_whole_number(index):
            raise ModelError(f"Nodes of array '{self.name}' are numbered; {index!r} is not the index of a node.")
        if not -self.count <= index < self.count:
            raise ModelError(f"Node array '{self.name}' has {self.count} nodes; there is no index {index}.")
        return NodeReference(self, int(index) % self.count)

    def __iter__(self) -> Iterator[NodeReference]:
        return (NodeReference(self, k) for k in range(self.count))

    def __repr__(self) -> str:
        return line("NodeArray", [self.name, str(self.group), f"{self.count} nodes"])

    def fix(self, *indices: int) -> None:
        """Fix nodes at their initial configuration.

        Parameters
        ----------
        *indices
            Indices of the nodes; negative ones count from the end.
        """
        if not self.group.velocity_dimension:
            raise ModelError(
                f"Nodes of '{self.name}' on {self.group} move by their field only; they cannot be clamped."
            )
        for index in indices:
            self.fixed[self[index].index] = True

    def output(self, name: str, field: str, unit: str = "") -> None:
        """Report a configuration field of all nodes that are not fixed as a named output.

        Parameters
        ----------
        name
            Identifier; values have the shape ``(times, nodes, *field shape)``.
        field
            Name of the field, such as ``x``.
        unit
            Its SI unit.
        """
        new_name("Output", name, {output for output, *_ in self.outputs}, self.name)
        known = [f.name for f in self.group.storage_fields]
        if field not in known:
            raise ModelError(f"Node array '{self.name}' has no field '{field}' to report; it has: {', '.join(known)}.")
        size = next(f.size for f in self.group.storage_fields if f.name == field)
        si_units(f"Fields of node array '{self.name}'", unit, size)
        self.outputs.append((name, field, unit))

    def initial(self, **fields: object) -> None:
        """Set initial values by field: an array (count × components), one value for all, or a function of the index.

        Parameters
        ----------
        **fields
            Values by name of a storage field (``p``, ``x``, ``R``) or velocity field (``Omega``, ``U``); ``rotation``
            is an alias of the field that stores a rotation and accepts a `rotation`. For nodes with rotation
            parameters, ``Omega`` determines their rates.
        """
        known = {f.name: (f, self.storage, self.storage_given) for f in self.group.storage_fields}
        known |= {f.name: (f, self.velocity, self.velocity_given) for f in self.group.velocity_fields}
        turned = parametrised_rotation(self.group)
        if turned is not None:
            spin = np.zeros((self.count, 3))
            known["Omega"] = (Field("Omega", 0, (3,)), spin, self.velocity_given[turned.part])
            rates = f"{turned.parameters.field}_dot"
            if {"Omega", rates} <= set(fields):
                raise ModelError(f"The initial velocity of '{self.name}' is given twice, as Omega and as {rates}.")
            if "Omega" in fields or rates in fields:
                self._spin = spin if "Omega" in fields else None
        shapes = {f.name: f.shape for f in self.group.storage_fields}
        values = {n: [v(k) for k in range(self.count)] if callable(v) else v for n, v in fields.items()}
        for name, value in with_rotations(f"Node array '{self.name}' on {self.group}", shapes, values).items():
            if name not in known:
                raise ModelError(f"Node array '{self.name}' has no field '{name}'; it has: {', '.join(known)}.")
            entry, target, given = known[name]
            try:
                block = np.asarray(value, dtype=float)
                block = np.broadcast_to(
                    block.reshape(-1, entry.size) if block.size else block, (self.count, entry.size)
                )
            except (TypeError, ValueError) as error:
                raise ModelError(
                    f"Initial {self.name}.{name} needs {self.count} × {entry.size} numbers, not {np.shape(value)}."
                ) from error
            part = slice(entry.offset, entry.offset + entry.size)
            if not np.all(np.isfinite(block)):
                raise ModelError(f"Initial {self.name}.{name} is not finite.")
            target[:, part] = block
            given[part] = True
        if turned is not None and self._spin is not None:
            matrices = [turned.parameters.rates_by_spin(rho) for rho in self.storage[:, turned.part]]
            self.velocity[:, turned.part] = np.einsum("nij,nj->ni", matrices, self._spin)
            self.velocity_given[turned.part] = True

    def initial_quantity(self, name: str, field: str, function: Callable[..., object], size: int | None = None) -> None:
        """Define a quantity that may replace a field as initial value, such as angular velocities instead of momenta.

        Parameters
        ----------
        name
            Identifier: ``system.with_initial(array, NAME=...)``, ``--init NAME=...``.
        field
            Field that is computed.
        function
            NumPy function that computes the field for all nodes, shape (count, components), at the start of a run. Its
            arguments are passed by name: the quantity, shape (count, size); fields of the array, shape (count,
            components); parameters of the model in their shapes; and parameters of element types, shape (instances,),
            or (instances, components) if they are not scalars.
        size
            Components of the quantity for each node; default: the number of components of the field.

        Raises
        ------
        ModelError
            If the name or the size is not usable, or if the function does not accept these arguments.
        """
        identifier("Quantity", name)
        known = {f.name: f for f in (*self.group.storage_fields, *self.group.velocity_fields)}
        if field not in known:
            raise ModelError(f"Node array '{self.name}' has no field '{field}' to compute; it has: {', '.join(known)}.")
        if name in known or name in self.quantities:
            raise ModelError(f"Node array '{self.name}' already has an initial quantity '{name}'; choose another name.")
        try:
            arguments = inspect.signature(function).parameters.values()
        except (TypeError, ValueError) as error:
            raise ModelError(f"'{self.name}.{field}' needs a Python function of {name}, not {function!r}.") from error
        names = tuple(a.name for a in arguments if a.kind is a.POSITIONAL_OR_KEYWORD)
        if name not in names or len(names) < len(arguments):
            raise ModelError(f"The function that computes '{self.name}.{field}' needs named arguments, such as {name}.")
        components = known[field].size if size is None else size
        if not is_whole_number(components) or components < 1:
            raise ModelError(f"Quantity '{name}' of '{self.name}' needs at least one component, not {size!r}.")
        self.quantities[name] = Quantity(known[field], int(components), function, names)


@dataclass(frozen=True, repr=False)
class StatedCurve(Brief):
    """Nodes along a curve, as names and indices, with their arc lengths in m."""

    name: str
    places: tuple[tuple[str, int], ...]
    arc: tuple[float, ...]
    end_rotations: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    """Rotation vectors from the first and the last node to the curve, in rad; empty for the rotation of the node."""


def stated_curve(
    name: str,
    places: Sequence[tuple[str, int]],
    spaces: Sequence[ConfigurationSpace],
    arc: Iterable[float],
    end_rotations: tuple[tuple[float, ...], tuple[float, ...]] = ((), ()),
) -> StatedCurve:
    """Return a curve through nodes; raise `ModelError` for inconsistent nodes, arc lengths (m) or end rotations
    (rad)."""
    identifier("Curve", name)
    lengths = list(arc)
    if len(places) < 2 or len(lengths) != len(places):
        raise ModelError(
            f"Curve '{name}' needs at least two nodes and an arc length for each, not {len(places)} nodes and "
            f"{len(lengths)} lengths."
        )
    if len(set(spaces)) > 1 or not isinstance(spaces[0], LieGroup):
        raise ModelError(
            f"The nodes of curve '{name}' must be on one Lie group; they are on {', '.join(map(str, set(spaces)))}."
        )
    if not (all(is_number(s) for s in lengths) and np.all(np.isfinite(lengths)) and np.all(np.diff(lengths) > 0)):
        raise ModelError(f"The arc lengths of curve '{name}' must be increasing numbers.")
    velocities = group_of_rotations(spaces[0]).velocity_fields
    turning = next((f.size for f in velocities if f.name == "Omega"), 0)
    for vector in filter(None, end_rotations):
        if len(vector) != turning or not np.all(np.isfinite(vector)):
            raise ModelError(
                f"A rotation at an end of curve '{name}' on {spaces[0]} needs {turning} finite numbers, not {vector}."
            )
    return StatedCurve(name, tuple(places), tuple(map(float, lengths)), end_rotations)
