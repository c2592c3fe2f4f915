"""Stand-alone operators in NumPy: one module and its self-test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symlie.contract.signature import Argument
from symlie.emit.numpy.model import NumpyPrinter, coefficient_function, primitives
from symlie.emit.printing import loaded_components, print_statements
from symlie.ir.group_operators import GroupOperators
from symlie.ir.kernels import Kernel
from symlie.templating import render

VECTORS = ("exp", "log", "storage_rate")
"""Kernels whose result is a vector; all others give a matrix."""


class StandAlonePrinter(NumpyPrinter):
    """Operators and constants of NumPy with public names of the coefficient functions.

    Parameters
    ----------
    names
        Text of each coefficient function by its name.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def call(self, name: str, operands: Sequence[str]) -> str:
        """A coefficient function under its public name, or a function that comes with it."""
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
    """The module and its self-test.

    Parameters
    ----------
    operators
        Kernels and reference values.
    prefix
        What the names of files and functions begin with.
    values
        Values of the templates that are the same for all targets.
    """
    functions = [s.function for s in operators.schemes]
    printer = StandAlonePrinter({name: f"{prefix}_{name}" for name in functions})
    outside = StandAlonePrinter({name: f"tested.{prefix}_{name}" for name in functions})
    view = {
        **values,
        "kernels": [_printed(k, operators.dimension, printer) for k in operators.kernels],
        "storage_rate": _printed(operators.storage_rate, operators.dimension, outside),
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


def _printed(kernel: Kernel, n: int, printer: StandAlonePrinter) -> PrintedOperator:
    statements, results = print_statements(kernel.body, printer)
    inputs = [a for a in kernel.signature.arguments if not a.is_output]
    return PrintedOperator(
        kernel.signature.name,
        kernel.description,
        inputs,
        loaded_components(inputs, [*(e for _, e in statements), *results]),
        statements,
        results,
        (n, n) if kernel.signature.name not in VECTORS else (len(results),),
        kernel.body.operation_count,
    )
