"""Kernels as NumPy: functions on components, each component a number or an array over instances."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from symlie.emit.printing import INFIX, print_statements
from symlie.ir.kernels import EmittedModel, Kernel
from symlie.ir.program import Program
from symlie.ir.schemes import POLE_HIGH, POLE_LOW, Scheme, closed_form
from symlie.ir.straightline import flatten
from symlie.templating import render

FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}


class NumpyPrinter:
    """Operators and constants of Python with NumPy."""

    def constant(self, value: float) -> str:
        """A decimal constant that reads back exactly."""
        text = repr(value)
        return f"({text})" if value < 0 else text

    def operation(self, operator: str, operands: Sequence[str]) -> str:
        """An operator or a function call."""
        if operator in INFIX:
            return f"({operands[0]} {INFIX[operator]} {operands[1]})"
        if operator == "neg":
            return f"(-{operands[0]})"
        if operator.startswith("table "):
            position, abscissa, value, count = operands
            first, second = (f"{x.removesuffix(']')}:][:{int(float(count))}]" for x in (abscissa, value))
            return f"_{operator[6:]}({position}, {first}, {second})"
        if operator.startswith("input "):
            position, slot, component = operands
            return f"_{operator[6:]}({position}, {slot.removesuffix(']')}:], {int(float(component))})"
        if operator == "select":
            return f"_select({', '.join(operands)})"
        if operator.startswith("call "):
            return f"_{operator[5:]}({', '.join(operands)})"
        return f"np.{FUNCTIONS.get(operator, operator)}({', '.join(operands)})"


def _coefficient_function(scheme: Scheme) -> dict[str, object]:
    printer = NumpyPrinter()
    z = sympy.Symbol("z", nonnegative=True)
    body = flatten(Program(), [closed_form(scheme.base_name, z)], {z: "z"})
    statements, (result,) = print_statements(body, printer)
    parts = [scheme.coefficients[1::2], scheme.coefficients[::2]] if scheme.is_split else [scheme.coefficients]
    return {
        "name": scheme.function,
        "upper": repr(scheme.upper),
        "parts": [[printer.constant(c) for c in part] for part in parts],
        "pole_order": scheme.pole_order,
        "statements": statements,
        "result": result,
    }


def _printed(kernel: Kernel) -> dict[str, object]:
    statements, results = print_statements(kernel.body, NumpyPrinter())
    return {
        "description": kernel.description,
        "head": kernel.signature.python(),
        "statements": statements,
        "results": results,
    }


def numpy_module(name: str, kernels: Sequence[Kernel], schemes: Sequence[Scheme], interface_hash: str) -> str:
    """Source of a module with some kernels and the coefficient functions they use."""
    return render(
        "numpy/model.py.jinja",
        name=name,
        hash=interface_hash,
        uses_full_angle_ratio=any(i.operator == "call full_angle_ratio" for k in kernels for i in k.body.instructions),
        functions=[_coefficient_function(s) for s in schemes],
        pole_high=repr(POLE_HIGH),
        pole_low=repr(POLE_LOW),
        kernels=[_printed(k) for k in kernels],
    )


def emit_numpy(model: EmittedModel, interface_hash: str) -> dict[str, str]:
    """Source of a model in NumPy: one module ``NAME.py``.

    The derived elimination is left to a library on this backend.
    """
    text = numpy_module(model.types.name, model.types.kernels, model.schemes, interface_hash)
    return {f"{model.types.name}.py": text}
