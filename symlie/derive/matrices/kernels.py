"""Kernels of Newton matrices, of input and output derivatives, and of variations: one per set and element type.

They are derived and compiled on first use, separately from the kernels of a run. Their parameters are the first
components of the prepared parameters, so both work on the same arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sympy import Expr, Symbol

from symlie.contract.kernels import KERNELS
from symlie.contract.sets import KernelSet
from symlie.contract.signature import Argument, Signature
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.kernels import configuration_symbols, instance_symbols, parameter_symbols
from symlie.derive.matrices.dependents import derive_dependents
from symlie.derive.matrices.fields import has_points
from symlie.derive.matrices.newton import derive_variations
from symlie.derive.matrices.ports import derive_ports
from symlie.derive.matrices.sensitivities import derive_sensitivity_matrices
from symlie.ir.differentiate import Matrix
from symlie.ir.kernels import Kernel, SparsePattern
from symlie.ir.sets import ElementTypeSet
from symlie.ir.straightline import by_output, flatten
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement

_Derived = tuple[Sequence[Symbol], Sequence[Symbol], Sequence[Matrix]]
"""Symbols of a and λ that occur, and the matrices of a set."""


MATRICES: Mapping[str, Callable[[Model, DerivedStatement, KernelSet], _Derived]] = {
    "newton": lambda model, d, _: (d.newton.acceleration, d.newton.multipliers, d.newton.matrices),
    "fields": lambda model, d, _: (d.fields.acceleration, d.fields.multipliers, d.fields.matrices),
    "dependents": lambda model, d, _: _dependents(d),
    "ports": lambda model, d, _: _ports(model, d),
    "variations": lambda model, d, _: derive_variations(d),
    "sensitivities": lambda model, d, chosen: _sensitivities(model, d, chosen),
    "local_outputs": lambda model, d, _: _local_outputs(d.statement),
}
"""Functions that derive the matrices of each set from a definition."""


def _local_outputs(statement: Statement) -> _Derived:
    found = tuple((c,) for o in statement.local_outputs for c in o.components)
    accelerations = tuple(s for n in statement.nodes for s in n.acceleration.components)
    return accelerations, tuple(statement.multipliers), (found,)


def _dependents(derived: DerivedStatement) -> _Derived:
    # All sets are statements of one program. Dependent nodes follow the variations, so that generated code is unique.
    _ = derived.newton
    return (), (), derive_dependents(derived.statement)


def _ports(model: Model, derived: DerivedStatement) -> _Derived:
    # All sets are statements of one program. Ports are derived last, so that generated code does not depend on the
    # order of requests.
    _ = derived.fields if has_points([derived]) else derived.newton
    return derive_ports(derived, model.inputs)


def _sensitivities(model: Model, derived: DerivedStatement, chosen: KernelSet) -> _Derived:
    _ = derived.fields if has_points([derived]) else derived.newton
    return derive_sensitivity_matrices(model, derived, chosen.parameters)


def nonzeros(matrix: Matrix) -> tuple[SparsePattern, list[Expr]]:
    """Return the positions of the nonzeros of a matrix, and their values."""
    entries = [(i, j, e) for i, row in enumerate(matrix) for j, e in enumerate(row) if e != 0]
    constants = tuple(float(e) if e.is_Number else None for _, _, e in entries)
    pattern = SparsePattern(tuple(i for i, _, _ in entries), tuple(j for _, j, _ in entries), constants)
    return pattern, [e for _, _, e in entries]


def whole_rows(rates: Sequence[Expr], columns: int) -> tuple[SparsePattern, list[Expr]]:
    """Return the rows or columns of a matrix that are not zero, with all their entries, and the directional derivatives
    that compute them."""
    rows = [i for i, e in enumerate(rates) if e != 0]
    count = len(rows) * columns
    places = tuple(i for i in rows for _ in range(columns)), tuple(range(columns)) * len(rows)
    return SparsePattern(*places, (None,) * count), [rates[i] for i in rows]


def element_matrices(model: Model, derived: DerivedStatement, chosen: KernelSet) -> ElementTypeSet:
    """Return the matrices of a set, of a kind in `MATRICES`, for an element type."""
    statement, name = derived.statement, chosen.rows
    acceleration, multipliers, matrices = MATRICES[name](model, derived, chosen)
    patterns, values = zip(*map(nonzeros, matrices), strict=True)
    nodes = statement.nodes
    inputs = {
        "q": configuration_symbols(statement),
        "v": [s for n in nodes for s in n.velocity.components],
        "a": list(acceleration),
        "multipliers": list(multipliers),
        "p": parameter_symbols(model),
        "e": instance_symbols(statement),
    }
    rows = len(derived.constraints.jacobian)
    kernels = []
    if any(pattern.count for pattern in patterns):
        references = {s: f"{label}[{k}]" for label, symbols in inputs.items() for k, s in enumerate(symbols)}
        references[statement.time] = "t"
        dimension = sum(n.group.velocity_dimension for n in nodes)
        sizes = {label: len(symbols) for label, symbols in inputs.items()} | {"a": dimension, "multipliers": rows}
        row = KERNELS[name]
        arguments = (
            Argument("t", None),
            *(Argument(label, size) for label, size in sizes.items()),
            *(Argument(letter, p.count, True) for letter, p in zip(row.result_names, patterns, strict=True)),
        )
        body = by_output(flatten(statement.program, [e for part in values for e in part], references))
        kernels.append(Kernel(Signature(f"{statement.name}_{name}", arguments), body, row.meaning))
    storage = len(configuration_symbols(statement))
    velocities = sum(n.group.velocity_dimension for n in nodes)
    sees = name == "local_outputs" or derived.newton.sees_configuration
    return ElementTypeSet(statement.name, storage, velocities, rows, patterns, tuple(kernels), sees)
