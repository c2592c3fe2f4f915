"""Design of an ensemble: values of parameters, initial states and inputs of its members."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from symlie.errors import ModelError, SymlieError, UnknownNameError
from symlie.options import Combine
from symlie.rotations import with_rotations
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.checks import check_frozen
from symlie.runtime.system.initial_values import check_independent
from symlie.runtime.system.inputs import InputTable, input_table, smooth_table
from symlie.runtime.system.parameters import changed_parameters, real_array
from symlie.runtime.system.record import model_hash
from symlie.runtime.system.system import System
from symlie.utilities.showing import line

COMBINATIONS = get_args(Combine)
"""Combinations of the values of several names to members."""

MOST_IN_MEMORY = 10**7
"""Largest number of grid members whose results are stored in memory."""


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """Initial states, parameters and inputs of the members of an ensemble."""

    system: System
    """System of all members."""
    first: int
    """Number of the first member."""
    parameters: Array
    """Parameters of the model, shape (n, parameters)."""
    elements: tuple[Array, ...]
    """Parameters of the elements by type, shape (n, rows, width), or (1, rows, width) if equal for all members."""
    initial: Mapping[tuple[str, str], Array]
    """Initial values by node and field, shape (n, rows, components), including values of the system."""
    inputs: tuple[Mapping[str, InputTable], ...]
    """Input tables of each member; empty if equal for all members."""
    refused: Mapping[int, SymlieError]
    """Errors of members with invalid values."""
    stated: Mapping[str, Array]
    """User-defined values by name, members first."""
    shape: Mapping[str, int]
    """Lengths of the grid dimensions by name, or the number of members."""

    def __len__(self) -> int:
        return len(self.parameters)

    def __repr__(self) -> str:
        return line("Design", [self.system.name, f"{len(self)} members", *self.stated])

    def member(self, row: int) -> System:
        """Return the system of a member by index, or raise the error of its invalid values."""
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
        """Return a range of members, by index."""
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
        """Return the fields in which two versions of an ensemble differ."""
        names = ["first", "parameters", "initial", "inputs", "refused"]
        # The shape of a single row does not distinguish it from a row shared by all members.
        if len(self) == 1 or any(len(rows) > 1 for rows in self.elements):
            names.append("elements")
        return {name: getattr(self, name) for name in names}

    @property
    def digest(self) -> str:
        """Return a hash of the members without the user-defined values of parameters and initial states."""
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
    combine: Combine,
    *,
    is_stored: bool,
) -> Design:
    """Return the design for the arguments of `symlie.ensembles.ensemble.ensemble`."""
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
        raise ModelError("An ensemble needs values of parameters, initial values or inputs, one for each member.")
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
    """Return the initial values of a node, with attitudes converted to the storage of its group."""
    if node in system.layout.joints:
        return stated
    kind = system.layout.node(node).type
    return with_rotations(f"Node '{node}' on {kind.name}", {f.name: f.shape for f in kind.storage_fields}, stated)


def _members_first(what: str, value: object) -> Array:
    array = real_array(f"The values of {what}", value)
    if array.ndim == 0:
        raise ModelError(f"The values of {what} must be one for each member, not the number {array}.")
    return array


def count_of(lengths: Mapping[str, int], combine: Combine) -> int:
    """Return the number of members, or raise `ModelError` if the lengths differ for combine='zip'."""
    if combine == "grid":
        return math.prod(lengths.values())
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise ModelError(
            f"With combine='zip' all names need one value for each member, but their numbers are: {listed}."
        )
    return next(iter(lengths.values()))


def _rows(lengths: Mapping[str, int], combine: Combine) -> dict[str, np.ndarray]:
    """Return, for each name, the index of the value of each member."""
    count = count_of(lengths, combine)
    if combine == "grid":
        return dict(zip(lengths, np.indices(tuple(lengths.values())).reshape(len(lengths), count), strict=True))
    return {name: np.arange(count) for name in lengths}


def _tables(system: System, name: str, stated: object) -> list[InputTable]:
    """Return the table of each member for an input, (times, values[, interpolation]), or a smooth table (points,
    values)."""
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
    """Return the parameters of the model and of all element types, members first."""
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
            # Non-finite values are a failure of their member; other errors concern all members.
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
    """Return initial values by field, members first; derived quantities, rotations and joints are
    evaluated per member."""
    count, layout = len(p), system.layout
    is_plain = len(system.initial_fields) == len(system.initial_values) and all(
        key not in layout.joints and field in {f.name for f in layout.node(key).type.fields} for key, field in values
    )
    known = {key: np.asarray(rows, dtype=float) for key, rows in system.initial_fields.items()}
    if is_plain:
        found = {key: np.repeat(rows[None], count, axis=0) for key, rows in known.items()}
        for (node, field), rows in values.items():
            part = layout.node(node)
            check_independent(layout, part, field)
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
