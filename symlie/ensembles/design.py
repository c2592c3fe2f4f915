"""What the members of an ensemble differ in: values of parameters, of initial states, and of inputs."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symlie.errors import ModelError, SymlieError, UnknownNameError
from symlie.rotations import with_rotations
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.frozen_parameters import check_frozen
from symlie.runtime.system.inputs import InputTable, input_table, smooth_table
from symlie.runtime.system.parameters import changed_parameters, real_array
from symlie.runtime.system.record import model_hash
from symlie.runtime.system.system import System
from symlie.showing import line

COMBINATIONS = ("zip", "grid")
"""How values of several names become members."""

MOST_IN_MEMORY = 10**7
"""Members of a grid beyond which results must be stored."""


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """The members of an ensemble, as numbers.

    Attributes
    ----------
    system
        The system that members have in common.
    first
        Number of the first member.
    parameters
        Parameters of the model, shape (n, parameters).
    elements
        For each element type the parameters of its instances, shape (n, rows, width), or (1, rows, width) where members
        do not differ.
    initial
        Initial values by node and field, shape (n, rows, components), those of the system included.
    inputs
        Tables of inputs of each member; empty where members do not differ.
    refused
        Members with values that no system takes, with the error.
    stated
        Values as the user stated them, by name, members first.
    shape
        Lengths of the dimensions of a grid by name, or the number of members.
    """

    system: System
    first: int
    parameters: Array
    elements: tuple[Array, ...]
    initial: Mapping[tuple[str, str], Array]
    inputs: tuple[Mapping[str, InputTable], ...]
    refused: Mapping[int, SymlieError]
    stated: Mapping[str, Array]
    shape: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.parameters)

    def __repr__(self) -> str:
        return line("Design", [self.system.name, f"{len(self)} members", *self.stated])

    def member(self, row: int) -> System:
        """The system of a member, by its row.

        Raises
        ------
        SymlieError
            Its values are none that a system takes.
        """
        if row in self.refused:
            raise self.refused[row]
        return dataclasses.replace(
            self.system,
            parameters=self.parameters[row],
            element_parameters=tuple(rows[row if len(rows) > 1 else 0] for rows in self.elements),
            initial_values={key: rows[row] for key, rows in self.initial.items()},
            inputs={**self.system.inputs, **(self.inputs[row] if self.inputs else {})},
        )

    def part(self, begin: int, end: int) -> Design:
        """Some members, by their rows."""
        here = slice(begin, end)
        return dataclasses.replace(
            self,
            first=self.first + begin,
            parameters=self.parameters[here],
            elements=tuple(rows[here] if len(rows) > 1 else rows for rows in self.elements),
            initial={key: rows[here] for key, rows in self.initial.items()},
            inputs=self.inputs[here],
            refused={row - begin: error for row, error in self.refused.items() if begin <= row < end},
            stated={},
        )

    def differences(self) -> dict[str, object]:
        """The fields in which these members differ from others of the same ensemble."""
        names = ["first", "parameters", "initial", "inputs", "refused"]
        # Rows of a single member look like rows that all members share.
        if len(self) == 1 or any(len(rows) > 1 for rows in self.elements):
            names.append("elements")
        return {name: getattr(self, name) for name in names}

    @property
    def digest(self) -> str:
        """Hash of what members are apart from the values that are stated of parameters and initial states."""
        system = self.system
        found = hashlib.sha256(f"{model_hash(system)} {system.redundant} {system.backend}".encode())
        for rows in (system.parameters, *system.element_parameters):
            found.update(np.ascontiguousarray(rows).tobytes())
        for key, rows in sorted(system.initial_fields.items()):
            found.update(repr(key).encode() + np.ascontiguousarray(rows).tobytes())
        for tables in (system.inputs, *self.inputs):
            for name, table in sorted(tables.items()):
                found.update(f"{name} {table.interpolation}".encode() + table.packed.tobytes())
        if list(self.shape) != ["member"]:
            found.update(repr(dict(self.shape)).encode())
        return found.hexdigest()


def stated_design(
    system: System,
    parameters: Mapping[str, object] | None,
    initial: Mapping[str, Mapping[str, object]] | None,
    inputs: Mapping[str, object] | None,
    combine: str,
    *,
    is_stored: bool,
) -> Design:
    """The design that a user states.

    Parameters
    ----------
    system, parameters, initial, inputs, combine
        As in `symlie.ensembles.ensemble.ensemble`.
    is_stored
        Whether results have a store.

    Raises
    ------
    UnknownNameError
        There is no such parameter, node, field, input or combination.
    ModelError
        Lengths differ, or there are no members, or values do not fit.
    """
    if combine not in COMBINATIONS:
        raise UnknownNameError(f"Unknown combine '{combine}'; use one of: {', '.join(COMBINATIONS)}.")
    values: dict[str, Array] = {}
    for name, value in (parameters or {}).items():
        values[name] = _members_first(f"parameter '{name}'", value)
    fields: dict[str, tuple[str, str]] = {}
    for node, stated in (initial or {}).items():
        for field, value in _with_rotations(system, node, stated).items():
            label = f"initial.{node}.{field}"
            fields[label] = (node, field)
            values[label] = _members_first(f"initial value {node}.{field}", value)
    tables = {name: _tables(system, name, stated) for name, stated in (inputs or {}).items()}
    lengths = {name: len(rows) for name, rows in values.items()} | {name: len(t) for name, t in tables.items()}
    if not lengths or not all(lengths.values()):
        raise ModelError(
            "An ensemble needs members: give values of parameters, initial states or inputs, one for each."
        )
    if not is_stored and combine == "grid" and math.prod(lengths.values()) > MOST_IN_MEMORY:
        raise ModelError(
            f"{math.prod(lengths.values())} members do not fit into memory; give a store for their results."
        )
    rows = _rows(lengths, combine)
    count = len(next(iter(rows.values())))
    chosen: dict[str, Array] = {name: array[rows[name]] for name, array in values.items()}
    own = {name: array for name, array in chosen.items() if name not in fields}
    refused: dict[int, SymlieError] = {}
    p, elements = _with_parameters(system, own, count, refused)
    begun = {fields[name]: array for name, array in chosen.items() if name in fields}
    start = _with_initial(system, begun, p, elements, refused)
    given = tuple({name: tables[name][rows[name][k]] for name in tables} for k in range(count)) if tables else ()
    shape = dict(lengths) if combine == "grid" else {"member": count}
    return Design(system, 0, p, elements, start, given, refused, chosen, shape)


def _with_rotations(system: System, node: str, stated: Mapping[str, object]) -> Mapping[str, object]:
    """Initial values of a node with attitudes as its group stores them."""
    if node in system.layout.joints:
        return stated
    kind = system.layout.node(node).type
    return with_rotations(f"Node '{node}' on {kind.name}", {f.name: f.shape for f in kind.storage_fields}, stated)


def _members_first(what: str, value: object) -> Array:
    array = real_array(f"The values of {what}", value)
    if array.ndim == 0:
        raise ModelError(f"The values of {what} need one for each member, not the number {array}.")
    return array


def count_of(lengths: Mapping[str, int], combine: str) -> int:
    """How many members there are.

    Parameters
    ----------
    lengths
        Number of values by name.
    combine
        As in `symlie.ensembles.ensemble.ensemble`.

    Raises
    ------
    ModelError
        Rows that belong together differ in length.
    """
    if combine == "grid":
        return math.prod(lengths.values())
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise ModelError(
            f"With combine='zip' all names need one value for each member, but their numbers are: {listed}."
        )
    return next(iter(lengths.values()))


def _rows(lengths: Mapping[str, int], combine: str) -> dict[str, np.ndarray]:
    """For each name, which of its values each member has."""
    count = count_of(lengths, combine)
    if combine == "grid":
        return dict(zip(lengths, np.indices(tuple(lengths.values())).reshape(len(lengths), count), strict=True))
    return {name: np.arange(count) for name in lengths}


def _tables(system: System, name: str, stated: object) -> list[InputTable]:
    """A table of an input or a smooth table for each member: (times, values) or, of inputs, with the interpolation."""
    if not isinstance(stated, Sequence) or isinstance(stated, str | tuple):
        raise ModelError(f"Input '{name}' needs a list with a table (times, values) for each member.")
    found = []
    for k, table in enumerate(stated):
        if not isinstance(table, Sequence) or len(table) not in (2, 3):
            raise ModelError(f"Table {k} of input '{name}' must be (times, values) or (times, values, interpolation).")
        times, values, *kind = table
        if name in system.layout.tables and not kind:
            found.append(smooth_table(system.layout, name, times, values))
        else:
            found.append(input_table(system.layout, name, times, values, str(kind[0]) if kind else None))
    return found


def _with_parameters(
    system: System, values: Mapping[str, Array], count: int, refused: dict[int, SymlieError]
) -> tuple[Array, tuple[Array, ...]]:
    """Parameters of the model and of all element types, members first."""
    layout = system.layout
    own = {name: name.removeprefix(f"{layout.name}.") for name in values}
    if all(name in layout.parameters for name in own.values()) and all(s is None for s in layout.parameter_sources):
        p = np.repeat(system.parameters[None], count, axis=0)
        for name, rows in values.items():
            place = layout.parameters[own[name]][0]
            size = place.stop - place.start
            flat = rows.reshape(count, -1)
            if flat.shape[1] != size:
                raise ModelError(f"Parameter '{name}' needs {size} components for each member, not {flat.shape[1]}.")
            for k in np.flatnonzero(~np.isfinite(flat).all(axis=1)).tolist():
                refused.setdefault(k, ModelError(f"The parameter '{name}' of '{layout.name}' is not finite."))
            p[:, place] = flat
        check_frozen(layout, (system.parameters, system.element_parameters), (p, system.element_parameters))
        return p, tuple(rows[None] for rows in system.element_parameters)
    found = []
    for k in range(count):
        one = {name: rows[k] for name, rows in values.items()}
        try:
            found.append(changed_parameters(layout, system.parameters, system.element_parameters, one))
        except ModelError as error:
            # What only this member has is its own failure; what all have is the design's.
            if all(np.isfinite(rows[k]).all() for rows in values.values()):
                raise
            refused[k] = error
            found.append((system.parameters, system.element_parameters))
    counts = layout.instance_counts
    elements = []
    for j, width in enumerate(rows.shape[1] for rows in system.element_parameters):
        parts = [rows[j] for _, rows in found]
        most = max(len(part) for part in parts)
        shared = most if most == 1 else counts[j]
        elements.append(np.array([np.broadcast_to(part, (shared, width)) for part in parts]))
    return np.array([p for p, _ in found]), tuple(elements)


def _with_initial(
    system: System,
    values: Mapping[tuple[str, str], Array],
    p: Array,
    elements: tuple[Array, ...],
    refused: dict[int, SymlieError],
) -> dict[tuple[str, str], Array]:
    """Initial values by field, members first: quantities, rotations and joints are computed for each."""
    count, layout = len(p), system.layout
    is_plain = len(system.initial_fields) == len(system.initial_values) and all(
        key not in layout.joints and field in {f.name for f in layout.node(key).type.fields} for key, field in values
    )
    known = {key: np.asarray(rows, dtype=float) for key, rows in system.initial_fields.items()}
    if is_plain:
        found = {key: np.repeat(rows[None], count, axis=0) for key, rows in known.items()}
        for (node, field), rows in values.items():
            part = layout.node(node)
            size = next(math.prod(f.shape) for f in part.type.fields if f.name == field)
            if rows.size not in (count * size, count * part.count * size):
                given = rows.size // count
                raise ModelError(
                    f"The initial value {node}.{field} needs {size} components for each member, not {given}."
                )
            found[node, field] = rows.reshape(count, -1, size)
            for k in np.flatnonzero(~np.isfinite(found[node, field]).all(axis=(1, 2))).tolist():
                refused.setdefault(k, ModelError(f"The initial value {node}.{field} of '{layout.name}' is not finite."))
        return found
    stated: list[Mapping[tuple[str, str], Array]] = []
    by_node: dict[str, dict[str, Array]] = {}
    for (node, field), rows in values.items():
        by_node.setdefault(node, {})[field] = rows
    for k in range(count):
        one = dataclasses.replace(
            system, parameters=p[k], element_parameters=tuple(rows[k if len(rows) > 1 else 0] for rows in elements)
        )
        try:
            for node, of_node in by_node.items():
                one = one.with_initial(node, **{field: rows[k] for field, rows in of_node.items()})
            stated.append(one.initial_fields)
        except UnknownNameError:
            raise
        except SymlieError as error:
            refused.setdefault(k, error)
            stated.append({})
    keys = next((fields.keys() for fields in stated if fields), known.keys())
    none = next((fields for fields in stated if fields), known)
    return {key: np.array([np.asarray((fields or none)[key], dtype=float) for fields in stated]) for key in keys}
