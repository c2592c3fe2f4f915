"""Standalone operators in NumPy: one module and its self-test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symlie.contract.signature import Argument
from symlie.emit.numpy.model import NumpyPrinter, coefficient_function, primitives
from symlie.emit.operators.loops import BY_PRECISION, LOOPED_MATRICES, looped_factors
from symlie.emit.printing import loaded_components, print_statements
from symlie.ir import matrix_loops
from symlie.ir.group_operators import GroupOperators, Operator
from symlie.ir.kernels import Kernel
from symlie.utilities.templating import render

VECTORS = ("q", "theta", "rate")
"""Results that are vectors; all others are matrices."""


class StandAlonePrinter(NumpyPrinter):
    """Operators and constants of NumPy with public names of coefficient functions, given by `names`."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def call(self, name: str, operands: Sequence[str]) -> str:
        """Return the call of a coefficient function by its public name, or of an auxiliary function."""
        return f"{self.names[name]}({', '.join(operands)})" if name in self.names else super().call(name, operands)


@dataclass(frozen=True)
class PrintedOperator:
    """A kernel as text."""

    name: str
    description: str
    inputs: list[Argument]
    loads: list[tuple[str, str]]
    statements: list[tuple[str, str]]
    results: list[str]
    shape: tuple[int, ...]
    """Shape of the result for one argument."""
    operations: int


def numpy_files(operators: GroupOperators, prefix: str, values: Mapping[str, object]) -> dict[str, str]:
    """Return the module and its self-test; `values` are template values common to all targets."""
    functions = [s.function for s in operators.schemes]
    printer = StandAlonePrinter({name: f"{prefix}_{name}" for name in functions})
    outside = StandAlonePrinter({name: f"tested.{prefix}_{name}" for name in functions})
    view = {
        **values,
        "operators": [_declared(o) for o in operators.operators],
        "kernels": _kernels(operators, prefix, printer),
        "factors": looped_factors(operators),
        "looped_matrices": LOOPED_MATRICES,
        "loops": matrix_loops,
        "numbers": {name: value[operators.real] for name, value in BY_PRECISION.items()},
        "storage_rate": _printed(operators.storage_rate, "storage_rate", outside),
        "functions": [
            coefficient_function(s) | {"description": f"A polynomial for z <= {s.upper!r}, a closed form beyond."}
            for s in operators.schemes
        ],
        "primitives": primitives(operators.kernels),
        "rate_primitives": primitives([operators.storage_rate]),
    }
    return {
        f"{prefix}.py": render("operators/module.py.jinja", **view),
        f"{prefix}_selftest.py": render("operators/selftest.py.jinja", **view),
    }


def _declared(operator: Operator) -> dict[str, object]:
    """Return a public function as text."""
    *inputs, output = operator.signature.arguments
    return {
        "name": operator.signature.name,
        "description": operator.description,
        "inputs": inputs,
        "is_matrix": output.name not in VECTORS,
    }


def _kernels(operators: GroupOperators, prefix: str, printer: StandAlonePrinter) -> list[PrintedOperator]:
    """Return the operators if all have closed forms, else private functions for each factor."""
    if not operators.has_series:
        return [_printed(k, f"{prefix}_{k.signature.name}", printer) for k in operators.kernels]
    return [
        _printed(k, f"_{i}_{k.signature.name}", printer)
        for i, factor in enumerate(operators.factors)
        for k in factor.kernels
    ]


def _printed(kernel: Kernel, name: str, printer: StandAlonePrinter) -> PrintedOperator:
    statements, results = print_statements(kernel.body, printer)
    *inputs, output = kernel.signature.arguments
    rows = math.isqrt(len(results))
    return PrintedOperator(
        name,
        kernel.description,
        inputs,
        loaded_components(inputs, [*(e for _, e in statements), *results]),
        statements,
        results,
        (len(results),) if output.name in VECTORS else (rows, rows),
        kernel.body.operation_count,
    )
