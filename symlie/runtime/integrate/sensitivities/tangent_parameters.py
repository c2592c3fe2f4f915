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


def parameters_with_tangents(system: System, library: Library, variables: Sequence[Variable], width: int) -> Prepared:
    """Return the prepared parameters as numbers with tangents, shape (parameters, width), from a library for such
    numbers; tangents that belong to no variable are zero."""
    layout, known = system.layout, system.prepared
    given = np.zeros((layout.prepared_parameters, width))
    given[:, 0] = known.model[: len(given)]
    own = [_wide(rows, width) for rows in system.element_parameters]
    tables = np.zeros((len(known.model) - len(given), width))
    for k, variable in enumerate(variables, start=1):
        if isinstance(variable, ParameterVariable):
            moved = variable.moved(system, 1.0)
            given[: len(system.parameters), k] = moved.parameters != system.parameters
            for rows, before, after in zip(own, system.element_parameters, moved.element_parameters, strict=True):
                rows[..., k] = after != before
        elif isinstance(variable, InputVariable):
            tables[:, k] = _of_tables(system, variable)
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


def _of_tables(system: System, variable: InputVariable) -> Array:
    """Return the tangent of all tables by a value of one of them."""
    parts = [np.zeros(0)]
    for name, table in tables_in_use(system.layout, system.inputs).items():
        tangent = np.zeros_like(table.packed)
        if name == variable.name:
            values = np.zeros_like(table.values)
            values[variable.index] = 1.0
            tangent = dataclasses.replace(table, values=values).packed.copy()
            tangent[: knots_in(table)] = 0.0
        parts.append(tangent)
    return np.concatenate(parts)


def knots_in(table: InputTable) -> int:
    """Return the number of knots in a packed table, which precede the coefficients."""
    each = table.values.shape[1] * (abs(table.degree) + 1)
    return int((len(table.packed) - each) // (1 + each))
