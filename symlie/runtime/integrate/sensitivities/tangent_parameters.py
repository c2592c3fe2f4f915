"""Prepared parameters with tangents by variables."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from symlie.compile.library import Library
from symlie.runtime.integrate.sensitivities.variables import InputVariable, ParameterVariable, Variable
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.inputs import InputTable, tables_in_use
from symlie.runtime.system.system import System


def parameters_with_tangents(
    system: System, library: Library, variables: Sequence[Variable], directions: Array
) -> Prepared:
    """Return the prepared parameters as numbers with tangents along directions of variables, shape (variables,
    tangents), from a library for such numbers; the result has shape (parameters, 1 + tangents)."""
    width = 1 + directions.shape[1]
    layout, known = system.layout, system.prepared
    given = np.zeros((layout.prepared_parameters, width))
    given[:, 0] = known.model[: len(given)]
    own = [_wide(rows, width) for rows in system.element_parameters]
    tables = np.zeros((len(known.model) - len(given), width))
    of_inputs: dict[str, Array] = {}
    for variable, along in zip(variables, directions, strict=True):
        if isinstance(variable, ParameterVariable):
            moved = variable.moved(system, 1.0)
            given[: len(system.parameters), 1:] += np.multiply.outer(moved.parameters != system.parameters, along)
            for rows, before, after in zip(own, system.element_parameters, moved.element_parameters, strict=True):
                rows[..., 1:] += np.multiply.outer(after != before, along)
        elif isinstance(variable, InputVariable):
            shape = (*system.inputs[variable.name].values.shape, width - 1)
            of_inputs.setdefault(variable.name, np.zeros(shape))[variable.index] += along
    for name, values in of_inputs.items():
        for lane in np.flatnonzero(values.any(axis=(0, 1))).tolist():
            tables[:, 1 + lane] += _of_tables(system, name, values[..., lane])
    model = _prepared(library, -1, given, np.zeros((1, width)), len(given))
    model[:, 0] = given[:, 0]
    elements = []
    for k, (rows, values) in enumerate(zip(own, known.elements, strict=True)):
        found = [_prepared(library, k, model, row, values.shape[1]) for row in rows]
        wide = np.reshape(found, (len(values), -1, width))
        wide[..., 0] = values
        elements.append(wide)
    tables[:, 0] = known.model[len(given) :]
    return Prepared(np.concatenate([model, tables]), tuple(elements))


def _wide(values: Array, width: int) -> Array:
    """Return numbers with tangents that are zero, as a further axis."""
    found = np.zeros((*values.shape, width))
    found[..., 0] = values
    return found


def _prepared(library: Library, element: int, model: Array, own: Array, size: int) -> Array:
    """Return the prepared parameters of the model (-1) or of an element, shape (size, width)."""
    out = np.zeros((max(size, 1), model.shape[1]))
    rows = [np.ascontiguousarray(x) if x.size else np.zeros((1, model.shape[1])) for x in (model, own)]
    library.call.symlie_prepare(element, *map(library.pointer, rows), library.pointer(out))
    return out[:size]


def _of_tables(system: System, of: str, values: Array) -> Array:
    """Return the tangent of all tables along values of one of them."""
    parts = [np.zeros(0)]
    for name, table in tables_in_use(system.layout, system.inputs).items():
        tangent = np.zeros_like(table.packed)
        if name == of:
            tangent = dataclasses.replace(table, values=values).packed.copy()
            tangent[: knots_in(table)] = 0.0
        parts.append(tangent)
    return np.concatenate(parts)


def knots_in(table: InputTable) -> int:
    """Return the number of knots in a packed table, which precede the coefficients."""
    each = table.values.shape[1] * (abs(table.degree) + 1)
    return int((len(table.packed) - each) // (1 + each))
