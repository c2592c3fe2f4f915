"""NumPy kernels: functions of components, each of which is a number or an array over elements."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from symlie.emit.printing import Printer, is_of_model, print_closed_form, print_statements
from symlie.ir.directions import VECTOR
from symlie.ir.kernels import EmittedModel, Kernel
from symlie.ir.schemes import POLES, Scheme
from symlie.utilities.paths import template_folder
from symlie.utilities.templating import render

FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}


class NumpyPrinter(Printer):
    """Operators and constants of Python with NumPy."""

    def function(self, name: str, operands: Sequence[str]) -> str:
        """Return a call of NumPy or of ``primitives.py``."""
        return f"{'_select' if name == 'select' else f'np.{FUNCTIONS.get(name, name)}'}({', '.join(operands)})"

    def call(self, name: str, operands: Sequence[str]) -> str:
        return f"_{name}({', '.join(operands)})"

    def table(self, name: str, position: str, abscissa: str, value: str, count: int) -> str:
        """Return a table lookup by views of the abscissae and values."""
        first, second = (f"{x.removesuffix(']')}:][:{count}]" for x in (abscissa, value))
        return f"_{name}({position}, {first}, {second})"

    def input(self, name: str, position: str, slot: str, component: int, derivative: int) -> str:
        """Return a lookup in a run-time table by a view from its slot on."""
        return f"_{name}({position}, {slot.removesuffix(']')}:], {component}, {derivative})"

    def chosen_input(self, name: str, position: str, slot: str, component: str, derivative: int) -> str:
        """Return lookups in the run-time tables of all elements."""
        return f"_chosen_{name}({position}, p, {slot}, {component}, {derivative})"


def coefficient_function(scheme: Scheme) -> dict[str, object]:
    """Return a coefficient function as text: its polynomials and its closed form, if any."""
    printer = NumpyPrinter()
    statements, result = print_closed_form(scheme, printer)
    return {
        "name": scheme.function,
        "pieces": [
            {
                "upper": repr(piece.upper),
                "parts": [[printer.constant(c) for c in part] for part in piece.parts],
                "pole_order": piece.pole_order,
                "argument": "z * 0.25" if piece.doubles_angle else f"z - {piece.shift!r}" if piece.shift else "z",
                "doubles_angle": piece.doubles_angle,
                "constant": printer.constant(piece.constant) if piece.constant is not None else "",
            }
            for piece in scheme.pieces
        ],
        "pole": [printer.constant(p) for p in POLES[scheme.precision]],
        "statements": statements,
        "result": result,
    }


def primitives(kernels: Sequence[Kernel]) -> list[str]:
    """Return the sources of the functions of ``primitives.py`` that kernels and coefficient functions use."""
    text = (template_folder() / "numpy" / "primitives.py").read_text(encoding="utf-8")
    functions = {f.name: f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef)}
    instructions = [i for k in kernels for i in k.body.instructions]
    operators = {i.operator.split()[-1] for i in instructions}
    if any(i.operator == "input input" and not is_of_model(i.operands[1]) for i in instructions):
        operators.add("chosen_input")
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
    statements, results = print_statements(kernel.body, NumpyPrinter(), kernel.repeated)
    return {
        "description": kernel.description,
        "head": kernel.signature.python(),
        "statements": statements,
        "directions": kernel.directions,
        "vector": VECTOR,
        "results": [f"*{r}" for r in results] if kernel.directions else results,
    }


def numpy_module(name: str, kernels: Sequence[Kernel], schemes: Sequence[Scheme], interface_hash: str) -> str:
    """Return the source of a module with kernels and their coefficient functions."""
    return render(
        "numpy/model.py.jinja",
        name=name,
        hash=interface_hash,
        primitives=primitives(kernels),
        functions=[coefficient_function(s) for s in schemes],
        kernels=[_printed(k) for k in kernels],
    )


def emit_numpy(model: EmittedModel, interface_hash: str) -> dict[str, str]:
    """Return the NumPy module ``NAME.py`` of a model, without generated elimination (this target uses
    library solvers)."""
    text = numpy_module(model.types.name, model.types.kernels, model.schemes, interface_hash)
    return {f"{model.types.name}.py": text}
