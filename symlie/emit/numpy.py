"""Kernels as NumPy: functions on components, each component a number or an array over instances."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import sympy

from symlie.emit.printing import INFIX, print_statements
from symlie.ir.kernels import EmittedModel, Kernel
from symlie.ir.program import Program
from symlie.ir.schemes import POLES, Scheme, closed_form
from symlie.ir.straightline import flatten
from symlie.paths import template_folder
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


def coefficient_function(scheme: Scheme) -> dict[str, object]:
    """A coefficient function as text: its pieces, and the closed form beyond if it has one."""
    printer = NumpyPrinter()
    statements: list[tuple[str, str]] = []
    result = ""
    if scheme.has_closed_form:
        z = sympy.Symbol("z", nonnegative=True)
        body = flatten(Program(), [closed_form(scheme.base_name, z)], {z: "z"})
        statements, (result,) = print_statements(body, printer)
    return {
        "name": scheme.function,
        "pieces": [
            {
                "upper": repr(piece.upper),
                "parts": [[printer.constant(c) for c in part] for part in piece.parts],
                "pole_order": piece.pole_order,
                "argument": "z * 0.25" if piece.doubles_angle else f"z - {piece.shift!r}" if piece.shift else "z",
                "doubles_angle": piece.doubles_angle,
            }
            for piece in scheme.pieces
        ],
        "pole": [printer.constant(p) for p in POLES[scheme.precision]],
        "statements": statements,
        "result": result,
    }


def primitives(kernels: Sequence[Kernel]) -> list[str]:
    """Sources of the functions of ``primitives.py`` that kernels and coefficient functions use."""
    text = (template_folder() / "numpy" / "primitives.py").read_text(encoding="utf-8")
    functions = {f.name: f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef)}
    operators = {i.operator.split()[-1] for k in kernels for i in k.body.instructions}
    if any(k.body.schemes for k in kernels):
        operators.add("horner")
    waiting = [name for name in functions if name[1:] in operators]
    wanted: set[str] = set()
    while waiting:
        name = waiting.pop()
        wanted.add(name)
        called = {n.id for n in ast.walk(functions[name]) if isinstance(n, ast.Name)}
        waiting += [other for other in functions if other in called - wanted]
    return [ast.get_source_segment(text, f) or "" for name, f in functions.items() if name in wanted]


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
        primitives=primitives(kernels),
        functions=[coefficient_function(s) for s in schemes],
        kernels=[_printed(k) for k in kernels],
    )


def emit_numpy(model: EmittedModel, interface_hash: str) -> dict[str, str]:
    """Source of a model in NumPy: one module ``NAME.py``.

    The derived elimination is left to a library on this backend.
    """
    text = numpy_module(model.types.name, model.types.kernels, model.schemes, interface_hash)
    return {f"{model.types.name}.py": text}
